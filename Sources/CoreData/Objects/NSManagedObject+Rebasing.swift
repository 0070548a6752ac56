// Putting unsaved changes onto a newer row, or dropping them. A relationship has two sides: what is dropped on one side must not stay
// on the other, and what stays there is seen from here, too.

import Foundation

extension NSManagedObject {
    /// Takes a newer row as the committed values and keeps the current values of some slots.
    ///
    /// Of to-many relationships what came and went is kept, on top of the members that the store has now. Where the inverse is a
    /// to-one relationship, the members' own rows decide.
    func rebase(on row: StoreRow, keeping kept: SlotSet) {
        let old = values, oldCommitted = committed
        var current = row.values
        for slot in layout.slots.indices where !layout.slots[slot].isToMany {
            if kept.contains(slot) { current[slot] = old[slot] } else { touched.remove(slot) }
        }
        values = current
        committed = row.values
        version = row.version
        for slot in layout.toOneSlots where !kept.contains(slot) {
            settleDestination(slot, former: [old[slot], oldCommitted[slot]])
        }
        for slot in layout.toOneSlots where kept.contains(slot) { takeFromPartner(slot, stored: row.values[slot]) }
        for slot in layout.toManySlots {
            let isDecidedElsewhere = layout.slots[slot].isDecidedByMembers
            rebaseMembers(
                slot, from: oldCommitted[slot], to: old[slot], keeping: isDecidedElsewhere || kept.contains(slot))
        }
    }

    /// Drops unsaved changes. What other objects' unsaved changes say of this one's relationships stays and is returned; it is put on
    /// top of what is read next.
    func forgetChanges() -> [(slot: Int, delta: ToManyDelta)] {
        let old = values, oldCommitted = committed
        var left: [(slot: Int, delta: ToManyDelta)] = []
        for slot in touched {
            switch layout.slots[slot].kind {
            case .attribute: continue
            case .toOne:
                values[slot] = oldCommitted[slot]
                settleDestination(slot, former: [old[slot]])
            case .toMany:
                guard layout.inverses[slot] != nil else { continue }
                let delta = ToManyDelta(from: oldCommitted[slot], to: old[slot])
                if !delta.isEmpty { left.append((slot, delta)) }
            }
        }
        return left
    }

    /// Puts what others' unsaved changes say of a relationship onto a fault.
    func keep(_ delta: ToManyDelta, _ slot: Int) {
        values[slot] = .unread(delta)
        noteChange(slot)
    }

    // MARK: To one

    /// After a to-one slot has got the store's value: objects that the object doesn't lead to any more forget it, and the one that it
    /// leads to knows it.
    private func settleDestination(_ slot: Int, former: [ManagedValue]) {
        guard let inverse = layout.inverses[slot], let context else { return }
        let new = registered(values[slot], in: context)
        let leaving = LeavingObjects([self])
        for value in former {
            guard let old = registered(value, in: context), old !== new else { continue }
            _ = old.drop(leaving, from: inverse)
        }
        new?.regain(self, in: inverse, slot)
    }

    private func registered(_ value: ManagedValue, in context: NSManagedObjectContext) -> NSManagedObject? {
        switch value {
        case .object(let object): object
        case .objectID(let id): context.registeredObject(for: id)
        default: nil
        }
    }

    /// Enters an object whose stored row leads here.
    private func regain(_ other: NSManagedObject, in slot: Int, _ inverse: Int) {
        if isFault, !state.contains(.hasRow) {
            guard case .unread(var delta?) = values[slot], delta.removed.contains(other) else { return }
            delta.removed.remove(other, keepingOrder: true)
            values[slot] = .unread(delta)
            return
        }
        switch values[slot] {
        case .objects(var members):
            guard !members.contains(other) else { return }
            members.append(other)
            values[slot] = .objects(members)
            if case .objects(var before) = committed[slot] {
                before.append(other)
                committed[slot] = .objects(before)
            }
        case .unread(var delta?):
            if delta.removed.remove(other, keepingOrder: true) { values[slot] = .unread(delta) }
        case .memberIDs: fillIn(slot, .unread(nil))
        case .unread: return
        default: regainPartner(other, slot, inverse)
        }
    }

    /// One to one. Where this object has got another partner here, that unsaved change stands, and the other one leads nowhere.
    private func regainPartner(_ other: NSManagedObject, _ slot: Int, _ inverse: Int) {
        if values[slot].referencedID == other.id { return }
        if touched.contains(slot), differs(slot) {
            other.values[inverse] = .null
            other.noteChange(inverse)
            return
        }
        if let context, let previous = registered(values[slot], in: context) {
            _ = previous.drop(LeavingObjects([self]), from: inverse)
        }
        if touched.contains(slot) {
            values[slot] = .object(other)
            committed[slot] = .object(other)
        } else {
            fillIn(slot, .object(other))
        }
    }

    /// One to one: where an object that somebody else has given this one's stored row is to have another partner, that object loses it.
    private func takeFromPartner(_ slot: Int, stored: ManagedValue) {
        guard let inverse = layout.inverses[slot], layout.slots[slot].isOneToOne, let context,
            let id = stored.referencedID, values[slot].referencedID != id,
            context.settling.insert(ObjectIdentifier(self)).inserted
        else { return }
        defer { context.settling.remove(ObjectIdentifier(self)) }
        let partner = context.object(with: id)
        partner.realize()
        guard !partner.isDeleted, !context.settling.contains(ObjectIdentifier(partner)) else { return }
        // What it was read with may be older than this.
        if !partner.touched.contains(inverse) { context.reload(partner) }
        if partner.leads(inverse, to: self) { partner.unlink(inverse, from: self) }
    }

    // MARK: To many

    private func rebaseMembers(_ slot: Int, from before: ManagedValue, to current: ManagedValue, keeping isKept: Bool) {
        guard touched.contains(slot) else { return }
        let delta = ToManyDelta(from: before, to: current)
        if !isKept {
            touched.remove(slot)
            guard let inverse = layout.inverses[slot] else { return }
            for member in delta.added.objects where !member.hasLeft { member.takeOut(inverse, self) }
            for member in delta.removed.objects where !member.hasLeft && !member.isDeleted {
                member.putIn(inverse, self)
            }
            return
        }
        if !delta.isEmpty { values[slot] = .unread(delta) }
        guard layout.slots[slot].kind == .toMany(ordered: true), case .objects(let wanted) = current else { return }
        // An order is kept as far as the members are still there.
        let members = self.members(slot)
        let known = ToManyMembers(unique: wanted.objects.filter(members.contains))
        values[slot] = .objects(
            ToManyMembers(unique: known.objects + members.objects.filter { !known.contains($0) }))
    }

    // MARK: Both sides

    /// Whether the unsaved changes of an object say that it is no member of another's relationship.
    func deniesBeing(in owner: NSManagedObject, _ inverse: Int) -> Bool {
        if isDeleted { return state.contains(.deletionPropagated) }
        guard touched.contains(inverse), !isFault else { return false }
        switch values[inverse] {
        case .objects(let members):
            guard case .objects(let before) = committed[inverse] else { return false }
            return before.contains(owner) && !members.contains(owner)
        case .unread(let delta): return delta?.removed.contains(owner) ?? false
        case .memberIDs: return false
        default: return values[inverse].referencedID != owner.id
        }
    }
}

extension EntityLayout.Slot {
    /// Whether the members' own to-one relationships say which they are.
    var isDecidedByMembers: Bool { relationship?.inverseRelationship.map { !$0.isToMany } ?? false }

    /// Whether both sides have one destination, and a column for it.
    var isOneToOne: Bool { kind == .toOne && isDecidedByMembers }
}

extension ToManyDelta {
    /// What came and went between two states of a relationship.
    init(from before: ManagedValue, to current: ManagedValue) {
        self.init()
        switch (before, current) {
        case (_, .unread(let delta)): if let delta { self = delta }
        case (.objects(let old), .objects(let new)):
            added = ToManyMembers(unique: new.objects.filter { !old.contains($0) })
            removed = ToManyMembers(unique: old.objects.filter { !new.contains($0) })
        case (_, .objects(let new)): added = new
        default: break
        }
    }
}
