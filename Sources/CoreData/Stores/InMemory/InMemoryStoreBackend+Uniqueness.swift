// Uniqueness constraints of the in-memory store.

import Foundation

/// The rows of an entity and its sub-entities, by the values that have to be unique.
final class UniqueRows {
    let entity: NSEntityDescription
    let constraint: [String]
    /// Its sub-entities have the same slots.
    let slots: [Int]
    private var ids: [[OperandKey]: [NSManagedObjectID]] = [:]

    init(_ entity: NSEntityDescription, _ constraint: [String], _ rows: [StoreRow]) {
        self.entity = entity
        self.constraint = constraint
        slots = constraint.compactMap { entity.layout.slot(named: $0) }
        for row in rows { add(row.objectID, row.values) }
    }

    func add(_ id: NSManagedObjectID, _ values: SlotValues) {
        if let key = key(id, values) { ids[key, default: []].append(id) }
    }

    func remove(_ id: NSManagedObjectID, _ values: SlotValues) {
        guard let key = key(id, values), let rest = ids[key]?.filter({ $0 != id }) else { return }
        ids[key] = rest.isEmpty ? nil : rest
    }

    /// What a row may share with no other one; nil where the constraint isn't about it.
    func key(_ id: NSManagedObjectID, _ values: SlotValues) -> [OperandKey]? {
        id.entity.isKindOf(entity: entity) ? values.uniqueKey(slots) : nil
    }

    /// A row with these values that isn't among some.
    func row(_ key: [OperandKey], besides gone: Set<RowKey>) -> NSManagedObjectID? {
        ids[key]?.filter { !gone.contains($0.key) }.max { $0.number < $1.number }
    }
}

extension InMemoryStoreBackend {
    func checkUniqueness(_ changes: StoreChanges) throws {
        let written = changes.inserted + changes.updated
        let constraints = try uniqueRows(of: written)
        if constraints.isEmpty { return }
        let gone = Set((changes.deleted + changes.updated).map(\.objectID.key))
        for rows in constraints {
            var seen: [[OperandKey]: NSManagedObjectID] = [:]
            for change in written {
                guard let key = rows.key(change.objectID, change.values) else { continue }
                let new = seen.updateValue(change.objectID, forKey: key)
                let existing = new == nil ? rows.row(key, besides: gone) : nil
                if new == nil, existing == nil { continue }
                throw StoreUniquenessConflict(
                    entity: rows.entity, constraint: rows.constraint,
                    inserted: [new, change.objectID].compactMap(\.self), existing: existing)
            }
        }
    }

    /// The constraints that the written rows come under.
    private func uniqueRows(of changes: [RowChange]) throws -> [UniqueRows] {
        var seen: Set<ObjectIdentifier> = []
        var result: [UniqueRows] = []
        for change in changes where seen.insert(ObjectIdentifier(change.objectID.entity)).inserted {
            for entity in change.objectID.entity.constrainingEntities {
                for names in entity.uniquenessConstraintNames {
                    let scope = entity.scope(ofConstraint: names)
                    guard change.objectID.entity.isKindOf(entity: scope),
                        !result.contains(where: { $0.entity === scope && $0.constraint == names })
                    else { continue }
                    result.append(try uniqueRows(scope, names))
                }
            }
        }
        return result
    }

    private func uniqueRows(_ entity: NSEntityDescription, _ constraint: [String]) throws -> UniqueRows {
        if let known = uniqueRows.first(where: { $0.entity === entity && $0.constraint == constraint }) { return known }
        let made = UniqueRows(entity, constraint, try rows(matching: StoreQuery(entity: entity)))
        // What is computed changes by itself, too.
        let isComputed = made.slots.contains { entity.layout.slots[$0].property is NSDerivedAttributeDescription }
        if !isComputed { uniqueRows.append(made) }
        return made
    }
}
