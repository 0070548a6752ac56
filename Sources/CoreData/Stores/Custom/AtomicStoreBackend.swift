// An atomic store as a context asks it: rows in memory answer; a save changes them, then the nodes, then the file.

import Foundation

/// Asks an atomic store for one context.
final class AtomicStoreBackend: StoreBackend {
    private let store: NSAtomicStore
    private let rows: InMemoryStoreBackend
    private let context: NSManagedObjectContext

    init(store: NSAtomicStore, rows: InMemoryStoreBackend, context: NSManagedObjectContext) {
        self.store = store
        self.rows = rows
        self.context = context
    }

    var metadata: [String: Any] {
        get { store.metadata }
        set { store.metadata = newValue }
    }

    func rows(matching query: StoreQuery) throws -> [StoreRow] { try rows.rows(matching: query) }
    func objectIDs(matching query: StoreQuery) throws -> [NSManagedObjectID] { try rows.objectIDs(matching: query) }
    func count(matching query: StoreQuery) throws -> Int { try rows.count(matching: query) }

    func dictionaries(matching query: StoreQuery, selection: StoreSelection) throws -> [[String: Any]] {
        try rows.dictionaries(matching: query, selection: selection)
    }

    func rows(withIDs ids: [NSManagedObjectID], slots: [Int]?) throws -> [StoreRow] {
        try rows.rows(withIDs: ids, slots: slots)
    }

    func members(
        of relationship: NSRelationshipDescription, owners: [NSManagedObjectID]
    ) throws -> [[NSManagedObjectID]] {
        try rows.members(of: relationship, owners: owners)
    }

    func objectID(for entity: NSEntityDescription, primaryKey: Int64) -> NSManagedObjectID {
        store.objectID(for: entity, withReferenceObject: primaryKey)
    }

    func permanentIDs(forNew objects: [NSManagedObject]) throws -> [NSManagedObjectID] {
        objects.map { store.objectID(for: $0.entity, withReferenceObject: store.newReferenceObject(for: $0)) }
    }

    func permanentIDs(for entity: NSEntityDescription, count: Int) throws -> [NSManagedObjectID] {
        throw CoreDataError.make(
            .persistentStoreUnsupportedRequestType,
            "A store of the class \(type(of: store)) gives IDs for objects only.")
    }

    // MARK: Saving

    /// What a node held before a save.
    private struct FormerNode {
        let node: NSAtomicStoreCacheNode
        let values: NSMutableDictionary?
    }

    func save(_ changes: StoreChanges) throws -> Int64? {
        let former = (changes.updated + changes.deleted).map(\.objectID)
        let versions = try rows.rows(withIDs: former).map { ($0.objectID.key, $0.version) }
        let kept = former.compactMap(store.cacheNode).map {
            FormerNode(node: $0, values: $0.propertyCache?.mutableCopy() as? NSMutableDictionary)
        }
        // The nodes first: what the objects haven't read yet of the rows would have the changes twice afterwards.
        let new = Set(objects(changes.inserted, context.inserted.objects).map(store.newCacheNode))
        func restoreNodes() {
            for former in kept { former.node.propertyCache = former.values }
            store.removeCacheNodes(new)
            store.addCacheNodes(Set(kept.map(\.node)))
        }
        store.addCacheNodes(new)
        for object in objects(changes.updated, context.updated.objects) {
            if let node = store.cacheNode(for: object.objectID) { store.updateCacheNode(node, from: object) }
        }
        do {
            try rows.save(changes)
        } catch {
            restoreNodes()
            throw error
        }
        let removed = Set(changes.deleted.map(\.objectID).compactMap(store.cacheNode))
        if !removed.isEmpty { store.willRemoveCacheNodes(removed) }
        store.removeCacheNodes(removed)
        do {
            try store.save()
        } catch {
            restoreNodes()
            try restoreRows(Dictionary(versions) { first, _ in first })
            throw error
        }
        return nil
    }

    /// The changed objects in the order of their rows.
    private func objects(_ changes: [RowChange], _ objects: [NSManagedObject]) -> [NSManagedObject] {
        guard !changes.isEmpty else { return [] }
        let known = Dictionary(objects.map { ($0.id.key, $0) }) { first, _ in first }
        return changes.compactMap { known[$0.objectID.key] }
    }

    /// Makes the rows those of the nodes again; what the failed save didn't touch keeps its version.
    private func restoreRows(_ touched: [RowKey: Int64]) throws {
        let ids = store.cacheNodes().map(\.objectID)
        let untouched = try rows.rows(withIDs: ids).map { ($0.objectID.key, $0.version) }
        let versions = Dictionary(untouched) { first, _ in first }.merging(touched) { _, former in former }
        try rows.load(store.loadedRows(versions))
    }
}
