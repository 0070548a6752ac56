// What the stores have to agree about beyond random predicates: arguments that are data, keys that there aren't, odd values,
// several stores.

import Testing

@testable import CoreData

@Suite struct PredicateAgreementTests {
    /// The titles that a fetch finds in a store of each kind, of the same books; all have to find the same.
    private func titles(
        _ books: [[String: Any]], _ format: String, _ arguments: [Any] = [], in kinds: [StoreKind] = StoreKind.allCases
    ) throws -> [String] {
        let found = try kinds.map { kind in
            let library = try Library(kind)
            for book in books { _ = library.insert("Book", book) }
            try library.context.save()
            let predicate = NSPredicate(format: format, argumentArray: arguments)
            return try library.fetch("Book", where: predicate, in: library.newContext()).map { $0.text("title") ?? "" }
        }
        return try one(of: found, "\(format)")
    }

    private func one(of found: [[String]], _ format: String) throws -> [String] {
        let first = try #require(found.first)
        for other in found { #expect(other == first, "\(format)") }
        return first
    }

    // Divergence 53.
    @Test func `a whole number that is an argument is equal to its text, whichever store is asked`() throws {
        let books: [[String: Any]] = [["title": "304", "pages": 5], ["title": "0304", "pages": 304]]
        for format in ["title == %d", "%d == title", "title == %@", "title IN {%@, 5}", "title IN {%@, pages}"] {
            #expect(try titles(books, format, [304]) == ["304"], "\(format)")
        }
        for format in ["title IN %@", "title IN[c] %@", "%@ CONTAINS title"] {
            #expect(try titles(books, format, [[304, 5]]) == ["304"], "\(format)")
        }
        for format in [
            "title == 300 + 4", "title IN {300 + 4, pages}", "{304, pages} CONTAINS title", "ANY {304, pages} == title",
        ] {
            #expect(try titles(books, format) == ["304"], "\(format)")
        }
        #expect(try titles(books, "{pages, 4} CONTAINS title") == [])
        #expect(try titles(books, "title != %d", [304]) == ["0304"])
        #expect(try titles(books, "pages == %@", ["304"]) == ["0304"])
        #expect(try titles(books, "pages IN %@", [["304", "0304"]]) == ["0304"])
        #expect(try titles(books, "ANY tags.label == %d OR title == %@", [1, "304"]) == ["304"])
        for format in ["title == pages", "title == 304.0", "title > 0"] {
            #expect(try titles(books, format, []) == [], "\(format)")
        }
        #expect(try titles(books, "title IN %@", [[304.0, 5.0]]) == [])
        let priced: [[String: Any]] = [
            ["title": "a", "price": NSDecimalNumber(value: 304)],
            ["title": "b", "price": NSDecimalNumber(string: "304.5")],
        ]
        for format in ["price == %@", "%@ == price"] {
            #expect(try titles(priced, format, ["304"]) == ["a"], "\(format)")
        }
        for format in ["price IN %@", "price IN[c] %@", "%@ CONTAINS price"] {
            #expect(try titles(priced, format, [["304", "304.5"]]) == ["a"], "\(format)")
        }
        #expect(try titles(priced, "price != %@", ["304"]) == ["b"])
        let grouped = try StoreKind.allCases.map { kind in
            let library = try Library(kind)
            for book in books { _ = library.insert("Book", book) }
            try library.context.save()
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["title"]
            request.propertiesToGroupBy = ["title"]
            request.havingPredicate = NSPredicate(format: "title == 304")
            return try library.context.fetch(request).compactMap { $0["title"] as? String }
        }
        #expect(try one(of: grouped, "having") == ["304"])
    }

    @Test func `what is no number or date is no value, in whichever store`() throws {
        let books: [[String: Any]] = [
            ["title": "1", "price": NSDecimalNumber(value: 1)],
            ["title": "none", "price": NSDecimalNumber.notANumber], ["title": "nil"],
        ]
        #expect(try titles(books, "price == nil") == ["none", "nil"])
        #expect(try titles(books, "price > 0 OR price < 0") == ["1"])
        #expect(try titles(books, "price == %@", [NSDecimalNumber.notANumber]) == ["none", "nil"])
        for kind in StoreKind.allCases {
            let library = try Library(kind)
            for (name, value) in [("a", 1), ("b", Double.nan), ("c", -1)] {
                let born = Date(timeIntervalSinceReferenceDate: value)
                _ = library.insert("Author", ["name": name, "rating": value, "born": born])
            }
            try library.context.save()
            for key in ["rating", "born"] {
                let sorted = try library.fetch("Author", sortedBy: key, in: library.newContext())
                #expect(sorted.map { $0.text("name") } == ["b", "c", "a"], "\(kind) \(key)")
                let found = try library.fetch("Author", where: NSPredicate(format: "%K == nil", key))
                #expect(found.map { $0.text("name") } == ["b"], "\(kind) \(key)")
            }
        }
    }

    // PostgreSQL clears such a link.
    @Test(arguments: StoreKind.matching)
    func `a link to an object that is gone is not nil, and leads to nothing`(_ kind: StoreKind) throws {
        let book = TestModel.entity("Book", [TestModel.attribute("title", .stringAttributeType)])
        let reader = TestModel.entity("Reader", [])
        TestModel.relate(reader, "favourite", .one, book)
        let library = try Library(kind, model: TestModel.model([book, reader]))
        let emma = library.insert("Book", ["title": "Emma"])
        _ = library.insert("Reader", ["favourite": emma])
        try library.context.save()
        library.context.delete(emma)
        try library.context.save()
        for (format, count) in [("favourite == nil", 0), ("favourite != nil", 1), ("favourite.title == nil", 1)] {
            let found = try library.fetch("Reader", where: NSPredicate(format: format), in: library.newContext())
            #expect(found.count == count, "\(format)")
        }
    }

    // MARK: Arguments

    @Test func `a pattern that is an argument and no regular expression fits nothing`() throws {
        let books = [["title": "("], ["title": "a"]]
        for format in ["title MATCHES %@", "title MATCHES (%@)", "NOT title MATCHES[c] %@"] {
            let all = format.hasPrefix("NOT") ? ["(", "a"] : []
            #expect(try titles(books, format, ["("], in: StoreKind.matching) == all)
        }
        #expect(try titles(books, "title MATCHES %@", ["[a-z]"], in: StoreKind.matching) == ["a"])
    }

    @Test func `an argument that can't be converted is equal to nothing, nothing itself included`() throws {
        let library = try StoreKind.allCases.map { try Library($0) }
        for library in library {
            _ = library.insert("Author", ["name": "born", "born": Date(timeIntervalSinceReferenceDate: 0)])
            _ = library.insert("Author", ["name": "unborn"])
            try library.context.save()
        }
        func names(_ format: String, _ arguments: Any...) throws -> [String] {
            let predicate = NSPredicate(format: format, argumentArray: arguments)
            let found = try library.map {
                try $0.fetch("Author", sortedBy: "name", where: predicate).map { $0.text("name") ?? "" }
            }
            return try one(of: found, format)
        }
        for format in [
            "born == CAST(%@, 'NSDate')", "born < CAST(%@, 'NSDate')", "born >= CAST(%@, 'NSDate')",
            "born IN {CAST(%@, 'NSDate')}", "CAST(%@, 'NSDate') == nil",
        ] {
            #expect(try names(format, "no date") == [], "\(format)")
        }
        #expect(try names("born != CAST(%@, 'NSDate')", "no date") == ["born", "unborn"])
        #expect(try names("born == CAST(%@, 'NSDate')", "2001-01-01") == ["born"])
        #expect(try names("born == CAST(%@, 'NSDate')", NSNull()) == ["unborn"])
        #expect("\(NSPredicate(format: "born == CAST(%@, 'NSDate')", "no date"))".contains("no date"))
    }

    @Test(arguments: ["1e999", "-1e999", "1e300", "252423993600", "-63114076801"])
    func `a date without a text of its own has none`(_ seconds: String) throws {
        // In a literal that is a mistake, and no end of the program.
        #expect(throws: PredicateError.self) {
            try NSPredicate.parsing("title == CAST(CAST(\(seconds), 'NSDate'), 'NSString')")
        }
        for kind in StoreKind.matching {
            let library = try Library(kind)
            _ = library.insert(
                "Author", ["name": "a", "born": Date(timeIntervalSinceReferenceDate: Double(seconds) ?? 0)])
            try library.context.save()
            let found = try library.fetch(
                "Author", where: NSPredicate(format: "CAST(born, 'NSString') == nil"), in: library.newContext())
            #expect(found.count == 1)
        }
        #expect(
            try NSExpression.parsing("CAST(CAST(252423993599, 'NSDate'), 'NSString')").constantValue as? String
                == "9999-12-31T23:59:59Z")
    }

    // MARK: Values

    @Test func `texts with U+0000 are whole for every function`() throws {
        let books = [["title": "a\0b"], ["title": "a"], ["title": "A\0C"]]
        for (format, expected) in [
            ("length:(title) == 3", ["a\0b", "A\0C"]), ("uppercase:(title) == %@", ["a\0b"]),
            ("title ==[c] %@", ["a\0b"]), ("title ENDSWITH %@", ["a\0b"]), ("title LIKE 'a?b'", ["a\0b"]),
            ("title MATCHES 'a.b'", ["a\0b"]), ("title CONTAINS[c] %@", ["a\0b"]), ("title == %@", []),
            ("title CONTAINS %@", []),
        ] {
            let argument = format.contains("ENDSWITH") ? "\0b" : "A\0B"
            #expect(try titles(books, format, [argument], in: StoreKind.matching) == expected, "\(format)")
        }
        // As values of dictionaries, too.
        for kind in StoreKind.matching {
            let library = try Library(kind)
            _ = library.insert("Book", ["title": "a\0b"])
            try library.context.save()
            let loud = NSExpressionDescription()
            loud.name = "loud"
            loud.expression = NSExpression(format: "uppercase:(title)")
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [loud]
            #expect(try library.context.fetch(request).map { $0["loud"] as? String } == ["A\0B"])
        }
    }

    @Test func `empty bytes are found in a long list`() throws {
        let covers = [Data()] + (1...100).map { Data([UInt8($0)]) }
        let books: [[String: Any]] = [["title": "empty", "cover": Data()], ["title": "none"]]
        #expect(try titles(books, "cover IN %@", [covers]) == ["empty"])
    }

    @Test func `whole decimals that no double holds are computed exactly in both stores`() throws {
        let price = NSDecimalNumber(string: "9007199254740993")
        let books: [[String: Any]] = [
            ["title": "dear", "price": price], ["title": "cheap", "price": NSDecimalNumber(value: 7)],
        ]
        for (format, expected) in [
            ("price + 1 == 9007199254740994", ["dear"]), ("price - 9007199254740992 == 1", ["dear"]),
            ("price / 2 == 3.5", ["cheap"]), ("price * 1 == 9007199254740993", ["dear"]),
            ("sum:(price, 0) == 9007199254740993", ["dear"]), ("abs:(price) == 9007199254740993", ["dear"]),
        ] {
            #expect(try titles(books, format, in: StoreKind.matching) == expected, "\(format)")
        }
        for kind in StoreKind.matching {
            let library = try Library(kind)
            let author = library.insert("Author", ["name": "a"])
            for _ in 0..<2 { _ = library.insert("Book", ["price": price, "author": author]) }
            try library.context.save()
            #expect(
                try library.fetch(
                    "Author", where: NSPredicate(format: "books.@sum.price == 18014398509481986"),
                    in: library.newContext()
                ).count == 1)
        }
    }

    @Test func `a path is counted in all rows, and values beside each other are counted in each`() throws {
        let books = [["title": "a", "isbn": "1"], ["title": "b"]]
        #expect(try titles(books, "count:(isbn) == 1") == ["a", "b"])
        #expect(try titles(books, "count:(author) == 0") == ["a", "b"])
        #expect(try titles(books, "count:(isbn, nil) == 2") == ["a", "b"])
    }

    @Test func `a negation of several is that of the first`() throws {
        let books = [["title": "a", "isbn": "1"], ["title": "a", "isbn": "2"], ["title": "b", "isbn": "3"]]
        let negation = NSCompoundPredicate(
            type: .not,
            subpredicates: [NSPredicate(format: "title == 'a'"), NSPredicate(format: "isbn == '1'")])
        for kind in StoreKind.allCases {
            let library = try Library(kind)
            for book in books { _ = library.insert("Book", book) }
            // Made anew, as whatever is read from a format.
            let all = NSCompoundPredicate(andPredicateWithSubpredicates: [NSPredicate(value: true), negation])
                .withSubstitutionVariables([:])
            // Unsaved, and from the store.
            #expect(try library.fetch("Book", where: all).map { $0.text("isbn") } == ["3"])
            try library.context.save()
            #expect(try library.fetch("Book", where: all, in: library.newContext()).map { $0.text("isbn") } == ["3"])
        }
    }

    // MARK: Keys

    @Test(arguments: [
        "ANY books.@distinctUnionOfObjects.nothing == 1", "books.@sum.nothing > 1",
        "SUBQUERY(books, $b, $b.nothing == 1).@count > 0", "SUBQUERY(books, $b, ANY $b.tags.nothing == 1).@count > 0",
        "ANY books.genre == 'x'", "nothing == 1", "SELF.nothing == 1", "TERNARY(nothing == 1, 1, 2) == 1",
    ])
    func `a key that an entity doesn't have is an error in both stores`(_ format: String) throws {
        for kind in StoreKind.allCases {
            let library = try Library(kind)
            let error = #expect(throws: CocoaError.self) {
                try library.fetch("Author", where: NSPredicate(format: format))
            }
            #expect(error?.localizedDescription.contains(format.contains("genre") ? "genre" : "nothing") == true)
        }
    }

    @Test(arguments: [
        "name == $nothing", "books.@count > $nothing", "SUBQUERY(books, $b, $b.title == $nothing).@count > 0",
        "SUBQUERY(books, $nothing, $nothing.pages > 1).@count > 0 AND name == $nothing.name",
    ])
    func `a variable without a value is an error in both stores`(_ format: String) throws {
        for kind in StoreKind.allCases {
            let library = try Library(kind)
            _ = library.insert("Author", ["name": "Ada"])
            try library.context.save()
            let error = #expect(throws: CocoaError.self) {
                try library.fetch("Author", where: NSPredicate(format: format))
            }
            #expect(error?.localizedDescription.contains("$nothing has no value") == true, "\(kind)")
            let known = "SUBQUERY(books, $b, $b.title == 'x').@count == 0"
            #expect(try library.fetch("Author", where: NSPredicate(format: known)).count == 1)
        }
    }

    @Test func `a sort descriptor with a key that an entity doesn't have is an error in both stores`() throws {
        for kind in StoreKind.allCases {
            let library = try Library(kind)
            for key in ["nothing", "author.nothing", "genre"] {
                let error = #expect(throws: CocoaError.self) { try library.fetch("Book", sortedBy: key) }
                #expect(error?.localizedDescription.contains("'\(key.split(separator: ".").last ?? "")'") == true)
            }
            #expect(try library.fetch("Book", sortedBy: "self.author.name").isEmpty)
        }
    }

    @Test(arguments: ["chapters", "tags.label", "author.books.pages"])
    func `a sort descriptor that leads to many values is an error in both stores`(_ key: String) throws {
        for kind in StoreKind.allCases {
            let library = try Library(kind)
            let error = #expect(throws: CocoaError.self) { try library.fetch("Book", sortedBy: key) }
            #expect(error?.localizedDescription.contains("'\(key)'") == true)
            for path in ["\(key).@count", "tags.@max.label"] {
                #expect(try library.fetch("Book", sortedBy: path).isEmpty)
            }
        }
    }

    @Test(arguments: ["self.title", "SELF.title", "Self.author.name", "self.author.self.name"])
    func `an object's own name for itself changes nothing in a path`(_ path: String) throws {
        for kind in StoreKind.allCases {
            let library = try Library(kind)
            let author = library.insert("Author", ["name": "x"])
            for title in ["x", "a"] { _ = library.insert("Book", ["title": title, "author": author]) }
            try library.context.save()
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [path]
            request.sortDescriptors = [NSSortDescriptor(key: path, ascending: false)]
            request.fetchLimit = 1
            #expect(try library.context.fetch(request).map { $0[path] as? String } == ["x"])
            #expect(
                try library.fetch("Book", where: NSPredicate(format: "%K == 'x'", path)).first?.text("title") == "x")
        }
    }

    @Test func `a function with too few arguments stops the program with its name`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSExpression(forFunction: "add:to:", arguments: [1])
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("'add:to:' takes 2"))
    }

    // MARK: Several stores

    /// Books in two stores: e, c, a in the first, d, b, a in the second.
    private func twoStores(_ kind: StoreKind) throws -> (Library, NSPersistentStore) {
        let library = try Library(kind)
        let (type, url) = try kind.newStore()
        let second = try library.coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        for (index, title) in ["e", "c", "a"].enumerated() {
            _ = library.insert("Book", ["title": title, "pages": index])
        }
        for (index, title) in ["d", "b", "a"].enumerated() {
            library.context.assign(library.insert("Book", ["title": title, "pages": index]), to: second)
        }
        try library.context.save()
        return (library, second)
    }

    @Test(arguments: StoreKind.allCases)
    func `dictionaries of several stores are ordered, cut and told apart as a whole`(_ kind: StoreKind) throws {
        let (library, _) = try twoStores(kind)
        func titles(_ change: (NSFetchRequest<NSDictionary>) -> Void) throws -> [String] {
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["title"]
            change(request)
            return try library.context.fetch(request).map { dictionary in
                #expect(dictionary.allKeys.count == (request.propertiesToFetch?.count ?? 0))
                return dictionary["title"] as? String ?? ""
            }
        }
        let byTitle = NSSortDescriptor(key: "title", ascending: true)
        #expect(try titles { $0.sortDescriptors = [byTitle] } == ["a", "a", "b", "c", "d", "e"])
        #expect(
            try titles {
                $0.sortDescriptors = [byTitle]
                $0.fetchOffset = 1
                $0.fetchLimit = 3
            } == ["a", "b", "c"])
        #expect(
            try titles {
                $0.sortDescriptors = [byTitle]
                $0.returnsDistinctResults = true
                $0.fetchLimit = 2
            } == ["a", "b"])
        #expect(try titles { $0.returnsDistinctResults = true } == ["a", "b", "c", "d", "e"])
        // By what isn't selected, and by what is computed.
        #expect(
            try titles {
                $0.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false), byTitle]
                $0.fetchLimit = 4
            } == ["a", "a", "b", "c"])
        let loud = NSExpressionDescription()
        loud.name = "loud.one"
        loud.expression = NSExpression(format: "uppercase:(title)")
        #expect(
            try titles {
                $0.propertiesToFetch = ["title", loud]
                $0.sortDescriptors = [NSSortDescriptor(key: "loud.one", ascending: false)]
                $0.fetchLimit = 2
            } == ["e", "d"])
        #expect(try titles { $0.fetchLimit = 4 } == ["e", "c", "a", "d"])
    }

    @Test(arguments: StoreKind.allCases)
    func `affected stores choose among unsaved objects, too`(_ kind: StoreKind) throws {
        let (library, second) = try twoStores(kind)
        let first = library.coordinator.persistentStores[0]
        library.context.assign(library.insert("Book", ["title": "new there"]), to: second)
        _ = library.insert("Book", ["title": "new here"])
        for book in try library.fetch("Book") where book.text("title") == "a" {
            book.setValue("changed", forKey: "title")
        }
        func titles(_ stores: [NSPersistentStore], _ context: NSManagedObjectContext) throws -> [String] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.affectedStores = stores
            let found = try context.fetch(request).map { $0.text("title") ?? "" }
            #expect(try context.count(for: request) == found.count)
            return found.sorted()
        }
        for context in [library.context, library.newChild()] {
            #expect(try titles([first], context) == ["c", "changed", "e", "new here"])
            #expect(try titles([second], context) == ["b", "changed", "d", "new there"])
            #expect(try titles([first, second], context).count == 8)
        }
    }
}
