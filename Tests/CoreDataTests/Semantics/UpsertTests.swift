// `Book.isbn` is unique. What a new object does to a row that somebody else has changed or made meanwhile, under object trump.

import CoreData
import Testing

@Suite struct UpsertTests {
    /// A library whose context lets its own changes win.
    private func library(_ kind: StoreKind, model: NSManagedObjectModel = LibraryModel.make()) throws -> Library {
        let library = try Library(kind, model: model)
        library.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        return library
    }

    /// Changes a stored book in another context.
    private func change(_ book: NSManagedObject, _ values: [String: Any], in library: Library) throws {
        let other = library.newContext()
        try other.existingObject(with: book.objectID).setValuesForKeys(values)
        try other.save()
    }

    private func insert(_ values: [String: Any], into context: NSManagedObjectContext) {
        NSEntityDescription.insertNewObject(forEntityName: "Book", into: context).setValuesForKeys(values)
    }

    private func titles(_ library: Library) throws -> [String: String?] {
        let books = try library.fetch("Book", in: library.newContext())
        return Dictionary(uniqueKeysWithValues: books.map { ($0.text("isbn") ?? "", $0.text("title")) })
    }

    @Test(arguments: StoreKind.allCases)
    func `what the new object sets is stored, though the context's copy of the row is old and says the same`(
        _ kind: StoreKind
    ) throws {
        let library = try library(kind)
        let old = library.insert("Book", ["isbn": "1", "title": "X1"])
        try library.context.save()
        try change(old, ["title": "X2"], in: library)
        _ = library.insert("Book", ["isbn": "1", "title": "X1"])
        try library.context.save()
        #expect(try titles(library) == ["1": "X1"])
        #expect(old.text("title") == "X1")
    }

    @Test(arguments: StoreKind.allCases)
    func `a row is found by the value that it has now`(_ kind: StoreKind) throws {
        let library = try library(kind)
        let book = library.insert("Book", ["isbn": "1", "title": "old"])
        try library.context.save()
        try change(book, ["isbn": "2"], in: library)
        _ = library.insert("Book", ["isbn": "1", "title": "first"])
        _ = library.insert("Book", ["isbn": "2", "title": "second"])
        try library.context.save()
        #expect(try titles(library) == ["1": "first", "2": "second"])
        #expect(book.text("isbn") == "2" && book.text("title") == "second")
    }

    /// Lets something happen once the first conflicts are settled, before anything is written.
    private final class Interrupted: NSMergePolicy, @unchecked Sendable {
        nonisolated(unsafe) var interruption: (() throws -> Void)?

        override func resolve(mergeConflicts list: [Any]) throws {
            try super.resolve(mergeConflicts: list)
            let interruption = unsafe interruption
            unsafe self.interruption = nil
            try interruption?()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a row that comes while the policy is asked is settled, too`(_ kind: StoreKind) throws {
        let library = try library(kind)
        _ = library.insert("Book", ["isbn": "1", "title": "old"])
        try library.context.save()
        let first = library.insert("Book", ["isbn": "1", "title": "mine"])
        let second = library.insert("Book", ["isbn": "2", "title": "mine"])
        let policy = Interrupted(merge: .mergeByPropertyObjectTrumpMergePolicyType), other = library.newContext()
        unsafe policy.interruption = {
            insert(["isbn": "2", "title": "theirs", "pages": 9], into: other)
            try other.save()
        }
        library.context.mergePolicy = policy
        try library.context.save()
        #expect(try titles(library) == ["1": "mine", "2": "mine"])
        #expect(first.managedObjectContext == nil && second.managedObjectContext == nil)
        let books = try library.fetch("Book", where: NSPredicate(format: "isbn = '2'"))
        #expect(books.map { $0.value(forKey: "pages") as? Int } == [9])
        #expect(!library.context.hasChanges)
        library.context.delete(books[0])
        try library.context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func `what a child's new object didn't set stays in the store`(_ kind: StoreKind) throws {
        let library = try library(kind)
        _ = library.insert("Book", ["isbn": "1", "title": "Old", "isLent": true, "pages": 7])
        try library.context.save()
        let child = library.newChild(), grandchild = library.newChild(of: child)
        insert(["isbn": "1", "title": "New"], into: grandchild)
        try grandchild.save()
        try child.save()
        try library.context.save()
        let book = try #require(try library.fetch("Book", in: library.newContext()).first)
        #expect(book.text("title") == "New" && book.value(forKey: "pages") as? Int == 7)
        #expect(book.value(forKey: "isLent") as? Bool == true)
    }

    private func labels(_ objects: some Sequence<NSManagedObject>, _ key: String) -> [String] {
        objects.compactMap { $0.text(key) }.sorted()
    }

    @Test(arguments: StoreKind.allCases)
    func `what leads to a new object without inverse leads to the stored one afterwards`(_ kind: StoreKind) throws {
        let model = LibraryModel.make()
        let entities = model.entitiesByName
        let author = try #require(entities["Author"]), book = try #require(entities["Book"])
        TestModel.relate(author, "favourite", .one, book)
        TestModel.relate(author, "wishes", .many, book)
        TestModel.relate(author, "shelf", .ordered, book)
        TestModel.relate(book, "sequel", .one, book)
        let library = try library(kind, model: model)
        let stored = ["1", "2", "3"].map { library.insert("Book", ["isbn": $0, "title": "old"]) }
        try library.context.save()
        let new = ["1", "2"].map { library.insert("Book", ["isbn": $0, "title": "new"]) }
        new[0].setValue(new[1], forKey: "sequel")
        new[1].setValue(new[1], forKey: "sequel")
        let reader = library.insert("Author", ["name": "Ada", "favourite": new[0]])
        reader.setValue(NSSet(array: [new[0], stored[1]]), forKey: "wishes")
        reader.setValue(NSOrderedSet(array: [new[1], new[0]]), forKey: "shelf")
        try library.context.save()
        #expect(reader.one("favourite") === stored[0] && reader.ordered("shelf") == [stored[1], stored[0]])
        // The relationship of a stored object, whose members nobody has read.
        let later = library.newContext()
        later.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let other = try later.existingObject(with: reader.objectID)
        let third = NSEntityDescription.insertNewObject(forEntityName: "Book", into: later)
        third.setValue("3", forKey: "isbn")
        other.mutableSetValue(forKey: "wishes").add(third)
        try later.save()
        let found = try #require(try library.fetch("Author", in: library.newContext()).first)
        #expect(found.one("favourite")?.text("isbn") == "1")
        #expect(labels(found.many("wishes"), "isbn") == ["1", "2", "3"])
        #expect(found.ordered("shelf").map { $0.text("isbn") } == ["2", "1"])
        #expect(found.one("favourite")?.one("sequel")?.text("isbn") == "2")
        #expect(found.one("favourite")?.one("sequel")?.one("sequel")?.text("isbn") == "2")
        #expect(try library.fetch("Book", in: library.newContext()).count == 3)
    }

    /// Books that delete their author, their tags and a blurb with them, and the store's one author, book and tag.
    private func greedyLibrary(_ kind: StoreKind) throws -> (Library, book: NSManagedObject) {
        let model = LibraryModel.make()
        let book = try #require(model.entitiesByName["Book"]), tag = try #require(model.entitiesByName["Tag"])
        for name in ["author", "tags"] { book.relationshipsByName[name]?.deleteRule = .cascadeDeleteRule }
        TestModel.relate(book, "blurb", .one, tag).deleteRule = .cascadeDeleteRule
        TestModel.relate(book, "remarks", .many, tag).deleteRule = .cascadeDeleteRule
        let library = try library(kind, model: model)
        let old = library.insert("Book", ["isbn": "1", "author": library.insert("Author", ["name": "Ada"])])
        old.setValue(NSSet(object: library.insert("Tag", ["label": "old"])), forKey: "tags")
        try library.context.save()
        return (library, old)
    }

    @Test(arguments: StoreKind.allCases)
    func `what the stored object takes from a new one, or has, isn't deleted with it`(_ kind: StoreKind) throws {
        let (library, old) = try greedyLibrary(kind)
        let tags = ["blurb", "remark", "new"].map { library.insert("Tag", ["label": $0]) }
        let new = library.insert("Book", ["isbn": "1", "blurb": tags[0]])
        new.setValue(old.one("author"), forKey: "author")
        new.setValue(NSSet(object: tags[1]), forKey: "remarks")
        new.setValue(NSSet(array: Array(old.many("tags")) + [tags[2]]), forKey: "tags")
        try library.context.save()
        let reader = library.newContext()
        let book = try #require(try library.fetch("Book", in: reader).first)
        #expect(book.objectID == old.objectID && book.one("author")?.text("name") == "Ada")
        #expect(book.one("blurb")?.text("label") == "blurb" && labels(book.many("remarks"), "label") == ["remark"])
        #expect(labels(book.many("tags"), "label") == ["new", "old"])
        #expect(try library.fetch("Tag", in: reader).count == 4)
    }

    @Test(
        arguments: StoreKind.allCases,
        [NSMergePolicyType.rollbackMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType])
    func `a new object that gives way deletes what is new with it, and nothing stored`(
        _ kind: StoreKind, _ type: NSMergePolicyType
    ) throws {
        let (library, old) = try greedyLibrary(kind)
        let bob = library.insert("Author", ["name": "Bob"]), tag = library.insert("Tag", ["label": "stored"])
        try library.context.save()
        let new = library.insert("Book", ["isbn": "1", "author": bob])
        new.setValue(NSSet(array: [tag, library.insert("Tag", ["label": "new"])]), forKey: "tags")
        library.context.mergePolicy = NSMergePolicy(merge: type)
        try library.context.save()
        let reader = library.newContext(), isRollback = type == .rollbackMergePolicyType
        let book = try #require(try library.fetch("Book", in: reader).first)
        #expect(book.objectID == old.objectID && book.one("author")?.text("name") == "Ada")
        #expect(labels(book.many("tags"), "label") == (isRollback ? ["old"] : ["new", "old", "stored"]))
        #expect(labels(try library.fetch("Author", in: reader), "name") == ["Ada", "Bob"])
        #expect(
            labels(try library.fetch("Tag", in: reader), "label")
                == (isRollback ? ["old", "stored"] : ["new", "old", "stored"]))
    }
}
