// Undo in a context: what an event has changed is noted when it is processed, and taken back as it was done, slot by slot on
// every object that took part, inverses and the work of delete rules included.

import Foundation

extension NSManagedObjectContext {
    func register(with manager: UndoManager?) {
        guard manager !== undoRecorder?.manager else { return }
        processPendingChanges()
        undoRecorder?.manager.removeAllActions(withTarget: self)
        undoRecorder = manager.map { UndoRecorder(manager: $0, context: self) }
    }

    func takeBack() {
        checkQueue()
        guard let undoManager else { return }
        processPendingChanges()
        if undoManager.canUndo { undoManager.undo() }
    }

    func repeatUndone() {
        checkQueue()
        guard let undoManager else { return }
        processPendingChanges()
        if undoManager.canRedo { undoManager.redo() }
    }

    /// Takes a step back, and registers what takes that back in turn.
    func apply(_ step: UndoStep) {
        let changes = revive(step.deletions) + step.changes
        for deletion in step.deletions { dropLostReferences(of: deletion.object) }
        for deletion in step.deletions { leadBack(to: deletion) }
        let formerDestinations = changes.map(restore)
        for deletion in step.deletions { align(deletion.object) }
        for (change, former) in zip(changes, formerDestinations) { align(change, former) }
        for deletion in step.deletions { arrange(deletion) }
        for object in step.insertions { retract(object) }
        for deletion in step.deletions { deletion.object.awake(from: .undoDeletion) }
        for change in step.changes { change.object.awake(from: .undoUpdate) }
        for object in step.insertions { object.awake(from: .undoInsertion) }
        processPendingChanges()
        for change in step.changes { forgetEqual(change.object) }
    }

    /// Takes an object out of the updated ones that has nothing but what was last read or saved: its last change has been undone.
    private func forgetEqual(_ object: NSManagedObject) {
        guard object.context === self, object.isUpdated, !object.isDeleted, !object.isFault,
            !object.state.contains(.inEvent), !object.touched.contains(where: object.differs)
        else { return }
        object.touched.removeAll()
        object.state.remove(.updated)
        updated.remove(object)
        undoRecorder?.noteLoss(of: object)
    }

    // MARK: Deletions

    /// - Returns: What the objects may have lost by being read anew while they were deleted.
    private func revive(_ deletions: [UndoStep.Deletion]) -> [UndoStep.Change] {
        let revived = deletions.filter {
            $0.object.registry === registry && !$0.object.state.contains(.gone) && $0.object.isDeleted
        }
        revive(revived.map(\.object))
        for deletion in deletions where deletion.object.registry == nil || deletion.object.state.contains(.gone) {
            insertAnew(deletion.object, deletion.values)
        }
        return revived.map(\.unsaved)
    }

    /// An object that is gone from the context comes back as a new one.
    private func insertAnew(_ object: NSManagedObject, _ values: SlotValues) {
        if !object.id.isTemporaryID || permanentID(for: object.id) != nil {
            object.id = TemporaryObjectIDs.make(for: object.entity)
        }
        object.state = []
        object.touchedInEvent.removeAll()
        object.committed = object.layout.defaults
        object.values = values
        for slot in object.layout.toManySlots {
            if values[slot].isRelationshipFault { object.values[slot] = .objects(ToManyMembers()) }
        }
        object.touched = SlotSet(all: object.layout.slots.count)
        enter(inserted: object)
    }

    /// An object that comes back can't refer to others that are gone for good, or that are deleted still.
    private func dropLostReferences(of object: NSManagedObject) {
        guard object.isInserted else {
            guard isHere(object), !object.isFault else { return }
            return object.layout.toOneSlots.forEach(object.forgetDeleted)
        }
        for slot in object.layout.slots.indices {
            switch object.values[slot] {
            case .object(let other) where !isHere(other): object.values[slot] = .null
            case .objects(let members) where !members.objects.allSatisfy(isHere):
                object.values[slot] = .objects(ToManyMembers(members.objects.filter(isHere)))
            default: break
            }
        }
    }

    /// Brings the members of an object that comes back into the order that they had: they have come back one by one.
    private func arrange(_ deletion: UndoStep.Deletion) {
        let object = deletion.object
        guard isHere(object) else { return }
        for slot in object.layout.toManySlots where object.touched.contains(slot) {
            guard object.layout.slots[slot].kind == .toMany(ordered: true),
                case .objects(let old) = deletion.values[slot]
            else { continue }
            let members = object.members(slot)
            if members.hasSameMembers(as: old, ordered: false), !members.hasSameMembers(as: old, ordered: true) {
                object.arrange(slot, old.objects)
            }
        }
    }

    /// Lets others lead to an object that comes back under a new ID, where its deletion has left them alone: what is stored of them has
    /// the former ID, and no change of theirs is undone.
    private func leadBack(to deletion: UndoStep.Deletion) {
        let object = deletion.object
        guard isHere(object), object.isInserted else { return }
        for (slot, definition) in object.layout.slots.enumerated() where definition.isLeftAlone {
            guard let inverse = object.layout.inverses[slot] else { continue }
            for other in related(object, slot) where isHere(other) && !other.layout.slots[inverse].isToMany {
                other.realize()
                guard isHere(other) else { continue }
                // Nothing can lead to what is gone, so it isn't to be restored either.
                if other.values[inverse].referencedID == deletion.id { other.fillIn(inverse, .null) }
                if other.values[inverse].isNull { other.restore(inverse, .object(object)) }
            }
        }
    }

    /// Whether an object can be referred to: it is still here, and nobody has deleted it.
    private func isHere(_ object: NSManagedObject) -> Bool { object.context === self && !object.isDeleted }

    // MARK: Changes

    /// - Returns: Where the to-one relationships of the change led until now. Who they led to before the step isn't known: the others
    ///   that it restores may have let the object be read anew.
    private func restore(_ change: UndoStep.Change) -> [Int: NSManagedObject] {
        let object = change.object
        guard object.context === self, !object.state.contains(.gone) else { return [:] }
        object.realize()
        var destinations: [Int: NSManagedObject] = [:]
        for (slot, old) in change.slots {
            if object.layout.slots[slot].kind == .toOne { destinations[slot] = object.destination(slot) }
            switch old {
            case .value(.object(let other)) where !isHere(other): object.restore(slot, .null)
            case .value(let value): object.restore(slot, value)
            case .members(let members):
                for other in members.added where isHere(other) { object.takeOut(slot, other) }
                for other in members.removed where isHere(other) { object.putIn(slot, other) }
                if let order = members.order { object.arrange(slot, order) }
            }
        }
        return destinations
    }

    // MARK: Both sides

    // A step has both sides of each relationship. One of them may have been refreshed, merged or saved since.

    private func align(_ change: UndoStep.Change, _ former: [Int: NSManagedObject]) {
        for (slot, old) in change.slots {
            var others: [NSManagedObject] = []
            if case .members(let members) = old { others = members.added + members.removed }
            if let before = former[slot] { others.append(before) }
            align(change.object, slot, others)
        }
    }

    private func align(_ object: NSManagedObject) {
        for slot in object.layout.slots.indices {
            guard case .objects(let members) = object.values[slot] else {
                align(object, slot, [])
                continue
            }
            // Of a member that nobody has changed, the row may have been read before somebody else has put it here.
            let inverse = object.layout.inverses[slot] ?? slot
            align(object, slot, members.objects.filter { object.isInserted || $0.touched.contains(inverse) })
        }
    }

    /// Lets others that come or go in a relationship of an object know it, or, where they decide, the object.
    private func align(_ object: NSManagedObject, _ slot: Int, _ others: [NSManagedObject]) {
        guard isHere(object), let inverse = object.layout.inverses[slot] else { return }
        let definition = object.layout.slots[slot]
        if definition.isToMany {
            for other in others where isHere(other) {
                other.realize()
                if definition.isDecidedByMembers {
                    object.set(slot, other, isMember: other.leads(inverse, to: object))
                } else if object.hasMissed(other, slot, inverse) {
                    object.take(stored: other, slot)
                } else {
                    other.set(inverse, object, isMember: object.members(slot).contains(other))
                }
            }
            return
        }
        let new = object.destination(slot)
        for other in others where other !== new && isHere(other) {
            other.realize()
            if other.layout.slots[inverse].isToMany {
                other.set(inverse, object, isMember: false)
            } else if other.leads(inverse, to: object) || object.committed[slot].referencedID == other.id {
                // What the store says of the other one may be newer than what was read of it.
                other.unlink(inverse, from: object)
            }
        }
        guard let new, isHere(new) else { return }
        new.realize()
        if new.layout.slots[inverse].isToMany {
            new.set(inverse, object, isMember: true)
        } else if !new.leads(inverse, to: object) {
            if !object.isInserted, !new.isInserted, !object.differs(slot), !new.differs(inverse) {
                // No unsaved change says so, but an older row than the other one's.
                return reload(object)
            }
            if let evicted = new.destination(inverse) { evicted.unlink(slot, from: new) }
            new.restore(inverse, .object(object))
        }
    }

    // MARK: Insertions

    /// Takes an object out of the context as if it had never been inserted, or, if it has been saved since, out of the
    /// store. Delete rules have nothing to do: the other objects have been restored one by one, and what has been linked
    /// to it since loses it.
    private func retract(_ object: NSManagedObject) {
        guard isHere(object) else { return }
        object.realize()
        guard !object.isDeleted else { return }
        object.state.insert([.deleted, .deletionPropagated])
        noteDeletion(of: object)
        for slot in object.layout.slots.indices where object.layout.slots[slot].isRelationship {
            guard let inverse = object.layout.inverses[slot] else { continue }
            for other in related(object, slot) where isHere(other) {
                if other.layout.slots[inverse].isToMany {
                    other.set(inverse, object, isMember: false)
                } else {
                    other.unlink(inverse, from: object)
                }
            }
        }
    }
}

extension NSManagedObject {
    /// Sets one side of a slot.
    fileprivate func restore(_ slot: Int, _ value: ManagedValue) {
        announcingChange(slot) {
            values[slot] = value
            noteChange(slot)
        }
    }

    func takeOut(_ slot: Int, _ other: NSManagedObject) {
        if case .objects(let members) = values[slot], !members.contains(other) { return }
        unlink(slot, from: other)
    }

    func putIn(_ slot: Int, _ other: NSManagedObject) {
        if case .objects(let members) = values[slot], members.contains(other) { return }
        link(slot, to: other)
    }

    /// Makes an object a member or none, on this side alone, whatever was known before.
    func set(_ slot: Int, _ member: NSManagedObject, isMember: Bool) {
        // Where both sides are to-many, only what is stored tells.
        if !layout.slots[slot].isDecidedByMembers { _ = members(slot) }
        switch values[slot] {
        case .objects(let members):
            if members.contains(member) == isMember { return }
        case .unread(let delta):
            guard let inverse = layout.inverses[slot] else { return }
            // It keeps its place among those that came.
            if isMember, delta?.added.contains(member) ?? false { return }
            let isStored = !member.isInserted && member.committed[inverse].referencedID == id
            var new = delta ?? ToManyDelta()
            new.forget(member)
            if isMember, !isStored { new.added.append(member) }
            if !isMember, isStored { new.removed.append(member) }
            announcingChange(slot) {
                values[slot] = .unread(new)
                noteChange(slot)
            }
            return
        default: return
        }
        if isMember { link(slot, to: member) } else { unlink(slot, from: member) }
    }

    /// Whether another object's side, as it is stored, has a link that this side, as it was read before, hasn't: somebody else has made
    /// it meanwhile.
    fileprivate func hasMissed(_ other: NSManagedObject, _ slot: Int, _ inverse: Int) -> Bool {
        guard case .objects(let members) = values[slot], !members.contains(other), !differs(slot),
            !other.differs(inverse),
            case .objects(let stored) = other.committed[inverse]
        else { return false }
        return stored.contains(self)
    }

    /// Takes a member over from the store.
    fileprivate func take(stored member: NSManagedObject, _ slot: Int) {
        announcingChange(slot) {
            for path in [\NSManagedObject.committed, \.values] {
                guard case .objects(var members) = self[keyPath: path][slot] else { continue }
                members.append(member)
                self[keyPath: path][slot] = .objects(members)
            }
            noteChange(slot)
        }
    }

    /// Brings the members into an order; those that it doesn't name stay behind.
    fileprivate func arrange(_ slot: Int, _ order: [NSManagedObject]) {
        restore(slot, .objects(members(slot).arranged(as: order)))
    }
}
