// After a reset of its context a controller has no objects, and its delegate isn't told. The next fetch tells the delegate a difference,
// which has to be one to what the delegate was told last.

import CoreData
import Testing

@Suite struct ResetDifferenceTests {
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

    @Test(arguments: StoreKind.allCases)
    func `a list has each object once after a reset and a fetch`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        for title in ["a", "b", "c"] { _ = library.insert("Book", ["title": title]) }
        try library.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: library.context, sectionNameKeyPath: nil, cacheName: nil)
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
