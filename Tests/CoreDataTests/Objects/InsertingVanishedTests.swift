// An object whose row somebody else has deleted has left its context, as one after a saved deletion has. Given to `insert(_:)`, it is
// inserted as a new one; it must not be announced as inserted and then not be saved.

import CoreData
import Testing

@Suite struct InsertingVanishedTests {
    /// How the context learns that the row is gone.
    enum Discovery: CaseIterable { case merge, refresh, fault }

    @Test(arguments: StoreKind.allCases, Discovery.allCases)
    func `an object whose row somebody else has deleted is inserted as a new one`(
        _ kind: StoreKind, _ discovery: Discovery
    ) throws {
        let library = try Library(kind), context = library.context
        let author = library.insert("Author", ["name": "Ada"])
        try context.save()
        let other = library.newContext()
        let saves = PostedNotifications(.NSManagedObjectContextDidSave, from: other)
        other.delete(try other.existingObject(with: author.objectID))
        try other.save()
        switch discovery {
        case .merge: context.mergeChanges(fromContextDidSave: try #require(saves.notifications.last))
        case .refresh:
            author.setValue("Bea", forKey: "name")
            context.refresh(author, mergeChanges: true)
        case .fault:
            context.refresh(author, mergeChanges: false)
            #expect(author.text("name") == nil)
        }
        #expect(author.isDeleted)
        context.insert(author)
        #expect(author.isInserted && !author.isDeleted && context.insertedObjects == [author])
        author.setValue("Cora", forKey: "name")
        try context.save()
        #expect(try library.fetch("Author", in: library.newContext()).map { $0.text("name") } == ["Cora"])
    }
}
