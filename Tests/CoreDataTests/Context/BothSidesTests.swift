// The two sides of a relationship agree, whatever a conflict, a refresh, an undo or a child's save does to one of them. Each test is a
// run of the stress law that failed, shrunk to what it takes.

import CoreData
import Testing

@Suite struct BothSidesTests {
    // "Core Data Programming Guide": the delete rule nullify sets the inverse of the objects at the other end to null.
    @Test(arguments: StoreKind.allCases)
    func `a deletion takes itself out of members that were read before somebody else has put them there`(
        _ kind: StoreKind
    ) throws {
        let team = TestModel.entity("Team"), player = TestModel.entity("Player")
        LibraryModel.connect(team, "players", many: true, .nullifyDeleteRule, player, "team", many: false)
        let library = try Library(kind, model: TestModel.model([team, player]))
        let teams = [library.insert("Team"), library.insert("Team")]
        let made = library.insert("Player")
        made.setValue(teams[0], forKey: "team")
        try library.context.save()
        let (context, other) = (library.newContext(), library.newContext())
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let known = try library.fetch("Player", in: context)[0]
        #expect(known.one("team") != nil)
        try other.existingObject(with: made.objectID)
            .setValue(other.existingObject(with: teams[1].objectID), forKey: "team")
        try other.save()
        context.delete(try context.existingObject(with: teams[1].objectID))
        try context.save()
        #expect(try library.fetch("Player", in: library.newContext())[0].one("team") == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `a partner that was read before somebody else linked it loses its link where the other side gets a new one`(
        _ kind: StoreKind
    ) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "a"])
        let passports = ["1", "2"].map { library.insert("Passport", ["number": $0]) }
        try library.context.save()
        let (context, other) = (library.newContext(), library.newContext())
        let known = try library.fetch("Passport", sortedBy: "number", in: context)
        #expect(known.allSatisfy { $0.one("owner") == nil })
        try other.existingObject(with: passports[0].objectID)
            .setValue(other.existingObject(with: author.objectID), forKey: "owner")
        try other.save()
        let owner = try context.existingObject(with: author.objectID)
        known[0].setValue(owner, forKey: "owner")
        known[1].setValue(owner, forKey: "owner")
        try context.save()
        let stored = try library.fetch("Passport", sortedBy: "number", in: library.newContext())
        #expect(stored.map { $0.one("owner") != nil } == [false, true])
    }

    private func libraryWithTaggedBook(_ kind: StoreKind) throws -> Library {
        let library = try Library(kind)
        library.insert("Book", ["title": "b"]).setValue(
            NSSet(object: library.insert("Tag", ["label": "t"])), forKey: "tags")
        try library.context.save()
        return library
    }

    // "Core Data Programming Guide": both sides of a relationship agree.
    @Test(arguments: StoreKind.allCases, ["tags", "books"])
    func `a link that was there already is none that a refresh brings back on one side`(
        _ kind: StoreKind, _ read: String
    ) throws {
        let library = try libraryWithTaggedBook(kind)
        let (context, other) = (library.newContext(), library.newContext())
        let book = try library.fetch("Book", in: context)[0], tag = try library.fetch("Tag", in: context)[0]
        book.mutableSetValue(forKey: "tags").add(tag)
        _ = read == "tags" ? book.many("tags") : tag.many("books")
        try library.fetch("Book", in: other)[0].setValue(NSSet(), forKey: "tags")
        try other.save()
        context.refreshAllObjects()
        #expect(book.many("tags").isEmpty && tag.many("books").isEmpty)
    }

    // The same, where the other side's members were read before somebody else linked the two.
    @Test(arguments: StoreKind.allCases, [(true, true), (true, false), (false, true), (false, false)])
    func `what the store says by now is no change on either side`(
        _ kind: StoreKind, _ given: (isAdding: Bool, refreshesTag: Bool)
    ) throws {
        let library = try libraryWithTaggedBook(kind)
        let (context, other) = (library.newContext(), library.newContext())
        let book = try library.fetch("Book", in: context)[0], tag = try library.fetch("Tag", in: context)[0]
        func set(_ isLinked: Bool) throws {
            let tags = isLinked ? NSSet(array: try library.fetch("Tag", in: other)) : NSSet()
            try library.fetch("Book", in: other)[0].setValue(tags, forKey: "tags")
            try other.save()
        }
        try set(!given.isAdding)
        #expect(book.many("tags").isEmpty == given.isAdding && tag.many("books").isEmpty == given.isAdding)
        book.setValue(given.isAdding ? NSSet(object: tag) : NSSet(), forKey: "tags")
        try set(given.isAdding)
        context.refresh(given.refreshesTag ? tag : book, mergeChanges: true)
        #expect(book.many("tags").isEmpty != given.isAdding && tag.many("books").isEmpty != given.isAdding)
        try set(!given.isAdding)
        context.refreshAllObjects()
        #expect(book.many("tags").isEmpty == given.isAdding && tag.many("books").isEmpty == given.isAdding)
    }

    /// Two contexts on one store: ours, the library's, and theirs.
    private struct Two {
        let library: Library
        let other: NSManagedObjectContext

        init(_ kind: StoreKind) throws {
            library = try Library(kind)
            other = library.newContext()
        }

        var context: NSManagedObjectContext { library.context }

        func theirs(_ object: NSManagedObject) throws -> NSManagedObject {
            try other.existingObject(with: object.objectID)
        }

        func stored(_ object: NSManagedObject) throws -> NSManagedObject {
            try library.newContext().existingObject(with: object.objectID)
        }

        /// An author with a passport, both saved.
        func authorWithPassport() throws -> (author: NSManagedObject, passport: NSManagedObject) {
            let author = library.insert("Author", ["name": "Ada"])
            let passport = library.insert("Passport", ["number": "1", "owner": author])
            try context.save()
            return (author, passport)
        }

        func bookWithTag() throws -> (book: NSManagedObject, tag: NSManagedObject) {
            let book = library.insert("Book", ["title": "b"]), tag = library.insert("Tag", ["label": "t"])
            book.mutableSetValue(forKey: "tags").add(tag)
            try context.save()
            return (book, tag)
        }
    }

    // MARK: Deleted objects

    // They change the author whose passport we have deleted.
    @Test(arguments: StoreKind.allCases, [1, 2, 3, 4] as [UInt])
    func `what a merge policy takes from the store doesn't lead back to a deleted object`(
        _ kind: StoreKind, _ policy: UInt
    ) throws {
        let two = try Two(kind)
        let (author, passport) = try two.authorWithPassport()
        try two.theirs(author).setValue("Ann", forKey: "name")
        try two.other.save()
        two.context.delete(passport)
        two.context.mergePolicy = NSMergePolicy(merge: try #require(NSMergePolicyType(rawValue: policy)))
        try two.context.save()
        #expect(author.one("passport") == nil)
        #expect(try two.stored(author).one("passport") == nil)
        two.context.checkInvariants()
    }

    @Test(arguments: StoreKind.allCases)
    func `a refreshed object doesn't lead back to a deleted one`(_ kind: StoreKind) throws {
        let two = try Two(kind)
        let (author, passport) = try two.authorWithPassport()
        two.context.delete(passport)
        two.context.processPendingChanges()
        two.context.refresh(author, mergeChanges: false)
        try two.context.save()
        #expect(author.one("passport") == nil)
        #expect(try two.stored(author).one("passport") == nil)
        two.context.checkInvariants()
    }

    // They give the author that we delete another book. The refresh settles the conflict; the book goes with her.
    @Test(arguments: StoreKind.allCases)
    func `a deletion that is refreshed follows its rules for what others have added`(_ kind: StoreKind) throws {
        let two = try Two(kind)
        let (author, _) = try two.authorWithPassport()
        two.context.delete(author)
        two.context.processPendingChanges()
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: two.other)
        book.setValue(try two.theirs(author), forKey: "author")
        try two.other.save()
        #expect(throws: CocoaError.self) { try two.context.save() }
        two.context.refreshAllObjects()
        try two.context.save()
        #expect(try two.library.fetch("Book", in: two.library.newContext()).isEmpty)
    }

    // Nobody has told of the deletion: what is true of a fault without a row is true of an object with changes.
    @Test(arguments: StoreKind.allCases)
    func `a refreshed object whose row is gone counts as deleted and stays in no relationship`(_ kind: StoreKind) throws
    {
        let two = try Two(kind)
        let (book, tag) = try two.bookWithTag()
        #expect(book.many("tags") == [tag])
        two.other.delete(try two.theirs(tag))
        try two.other.save()
        tag.setValue("u", forKey: "label")
        two.context.refresh(tag, mergeChanges: true)
        #expect(tag.isDeleted && !tag.isUpdated && book.many("tags").isEmpty)
        two.context.checkInvariants()
        try two.context.save()
    }

    // MARK: One to one

    @Test(arguments: StoreKind.allCases)
    func `a refreshed object whose partner was set free has none`(_ kind: StoreKind) throws {
        let two = try Two(kind)
        let (author, passport) = try two.authorWithPassport()
        author.setValue(nil, forKey: "passport")
        two.context.refresh(author, mergeChanges: false)
        two.context.processPendingChanges()
        two.context.checkInvariants()
        #expect(author.one("passport") == nil && passport.one("owner") == nil)
        try two.context.save()
        #expect(try two.stored(author).one("passport") == nil)
        #expect(try two.stored(passport).one("owner") == nil)
    }

    enum Meanwhile: CaseIterable { case given, exchanged, stolen, deleted }

    /// What they do to the author's passport, while we change her name and overwrite her as a whole.
    @Test(arguments: StoreKind.allCases, Meanwhile.allCases)
    func `an object that is overwritten as a whole has its partner, and that one has it`(
        _ kind: StoreKind, _ meanwhile: Meanwhile
    ) throws {
        let two = try Two(kind)
        let (author, passport) = try two.authorWithPassport()
        if meanwhile == .given {
            author.setValue(nil, forKey: "passport")
            try two.context.save()
        }
        func insertTheirs(_ entity: String, _ values: [String: Any]) {
            NSEntityDescription.insertNewObject(forEntityName: entity, into: two.other).setValuesForKeys(values)
        }
        switch meanwhile {
        case .given: try two.theirs(passport).setValue(two.theirs(author), forKey: "owner")
        case .exchanged: insertTheirs("Passport", ["number": "2", "owner": try two.theirs(author)])
        case .stolen: insertTheirs("Author", ["name": "Bea", "passport": try two.theirs(passport)])
        case .deleted: two.other.delete(try two.theirs(passport))
        }
        try two.other.save()
        author.setValue("Ann", forKey: "name")
        two.context.mergePolicy = NSMergePolicy.overwrite
        try two.context.save()
        two.context.checkInvariants()

        let stored = try two.stored(author), keeps = meanwhile == .exchanged || meanwhile == .stolen
        #expect(stored.text("name") == "Ann" && stored.one("passport")?.objectID == (keeps ? passport.objectID : nil))
        let all = try #require(stored.managedObjectContext)
        for other in try two.library.fetch("Passport", in: all) {
            #expect(other.one("owner") === (keeps && other === stored.one("passport") ? stored : nil))
        }
        for other in try two.library.fetch("Author", in: all) where other !== stored {
            #expect(other.one("passport") == nil)
        }
    }

    // Our new passport goes to the first author, then to the second; they give the second's old one to the first.
    @Test(arguments: StoreKind.allCases, [2, 3] as [UInt])
    func `an author who lost again what she had got keeps what others give her, or nothing, from both sides`(
        _ kind: StoreKind, _ policy: UInt
    ) throws {
        let two = try Two(kind)
        let (second, passport) = try two.authorWithPassport()
        let first = two.library.insert("Author", ["name": "Bea"])
        try two.context.save()
        let new = two.library.insert("Passport", ["number": "2", "owner": first])
        second.setValue(new, forKey: "passport")
        try two.theirs(first).setValue(two.theirs(passport), forKey: "passport")
        try two.other.save()
        two.context.mergePolicy = NSMergePolicy(merge: try #require(NSMergePolicyType(rawValue: policy)))
        try two.context.save()
        two.context.checkInvariants()
        #expect(try two.stored(second).one("passport")?.objectID == new.objectID)
        #expect(try two.stored(new).one("owner")?.objectID == second.objectID)
        let kept = try two.stored(first).one("passport")
        #expect(kept?.one("owner")?.objectID == kept.map { _ in first.objectID })
        #expect(try two.stored(passport).one("owner")?.objectID == kept.map { _ in first.objectID })
    }

    // We give an author's passport to another and refresh it; they give it to a third one.
    @Test(arguments: StoreKind.allCases, [1, 2, 3, 4] as [UInt])
    func `a passport that was refreshed after it had got another owner belongs to one author`(
        _ kind: StoreKind, _ policy: UInt
    ) throws {
        let two = try Two(kind)
        let (_, passport) = try two.authorWithPassport()
        let others = ["Bea", "Cleo"].map { two.library.insert("Author", ["name": $0]) }
        try two.context.save()
        others[0].setValue(passport, forKey: "passport")
        two.context.processPendingChanges()
        two.context.refresh(passport, mergeChanges: false)
        try two.theirs(others[1]).setValue(two.theirs(passport), forKey: "passport")
        try two.other.save()
        two.context.mergePolicy = NSMergePolicy(merge: try #require(NSMergePolicyType(rawValue: policy)))
        try two.context.save()
        two.context.checkInvariants()
        let owner = try two.stored(passport).one("owner")
        for author in try two.library.fetch("Author", in: two.library.newContext()) {
            #expect((author.one("passport") != nil) == (author.objectID == owner?.objectID))
        }
    }

    // They put our chapter into a book after we have read the chapter and before we have read the book.
    @Test(arguments: StoreKind.allCases)
    func `a book whose deletion is undone has the chapters that it had`(_ kind: StoreKind) throws {
        let two = try Two(kind)
        two.context.undoManager = UndoManager()
        let chapter = two.library.insert("Chapter", ["heading": "c"])
        try two.context.save()
        two.context.undoManager?.removeAllActions()
        let theirs = NSEntityDescription.insertNewObject(forEntityName: "Book", into: two.other)
        theirs.mutableOrderedSetValue(forKey: "chapters").add(try two.theirs(chapter))
        try two.other.save()
        let book = try two.context.existingObject(with: theirs.objectID)
        two.context.delete(book)
        two.context.processPendingChanges()
        #expect(chapter.isDeleted)
        two.context.undo()
        book.setValue("new", forKey: "title")
        try two.context.save()
        #expect(try two.stored(book).ordered("chapters").map(\.objectID) == [chapter.objectID])
        #expect(try two.stored(chapter).one("book")?.objectID == book.objectID)
    }

    // MARK: Many to many

    // They tag the book, we merge that, after we have taken the tag out; then we undo all, the tag's insertion included.
    @Test(arguments: StoreKind.allCases)
    func `an insertion that is undone leaves relationships that were refreshed meanwhile`(_ kind: StoreKind) throws {
        let two = try Two(kind)
        two.context.undoManager = UndoManager()
        let book = two.library.insert("Book", ["title": "b"])
        try two.context.save()
        two.context.undoManager?.removeAllActions()
        let tag = two.library.insert("Tag", ["label": "t"])
        try two.context.save()
        try two.theirs(book).mutableSetValue(forKey: "tags").add(two.theirs(tag))
        try two.other.save()
        two.context.refresh(book, mergeChanges: false)
        book.mutableSetValue(forKey: "tags").remove(tag)
        try two.context.save()
        two.context.refreshAllObjects()
        while two.context.undoManager?.canUndo ?? false { two.context.undo() }
        two.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try two.context.save()
        #expect(try two.stored(book).many("tags").isEmpty)
        #expect(try two.library.fetch("Tag", in: two.library.newContext()).isEmpty)
        two.context.checkInvariants()
    }

    @Test(arguments: StoreKind.allCases)
    func `the last word counts for members that nobody has read`(_ kind: StoreKind) throws {
        let two = try Two(kind)
        let (book, tag) = try two.bookWithTag()
        let theirs = try two.theirs(book)
        let tags = theirs.mutableSetValue(forKey: "tags")
        tags.add(try two.theirs(tag))
        tags.remove(try two.theirs(tag))
        try two.other.save()
        #expect(try two.stored(book).many("tags").isEmpty && theirs.many("tags").isEmpty)
        tags.remove(try two.theirs(tag))
        tags.add(try two.theirs(tag))
        try two.other.save()
        #expect(try two.stored(book).many("tags").count == 1)
    }

    // We have read the tag's books, not the book's tags; they have taken the tag out since.
    @Test(arguments: StoreKind.allCases)
    func `a tag that is put in again is there from both sides after a refresh`(_ kind: StoreKind) throws {
        let two = try Two(kind)
        let (book, tag) = try two.bookWithTag()
        two.context.refreshAllObjects()
        #expect(tag.many("books") == [book])
        try two.theirs(book).mutableSetValue(forKey: "tags").remove(two.theirs(tag))
        try two.other.save()
        book.mutableSetValue(forKey: "tags").add(tag)
        #expect(book.many("tags") == [tag] && tag.many("books") == [book])
        two.context.refreshAllObjects()
        #expect(book.many("tags") == [tag] && tag.many("books") == [book])
        two.context.checkInvariants()
        try two.context.save()
        #expect(try two.stored(book).many("tags").count == 1)
    }

    // They tag the book, and so do we, after we have put another into the tag; somebody else has deleted the book.
    @Test(arguments: StoreKind.allCases, [1, 2, 3, 4] as [UInt])
    func `no stored tag leads to a book that somebody has deleted`(_ kind: StoreKind, _ policy: UInt) throws {
        let two = try Two(kind)
        let third = two.library.newContext()
        let tag = two.library.insert("Tag", ["label": "t"])
        let books = ["a", "b"].map { two.library.insert("Book", ["title": $0]) }
        try two.context.save()
        try two.theirs(books[1]).mutableSetValue(forKey: "tags").add(two.theirs(tag))
        two.context.refreshAllObjects()
        books[0].mutableSetValue(forKey: "tags").add(tag)
        third.delete(try third.existingObject(with: books[1].objectID))
        third.processPendingChanges()
        try two.other.save()
        books[1].mutableSetValue(forKey: "tags").add(tag)
        #expect(books[1].many("tags") == [tag])
        let policy = NSMergePolicy(merge: try #require(NSMergePolicyType(rawValue: policy)))
        for context in [third, two.context] { context.mergePolicy = policy }
        try third.save()
        try? two.context.save()
        let reader = two.library.newContext()
        for stored in try two.library.fetch("Tag", in: reader) {
            for id in stored.objectIDs(forRelationshipNamed: "books") {
                #expect(throws: Never.self) { try reader.existingObject(with: id) }
            }
        }
        two.context.checkInvariants()
    }

    // The parent took the tag out and hasn't read what else there is; its child puts it in again, and says so of both objects.
    @Test(arguments: StoreKind.allCases)
    func `a tag that a child puts back is there once`(_ kind: StoreKind) throws {
        let two = try Two(kind)
        let (book, tag) = try two.bookWithTag()
        two.context.refreshAllObjects()
        book.mutableSetValue(forKey: "tags").remove(tag)
        two.context.processPendingChanges()
        let child = two.library.newChild()
        try child.existingObject(with: tag.objectID).mutableSetValue(forKey: "books").add(
            child.existingObject(with: book.objectID))
        try child.save()
        #expect(book.objectIDs(forRelationshipNamed: "tags") == [tag.objectID])
        #expect(tag.objectIDs(forRelationshipNamed: "books") == [book.objectID])
        try two.context.save()
        #expect(try two.stored(book).many("tags").count == 1)
    }

    // Without an inverse, nothing takes the item out of the lists when it is deleted.
    @Test(arguments: StoreKind.allCases, [0, 1, 2, 3, 4] as [UInt])
    func `what a save deletes goes, although the same save puts it into a relationship`(
        _ kind: StoreKind, _ policy: UInt
    ) throws {
        let list = TestModel.entity("List"), item = TestModel.entity("Item")
        TestModel.relate(list, "items", .many, item)
        TestModel.relate(list, "steps", .ordered, item)
        let library = try Library(kind, model: TestModel.model([list, item]))
        library.context.mergePolicy = NSMergePolicy(merge: try #require(NSMergePolicyType(rawValue: policy)))
        let items = (0..<2).map { _ in library.insert("Item", [:]) }
        let lists = [library.insert("List", [:])]
        try library.context.save()
        for list in lists + [library.insert("List", [:])] {
            list.mutableSetValue(forKey: "items").addObjects(from: items)
            list.mutableOrderedSetValue(forKey: "steps").addObjects(from: items)
        }
        library.context.delete(items[0])
        try library.context.save()
        let reader = library.newContext()
        #expect(try library.fetch("Item", in: reader).map(\.objectID) == [items[1].objectID])
        for list in try library.fetch("List", in: reader) {
            #expect(Set(list.objectIDs(forRelationshipNamed: "items")).isSubset(of: [items[1].objectID]))
            #expect(Set(list.objectIDs(forRelationshipNamed: "steps")).isSubset(of: [items[1].objectID]))
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func `an object whose row the parent had lost for a while comes back with it`(
        _ kind: StoreKind, isAskedByID: Bool
    ) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let child = library.newChild(of: library.context)
        let same = try child.existingObject(with: author.objectID)
        library.context.delete(author)
        library.context.processPendingChanges()
        child.refreshAllObjects()
        #expect(same.value(forKey: "name") == nil && same.isDeleted)
        library.context.rollback()
        if isAskedByID {
            #expect(try child.existingObject(with: same.objectID) === same)
        } else {
            #expect(try library.fetch("Author", in: child).map(\.objectID) == [same.objectID])
        }
        #expect(same.value(forKey: "name") as? String == "Ada" && !same.isDeleted && !same.hasChanges)
    }

    // Found by the stress law. Apple's documentation says that both sides of a relationship agree; which of the two contexts wins is ours.
    @Test(
        arguments: StoreKind.allCases,
        [
            NSMergePolicyType.errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
            .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType, .rollbackMergePolicyType,
        ])
    func `a one-to-one link to an object that somebody else has unlinked is stored on both sides or on none`(
        _ kind: StoreKind, _ policy: NSMergePolicyType
    ) throws {
        let library = try Library(kind)
        let (theirs, ours) = (library.context, library.newContext())
        ours.mergePolicy = NSMergePolicy(merge: policy)
        let author = library.insert("Author", ["name": "a"]), passport = library.insert("Passport", ["number": "1"])
        author.setValue(passport, forKey: "passport")
        try theirs.save()
        let ourAuthor = try ours.existingObject(with: author.objectID)
        let ourPassport = try ours.existingObject(with: passport.objectID)
        #expect(ourAuthor.one("passport") === ourPassport)
        author.setValue(nil, forKey: "passport")
        try theirs.save()
        ours.refresh(ourPassport, mergeChanges: false)
        ourPassport.setValue(ourAuthor, forKey: "owner")
        if policy == .errorMergePolicyType {
            #expect(throws: CocoaError.self) { try ours.save() }
        } else {
            try ours.save()
        }
        ours.checkInvariants()
        let read = library.newContext()
        let (storedAuthor, storedPassport) = (
            try read.existingObject(with: author.objectID), try read.existingObject(with: passport.objectID)
        )
        #expect(
            storedAuthor.one("passport").map { $0 === storedPassport }
                == storedPassport.one("owner").map { $0 === storedAuthor })
        if [.mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType].contains(policy) {
            #expect(storedPassport.one("owner") === storedAuthor)
        }
    }

    // Two contexts that both change a link are one conflict; a change that came to nothing is none.
    @Test(arguments: StoreKind.allCases)
    func `what was set to what it had been goes with what it leads to by now`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let ids = try [("Book", "title"), ("Book", "title"), ("Chapter", "heading")].map { entity, key in
            let object = library.insert(entity, [key: "x"])
            try library.context.obtainPermanentIDs(for: [object])
            return object.objectID
        }
        try library.context.save()
        let context = library.newContext(), other = library.newContext()
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let objects = try ids.map(context.existingObject)
        objects[2].setValue(objects[1], forKey: "book")
        objects[2].setValue(nil, forKey: "book")
        try other.existingObject(with: ids[2]).setValue(other.existingObject(with: ids[0]), forKey: "book")
        try other.save()
        context.delete(objects[0])
        try context.save()
        #expect(try library.fetch("Chapter", in: library.newContext()).allSatisfy { $0.one("book") == nil })
    }

    // `refresh(_:mergeChanges:)` drops the object's own changes; what another object's change says of it is that one's.
    @Test(arguments: StoreKind.allCases, 1...3)
    func `a partner's unsaved change stays on both sides, however often an object is refreshed`(
        _ kind: StoreKind, _ times: Int
    ) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "a"]), passport = library.insert("Passport", ["number": "1"])
        author.setValue(passport, forKey: "passport")
        try library.context.save()
        let context = library.newContext()
        let (known, partner) = (
            try context.existingObject(with: author.objectID), try context.existingObject(with: passport.objectID)
        )
        #expect(known.one("passport") === partner)
        partner.setValue(nil, forKey: "owner")
        for _ in 0..<times { context.refresh(known, mergeChanges: false) }
        try context.save()
        context.checkInvariants()
        #expect(known.one("passport") == nil)
        let read = library.newContext()
        #expect(try read.existingObject(with: author.objectID).one("passport") == nil)
        #expect(try read.existingObject(with: passport.objectID).one("owner") == nil)
    }
}
