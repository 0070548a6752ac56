// Undoing what somebody else has changed since.

import CoreData
import Testing

@Suite struct StaleUndoTests {
    /// Which objects the context has read after its save, and before somebody else's.
    static let readings: [[String]] = (0..<8).map { bits in
        ["first", "second", "passport"].enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
    }

    // Both sides of a relationship agree: "Core Data Programming Guide", relationships and their inverses.
    @Test(arguments: StoreKind.allCases, readings)
    func `an undone link takes its object from whoever has got it meanwhile`(
        _ kind: StoreKind, _ read: [String]
    ) throws {
        let library = try Library(kind)
        let context = library.context
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let objects = [
            "first": library.insert("Author", ["name": "a"]), "second": library.insert("Author", ["name": "b"]),
            "passport": library.insert("Passport", ["number": "1"]),
        ]
        objects["passport"]?.setValue(objects["first"], forKey: "owner")
        try context.save()
        context.undoManager = UndoManager()
        objects["passport"]?.setValue(nil, forKey: "owner")
        try context.save()
        context.refreshAllObjects()
        for name in read { _ = objects[name]?.committedValues(forKeys: nil) }
        let other = library.newContext()
        let passport = try other.existingObject(with: #require(objects["passport"]).objectID)
        passport.setValue(try other.existingObject(with: #require(objects["second"]).objectID), forKey: "owner")
        try other.save()
        context.undo()
        try context.save()
        let reader = library.newContext()
        let owners = try library.fetch("Author", sortedBy: "name", in: reader)
        #expect(owners.map { $0.one("passport") != nil } == [true, false])
        #expect(try library.fetch("Passport", in: reader).first?.one("owner") === owners[0])
    }

    // In a refresh the member comes before its owner, or after it.
    @Test(arguments: StoreKind.allCases, [("Book", false), ("Book", true), ("Novel", false), ("Novel", true)])
    func `a link that is made again where somebody has taken it away meanwhile goes with a refresh, on both sides`(
        _ kind: StoreKind, _ given: (entity: String, reads: Bool)
    ) throws {
        let (entity, reads) = given
        let library = try Library(kind)
        _ = library.insert(entity, ["title": "b"])
        _ = library.insert("Chapter", ["heading": "c"])
        try library.context.save()
        let (context, other) = (library.newContext(), library.newContext())
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        context.undoManager = UndoManager()
        let book = try #require(try library.fetch(entity, in: context).first)
        let chapter = try #require(try library.fetch("Chapter", in: context).first)
        chapter.setValue(book, forKey: "book")
        try context.save()
        let saves = PostedNotifications(.NSManagedObjectContextDidSave, from: other)
        try other.existingObject(with: book.objectID).setValue("d", forKey: "title")
        try other.save()
        context.mergeChanges(fromContextDidSave: try #require(saves.notifications.last))
        context.undo()
        try other.existingObject(with: chapter.objectID).setValue(nil, forKey: "book")
        try other.save()
        context.redo()
        if reads { #expect(book.ordered("chapters") == [chapter] && chapter.one("book") === book) }
        context.refreshAllObjects()
        #expect(book.ordered("chapters").isEmpty && chapter.one("book") == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `a member that leaves an order and comes back is the last one after a refresh, too`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let made = library.insert("Book", ["title": "b"])
        for heading in ["a", "b", "c"] {
            library.insert("Chapter", ["heading": heading]).setValue(made, forKey: "book")
        }
        try library.context.save()
        for reads in [false, true] {
            let context = library.newContext()
            let book = try #require(try library.fetch("Book", in: context).first)
            let chapter = try library.fetch("Chapter", sortedBy: "heading", in: context)[0]
            chapter.setValue(nil, forKey: "book")
            chapter.setValue(book, forKey: "book")
            if reads { _ = book.ordered("chapters") }
            context.refreshAllObjects()
            #expect(book.ordered("chapters").map { $0.value(forKey: "heading") as? String } == ["b", "c", "a"])
        }
    }

    @Test(arguments: StoreKind.allCases, readings)
    func `an undone deletion leaves both sides in agreement where somebody has given another partner meanwhile`(
        _ kind: StoreKind, _ read: [String]
    ) throws {
        let library = try Library(kind)
        let made = library.insert("Author", ["name": "a"])
        let passports = [library.insert("Passport", ["number": "1"]), library.insert("Passport", ["number": "2"])]
        passports[0].setValue(made, forKey: "owner")
        try library.context.save()
        let (context, other) = (library.newContext(), library.newContext())
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        context.undoManager = UndoManager()
        let author = try library.fetch("Author", in: context)[0]
        let known = try library.fetch("Passport", sortedBy: "number", in: context)
        if read.contains("first") { _ = author.one("passport")?.value(forKey: "number") }
        try other.existingObject(with: passports[1].objectID)
            .setValue(other.existingObject(with: made.objectID), forKey: "owner")
        try other.save()
        if read.contains("second") { context.refresh(known[0], mergeChanges: false) }
        if read.contains("passport") { context.refresh(known[1], mergeChanges: false) }
        context.delete(author)
        context.processPendingChanges()
        context.undo()
        try context.save()
        let reader = library.newContext()
        let stored = try library.fetch("Author", in: reader)[0]
        let owners = try library.fetch("Passport", sortedBy: "number", in: reader).filter { $0.one("owner") != nil }
        #expect(owners == [stored.one("passport")].compactMap(\.self), "\(read)")
    }

    // A refresh keeps unsaved changes, also those of an object whose deletion can be undone.
    @Test(arguments: StoreKind.allCases)
    func `an undone deletion brings unsaved changes back that a refresh has met`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context
        let author = library.insert("Author", ["name": "a"]), book = library.insert("Book", ["title": "b"])
        let tag = library.insert("Tag", ["label": "t"]), chapter = library.insert("Chapter", ["heading": "c"])
        chapter.setValue(book, forKey: "book")
        try context.save()
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        book.setValue("changed", forKey: "title")
        book.setValue(author, forKey: "author")
        book.mutableSetValue(forKey: "tags").add(tag)
        chapter.setValue(nil, forKey: "book")
        context.processPendingChanges()
        context.delete(book)
        context.processPendingChanges()
        for _ in 0..<2 {
            context.refreshAllObjects()
            context.undo()
            #expect(book.text("title") == "changed" && book.one("author") === author && book.many("tags") == [tag])
            #expect(tag.many("books") == [book] && book.ordered("chapters").isEmpty && chapter.one("book") == nil)
            context.redo()
            #expect(book.isDeleted && tag.many("books").isEmpty)
        }
        context.undo()
        try context.save()
        let stored = try #require(try library.fetch("Book", in: library.newContext()).first)
        #expect(stored.text("title") == "changed" && stored.one("author") != nil && stored.many("tags").count == 1)
        #expect(stored.ordered("chapters").isEmpty)
    }

    @Test(arguments: StoreKind.allCases, ["moved", "taken out", "deleted"])
    func `a member comes back to its place in an order that nobody has read`(_ kind: StoreKind, _ end: String) throws {
        let library = try Library(kind)
        let made = library.insert("Book", ["title": "a"])
        _ = library.insert("Book", ["title": "b"])
        for heading in ["a", "b", "c"] {
            library.insert("Chapter", ["heading": heading]).setValue(made, forKey: "book")
        }
        try library.context.save()
        let context = library.newContext()
        context.undoManager = UndoManager()
        let books = try library.fetch("Book", sortedBy: "title", in: context)
        let chapter = try library.fetch("Chapter", sortedBy: "heading", in: context)[0]
        switch end {
        case "moved": chapter.setValue(books[1], forKey: "book")
        case "taken out": chapter.setValue(nil, forKey: "book")
        default: context.delete(chapter)
        }
        context.undo()
        #expect(books[0].ordered("chapters").map { $0.text("heading") } == ["a", "b", "c"])
        try context.save()
        let stored = try library.fetch("Book", sortedBy: "title", in: library.newContext())[0]
        #expect(stored.ordered("chapters").map { $0.text("heading") } == ["a", "b", "c"])
    }

    @Test(arguments: StoreKind.allCases)
    func `an undone deletion that a refresh has met has its order again`(_ kind: StoreKind) throws {
        let list = NSEntityDescription(), item = NSEntityDescription()
        (list.name, item.name) = ("List", "Item")
        LibraryModel.connect(list, "items", many: true, .nullifyDeleteRule, item, "list", many: false, ordered: true)
        let model = NSManagedObjectModel()
        model.entities = [list, item]
        let library = try Library(kind, model: model)
        let made = library.insert("List"), first = library.insert("Item", ["list": made])
        try library.context.save()
        let second = library.insert("Item", ["list": made])
        library.context.processPendingChanges()
        library.context.undoManager = UndoManager()
        library.context.delete(made)
        library.context.processPendingChanges()
        for object in [made, first] { library.context.refresh(object, mergeChanges: true) }
        library.context.undo()
        #expect(made.ordered("items") == [first, second])
        try library.context.save()
        let stored = try #require(try library.fetch("List", in: library.newContext()).first)
        #expect(stored.ordered("items").map(\.objectID) == [first.objectID, second.objectID])
    }
}
