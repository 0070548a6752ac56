// Stores that an application reads and writes as a whole: what they are asked, and the nodes that they keep. Contexts are answered
// from rows in memory, made of the nodes when the store is loaded (Stores/InMemory/InMemoryStoreBackend.swift); the nodes
// follow each save (Stores/Custom/AtomicStoreBackend.swift).

import Foundation

/// A store that is read and written as a whole by code of the application. Follows Core Data's `NSAtomicStore`.
///
/// A subclass overrides ``load()``, ``save()``, ``newCacheNode(for:)``, ``updateCacheNode(_:from:)``,
/// ``newReferenceObject(for:)`` and ``NSPersistentStore/type``, and is made known with
/// `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`. Saving is called on the queue of the context that saves.
open class NSAtomicStore: NSPersistentStore, ReferencingStore {
    private let lock = NSLock()
    let references = StoreReferences()
    private var nodes: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]
    private var ownMetadata: [String: Any] = [NSStoreUUIDKey: UUID().uuidString]

    /// What the store says about itself. ``load()`` sets what was read; UUID and type are there without it.
    open override var metadata: [String: Any]! {
        get { lock.withLock { ownMetadata } }
        set {
            var metadata = newValue ?? [:]
            let identifier = lock.withLock {
                metadata[NSStoreUUIDKey] = metadata[NSStoreUUIDKey] ?? ownMetadata[NSStoreUUIDKey]
                ownMetadata = metadata
                return metadata[NSStoreUUIDKey] as? String ?? ""
            }
            references.rename(to: identifier)
            hasUnsavedMetadata = true
        }
    }

    // MARK: What a subclass overrides

    /// Reads the file: gives all nodes to ``addCacheNodes(_:)`` and sets ``metadata``. A file that isn't there is a new store.
    open func load() throws { missing("load()") }

    /// Writes the file, from ``cacheNodes()`` and ``metadata``.
    ///
    /// What it throws ends the save; nodes and objects are then as before it.
    open func save() throws { missing("save()") }

    /// A node with the values of an object that is saved for the first time. Its ID is permanent.
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        missing("newCacheNode(for:)")
    }

    /// Gives a node the values of its object.
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        missing("updateCacheNode(_:from:)")
    }

    /// What a new object will be known by in the file: a text, a number, or what else is told apart by its description.
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any { missing("newReferenceObject(for:)") }

    /// Called before ``save()`` with the nodes of deleted objects, which are still there.
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    private func missing(_ method: String) -> Never {
        fatalError("The store class \(Swift.type(of: self)) doesn't override \(method), which Core Data calls.")
    }

    // MARK: Nodes and references

    /// All nodes.
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> { lock.withLock { Set(nodes.values) } }

    /// Takes nodes in; called by ``load()``.
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        lock.withLock { for node in cacheNodes { nodes[node.objectID] = node } }
    }

    /// The node of an object.
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        lock.withLock { nodes[objectID] }
    }

    /// Forgets nodes of deleted objects.
    func removeCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        lock.withLock { for node in cacheNodes { nodes[node.objectID] = nil } }
    }

    /// The ID of the object that the file knows by a reference.
    open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID {
        references.objectID(for: entity, reference: data, in: self)
    }

    /// The reference that an ID was made with. Stops for an ID of another store.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { references.reference(for: objectID, in: self) }

    // MARK: Rows

    /// The nodes as rows; nil until the store is loaded.
    private var rows: InMemoryStoreBackend?

    override func open() throws {
        try super.open()
        try load()
        guard let model = persistentStoreCoordinator?.managedObjectModel else { return }
        let rows = InMemoryStoreBackend(model: model, store: self)
        try rows.load(loadedRows())
        self.rows = rows
        var metadata: [String: Any] = metadata
        metadata[NSStoreTypeKey] = metadata[NSStoreTypeKey] ?? type
        if metadata[NSStoreModelVersionHashesKey] == nil {
            metadata[NSStoreModelVersionHashesKey] = model.entityVersionHashesByName
        }
        self.metadata = metadata
        hasUnsavedMetadata = false
    }

    override func backend(for context: NSManagedObjectContext) throws -> any StoreBackend {
        guard persistentStoreCoordinator != nil, let rows else { return try requiredBackend }
        return AtomicStoreBackend(store: self, rows: rows, context: context)
    }

    /// The nodes as rows, in the order in which their IDs were made.
    ///
    /// - Parameter versions: The rows' versions, of those that aren't new.
    /// - Throws: `CocoaError` (`.coreData`) for a value that isn't of its property's type.
    func loadedRows(_ versions: [RowKey: Int64] = [:]) throws -> [InMemoryStoreBackend.LoadedRow] {
        let known = lock.withLock { Array(nodes.values) }
        return try known.sorted { $0.objectID.number < $1.objectID.number }.map { node in
            let reading = CacheNodeReading(node: node, storeClass: Swift.type(of: self))
            return try reading.row(version: versions[node.objectID.key] ?? 1)
        }
    }
}
