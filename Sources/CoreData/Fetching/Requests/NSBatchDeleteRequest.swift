// Rows deleted without objects.

public import Foundation

/// What a batch deletion tells.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// Whether it succeeded.
    case resultTypeStatusOnly = 0
    /// The IDs of the rows.
    case resultTypeObjectIDs = 1
    /// The number of rows.
    case resultTypeCount = 2
}

/// Deletes rows in the store, past all contexts. Follows Core Data's `NSBatchDeleteRequest`.
///
/// Delete rules are followed in the store: cascade and nullify as in a context. A deny rule that holds, or a mandatory to-one
/// relationship that nullify would empty, fails the request. Nothing else is validated. IDs and counts are those of the rows
/// asked for, without what cascades took along.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    private let request: NSFetchRequest<any NSFetchRequestResult>
    /// The rows by ID; nil where the fetch request says which.
    let objectIDs: [NSManagedObjectID]?
    /// What the result shall tell.
    open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly

    /// Deletes what a request would fetch.
    public init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) {
        request = fetch
        objectIDs = nil
        super.init()
    }

    /// Deletes objects of one entity or of several with a common ancestor. IDs without a row are passed over. The ID of an object that was
    /// never saved, or of a store that the coordinator doesn't have, fails the request.
    public init(objectIDs objects: [NSManagedObjectID]) {
        request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = objects.first?.entity.rootEntity
        request.predicate = NSPredicate(format: "SELF IN %@", argumentArray: [objects])
        objectIDs = objects
        super.init()
    }

    /// What is deleted.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult> { request }

    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = objectIDs.map { NSBatchDeleteRequest(objectIDs: $0) } ?? NSBatchDeleteRequest(fetchRequest: request)
        copy.resultType = resultType
        copy.affectedStores = affectedStores
        return copy
    }
}

/// What a batch deletion has done.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// `Bool`, `[NSManagedObjectID]` or `Int`, as the request's result type says.
    open private(set) var result: Any?
    /// What the result is.
    open private(set) var resultType: NSBatchDeleteRequestResultType

    /// The result of a request that nobody has made, for classes that say themselves what it is.
    public override init() {
        resultType = .resultTypeStatusOnly
        super.init()
    }

    init(_ outcome: StoreBatchOutcome, _ type: NSBatchDeleteRequestResultType) {
        resultType = type
        switch type {
        case .resultTypeStatusOnly: result = NSNumber(value: outcome.isDone)
        case .resultTypeObjectIDs: result = outcome.ids
        case .resultTypeCount: result = outcome.count
        }
    }
}
