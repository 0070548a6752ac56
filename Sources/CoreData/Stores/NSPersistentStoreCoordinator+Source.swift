// The coordinator as the source of a context: which store has what, and who is asked.

import Foundation

extension NSPersistentStoreCoordinator: ObjectSource {
    var rootCoordinator: NSPersistentStoreCoordinator? { self }

    var isPermanent: Bool { true }

    func rows(
        matching query: StoreQuery, in stores: [NSPersistentStore], for context: NSManagedObjectContext
    ) throws -> [[StoreRow]] {
        try stores.map { try context.readBackend(of: $0).rows(matching: query) }
    }

    func objectIDs(
        matching query: StoreQuery, in stores: [NSPersistentStore], for context: NSManagedObjectContext
    ) throws -> [[NSManagedObjectID]] {
        try stores.map { try context.readBackend(of: $0).objectIDs(matching: query) }
    }

    func counts(
        matching query: StoreQuery, in stores: [NSPersistentStore], for context: NSManagedObjectContext
    ) throws -> [Int] {
        try stores.map { try context.readBackend(of: $0).count(matching: query) }
    }

    func dictionaries(
        matching query: StoreQuery, selection: StoreSelection, in stores: [NSPersistentStore],
        for context: NSManagedObjectContext
    ) throws -> [[String: Any]] {
        try stores.flatMap { try context.readBackend(of: $0).dictionaries(matching: query, selection: selection) }
    }

    func rows(
        withIDs ids: [NSManagedObjectID], slots: [Int]?, for context: NSManagedObjectContext
    ) throws -> [StoreRow] {
        let places = try positionsByStore(ids)
        if places.count == 1, places[0].positions.count == ids.count {
            return try context.readBackend(of: places[0].store).rows(withIDs: ids, slots: slots)
        }
        var rows: [StoreRow] = []
        for (store, positions) in places {
            rows += try context.readBackend(of: store).rows(withIDs: positions.map { ids[$0] }, slots: slots)
        }
        return rows
    }

    func members(
        of relationship: NSRelationshipDescription, owners: [NSManagedObjectID], for context: NSManagedObjectContext
    ) throws -> [[NSManagedObjectID]] {
        let places = try positionsByStore(owners)
        if places.count == 1, places[0].positions.count == owners.count {
            return try context.readBackend(of: places[0].store).members(of: relationship, owners: owners)
        }
        var members = [[NSManagedObjectID]](repeating: [], count: owners.count)
        for (store, positions) in places {
            let lists = try context.readBackend(of: store).members(
                of: relationship, owners: positions.map { owners[$0] })
            for (position, list) in zip(positions, lists) { members[position] = list }
        }
        return members
    }

    /// Where each store's IDs are in the list. Temporary ones are in no store; a store that was removed can't be asked.
    private func positionsByStore(_ ids: [NSManagedObjectID]) throws -> [(store: NSPersistentStore, positions: [Int])] {
        // One space after the other is the rule; so the weak reference to the store is followed once a run.
        var result: [(store: NSPersistentStore, positions: [Int])] = []
        var space: RowSpace?
        var current: Int?
        for (position, id) in ids.enumerated() {
            if id.space !== space {
                space = id.space
                guard let store = id.persistentStore else {
                    current = nil
                    continue
                }
                current = result.firstIndex { $0.store === store } ?? result.endIndex
                if current == result.endIndex { result.append((store, [])) }
            }
            if let current { result[current].positions.append(position) }
        }
        return result
    }

    func permanentIDs(
        for objects: [NSManagedObject], assigned stores: [RowKey: NSPersistentStore],
        for context: NSManagedObjectContext
    ) throws -> [NSManagedObjectID] {
        var ids = objects.map(\.id)
        var entities: [NSEntityDescription] = []
        var groups: [ObjectIdentifier: [Int]] = [:]
        for (position, object) in objects.enumerated() {
            if !stores.isEmpty, let store = stores[object.id.key] {
                ids[position] = try store.backend(for: context).permanentIDs(forNew: [object]).first ?? object.id
                continue
            }
            let key = ObjectIdentifier(object.entity)
            if groups[key] == nil { entities.append(object.entity) }
            groups[key, default: []].append(position)
        }
        for entity in entities {
            let group = groups[ObjectIdentifier(entity)] ?? []
            let made = try store(forNew: entity).backend(for: context).permanentIDs(forNew: group.map { objects[$0] })
            for (position, id) in zip(group, made) { ids[position] = id }
        }
        return ids
    }

    func save(
        _ changes: StoreChanges, for context: NSManagedObjectContext, partly: ([NSPersistentStore]) -> Void
    ) throws -> NSPersistentHistoryToken? {
        let parts = try changesByStore(changes).map {
            (store: $0.store, backend: try $0.store.backend(for: context), changes: $0.changes)
        }
        return try write(
            parts.filter { !$0.changes.isEmpty || $0.store.hasUnsavedMetadata },
            watching: parts.filter(\.changes.isEmpty).map { (backend: $0.backend, rows: $0.changes.watched) },
            partly: partly)
    }

    /// Stores of the application see every save; those here may have new metadata to write.
    func saveNothing(for context: NSManagedObjectContext) throws {
        let none = StoreChanges(origin: context.origin)
        for case let store as NSIncrementalStore in persistentStores {
            try store.backend(for: context).save(none)
        }
        let described = persistentStores.filter { $0.hasUnsavedMetadata && !($0 is NSIncrementalStore) }
        guard !described.isEmpty else { return }
        let parts = try described.map { (store: $0, backend: try $0.backend(for: context), changes: none) }
        _ = try write(parts, watching: [], partly: { _ in })
    }

    /// Each store's part of a save, empty ones included.
    private func changesByStore(_ changes: StoreChanges) throws -> [(store: NSPersistentStore, changes: StoreChanges)] {
        let stores = persistentStores
        if stores.count == 1 {
            var search = StoreSearch(stores)
            for rows in [changes.inserted, changes.updated, changes.deleted] {
                for row in rows { _ = try search.index(for: row.objectID) }
            }
            return [(stores[0], changes)]
        }
        var parts = stores.map { store in
            let linked = changes.linked.filter { $0.persistentStore === store }
            let watched = changes.watched.filter { $0.objectID.persistentStore === store }
            return (store: store, changes: StoreChanges(linked: linked, watched: watched, origin: changes.origin))
        }
        var search = StoreSearch(stores)
        func add(_ rows: [RowChange], to list: WritableKeyPath<StoreChanges, [RowChange]>) throws {
            for row in rows { parts[try search.index(for: row.objectID)].changes[keyPath: list].append(row) }
        }
        try add(changes.inserted, to: \.inserted)
        try add(changes.updated, to: \.updated)
        try add(changes.deleted, to: \.deleted)
        for part in parts { try Self.checkLinks(of: part.changes, in: part.store) }
        return parts
    }

    /// Before the first store is written: a store can't know the rows of another one.
    ///
    /// - Throws: `CocoaError` (`.managedObjectExternalRelationship`) for a link that leads into another store.
    private static func checkLinks(of changes: StoreChanges, in store: NSPersistentStore) throws {
        func check(_ ids: some Sequence<NSManagedObjectID>, _ slot: Int, _ change: RowChange) throws {
            for id in ids {
                guard let other = id.persistentStore, other !== store else { continue }
                let entity = change.objectID.entity
                throw CoreDataError.make(
                    .managedObjectExternalRelationship,
                    "'\(entity.name ?? "").\(entity.layout.slots[slot].name)' of \(change.objectID) in the store "
                        + "\(place(of: store)) refers to \(id), which is in the store \(place(of: other)). Insert that object "
                        + "into the same store (assign(_:to:)), or take it out of the relationship.")
            }
        }
        for change in changes.inserted + changes.updated {
            let layout = change.objectID.entity.layout
            for slot in layout.toOneSlots where change.changed.contains(slot) && !layout.slots[slot].isTransient {
                try check(CollectionOfOne(change.values[slot]).compactMap(\.referencedID), slot, change)
            }
            for relation in change.relations { try check(relation.added, relation.slot, change) }
        }
        for change in changes.inserted {
            let layout = change.objectID.entity.layout
            for slot in layout.toManySlots where layout.needsRelationChange[slot] {
                if case .objects(let members) = change.values[slot] {
                    try check(members.objects.map(\.id), slot, change)
                }
            }
        }
    }

    private static func place(of store: NSPersistentStore) -> String { store.url?.storeName ?? "in memory" }
}

/// Which of some stores has the row of an ID. One that was opened again isn't the same: what its objects lead to has IDs of before, too.
/// The last answer is kept, because one space after the other is the rule.
private struct StoreSearch {
    private let stores: [NSPersistentStore]
    private var last: (space: RowSpace, index: Int)?

    init(_ stores: [NSPersistentStore]) { self.stores = stores }

    /// - Throws: `CocoaError` (`.persistentStoreSave`) where none of them has it.
    mutating func index(for id: NSManagedObjectID) throws -> Int {
        if let last, last.space === id.space { return last.index }
        let own = id.persistentStore
        guard let index = stores.firstIndex(where: { $0 === own }) else {
            throw CoreDataError.make(
                .persistentStoreSave,
                "The store of \(id) isn't among the coordinator's any more. Add it again, reset the context, and repeat the "
                    + "changes of its objects.")
        }
        last = (id.space, index)
        return index
    }
}
