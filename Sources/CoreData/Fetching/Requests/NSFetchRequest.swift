// The request for objects, IDs, dictionaries or a count. Its contents are in `FetchRequestState`, because few specialisations
// of a generic class can be cast into one another (`ResultTypeCasts`). What a request returns is the context's part.

public import Foundation

/// What a fetch request can return: managed objects, their IDs, dictionaries, and a number.
@_marker public protocol NSFetchRequestResult: AnyObject {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// What a fetch request shall return.
public struct NSFetchRequestResultType: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// A type by its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Managed objects.
    public static var managedObjectResultType: NSFetchRequestResultType { [] }
    /// Object IDs.
    public static var managedObjectIDResultType: NSFetchRequestResultType { .init(rawValue: 1) }
    /// Dictionaries of the store's values.
    public static var dictionaryResultType: NSFetchRequestResultType { .init(rawValue: 2) }
    /// The number of matching objects.
    public static var countResultType: NSFetchRequestResultType { .init(rawValue: 4) }
}

/// Says which objects are wanted, in which order and in which form. Follows Core Data's `NSFetchRequest`.
open class NSFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest, NSSecureCoding {
    let state: FetchRequestState

    /// A request without an entity.
    public override init() {
        state = FetchRequestState()
        super.init(fetchState: state)
        Self.allowCasts()
    }

    /// A request for the entity of that name in the model of the context that executes it.
    public convenience init(entityName: String) {
        self.init()
        state.name = entityName
    }

    /// A request for the same as another one.
    convenience init(copying other: FetchRequestState) {
        self.init()
        state.take(other)
    }

    /// Lets a cast give the request as one for objects of any class.
    private static func allowCasts() {
        ResultTypeCasts.link(
            NSFetchRequest<ResultType>.self, of: ResultType.self, to: NSFetchRequest<NSManagedObject>.self,
            and: NSFetchRequest<any NSFetchRequestResult>.self, under: NSPersistentStoreRequest.self)
    }

    /// The request as code without generics gets it.
    var untyped: NSFetchRequest<any NSFetchRequestResult> {
        // Safe: specialisations of the class have one layout, and none has anything of its type parameter.
        unsafe unsafeBitCast(self, to: NSFetchRequest<any NSFetchRequestResult>.self)
    }

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// The entity; nil until a request made by name is executed.
    open var entity: NSEntityDescription? {
        get { state.entity }
        set { state.entity = newValue }
    }

    /// The entity's name.
    open var entityName: String? { state.entityName }

    /// Which objects; nil for all.
    open var predicate: NSPredicate? {
        get { state.predicate }
        set { state.predicate = newValue }
    }

    /// In which order; nil for the order of their keys in the store.
    open var sortDescriptors: [NSSortDescriptor]? {
        get { state.sortDescriptors }
        set { state.sortDescriptors = newValue }
    }

    /// The largest number of results; 0 for all.
    open var fetchLimit: Int {
        get { state.fetchLimit }
        set { state.fetchLimit = newValue }
    }

    /// How many results to leave out at the beginning.
    open var fetchOffset: Int {
        get { state.fetchOffset }
        set { state.fetchOffset = newValue }
    }

    /// How many objects are read from the store at a time; 0 for all at once.
    open var fetchBatchSize: Int {
        get { state.fetchBatchSize }
        set { state.fetchBatchSize = newValue }
    }

    /// The form of the results.
    open var resultType: NSFetchRequestResultType {
        get { state.resultType }
        set { state.resultType = newValue }
    }

    /// Whether objects of the entity's sub-entities are wanted too.
    open var includesSubentities: Bool {
        get { state.includesSubentities }
        set { state.includesSubentities = newValue }
    }

    /// Whether the rows are read along with the IDs.
    open var includesPropertyValues: Bool {
        get { state.includesPropertyValues }
        set { state.includesPropertyValues = newValue }
    }

    /// Whether unsaved changes of the context count; no wherever dictionaries are wanted, which show the store only.
    open var includesPendingChanges: Bool {
        get { state.showsPendingChanges }
        set { state.includesPendingChanges = newValue }
    }

    /// Whether the objects may be faults.
    open var returnsObjectsAsFaults: Bool {
        get { state.returnsObjectsAsFaults }
        set { state.returnsObjectsAsFaults = newValue }
    }

    /// Whether equal dictionaries are returned once.
    open var returnsDistinctResults: Bool {
        get { state.returnsDistinctResults }
        set { state.returnsDistinctResults = newValue }
    }

    /// Whether objects that the context has already get the store's values.
    ///
    /// - Note: So it is documented. With Core Data it has been observed to have no effect. Divergence 58.
    open var shouldRefreshRefetchedObjects: Bool {
        get { state.shouldRefreshRefetchedObjects }
        set { state.shouldRefreshRefetchedObjects = newValue }
    }

    /// Relationships to read along with the objects, as key paths.
    open var relationshipKeyPathsForPrefetching: [String]? {
        get { state.relationshipKeyPathsForPrefetching }
        set { state.relationshipKeyPathsForPrefetching = newValue }
    }

    /// What dictionaries contain: names, property descriptions or expression descriptions; nil for all attributes.
    open var propertiesToFetch: [Any]? {
        get { state.propertiesToFetch }
        set { state.propertiesToFetch = newValue }
    }

    /// What dictionaries are grouped by.
    open var propertiesToGroupBy: [Any]? {
        get { state.propertiesToGroupBy }
        set { state.propertiesToGroupBy = newValue }
    }

    /// Which groups are returned.
    open var havingPredicate: NSPredicate? {
        get { state.havingPredicate }
        set { state.havingPredicate = newValue }
    }

    /// Fetches in the context whose `perform` or `performAndWait` block is running.
    ///
    /// - Throws: `CocoaError` (`.coreData`) outside of such a block; what the fetch throws.
    open func execute() throws -> [ResultType] {
        guard let context = CurrentContext.current else {
            throw CoreDataError.make(
                .coreData,
                "A fetch request was executed outside of a context's block. Call it within perform or performAndWait, or use "
                    + "fetch(_:) of a context.")
        }
        return try context.fetch(self)
    }

    /// The result as an ``NSAsynchronousFetchResult``, for `execute(_:)` of a context.
    override func finish(
        _ outcome: Result<any Collection, any Error>, in context: NSManagedObjectContext
    ) -> NSPersistentStoreResult? {
        // A class's `fetchRequest()` is one for objects of that class, whatever it is set to fetch then.
        if ResultType.self is NSManagedObject.Type, resultType != .managedObjectResultType {
            return NSAsynchronousFetchRequest(fetchRequest: untyped).finish(outcome, in: context)
        }
        return NSAsynchronousFetchRequest(fetchRequest: self).finish(outcome, in: context)
    }

    // MARK: Copies

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchRequest<ResultType>(copying: state)
        copy.affectedStores = affectedStores
        return copy
    }

    /// Whether the other object is a request for the same, from the same stores.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentStoreRequest, let wanted = other.plainFetch else { return false }
        return self === other || (state.isEqual(to: wanted) && affectedStores == other.affectedStores)
    }

    override var plainFetch: FetchRequestState? { state }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(entityName)
        if let predicate { PredicateStructure.hash(predicate, into: &hasher) }
        hasher.combine(fetchLimit)
        return hasher.finalize()
    }

    /// What is wanted: the entity, the predicate's format, the order and the bounds that are set.
    open override var description: String {
        let order = sortDescriptors.map { list in
            list.map { "\($0.key ?? "SELF") \($0.ascending ? "ascending" : "descending")" }.joined(separator: ", ")
        }
        let parts = [
            "entity: \(entityName ?? "none")", predicate.map { "predicate: (\(PredicatePrinter.text(of: $0)))" },
            order.map { "sortDescriptors: (\($0))" }, fetchOffset > 0 ? "offset: \(fetchOffset)" : nil,
            fetchLimit > 0 ? "limit: \(fetchLimit)" : nil, fetchBatchSize > 0 ? "batch size: \(fetchBatchSize)" : nil,
        ]
        // Safe: the address is shown, not used.
        let address = unsafe "\(Unmanaged.passUnretained(self).toOpaque())"
        return "<NSFetchRequest: \(address)> (\(parts.compactMap(\.self).joined(separator: "; ")))"
    }

    // MARK: Archives

    /// Requests are archived with their predicates as formats. A keyed archive can't have one as its object, because
    /// Foundation on Linux has no name for a generic class; encode into a coder instead.
    public class var supportsSecureCoding: Bool { true }

    /// A request from an archive; nil, with the coder's error set, for one that can't be read.
    public required init?(coder: NSCoder) {
        guard let decoded = FetchRequestState(coder: coder) else { return nil }
        state = decoded
        super.init(fetchState: decoded)
        Self.allowCasts()
    }

    open func encode(with coder: NSCoder) { state.encode(with: coder) }
}
