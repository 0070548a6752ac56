// The difference that a fetch of a controller tells is one to what its delegate was told last: the pending changes, which the fetch
// processes first, are told by then.

import CoreData
import Testing

@Suite struct FetchDifferenceTests {
    /// Knows nothing but the differences that it was told.
    private final class List: NSObject, NSFetchedResultsControllerDelegate {
        var ids: [NSManagedObjectID]? = []

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
        ) {
            ids = ids?.applying(diff)
        }
    }

    private func filled(
        _ kind: StoreKind
    ) throws -> (library: Library, controller: NSFetchedResultsController<NSManagedObject>) {
        let library = try Library(kind)
        for title in ["a", "b", "c"] { _ = library.insert("Book", ["title": title]) }
        try library.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: library.context, sectionNameKeyPath: nil, cacheName: nil)
        return (library, controller)
    }

    @Test(arguments: StoreKind.allCases)
    func `an insertion that a fetch announces isn't told once more by its difference`(_ kind: StoreKind) throws {
        let (library, controller) = try filled(kind)
        let list = List()
        controller.delegate = list
        try controller.performFetch()
        #expect(list.ids == controller.fetchedObjects?.map(\.objectID))
        let new = library.insert("Book", ["title": "d"])
        try library.context.obtainPermanentIDs(for: [new])
        try controller.performFetch()
        #expect(controller.fetchedObjects?.count == 4)
        #expect(list.ids == controller.fetchedObjects?.map(\.objectID))
    }

    @Test(arguments: StoreKind.allCases)
    func `a deletion that a fetch announces isn't told once more by its difference`(_ kind: StoreKind) throws {
        let (library, controller) = try filled(kind)
        let list = List()
        controller.delegate = list
        try controller.performFetch()
        let first = try #require(controller.fetchedObjects?.first)
        library.context.delete(first)
        try controller.performFetch()
        #expect(controller.fetchedObjects?.count == 2)
        #expect(list.ids == controller.fetchedObjects?.map(\.objectID))
    }

    // After a reset of its context a controller has no objects, and its delegate isn't told.
    @Test(arguments: StoreKind.allCases)
    func `a list has each object once after a reset and a fetch`(_ kind: StoreKind) throws {
        let (library, controller) = try filled(kind)
        let list = List()
        controller.delegate = list
        try controller.performFetch()
        #expect(list.ids?.count == 3)
        library.context.reset()
        try controller.performFetch()
        #expect(controller.fetchedObjects?.count == 3)
        #expect(list.ids == controller.fetchedObjects?.map(\.objectID))
    }
}
