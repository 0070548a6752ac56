import CoreData
import Testing

@Suite struct FetchingSemanticsTests {
    /// Authors with the ratings 1 to 5, saved.
    private func rated(_ kind: StoreKind) throws -> Library {
        let library = try Library(kind)
        for rating in 1...5 { _ = library.insert("Author", ["name": "A\(rating)", "rating": Double(rating)]) }
        try library.context.save()
        return library
    }

    @Test func `[F] a new request's defaults`() {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        #expect(request.fetchLimit == 0 && request.fetchOffset == 0 && request.fetchBatchSize == 0)
        #expect(request.resultType == .managedObjectResultType && request.returnsObjectsAsFaults)
        #expect(request.includesSubentities && request.includesPendingChanges && request.includesPropertyValues)
        #expect(!request.returnsDistinctResults && !request.shouldRefreshRefetchedObjects)
        #expect(request.predicate == nil && request.sortDescriptors == nil && request.propertiesToFetch == nil)
    }

    @Test func `[F] a request made by name has it alone; the entity is there after execution`() throws {
        let library = try rated(.inMemory)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        #expect(request.entityName == "Author")
        _ = try library.context.fetch(request)
        #expect(request.entity?.name == "Author")
    }

    @Test(arguments: StoreKind.allCases)
    func `[F] pending changes: deleted drop out, updated match by current values, inserted are added`(
        _ kind: StoreKind
    ) throws {
        let library = try rated(kind)
        let authors = try library.fetch("Author", sortedBy: "rating")
        library.context.delete(authors[4])
        authors[0].setValue(9.0, forKey: "rating")
        let new = library.insert("Author", ["name": "new", "rating": 7.0])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: "rating > 3")
        request.sortDescriptors = [NSSortDescriptor(key: "rating", ascending: true)]
        #expect(try library.context.fetch(request) == [authors[3], new, authors[0]])
        #expect(try library.context.count(for: request) == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `[F] without pending changes membership is the store's, but values are the unsaved ones`(_ kind: StoreKind)
        throws
    {
        let library = try rated(kind)
        let authors = try library.fetch("Author", sortedBy: "rating")
        authors[4].setValue(0.0, forKey: "rating")
        _ = library.insert("Author", ["name": "new", "rating": 7.0])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: "rating >= 5")
        request.includesPendingChanges = false
        let found = try library.context.fetch(request)
        #expect(found == [authors[4]] && found[0].value(forKey: "rating") as? Double == 0)
        #expect(try library.context.count(for: request) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `[A][F] limit and offset cut what the store has, then pending changes are folded in`(_ kind: StoreKind) throws
    {
        let library = try rated(kind)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "rating", ascending: true)]
        request.fetchLimit = 2
        request.fetchOffset = 1
        #expect(try library.context.fetch(request).compactMap { $0.text("name") } == ["A2", "A3"])
        _ = library.insert("Author", ["name": "new", "rating": 2.5])
        #expect(try library.context.fetch(request).compactMap { $0.text("name") } == ["A2", "new"])
    }

    @Test(arguments: StoreKind.allCases)
    func `[F] IDs are temporary for pending inserts, a count is one NSNumber`(_ kind: StoreKind) throws {
        let library = try rated(kind)
        let new = library.insert("Author", ["name": "new"])
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Author")
        ids.resultType = .managedObjectIDResultType
        let found = try library.context.fetch(ids)
        #expect(found.count == 6 && found.filter(\.isTemporaryID) == [new.objectID])
        let count = NSFetchRequest<NSNumber>(entityName: "Author")
        count.resultType = .countResultType
        #expect(try library.context.fetch(count) == [6])
    }

    @Test(arguments: StoreKind.allCases)
    func `[A][F] dictionaries read the store only; one key per attribute, an object ID for a to-one`(_ kind: StoreKind)
        throws
    {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"])
        let book = library.insert("Book", ["title": "a", "author": author])
        try library.context.save()
        book.setValue("changed", forKey: "title")
        _ = library.insert("Book", ["title": "new"])
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        var rows = try library.context.fetch(request)
        #expect(rows.count == 1 && rows[0]["title"] as? String == "a" && rows[0]["pages"] as? Int == 7)
        #expect(rows[0]["author"] == nil && rows[0]["tags"] == nil)
        request.propertiesToFetch = ["title", "author", "author.name"]
        rows = try library.context.fetch(request)
        #expect(rows[0]["author"] as? NSManagedObjectID == author.objectID)
        #expect(rows[0]["author.name"] as? String == "Ada" && rows[0].count == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `[F] an aggregate without grouping is one row keyed by the description's name`(_ kind: StoreKind) throws {
        let library = try rated(kind)
        let request = NSFetchRequest<NSDictionary>(entityName: "Author")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["sum:", "max:", "min:", "average:", "count:"].map { function in
            let description = NSExpressionDescription()
            description.name = function
            description.expression = NSExpression(
                forFunction: function, arguments: [NSExpression(forKeyPath: "rating")])
            description.expressionResultType = .doubleAttributeType
            return description
        }
        let rows = try library.context.fetch(request)
        #expect(rows.count == 1)
        #expect(rows[0]["sum:"] as? Double == 15 && rows[0]["max:"] as? Double == 5)
        #expect(rows[0]["min:"] as? Double == 1 && rows[0]["average:"] as? Double == 3)
        #expect(rows[0]["count:"] as? Double == 5)
    }

    @Test(arguments: StoreKind.allCases)
    func `[A] grouped rows have what they are grouped by and aggregates`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        for (title, pages) in [("a", 1), ("b", 2), ("a", 3)] {
            _ = library.insert("Book", ["title": title, "pages": pages])
        }
        try library.context.save()
        let sum = NSExpressionDescription()
        sum.name = "sum"
        sum.expression = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "pages")])
        sum.expressionResultType = .integer64AttributeType
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["title", sum]
        request.propertiesToGroupBy = ["title"]
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        #expect(try library.context.fetch(request) == [["title": "a", "sum": 4], ["title": "b", "sum": 2]])
    }

    @Test(arguments: StoreKind.allCases)
    func `[F] returnsDistinctResults works on dictionary rows`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        for title in ["a", "b", "a"] { _ = library.insert("Book", ["title": title]) }
        try library.context.save()
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["title"]
        request.returnsDistinctResults = true
        #expect(Set(try library.context.fetch(request).compactMap { $0["title"] as? String }) == ["a", "b"])
        #expect(try library.context.fetch(request).count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `nil sorts first when ascending, also through a to-one relationship`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let ada = library.insert("Author", ["name": "Ada"]), bea = library.insert("Author", ["name": "Bea"])
        _ = library.insert("Book", ["title": "of Bea", "author": bea])
        _ = library.insert("Book", ["title": "of nobody"])
        _ = library.insert("Book", ["title": "of Ada", "author": ada])
        try library.context.save()
        let books = try library.fetch("Book", sortedBy: "author.name", in: library.newContext())
        #expect(books.compactMap { $0.text("title") } == ["of nobody", "of Ada", "of Bea"])
    }

    @Test func `returnsObjectsAsFaults off realises the rows`() throws {
        let library = try rated(.sqlite)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.returnsObjectsAsFaults = false
        #expect(try library.newContext().fetch(request).allSatisfy { !$0.isFault })
        request.returnsObjectsAsFaults = true
        let context = library.newContext()
        #expect(try context.fetch(request).allSatisfy(\.isFault))
    }

    // MARK: Predicates

    struct Question: CustomTestStringConvertible {
        let text: String, predicate: NSPredicate, names: [String]
        var testDescription: String { text }
    }

    // Books a (1 page, tags x and y), b (2 pages, tag y), c (3 pages, no tags).
    @Test(arguments: StoreKind.allCases)
    func `[M] BETWEEN is inclusive, ANY is at least one, ALL is every one, SELF and objectID are the object`(
        _ kind: StoreKind
    ) throws {
        let library = try Library(kind)
        let x = library.insert("Tag", ["label": "x"]), y = library.insert("Tag", ["label": "y"])
        let books = zip(["a", "b", "c"], [[x, y], [y], []]).enumerated().map { index, book in
            let object = library.insert("Book", ["title": book.0, "pages": index + 1])
            object.setValue(NSSet(array: book.1), forKey: "tags")
            return object
        }
        try library.context.save()
        let questions = [
            Question(text: "BETWEEN", predicate: NSPredicate(format: "pages BETWEEN {2, 3}"), names: ["b", "c"]),
            Question(
                text: "BETWEEN array", predicate: NSPredicate(format: "pages BETWEEN %@", [1, 2]), names: ["a", "b"]),
            Question(text: "ANY", predicate: NSPredicate(format: "ANY tags.label == 'x'"), names: ["a"]),
            Question(
                text: "ALL", predicate: NSPredicate(format: "ALL tags.label == 'y' AND tags.@count > 0"),
                names: ["b"]),
            Question(text: "SELF", predicate: NSPredicate(format: "SELF == %@", books[1]), names: ["b"]),
            Question(
                text: "SELF IN", predicate: NSPredicate(format: "SELF IN %@", [books[0], books[2]]),
                names: ["a", "c"]),
            Question(
                text: "objectID", predicate: NSPredicate(format: "objectID == %@", books[2].objectID), names: ["c"]),
            Question(text: "SELF by ID", predicate: NSPredicate(format: "self == %@", books[0].objectID), names: ["a"]),
        ]
        for question in questions {
            let found = try library.fetch("Book", sortedBy: "title", where: question.predicate)
            #expect(found.compactMap { $0.text("title") } == question.names, "\(question.text) in the store")
            let evaluated = books.filter { question.predicate.evaluate(with: $0) }
            #expect(evaluated.compactMap { $0.text("title") } == question.names, "\(question.text) in memory")
        }
    }
}
