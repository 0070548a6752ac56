// Stores that an application writes itself: what they are asked, and how their rows are named. Stores/Custom/
// IncrementalStoreBackend.swift asks it for a context.

public import Foundation

/// A store that fetches and saves through code of the application. Follows Core Data's `NSIncrementalStore`.
///
/// A subclass overrides ``NSPersistentStore/loadMetadata()``, ``execute(_:with:)``, ``newValuesForObject(with:with:)``,
/// ``newValue(forRelationship:forObjectWith:with:)`` and ``obtainPermanentIDs(for:)``, and is made known with
/// `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`. Everything is called on the queue of the context
/// that asks; several contexts may ask at once.
open class NSIncrementalStore: NSPersistentStore, ReferencingStore {
    private let lock = NSLock()
    let references = StoreReferences()
    private var ownMetadata: [String: Any] = [:]

    /// What ``NSPersistentStore/loadMetadata()`` has put there: at least `NSStoreUUIDKey` and `NSStoreTypeKey`.
    open override var metadata: [String: Any]! {
        get { lock.withLock { ownMetadata } }
        set { lock.withLock { ownMetadata = newValue ?? [:] } }
    }

    /// A UUID for a store that is new.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    /// Does what a request asks.
    ///
    /// - Parameters:
    ///   - request: An `NSFetchRequest<any NSFetchRequestResult>`, an ``NSSaveChangesRequest`` or a batch request.
    ///   - context: Who asks.
    /// - Returns: For a fetch an array: managed objects of the context (`object(with:)`), IDs, dictionaries or one number,
    ///   as its result type says. For a save an empty array. For a batch what its result type says: a `Bool`, an `Int` or
    ///   an array of IDs.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        missing("execute(_:with:)")
    }

    /// The values of an object.
    ///
    /// - Throws: `CocoaError` (`.managedObjectReferentialIntegrity`) where there is no such object.
    open func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        missing("newValuesForObject(with:with:)")
    }

    /// Where a relationship leads: an ID or `NSNull`, or an array of IDs for a to-many one.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        missing("newValue(forRelationship:forObjectWith:with:)")
    }

    /// Permanent IDs for objects that will be inserted, in their order; made with ``newObjectID(for:referenceObject:)``.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        missing("obtainPermanentIDs(for:)")
    }

    /// Tells that a context has objects from now on; several contexts may have the same. Does nothing by itself.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// Tells that a context hasn't objects any more: it was reset, or nobody holds them; then on whatever thread let go of them last.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    private func missing(_ method: String) -> Never {
        fatalError("The store class \(Swift.type(of: self)) doesn't override \(method), which Core Data calls.")
    }

    // MARK: References

    /// The ID of a row that the store knows by a reference: a text, a number, bytes, or what else can be compared. Equal references have
    /// one ID. A URI leads back to its ID; where this coordinator hasn't seen the reference yet, it is a number or bytes where it looks
    /// like these, and else a text.
    open func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
        references.objectID(for: entity, reference: data, in: self)
    }

    /// The reference that an ID was made with. Stops for an ID of another store.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any {
        references.reference(for: objectID, in: self)
    }

    override func backend(for context: NSManagedObjectContext) throws -> any StoreBackend {
        guard persistentStoreCoordinator != nil else { return try requiredBackend }
        return IncrementalStoreBackend(store: self, context: context)
    }
}

extension NSManagedObjectID {
    /// The application's store that the ID is of, which hears what contexts have.
    private var listeningStore: NSIncrementalStore? {
        space.references == nil ? nil : space.store as? NSIncrementalStore
    }

    func noteRegistration() { listeningStore?.managedObjectContextDidRegisterObjects(with: [self]) }
    func noteUnregistration() { listeningStore?.managedObjectContextDidUnregisterObjects(with: [self]) }
}
