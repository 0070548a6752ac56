// What a fetched results controller tells, and to whom.

public import Foundation

/// What has happened to an object or a section.
public enum NSFetchedResultsChangeType: UInt, Sendable {
    /// It is new in the results.
    case insert = 1
    /// It isn't in the results any more.
    case delete = 2
    /// It is at another place.
    case move = 3
    /// It has changed and is where it was.
    case update = 4
}

/// A section of a controller's results. Follows Core Data's `NSFetchedResultsSectionInfo`.
public protocol NSFetchedResultsSectionInfo {
    /// What its objects have in common, as text.
    var name: String { get }
    /// The title for an index beside the list.
    var indexTitle: String? { get }
    /// How many objects it has.
    var numberOfObjects: Int { get }
    /// Its objects in order.
    var objects: [Any]? { get }
}

/// Is told of the changes of a controller's results. Follows Core Data's `NSFetchedResultsControllerDelegate`, whose methods
/// are all optional: here they have default implementations.
///
/// Index paths of what is deleted, and the first ones of what moves, are those before the changes; those of what is inserted,
/// and the second ones of what moves, are those after all of them.
///
/// - Note: Core Data's wants `NSObjectProtocol`. Here any class will do, because a test case, which often is the delegate
///   itself, is no `NSObject` on Linux. Divergence 56.
public protocol NSFetchedResultsControllerDelegate: AnyObject {
    /// The results are about to change.
    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// An object has changed.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

    /// A section has come or gone.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType)

    /// The results have changed; nothing more comes of this change.
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// The title for an index beside the list.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String?

    /// All changes as one difference of the objects' IDs, of a list without sections. A delegate that implements it isn't told
    /// anything else of them.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)
}

extension NSFetchedResultsControllerDelegate {
    /// Does nothing.
    public func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}

    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}

    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {}

    /// Does nothing.
    public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}

    /// The controller's own title.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
        controller.sectionIndexTitle(forSectionName: sectionName)
    }

    /// Makes the controller tell of objects and sections one by one.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        controller.results.delegateTakesDifference = false
    }
}
