// A list that knows of its controller's results only what it is told, written as a list's view controller is.

import CoreData
import Testing

/// Keeps a list as a table view would, from what a controller tells, and checks it against the controller.
final class ListModel: NSObject, NSFetchedResultsControllerDelegate {
    let controller: NSFetchedResultsController<NSManagedObject>
    private(set) var rows: [[NSManagedObject]] = []
    private(set) var events: [String] = []
    private(set) var sizesOfGoneSections: [Int] = []
    private var sectionDeletes = IndexSet(), sectionInserts = IndexSet()
    private var deletes: [IndexPath] = []
    private var inserts: [(IndexPath, NSManagedObject)] = []

    init(_ request: NSFetchRequest<NSManagedObject>, _ context: NSManagedObjectContext, sectionedBy key: String?) throws
    {
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: key, cacheName: "list")
        super.init()
        controller.delegate = self
        try controller.performFetch()
        reload()
    }

    private func reload() {
        rows = (controller.sections ?? []).map { section in
            section.objects as? [NSManagedObject] ?? []
        }
    }

    func refetch() throws {
        try controller.performFetch()
        reload()
    }

    func takeEvents() -> [String] {
        defer { events = [] }
        return events
    }

    private func title(_ object: Any) -> String { (object as? NSManagedObject)?.text("title") ?? "?" }

    private func shown(_ path: IndexPath?) -> String { path.map { "\($0.section).\($0.row)" } ?? "-" }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        events.append("will")
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        events.append("\(type) section \(sectionInfo.name) \(sectionIndex)")
        if type == .delete { sizesOfGoneSections.append(sectionInfo.objects?.count ?? -1) }
        if type == .insert { sectionInserts.insert(sectionIndex) } else { sectionDeletes.insert(sectionIndex) }
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        events.append("\(type) \(title(anObject)) \(shown(indexPath)) \(shown(newIndexPath))")
        guard let object = anObject as? NSManagedObject else { return }
        if type == .delete || type == .move, let indexPath { deletes.append(indexPath) }
        if type == .insert || type == .move, let newIndexPath { inserts.append((newIndexPath, object)) }
    }

    /// Applies everything as a table view does: deletions by the old index paths, then insertions by the new ones.
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        events.append("did")
        for path in deletes.sorted(by: >) where !sectionDeletes.contains(path.section) {
            rows[path.section].remove(at: path.item)
        }
        for section in sectionDeletes.reversed() { rows.remove(at: section) }
        for section in sectionInserts { rows.insert([], at: section) }
        for (path, object) in inserts.sorted(by: { $0.0 < $1.0 }) { rows[path.section].insert(object, at: path.item) }
        (sectionDeletes, sectionInserts, deletes, inserts) = ([], [], [], [])
        let expected = (controller.sections ?? []).map { section in
            section.objects as? [NSManagedObject] ?? []
        }
        #expect(rows == expected)
    }
}
