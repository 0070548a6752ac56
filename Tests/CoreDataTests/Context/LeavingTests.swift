// Whichever way an object leaves a context, nothing there refers to it afterwards, and nothing stops. Apple's pages say little of it: what
// they don't say is marked as assumed, with the number of the divergence where ours is known to differ.

import CoreData
import Testing

@Suite struct LeavingTests {
    /// Two contexts: ours has read Ada, her books and their tags; theirs is about to change them.
    private struct Two {
        let library: Library
        let ada: NSManagedObject, book: NSManagedObject, tag: NSManagedObject
        let other: NSManagedObjectContext

        var context: NSManagedObjectContext { library.context }

        init(_ kind: StoreKind) throws {
            library = try Library(kind)
            ada = library.insert("Author", ["name": "Ada"])
            book = library.insert("Book", ["title": "b", "author": ada])
            tag = library.insert("Tag", ["label": "t"])
            book.mutableSetValue(forKey: "tags").add(tag)
            try library.context.save()
            other = library.newContext()
        }

        func theirs(_ object: NSManagedObject) throws -> NSManagedObject {
            try other.existingObject(with: object.objectID)
        }

        func deleteTheirs(_ object: NSManagedObject) throws {
            other.delete(try theirs(object))
            try other.save()
        }

        /// Nothing refers to the book, and its author and tag can be deleted.
        func checkBookIsGone() throws {
            #expect(ada.many("books").isEmpty && tag.many("books").isEmpty)
            context.checkInvariants()
            context.delete(ada)
            context.delete(tag)
            context.processPendingChanges()
            try context.save()
            #expect(try library.fetch("Author", in: library.newContext()).isEmpty)
        }
    }

    // [assumed] 37, 38. Ours renamed the book and its author; they deleted the book. Under rollback our changes to both are dropped; under store trump
    // their deletion goes before our change of the book.
    @Test(arguments: StoreKind.allCases, [NSMergePolicy.rollback, .mergeByPropertyStoreTrump])
    func `an object that a merge policy drops stays in no relationship`(_ kind: StoreKind, _ policy: NSMergePolicy)
        throws
    {
        let two = try Two(kind)
        try two.deleteTheirs(two.book)
        two.book.setValue("c", forKey: "title")
        two.ada.setValue("Ann", forKey: "name")
        two.context.mergePolicy = policy
        try two.context.save()
        #expect(two.book.managedObjectContext == nil)
        try two.checkBookIsGone()
    }

    // [assumed] 38. Apple's pages say which values win, not what becomes of an object whose row is gone.
    @Test(arguments: StoreKind.allCases, [NSMergePolicy.overwrite, .mergeByPropertyObjectTrump])
    func `a changed object whose row is gone fails the save where objects go first`(
        _ kind: StoreKind, _ policy: NSMergePolicy
    ) throws {
        let two = try Two(kind)
        try two.deleteTheirs(two.book)
        two.book.setValue("c", forKey: "title")
        two.context.mergePolicy = policy
        let error = #expect(throws: CocoaError.self) { try two.context.save() }
        #expect(error?.code == .managedObjectMerge && two.book.value(forKey: "title") as? String == "c")
    }

    // [assumed] 37. Ours and they deleted the same book, and we changed its author meanwhile.
    @Test(arguments: StoreKind.allCases)
    func `an object that two contexts delete stays in no relationship`(_ kind: StoreKind) throws {
        let two = try Two(kind)
        try two.deleteTheirs(two.book)
        two.ada.setValue("Ann", forKey: "name")
        two.context.delete(two.book)
        two.context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try two.context.save()
        try two.checkBookIsGone()
    }

    // FreeCoreData's tests, which pass on Apple's framework: a merged deletion marks the object, which keeps its values. That nothing
    // leads to it any more is assumed (37).
    @Test(arguments: StoreKind.allCases)
    func `what somebody else deleted stays in no relationship after a merge, and can be deleted again`(
        _ kind: StoreKind
    ) throws {
        let two = try Two(kind)
        let saves = PostedNotifications(.NSManagedObjectContextDidSave, from: two.other)
        try two.deleteTheirs(two.book)
        two.ada.setValue("Ann", forKey: "name")
        two.context.mergeChanges(fromContextDidSave: saves.notifications[0])
        #expect(two.book.isDeleted && two.book.text("title") == "b")
        two.context.delete(two.book)
        two.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try two.checkBookIsGone()
    }

    // Nobody has told of the deletion; the fault finds out. Apple, "shouldDeleteInaccessibleFaults": its values are nil or 0, and it counts
    // as deleted. That nothing leads to it any more is assumed (37).
    @Test(arguments: StoreKind.allCases)
    func `a fault without a row stays in no relationship`(_ kind: StoreKind) throws {
        let two = try Two(kind)
        #expect(two.ada.many("books") == [two.book])
        two.context.refresh(two.book, mergeChanges: false)
        try two.deleteTheirs(two.book)
        #expect(two.book.text("title") == nil && two.book.isDeleted)
        two.context.processPendingChanges()
        #expect(two.ada.many("books").isEmpty)
        two.context.checkInvariants()
    }

    // [assumed] The page of that property speaks of faults that are read.
    @Test func `a deletion of a fault is merged although faults without rows mustn't be read`() throws {
        let two = try Two(.sqlite)
        let saves = PostedNotifications(.NSManagedObjectContextDidSave, from: two.other)
        two.context.refresh(two.book, mergeChanges: false)
        two.context.shouldDeleteInaccessibleFaults = false
        try two.deleteTheirs(two.book)
        two.context.mergeChanges(fromContextDidSave: saves.notifications[0])
        #expect(two.book.isDeleted && two.book.text("title") == nil)
    }

    // Apple, "rollback()": insertions are discarded, and updated objects get their last committed values.
    @Test(arguments: StoreKind.allCases)
    func `a rollback leaves no link to what was inserted`(_ kind: StoreKind) throws {
        let two = try Two(kind)
        let new = two.library.insert("Book", ["author": two.ada])
        two.context.rollback()
        #expect(new.managedObjectContext == nil && two.ada.many("books") == [two.book])
        two.context.checkInvariants()
    }

    // Core Data raises for a relationship "between objects in different contexts", the second case; the first is assumed.
    @Test func `an object that has left can't be linked`() async {
        await #expect(processExitsWith: .failure) {
            let two = try Two(.inMemory)
            two.context.delete(two.book)
            try two.context.save()
            two.tag.mutableSetValue(forKey: "books").add(two.book)
        }
        await #expect(processExitsWith: .failure) {
            let two = try Two(.inMemory)
            two.tag.setValue(Set([try two.theirs(two.book)]), forKey: "books")
        }
    }

    // What Core Data reports as code 1550 (CoreDataErrors.h: NSManagedObjectValidationError): a dangling reference to an invalid object.
    @Test(arguments: StoreKind.allCases)
    func `a link to a deleted object fails the save`(_ kind: StoreKind) throws {
        let two = try Two(kind)
        two.context.delete(two.ada)
        two.context.processPendingChanges()
        let new = two.library.insert("Book", ["author": two.ada])
        let error = #expect(throws: CocoaError.self) { try two.context.save() }
        #expect(error?.code == .managedObjectValidation)
        new.setValue(nil, forKey: "author")
        try two.context.save()
    }

    // MARK: Both sides of a conflict

    // [assumed] 35.
    @Test(arguments: StoreKind.allCases, [1, 2, 3] as [UInt])
    func `tags that two contexts add to a book are both there`(_ kind: StoreKind, _ policy: UInt) throws {
        let two = try Two(kind)
        #expect(two.book.many("tags").count == 1)
        let theirs = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: two.other)
        try two.theirs(two.book).mutableSetValue(forKey: "tags").add(theirs)
        try two.other.save()
        two.book.mutableSetValue(forKey: "tags").add(two.library.insert("Tag", ["label": "ours"]))
        two.context.mergePolicy = NSMergePolicy(merge: try #require(NSMergePolicyType(rawValue: policy)))
        try two.context.save()
        #expect(two.book.many("tags").count == 3)
        let fresh = try two.library.newContext().existingObject(with: two.book.objectID)
        #expect(fresh.many("tags").count == 3)
        two.context.checkInvariants()
    }

    // Apple, "refresh(_:mergeChanges:)": the store's values are read, and unsaved changes are made to them again.
    @Test(arguments: StoreKind.allCases)
    func `a refresh that keeps changes keeps what others added, too`(_ kind: StoreKind) throws {
        let two = try Two(kind)
        #expect(two.book.many("tags").count == 1)
        let theirs = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: two.other)
        try two.theirs(two.book).mutableSetValue(forKey: "tags").add(theirs)
        try two.other.save()
        two.book.mutableSetValue(forKey: "tags").add(two.library.insert("Tag", ["label": "ours"]))
        two.context.refresh(two.book, mergeChanges: true)
        #expect(two.book.many("tags").count == 3)
        try two.context.save()
        let fresh = try two.library.newContext().existingObject(with: two.book.objectID)
        #expect(fresh.many("tags").count == 3)
    }

    // They gave the book to Bea, we gave it to Cora. Apple, "mergeByPropertyStoreTrump" and "rollback": the store's value wins. That
    // the authors agree is assumed (35).
    @Test(arguments: StoreKind.allCases)
    func `a book has one author after a conflict, and that author has the book`(_ kind: StoreKind) throws {
        for policy in [NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType] {
            let two = try Two(kind)
            let bea = two.library.insert("Author", ["name": "Bea"]),
                cora = two.library.insert("Author", ["name": "Cora"])
            try two.context.save()
            #expect(bea.many("books").isEmpty && cora.many("books").isEmpty)
            try two.theirs(two.book).setValue(two.theirs(bea), forKey: "author")
            try two.other.save()
            two.book.setValue(cora, forKey: "author")
            two.context.mergePolicy = NSMergePolicy(merge: policy)
            try two.context.save()
            #expect(two.book.one("author") === bea)
            #expect(bea.many("books") == [two.book] && cora.many("books").isEmpty && two.ada.many("books").isEmpty)
            two.context.checkInvariants()
        }
    }

    // [assumed] 36. We deleted Ada; they have given her another book meanwhile, which goes with her.
    @Test(arguments: StoreKind.allCases)
    func `a deletion follows its rules for what others have added`(_ kind: StoreKind) throws {
        let two = try Two(kind)
        two.context.delete(two.ada)
        two.context.processPendingChanges()
        let new = NSEntityDescription.insertNewObject(forEntityName: "Book", into: two.other)
        new.setValue(try two.theirs(two.ada), forKey: "author")
        try two.other.save()
        two.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try two.context.save()
        #expect(try two.library.fetch("Book", in: two.library.newContext()).isEmpty)
    }

    // [assumed] 35. The link is the book's unsaved change, not the author's.
    @Test(arguments: StoreKind.allCases)
    func `refreshing an author drops no book that was given to her`(_ kind: StoreKind) throws {
        let two = try Two(kind)
        let new = two.library.insert("Book", ["title": "new", "author": two.ada])
        two.context.refresh(two.ada, mergeChanges: false)
        #expect(two.ada.isFault && new.one("author") === two.ada)
        #expect(two.ada.many("books") == [two.book, new])
        two.context.refresh(two.book, mergeChanges: false)
        two.context.checkInvariants()
        try two.context.save()
        #expect(try two.theirs(two.ada).many("books").count == 2)
    }

    // Under the overwrite policy what nobody has read is written, too.
    @Test(arguments: StoreKind.allCases, [false, true])
    func `a link to a row that is gone isn't written over another, read or not`(_ kind: StoreKind, _ isRead: Bool)
        throws
    {
        let model = LibraryModel.make()
        let tag = try #require(model.entitiesByName["Tag"]), prize = try #require(model.entitiesByName["Prize"])
        TestModel.relate(prize, "topic", .one, tag)
        let library = try Library(kind, model: model)
        let tags = ["a", "b"].map { library.insert("Tag", ["label": $0]) }
        let prize1 = library.insert("Prize", ["title": "p", "topic": tags[0]])
        try library.context.save()
        let ours = library.newContext(), theirs = library.newContext()
        ours.mergePolicy = NSMergePolicy.overwrite
        let mine = try ours.existingObject(with: prize1.objectID)
        mine.setValue("q", forKey: "title")
        if isRead { _ = mine.value(forKey: "topic") }
        let other = try theirs.existingObject(with: prize1.objectID)
        other.setValue(try theirs.existingObject(with: tags[1].objectID), forKey: "topic")
        theirs.delete(try theirs.existingObject(with: tags[0].objectID))
        try theirs.save()
        #expect(throws: CocoaError.self) { try ours.save() }
        let stored = try library.newContext().existingObject(with: prize1.objectID)
        #expect(stored.one("topic")?.text("label") == "b" && stored.text("title") == "p")
    }
}
