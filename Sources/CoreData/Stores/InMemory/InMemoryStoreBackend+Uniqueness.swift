// Uniqueness constraints of the in-memory store.

import Foundation

extension InMemoryStoreBackend {
    func checkUniqueness(_ changes: StoreChanges) throws {
        let gone = Set((changes.deleted + changes.updated).map(\.objectID.key))
        let written = changes.inserted + changes.updated
        for (entity, constraint) in constraints(of: written) {
            // Its sub-entities have the same slots.
            let slots = constraint.compactMap { entity.layout.slot(named: $0) }
            var seen: [[OperandKey]: NSManagedObjectID] = [:]
            for row in try rows(matching: StoreQuery(entity: entity)) where !gone.contains(row.objectID.key) {
                if let key = row.values.uniqueKey(slots) { seen[key] = row.objectID }
            }
            for change in written where change.objectID.entity.isKindOf(entity: entity) {
                guard let key = change.values.uniqueKey(slots) else { continue }
                if let other = seen.updateValue(change.objectID, forKey: key) {
                    let isNew = written.contains { $0.objectID == other }
                    throw StoreUniquenessConflict(
                        entity: entity, constraint: constraint,
                        inserted: isNew ? [other, change.objectID] : [change.objectID], existing: isNew ? nil : other)
                }
            }
        }
    }

    /// The constraints that the written rows come under, each with the entity that declares it.
    private func constraints(of changes: [RowChange]) -> [(NSEntityDescription, [String])] {
        var seen: Set<ObjectIdentifier> = []
        var result: [(NSEntityDescription, [String])] = []
        for change in changes {
            for entity in change.objectID.entity.lineage where seen.insert(ObjectIdentifier(entity)).inserted {
                result += entity.uniquenessConstraintNames.map { (entity, $0) }
            }
        }
        return result
    }
}
