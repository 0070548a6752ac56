import CoreData
import Testing

@Suite struct FaultingTests {
    /// Twenty authors with a passport and three books each, saved and forgotten.
    private func filled(_ kind: StoreKind) throws -> Library {
        let library = try Library(kind)
        for number in 0..<20 {
            let author = library.insert("Author", ["name": "author \(number)"])
            _ = library.insert("Passport", ["number": "\(number)", "owner": author])
            for book in 0..<3 { _ = library.insert("Book", ["title": "\(number) \(book)", "author": author]) }
        }
        try library.context.save()
        library.context.reset()
        return library
    }

    @Test(arguments: StoreKind.allCases)
    func `a to-many relationship is read in one query for all objects fetched together`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let counter = try library.counting()
        let authors = try library.fetch("Author")
        #expect(authors.flatMap { $0.many("books") }.compactMap { $0.text("title") }.count == 60)
        #expect(counter.questions == ["fetch Author", "books of 20", "rows of 60"])
    }

    @Test(arguments: StoreKind.allCases)
    func `to-one destinations are read in one query for all objects fetched together`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let counter = try library.counting()
        let books = try library.fetch("Book")
        #expect(Set(books.compactMap { $0.one("author")?.text("name") }).count == 20)
        #expect(counter.questions == ["fetch Book", "rows of 20"])
    }

    @Test(arguments: StoreKind.allCases)
    func `prefetched relationships need no further query`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let counter = try library.counting()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.relationshipKeyPathsForPrefetching = ["books", "passport"]
        let authors = try library.context.fetch(request)
        let before = counter.questions.count
        for author in authors {
            #expect(author.many("books").allSatisfy { $0.text("title") != nil })
            #expect(author.one("passport")?.text("number") != nil)
        }
        #expect(counter.questions.count == before)
    }

    @Test(arguments: StoreKind.allCases)
    func `relationships of one name in several sub-entities are prefetched, each in its place`(
        _ kind: StoreKind
    ) throws {
        let names = ["Item", "Shelf", "Box", "Book", "Coin"]
        let entities = names.map { name in
            let entity = NSEntityDescription()
            entity.name = name
            return entity
        }
        let (item, shelf, box, book, coin) = (entities[0], entities[1], entities[2], entities[3], entities[4])
        item.subentities = [shelf, box]
        shelf.properties = [LibraryModel.attribute("height", .doubleAttributeType)]
        LibraryModel.connect(shelf, "contents", many: true, .nullifyDeleteRule, book, "shelf", many: false)
        LibraryModel.connect(box, "contents", many: true, .nullifyDeleteRule, coin, "boxes", many: true)
        let model = NSManagedObjectModel()
        model.entities = entities
        let library = try Library(kind, model: model)
        library.insert("Shelf").setValue(Set((0..<3).map { _ in library.insert("Book") }), forKey: "contents")
        library.insert("Box").setValue(Set((0..<2).map { _ in library.insert("Coin") }), forKey: "contents")
        try library.context.save()
        library.context.reset()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.relationshipKeyPathsForPrefetching = ["contents"]
        let found = try library.context.fetch(request)
        #expect(found.allSatisfy { !$0.hasFault(forRelationshipNamed: "contents") })
        #expect(Set(found.map { $0.many("contents").count }) == [2, 3])
    }

    @Test func `firing a fetched fault asks the store nothing`() throws {
        let library = try filled(.inMemory)
        let counter = try library.counting()
        let author = try library.fetch("Author", sortedBy: "name")[0]
        #expect(author.isFault)
        #expect(author.text("name") == "author 0")
        #expect(counter.questions == ["fetch Author"])
    }

    @Test(arguments: StoreKind.allCases)
    func `[F] a fault's to-one relationship is one, until its destination is known`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let books = try library.fetch("Book", sortedBy: "title")
        #expect(books.allSatisfy { $0.isFault && $0.hasFault(forRelationshipNamed: "author") })
        #expect(books.allSatisfy { $0.isFault })
        let author = books[0].one("author")
        #expect(author?.isFault == true && !books[0].hasFault(forRelationshipNamed: "author"))
    }

    @Test func `the IDs of a relationship are known without its objects`() throws {
        let library = try filled(.inMemory)
        let book = try library.fetch("Book", sortedBy: "title")[0]
        let counter = try library.counting()
        #expect(book.objectIDs(forRelationshipNamed: "author").count == 1)
        #expect(counter.questions.isEmpty)
        let author = try #require(book.one("author"))
        #expect(author.isFault)
        #expect(author.hasFault(forRelationshipNamed: "books"))
        let ids = author.objectIDs(forRelationshipNamed: "books")
        #expect(ids.count == 3 && author.hasFault(forRelationshipNamed: "books"))
        #expect(library.context.registeredObjects == [book, author])
        counter.forget()
        #expect(Set(author.many("books").map(\.objectID)) == Set(ids) && author.many("books").contains(book))
        #expect(!author.hasFault(forRelationshipNamed: "books"))
        #expect(counter.questions.isEmpty)
    }

    @Test func `IDs of members that were asked for are those of now`() throws {
        let library = try filled(.inMemory)
        let author = try library.fetch("Author", sortedBy: "name")[0]
        let ids = author.objectIDs(forRelationshipNamed: "books")
        let moved = try library.context.existingObject(with: ids[0])
        moved.setValue(nil, forKey: "author")
        #expect(Set(author.objectIDs(forRelationshipNamed: "books")) == Set(ids.dropFirst()))
        try library.context.save()
        #expect(Set(author.objectIDs(forRelationshipNamed: "books")) == Set(ids.dropFirst()))
        let other = library.newContext()
        let there = try other.existingObject(with: author.objectID)
        #expect(there.objectIDs(forRelationshipNamed: "books").count == ids.count - 1)
        moved.setValue(author, forKey: "author")
        try library.context.save()
        other.refresh(there, mergeChanges: true)
        #expect(Set(there.objectIDs(forRelationshipNamed: "books")) == Set(ids))
    }

    // Observed: macOS 15.
    @Test(arguments: StoreKind.allCases)
    func `an object that its context has forgotten is empty, and no fault once it was asked`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let passport = try library.fetch("Passport", sortedBy: "number")[0]
        library.context.reset()
        #expect(passport.isFault && passport.managedObjectContext == nil)
        passport.willAccessValue(forKey: nil)
        #expect(!passport.isFault && passport.text("number") == nil)
    }

    // Divergence 51.
    @Test(arguments: StoreKind.allCases)
    func `a new object that is refreshed is a fault with its defaults`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"])
        let book = library.insert("Book", ["title": "A", "pages": 9, "author": author])
        library.context.refresh(book, mergeChanges: true)
        #expect(!book.isFault && book.text("title") == "A")
        library.context.refresh(book, mergeChanges: false)
        #expect(book.isFault && book.isInserted)
        #expect(book.value(forKey: "pages") as? Int == 7 && book.text("title") == nil && !book.isFault)
        #expect(book.value(forKey: "author") == nil && author.many("books").isEmpty)
        library.context.refresh(book, mergeChanges: false)
        #expect(book.isFault)
        library.context.checkInvariants()
        try library.context.save()
        #expect(try library.fetch("Book", in: library.newContext()).map { $0.value(forKey: "pages") as? Int } == [7])
    }

    @Test(arguments: StoreKind.allCases)
    func `a fault whose row is gone becomes a deleted object without values`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let other = library.newContext()
        let passport = try library.fetch("Passport", sortedBy: "number", in: other)[0]
        let fault = library.context.object(with: passport.objectID)
        other.delete(passport)
        try other.save()
        #expect(fault.text("number") == nil)
        #expect(fault.isDeleted)
    }
}
