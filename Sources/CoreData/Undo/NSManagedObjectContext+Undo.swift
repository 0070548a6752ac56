// Undo in a context: what an event has changed is noted when it is processed, and taken back as it was done, slot by slot on
// every object that took part, inverses and the work of delete rules included.

import Foundation

extension NSManagedObjectContext {
    /// What the context's changes are registered with, once for each `processPendingChanges()`; nil, the default, for none.
    ///
    /// Changes made in `awakeFromInsert()` and `awakeFromFetch()` can't be undone by themselves. A save leaves the actions
    /// as they are; `rollback()` and `reset()` remove them.
    public var undoManager: UndoManager? {
        get { undoRecorder?.manager }
        set {
            guard newValue !== undoRecorder?.manager else { return }
            processPendingChanges()
            undoRecorder?.manager.removeAllActions(withTarget: self)
            undoRecorder = newValue.map { UndoRecorder(manager: $0, context: self) }
        }
    }

    /// Takes the last group of changes back; does nothing without an undo manager.
    public func undo() {
        checkQueue()
        guard let undoManager else { return }
        processPendingChanges()
        if undoManager.canUndo { undoManager.undo() }
    }

    /// Makes the changes again that were undone last; does nothing without an undo manager.
    public func redo() {
        checkQueue()
        guard let undoManager else { return }
        processPendingChanges()
        if undoManager.canRedo { undoManager.redo() }
    }

    /// Takes a step back, and registers what takes that back in turn.
    func apply(_ step: UndoStep) {
        for deletion in step.deletions { revive(deletion.object, deletion.values) }
        for deletion in step.deletions { dropLostReferences(of: deletion.object) }
        for change in step.changes { restore(change) }
        for object in step.insertions { retract(object) }
        processPendingChanges()
    }

    // MARK: Deletions

    private func revive(_ object: NSManagedObject, _ values: SlotValues) {
        if object.registry === registry {
            guard object.isDeleted else { return }
            undelete(object)
            if !object.state.contains(.inEvent) { noteEvent(object) }
            return
        }
        // It is gone from the context: it comes back as a new object.
        guard object.registry == nil else { return }
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

    /// An object that comes back can't refer to others that are gone for good.
    private func dropLostReferences(of object: NSManagedObject) {
        guard object.isInserted else { return }
        for slot in object.layout.slots.indices {
            switch object.values[slot] {
            case .object(let other) where other.context !== self: object.values[slot] = .null
            case .objects(let members) where members.objects.contains { $0.context !== self }:
                object.values[slot] = .objects(ToManyMembers(members.objects.filter { $0.context === self }))
            default: break
            }
        }
    }

    // MARK: Changes

    private func restore(_ change: UndoStep.Change) {
        let object = change.object
        guard object.context === self else { return }
        object.realize()
        for (slot, old) in change.slots {
            switch old {
            case .value(.object(let other)) where other.context !== self: object.restore(slot, .null)
            case .value(let value): object.restore(slot, value)
            case .members(let members):
                for other in members.added where other.context === self { object.takeOut(slot, other) }
                for other in members.removed where other.context === self { object.putIn(slot, other) }
                if let order = members.order { object.arrange(slot, order) }
            }
        }
    }

    // MARK: Insertions

    /// Takes an object out of the context as if it had never been inserted, or, if it has been saved since, out of the
    /// store. Delete rules have nothing to do: the other objects are restored one by one.
    private func retract(_ object: NSManagedObject) {
        guard object.context === self, !object.isDeleted else { return }
        object.realize()
        object.state.insert([.deleted, .deletionPropagated])
        noteDeletion(of: object)
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

    fileprivate func takeOut(_ slot: Int, _ other: NSManagedObject) {
        if case .objects(let members) = values[slot], !members.contains(other) { return }
        unlink(slot, from: other)
    }

    fileprivate func putIn(_ slot: Int, _ other: NSManagedObject) {
        if case .objects(let members) = values[slot], members.contains(other) { return }
        link(slot, to: other)
    }

    /// Brings the members into an order; those that it doesn't name stay behind.
    fileprivate func arrange(_ slot: Int, _ order: [NSManagedObject]) {
        let current = members(slot)
        let known = ToManyMembers(order.filter(current.contains))
        restore(slot, .objects(ToManyMembers(known.objects + current.objects.filter { !known.contains($0) })))
    }
}
