// What a child's save does to its parent, and what the parent's saves do to the child.

import CoreData
import Synchronization
import Testing

@Suite struct ChildContextSavingTests {
    @Test(arguments: StoreKind.allCases)
    func `a save goes one level up and writes nothing`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let changed = library.insert("Author", ["name": "Ada"]), deleted = library.insert("Author", ["name": "Bea"])
        try library.context.save()
        let counting = try library.counting()
        let child = library.newChild()
        try child.existingObject(with: changed.objectID).setValue("Cora", forKey: "name")
        child.delete(try child.existingObject(with: deleted.objectID))
        let new = child.insert("Author", ["name": "Dora"])
        try child.save()
        #expect(!child.hasChanges && !new.isInserted && new.objectID.isTemporaryID)
        #expect(changed.text("name") == "Cora" && changed.isUpdated && deleted.isDeleted)
        let mine = try #require(library.context.insertedObjects.first)
        #expect(mine.objectID == new.objectID && mine !== new && mine.text("name") == "Dora")
        #expect(!counting.questions.contains { $0.hasPrefix("save") })
        #expect(
            try library.fetch("Author", sortedBy: "name", in: library.newContext()).map { $0.text("name") } == [
                "Ada", "Bea",
            ])
        try library.context.save()
        #expect(counting.questions.last == "save 1 1 1")
        #expect(
            try library.fetch("Author", sortedBy: "name", in: library.newContext()).map { $0.text("name") } == [
                "Cora", "Dora",
            ])
        library.context.checkInvariants()
        child.checkInvariants()
    }

    @Test func `[P] the parent announces the changes, and the child's notification has temporary IDs`() throws {
        let library = try Library(.inMemory)
        let child = library.newChild()
        let log = Mutex<[String]>([])
        let inserted = Mutex<Set<NSManagedObjectID>>([])
        let names: [Notification.Name] = [
            .NSManagedObjectContextWillSave, .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSave,
            .NSManagedObjectContextDidSaveObjectIDs,
        ]
        let parent = library.context
        let tokens = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
                let context = note.object as? NSManagedObjectContext
                guard context === parent || context === child else { return }
                let who = context === child ? "child" : "parent"
                log.withLock {
                    $0.append(
                        "\(who) \(name.rawValue.contains("ObjectIDs") ? "IDs" : name.rawValue.contains("DidSave") ? "saved" : name.rawValue.contains("WillSave") ? "will" : "changed")"
                    )
                }
                if let ids = note.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> {
                    inserted.withLock { $0 = ids }
                }
            }
        }
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        let new = child.insert("Author", ["name": "Ada"])
        try child.save()
        #expect(
            log.withLock { $0 } == ["child changed", "child will", "parent changed", "child saved", "child IDs"])
        #expect(inserted.withLock { $0 } == [new.objectID] && new.objectID.isTemporaryID)
    }

    @Test(arguments: StoreKind.allCases)
    func `IDs become permanent in every generation when the root saves`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let child = library.newChild(), grandchild = library.newChild(of: child)
        let author = grandchild.insert("Author", ["name": "Ada"])
        let book = grandchild.insert("Book", ["title": "b", "author": author])
        let temporary = author.objectID
        try grandchild.save()
        let middle = try child.existingObject(with: temporary)
        try child.save()
        let mine = try library.context.existingObject(with: temporary)
        #expect([author, middle, mine].allSatisfy { $0.objectID == temporary })
        try library.context.save()
        #expect(!mine.objectID.isTemporaryID)
        #expect(author.objectID == mine.objectID && middle.objectID == mine.objectID)
        #expect(grandchild.registeredObject(for: mine.objectID) === author)
        #expect(grandchild.object(with: temporary) === author && child.object(with: temporary) === middle)
        #expect(try library.fetch("Author", in: grandchild) == [author] && author.many("books") == [book])
        author.setValue("Bea", forKey: "name")
        try grandchild.save()
        try child.save()
        try library.context.save()
        #expect(try library.fetch("Author", in: library.newContext()).map { $0.text("name") } == ["Bea"])
        for context in [grandchild, child, library.context] { context.checkInvariants() }
    }

    // Apple, "obtainPermanentIDs(for:)": the objects get the IDs that they have in the store. Asked for before anything else has told the
    // child of the save; that the ID is that of the row then is assumed.
    @Test(arguments: StoreKind.allCases)
    func `permanent IDs that a child asks for are those of the rows`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let child = library.newChild(), grandchild = library.newChild(of: child)
        let author = grandchild.insert("Author", ["name": "Ada"])
        let book = child.insert("Book", ["title": "b"])
        try grandchild.save()
        try child.save()
        try library.context.save()
        try grandchild.obtainPermanentIDs(for: [author])
        try child.obtainPermanentIDs(for: [book])
        let fresh = library.newContext()
        #expect(try library.fetch("Author", in: fresh).map(\.objectID) == [author.objectID])
        #expect(try library.fetch("Book", in: fresh).map(\.objectID) == [book.objectID])
        author.setValue("Bea", forKey: "name")
        for context in [grandchild, child, library.context] { try context.save() }
        #expect(try library.fetch("Author", in: library.newContext()).map { $0.text("name") } == ["Bea"])
    }

    // The sibling has read the book while its author had a temporary ID.
    @Test(arguments: StoreKind.allCases)
    func `a link read under a temporary ID is one to the object with the permanent ID`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"]), book = library.insert("Book", ["author": author])
        let child = library.newChild()
        let mine = try child.existingObject(with: book.objectID), owner = child.object(with: author.objectID)
        #expect(mine.value(forKey: "title") == nil)
        try library.context.save()
        #expect(mine.changedValues().isEmpty && mine.one("author") === owner)
        child.delete(owner)
        try child.save()
        #expect(author.isDeleted)
        try library.context.save()
        #expect(try library.fetch("Author", in: library.newContext()).isEmpty)
        child.checkInvariants()
    }

    @Test(arguments: StoreKind.allCases)
    func `relationships of all kinds are handed up`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"]), other = library.insert("Author", ["name": "Bea"])
        let book = library.insert("Book", ["title": "b", "author": author])
        let one = library.insert("Chapter", ["heading": "1", "book": book])
        let two = library.insert("Chapter", ["heading": "2", "book": book])
        let tag = library.insert("Tag", ["label": "t"]), gone = library.insert("Tag", ["label": "g"])
        book.mutableSetValue(forKey: "tags").add(gone)
        try library.context.save()
        let child = library.newChild()
        let theirs = try child.existingObject(with: book.objectID)
        theirs.setValue(try child.existingObject(with: other.objectID), forKey: "author")
        let three = child.insert("Chapter", ["heading": "3"])
        theirs.setValue(
            NSOrderedSet(array: [child.object(with: two.objectID), three, child.object(with: one.objectID)]),
            forKey: "chapters")
        theirs.mutableSetValue(forKey: "tags").remove(child.object(with: gone.objectID))
        theirs.mutableSetValue(forKey: "tags").add(child.object(with: tag.objectID))
        child.insert("Tag", ["label": "n"]).mutableSetValue(forKey: "books").add(theirs)
        _ = child.insert("Passport", ["owner": child.object(with: other.objectID), "number": "7"])
        try child.save()
        func check(_ book: NSManagedObject) {
            #expect(book.one("author")?.text("name") == "Bea")
            #expect(book.one("author")?.many("books") == [book])
            #expect(book.one("author")?.one("passport")?.text("number") == "7")
            #expect(book.ordered("chapters").map { $0.text("heading") } == ["2", "3", "1"])
            #expect(Set(book.many("tags").map { $0.text("label") }) == ["t", "n"])
        }
        check(book)
        #expect(author.many("books").isEmpty && gone.many("books").isEmpty)
        library.context.checkInvariants()
        try library.context.save()
        check(try library.fetch("Book", in: library.newContext())[0])
        check(theirs)
    }

    @Test(arguments: StoreKind.allCases)
    func `a deletion in the child takes nothing along that its object had let go`(_ kind: StoreKind) throws {
        let (library, made, parts) = try Library.owned(kind)
        let child = library.newChild()
        let owner = try child.existingObject(with: made.objectID)
        owner.setValue(nil, forKey: "part")
        owner.mutableSetValue(forKey: "parts").remove(try child.existingObject(with: parts[1].objectID))
        child.delete(owner)
        try child.save()
        #expect(parts.map(\.isDeleted) == [false, false, true, false])
        try library.context.save()
        let stored = try library.fetch("Part", sortedBy: "name", in: library.newContext())
        #expect(stored.map { $0.text("name") } == ["a", "b", "d"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a cascade in the child reaches the store`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"]), tag = library.insert("Tag", ["label": "t"])
        let book = library.insert("Book", ["author": author])
        book.mutableSetValue(forKey: "tags").add(tag)
        _ = library.insert("Chapter", ["book": book])
        try library.context.save()
        let child = library.newChild()
        child.delete(try child.existingObject(with: author.objectID))
        try child.save()
        #expect(library.context.deletedObjects.count == 3)
        #expect(tag.many("books").isEmpty)
        try library.context.save()
        let fresh = library.newContext()
        for entity in ["Author", "Book", "Chapter"] { #expect(try library.fetch(entity, in: fresh).isEmpty) }
        #expect(try library.fetch("Tag", in: fresh).count == 1)
    }

    @Test func `an object inserted and deleted in children never reaches the store`() throws {
        let library = try Library(.inMemory)
        let child = library.newChild()
        let author = child.insert("Author", ["name": "Ada"])
        try child.save()
        #expect(library.context.insertedObjects.count == 1)
        child.delete(author)
        try child.save()
        #expect(library.context.insertedObjects.isEmpty && !library.context.hasChanges)
        #expect(author.managedObjectContext == nil)
    }

    @Test func `transient values are handed up`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let child = library.newChild()
        try child.existingObject(with: author.objectID).setValue("glad", forKey: "mood")
        _ = child.insert("Author", ["name": "Bea", "mood": "sad"])
        try child.save()
        #expect(author.text("mood") == "glad")
        #expect(library.context.insertedObjects.first?.text("mood") == "sad")
    }

    // MARK: Both have changed something

    // Ada (rating 1). The parent renames her Bea and rates 5; the child, which read her before, renames her Cora.
    @Test func `where both changed a property the child's value stands, the others stay`() throws {
        let library = try Library(.sqlite)
        let author = library.insert("Author", ["name": "Ada", "rating": 1.0])
        try library.context.save()
        let child = library.newChild()
        let theirs = try child.existingObject(with: author.objectID)
        author.setValue("Bea", forKey: "name")
        author.setValue(5.0, forKey: "rating")
        theirs.setValue("Cora", forKey: "name")
        try child.save()
        #expect(author.text("name") == "Cora" && author.value(forKey: "rating") as? Double == 5)
        try library.context.save()
        let stored = try library.fetch("Author", in: library.newContext())[0]
        #expect(stored.text("name") == "Cora" && stored.value(forKey: "rating") as? Double == 5)
        theirs.setValue("Dora", forKey: "name")
        try child.save()
        try library.context.save()
        #expect(try library.fetch("Author", in: library.newContext())[0].text("name") == "Dora")
    }

    @Test func `members that only the parent knows stay behind the child's order`() throws {
        let library = try Library(.inMemory)
        let book = library.insert("Book", ["title": "b"])
        for heading in ["1", "2"] { _ = library.insert("Chapter", ["heading": heading, "book": book]) }
        try library.context.save()
        let child = library.newChild()
        let theirs = try child.existingObject(with: book.objectID)
        let chapters = theirs.ordered("chapters")
        _ = library.insert("Chapter", ["heading": "3", "book": book])
        theirs.setValue(NSOrderedSet(array: [chapters[1]]), forKey: "chapters")
        try child.save()
        #expect(book.ordered("chapters").map { $0.text("heading") } == ["2", "3"])
        library.context.checkInvariants()
    }

    @Test func `the child's order brings no member back that the parent has given away`() throws {
        let library = try Library(.inMemory)
        let book = library.insert("Book", ["title": "b"]), other = library.insert("Book", ["title": "o"])
        let chapters = (1...3).map { library.insert("Chapter", ["heading": "\($0)", "book": book]) }
        let free = library.insert("Chapter", ["heading": "4"])
        try library.context.save()
        let child = library.newChild()
        let theirs = try child.existingObject(with: book.objectID)
        let added = [child.insert("Chapter", ["heading": "5"]), try child.existingObject(with: free.objectID)]
        theirs.setValue(NSOrderedSet(array: added + theirs.ordered("chapters").reversed()), forKey: "chapters")
        chapters[1].setValue(other, forKey: "book")
        try child.save()
        #expect(book.ordered("chapters").map { $0.text("heading") } == ["5", "4", "3", "1"])
        #expect(other.ordered("chapters") == [chapters[1]] && chapters[1].one("book") === other)
        library.context.checkInvariants()
    }

    @Test func `changing what the parent has deleted is a conflict, and nothing is handed up`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"]), other = library.insert("Author", ["name": "Bea"])
        try library.context.save()
        let child = library.newChild()
        let theirs = try child.existingObject(with: author.objectID)
        library.context.delete(author)
        theirs.setValue("Cora", forKey: "name")
        try child.existingObject(with: other.objectID).setValue("Dora", forKey: "name")
        let error = #expect(throws: CocoaError.self) { try child.save() }
        #expect(error?.code == .managedObjectMerge)
        #expect(other.text("name") == "Bea" && theirs.isUpdated && theirs.text("name") == "Cora")
        child.mergePolicy = NSMergePolicy.rollback
        try child.save()
        #expect(other.text("name") == "Dora" && author.isDeleted && theirs.managedObjectContext == nil)
    }

    @Test func `deleting what the parent has deleted is none`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let child = library.newChild()
        child.delete(try child.existingObject(with: author.objectID))
        library.context.delete(author)
        try child.save()
        try library.context.save()
        #expect(try library.fetch("Author").isEmpty)
    }

    // MARK: Failures

    @Test func `the child's own save validates, and nothing is handed up`() throws {
        let library = try Library(.inMemory)
        let child = library.newChild()
        let author = child.insert("Author")
        let error = #expect(throws: CocoaError.self) { try child.save() }
        #expect(error?.code == .validationMissingMandatoryProperty)
        #expect(author.isInserted && !library.context.hasChanges)
        author.setValue("Ada", forKey: "name")
        try child.save()
        #expect(library.context.insertedObjects.count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a save of the root that fails keeps what the child has handed up`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let child = library.newChild()
        let author = child.insert("Author", ["name": "Ada"])
        let book = child.insert("Book", ["isbn": "1", "author": author]), copy = child.insert("Book", ["isbn": "1"])
        try child.save()
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(error?.code == .managedObjectConstraintMerge)
        #expect(author.objectID.isTemporaryID && library.context.insertedObjects.count == 3)
        #expect(library.context.insertedObjects.allSatisfy { $0.objectID.isTemporaryID })
        copy.setValue("2", forKey: "isbn")
        try child.save()
        try library.context.save()
        #expect(try library.fetch("Book", in: library.newContext()).count == 2)
        #expect(!book.objectID.isTemporaryID && child.registeredObject(for: book.objectID) === book)
        library.context.checkInvariants()
        child.checkInvariants()
    }

    // MARK: Going back

    @Test func `rollback and reset in the child leave the parent alone`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        let book = library.insert("Book", ["title": "b", "author": author])
        let child = library.newChild()
        let theirs = try child.existingObject(with: author.objectID)
        theirs.setValue("Bea", forKey: "name")
        _ = child.insert("Book", ["author": theirs])
        child.delete(child.object(with: book.objectID))
        child.processPendingChanges()
        child.rollback()
        #expect(!child.hasChanges && theirs.text("name") == "Ada" && theirs.many("books").count == 1)
        child.checkInvariants()
        theirs.setValue("Cora", forKey: "name")
        child.reset()
        #expect(!child.hasChanges && theirs.managedObjectContext == nil)
        #expect(try library.fetch("Author", in: child).map { $0.text("name") } == ["Ada"])
        #expect(author.text("name") == "Ada" && library.context.insertedObjects.count == 2)
    }

    @Test func `what the parent rolls back is gone for the child`() throws {
        let library = try Library(.inMemory)
        let child = library.newChild()
        let author = child.insert("Author", ["name": "Ada"])
        try child.save()
        library.context.rollback()
        #expect(try library.fetch("Author", in: child).isEmpty)
        author.setValue("Bea", forKey: "name")
        #expect(throws: CocoaError.self) { try child.save() }
        child.refresh(author, mergeChanges: false)
        #expect(author.text("name") == nil && author.isDeleted)
    }

    // MARK: IDs and stores

    @Test func `permanent IDs can be obtained before anything is saved`() throws {
        let library = try Library(.sqlite)
        let child = library.newChild(), grandchild = library.newChild(of: child)
        let new = grandchild.insert("Author", ["name": "Ada"]), saved = grandchild.insert("Author", ["name": "Bea"])
        try grandchild.obtainPermanentIDs(for: [new])
        #expect(!new.objectID.isTemporaryID && new.isInserted && saved.objectID.isTemporaryID)
        try grandchild.save()
        try grandchild.obtainPermanentIDs(for: [saved])
        #expect(!saved.objectID.isTemporaryID)
        #expect(Set(child.insertedObjects.map(\.objectID)) == [new.objectID, saved.objectID])
        let ids = [new.objectID, saved.objectID]
        try child.save()
        try library.context.save()
        #expect(Set(try library.fetch("Author", in: library.newContext()).map(\.objectID)) == Set(ids))
    }

    @Test func `an object goes to the store that the child has assigned it to`() throws {
        let library = try Library(.sqlite)
        let second = try library.coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let child = library.newChild()
        let author = child.insert("Author", ["name": "Ada"])
        child.assign(author, to: second)
        try child.save()
        try library.context.save()
        #expect(author.objectID.persistentStore === second)
        #expect(try library.fetch("Author", in: child) == [author])
    }
}
