import CoreData
import Foundation
import Testing

// `Book.isbn` is unique. A book "1" with the title "Old", seven pages and a tag is in the store; a second one comes.
@Suite struct ConstraintSemanticsTests {
    private struct Shelf {
        let library: Library
        let old: NSManagedObject

        init(_ kind: StoreKind) throws {
            library = try Library(kind)
            old = library.insert("Book", ["isbn": "1", "title": "Old", "pages": 7, "isLent": true])
            old.setValue(NSSet(object: library.insert("Tag", ["label": "a"])), forKey: "tags")
            try library.context.save()
        }

        func newBook() -> NSManagedObject {
            let author = library.insert("Author", ["name": "Ada"])
            let book = library.insert("Book", ["isbn": "1", "title": "New", "author": author])
            book.setValue(NSSet(object: library.insert("Tag", ["label": "b"])), forKey: "tags")
            return book
        }

        /// The only book of that number, as a context that saw nothing of it has it.
        func stored() throws -> NSManagedObject {
            let books = try library.fetch("Book", where: NSPredicate(format: "isbn = '1'"), in: library.newContext())
            return try #require(books.count == 1 ? books[0] : nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the error policy throws 133021 with a list of NSConstraintConflict`(_ kind: StoreKind) throws {
        let shelf = try Shelf(kind)
        let new = shelf.newBook()
        let error = #expect(throws: CocoaError.self) { try shelf.library.context.save() }
        #expect(error?.code.rawValue == NSManagedObjectConstraintMergeError)
        let conflict = ((error as NSError?)?.userInfo["conflictList"] as? [NSConstraintConflict])?.first
        #expect(conflict?.constraint == ["isbn"] && conflict?.conflictingObjects == [new])
        #expect(conflict?.databaseObject === shelf.old && conflict?.databaseSnapshot?["title"] as? String == "Old")
        #expect(new.isInserted && new.objectID.isTemporaryID)
        new.setValue("2", forKey: "isbn")
        try shelf.library.context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func `under object trump a new object with the values of a stored one updates it`(_ kind: StoreKind) throws {
        let shelf = try Shelf(kind)
        let new = shelf.newBook()
        shelf.library.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try shelf.library.context.save()
        let book = try shelf.stored()
        #expect(book.objectID == shelf.old.objectID && book.text("title") == "New")
        #expect(book.one("author")?.text("name") == "Ada")
        #expect(Set(book.many("tags").compactMap { $0.text("label") }) == ["a", "b"])
        // What the new one didn't set stays.
        #expect(book.value(forKey: "isLent") as? Bool == true)
        #expect(new.managedObjectContext == nil && !shelf.library.context.hasChanges)
        #expect(shelf.old.text("title") == "New")
    }

    @Test(arguments: StoreKind.allCases)
    func `under store trump the stored object keeps its values`(_ kind: StoreKind) throws {
        let shelf = try Shelf(kind)
        _ = shelf.newBook()
        shelf.library.context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try shelf.library.context.save()
        let book = try shelf.stored()
        #expect(book.text("title") == "Old" && book.value(forKey: "pages") as? Int == 7)
        #expect(book.one("author")?.text("name") == "Ada")
    }

    @Test(arguments: StoreKind.allCases)
    func `under rollback the new object goes`(_ kind: StoreKind) throws {
        let shelf = try Shelf(kind)
        _ = shelf.newBook()
        shelf.library.context.mergePolicy = NSMergePolicy.rollback
        try shelf.library.context.save()
        #expect(try shelf.stored().text("title") == "Old")
        #expect(try shelf.stored().one("author") == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `new objects with the same values become one`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        for title in ["first", "second", "third"] { _ = library.insert("Book", ["isbn": "9", "title": title]) }
        _ = library.insert("Novel", ["isbn": "8", "title": "other"])
        _ = library.insert("Book", ["title": "without a number"])
        _ = library.insert("Book", ["title": "without a number"])
        library.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try library.context.save()
        let books = try library.fetch("Book", sortedBy: "title", in: library.newContext())
        #expect(books.map { $0.text("title") } == ["other", "third", "without a number", "without a number"])
    }

    @Test func `two stored objects can't become one; under store trump the changed one keeps what it had`() throws {
        let shelf = try Shelf(.sqlite)
        let second = shelf.library.insert("Book", ["isbn": "2", "title": "Second"])
        try shelf.library.context.save()
        second.setValue("1", forKey: "isbn")
        second.setValue("Changed", forKey: "title")
        shelf.library.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let error = #expect(throws: CocoaError.self) { try shelf.library.context.save() }
        #expect(error?.code == .managedObjectConstraintMerge)
        shelf.library.context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try shelf.library.context.save()
        #expect(second.text("isbn") == "2" && second.text("title") == "Changed")
    }

    @Test func `a value that a stored object gives up in the same save is free`() throws {
        let shelf = try Shelf(.sqlite)
        shelf.library.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        shelf.old.setValue("2", forKey: "isbn")
        let new = shelf.newBook()
        try shelf.library.context.save()
        #expect(new.managedObjectContext != nil && shelf.old.text("isbn") == "2" && new.text("isbn") == "1")
    }

    // What must not be twice is looked at when all is written: one save may hand values round, whatever the policy.
    @Test(arguments: StoreKind.allCases)
    func `stored objects hand their values round in one save`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let books = (0..<4).map { library.insert($0 < 3 ? "Book" : "Novel", ["isbn": "\($0)", "title": "\($0)"]) }
        try library.context.save()
        for policy in [NSMergePolicy.error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump] {
            library.context.mergePolicy = policy
            let former = books.map { $0.text("isbn") }
            for (index, book) in books.enumerated() { book.setValue(former[(index + 1) % 4], forKey: "isbn") }
            try library.context.save()
            let stored = try library.fetch("Book", sortedBy: "title", in: library.newContext())
            #expect(stored.map { $0.text("isbn") } == [former[1], former[2], former[3], former[0]])
        }
        library.context.mergePolicy = NSMergePolicy.error
        for book in books.prefix(2) { book.setValue("x", forKey: "isbn") }
        #expect(throws: CocoaError.self) { try library.context.save() }
    }

    @Test func `a thousand objects that are there already are updated by one save`() throws {
        let library = try Library(.sqlite)
        library.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        for round in 1...2 {
            for number in 0..<1000 { _ = library.insert("Book", ["isbn": "\(number)", "title": "round \(round)"]) }
            try library.context.save()
        }
        let books = try library.fetch("Book", in: library.newContext())
        #expect(books.count == 1000 && books.allSatisfy { $0.text("title") == "round 2" })
    }

    /// Writes down the conflicts that it is asked about.
    private final class Listening: NSMergePolicy, @unchecked Sendable {
        let constraints = NSMutableArray()

        override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
            for conflict in list { constraints.add(conflict.constraint.joined()) }
            try super.resolve(constraintConflicts: list)
        }
    }

    @Test func `a subclass of the merge policy is asked about constraints`() throws {
        let shelf = try Shelf(.sqlite)
        _ = shelf.newBook()
        let policy = Listening(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        shelf.library.context.mergePolicy = policy
        try shelf.library.context.save()
        #expect(policy.constraints == ["isbn"])
    }

    /// Drops the tags that a stored object has, so that it has those of the new one alone.
    private final class Replacing: NSMergePolicy, @unchecked Sendable {
        let labels = NSMutableArray()

        override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
            let stored = list.compactMap(\.databaseObject)
            for tag in stored.flatMap({ $0.many("tags") }) { tag.managedObjectContext?.delete(tag) }
            try super.resolve(constraintConflicts: list)
            for tag in stored.flatMap({ $0.many("tags") }) { labels.add(tag.text("label") ?? "") }
        }
    }

    // Assumed: AltStore's policy deletes an app's older versions, calls super, and compares what is left.
    @Test(arguments: StoreKind.allCases)
    func `what a policy deletes before it calls super is in no relationship afterwards`(_ kind: StoreKind) throws {
        let shelf = try Shelf(kind)
        _ = shelf.newBook()
        let policy = Replacing(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        shelf.library.context.mergePolicy = policy
        try shelf.library.context.save()
        #expect(policy.labels == ["b"])
        #expect(try shelf.stored().many("tags").compactMap { $0.text("label") } == ["b"])
    }

    /// Deletes the new object itself.
    private final class Refusing: NSMergePolicy, @unchecked Sendable {
        override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
            for object in list.flatMap(\.conflictingObjects) { object.managedObjectContext?.delete(object) }
            try super.resolve(constraintConflicts: list)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a new object that a policy deletes itself gives nothing to the stored one`(_ kind: StoreKind) throws {
        let shelf = try Shelf(kind)
        _ = shelf.newBook()
        shelf.library.context.mergePolicy = Refusing(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        try shelf.library.context.save()
        #expect(try shelf.stored().text("title") == "Old")
    }

    // objc.io's Moody, MoodyMergePolicyConstraintTests: denormalised numbers are right after two contexts have made the same country on
    // the same continent, which `willSave()` alone can see to. Both conflicts are settled before it is asked.
    @Test(arguments: StoreKind.allCases)
    func `what a settled constraint has changed is told that it will be saved`(_ kind: StoreKind) throws {
        let model = LibraryModel.make()
        let author = try #require(model.entitiesByName["Author"])
        author.managedObjectClassName = String(reflecting: CountingAuthor.self)
        author.uniquenessConstraints = [["name"]]
        let library = try Library(kind, model: model)
        let other = library.newContext()
        for context in [library.context, other] {
            context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
            let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            author.setValue("Ada", forKey: "name")
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            book.setValuesForKeys(["isbn": "1", "author": author])
            let chapter = NSEntityDescription.insertNewObject(forEntityName: "Chapter", into: context)
            chapter.setValue(book, forKey: "book")
        }
        try other.save()
        try library.context.save()
        let found = try #require(try library.fetch("Author", in: library.newContext()).first)
        #expect(try library.fetch("Author").count == 1 && found.many("books").count == 1)
        #expect(found.many("books").first?.ordered("chapters").count == 2)
        #expect(found.value(forKey: "rating") as? Double == 1)
        let two = library.insert("Author", ["name": "Ada"])
        _ = library.insert("Book", ["isbn": "2", "author": two])
        try library.context.save()
        #expect(try library.fetch("Author", in: library.newContext())[0].value(forKey: "rating") as? Double == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `decimals are unique by their values`(_ kind: StoreKind) throws {
        let model = LibraryModel.make(), tag = try #require(model.entitiesByName["Tag"])
        tag.properties.append(LibraryModel.attribute("price", .decimalAttributeType))
        tag.uniquenessConstraints = [["price"]]
        let library = try Library(kind, model: model)
        for price in ["1.25", "2.25", "1e20"] {
            _ = library.insert("Tag", ["price": NSDecimalNumber(string: price)])
        }
        _ = library.insert("Tag", ["label": "free"])
        _ = library.insert("Tag", ["label": "free, too"])
        try library.context.save()
        _ = library.insert("Tag", ["price": NSDecimalNumber(string: "2.250"), "label": "again"])
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(error?.code == .managedObjectConstraintMerge)
        library.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try library.context.save()
        #expect(try library.fetch("Tag", in: library.newContext()).count == 5)
    }

    @Test(arguments: StoreKind.allCases)
    func `a text in two normal forms is two values, and what is no number is none`(_ kind: StoreKind) throws {
        for policy in [NSMergePolicy.error, NSMergePolicy.mergeByPropertyObjectTrump] {
            let model = LibraryModel.make()
            model.entitiesByName["Author"]?.uniquenessConstraints = [["rating"]]
            let library = try Library(kind, model: model)
            library.context.mergePolicy = policy
            for isbn in ["\u{E9}", "e\u{301}"] {
                _ = library.insert("Book", ["isbn": isbn])
                _ = library.insert("Author", ["name": "Ada", "rating": Double.nan])
                _ = library.insert("Author", ["name": "Bea", "rating": Double.nan])
                try library.context.save()
            }
            #expect(try library.fetch("Book", in: library.newContext()).count == 2)
            #expect(try library.fetch("Author", in: library.newContext()).count == 4)
        }
    }
}

/// An author whose rating is the number of books.
final class CountingAuthor: NSManagedObject {
    override func willSave() {
        super.willSave()
        let count = Double(many("books").count)
        if !isDeleted, value(forKey: "rating") as? Double != count { setValue(count, forKey: "rating") }
    }
}
