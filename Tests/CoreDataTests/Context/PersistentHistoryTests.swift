// The history of a store: what saves and batches leave in it, reading it from a place on, cutting it off.

import CoreData
import Foundation
import GRDB
import Synchronization
import Testing

@Suite struct PersistentHistoryTests: HistoryReading {
    /// Three transactions: Ada and a book, Ada renamed and the book deleted, a tag.
    private func filled() throws -> Library {
        let library = try tracked()
        library.context.name = "main"
        library.context.transactionAuthor = "app"
        let ada = library.insert("Author", ["name": "Ada"]), book = library.insert("Book", ["title": "t"])
        try library.context.save()
        ada.setValue("Adele", forKey: "name")
        library.context.delete(book)
        try library.context.save()
        library.context.transactionAuthor = "importer"
        _ = library.insert("Tag", ["label": "l"])
        try library.context.save()
        return library
    }

    private func shown(_ change: NSPersistentHistoryChange) -> String {
        "\(change.changeType) \(change.changedObjectID.entity.name ?? "") "
            + change.changedObjectID.uriRepresentation().lastPathComponent
    }

    @Test func `every save appends one transaction with one change per object`() throws {
        let library = try filled()
        let found = try transactions(library)
        #expect(
            found.map { ($0.changes ?? []).map(shown) } == [
                ["insert Author p1", "insert Book p1"], ["update Author p1", "delete Book p1"], ["insert Tag p1"],
            ])
        #expect(found.map(\.transactionNumber) == [1, 2, 3])
        #expect(found.map(\.author) == ["app", "app", "importer"])
        #expect(found.allSatisfy { $0.contextName == "main" && !$0.processID.isEmpty })
        #expect(found.allSatisfy { abs($0.timestamp.timeIntervalSinceNow) < 600 })
        #expect(found[0].storeID == library.coordinator.persistentStores[0].identifier)
        #expect(found[0].changes?.first?.transaction == found[0])
    }

    // NSPersistentHistoryChange.h: `transaction` is strong.
    @Test func `a change has its transaction as long as it is there itself`() throws {
        let library = try filled()
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
        request.resultType = .changesOnly
        let alone = try #require(try result(library, request) as? [NSPersistentHistoryChange])
        #expect(alone.map { $0.transaction?.transactionNumber } == [1, 1, 2, 2, 3])
        let changes = try transactions(library).flatMap { $0.changes ?? [] }
        #expect(changes.map { $0.transaction?.author } == ["app", "app", "app", "app", "importer"])
        weak var transaction: NSPersistentHistoryTransaction?
        do {
            let found = try transactions(library)
            transaction = found[0]
            #expect(transaction?.changes?.count == 2)
        }
        #expect(transaction == nil)
    }

    // CoreDataPlus, `test_InvestigationHistoryTokens`, `test_FetchHistoryChangesUsingFetchRequest`.
    @Test(
        arguments: [
            ("token > %@", [3]), ("%@ < token", [3]), ("token >= %@", [2, 3]), ("token <= %@", [1, 2]),
            ("token = %@", [2]), ("token != %@", [1, 3]), ("token < %@", [1]), ("token IN {%@}", [2]),
        ] as [(String, [Int64])])
    func `transactions are chosen by token`(_ format: String, _ expected: [Int64]) throws {
        let library = try filled()
        let token = try transactions(library)[1].token
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = NSPredicate(format: format, token)
        let chosen = try result(library, .fetchHistory(withFetch: fetch)) as? [NSPersistentHistoryTransaction]
        #expect(chosen?.map(\.transactionNumber) == expected)
    }

    // Observed: macOS 15.
    @Test func `a predicate with a token of the history's beginning, or of what was deleted, has expired`() throws {
        let library = try tracked()
        func chosen(_ format: String, _ token: NSPersistentHistoryToken?) throws -> Int? {
            let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
            fetch.predicate = NSPredicate(format: format, try #require(token))
            return (try result(library, .fetchHistory(withFetch: fetch)) as? [NSPersistentHistoryTransaction])?.count
        }
        func isExpired(_ error: any Error) -> Bool { (error as? CocoaError)?.code == .persistentHistoryTokenExpired }
        let beginning = library.coordinator.currentPersistentHistoryToken(fromStores: nil)
        #expect { try chosen("token = %@", beginning) } throws: { isExpired($0) }
        for name in ["a", "b"] {
            _ = library.insert("Tag", ["label": name])
            try library.context.save()
        }
        let all = try transactions(library, after: beginning)
        #expect { try chosen("NOT token <= %@", beginning) } throws: { isExpired($0) }
        #expect(try chosen("token > %@", all[0].token) == 1)
        _ = try result(library, .deleteHistory(before: all[1]))
        #expect { try chosen("token > %@", all[0].token) } throws: { isExpired($0) }
        #expect(try chosen("token >= %@", all[1].token) == 1)
    }

    @Test func `a token of several stores is compared by those that both know`() throws {
        let library = try tracked()
        let second = try library.coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"),
            options: [NSPersistentHistoryTrackingKey: true])
        func save(_ author: String, in store: NSPersistentStore?) throws {
            library.context.transactionAuthor = author
            let tag = library.insert("Tag")
            if let store { library.context.assign(tag, to: store) }
            try library.context.save()
        }
        try save("a", in: nil)
        try save("b", in: second)
        let token = try #require(library.coordinator.currentPersistentHistoryToken(fromStores: nil))
        try save("c", in: second)
        try save("d", in: nil)
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = NSPredicate(format: "token > %@", token)
        let chosen = try result(library, .fetchHistory(withFetch: fetch)) as? [NSPersistentHistoryTransaction]
        #expect(Set(chosen?.map(\.author) ?? []) == ["c", "d"])
    }

    // CoreDataPlus, `test_InvestigationHistoryFetches`: sub-entities don't count.
    @Test func `changes are chosen by entity, also by that of another model`() throws {
        let library = try filled()
        func changes(_ format: String, _ arguments: Any...) throws -> [String]? {
            let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
            fetch.predicate = NSPredicate(format: format, argumentArray: arguments)
            let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
            request.resultType = .changesOnly
            return (try self.result(library, request) as? [NSPersistentHistoryChange])?.map(shown)
        }
        let own = library.coordinator.managedObjectModel.entitiesByName
        let other = LibraryModel.make().entitiesByName
        let tag = try #require(own["Tag"]), book = try #require(other["Book"])
        #expect(try changes("changedEntity == %@", tag) == ["insert Tag p1"])
        #expect(
            try changes("changedEntity == %@ || changedEntity == %@", tag, book) == [
                "insert Book p1", "delete Book p1", "insert Tag p1",
            ])
        #expect(try changes("changedEntity IN %@", [tag, book])?.count == 3)
        #expect(
            try changes("changedEntity == %@", try #require(own["Author"])) == ["insert Author p1", "update Author p1"])
    }

    // [assumed] The root executes them; the child that asks has no author and no name of its own.
    @Test func `a batch of a child context is by the author and the name of the one above it`() throws {
        let library = try filled()
        let child = library.newChild(), grandchild = library.newChild(of: child)
        child.name = "editor"
        try grandchild.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["label": "x"]]))
        let found = try #require(try transactions(library).last)
        #expect(found.author == "importer" && found.contextName == "editor")
    }

    @Test func `batches are transactions too`() throws {
        let library = try filled()
        let token = library.coordinator.currentPersistentHistoryToken(fromStores: nil)
        try library.context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["label": "x"], ["label": "y"]]))
        let update = NSBatchUpdateRequest(entityName: "Tag")
        update.predicate = NSPredicate(format: "label == 'x'")
        update.propertiesToUpdate = ["label": "z"]
        try library.context.execute(update)
        try library.context.execute(
            NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")))
        #expect(
            try transactions(library, after: token).map { ($0.changes ?? []).map(shown) }
                == [["insert Tag p2", "insert Tag p3"], ["update Tag p2"], ["delete Author p1"]])
    }

    @Test func `history is fetched after a token, a transaction or a date`() throws {
        let library = try filled()
        let all = try transactions(library)
        #expect(try transactions(library, after: all[0].token).map(\.transactionNumber) == [2, 3])
        let after = try result(library, .fetchHistory(after: all[1])) as? [NSPersistentHistoryTransaction]
        #expect(after?.map(\.transactionNumber) == [3])
        let dates = [(all[0].timestamp.addingTimeInterval(-1), 3), (Date(timeIntervalSinceNow: 60), 0)]
        for (date, count) in dates {
            let found = try result(library, .fetchHistory(after: date)) as? [NSPersistentHistoryTransaction]
            #expect(found?.count == count)
        }
        let current = library.coordinator.currentPersistentHistoryToken(fromStores: nil)
        #expect(current == all[2].token)
        #expect(try transactions(library, after: current).isEmpty)
    }

    @Test func `the result type chooses transactions, changes, IDs, a number or the status`() throws {
        let library = try filled()
        func result(_ type: NSPersistentHistoryResultType) throws -> Any? {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            request.resultType = type
            return try self.result(library, request)
        }
        let bare = try result(.transactionsOnly) as? [NSPersistentHistoryTransaction]
        #expect(bare?.count == 3 && bare?.allSatisfy { $0.changes == nil } == true)
        #expect((try result(.changesOnly) as? [NSPersistentHistoryChange])?.count == 5)
        #expect((try result(.objectIDs) as? [NSManagedObjectID])?.count == 3)
        #expect(try result(.count) as? Int == 3)
        #expect(try result(.statusOnly) as? Bool == true)
    }

    // Divergence 75.
    @Test func `a fetch request chooses transactions by author, in its order`() throws {
        let library = try filled()
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = NSPredicate(format: "author != %@", "importer")
        fetch.sortDescriptors = [NSSortDescriptor(key: "transactionNumber", ascending: false)]
        let chosen = try result(library, .fetchHistory(withFetch: fetch)) as? [NSPersistentHistoryTransaction]
        #expect(chosen?.map(\.transactionNumber) == [2, 1])
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
        let changes = try #require(NSPersistentHistoryChange.fetchRequest)
        changes.predicate = NSPredicate(
            format: "changeType == %d AND changedEntity == 'Book'", NSPersistentHistoryChangeType.delete.rawValue)
        request.fetchRequest = changes
        request.resultType = .changesOnly
        #expect((try result(library, request) as? [NSPersistentHistoryChange])?.map(shown) == ["delete Book p1"])
    }

    // PersistentHistoryTrackingKit's cleaner deletes what its own authors have written, and no one else's.
    @Test func `a deletion with a fetch request deletes what that chooses alone`() throws {
        let library = try filled()
        let request = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
        request.fetchRequest = NSPersistentHistoryTransaction.fetchRequest
        request.fetchRequest?.predicate = NSPredicate(format: "author == %@", "app")
        request.resultType = .count
        #expect(try result(library, request) as? Int == 2)
        let left = try #require(
            try result(library, .fetchHistory(after: Date.distantPast)) as? [NSPersistentHistoryTransaction])
        #expect(left.map(\.author) == ["importer"] && left.first?.changes?.count == 1)
        #expect(try result(library, request) as? Int == 0)
    }

    @Test func `what a fetch request says of changes holds for the whole, whatever is asked for`() throws {
        let library = try filled()
        func result(
            _ type: NSPersistentHistoryResultType, _ change: (NSFetchRequest<any NSFetchRequestResult>) -> Void
        ) throws -> Any? {
            let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
            change(fetch)
            let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
            request.resultType = type
            return try self.result(library, request)
        }
        let backwards = { (fetch: NSFetchRequest<any NSFetchRequestResult>) in
            fetch.sortDescriptors = [NSSortDescriptor(key: "changeID", ascending: false)]
            fetch.fetchOffset = 1
            fetch.fetchLimit = 3
        }
        let shown = ["delete Book p1", "update Author p1", "insert Book p1"]
        #expect((try result(.changesOnly, backwards) as? [NSPersistentHistoryChange])?.map(self.shown) == shown)
        // FreeCoreData, testChangeEntityPredicateFiltersChanges.
        let changes = try #require(try result(.transactionsAndChanges, backwards) as? [NSPersistentHistoryChange])
        #expect(changes.map(self.shown) == shown && changes.map(\.transaction?.transactionNumber) == [2, 2, 1])
        let tags = { (fetch: NSFetchRequest<any NSFetchRequestResult>) in
            fetch.predicate = NSPredicate(format: "changedEntity == 'Tag'")
        }
        #expect(try result(.count, tags) as? Int == 1)
        let bare = try #require(try result(.transactionsOnly, tags) as? [NSPersistentHistoryTransaction])
        #expect(bare.map(\.transactionNumber) == [3] && bare[0].changes == nil)
        #expect((try result(.objectIDs, tags) as? [NSManagedObjectID])?.map(\.entity.name) == ["Tag"])
    }

    @Test func `a limit and an order hold for the transactions of all stores together`() throws {
        let library = try tracked()
        let second = try library.coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"),
            options: [NSPersistentHistoryTrackingKey: true])
        for (author, isSecond) in [("c", false), ("a", true), ("d", true), ("b", false)] {
            library.context.transactionAuthor = author
            let tag = library.insert("Tag")
            if isSecond { library.context.assign(tag, to: second) }
            try library.context.save()
        }
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.sortDescriptors = [NSSortDescriptor(key: "author", ascending: true)]
        fetch.fetchLimit = 3
        let found = try result(library, .fetchHistory(withFetch: fetch)) as? [NSPersistentHistoryTransaction]
        #expect(found?.map(\.author) == ["a", "b", "c"])
        #expect(found?.map { $0.changes?.count } == [1, 1, 1])
    }

    @Test func `a clock that was set back makes no hole in a history`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Library.sqlite")
        let library = try Library(
            at: url, model: LibraryModel.make(), options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
        for _ in 0..<4 {
            _ = library.insert("Tag")
            try library.context.save()
        }
        let file = try DatabaseQueue(path: url.path)
        try file.write { db in
            for (number, seconds) in [(1, 100.0), (2, 300), (3, 150), (4, 400)] {
                try db.execute(
                    sql: "UPDATE ATRANSACTION SET ZTIMESTAMP = ? WHERE Z_PK = ?", arguments: [seconds, number])
            }
        }
        try file.close()
        let request = NSPersistentHistoryChangeRequest.deleteHistory(
            before: Date(timeIntervalSinceReferenceDate: 200))
        request.resultType = .count
        #expect(try result(library, request) as? Int == 1)
        #expect(try transactions(library).map(\.transactionNumber) == [2, 3, 4])
    }

    // Divergence 79.
    @Test func `a history goes on in a store that is opened without asking for one`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Library.sqlite")
        func save(_ options: [String: Any]?) throws -> Library {
            let library = try Library(at: url, model: LibraryModel.make(), options: options)
            _ = library.insert("Tag")
            try library.context.save()
            return library
        }
        let options = [NSPersistentHistoryTrackingKey: NSNumber(value: true)]
        _ = try save(options)
        #expect(try save(nil).coordinator.persistentStores.map(\.isReadOnly) == [false])
        #expect(try transactions(save(options)).map(\.transactionNumber) == [1, 2, 3])
    }

    @Test func `history is deleted before a token or a date, and a token older than that has expired`() throws {
        let library = try filled()
        let all = try transactions(library)
        let request = NSPersistentHistoryChangeRequest.deleteHistory(before: all[2].token)
        request.resultType = .count
        #expect(try result(library, request) as? Int == 2)
        #expect(try transactions(library, after: all[1].token).map(\.transactionNumber) == [3])
        let error = #expect(throws: CocoaError.self) { try transactions(library, after: all[0].token) }
        #expect(error?.code == .persistentHistoryTokenExpired)
        #expect(try result(library, .deleteHistory(before: Date(timeIntervalSinceNow: 60))) as? Bool == true)
        #expect(try transactions(library).isEmpty)
        _ = library.insert("Tag")
        try library.context.save()
        #expect(try transactions(library, after: all[2].token).map(\.transactionNumber) == [4])
    }

    @Test func `a transaction's notification feeds mergeChanges`() throws {
        let library = try tracked()
        let author = library.insert("Author", ["name": "Ada"]), book = library.insert("Book")
        try library.context.save()
        let token = library.coordinator.currentPersistentHistoryToken(fromStores: nil)
        let other = library.newContext()
        try library.fetch("Author", in: other)[0].setValue("Bea", forKey: "name")
        other.delete(try library.fetch("Book", in: other)[0])
        try other.save()
        for transaction in try transactions(library, after: token) {
            library.context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
        }
        #expect(author.text("name") == "Bea")
        #expect(book.isDeleted)
    }

    @Test func `tokens archive with NSKeyedArchiver`() throws {
        let library = try filled()
        let token = try #require(library.coordinator.currentPersistentHistoryToken(fromStores: nil))
        let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        let read = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data))
        #expect(read == token && read.hash == token.hash)
        #expect(try transactions(library, after: read).isEmpty)
    }

    @Test func `a store without tracking has no history, and says so`() throws {
        for kind in StoreKind.allCases {
            let library = try Library(kind)
            let error = #expect(throws: CocoaError.self) { try transactions(library) }
            #expect(error?.code == .persistentStoreUnsupportedRequestType)
            #expect(library.coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
        }
    }

    @Test func `a store announces its changes when its options ask for it`() throws {
        let library = try tracked([NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
        let tokens = Mutex<[NSPersistentHistoryToken?]>([])
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: library.coordinator, queue: nil
        ) { note in
            let token = note.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
            tokens.withLock { $0.append(token) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        _ = library.insert("Tag")
        try library.context.save()
        try library.context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["label": "x"]]))
        let found = tokens.withLock { $0 }
        #expect(found.count == 2 && found.last == library.coordinator.currentPersistentHistoryToken(fromStores: nil))
    }
}
