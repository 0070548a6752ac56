// Undo and redo in a context.

import CoreData
import Synchronization
import TestSupport
import Testing

@Suite struct ContextUndoTests {
    /// A library whose context notes each `processPendingChanges()` as a group of its own.
    private func undoing(_ kind: StoreKind = .inMemory) throws -> (Library, UndoManager) {
        let library = try Library(kind)
        let manager = UndoManager()
        manager.groupsByEvent = false
        library.context.undoManager = manager
        return (library, manager)
    }

    @Test func `[P] a context has no undo manager unless it gets one`() throws {
        let library = try Library(.inMemory)
        #expect(library.context.undoManager == nil)
        let author = library.insert("Author", ["name": "Ada"])
        library.context.processPendingChanges()
        library.context.undo()
        library.context.redo()
        #expect(author.isInserted)
        library.context.undoManager = UndoManager()
        #expect(library.context.undoManager?.canUndo == false)
    }

    @Test func `changes of attributes are undone event by event and redone`() throws {
        let (library, _) = try undoing()
        let author = library.insert("Author", ["name": "Ada", "rating": 1.0])
        try library.context.save()
        author.setValue("Bea", forKey: "name")
        author.setValue(2.0, forKey: "rating")
        library.context.processPendingChanges()
        author.setValue("Cora", forKey: "name")
        library.context.undo()
        #expect(author.text("name") == "Bea" && author.value(forKey: "rating") as? Double == 2)
        library.context.undo()
        #expect(author.text("name") == "Ada" && author.value(forKey: "rating") as? Double == 1)
        library.context.redo()
        library.context.redo()
        #expect(author.text("name") == "Cora")
        library.context.undo()
        try library.context.save()
        #expect(try library.fetch("Author", in: library.newContext())[0].text("name") == "Bea")
        library.context.checkInvariants()
    }

    @Test(arguments: StoreKind.allCases)
    func `what has been changed back is no change any more, and one again when it is redone`(_ kind: StoreKind) throws {
        let (library, _) = try undoing(kind)
        let author = library.insert("Author", ["name": "Ada"]), book = library.insert("Book", ["title": "b"])
        try library.context.save()
        author.setValue("Bea", forKey: "name")
        library.context.processPendingChanges()
        book.setValue(author, forKey: "author")
        library.context.processPendingChanges()
        library.context.undo()
        #expect(!book.hasChanges && author.changedValues().keys.sorted() == ["name"])
        library.context.undo()
        #expect(!author.hasChanges && library.context.updatedObjects.isEmpty && !library.context.hasChanges)
        library.context.checkInvariants()
        library.context.redo()
        #expect(author.isUpdated && author.text("name") == "Bea" && library.context.hasChanges)
        library.context.redo()
        try library.context.save()
        #expect(try library.fetch("Book", in: library.newContext())[0].one("author")?.text("name") == "Bea")
        library.context.checkInvariants()
    }

    @Test func `undoing takes time in proportion to the number of deleted objects`() throws {
        func deleted(_ count: Int) throws -> Library {
            let (library, _) = try undoing()
            let books = (0..<count).map { library.insert("Book", ["title": "\($0)"]) }
            try library.context.save()
            books.forEach(library.context.delete)
            library.context.processPendingChanges()
            return library
        }
        func undoAndRedo(_ library: Library) {
            library.context.undo()
            library.context.redo()
        }
        let small = try deleted(500), large = try deleted(2000)
        let ratio = Growth.ratio(small: { undoAndRedo(small) }, large: { undoAndRedo(large) })
        #expect(ratio < 8, "\(ratio)")
        large.context.undo()
        #expect(large.context.deletedObjects.isEmpty && !large.context.hasChanges)
        large.context.checkInvariants()
    }

    @Test func `an insertion is undone and redone, relationships included`() throws {
        let (library, _) = try undoing()
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let book = library.insert("Book", ["title": "b", "author": author])
        let id = book.objectID
        library.context.processPendingChanges()
        library.context.undo()
        #expect(book.managedObjectContext == nil && library.context.insertedObjects.isEmpty)
        #expect(author.many("books").isEmpty && library.context.registeredObject(for: id) == nil)
        library.context.redo()
        #expect(book.managedObjectContext === library.context && book.isInserted && book.text("title") == "b")
        #expect(author.many("books") == [book] && book.one("author") === author && book.objectID == id)
        library.context.checkInvariants()
        try library.context.save()
        #expect(try library.fetch("Book", in: library.newContext())[0].one("author")?.text("name") == "Ada")
    }

    @Test(arguments: StoreKind.allCases)
    func `a deletion is undone with all that its rules did`(_ kind: StoreKind) throws {
        let (library, _) = try undoing(kind)
        let author = library.insert("Author", ["name": "Ada"]), tag = library.insert("Tag", ["label": "t"])
        let book = library.insert("Book", ["title": "b", "author": author])
        book.mutableSetValue(forKey: "tags").add(tag)
        let chapters = ["1", "2"].map { library.insert("Chapter", ["heading": $0, "book": book]) }
        try library.context.save()
        library.context.delete(author)
        library.context.processPendingChanges()
        #expect(library.context.deletedObjects.count == 4 && tag.many("books").isEmpty)
        library.context.undo()
        #expect(library.context.deletedObjects.isEmpty)
        #expect(author.many("books") == [book] && tag.many("books") == [book])
        #expect(book.ordered("chapters") == chapters && chapters[0].one("book") === book)
        library.context.checkInvariants()
        library.context.redo()
        #expect(
            library.context.deletedObjects == [author, book, chapters[0], chapters[1]] && tag.many("books").isEmpty)
        try library.context.save()
        #expect(try library.fetch("Book", in: library.newContext()).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a saved deletion is undone by inserting anew`(_ kind: StoreKind) throws {
        let (library, _) = try undoing(kind)
        let author = library.insert("Author", ["name": "Ada"])
        let book = library.insert("Book", ["title": "b", "author": author]), tag = library.insert("Tag", ["label": "t"])
        book.mutableSetValue(forKey: "tags").add(tag)
        try library.context.save()
        let old = author.objectID
        library.context.delete(author)
        try library.context.save()
        #expect(author.managedObjectContext == nil && tag.many("books").isEmpty)
        library.context.undo()
        #expect(author.isInserted && book.isInserted && author.objectID != old)
        #expect(author.text("name") == "Ada" && author.many("books") == [book] && tag.many("books") == [book])
        library.context.checkInvariants()
        try library.context.save()
        let fresh = library.newContext()
        let found = try library.fetch("Book", in: fresh)
        #expect(found.count == 1 && found[0].one("author")?.text("name") == "Ada" && found[0].many("tags").count == 1)
        library.context.redo()
        try library.context.save()
        #expect(try library.fetch("Author", in: library.newContext()).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `relationships that nobody has read are undone, also after a save`(_ kind: StoreKind) throws {
        let (library, _) = try undoing(kind)
        let author = library.insert("Author", ["name": "Ada"]), other = library.insert("Author", ["name": "Bea"])
        let book = library.insert("Book", ["title": "b", "author": author])
        try library.context.save()
        library.context.refreshAllObjects()
        book.setValue(other, forKey: "author")
        #expect(author.hasFault(forRelationshipNamed: "books"))
        try library.context.save()
        library.context.undo()
        #expect(book.one("author") === author && author.many("books") == [book] && other.many("books").isEmpty)
        try library.context.save()
        #expect(try library.fetch("Book", in: library.newContext())[0].one("author")?.text("name") == "Ada")
        library.context.redo()
        #expect(book.one("author") === other && other.many("books") == [book])
        library.context.checkInvariants()
    }

    @Test(arguments: StoreKind.allCases, [NSDeleteRule.nullifyDeleteRule, .noActionDeleteRule])
    func `a saved deletion is undone with the relationships that its rules don't read`(
        _ kind: StoreKind, _ rule: NSDeleteRule
    ) throws {
        let model = LibraryModel.make()
        let author = try #require(model.entitiesByName["Author"]), book = try #require(model.entitiesByName["Book"])
        let wishes = NSRelationshipDescription()
        wishes.name = "wishes"
        wishes.destinationEntity = book
        wishes.maxCount = 0
        wishes.isOptional = true
        wishes.deleteRule = rule
        author.properties += [wishes]
        LibraryModel.connect(author, "drafts", many: true, rule, book, "drafter", many: false)
        let library = try Library(kind, model: model)
        let made = library.insert("Author", ["name": "Ada"])
        made.mutableSetValue(forKey: "wishes").add(library.insert("Book", ["title": "w"]))
        _ = library.insert("Book", ["title": "d", "drafter": made])
        try library.context.save()
        for isChanged in [false, true] {
            let context = library.newContext(), reader = library.newContext()
            context.undoManager = UndoManager()
            let same = try #require(try library.fetch("Author", in: context).first)
            // What an object with changes was is kept from the event before.
            if isChanged { same.setValue("Bea", forKey: "name") }
            context.processPendingChanges()
            context.delete(same)
            try context.save()
            #expect(try library.fetch("Author", in: reader).isEmpty)
            context.undo()
            try context.save()
            let found = try #require(try library.fetch("Author", in: reader).first)
            #expect(found.text("name") == "Ada")
            #expect(found.many("wishes").map { $0.text("title") } == ["w"], "\(isChanged)")
            #expect(found.many("drafts").map { $0.text("title") } == ["d"], "\(isChanged)")
            #expect(found.many("drafts").first?.one("drafter") === found)
            context.redo()
            try context.save()
            #expect(try library.fetch("Author", in: reader).isEmpty)
            context.undo()
            try context.save()
            context.checkInvariants()
        }
    }

    @Test func `the order of a relationship is undone`() throws {
        let (library, _) = try undoing()
        let book = library.insert("Book")
        let chapters = ["1", "2", "3"].map { library.insert("Chapter", ["heading": $0, "book": book]) }
        library.context.processPendingChanges()
        book.setValue(NSOrderedSet(array: [chapters[2], chapters[0]]), forKey: "chapters")
        library.context.processPendingChanges()
        library.context.undo()
        #expect(book.ordered("chapters") == chapters && chapters[1].one("book") === book)
        library.context.redo()
        #expect(book.ordered("chapters") == [chapters[2], chapters[0]] && chapters[1].one("book") == nil)
        library.context.checkInvariants()
    }

    @Test func `an insertion that was saved is undone by a deletion`() throws {
        let (library, _) = try undoing(.sqlite)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        library.context.undo()
        #expect(author.isDeleted && library.context.deletedObjects == [author])
        try library.context.save()
        #expect(try library.fetch("Author", in: library.newContext()).isEmpty)
        library.context.redo()
        #expect(author.isInserted && author.text("name") == "Ada")
        try library.context.save()
        #expect(try library.fetch("Author", in: library.newContext()).count == 1)
    }

    @Test func `rollback and reset leave nothing to undo`() throws {
        let (library, manager) = try undoing()
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        #expect(manager.canUndo)
        author.setValue("Bea", forKey: "name")
        library.context.rollback()
        #expect(!manager.canUndo && !manager.canRedo)
        author.setValue("Cora", forKey: "name")
        library.context.processPendingChanges()
        #expect(manager.canUndo)
        library.context.reset()
        #expect(!manager.canUndo)
    }

    @Test func `changes made while registration is off stay`() throws {
        let (library, manager) = try undoing()
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        manager.removeAllActions()
        library.context.processPendingChanges()
        manager.disableUndoRegistration()
        author.setValue("Bea", forKey: "name")
        library.context.processPendingChanges()
        manager.enableUndoRegistration()
        author.setValue(5.0, forKey: "rating")
        library.context.undo()
        #expect(author.text("name") == "Bea" && author.value(forKey: "rating") == nil)
        library.context.undo()
        #expect(author.text("name") == "Bea")
    }

    @Test func `without groups by hand all events until the undo are one`() throws {
        let library = try Library(.inMemory)
        library.context.undoManager = UndoManager()
        let author = library.insert("Author", ["name": "Ada"])
        library.context.processPendingChanges()
        author.setValue("Bea", forKey: "name")
        library.context.undo()
        #expect(author.managedObjectContext == nil)
        library.context.redo()
        #expect(author.text("name") == "Bea" && author.isInserted)
    }

    @Test func `an undo manager asked directly takes pending changes along`() throws {
        let (library, manager) = try undoing()
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        author.setValue("Bea", forKey: "name")
        manager.undo()
        #expect(author.text("name") == "Ada" && manager.canRedo)
    }

    @Test func `an undo is announced like any other change`() throws {
        let (library, _) = try undoing()
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        author.setValue("Bea", forKey: "name")
        library.context.processPendingChanges()
        let updated = Mutex(0)
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: library.context, queue: nil
        ) { note in
            let count = (note.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0
            updated.withLock { $0 += count }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        library.context.undo()
        #expect(updated.withLock { $0 } == 1)
    }

    @Test func `what a child hands up is one step of the parent`() throws {
        let (library, _) = try undoing()
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let child = library.newChild()
        let theirs = try child.existingObject(with: author.objectID)
        theirs.setValue("Bea", forKey: "name")
        _ = child.insert("Book", ["author": theirs])
        try child.save()
        #expect(author.many("books").count == 1)
        library.context.undo()
        #expect(author.text("name") == "Ada" && author.many("books").isEmpty && library.context.insertedObjects.isEmpty)
        library.context.redo()
        #expect(author.text("name") == "Bea" && author.many("books").count == 1)
        library.context.checkInvariants()
    }

    // The law: undoing all steps leads back through every state, redoing them forth again.
    @Test(arguments: 0..<30)
    func `random changes are undone and redone through every state`(_ seed: Int) throws {
        let (library, manager) = try undoing(seed.isMultiple(of: 2) ? .inMemory : .sqlite)
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<8 { try RandomStep(using: &random).run(in: library.context) }
        try library.context.save()
        library.context.processPendingChanges()
        manager.removeAllActions()
        var states = [try GraphText.text(of: library.context)]
        for _ in 0..<12 {
            let count = manager.undoCount
            try RandomStep(using: &random).run(in: library.context)
            if manager.undoCount > count { states.append(try GraphText.text(of: library.context)) }
            if Int.random(in: 0..<5, using: &random) == 0 { try library.context.save() }
        }
        func difference(_ expected: [String]) throws -> [String] {
            let found = try GraphText.text(of: library.context)
            return found.filter { !expected.contains($0) }.map { "+ \($0)" }
                + expected.filter { !found.contains($0) }.map { "- \($0)" }
        }
        for round in 0..<2 {
            for state in states.dropLast().reversed() {
                library.context.undo()
                let found = try difference(state)
                #expect(found == [], "seed \(seed), back, round \(round)")
                library.context.checkInvariants()
            }
            #expect(!manager.canUndo)
            for state in states.dropFirst() {
                library.context.redo()
                let found = try difference(state)
                #expect(found == [], "seed \(seed), forth, round \(round)")
                library.context.checkInvariants()
            }
            try library.context.save()
        }
    }
}
