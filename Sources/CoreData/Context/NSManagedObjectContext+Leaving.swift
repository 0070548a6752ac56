// Objects that leave the context: deleted here or by somebody else, dropped by a merge policy, never saved and given up. Whichever
// way one goes, no registered object refers to it afterwards.

import Foundation

extension NSManagedObjectContext {
    /// Lets go of objects whose rows somebody else has deleted. They count as deleted and keep the values that were read; they know
    /// their context, so that deleting one again does nothing.
    ///
    /// - Returns: The objects that referred to them.
    @discardableResult
    func letGo(ofVanished objects: [NSManagedObject]) -> [NSManagedObject] {
        for object in objects {
            dropChanges(of: object)
            if object.isFault, !object.state.contains(.hasRow) { object.becomeEmpty() }
            object.state = [.deleted, .deletionPropagated, .gone]
            registry.remove(object.id.key)
            if retainsRegisteredObjects { retained.remove(object) }
        }
        return dropReferences(to: objects)
    }

    /// Lets go of objects for good that a merge policy drops, because somebody else has deleted their rows.
    func forget(vanished objects: [NSManagedObject]) {
        letGo(ofVanished: objects)
        for object in objects { object.detach() }
    }

    /// Lets go of objects for good whose deletion has been saved. Their delete rules have been followed, but what refers to them may
    /// have been read before or after somebody else has changed it.
    func forget(deleted objects: [NSManagedObject]) {
        dropReferences(to: objects)
        for object in objects { forget(object) }
    }

    /// Lets go of objects for good that were inserted here, never saved and deleted again.
    func forget(unsaved objects: [NSManagedObject]) {
        if mayBeReferredTo(objects) { dropReferences(to: objects) }
        for object in objects { forget(object) }
    }

    /// Lets go of the faults without rows that have been met.
    func forgetInaccessible() {
        guard !inaccessible.isEmpty else { return }
        let objects = inaccessible.filter { $0.context === self && $0.isDeleted }
        inaccessible.removeAll()
        dropReferences(to: objects)
    }

    /// Takes objects that are gone out of the relationships of all registered ones. Where that was an unsaved change, it is one;
    /// what had been read is as if it had been read without them.
    ///
    /// - Returns: The objects that referred to them.
    /// - Complexity: O(*n*) for *n* registered objects.
    @discardableResult
    func dropReferences(to gone: [NSManagedObject]) -> [NSManagedObject] {
        guard !gone.isEmpty else { return [] }
        let leaving = LeavingObjects(gone)
        var slots: [ObjectIdentifier: [Int]] = [:]
        var affected: [NSManagedObject] = []
        for object in registry.objects where !leaving.contains(object) {
            let layout = object.layout
            let concerned = slots[ObjectIdentifier(layout)] ?? leaving.slots(of: layout)
            slots[ObjectIdentifier(layout)] = concerned
            var isAffected = false
            for slot in concerned where object.drop(leaving, from: slot) { isAffected = true }
            if isAffected { affected.append(object) }
        }
        return affected
    }

    /// Whether following delete rules leaves references: where a relationship to an object has no inverse, or its rule is not to
    /// do anything.
    private func mayBeReferredTo(_ objects: [NSManagedObject]) -> Bool {
        guard !objects.isEmpty, let model = persistentStoreCoordinator?.managedObjectModel else { return false }
        let entities = Dictionary(objects.map { (ObjectIdentifier($0.entity), $0.entity) }) { first, _ in first }.values
        let relationships = model.entities.flatMap(\.properties).compactMap { $0 as? NSRelationshipDescription }
        return relationships.contains { relationship in
            guard let destination = relationship.destinationEntity,
                entities.contains(where: { $0.isKindOf(entity: destination) })
            else { return false }
            switch relationship.inverseRelationship?.deleteRule {
            case .nullifyDeleteRule, .cascadeDeleteRule: return false
            default: return true
            }
        }
    }
}

/// Objects that leave a context.
struct LeavingObjects {
    private let objects: Set<ObjectIdentifier>
    private let keys: Set<RowKey>
    private let entities: [NSEntityDescription]

    init(_ objects: [NSManagedObject]) {
        self.objects = Set(objects.map(ObjectIdentifier.init))
        keys = Set(objects.map(\.id.key))
        entities = Array(
            Dictionary(objects.map { (ObjectIdentifier($0.entity), $0.entity) }) { first, _ in first }.values)
    }

    func contains(_ object: NSManagedObject) -> Bool { objects.contains(ObjectIdentifier(object)) }

    /// The slots of objects of an entity that may lead to one of them.
    func slots(of layout: EntityLayout) -> [Int] {
        layout.slots.indices.filter { slot in
            guard let destination = layout.slots[slot].relationship?.destinationEntity else { return false }
            return entities.contains { $0.isKindOf(entity: destination) }
        }
    }

    /// A value without them; nil where it has none of them.
    func removed(from value: ManagedValue) -> ManagedValue? {
        switch value {
        case .object(let object): contains(object) ? .null : nil
        case .objectID(let id): keys.contains(id.key) ? .null : nil
        case .objects(let members): left(members).map(ManagedValue.objects)
        case .memberIDs(let ids) where ids.contains { keys.contains($0.key) }:
            .memberIDs(ids.filter { !keys.contains($0.key) })
        case .unread(let delta?): left(delta).map { $0.isEmpty ? .unread(nil) : .unread($0) }
        default: nil
        }
    }

    private func left(_ members: ToManyMembers) -> ToManyMembers? {
        guard members.objects.contains(where: contains) else { return nil }
        return ToManyMembers(unique: members.objects.filter { !contains($0) })
    }

    private func left(_ delta: ToManyDelta) -> ToManyDelta? {
        let added = left(delta.added), removed = left(delta.removed)
        guard added != nil || removed != nil else { return nil }
        var delta = delta
        if let added { delta.added = added }
        if let removed { delta.removed = removed }
        return delta
    }
}

extension NSManagedObject {
    /// Takes objects that are gone out of a relationship. Returns whether one was there.
    func drop(_ leaving: LeavingObjects, from slot: Int) -> Bool {
        guard slot < values.count else { return false }
        let before = committed[slot], current = values[slot]
        let newCurrent = leaving.removed(from: current)
        let isPending = touched.contains(slot)
        guard isPending || newCurrent != nil else { return false }
        let newBefore = leaving.removed(from: before)
        guard newCurrent != nil || newBefore != nil else { return false }
        announcingChange(slot) {
            guard isPending else {
                fillIn(slot, newCurrent ?? current)
                return
            }
            if let newBefore { committed[slot] = newBefore }
            guard let newCurrent else { return }
            values[slot] = newCurrent
            noteChange(slot)
        }
        return newCurrent != nil
    }

    /// The values of an object without a row.
    func becomeEmpty() {
        values = layout.values { _, slot in slot.isToMany ? .objects(ToManyMembers()) : .null }
        committed = values
        touched.removeAll()
    }
}
