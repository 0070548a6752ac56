// What a coordinator can be asked to do. Fetch requests are generic and their specialisations can't be cast into one
// another, so every request says in `fetchState`, without generics, what it fetches.

public import Foundation

/// The kind of a request.
public enum NSPersistentStoreRequestType: UInt, Sendable {
    /// An ``NSFetchRequest``.
    case fetchRequestType = 1
    /// A save.
    case saveRequestType = 2
    /// Rows inserted in the store directly.
    case batchInsertRequestType = 5
    /// Rows updated in the store directly.
    case batchUpdateRequestType = 6
    /// Rows deleted in the store directly.
    case batchDeleteRequestType = 7
}

/// A request to persistent stores; its subclasses say which. Follows Core Data's `NSPersistentStoreRequest`.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// The stores that are asked; nil for all that have the entity.
    open var affectedStores: [NSPersistentStore]?

    /// What is fetched; nil for requests that don't fetch.
    package let fetchState: FetchRequestState?

    /// What a fetch request asks for; nil for all others.
    var plainFetch: FetchRequestState? { nil }

    /// A request that fetches nothing; for subclasses.
    public override init() {
        fetchState = nil
        super.init()
    }

    package init(fetchState: FetchRequestState) {
        self.fetchState = fetchState
        super.init()
    }

    /// The kind of the request.
    open var requestType: NSPersistentStoreRequestType {
        if fetchState != nil { return .fetchRequestType }
        fatalError("\(type(of: self)) doesn't override requestType. Return the kind of the request there.")
    }

    /// Returns a request of its own with the same contents. Subclasses override it.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreRequest()
        copy.affectedStores = affectedStores
        return copy
    }

    open override func copy() -> Any { copy(with: nil) }

    /// Makes the typed result of a fetch, and hands an asynchronous one's to its closure; nil for all other requests. Stops for a list of
    /// something else than the request's result type.
    func finish(
        _ outcome: Result<any Collection, any Error>, in context: NSManagedObjectContext
    ) -> NSPersistentStoreResult? { nil }
}
