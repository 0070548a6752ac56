// A list that follows the store: sections, and a delegate that moves rows.

import CoreData

final class TaskListViewModel: NSObject, NSFetchedResultsControllerDelegate {
    enum Change: Equatable {
        case insertSection(Int), deleteSection(Int)
        case insert(IndexPath), delete(IndexPath), move(IndexPath, IndexPath), update(IndexPath)
    }

    private(set) var changes: [Change] = []
    private(set) var updates = 0
    private let controller: NSFetchedResultsController<TaskItem>

    init(context: NSManagedObjectContext) {
        let fetchRequest: NSFetchRequest<TaskItem> = TaskItem.fetchRequest()
        fetchRequest.sortDescriptors = [
            NSSortDescriptor(keyPath: \TaskItem.project?.name, ascending: true),
            NSSortDescriptor(
                key: #"title"#, ascending: true, selector: NSSelectorFromString("localizedStandardCompare:")),
        ]
        fetchRequest.fetchBatchSize = 20
        controller = NSFetchedResultsController(
            fetchRequest: fetchRequest, managedObjectContext: context, sectionNameKeyPath: "project.name",
            cacheName: nil)
        super.init()
        controller.delegate = self
        do {
            try controller.performFetch()
        } catch {
            fatalError("Failed to fetch entities: \(error)")
        }
    }

    var numberOfSections: Int { controller.sections?.count ?? 0 }

    func titleForHeader(inSection section: Int) -> String? { controller.sections?[section].name }

    func titles(inSection section: Int) -> [String] {
        guard let info = controller.sections?[section] else { return [] }
        return (0..<info.numberOfObjects).map { controller.object(at: IndexPath(item: $0, section: section)).title }
    }

    func takeChanges() -> [Change] {
        defer { changes = [] }
        return changes
    }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        updates += 1
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        updates -= 1
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>,
        didChange sectionInfo: NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        switch type {
        case .insert: changes.append(.insertSection(sectionIndex))
        case .delete: changes.append(.deleteSection(sectionIndex))
        default: break
        }
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        switch type {
        case .insert: changes.append(.insert(newIndexPath!))
        case .delete: changes.append(.delete(indexPath!))
        case .move: changes.append(.move(indexPath!, newIndexPath!))
        case .update: changes.append(.update(indexPath!))
        @unknown default: break
        }
    }
}
