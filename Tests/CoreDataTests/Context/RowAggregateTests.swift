// Functions of all rows in the predicates of requests: `pages == max(pages)` finds the longest book.

import CoreData
import Testing

@Suite struct RowAggregateTests {
    /// a (10 pages, Ada), b (20 pages, Bea, lent), c (30 pages, Ada, a novel), d (30 pages, nobody).
    private func filled(_ kind: StoreKind) throws -> Library {
        let library = try Library(kind)
        let ada = library.insert("Author", ["name": "Ada", "born": Date(timeIntervalSinceReferenceDate: 1)])
        let bea = library.insert("Author", ["name": "Bea", "born": Date(timeIntervalSinceReferenceDate: 2)])
        for (index, title) in ["a", "b", "c", "d"].enumerated() {
            let book = library.insert(
                title == "c" ? "Novel" : "Book", ["title": title, "pages": [10, 20, 30, 30][index]])
            book.setValue([ada, bea, ada, nil][index], forKey: "author")
            book.setValue(title == "b", forKey: "isLent")
        }
        try library.context.save()
        return library
    }

    private func titles(
        _ format: String, in context: NSManagedObjectContext,
        _ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
    ) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format)
        change(request)
        let titles = try context.fetch(request).map { $0.text("title") ?? "" }.sorted()
        #expect(try context.count(for: request) == titles.count, "\(format)")
        return titles
    }

    @Test(arguments: StoreKind.allCases)
    func `a function of one path in a request's predicate is one of all rows`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        for context in [library.newContext(), library.newChild()] {
            for (format, expected) in [
                ("pages == max(pages)", ["c", "d"]), ("min:(pages) == pages", ["a"]),
                ("pages > average(pages)", ["c", "d"]), ("pages * 9 == sum:(pages)", ["a"]),
                ("pages == max(pages) OR pages == min(pages)", ["a", "c", "d"]),
                ("isLent == YES AND pages == max(pages)", []), ("isLent == YES AND pages < max(pages) - 5", ["b"]),
                ("title == max(title)", ["d"]), ("author.born == min(author.born)", ["a", "c"]),
                ("pages == count:(author) * 10", ["c", "d"]), ("pages IN {min(pages), 20}", ["a", "b"]),
            ] {
                #expect(try titles(format, in: context) == expected, "\(format)")
            }
            #expect(try titles("pages == max(pages)", in: context) { $0.includesSubentities = false } == ["d"])
            // One of several arguments is of these, and not in PostgreSQL.
            if kind != .postgreSQL { #expect(try titles("max(pages, 25) == 25", in: context) == ["a", "b"]) }
        }
        #expect(throws: CocoaError.self) { try titles("pages == max(nothing)", in: library.context) }
    }

    @Test(arguments: StoreKind.allCases)
    func `unsaved objects are among all rows where a request includes them`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        _ = library.insert("Book", ["title": "new", "pages": 50])
        try #require(try library.fetch("Book", where: NSPredicate(format: "title == 'd'")).first).setValue(
            60, forKey: "pages")
        library.context.delete(
            try #require(try library.fetch("Book", where: NSPredicate(format: "title == 'a'")).first))
        for context in [library.context, library.newChild()] {
            #expect(try titles("pages == max(pages)", in: context) == ["d"])
            #expect(try titles("title == 'new' AND pages > min(pages)", in: context) == ["new"])
            #expect(try titles("pages == min(pages)", in: context) == ["b"])
        }
        let stored = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        stored.predicate = NSPredicate(format: "pages == min(pages)")
        stored.includesPendingChanges = false
        stored.resultType = .managedObjectIDResultType
        #expect(try library.context.fetch(stored).count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `rows of dictionaries are chosen by a function of all rows, in several stores, too`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        func longest() throws -> Set<String> {
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["title"]
            request.predicate = NSPredicate(format: "pages == max(pages)")
            return Set(try library.context.fetch(request).compactMap { $0["title"] as? String })
        }
        #expect(try longest() == ["c", "d"])
        let (type, url) = try kind.newStore()
        let second = try library.coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url, options: nil)
        library.context.assign(library.insert("Book", ["title": "e", "pages": 40]), to: second)
        try library.context.save()
        #expect(try longest() == ["e"])
        #expect(try titles("pages == max(pages)", in: library.newContext()) == ["e"])
    }

    @Test func `batches change what a function of all rows chooses, and nothing else`() throws {
        let library = try filled(.database)
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.predicate = NSPredicate(format: "pages == min(pages)")
        update.propertiesToUpdate = ["pages": 40]
        try library.context.execute(update)
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        fetch.predicate = NSPredicate(format: "pages == max(pages)")
        try library.context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        #expect(try titles("TRUEPREDICATE", in: library.newContext()) == ["b", "c", "d"])
    }

    @Test func `a predicate that is evaluated by itself knows one object alone`() throws {
        let library = try filled(.inMemory)
        let predicate = NSPredicate(format: "pages == max(pages)")
        #expect(try library.fetch("Book").allSatisfy { predicate.evaluate(with: $0) })
    }
}
