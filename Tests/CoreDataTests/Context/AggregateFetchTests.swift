// Fetches of dictionaries with computed values, groups and conditions on groups.

import CoreData
import Testing

@Suite struct AggregateFetchTests {
    /// Ada: one (10 pages, 1.50), two (20, 2.25); Bea: three (30, nil); nobody: four (40, 0.25), lent.
    private func filled(_ kind: StoreKind) throws -> Library {
        let library = try Library(kind)
        let ada = library.insert("Author", ["name": "Ada"]), bea = library.insert("Author", ["name": "Bea"])
        for (index, title) in ["one", "two", "three", "four"].enumerated() {
            let book = library.insert(index == 2 ? "Novel" : "Book", ["title": title, "pages": (index + 1) * 10])
            book.setValue(["1.5", "2.25", nil, "0.25"][index].map { NSDecimalNumber(string: $0) }, forKey: "price")
            book.setValue([ada, ada, bea, nil][index], forKey: "author")
            book.setValue(index == 3, forKey: "isLent")
            for _ in 0..<index { library.insert("Chapter").setValue(book, forKey: "book") }
        }
        try library.context.save()
        return library
    }

    private func expression(
        _ name: String, _ format: String, _ type: NSAttributeType = .undefinedAttributeType
    ) -> NSExpressionDescription {
        expression(name, NSExpression(format: format), type)
    }

    private func expression(
        _ name: String, _ expression: NSExpression, _ type: NSAttributeType = .undefinedAttributeType
    ) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = expression
        description.expressionResultType = type
        return description
    }

    private func request(_ columns: [Any], groupedBy groups: [Any]? = nil) -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = columns
        request.propertiesToGroupBy = groups
        return request
    }

    @Test(arguments: StoreKind.allCases)
    func `an aggregate without grouping gives one row keyed by the expression description's name`(
        _ kind: StoreKind
    ) throws {
        let library = try filled(kind)
        let pages = NSExpression(forKeyPath: "pages")
        let columns = ["sum:", "min:", "max:", "average:", "count:"].map { name in
            expression(name, NSExpression(forFunction: name, arguments: [pages]))
        }
        let rows = try library.context.fetch(request(columns))
        #expect(rows == [["sum:": 100, "min:": 10, "max:": 40, "average:": 25, "count:": 4]])
        let none = request(columns)
        none.predicate = NSPredicate(value: false)
        #expect(try library.context.fetch(none) == [["sum:": 0, "count:": 0]])
    }

    @Test(arguments: StoreKind.allCases)
    func `results have the type that the description names, or that of the attribute`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let row = try #require(
            try library.context.fetch(
                request([
                    expression("total", "sum:(price)", .decimalAttributeType),
                    expression("least", "min:(price)"), expression("mean", "average:(price)", .doubleAttributeType),
                    expression("known", "count:(price)", .integer64AttributeType), expression("last", "max:(title)"),
                    expression("whole", "average:(pages)", .integer32AttributeType),
                ])
            ).first)
        #expect(row["total"] as? NSDecimalNumber == NSDecimalNumber(string: "4"))
        #expect(row["least"] as? NSDecimalNumber == NSDecimalNumber(string: "0.25"))
        #expect((row["mean"] as? Double).map { abs($0 - 4.0 / 3) < 1e-12 } == true)
        #expect(row["known"] as? Int == 3)
        #expect(row["last"] as? String == "two")
        #expect(row["whole"] as? Int == 25)
    }

    @Test(arguments: StoreKind.matching, [1e308, -1e308])
    func `a sum beyond all numbers is no decimal`(_ kind: StoreKind, _ rating: Double) throws {
        let library = try Library(kind)
        for _ in 0..<2 { _ = library.insert("Author", ["name": "Ada", "rating": rating]) }
        try library.context.save()
        let request = NSFetchRequest<NSDictionary>(entityName: "Author")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [expression("total", "sum:(rating)", .decimalAttributeType)]
        let rows = try library.context.fetch(request)
        #expect(rows.first?["total"] as? NSDecimalNumber == .notANumber)
    }

    @Test(arguments: StoreKind.allCases)
    func `a sum of infinite numbers of both signs is none`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        for rating in [Double.infinity, -Double.infinity, 1] {
            _ = library.insert("Author", ["name": "Ada", "rating": rating])
        }
        try library.context.save()
        let request = NSFetchRequest<NSDictionary>(entityName: "Author")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["sum:", "average:"].map { expression($0, "\($0)(rating)") }
        #expect(try library.context.fetch(request) == [[:]])
        for (format, count) in [("sum(rating) == nil", 3), ("sum(rating) == 0", 0)] {
            #expect(try library.fetch("Author", where: NSPredicate(format: format)).count == count, "\(format)")
        }
        request.predicate = NSPredicate(format: "rating > 0")
        #expect(try library.context.fetch(request) == [["sum:": Double.infinity, "average:": Double.infinity]])
    }

    @Test(arguments: StoreKind.allCases)
    func `grouped rows have what they are grouped by and functions of the group`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let rows = try library.context.fetch(
            request(
                ["author.name", expression("pages", "sum:(pages)"), expression("books", "count:(objectID)")],
                groupedBy: ["author.name"]))
        #expect(
            rows == [
                ["pages": 40, "books": 1], ["author.name": "Ada", "pages": 30, "books": 2],
                ["author.name": "Bea", "pages": 30, "books": 1],
            ])
    }

    @Test(arguments: StoreKind.allCases)
    func `groups are sorted by their columns and by computed values, then cut`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let grouped = request(["author.name", expression("total", "max:(pages)")], groupedBy: ["author.name"])
        grouped.sortDescriptors = [NSSortDescriptor(key: "total", ascending: false)]
        grouped.fetchLimit = 2
        #expect(try library.context.fetch(grouped).map { $0["total"] as? Int } == [40, 30])
        grouped.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: false)]
        grouped.fetchOffset = 1
        #expect(try library.context.fetch(grouped).map { $0["total"] as? Int } == [20, 40])
    }

    @Test(arguments: StoreKind.allCases)
    func `groups are sorted by an expression that has the name of an attribute`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let grouped = request(["author.name", expression("pages", "max:(pages)")], groupedBy: ["author.name"])
        grouped.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
        #expect(try library.context.fetch(grouped).map { $0["pages"] as? Int } == [40, 30, 20])
    }

    @Test(arguments: StoreKind.allCases)
    func `a having predicate chooses groups by functions, columns and names of expressions`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let grouped = request(["author.name", expression("books", "count:(title)")], groupedBy: ["author.name"])
        func names() throws -> [String?] { try library.context.fetch(grouped).map { $0["author.name"] as? String } }
        grouped.havingPredicate = NSPredicate(format: "count:(title) > 1")
        #expect(try names() == ["Ada"])
        grouped.havingPredicate = NSPredicate(format: "%@ == 1", NSExpression(forVariable: "books"))
        #expect(try names() == [nil, "Bea"])
        grouped.havingPredicate = NSPredicate(format: "author.name BEGINSWITH 'B' OR max:(pages) == 40")
        #expect(try names() == [nil, "Bea"])
        grouped.predicate = NSPredicate(format: "pages < 40")
        #expect(try names() == ["Bea"])
    }

    @Test(arguments: StoreKind.allCases)
    func `each row's own values are computed, its members counted`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let rows = request([
            "title", expression("chapters", NSExpression(forKeyPath: "chapters.@count")),
            expression("double", "pages * 2"), expression("author", "author.name"),
            expression("id", NSExpression.expressionForEvaluatedObject(), .objectIDAttributeType),
        ])
        rows.sortDescriptors = [NSSortDescriptor(key: "double", ascending: false)]
        let found = try library.context.fetch(rows)
        #expect(found.map { $0["chapters"] as? Int } == [3, 2, 1, 0])
        #expect(found.map { $0["author"] as? String } == [nil, "Bea", "Ada", "Ada"])
        let ids = try library.fetch("Book", sortedBy: "pages").map(\.objectID)
        #expect(found.map { $0["id"] as? NSManagedObjectID } == ids.reversed())
    }

    // FreeCoreData, testAggregatesAcrossARelationship.
    @Test(arguments: StoreKind.allCases)
    func `functions of a group's members are of those of all its rows`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        library.insert("Book", ["title": "five", "pages": 60]).setValue(
            library.insert("Author", ["name": "Ada"]), forKey: "author")
        _ = library.insert("Author", ["name": "Cid"])
        try library.context.save()
        let grouped = request(
            [
                "name", expression("books", "count:(books)"), expression("counted", "books.@count"),
                expression("pages", "sum:(books.pages)"), expression("twice", "books.@sum.pages * 2"),
                expression("last", "max:(books.title)"), expression("least", "books.@min.pages"),
                expression("mean", "average:(books.pages)"), expression("price", "books.@avg.price"),
                expression("chapters", "count:(books.chapters)"),
            ], groupedBy: ["name"])
        grouped.entity = library.coordinator.managedObjectModel.entitiesByName["Author"]
        #expect(
            try library.context.fetch(grouped) == [
                [
                    "name": "Ada", "books": 3, "counted": 3, "pages": 90, "twice": 180, "last": "two", "least": 10,
                    "mean": 30, "price": 1.875, "chapters": 1,
                ],
                [
                    "name": "Bea", "books": 1, "counted": 1, "pages": 30, "twice": 60, "last": "three", "least": 30,
                    "mean": 30, "chapters": 2,
                ],
                ["name": "Cid", "books": 0, "counted": 0, "pages": 0, "twice": 0, "chapters": 0],
            ])
        grouped.havingPredicate = NSPredicate(format: "count:(books) > 1 AND books.@max.pages == 60")
        #expect(try library.context.fetch(grouped).map { $0["name"] as? String } == ["Ada"])
    }

    @Test(arguments: StoreKind.allCases)
    func `groups can be of computed values, and aggregates part of larger expressions`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let length = expression("length", "length:(title)")
        let rows = try library.context.fetch(
            request([length, expression("spread", "max:(pages) - min:(pages)")], groupedBy: [length]))
        #expect(rows == [["length": 3, "spread": 10], ["length": 4, "spread": 0], ["length": 5, "spread": 0]])
    }

    @Test(arguments: StoreKind.allCases)
    func `returnsDistinctResults works on dictionary rows`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let distinct = request(["author.name", "isLent"])
        distinct.returnsDistinctResults = true
        #expect(
            try library.context.fetch(distinct)
                == [
                    ["isLent": true], ["author.name": "Ada", "isLent": false], ["author.name": "Bea", "isLent": false],
                ])
        distinct.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
        distinct.fetchLimit = 2
        #expect(try library.context.fetch(distinct) == [["isLent": true], ["author.name": "Bea", "isLent": false]])
    }

    @Test(arguments: StoreKind.allCases)
    func `without propertiesToFetch there is one key per attribute; a to-one relationship gives the object ID`(
        _ kind: StoreKind
    ) throws {
        let library = try filled(kind)
        let request = NSFetchRequest<NSDictionary>(entityName: "Author")
        request.resultType = .dictionaryResultType
        #expect(try library.context.fetch(request) == [["name": "Ada"], ["name": "Bea"]])
        let books = self.request(["author", "title"])
        books.predicate = NSPredicate(format: "title == 'three'")
        let bea = try library.fetch("Author", where: NSPredicate(format: "name == 'Bea'"))[0]
        #expect(try library.context.fetch(books) == [["author": bea.objectID, "title": "three"]])
    }

    @Test(arguments: StoreKind.allCases)
    func `dictionaries read the store only, never pending changes`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        for book in try library.fetch("Book") { book.setValue(1000, forKey: "pages") }
        #expect(try library.context.fetch(request([expression("sum", "sum:(pages)")])) == [["sum": 100]])
    }

    @Test(arguments: StoreKind.allCases)
    func `fetched columns must be grouped ones or aggregates`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let total = expression("total", "sum:(pages)")
        let wrong: [(NSFetchRequest<NSDictionary>, String)] = [
            (request(["title", total], groupedBy: ["author.name"]), "title"), (request(["title", total]), "title"),
            (request(["chapters"]), "chapters"), (request(["titel"]), "titel"),
            (request([expression("", "sum:(pages)")]), "name"), (request(["author.mood"]), "mood"),
        ]
        for (request, word) in wrong {
            let error = #expect(throws: CocoaError.self) { try library.context.fetch(request) }
            #expect(error?.localizedDescription.contains(word) == true)
        }
        let sorted = request(["author.name"], groupedBy: ["author.name"])
        sorted.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        #expect(throws: CocoaError.self) { try library.context.fetch(sorted) }
        let having = request(["title"])
        having.havingPredicate = NSPredicate(format: "title == 'one'")
        #expect(throws: CocoaError.self) { try library.context.fetch(having) }
    }

    // Cadmium, its tests of grouped dictionaries: "@sum.id" and "name.@count" as what to fetch of each group.
    @Test(arguments: StoreKind.allCases)
    func `an operator at an end of a key path computes something of a group's rows`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let columns = [
            expression("sum", "@sum.pages"), expression("last", "@max.title"), expression("count", "title.@count"),
            expression("all", NSExpression(forKeyPath: "@count")), expression("twice", "@sum.pages * 2"),
        ]
        #expect(
            try library.context.fetch(request(columns))
                == [["sum": 100, "last": "two", "count": 4, "all": 4, "twice": 200]])
        let grouped = request(["author.name", columns[0]], groupedBy: ["author.name"])
        grouped.havingPredicate = NSPredicate(format: "@sum.pages > 20")
        grouped.predicate = NSPredicate(format: "author != nil")
        grouped.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
        #expect(
            try library.context.fetch(grouped)
                == [["author.name": "Ada", "sum": 30], ["author.name": "Bea", "sum": 30]])
        // Of a relationship it is what it has always been: a number for each object.
        let chapters = request(["title", expression("chapters", "chapters.@count")])
        chapters.predicate = NSPredicate(format: "title == 'three'")
        #expect(try library.context.fetch(chapters) == [["title": "three", "chapters": 2]])
    }
}
