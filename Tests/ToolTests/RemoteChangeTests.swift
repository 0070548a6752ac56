// Two processes on one store: this one has it open and listens, the tool changes it.

import CoreData
import Foundation
import Synchronization
import Testing

@Suite struct RemoteChangeTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = try heroStore(in: folder)
    }

    /// The store, opened by somebody who wants to know of changes.
    private func open(isReadOnly: Bool = false, journal: String = "wal") throws -> NSPersistentContainer {
        let model = try #require(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: Project.heroesModel)))
        let container = NSPersistentContainer(name: "Heroes", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: path))
        description.isReadOnly = isReadOnly
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        description.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        description.setValue(journal as NSString, forPragmaNamed: "journal_mode")
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    /// Counts what a coordinator announces.
    private final class Listener: @unchecked Sendable {
        // The observer is set once, before anybody else knows the listener.
        private let count = Mutex(0)
        private var observer: (any NSObjectProtocol)?

        init(_ container: NSPersistentContainer) {
            observer = NotificationCenter.default.addObserver(
                forName: .NSPersistentStoreRemoteChange, object: container.persistentStoreCoordinator, queue: nil
            ) { [weak self] _ in self?.count.withLock { $0 += 1 } }
        }

        deinit { if let observer { NotificationCenter.default.removeObserver(observer) } }

        var heard: Int { count.withLock { $0 } }

        func hears(_ number: Int) async throws -> Bool {
            for _ in 0..<600 {
                if heard >= number { return true }
                try await Task.sleep(for: .milliseconds(50))
            }
            return false
        }
    }

    private func rename(_ name: String) throws {
        let file = try folder.file("change.json", #"[{"id": "101", "name": "\#(name)"}]"#)
        try graft("import", file, "--entity", "Hero", "--store", path).succeeded()
    }

    @Test(arguments: ["wal", "delete"])
    func `what another process saves is announced, and its history brings a context up to date`(
        journal: String
    ) async throws {
        let container = try open(journal: journal)
        let context = container.newBackgroundContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Hero")
        request.predicate = NSPredicate(format: "id == 101")
        let name = { () -> String? in
            try context.performAndWait { try context.fetch(request).first?.value(forKey: "name") as? String }
        }
        let before = try #require(try name())
        let token = container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
        let listener = Listener(container)
        // Long enough to have looked once, so that there is something to compare with.
        try await Task.sleep(for: .milliseconds(600))
        #expect(listener.heard == 0)
        try rename("Renamed")
        #expect(try await listener.hears(1))
        #expect(before != "Renamed")
        let history = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        try context.performAndWait {
            let result = try #require(context.execute(history) as? NSPersistentHistoryResult)
            let transactions = try #require(result.result as? [NSPersistentHistoryTransaction])
            #expect(transactions.count == 1)
            for transaction in transactions {
                context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
            }
            #expect(try context.fetch(request).first?.value(forKey: "name") as? String == "Renamed")
        }
    }

    @Test func `what this process saves is announced once`() async throws {
        let container = try open()
        let listener = Listener(container)
        try await Task.sleep(for: .milliseconds(600))
        let context = container.newBackgroundContext()
        try await context.perform {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Hero")
            try context.fetch(request).first?.setValue("Other", forKey: "name")
            try context.save()
        }
        try await Task.sleep(for: .milliseconds(900))
        #expect(listener.heard == 1)
    }

    @Test func `a store that is only read hears of changes, too`() async throws {
        let container = try open(isReadOnly: true)
        let listener = Listener(container)
        try await Task.sleep(for: .milliseconds(600))
        try rename("Renamed")
        #expect(try await listener.hears(1))
    }
}
