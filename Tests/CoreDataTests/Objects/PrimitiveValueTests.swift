// Relationships set by primitive values between `willChangeValue` and `didChangeValue`, as hand-written accessors do
// (Core Data Programming Guide, "Managed Object Accessor Methods": custom to-one and to-many accessors).

import CoreData
import Testing

@Suite struct PrimitiveValueTests {
    @Test(arguments: StoreKind.allCases)
    func `a to-one relationship set by its primitive value in an accessor keeps its inverse`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let old = library.insert("Author", ["name": "Ada"]), new = library.insert("Author", ["name": "Bo"])
        let book = library.insert("Book", ["title": "b", "author": old])
        try library.context.save()
        book.willChangeValue(forKey: "author")
        book.setPrimitiveValue(new, forKey: "author")
        #expect(!new.hasChanges)
        book.didChangeValue(forKey: "author")
        #expect(new.value(forKey: "books") as? Set<NSManagedObject> == [book])
        #expect(old.value(forKey: "books") as? Set<NSManagedObject> == [])
        try library.context.save()
        let stored = try library.fetch("Book", in: library.newContext())[0]
        #expect((stored.value(forKey: "author") as? NSManagedObject)?.text("name") == "Bo")
    }

    @Test(arguments: StoreKind.allCases)
    func `members of a primitive set changed in an accessor keep their inverses`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"])
        let books = ["a", "b", "c"].map { library.insert("Book", ["title": $0]) }
        try library.context.save()
        for book in books.prefix(2) {
            author.willChangeValue(forKey: "books", withSetMutation: .union, using: [book])
            let members = try #require(author.primitiveValue(forKey: "books") as? NSMutableSet)
            members.add(book)
            #expect(book.value(forKey: "author") == nil)
            author.didChangeValue(forKey: "books", withSetMutation: .union, using: [book])
            #expect(book.value(forKey: "author") as? NSManagedObject === author)
        }
        try library.context.save()
        author.willChangeValue(forKey: "books", withSetMutation: .minus, using: [books[0]])
        (author.primitiveValue(forKey: "books") as? NSMutableSet)?.remove(books[0])
        author.didChangeValue(forKey: "books", withSetMutation: .minus, using: [books[0]])
        #expect(books[0].value(forKey: "author") == nil)
        try library.context.save()
        let stored = try library.fetch("Author", in: library.newContext())[0]
        let titles = (stored.value(forKey: "books") as? Set<NSManagedObject> ?? []).map { $0.text("title") }
        #expect(titles == ["b"])
    }

    // Divergence 67: outside of a change the set is of what the members are now, which Foundation can cast.
    @Test(arguments: StoreKind.allCases)
    func `an accessor that reads casts the primitive set to a set of objects`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"])
        let book = library.insert("Book", ["title": "a", "author": author])
        #expect(author.primitiveValue(forKey: "books") as? Set<NSManagedObject> == [book])
        try library.context.save()
        author.willChangeValue(forKey: "books")
        (author.primitiveValue(forKey: "books") as? NSMutableSet)?.removeAllObjects()
        author.didChangeValue(forKey: "books")
        #expect(
            author.primitiveValue(forKey: "books") as? Set<NSManagedObject> == [] && book.value(forKey: "author") == nil
        )
        library.context.rollback()
        library.context.refreshAllObjects()
        author.willAccessValue(forKey: "books")
        #expect(author.primitiveValue(forKey: "books") as? Set<NSManagedObject> == [book])
        author.didAccessValue(forKey: "books")
        library.context.checkInvariants()
    }

    @Test func `a primitive ordered set in an accessor keeps its order and the inverses`() throws {
        let library = try Library(.sqlite)
        let book = library.insert("Book", ["title": "t"])
        let chapters = ["1", "2", "3"].map { library.insert("Chapter", ["heading": $0]) }
        try library.context.save()
        book.willChangeValue(forKey: "chapters")
        let members = try #require(book.primitiveValue(forKey: "chapters") as? NSMutableOrderedSet)
        members.addObjects(from: chapters)
        members.exchangeObject(at: 0, withObjectAt: 2)
        book.didChangeValue(forKey: "chapters")
        #expect(chapters.allSatisfy { $0.value(forKey: "book") as? NSManagedObject === book })
        try library.context.save()
        let stored = try library.fetch("Book", in: library.newContext())[0].value(forKey: "chapters") as? NSOrderedSet
        #expect(stored?.array.compactMap { ($0 as? NSManagedObject)?.text("heading") } == ["3", "2", "1"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a primitive value that was saved before a change isn't part of it`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let authors = ["Ada", "Bo", "Cy"].map { library.insert("Author", ["name": $0]) }
        let book = library.insert("Book", ["title": "b", "author": authors[0]])
        try library.context.save()
        book.setValue("c", forKey: "title")
        library.context.processPendingChanges()
        book.setPrimitiveValue(authors[1], forKey: "author")
        try library.context.save()
        library.context.refreshAllObjects()
        book.willChangeValue(forKey: "author")
        book.setPrimitiveValue(authors[2], forKey: "author")
        book.didChangeValue(forKey: "author")
        #expect(authors.map { $0.many("books").count } == [0, 0, 1])
        try library.context.save()
        let stored = try library.fetch("Author", sortedBy: "name", in: library.newContext())
        #expect(stored.map { $0.many("books").count } == [0, 0, 1])
    }

    @Test func `a primitive value set before a change isn't part of it`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"]), book = library.insert("Book", ["title": "b"])
        try library.context.save()
        book.setPrimitiveValue(author, forKey: "author")
        book.setValue(nil, forKey: "author")
        #expect(book.value(forKey: "author") == nil)
        book.setValue(author, forKey: "author")
        #expect(author.value(forKey: "books") as? Set<NSManagedObject> == [book])
        #expect((author.value(forKey: "books") as? NSSet)?.count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a primitive value is stored, whatever is read before the save`(_ kind: StoreKind) throws {
        for refreshes in [false, true] {
            let library = try Library(kind)
            let author = library.insert("Author", ["name": "Ada"])
            _ = library.insert("Book", ["title": "old", "author": author])
            try library.context.save()
            let context = library.newContext()
            let book = try library.fetch("Book", in: context)[0]
            book.setPrimitiveValue("new", forKey: "title")
            _ = book.value(forKey: "author")
            _ = (book.value(forKey: "tags") as? NSSet)?.count
            book.setValue(9, forKey: "pages")
            if refreshes { context.refresh(book, mergeChanges: true) }
            try context.save()
            #expect(book.text("title") == "new")
            #expect(try library.fetch("Book", in: library.newContext())[0].text("title") == "new")
        }
    }
}
