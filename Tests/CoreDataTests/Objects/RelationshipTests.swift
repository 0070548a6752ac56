import CoreData
import Testing

@Suite struct RelationshipTests {
    @Test func `setting a to-one relationship enters the object in the inverse`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"]), book = library.insert("Book")
        book.setValue(author, forKey: "author")
        #expect(author.many("books") == [book])
        library.context.checkInvariants()
    }

    @Test func `moving an object to another owner takes it out of the previous one's set`() throws {
        let library = try Library(.inMemory)
        let first = library.insert("Author", ["name": "Ada"]), second = library.insert("Author", ["name": "Bea"])
        let book = library.insert("Book", ["author": first])
        second.mutableSetValue(forKey: "books").add(book)
        #expect(first.many("books").isEmpty)
        #expect(book.one("author") === second)
        library.context.checkInvariants()
    }

    @Test func `setting nil clears both sides`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"]), book = library.insert("Book", ["author": author])
        book.setValue(nil, forKey: "author")
        #expect(author.many("books").isEmpty)
        #expect(book.one("author") == nil)
    }

    @Test func `replacing a to-many set links the new members and unlinks the others`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        let a = library.insert("Book"), b = library.insert("Book"), c = library.insert("Book")
        author.setValue(NSSet(array: [a, b]), forKey: "books")
        author.setValue(NSSet(array: [b, c]), forKey: "books")
        #expect(a.one("author") == nil)
        #expect(b.one("author") === author)
        #expect(c.one("author") === author)
        library.context.checkInvariants()
    }

    @Test func `a one-to-one relationship evicts the previous partner`() throws {
        let library = try Library(.inMemory)
        let ada = library.insert("Author", ["name": "Ada"]), bea = library.insert("Author", ["name": "Bea"])
        let passport = library.insert("Passport", ["owner": ada])
        bea.setValue(passport, forKey: "passport")
        #expect(ada.one("passport") == nil)
        #expect(passport.one("owner") === bea)
        library.context.checkInvariants()
    }

    @Test func `both sides of a many-to-many relationship follow each other`() throws {
        let library = try Library(.inMemory)
        let a = library.insert("Book"), b = library.insert("Book"), tag = library.insert("Tag")
        a.mutableSetValue(forKey: "tags").add(tag)
        tag.mutableSetValue(forKey: "books").add(b)
        #expect(tag.many("books") == [a, b])
        #expect(b.many("tags") == [tag])
        a.mutableSetValue(forKey: "tags").remove(tag)
        #expect(tag.many("books") == [b])
    }

    @Test(arguments: StoreKind.allCases)
    func `an ordered relationship keeps its order through a save and a move`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let book = library.insert("Book")
        let chapters = ["one", "two", "three", "four"].map { library.insert("Chapter", ["heading": $0]) }
        book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
        try library.context.save()
        let other = library.newContext()
        func headings() throws -> [String?] {
            other.reset()
            return try library.fetch("Book", in: other)[0].ordered("chapters").map { $0.text("heading") }
        }
        #expect(try headings() == ["one", "two", "three", "four"])
        book.mutableOrderedSetValue(forKey: "chapters").insert(library.insert("Chapter", ["heading": "zero"]), at: 0)
        let moved = book.ordered("chapters")
        book.setValue(NSOrderedSet(array: [moved[4]] + moved[0..<4]), forKey: "chapters")
        try library.context.save()
        #expect(try headings() == ["four", "zero", "one", "two", "three"])
    }

    @Test(arguments: StoreKind.allCases)
    func `members added before a relationship was read join those in the store`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"])
        _ = library.insert("Book", ["title": "old", "author": author])
        try library.context.save()
        library.context.reset()
        let again = try library.fetch("Author")[0]
        let new = library.insert("Book", ["title": "new"])
        new.setValue(again, forKey: "author")
        #expect(again.hasFault(forRelationshipNamed: "books"))
        #expect(again.many("books").compactMap { $0.text("title") }.sorted() == ["new", "old"])
        library.context.checkInvariants()
    }

    @Test(arguments: StoreKind.allCases)
    func `a member that is added to an unread relationship and is there already is no change`(
        _ kind: StoreKind
    ) throws {
        let library = try Library(kind)
        _ = library.insert("Book", ["author": library.insert("Author", ["name": "Ada"])])
        try library.context.save()
        let (context, other) = (library.newContext(), library.newContext())
        let author = try library.fetch("Author", in: context)[0]
        author.mutableSetValue(forKey: "books").add(try library.fetch("Book", in: context)[0])
        #expect(!author.hasPersistentChangedValues)
        try library.fetch("Author", in: other)[0].setValue("Bea", forKey: "name")
        try other.save()
        // The error policy lets no row be written that somebody else has changed.
        try context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func `many-to-many members survive a save from either side`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let book = library.insert("Book", ["title": "b"]),
            tags = ["x", "y"].map { library.insert("Tag", ["label": $0]) }
        book.setValue(NSSet(array: tags), forKey: "tags")
        try library.context.save()
        tags[0].mutableSetValue(forKey: "books").add(library.insert("Book", ["title": "c"]))
        tags[1].mutableSetValue(forKey: "books").remove(book)
        try library.context.save()
        let other = library.newContext()
        let stored = try library.fetch("Tag", sortedBy: "label", in: other)
        #expect(stored[0].many("books").compactMap { $0.text("title") }.sorted() == ["b", "c"])
        #expect(stored[1].many("books").isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a relationship that is its own inverse goes to the object itself and back`(_ kind: StoreKind) throws {
        let person = TestModel.entity("Person", [TestModel.attribute("name", .stringAttributeType)])
        let spouse = NSRelationshipDescription()
        (spouse.name, spouse.destinationEntity, spouse.maxCount, spouse.isOptional) = ("spouse", person, 1, true)
        spouse.deleteRule = .nullifyDeleteRule
        person.properties.append(spouse)
        spouse.inverseRelationship = spouse
        let library = try Library(kind, model: TestModel.model([person]))
        let a = library.insert("Person", ["name": "a"]), b = library.insert("Person", ["name": "b", "spouse": a])
        try library.context.save()
        a.setValue(a, forKey: "spouse")
        #expect(a.one("spouse") === a && b.one("spouse") == nil)
        a.setValue(b, forKey: "spouse")
        #expect(a.one("spouse") === b && b.one("spouse") === a)
        try library.context.save()
        let stored = try library.fetch("Person", in: library.newContext())
        #expect(stored.allSatisfy { $0.one("spouse")?.one("spouse") === $0 && $0.one("spouse") !== $0 })
    }

    /// Somebody else moves a member away of which a context has read that it is there; then the context sets it back.
    private func setBack(
        _ library: Library, _ member: NSManagedObject, _ key: String, in context: NSManagedObjectContext
    ) throws -> NSManagedObject {
        let id = try #require(member.one(key)).objectID, owner = try context.existingObject(with: id)
        let members = try #require(owner.entity.relationships(forDestination: member.entity).first).name
        _ = owner.value(forKey: members)
        let other = library.newContext()
        let elsewhere = NSEntityDescription.insertNewObject(forEntityName: owner.entity.name ?? "", into: other)
        if key == "author" { elsewhere.setValue("Bea", forKey: "name") }
        try other.existingObject(with: member.objectID).setValue(elsewhere, forKey: key)
        try other.save()
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let moved = try context.existingObject(with: member.objectID)
        #expect(moved.one(key)?.objectID == elsewhere.objectID)
        moved.setValue(owner, forKey: key)
        return owner
    }

    @Test(arguments: StoreKind.allCases)
    func `a member that somebody else took away is there once when it is set back`(_ kind: StoreKind) throws {
        let library = try Library(kind), context = library.newContext()
        let ada = library.insert("Author", ["name": "Ada"]), book = library.insert("Book", ["author": ada])
        try library.context.save()
        let owner = try setBack(library, book, "author", in: context)
        #expect(owner.mutableSetValue(forKey: "books").count == 1)
        owner.mutableSetValue(forKey: "books").remove(try context.existingObject(with: book.objectID))
        #expect(owner.mutableSetValue(forKey: "books").count == 0)
        try context.save()
        #expect(try library.fetch("Book", in: library.newContext()).first?.one("author") == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `a member of an order that somebody else took away is there once when it is set back`(
        _ kind: StoreKind
    ) throws {
        let library = try Library(kind), context = library.newContext()
        let book = library.insert("Book")
        let chapters = ["1", "2", "3"].map { library.insert("Chapter", ["heading": $0]) }
        book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
        try library.context.save()
        let owner = try setBack(library, chapters[1], "book", in: context)
        #expect(owner.mutableOrderedSetValue(forKey: "chapters").count == 3)
        try context.save()
        let stored = try library.newContext().existingObject(with: book.objectID)
        #expect(stored.ordered("chapters").map { $0.text("heading") } == ["1", "2", "3"])
    }

    /// A box has things that don't know of it.
    private static func boxes() -> NSManagedObjectModel {
        let thing = NSEntityDescription(), box = NSEntityDescription(), things = NSRelationshipDescription()
        (thing.name, box.name) = ("Thing", "Box")
        (things.name, things.destinationEntity, things.maxCount) = ("things", thing, 0)
        things.deleteRule = .nullifyDeleteRule
        box.properties = [things]
        let model = NSManagedObjectModel()
        model.entities = [thing, box]
        return model
    }

    @Test(arguments: StoreKind.allCases)
    func `a member that was deleted is in no list without inverse`(_ kind: StoreKind) throws {
        let library = try Library(kind, model: Self.boxes())
        let thing = library.insert("Thing")
        let box = library.insert("Box", ["things": Set([thing, library.insert("Thing")])])
        try library.context.save()
        library.context.delete(thing)
        try library.context.save()
        let stored = try library.newContext().existingObject(with: box.objectID)
        #expect(stored.many("things").count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a member of a relationship without inverse has one owner, who got it last`(_ kind: StoreKind) throws {
        let (library, owner, parts) = try Library.owned(kind)
        let other = library.insert("Owner", ["parts": NSSet(array: [parts[2], parts[3]])])
        try library.context.save()
        let third = library.insert("Owner")
        try library.context.save()
        third.setValue(NSSet(array: [parts[1]]), forKey: "parts")
        try library.context.save()
        let context = library.newContext()
        let stored = [owner, other, third].map { context.object(with: $0.objectID).many("parts") }
        #expect(stored.map { Set($0.map { $0.text("name") }) } == [[], ["c", "d"], ["b"]])
        let request = NSPredicate(format: "parts.@count == 0")
        #expect(try library.fetch("Owner", where: request, in: library.newContext()).count == 1)
    }
}
