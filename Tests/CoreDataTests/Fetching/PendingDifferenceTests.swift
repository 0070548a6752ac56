// A fetch of a controller processes the pending changes first, which its delegate is told. The difference that the fetch itself tells has
// to be one to what the delegate has been told then, not to what it had before.

import CoreData
import Testing

@Suite struct PendingDifferenceTests {
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
}
