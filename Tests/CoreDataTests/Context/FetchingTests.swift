import CoreData
import Testing

@Suite struct FetchingTests {
    private func filled(_ kind: StoreKind) throws -> Library {
        let library = try Library(kind)
        for (index, title) in ["delta", "alpha", "charlie", "bravo"].enumerated() {
            _ = library.insert(index == 2 ? "Novel" : "Book", ["title": title, "pages": index * 10])
        }
        try library.context.save()
        return library
    }

    @Test(arguments: StoreKind.allCases)
    func `a fetch sees unsaved inserts, changes and deletions`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let books = try library.fetch("Book", sortedBy: "title")
        books[0].setValue("zulu", forKey: "title")
        library.context.delete(books[1])
        _ = library.insert("Book", ["title": "mike"])
        #expect(
            try library.fetch("Book", sortedBy: "title").map { $0.text("title") } == [
                "charlie", "delta", "mike", "zulu",
            ])
        let predicate = NSPredicate(format: "title BEGINSWITH 'z' OR title == 'alpha'")
        #expect(try library.fetch("Book", where: predicate).map { $0.text("title") } == ["zulu"])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        #expect(try library.context.count(for: request) == 4)
        request.includesPendingChanges = false
        #expect(try library.context.count(for: request) == 4)
        request.predicate = NSPredicate(format: "title == 'alpha'")
        #expect(try library.context.count(for: request) == 1)
    }

    // One goes and one comes: as many as the store has found, and not the same.
    @Test(arguments: StoreKind.allCases)
    func `a fetch by a value finds who has it now`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let books = try library.fetch("Book", sortedBy: "title")
        books[0].setValue("zulu", forKey: "title")
        books[1].setValue("alpha", forKey: "title")
        let isAlpha = NSPredicate(format: "title == 'alpha'")
        #expect(try library.fetch("Book", where: isAlpha) == [books[1]])
        library.context.delete(books[1])
        books[2].setValue("alpha", forKey: "title")
        #expect(try library.fetch("Book", where: isAlpha) == [books[2]])
        books[2].setValue("x-ray", forKey: "title")
        #expect(try library.fetch("Book", where: isAlpha).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `limit and offset count what there is with unsaved changes`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let books = try library.fetch("Book", sortedBy: "title")
        books[0].setValue("zulu", forKey: "title")
        library.context.delete(books[1])
        _ = library.insert("Book", ["title": "mike"])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        request.fetchLimit = 2
        #expect(try library.context.fetch(request).map { $0.text("title") } == ["charlie", "delta"])
        request.fetchOffset = 1
        #expect(try library.context.fetch(request).map { $0.text("title") } == ["delta", "mike"])
        request.fetchOffset = 3
        #expect(try library.context.fetch(request).map { $0.text("title") } == ["zulu"])
        request.fetchLimit = .max
        #expect(try library.context.fetch(request).count == 1)
        request.fetchOffset = .max
        #expect(try library.context.fetch(request).isEmpty)
        request.fetchOffset = -1
        #expect(try library.context.fetch(request).count == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func `limit, offset and sub-entities are respected`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        request.fetchLimit = 2
        request.fetchOffset = 1
        #expect(try library.context.fetch(request).map { $0.text("title") } == ["charlie", "bravo"])
        request.includesSubentities = false
        request.fetchOffset = 0
        #expect(try library.context.fetch(request).map { $0.text("title") } == ["delta", "bravo"])
        #expect(try library.fetch("Novel").map { $0.text("title") } == ["charlie"])
        #expect(try library.fetch("Novel")[0].entity.name == "Novel")
    }

    @Test(arguments: StoreKind.allCases)
    func `IDs, counts and dictionaries are result types`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        ids.resultType = .managedObjectIDResultType
        ids.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        #expect(
            try library.context.fetch(ids).map { library.context.object(with: $0).text("title") }
                == ["alpha", "bravo", "charlie", "delta"])
        let count = NSFetchRequest<NSNumber>(entityName: "Book")
        count.resultType = .countResultType
        #expect(try library.context.fetch(count) == [4])
        let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
        rows.resultType = .dictionaryResultType
        rows.propertiesToFetch = ["title", "pages"]
        rows.predicate = NSPredicate(format: "pages >= %d", 30)
        #expect(try library.context.fetch(rows) == [["title": "bravo", "pages": 30]])
    }

    @Test(arguments: StoreKind.allCases)
    func `one ID is one object, and fetched objects are faults until they are used`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let context = library.newContext()
        let book = try library.fetch("Novel", in: context)[0]
        #expect(try library.fetch("Book", where: NSPredicate(format: "title == 'charlie'"), in: context)[0] === book)
        #expect(book.isFault)
        #expect(book.text("title") == "charlie")
        #expect(!book.isFault)
        context.refresh(book, mergeChanges: false)
        #expect(book.isFault && book.text("title") == "charlie")
    }

    @Test(arguments: StoreKind.allCases)
    func `an unknown entity or a missing object is an error`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        #expect(throws: CocoaError.self) { try library.fetch("Boook") }
        let book = try library.fetch("Book")[0]
        let id = book.objectID
        library.context.delete(book)
        try library.context.save()
        let error = #expect(throws: CocoaError.self) { try library.newContext().existingObject(with: id) }
        #expect(error?.code == .managedObjectReferentialIntegrity)
        let fault = library.newContext().object(with: id)
        #expect(fault.isFault)
    }

    @Test func `a refresh with merge keeps unsaved changes over newly read values`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada", "rating": 1.0])
        try library.context.save()
        let other = library.newContext()
        try library.fetch("Author", in: other)[0].setValuesForKeys(["name": "Bea", "rating": 2.0])
        try other.save()
        author.setValue("Cora", forKey: "name")
        library.context.refresh(author, mergeChanges: true)
        #expect(author.text("name") == "Cora")
        #expect(author.value(forKey: "rating") as? Double == 2)
        try library.context.save()
    }

    @Test func `what another context saved is merged`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"]), book = library.insert("Book", ["title": "t"])
        try library.context.save()
        let other = library.newContext()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { [context = library.context] in context.mergeChanges(fromContextDidSave: $0) }
        defer { NotificationCenter.default.removeObserver(token) }
        try library.fetch("Author", in: other)[0].setValue("Bea", forKey: "name")
        other.delete(try library.fetch("Book", in: other)[0])
        try other.save()
        #expect(author.text("name") == "Bea")
        #expect(book.isDeleted)
    }

    @Test func `a context that merges automatically follows the others`() async throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        library.context.automaticallyMergesChangesFromParent = true
        let other = library.newContext()
        try library.fetch("Author", in: other)[0].setValue("Bea", forKey: "name")
        try other.save()
        await library.context.perform {}
        #expect(author.text("name") == "Bea")
    }

    @Test func `a context lets go of unchanged objects that nobody holds`() throws {
        let library = try filled(.inMemory)
        let context = library.newContext()
        _ = try library.fetch("Book", in: context)
        #expect(context.registeredObjects.isEmpty)
        let held = try library.fetch("Book", in: context)
        #expect(context.registeredObjects.count == held.count)
    }

    @Test func `perform runs on the context's queue and hands back a value`() async throws {
        let library = try filled(.inMemory)
        let container = library.newContext()
        let titles = try await container.perform {
            try container.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).compactMap { $0.text("title") }
        }
        #expect(titles.sorted() == ["alpha", "bravo", "charlie", "delta"])
        #expect(container.performAndWait { container.performAndWait { 3 } } == 3)
    }
}
