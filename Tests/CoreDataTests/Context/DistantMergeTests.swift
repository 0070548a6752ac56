// What a context has inserted and not saved is known to its grandchildren. A notification of a grandchild's save names such objects,
// and merging it into the root must neither drop their values nor bring back what the grandchild has deleted: the context between the
// two hands the changes up when it saves.

import CoreData
import Testing

@Suite struct DistantMergeTests {
    private struct Family {
        let library: Library
        let root: NSManagedObjectContext, middle: NSManagedObjectContext, lowest: NSManagedObjectContext
        let book: NSManagedObject
        let saves: PostedNotifications

        /// A book that only the root has inserted, and that nobody has saved.
        init(_ kind: StoreKind) throws {
            library = try Library(kind)
            root = library.context
            book = library.insert("Book", ["title": "a", "pages": 3])
            root.processPendingChanges()
            middle = library.newChild()
            lowest = library.newChild(of: middle)
            saves = PostedNotifications(.NSManagedObjectContextDidSave, from: lowest)
        }

        func saveAndMerge() throws {
            try lowest.save()
            root.mergeChanges(fromContextDidSave: try #require(saves.notifications.last))
        }

        func stored() throws -> [NSManagedObject] { try library.fetch("Book", in: library.newContext()) }
    }

    @Test(arguments: StoreKind.allCases)
    func `a root that merges a grandchild's change of an unsaved object keeps the object`(_ kind: StoreKind) throws {
        let family = try Family(kind)
        try family.lowest.existingObject(with: family.book.objectID).setValue("b", forKey: "title")
        try family.saveAndMerge()
        #expect(family.book.isInserted && !family.book.isFault && family.book.text("title") == "a")
        #expect(family.root.insertedObjects == [family.book])
        #expect(family.root.brokenInvariants().isEmpty)
        try family.middle.save()
        try family.root.save()
        let stored = try family.stored()
        #expect(stored.map { $0.text("title") } == ["b"])
        #expect(stored.first?.value(forKey: "pages") as? Int == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `a root that merges a grandchild's deletion of an unsaved object doesn't save it`(_ kind: StoreKind) throws {
        let family = try Family(kind)
        family.lowest.delete(try family.lowest.existingObject(with: family.book.objectID))
        try family.saveAndMerge()
        try family.middle.save()
        try family.root.save()
        #expect(try family.stored().isEmpty)
    }
}
