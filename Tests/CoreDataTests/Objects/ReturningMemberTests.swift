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

    /// When a context reads each side: before the first change of somebody else, after it, after the second, or not at all.
    private static let readings = (0..<4).flatMap { book in (0..<4).map { tag in (book: book, tag: tag) } }

    @Test(arguments: StoreKind.allCases, [(true, true), (true, false), (false, true), (false, false)])
    func `a change of a link is on both sides, whenever each was read`(
        _ kind: StoreKind, _ mode: (isLinked: Bool, isChild: Bool)
    ) throws {
        let isLinked = mode.isLinked
        for reading in Self.readings {
            for goesByBook in [true, false] {
                let (library, bookID, tagID) = try pair(kind, isLinked: isLinked)
                let root = library.newContext(), other = library.newContext()
                let context = mode.isChild ? library.newChild(of: root) : root
                root.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                context.mergePolicy = root.mergePolicy
                let book = try context.existingObject(with: bookID), tag = try context.existingObject(with: tagID)
                let books = mutableBooks(try other.existingObject(with: tagID))
                for stage in 0..<3 {
                    if stage > 0 {
                        let otherBook = try other.existingObject(with: bookID)
                        if isLinked == (stage == 1) { books.remove(otherBook) } else { books.add(otherBook) }
                        try other.save()
                    }
                    if reading.book == stage { _ = book.many("tags").count }
                    if reading.tag == stage { _ = tag.many("books").count }
                }
                let (list, member) =
                    goesByBook ? (book.mutableSetValue(forKey: "tags"), tag) : (mutableBooks(tag), book)
                if isLinked { list.remove(member) } else { list.add(member) }
                root.refreshAllObjects()
                context.refreshAllObjects()
                let words: Comment = "\(reading), by the \(goesByBook ? "book" : "tag")"
                #expect(book.many("tags").contains(tag) == tag.many("books").contains(book), words)
                context.checkInvariants()
                if mode.isChild { try context.save() }
                try root.save()
                let reader = library.newContext()
                let stored = try reader.existingObject(with: bookID).many("tags").count
                #expect(try reader.existingObject(with: tagID).many("books").count == stored, words)
            }
        }
    }

    /// A saved race with two runners in their order, as a context has them that has read neither side.
    private func race(_ kind: StoreKind) throws -> (Library, race: NSManagedObject, first: NSManagedObject) {
        let (race, runner) = (TestModel.entity("Race"), TestModel.entity("Runner"))
        runner.properties = [TestModel.attribute("name", .stringAttributeType)]
        TestModel.connect(race, "runners", .ordered, runner, "races", .many)
        let library = try Library(kind, model: TestModel.model([race, runner]))
        let runners = ["a", "b"].map { library.insert("Runner", ["name": $0]) }
        _ = library.insert("Race", ["runners": NSOrderedSet(array: runners)])
        try library.context.save()
        library.context.reset()
        return (library, try library.fetch("Race")[0], try library.fetch("Runner", sortedBy: "name")[0])
    }

    // The other side's order is read in the save, and shows that nothing has changed.
    @Test(arguments: StoreKind.allCases)
    func `a member that is added to an ordered one's other side and is there already can be saved again`(
        _ kind: StoreKind
    ) throws {
        let (library, race, first) = try race(kind)
        first.mutableSetValue(forKey: "races").add(race)
        try library.context.save()
        first.setValue("c", forKey: "name")
        try library.context.save()
        #expect(try library.fetch("Runner", sortedBy: "name").map { $0.text("name") } == ["b", "c"])
        #expect(race.ordered("runners").map { $0.text("name") } == ["c", "b"])
    }

    // "Core Data Programming Guide", ordered relationships: what is added is the last one.
    @Test(arguments: StoreKind.allCases, [false, true])
    func `what comes back by the other side is the last one of an order, also where that side is read then`(
        _ kind: StoreKind, _ isRead: Bool
    ) throws {
        let (library, race, first) = try race(kind)
        first.mutableSetValue(forKey: "races").remove(race)
        first.mutableSetValue(forKey: "races").add(race)
        if isRead { #expect(first.many("races") == [race]) }
        try library.context.save()
        let stored = try library.fetch("Race", in: library.newContext())[0]
        #expect(stored.ordered("runners").map { $0.text("name") } == ["b", "a"])
        #expect(race.ordered("runners").map { $0.text("name") } == ["b", "a"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a member that is there already is no change where the IDs alone have been read`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"])
        let books = ["a", "b"].map { library.insert("Book", ["title": $0]) }
        mutableSet(author).add(books[0])
        try library.context.save()
        let context = library.newContext()
        let owner = try context.existingObject(with: author.objectID)
        #expect(owner.objectIDs(forRelationshipNamed: "books") == [books[0].objectID])
        mutableSet(owner).add(try context.existingObject(with: books[0].objectID))
        mutableSet(owner).remove(try context.existingObject(with: books[1].objectID))
        #expect(owner.changedValues().isEmpty)
        context.checkInvariants()
    }

    private func mutableSet(_ author: NSManagedObject) -> NSMutableSet { author.mutableSetValue(forKey: "books") }
}
