// Undo of what has been saved, while objects are refreshed and others save. Each test is a run of the stress law that failed, shrunk to
// what it takes.

import CoreData
import Testing

@Suite struct UndoAfterSaveTests {
    @Test(arguments: StoreKind.allCases)
    func `an insertion that is undone after its save leaves no link to it, refreshed or not`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let other = library.newContext()
        let chapter = library.insert("Chapter", ["heading": "c"])
        try library.context.save()
        other.undoManager = UndoManager()
        let ours = try other.existingObject(with: chapter.objectID)
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: other)
        book.setValue("b", forKey: "title")
        book.mutableOrderedSetValue(forKey: "chapters").add(ours)
        try other.save()
        other.undo()
        other.refresh(ours, mergeChanges: false)
        other.undo()
        try other.save()
        #expect(ours.one("book") == nil)
        let read = try library.newContext().existingObject(with: chapter.objectID)
        #expect(read.one("book") == nil)
        other.checkInvariants()
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func `a link that others had made already stays when ours is undone`(_ kind: StoreKind, _ isRead: Bool) throws {
        let library = try Library(kind)
        let (theirs, ours) = (library.context, library.newContext())
        ours.undoManager = UndoManager()
        let book = library.insert("Book", ["title": "b"])
        try theirs.save()
        let same = try ours.existingObject(with: book.objectID)
        if isRead { _ = same.value(forKey: "title") }
        let tag = library.insert("Tag", ["label": "t"])
        book.mutableSetValue(forKey: "tags").add(tag)
        try theirs.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        let found = try #require(try ours.fetch(request).first)
        same.mutableSetValue(forKey: "tags").add(found)
        ours.processPendingChanges()
        ours.undo()
        ours.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try ours.save()
        let read = try library.newContext().existingObject(with: tag.objectID)
        #expect((read.value(forKey: "books") as? Set<NSManagedObject>)?.count == 1)
        ours.checkInvariants()
    }
}
