// Batch updates: constants and expressions, for the rows as they were, in one statement.

import CoreData
import Synchronization
import Testing

@Suite struct BatchUpdateTests {
    private func filled(_ kind: StoreKind = .database) throws -> Library {
        let library = try Library(kind)
        let ada = library.insert("Author", ["name": "Ada", "rating": 2.5])
        for (index, title) in ["one", "two", "three"].enumerated() {
            let book = library.insert(
                title == "three" ? "Novel" : "Book",
                ["title": title, "pages": (index + 1) * 10, "price": NSDecimalNumber(string: "1.5")])
            if index > 0 { book.setValue(ada, forKey: "author") }
        }
        try library.context.save()
        return library
    }

    private func update(_ library: Library, _ properties: [AnyHashable: Any], _ format: String? = nil) throws {
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.propertiesToUpdate = properties
        request.predicate = format.map { NSPredicate(format: $0) }
        try library.context.execute(request)
    }

    private func values<T>(_ library: Library, _ key: String, as type: T.Type) throws -> [T?] {
        try library.fetch("Book", sortedBy: "objectID", in: library.newContext()).map { $0.value(forKey: key) as? T }
    }

    @Test func `constants are written to the rows that match`() throws {
        let library = try filled()
        try update(library, ["title": "new", "isLent": true], "pages >= 20")
        #expect(try values(library, "title", as: String.self) == ["one", "new", "new"])
        #expect(try values(library, "isLent", as: Bool.self) == [false, true, true])
        let price = try #require(
            library.coordinator.managedObjectModel.entitiesByName["Book"]?.attributesByName["price"])
        try update(library, [price: NSNull()])
        #expect(try values(library, "price", as: NSDecimalNumber.self) == [nil, nil, nil])
    }

    @Test func `every attribute type takes a constant`() throws {
        let library = try filled()
        let uuid = UUID(), link = try #require(URL(string: "https://example.org/a"))
        try update(
            library,
            [
                "uuid": uuid, "link": link, "cover": Data([1, 2]), "price": NSDecimalNumber(string: "2.25"),
                "notes": ["a"] as NSArray,
            ], "title == 'one'")
        let book = try library.fetch("Book", where: NSPredicate(format: "title == 'one'"), in: library.newContext())[0]
        #expect(book.value(forKey: "uuid") as? UUID == uuid)
        #expect(book.value(forKey: "link") as? URL == link)
        #expect(book.value(forKey: "cover") as? Data == Data([1, 2]))
        #expect(book.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "2.25"))
        #expect((book.value(forKey: "notes") as? NSArray)?.firstObject as? String == "a")
    }

    @Test func `expressions are computed from the rows as they were`() throws {
        let library = try filled()
        try update(
            library,
            [
                "pages": NSExpression(format: "pages * 2 + 1"), "title": NSExpression(format: "uppercase:(title)"),
                "isbn": NSExpression(forKeyPath: "title"),
            ])
        #expect(try values(library, "pages", as: Int.self) == [21, 41, 61])
        #expect(try values(library, "title", as: String.self) == ["ONE", "TWO", "THREE"])
        #expect(try values(library, "isbn", as: String.self) == ["one", "two", "three"])
    }

    @Test func `a truth value that is computed is one that predicates find`() throws {
        let library = try filled()
        try update(library, ["isLent": NSExpression(format: "pages - 10")])
        #expect(try values(library, "isLent", as: Bool.self) == [false, true, true])
        #expect(try library.fetch("Book", where: NSPredicate(format: "isLent == YES")).count == 2)
    }

    @Test func `expressions and predicates follow to-one relationships`() throws {
        let library = try filled()
        try update(
            library,
            ["title": NSExpression(forKeyPath: "author.name"), "pages": NSExpression(format: "author.rating * 2")],
            "author.rating > 2")
        #expect(try values(library, "title", as: String.self) == ["one", "Ada", "Ada"])
        #expect(try values(library, "pages", as: Int.self) == [10, 5, 5])
    }

    @Test func `sub-entities can be left out, and the result tells what was changed`() throws {
        let library = try filled()
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.propertiesToUpdate = ["title": "x"]
        request.includesSubentities = false
        request.resultType = .updatedObjectsCountResultType
        #expect((try library.context.execute(request) as? NSBatchUpdateResult)?.result as? Int == 2)
        request.includesSubentities = true
        request.resultType = .updatedObjectIDsResultType
        let ids = (try library.context.execute(request) as? NSBatchUpdateResult)?.result as? [NSManagedObjectID]
        #expect(try ids == library.fetch("Book", sortedBy: "objectID").map(\.objectID))
        #expect(ids?.last?.entity.name == "Novel")
        request.resultType = .statusOnlyResultType
        #expect((try library.context.execute(request) as? NSBatchUpdateResult)?.result as? Bool == true)
        #expect(request.entity.name == "Book")
    }

    @Test func `objects keep what they had read until the IDs are merged, and a later save conflicts`() throws {
        let library = try filled()
        let book = try library.fetch("Book", where: NSPredicate(format: "title == 'one'"))[0]
        #expect(book.value(forKey: "pages") as? Int == 10)
        try update(library, ["pages": 99])
        #expect(book.value(forKey: "pages") as? Int == 10)
        book.setValue("mine", forKey: "title")
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(error?.code == .managedObjectMerge)
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: [book.objectID.uriRepresentation()]], into: [library.context])
        #expect(book.value(forKey: "pages") as? Int == 99 && book.text("title") == "mine")
        try library.context.save()
    }

    @Test func `a merge of IDs posts one change notification and one of the merge`() throws {
        let library = try filled()
        let books = try library.fetch("Book")
        // A fault that nobody has read isn't announced.
        #expect(books.allSatisfy { $0.text("title") != nil && !$0.isFault })
        let posted = Mutex<[String]>([])
        let names: [Notification.Name] = [
            .NSManagedObjectContextObjectsDidChange, NSManagedObjectContext.didMergeChangesObjectIDsNotification,
        ]
        let tokens = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: library.context, queue: nil) { note in
                let refreshed = (note.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0
                let ids = (note.userInfo?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID>)?.count ?? 0
                posted.withLock { $0.append("\(refreshed) \(ids)") }
            }
        }
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectIDsKey: Set(books.map(\.objectID))], into: [library.context])
        #expect(posted.withLock { $0 } == ["3 0", "0 3"])
    }

    @Test func `what can't be updated is an error that names it, and nothing changes`() throws {
        let library = try filled()
        for (properties, word) in [
            (["nope": 1], "nope"), (["author": NSNull()], "author"), (["tags": NSNull()], "tags"),
            (["pages": "many"], "pages"), ([:], "propertiesToUpdate"),
            (["pages": NSExpression(forKeyPath: "title")], "title"),
            (["pages": NSExpression(forKeyPath: "nothing")], "nothing"),
        ] as [([AnyHashable: Any], String)] {
            let error = #expect(throws: CocoaError.self) { try update(library, properties) }
            #expect(error?.localizedDescription.contains(word) == true)
        }
        try update(library, ["isbn": "1"], "title == 'one'")
        let error = #expect(throws: CocoaError.self) { try update(library, ["isbn": "1", "title": "x"]) }
        #expect(error?.code == .managedObjectConstraintMerge)
        #expect(try values(library, "title", as: String.self) == ["one", "two", "three"])
    }

    @Test func `where one of several stores refuses, those that were changed before it announce it`() throws {
        let options: [String: Any] = [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true]
        let library = try Library(.database, options: options)
        let (type, url) = try StoreKind.database.newStore()
        let second = try library.coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url, options: options)
        let first = try #require(library.coordinator.persistentStores.first)
        let book = library.insert("Book", ["title": "one"])
        let others = ["two", "three"].map { library.insert("Book", ["title": $0]) }
        for other in others { library.context.assign(other, to: second) }
        try library.context.save()
        let changes = PostedNotifications(.NSPersistentStoreRemoteChange, from: library.coordinator)
        func announced() -> [String?] { changes.notifications.map { $0.userInfo?[NSStoreUUIDKey] as? String } }
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.propertiesToUpdate = ["isbn": "1"]
        let error = #expect(throws: CocoaError.self) { try library.context.execute(request) }
        #expect(error?.code == .managedObjectConstraintMerge)
        #expect(announced() == [first.identifier])

        library.context.refreshAllObjects()
        book.setValue("four", forKey: "title")
        others[0].setValue("five", forKey: "title")
        let context = library.newContext()
        try context.existingObject(with: others[0].objectID).setValue("six", forKey: "title")
        try context.save()
        #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(announced() == [first.identifier, second.identifier, first.identifier])
        #expect(
            try library.fetch("Book", sortedBy: "title", in: library.newContext()).map { $0.text("title") }
                == ["four", "six", "three"])
        // Nobody is asked where one can't be written.
        second.isReadOnly = true
        request.propertiesToUpdate = ["pages": 1]
        #expect(throws: CocoaError.self) { try library.context.execute(request) }
        #expect(announced().count == 3)
    }

    @Test func `a fetch request can be executed too`() throws {
        let library = try filled()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        let result = try library.context.execute(request) as? NSAsynchronousFetchResult<NSManagedObject>
        #expect(result?.finalResult?.count == 3)
    }
}
