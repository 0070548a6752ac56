// Apps' tests put subclasses into the place of Core Data's own classes. Whatever a class of Core Data's declares can be overridden;
// this compiles or doesn't. What is overridden here is what public tests override (GetStream/stream-chat-swift, woocommerce-ios, pEp,
// and tests that follow histories).

import CoreData
import Testing

@Suite struct MockTests {
    final class MockResults: NSFetchedResultsController<NSManagedObject> {
        var fetches = 0
        override func performFetch() throws { fetches += 1 }
        override var fetchedObjects: [NSManagedObject]? { [] }
        override var sections: [any NSFetchedResultsSectionInfo]? { nil }
    }

    final class MockTransaction: NSPersistentHistoryTransaction {
        override var timestamp: Date { Date(timeIntervalSinceReferenceDate: 1) }
        override var author: String? { "somebody" }
    }

    final class MockHistory: NSPersistentHistoryResult {
        override var result: Any? { [MockTransaction()] }
        override var resultType: NSPersistentHistoryResultType { .transactionsOnly }
    }

    final class MockDeletion: NSBatchDeleteResult {
        override var result: Any? { 3 }
        override var resultType: NSBatchDeleteRequestResultType { .resultTypeCount }
    }

    final class MockInsertion: NSBatchInsertResult {
        override var result: Any? { true }
    }

    final class MockUpdate: NSBatchUpdateResult {
        override var result: Any? { true }
    }

    final class LastWins: NSMergePolicy, @unchecked Sendable {
        override var mergeType: NSMergePolicyType { .overwriteMergePolicyType }
        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            try super.resolve(optimisticLockingConflicts: list)
        }
    }

    final class MockModel: NSManagedObjectModel {
        override var entitiesByName: [String: NSEntityDescription] { ["Mock": NSEntityDescription()] }
    }

    final class MockCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
        override var managedObjectModel: NSManagedObjectModel { MockModel() }
    }

    @Test func `results, models, coordinators and policies can be replaced by subclasses`() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = []
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        let results = MockResults(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        try results.performFetch()
        #expect(results.fetches == 1 && results.fetchedObjects == [] && results.sections == nil)
        let history: NSPersistentHistoryResult = MockHistory()
        let transactions = history.result as? [NSPersistentHistoryTransaction]
        #expect(transactions?.first?.author == "somebody" && history.resultType == .transactionsOnly)
        #expect((MockDeletion() as NSBatchDeleteResult).result as? Int == 3)
        #expect((MockInsertion() as NSBatchInsertResult).resultType == .statusOnly)
        #expect((MockUpdate() as NSBatchUpdateResult).result as? Bool == true)
        #expect((LastWins(merge: .errorMergePolicyType) as NSMergePolicy).mergeType == .overwriteMergePolicyType)
        let coordinator: NSPersistentStoreCoordinator = MockCoordinator()
        #expect(coordinator.managedObjectModel.entitiesByName.keys.sorted() == ["Mock"])
    }

    // Divergence 56. On Linux a test case is no NSObject, so that this class stands for one.
    final class Bystander: NSFetchedResultsControllerDelegate {
        var changes = 0
        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            changes += 1
        }
    }

    @Test func `any class can be the delegate of a fetched results controller`() throws {
        let library = try Library(.inMemory)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: library.context, sectionNameKeyPath: nil, cacheName: nil)
        let bystander = Bystander()
        controller.delegate = bystander
        try controller.performFetch()
        _ = library.insert("Author", ["name": "Ada"])
        library.context.processPendingChanges()
        #expect(bystander.changes == 1)
    }

    /// Hands on what it is told.
    final class Forwarder: NSFetchedResultsControllerDelegate {
        weak var next: (any NSFetchedResultsControllerDelegate)?

        func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            next?.controllerWillChangeContent(controller)
        }

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
            at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
        ) {
            next?.controller(
                controller, didChange: anObject, at: indexPath, for: type, newIndexPath: newIndexPath)
        }

        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            next?.controllerDidChangeContent(controller)
        }
    }

    // Divergence 66.
    @Test func `what a delegate doesn't implement can be called and does nothing`() throws {
        let library = try Library(.inMemory)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: library.context, sectionNameKeyPath: nil, cacheName: nil)
        let (forwarder, bystander) = (Forwarder(), Bystander())
        forwarder.next = bystander
        controller.delegate = forwarder
        try controller.performFetch()
        _ = library.insert("Author", ["name": "Ada"])
        library.context.processPendingChanges()
        #expect(bystander.changes == 1)
    }

    private final class Untruthful: NSManagedObjectContext, @unchecked Sendable {
        // Each test uses its own on one thread.
        var answer = true
        override var hasChanges: Bool { answer }
    }

    @Test(arguments: StoreKind.allCases)
    func `a context works on whatever its class says of changes`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let context = Untruthful(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = library.context.persistentStoreCoordinator
        context.answer = false
        _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag")) == 1)
    }
}
