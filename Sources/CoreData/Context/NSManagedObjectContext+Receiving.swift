// A child's save, from the parent's side: the child's changes become changes of the parent's objects, as if they had been
// made here. Where both changed a property the child's value stands.

import Foundation

extension NSManagedObjectContext {
    /// - Returns: Nil: in a history is what the root has saved.
    func save(
        _ changes: StoreChanges, for child: NSManagedObjectContext, partly: ([NSPersistentStore]) -> Void
    ) throws -> NSPersistentHistoryToken? {
        try onQueue {
            try collectingFaultFailures {
                propagateDeletions()
                let targets = changes.updated.map { object(with: $0.objectID) }
                let deletions = changes.deleted.map { object(with: $0.objectID) }
                let linked = changes.linked.map(object(with:))
                try loadRows(of: targets + deletions + linked)
                try checkPresence(of: targets, changes.updated, linked: linked)
                let received = try ReceivedChanges(changes)
                let inserted = changes.inserted.map { insert(receivedID: $0.objectID) }
                assignedStores.merge(changes.assignedStores) { _, new in new }
                for (object, change) in zip(inserted, received.inserted) { receive(change, in: object) }
                for (object, change) in zip(targets, received.updated) { receive(change, in: object) }
                for (object, change) in zip(deletions, received.deleted) where isThere(object) {
                    receive(change, in: object)
                    delete(object)
                }
                processPendingChanges()
            }
        }
        return nil
    }

    /// Refuses updates of objects that the parent has deleted, or that are gone from the store, and links to such.
    private func checkPresence(
        of objects: [NSManagedObject], _ changes: [RowChange], linked: [NSManagedObject]
    ) throws {
        let missing = zip(objects, changes).filter { !isThere($0.0) }.map { _, change in
            StoreConflict.Row(objectID: change.objectID, expectedVersion: change.version, found: nil)
        }
        let conflicts = missing + linked.filter { !isThere($0) }.map { StoreConflict.Row(missing: $0.id) }
        if !conflicts.isEmpty { throw StoreConflict(rows: conflicts) }
    }

    /// An object that a child has inserted, under the same ID.
    private func insert(receivedID id: NSManagedObjectID) -> NSManagedObject {
        // Somebody may have asked for it before it was here.
        let object = registeredObject(for: id) ?? id.entity.layout.objectClass.init(making: id.entity, in: nil)
        object.id = id
        object.values = object.layout.defaults
        object.committed = object.values
        object.touched.removeAll()
        object.state = []
        register(inserted: object)
        return object
    }

    private func receive(_ change: ReceivedChange, in object: NSManagedObject) {
        object.realize()
        for (slot, value) in change.values {
            switch value {
            case .objectID(let id): object.setSlot(slot, to: .object(self.object(with: id)))
            default: object.setSlot(slot, to: value)
            }
        }
        // Nobody has set these, so that a merge policy may leave what is stored in their place.
        for (slot, value) in change.defaults { object.values[slot] = value }
        for relation in change.relations { receive(relation, in: object) }
    }

    private func receive(_ relation: RelationChange, in object: NSManagedObject) {
        let slot = relation.slot
        guard let order = relation.order else {
            for id in relation.removed { object.removeMember(slot, self.object(with: id)) }
            for id in relation.added { object.addMember(slot, self.object(with: id)) }
            return
        }
        // The order counts for the members that are still there and those that the child has added. Members that only this context knows
        // stay, behind the child's.
        let removed = ToManyMembers(relation.removed.map(self.object(with:)))
        let kept = object.members(slot).objects.filter { !removed.contains($0) }
        let members = ToManyMembers(kept + relation.added.map(self.object(with:)))
        object.setMembers(slot, to: members.arranged(as: order.map(self.object(with:))).objects)
    }
}

/// A child's changes without its objects: everything that can fail has been done before the parent is touched.
private struct ReceivedChanges {
    var inserted: [ReceivedChange]
    var updated: [ReceivedChange]
    var deleted: [ReceivedChange]

    init(_ changes: StoreChanges) throws {
        inserted = try changes.inserted.map { try ReceivedChange(insertion: $0) }
        updated = try changes.updated.map { try ReceivedChange(update: $0) }
        deleted = try changes.deleted.map { try ReceivedChange(update: $0) }
    }
}

/// One object's part.
private struct ReceivedChange {
    /// Attributes and to-one relationships, by slot.
    var values: [(slot: Int, value: ManagedValue)] = []
    /// What a new object has in attributes that nobody has set.
    var defaults: [(slot: Int, value: ManagedValue)] = []
    /// To-many relationships that the other side doesn't tell of.
    var relations: [RelationChange] = []

    init(insertion change: RowChange) throws {
        let layout = change.objectID.entity.layout
        for (slot, definition) in layout.slots.enumerated() {
            if !definition.isRelationship, !change.changed.contains(slot) {
                defaults.append((slot, try change.values[slot].detached(definition)))
                continue
            }
            try take(change.values[slot], slot, definition)
            guard case .objects(let members) = change.values[slot],
                layout.needsRelationChange[slot] || definition.isTransient
            else { continue }
            let ids = members.objects.map(\.id)
            let isOrdered = definition.kind == .toMany(ordered: true)
            relations.append(RelationChange(slot: slot, added: ids, removed: [], order: isOrdered ? ids : nil))
        }
    }

    init(update change: RowChange) throws {
        let layout = change.objectID.entity.layout
        for slot in change.changed { try take(change.values[slot], slot, layout.slots[slot]) }
        relations = change.relations
    }

    private mutating func take(_ value: ManagedValue, _ slot: Int, _ definition: EntityLayout.Slot) throws {
        switch value {
        case .object(let other): values.append((slot, .objectID(other.id)))
        case .objects, .unread, .memberIDs: break
        default: values.append((slot, try value.detached(definition)))
        }
    }
}
