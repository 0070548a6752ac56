// Cutting a history off: which transactions a deletion takes, and who hears of it afterwards.

import CoreData
import Foundation
import Testing

@Suite struct HistoryDeletionTests {
    private func tracked() throws -> Library {
        try Library(.database, options: [NSPersistentHistoryTrackingKey: true])
    }

    private func result(_ library: Library, _ request: NSPersistentHistoryChangeRequest) throws -> Any? {
        (try library.context.execute(request) as? NSPersistentHistoryResult)?.result
    }

    private func transactions(
        _ library: Library, after token: NSPersistentHistoryToken? = nil
    ) throws -> [NSPersistentHistoryTransaction] {
        try #require(
            try result(library, .fetchHistory(after: token)) as? [NSPersistentHistoryTransaction])
    }

    /// Saves a tag as each of some authors.
    private func save(_ library: Library, _ authors: String...) throws {
        for author in authors {
            library.context.transactionAuthor = author
            _ = library.insert("Tag", ["label": author])
            try library.context.save()
        }
    }

    @Test func `a deletion that chooses anything but transactions is refused before anything is deleted`() throws {
        let library = try tracked()
        try save(library, "a", "b", "c")
        let changes = try #require(NSPersistentHistoryChange.fetchRequest)
        changes.predicate = NSPredicate(format: "changedEntity == 'Book'")
        for fetch in [changes, NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")] {
            let request = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
            request.fetchRequest = fetch
            let error = #expect(throws: CocoaError.self) { try result(library, request) }
            #expect(error?.code == .persistentStoreUnsupportedRequestType)
            #expect(error?.localizedDescription.contains("NSPersistentHistoryTransaction.fetchRequest") == true)
        }
        #expect(try transactions(library).map(\.transactionNumber) == [1, 2, 3])
    }

    @Test func `a deletion that one of several stores refuses deletes nothing in the others`() throws {
        let library = try tracked()
        let second = try library.coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"),
            options: [NSPersistentHistoryTrackingKey: true])
        let beginning = try #require(library.coordinator.currentPersistentHistoryToken(fromStores: [second]))
        for isSecond in [false, true] {
            let tag = library.insert("Tag")
            if isSecond { library.context.assign(tag, to: second) }
            try library.context.save()
        }
        let request = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
        request.fetchRequest = NSPersistentHistoryTransaction.fetchRequest
        request.fetchRequest?.predicate = NSPredicate(format: "NOT token == %@", beginning)
        let error = #expect(throws: CocoaError.self) { try result(library, request) }
        #expect(error?.code == .persistentHistoryTokenExpired)
        #expect(try transactions(library).count == 2)
    }
}
