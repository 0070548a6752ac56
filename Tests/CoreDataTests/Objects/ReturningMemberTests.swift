// Members of a many-to-many relationship that go and come back while somebody else changes the store: both sides say the same then,
// whichever of them had been read.

import CoreData
import Testing

@Suite struct ReturningMemberTests {
    private func mutableBooks(_ tag: NSManagedObject) -> NSMutableSet { tag.mutableSetValue(forKey: "books") }

    /// - Parameter isLinked: Whether the two belong together at first.
    private func pair(_ kind: StoreKind, isLinked: Bool) throws -> (Library, NSManagedObjectID, NSManagedObjectID) {
        let library = try Library(kind)
        let book = library.insert("Book", ["title": "b"])
        let tag = library.insert("Tag", ["label": "t"])
        if isLinked { mutableBooks(tag).add(book) }
        try library.context.save()
        return (library, book.objectID, tag.objectID)
    }

    // The two sides of a relationship agree: "Core Data Programming Guide", relationships and their inverses.
    @Test(arguments: StoreKind.allCases, [(true, true), (true, false), (false, true), (false, false)])
    func `what comes back, or goes again, is on both sides or on none`(
        _ kind: StoreKind, _ mode: (isLinked: Bool, readsTag: Bool)
    ) throws {
        let (library, bookID, tagID) = try pair(kind, isLinked: mode.isLinked)
        let context = library.newContext()
        let book = try context.existingObject(with: bookID)
        let tag = try context.existingObject(with: tagID)
        #expect((mode.readsTag ? tag.many("books") : book.many("tags")).count == (mode.isLinked ? 1 : 0))
        if mode.isLinked { mutableBooks(tag).remove(book) } else { mutableBooks(tag).add(book) }
        // Somebody else does what is taken back here.
        let other = library.newContext()
        let (otherBook, otherTag) = (try other.existingObject(with: bookID), try other.existingObject(with: tagID))
        if mode.isLinked { mutableBooks(otherTag).remove(otherBook) } else { mutableBooks(otherTag).add(otherBook) }
        try other.save()
        if mode.isLinked { mutableBooks(tag).add(book) } else { mutableBooks(tag).remove(book) }
        context.refreshAllObjects()
        #expect(tag.many("books").contains(book) == book.many("tags").contains(tag))
        context.checkInvariants()
    }
}
