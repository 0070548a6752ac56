// Cutting a history off: which transactions a deletion takes, and who hears of it afterwards.

import CoreData
import Foundation
import Testing

@Suite struct HistoryDeletionTests: HistoryReading {
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

    @Test func `a transaction without a date counts as one of the first second of 2001`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Library.sqlite")
        let library = try Library(
            at: url, model: LibraryModel.make(), options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
        for _ in 0..<2 {
            _ = library.insert("Tag")
            try library.context.save()
        }
        try StoreSQL.run("UPDATE ATRANSACTION SET ZTIMESTAMP = NULL WHERE Z_PK = 1", at: url)
        func numbers(after date: Date) throws -> [Int64]? {
            (try result(library, .fetchHistory(after: date)) as? [NSPersistentHistoryTransaction])?
                .map(\.transactionNumber)
        }
        #expect(try numbers(after: Date.distantPast) == [1, 2])
        #expect(try numbers(after: Date(timeIntervalSinceReferenceDate: 0)) == [2])
        let request = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantPast)
        request.resultType = .count
        #expect(try result(library, request) as? Int == 0)
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

    @Test(
        arguments: [
            (["importer", "app", "app"], 1), (["app", "importer", "app"], 2), (["app", "app", "importer"], 3),
            (["importer", "importer", "app"], 2), (["importer", "importer", "importer"], 3),
        ] as [([String], Int)])
    func `a token expires with any transaction after it, and no other one does`(
        _ authors: [String], _ lastDeleted: Int
    ) throws {
        let library = try tracked()
        let beginning = try #require(library.coordinator.currentPersistentHistoryToken(fromStores: nil))
        for author in authors { try save(library, author) }
        let tokens = [beginning] + (try transactions(library).map(\.token))
        let request = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
        request.fetchRequest = NSPersistentHistoryTransaction.fetchRequest
        request.fetchRequest?.predicate = NSPredicate(format: "author == 'importer'")
        _ = try result(library, request)
        for round in 0...1 {
            for (number, token) in tokens.enumerated() {
                if number < lastDeleted {
                    let error = #expect(throws: CocoaError.self) { try transactions(library, after: token) }
                    #expect(error?.code == .persistentHistoryTokenExpired)
                } else {
                    #expect(try transactions(library, after: token).count == tokens.count - 1 - number + round)
                }
            }
            // Also with more behind it.
            if round == 0 { try save(library, "app") }
        }
    }

    @Test func `a predicate with a token that has expired by a deletion after it is refused`() throws {
        let library = try tracked()
        try save(library, "app", "importer", "app")
        let all = try transactions(library)
        let request = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
        request.fetchRequest = NSPersistentHistoryTransaction.fetchRequest
        request.fetchRequest?.predicate = NSPredicate(format: "author == 'importer'")
        _ = try result(library, request)
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = NSPredicate(format: "token > %@", all[0].token)
        let error = #expect(throws: CocoaError.self) { try result(library, .fetchHistory(withFetch: fetch)) }
        #expect(error?.code == .persistentHistoryTokenExpired)
        fetch.predicate = NSPredicate(format: "token >= %@", all[2].token)
        #expect((try result(library, .fetchHistory(withFetch: fetch)) as? [Any])?.count == 1)
    }
}
