// A row of the in-memory store, and what predicates and sort descriptors read from it.

import Foundation

/// The members of one to-many relationship of one row, without duplicates.
struct StoredMembers {
    /// With those that have left, until half of them have.
    private var list: [NSManagedObjectID] = []
    private var keys: Set<RowKey> = []
    private var gone: Set<RowKey> = []

    init(_ ids: [NSManagedObjectID] = []) {
        for id in ids { insert(id) }
    }

    var ids: [NSManagedObjectID] { gone.isEmpty ? list : list.filter(contains) }

    func contains(_ id: NSManagedObjectID) -> Bool { keys.contains(id.key) }

    mutating func insert(_ id: NSManagedObjectID) {
        if contains(id) { return }
        if gone.contains(id.key) { tidy() }
        keys.insert(id.key)
        list.append(id)
    }

    mutating func remove(_ id: NSManagedObjectID) {
        guard keys.remove(id.key) != nil else { return }
        gone.insert(id.key)
        if gone.count * 2 > list.count { tidy() }
    }

    private mutating func tidy() {
        list = ids
        gone = []
    }
}

/// A row: its values in slot order, and the members of its to-many relationships beside them.
final class StoredRow: NSObject, KeyValueReadable {
    let id: NSManagedObjectID
    var version: Int64
    var values: SlotValues
    var members: [Int: StoredMembers] = [:]
    /// Where the row is a member without knowing it, by relationship: as in SQL, which has one column for it, in one place.
    var owners: [ObjectIdentifier: NSManagedObjectID] = [:]
    private unowned let backend: InMemoryStoreBackend

    init(id: NSManagedObjectID, version: Int64, values: SlotValues, backend: InMemoryStoreBackend) {
        self.id = id
        self.version = version
        self.values = values
        self.backend = backend
    }

    var layout: EntityLayout { id.entity.layout }

    var row: StoreRow { StoreRow(objectID: id, version: version, values: values) }

    /// The members in the order that a reader gets them: ordered ones in theirs, others by primary key.
    func orderedMembers(_ slot: Int) -> [NSManagedObjectID] {
        let ids = members[slot]?.ids ?? []
        if case .toMany(ordered: true) = layout.slots[slot].kind { return ids }
        return ids.sorted { $0.number < $1.number }
    }

    /// The rows that a relationship leads to.
    func destinations(_ relationship: String) -> [StoredRow] {
        guard let slot = layout.slot(named: relationship) else { return [] }
        let ids = values[slot].referencedID.map { [$0] } ?? members[slot]?.ids ?? []
        return ids.compactMap(backend.storedRow)
    }

    func readableValue(forKey key: String) -> Any? {
        guard let slot = layout.slot(named: key) else {
            return switch key {
            case "objectID", "self", "SELF": id
            case "entity": id.entity
            default: layout.composites[key]?.dictionary { values[$0].boxedAttribute }
            }
        }
        return switch layout.slots[slot].kind {
        case .attribute: values[slot].boxedAttribute
        // A row that isn't there leaves its ID, as it does in SQL.
        case .toOne: values[slot].referencedID.map { backend.storedRow($0) ?? $0 }
        case .toMany: orderedMembers(slot).compactMap(backend.storedRow)
        }
    }
}
