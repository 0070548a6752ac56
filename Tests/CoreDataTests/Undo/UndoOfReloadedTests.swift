// An object with older unsaved changes is read anew (by a refresh that keeps changes, or by a merge) after it has been changed or deleted
// once more, and before that event has been processed. What the event has done can be undone all the same.

import CoreData
import Testing

@Suite struct UndoOfReloadedTests {
    /// A saved book whose title has been changed from "a" to "b", as a group of its own.
    private func changedBook(_ kind: StoreKind) throws -> (library: Library, book: NSManagedObject) {
        let library = try Library(kind)
        let book = library.insert("Book", ["title": "a"])
        try library.context.save()
        let manager = UndoManager()
        manager.groupsByEvent = false
        library.context.undoManager = manager
        book.setValue("b", forKey: "title")
        library.context.processPendingChanges()
        return (library, book)
    }

    private func readAnew(_ book: NSManagedObject, _ library: Library, isMerged: Bool) throws {
        guard isMerged else { return library.context.refresh(book, mergeChanges: true) }
        let other = library.newContext()
        let saves = PostedNotifications(.NSManagedObjectContextDidSave, from: other)
        try other.existingObject(with: book.objectID).setValue(9, forKey: "pages")
        try other.save()
        library.context.mergeChanges(fromContextDidSave: try #require(saves.notifications.last))
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func `a deletion is undone although the object was read anew before it was processed`(
        _ kind: StoreKind, isMerged: Bool
    ) throws {
        let (library, book) = try changedBook(kind)
        library.context.delete(book)
        try readAnew(book, library, isMerged: isMerged)
        library.context.undo()
        #expect(!book.isDeleted && book.text("title") == "b")
        try library.context.save()
        #expect(try library.fetch("Book", in: library.newContext()).map { $0.text("title") } == ["b"])
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func `a second change is undone alone although the object was read anew before it was processed`(
        _ kind: StoreKind, isMerged: Bool
    ) throws {
        let (library, book) = try changedBook(kind)
        book.setValue("c", forKey: "title")
        try readAnew(book, library, isMerged: isMerged)
        library.context.undo()
        #expect(book.text("title") == "b")
        library.context.undo()
        #expect(book.text("title") == "a")
        library.context.redo()
        library.context.redo()
        #expect(book.text("title") == "c")
    }
}
