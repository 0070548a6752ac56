// A save's changes by entity, so that those of one entity share their statements, always in the same order.

import Foundation

/// The changes to rows of one entity, in the order of their keys.
package struct SaveGroup {
    package let plan: EntityPlan
    package var changes: [RowChange]

    package var keys: [Int64] { changes.map(\.objectID.number) }

    /// The names of what each of the updates changes.
    package var changedProperties: [[String]] {
        let layout = plan.description.layout
        let slots = layout.slots
        return changes.map { change in
            var changed = change.changed
            for relation in change.relations { changed.insert(relation.slot) }
            let names = changed.filter {
                !slots[$0].isTransient && !(slots[$0].property is NSDerivedAttributeDescription)
            }
            .map(layout.propertyName)
            // The elements of a composite attribute follow each other.
            return names.indices.filter { $0 == 0 || names[$0] != names[$0 - 1] }.map { names[$0] }
        }
    }

    /// The changes by their entities, in the order of entity numbers and keys.
    package static func groups(
        of changes: [RowChange], plan: (NSEntityDescription) throws -> EntityPlan
    ) rethrows -> [SaveGroup] {
        var groups: [ObjectIdentifier: SaveGroup] = [:]
        for change in changes {
            let key = ObjectIdentifier(change.objectID.entity)
            if groups[key] == nil { groups[key] = SaveGroup(plan: try plan(change.objectID.entity), changes: []) }
            groups[key]?.changes.append(change)
        }
        return groups.values.sorted { $0.plan.entity.number < $1.plan.entity.number }.map { group in
            var group = group
            let keys = group.changes.lazy.map(\.objectID.number)
            if zip(keys, keys.dropFirst()).contains(where: { $0 > $1 }) {
                group.changes.sort { $0.objectID.number < $1.objectID.number }
            }
            return group
        }
    }
}

extension EntityPlan {
    /// The columns that a save writes for the slots of an update.
    package func fields(of slots: SlotSet) -> [Field] {
        slots.compactMap { slot in
            guard slot < fieldBySlot.count, let index = fieldBySlot[slot] else { return nil }
            return fields[index].isDerived ? nil : fields[index]
        }
    }
}
