// A fetch for a list with sections that stays up to date. The results and their changes are in FetchedResults.swift and
// FetchedResultsChanges.swift; this class is what clients and delegates see of them.

public import Foundation

/// Manages the results of a fetch request for a list, and tells a delegate how they change. Follows Core Data's
/// `NSFetchedResultsController`.
///
/// Used on the context's queue. Without a delegate the results stay as they were fetched. A fetch limit counts for the fetch
/// alone.
open class NSFetchedResultsController<ResultType: NSFetchRequestResult>: NSObject {
    private let source: Source
    private weak var listener: (any NSFetchedResultsControllerDelegate)? {
        didSet { results.delegateTakesDifference = nil }
    }

    /// What a controller is made of.
    private struct Source {
        let request: NSFetchRequest<ResultType>
        let context: NSManagedObjectContext
        let sectionNameKeyPath: String?
        let cacheName: String?
    }

    /// What is fetched. A change of it has an effect at the next fetch.
    open var fetchRequest: NSFetchRequest<ResultType> { source.request }
    /// Where it is fetched.
    open var managedObjectContext: NSManagedObjectContext { source.context }
    /// The value that the objects of a section have in common; nil for one section.
    open var sectionNameKeyPath: String? { source.sectionNameKeyPath }
    /// Accepted for the sake of code that gives one; there are no caches.
    open var cacheName: String? { source.cacheName }
    /// Who is told of changes.
    open weak var delegate: (any NSFetchedResultsControllerDelegate)? {
        get { listener }
        set { listener = newValue }
    }

    let results: FetchedResults
    private let relay = NotificationRelay()

    /// - Parameters:
    ///   - fetchRequest: What is fetched. Its sort descriptors mustn't be nil; the first one has to order the sections.
    ///   - context: Where it is fetched.
    ///   - sectionNameKeyPath: The value that the objects of a section have in common; nil for one section.
    ///   - name: The name of a cache; see ``cacheName``.
    public init(
        fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
        sectionNameKeyPath: String?, cacheName name: String?
    ) {
        if fetchRequest.sortDescriptors == nil {
            fatalError(
                "A fetched results controller for '\(fetchRequest.entityName ?? "")' needs a fetch request with sort "
                    + "descriptors; an empty array, if the order doesn't matter.")
        }
        source = Source(
            request: fetchRequest, context: context, sectionNameKeyPath: sectionNameKeyPath, cacheName: name)
        results = FetchedResults(sectionNameKeyPath: sectionNameKeyPath)
        super.init()
        Self.allowCasts()
        results.indexTitle = { [weak self] in self?.indexTitle(of: $0) }
        relay.start(context) { [weak self] in self?.follow($0) }
    }

    /// A controller that has nothing to fetch: without results, to be replaced by another one. Stops where it is told to fetch.
    public override init() {
        source = Source(
            request: NSFetchRequest(), context: NSManagedObjectContext(.privateQueue), sectionNameKeyPath: nil,
            cacheName: nil)
        results = FetchedResults(sectionNameKeyPath: nil)
        super.init()
        Self.allowCasts()
    }

    /// Lets a cast give the controller as one of objects of any class.
    private static func allowCasts() {
        ResultTypeCasts.link(
            NSFetchedResultsController<ResultType>.self, of: ResultType.self,
            to: NSFetchedResultsController<NSManagedObject>.self,
            and: NSFetchedResultsController<any NSFetchRequestResult>.self, under: NSObject.self)
    }

    /// Fetches. A delegate that takes differences is told what has come and gone, by the first fetch too.
    ///
    /// - Throws: What the fetch throws; `CocoaError` (`.coreData`) where the results aren't sorted by section.
    open func performFetch() throws {
        let request = FetchRequestState(copying: fetchRequest.state)
        let objects = try managedObjectContext.fetch(fetchRequest).map { $0 as AnyObject }
        // After the fetch, which announces pending changes: the delegate has been told of these.
        let old = results.current, lost = results.lost
        try results.arrange(objects, of: request, in: fetchRequest.affectedStores)
        guard let delegate, let new = results.current, request.resultType == .managedObjectResultType,
            sectionNameKeyPath == nil, results.delegateTakesDifference ?? true
        else { return }
        if let lost {
            // By IDs: the objects of before the reset are nobody's.
            var known: [RowKey: NSManagedObjectID] = [:]
            for id in lost { known[id.key] = id }
            let ids = new.objects.compactMap { ($0 as? NSManagedObject)?.objectID }.map { known[$0.key] ?? $0 }
            let changes = FetchedResultsChanges(
                from: FetchedSections(objects: lost), to: FetchedSections(objects: ids),
                changed: Set(ids.map(ObjectIdentifier.init)))
            _ = takesDifference(delegate, changes)
            return
        }
        let members = Set(new.objects.map(ObjectIdentifier.init))
        _ = takesDifference(
            delegate, FetchedResultsChanges(from: old ?? FetchedSections(objects: []), to: new, changed: members))
    }

    /// Does nothing; there are no caches.
    open class func deleteCache(withName name: String?) {}

    // MARK: Results

    /// The objects in order; nil before the first fetch.
    open var fetchedObjects: [ResultType]? { results.current?.objects.map(typed) }

    /// The object at an index path, which has to exist.
    open func object(at indexPath: IndexPath) -> ResultType {
        guard let sections = results.current?.sections, sections.indices.contains(indexPath.section),
            sections[indexPath.section].members.indices.contains(indexPath.item)
        else {
            fatalError("No fetched object at index path \(indexPath). Perform the fetch, and stay within the sections.")
        }
        return typed(sections[indexPath.section].members[indexPath.item])
    }

    /// Where an object is; nil for one that isn't among the results.
    open func indexPath(forObject object: ResultType) -> IndexPath? {
        results.current?.indexPaths[ObjectIdentifier(object)]
    }

    private func typed(_ object: AnyObject) -> ResultType {
        // Safe: it came from a fetch of this type or was looked at when it came, and a value of a marker protocol is the object's
        // pointer, as a value of a class is.
        unsafe unsafeDowncast(object, to: ResultType.self)
    }

    // MARK: Sections

    /// The sections in order; nil before the first fetch.
    open var sections: [any NSFetchedResultsSectionInfo]? { results.current?.sections }

    /// The titles for an index beside the list, each once.
    open var sectionIndexTitles: [String] {
        var seen: Set<String> = []
        return (results.current?.sections ?? []).compactMap(\.indexTitle).filter { seen.insert($0).inserted }
    }

    /// The title for a section: its name's first letter, in upper case.
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        sectionName.first.map { $0.uppercased() }
    }

    /// The section that an entry of ``sectionIndexTitles`` leads to: the first one with that title.
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        (results.current?.sections ?? []).firstIndex { $0.indexTitle == title } ?? NSNotFound
    }

    private func indexTitle(of name: String) -> String? {
        guard let delegate else { return sectionIndexTitle(forSectionName: name) }
        return delegate.controller(untyped, sectionIndexTitleForSectionName: name)
    }

    // MARK: Following the context

    /// The controller as its delegate gets it.
    private var untyped: NSFetchedResultsController<any NSFetchRequestResult> {
        // Safe: specialisations of the class have one layout, as the type parameter stands for a pointer in all of them, and
        // what is called through it reaches this very object.
        unsafe unsafeBitCast(self, to: NSFetchedResultsController<any NSFetchRequestResult>.self)
    }

    private func follow(_ notification: Notification) {
        guard let delegate, let (sections, changes) = results.following(notification, in: managedObjectContext)
        else { return }
        guard !changes.isEmpty else { return results.show(sections) }
        // The next fetch tells all that has become of what there was before a reset.
        if results.lost != nil, sectionNameKeyPath == nil, results.delegateTakesDifference == true {
            return results.show(sections)
        }
        // Before somebody gets them as objects of the controller's type.
        let new = changes.objects.filter { $0.type == .insert }.map(\.object)
        _ = fetchRequest.state.typed(new, as: ResultType.self)
        let controller = untyped
        let old = results.current
        // Who takes a difference, of a list without sections, is told nothing else.
        if sectionNameKeyPath == nil, results.delegateTakesDifference ?? true {
            results.show(sections)
            if takesDifference(delegate, changes) { return }
            if let old { results.show(old) }
        }
        delegate.controllerWillChangeContent(controller)
        results.show(sections)
        // A section is there before its objects, and goes after them.
        func tellSections(_ type: NSFetchedResultsChangeType) {
            for change in changes.sections where change.type == type {
                delegate.controller(
                    controller, didChange: change.section, atSectionIndex: change.index, for: change.type)
            }
        }
        tellSections(.insert)
        for change in changes.objects {
            delegate.controller(
                controller, didChange: change.object, at: change.old, for: change.type, newIndexPath: change.new)
        }
        tellSections(.delete)
        delegate.controllerDidChangeContent(controller)
    }

    /// Tells a delegate all changes of a list without sections as one difference; returns whether it takes that.
    private func takesDifference(
        _ delegate: any NSFetchedResultsControllerDelegate, _ changes: FetchedResultsChanges
    ) -> Bool {
        guard let difference = Self.difference(changes) else { return false }
        results.delegateTakesDifference = true
        // The default implementation sets it to false.
        delegate.controller(untyped, didChangeContentWith: difference)
        return results.delegateTakesDifference == true
    }

    /// The changes as a difference; a move is a removal and an insertion that know each other. Nil for a list that has an object several
    /// times, as a context's own `fetch(_:)` may give it: two changes are at one place then.
    private static func difference(_ changes: FetchedResultsChanges) -> CollectionDifference<NSManagedObjectID>? {
        var steps: [CollectionDifference<NSManagedObjectID>.Change] = []
        for change in changes.objects where change.type != .update {
            guard let id = change.object as? NSManagedObjectID ?? (change.object as? NSManagedObject)?.objectID else {
                continue
            }
            let old = change.old?.item, new = change.new?.item
            if let old { steps.append(.remove(offset: old, element: id, associatedWith: new)) }
            if let new { steps.append(.insert(offset: new, element: id, associatedWith: old)) }
        }
        return CollectionDifference(steps)
    }
}

/// Hands a context's notifications on until it goes.
private final class NotificationRelay: @unchecked Sendable {
    // Safe to share: the context posts on its own queue, which is the one that the controller is used on.

    private var tokens: [any NSObjectProtocol] = []
    private var body: ((Notification) -> Void)?

    func start(_ context: NSManagedObjectContext, _ body: @escaping (Notification) -> Void) {
        self.body = body
        let names: [Notification.Name] = [.NSManagedObjectContextObjectsDidChange, .unseenObjectsDidChange]
        tokens = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { [weak self] in
                self?.body?($0)
            }
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
}
