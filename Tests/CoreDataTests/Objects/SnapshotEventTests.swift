// `awake(fromSnapshotEvents:)`: objects learn of values that nobody has set.

import CoreData
import Testing

@Suite struct SnapshotEventTests {
    private final class Watcher: NSManagedObject {
        var seen: [NSSnapshotEventType] = []
        override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
            super.awake(fromSnapshotEvents: flags)
            seen.append(flags)
            setValue(primitiveValue(forKey: "title"), forKey: "isbn")
        }
    }

    private func watched(_ library: Library) throws -> Watcher {
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Book", in: library.context))
        let book = Watcher(entity: entity, insertInto: library.context)
        book.setValue("a", forKey: "title")
        try library.context.save()
        return book
    }

    @Test func `an undo, a rollback and a refresh tell the object, and what it sets then is no change`() throws {
        let library = try Library(.sqlite)
        let manager = UndoManager()
        manager.groupsByEvent = false
        library.context.undoManager = manager
        let book = try watched(library)
        book.setValue("b", forKey: "title")
        library.context.processPendingChanges()
        library.context.undo()
        #expect(book.seen == [.undoUpdate] && book.text("title") == "a")
        library.context.delete(book)
        library.context.processPendingChanges()
        library.context.undo()
        #expect(book.seen.last == .undoDeletion)
        book.setValue("c", forKey: "title")
        library.context.rollback()
        #expect(book.seen.last == .rollback && book.value(forKey: "isbn") as? String == "a")
        #expect(!book.hasChanges && !library.context.hasChanges)
        book.setValue("d", forKey: "title")
        library.context.refresh(book, mergeChanges: true)
        #expect(book.seen.last == .refresh && book.text("title") == "d")
        #expect(book.faultingState == 0)
        library.context.refresh(book, mergeChanges: false)
        #expect(book.isFault && book.faultingState != 0)
    }

    @Test func `a merge policy tells the object`() throws {
        let library = try Library(.sqlite)
        let book = try watched(library)
        let other = library.newContext()
        try library.fetch("Book", in: other)[0].setValue("theirs", forKey: "title")
        try other.save()
        book.setValue(9, forKey: "pages")
        library.context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try library.context.save()
        #expect(book.seen == [.mergePolicy] && book.text("title") == "theirs")
    }
}
