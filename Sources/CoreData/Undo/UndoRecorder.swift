// Noting what events change. Objects pay nothing for it while they change: what they were before an event is what was last
// read or saved, or, for those that had changes before, what is kept here since the event before.

import Foundation

/// Registers the changes of one context with its undo manager.
final class UndoRecorder {
    private struct Former {
        /// Keeps the object, so that its identity isn't another's.
        let object: NSManagedObject
        var values: SlotValues
        var isDeleted: Bool
    }

    let manager: UndoManager
    private weak var context: NSManagedObjectContext?
    /// What objects with unsaved changes were at the end of the last event.
    private var former: [ObjectIdentifier: Former] = [:]
    private var isRecording = false
    /// Whether what is recorded next isn't the whole event: a fetch has its changes processed in the midst of it.
    var isCutShort = false
    /// The group of the event that was cut short, which what follows joins.
    private weak var unfinished: UndoGroup?
    private var checkpoint: (any NSObjectProtocol)?

    init(manager: UndoManager, context: NSManagedObjectContext) {
        self.manager = manager
        self.context = context
        for object in context.inserted.objects + context.updated.objects + context.deleted.objects { keep(object) }
        let box = Unshared(recorder: self)
        checkpoint = NotificationCenter.default.addObserver(
            forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
        ) { _ in box.recorder?.noteCheckpoint() }
    }

    deinit {
        if let checkpoint { NotificationCenter.default.removeObserver(checkpoint) }
    }

    private final class Unshared: @unchecked Sendable {
        // Safe: an undo manager is used on its context's queue alone, where its notifications are posted.
        weak var recorder: UndoRecorder?
        init(recorder: UndoRecorder) { self.recorder = recorder }
    }

    private func noteCheckpoint() {
        if !isRecording { context?.processPendingChanges() }
    }

    // MARK: Recording

    /// Registers what an event has changed.
    func record(_ event: [NSManagedObject]) {
        guard !event.isEmpty, !isRecording, let context else { return }
        isRecording = true
        defer { isRecording = false }
        var step = UndoStep()
        for object in event { note(object, in: &step) }
        for object in event { keep(object) }
        if !step.isEmpty { register(step, in: context) }
    }

    /// What is recorded next is of another event.
    func finishEvent() { unfinished = nil }

    private func note(_ object: NSManagedObject, in step: inout UndoStep) {
        let before = former[ObjectIdentifier(object)]
        if before == nil, object.isInserted, !object.state.contains(.announced) {
            if !object.isDeleted { step.insertions.append(object) }
            return
        }
        // An object that is deleted, saved and brought back has another ID: what is kept are objects.
        let former = before?.values ?? object.committed
        let old = object.layout.values { slot, _ in
            guard case .objectID(let id) = former[slot], let context else { return former[slot] }
            return .object(context.object(with: id))
        }
        switch (before?.isDeleted ?? false, object.isDeleted) {
        case (true, true): return
        case (true, false): step.insertions.append(object)
        case (false, true): step.deletions.append(deletion(of: object, old))
        case (false, false): break
        }
        guard old.count == object.values.count else { return }
        var change = UndoStep.Change(object: object, slots: [])
        for slot in object.touchedInEvent {
            let inverse = object.layout.inverses[slot]
            if object.values[slot].isRelationshipFault,
                isToMany(inverse, of: object.layout.slots[slot]) || hasLostPlaces(object, slot)
            {
                // Nobody knows whether what was added wasn't there, and what was removed was, or at which place.
                context?.readMembers(of: object, slot: slot)
            }
            let former = UndoStep.Old(
                slot: object.layout.slots[slot], from: old[slot], to: object.values[slot],
                committed: object.committed[slot])
            guard var former else { continue }
            if case .members(var members) = former, let inverse, case .unread = object.values[slot] {
                members.added.removeAll { wasMember($0, of: object, inverse) }
                members.removed.removeAll { !wasMember($0, of: object, inverse) }
                former = .members(members)
            }
            change.slots.append((slot, former))
        }
        if !change.slots.isEmpty { step.changes.append(change) }
    }

    /// A deletion, with the members that the changes of others don't tell, and nothing will once the row is gone.
    private func deletion(of object: NSManagedObject, _ values: SlotValues) -> UndoStep.Deletion {
        var values = values
        for slot in object.layout.toManySlots where values[slot].isRelationshipFault {
            let definition = object.layout.slots[slot]
            let isTold = object.layout.inverses[slot] != nil && !definition.isLeftAlone
            if isTold || definition.isTransient { continue }
            context?.readMembers(of: object, slot: slot)
            let members = values[slot].members(
                stored: object.committed[slot], ordered: definition.kind == .toMany(ordered: true))
            if let members { values[slot] = .objects(members) }
        }
        var unsaved = UndoStep.Change(object: object, slots: [])
        for slot in object.touched {
            let committed = object.committed[slot]
            let old = UndoStep.Old(
                slot: object.layout.slots[slot], from: values[slot], to: committed, committed: committed)
            if let old { unsaved.slots.append((slot, old)) }
        }
        return UndoStep.Deletion(object: object, values: values, id: object.id, unsaved: unsaved)
    }

    private func isToMany(_ inverse: Int?, of slot: EntityLayout.Slot) -> Bool {
        guard slot.isToMany, inverse != nil else { return slot.isToMany }
        return slot.relationship?.inverseRelationship?.isToMany ?? true
    }

    /// Whether members have left an ordered relationship that hasn't been read.
    private func hasLostPlaces(_ object: NSManagedObject, _ slot: Int) -> Bool {
        guard object.layout.slots[slot].kind == .toMany(ordered: true), case .unread(let delta?) = object.values[slot]
        else { return false }
        return !delta.removed.isEmpty
    }

    /// Whether an object's to-one relationship led to another one before the event.
    private func wasMember(_ member: NSManagedObject, of owner: NSManagedObject, _ inverse: Int) -> Bool {
        let values = former[ObjectIdentifier(member)]?.values ?? member.committed
        return inverse < values.count && values[inverse].referencedID == owner.id
    }

    private func register(_ step: UndoStep, in context: NSManagedObjectContext) {
        // Who groups by hand needn't group what the context does.
        let needsGroup = !manager.groupsByEvent && manager.groupingLevel == 0 && manager.isUndoRegistrationEnabled
        if needsGroup, let unfinished, manager.reopen(unfinished) {
            // What was closed last goes on.
        } else if needsGroup {
            manager.beginUndoGrouping()
        }
        manager.registerUndo(withTarget: context) { $0.apply(step) }
        if needsGroup { manager.endUndoGrouping() }
        unfinished = needsGroup && isCutShort ? manager.lastGroup : nil
    }

    // MARK: What objects were

    private func keep(_ object: NSManagedObject) {
        let key = ObjectIdentifier(object)
        if object.state.contains(.forgotten) {
            former[key] = nil
        } else {
            former[key] = Former(object: object, values: object.values, isDeleted: object.isDeleted)
        }
    }

    /// The object's values are about to be read anew: what the event has done to it so far can't be told afterwards.
    func willReload(_ object: NSManagedObject) {
        guard former[ObjectIdentifier(object)] != nil, object.state.contains(.inEvent) else { return }
        let wasCutShort = isCutShort
        isCutShort = true
        defer { isCutShort = wasCutShort }
        record([object])
    }

    /// The object's values have been read anew.
    func noteReload(_ object: NSManagedObject) {
        if former[ObjectIdentifier(object)] != nil { keep(object) }
    }

    /// The object's changes have been dropped.
    func noteLoss(of object: NSManagedObject) { former[ObjectIdentifier(object)] = nil }

    /// All changes have been saved: what objects were is what is committed.
    func noteSave() { former.removeAll() }

    /// All changes have been dropped: nothing can be taken back any more.
    func noteReset() {
        former.removeAll()
        if let context { manager.removeAllActions(withTarget: context) }
    }
}

extension EntityLayout.Slot {
    /// Whether a deletion does nothing to the other end.
    var isLeftAlone: Bool { relationship?.deleteRule == .noActionDeleteRule }
}
