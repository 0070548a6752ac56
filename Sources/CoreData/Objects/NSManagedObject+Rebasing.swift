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
            if kept.contains(slot) {
                current[slot] = old[slot]
                touched.insert(slot)
            } else {
                touched.remove(slot)
            }
        }
        values = current
        committed = row.values
        restore(layout.transientAttributes.filter { !kept.contains($0) }.map { ($0, old[$0]) })
        version = row.version
        for slot in layout.toOneSlots where !kept.contains(slot) {
            if settleDestination(slot, former: [old[slot], oldCommitted[slot]]) {
                followDeletion(slot)
            } else {
                values[slot] = .null
                noteChange(slot)
            }
        }
        for slot in layout.toOneSlots where kept.contains(slot) { keepDestination(slot, stored: row.values[slot]) }
        for slot in layout.toManySlots {
            let isDecidedElsewhere = layout.slots[slot].isDecidedByMembers
            rebaseMembers(
                slot, from: oldCommitted[slot], to: old[slot], keeping: isDecidedElsewhere || kept.contains(slot))
        }
        noteIndexedChange()
    }

    /// What a deleted object had let go by unsaved changes, where nobody else has changed that: no delete rule is followed to it. Where it
    /// led instead, the rules have been followed already.
    func lostRelationships(on row: StoreRow) -> [(slot: Int, value: ManagedValue)] {
        touched.filter { layout.slots[$0].isRelationship && differs($0) }.compactMap { slot in
            guard layout.slots[slot].isToMany else {
                return row.values[slot].isSame(as: committed[slot]) ? (slot, .null) : nil
            }
            var delta = ToManyDelta(from: committed[slot], to: values[slot])
            delta.added = ToManyMembers()
            return delta.isEmpty ? nil : (slot, .unread(delta))
        }
    }

    /// Drops unsaved changes. What other objects' unsaved changes say of this one's relationships stays and is returned; it is put on
    /// top of what is read next.
    ///
    /// - Parameter isRevived: Whether the object was deleted; the others have lost it then.
    func forgetChanges(isRevived: Bool) -> [(slot: Int, value: ManagedValue)] {
        let old = values, oldCommitted = committed
        var left: [(slot: Int, value: ManagedValue)] = []
        for slot in layout.slots.indices where touched.contains(slot) || isRevived {
            switch layout.slots[slot].kind {
            case .attribute: continue
            case .toOne:
                values[slot] = oldCommitted[slot]
                if !settleDestination(slot, former: [old[slot]]) { left.append((slot, .null)) }
            case .toMany:
                guard let inverse = layout.inverses[slot] else { continue }
                var delta = ToManyDelta(from: oldCommitted[slot], to: old[slot])
                for member in delta.added.objects where !member.saysItself(true, self, inverse) {
                    delta.added.remove(member, keepingOrder: true)
                    if member.state.contains(.echo) { member.forgetChange(of: self, inverse) }
                }
                for member in delta.removed.objects where !member.saysItself(false, self, inverse) {
                    delta.removed.remove(member, keepingOrder: true)
                    if member.state.contains(.echo) { member.forgetChange(of: self, inverse) }
                }
                if !delta.isEmpty { left.append((slot, .unread(delta))) }
            }
        }
        return left
    }

    /// The objects whose changes repeat what unsaved changes of this one say of them.
    func echoes() -> [NSManagedObject] {
        guard let context else { return [] }
        var found: [NSManagedObject] = []
        for slot in touched where layout.inverses[slot] != nil {
            if layout.slots[slot].isToMany {
                let delta = ToManyDelta(from: committed[slot], to: values[slot])
                found += delta.added.objects + delta.removed.objects
            } else {
                found += [values[slot], committed[slot]].compactMap { $0.destination(in: context) }
            }
        }
        return found.filter { $0.state.contains(.echo) }
    }

    /// Puts what others' unsaved changes say of a relationship onto a fault.
    func keep(_ value: ManagedValue, _ slot: Int) {
        values[slot] = value
        noteChange(slot)
    }

    // MARK: To one

    /// After a to-one slot has got the store's value: objects that the object doesn't lead to any more forget it, and the one that it
    /// leads to knows it.
    ///
    /// - Returns: False where that one has got another partner by an unsaved change, which stands.
    private func settleDestination(_ slot: Int, former: [ManagedValue]) -> Bool {
        guard let inverse = layout.inverses[slot], let context else { return true }
        let new = values[slot].destination(in: context)
        let leaving = LeavingObjects([self])
        for value in former {
            guard let old = value.destination(in: context), old !== new else { continue }
            _ = old.drop(leaving, from: inverse)
        }
        return new?.regain(self, in: inverse, slot) ?? true
    }

    /// Leads nowhere instead of to an object that is deleted here.
    func forgetDeleted(_ slot: Int) {
        guard let context, let destination = values[slot].destination(in: context), destination.isDeleted else {
            return
        }
        unlink(slot, from: destination)
    }

    /// Where an object leads that is deleted here, the rule of the deletion is followed for this object, too.
    func followDeletion(_ slot: Int) {
        guard let inverse = layout.inverses[slot], let context,
            let destination = values[slot].destination(in: context),
            destination.isDeleted, destination.state.contains(.deletionPropagated)
        else { return }
        context.propagateDeletion(of: destination, slot: inverse, to: self)
    }

    /// Enters an object whose stored row leads here; returns false where another partner stands in its way.
    private func regain(_ other: NSManagedObject, in slot: Int, _ inverse: Int) -> Bool {
        if state.contains(.echo), !layout.slots[slot].isToMany, touched.contains(slot) {
            touched.remove(slot)
            values[slot] = committed[slot]
        }
        if isFault, !state.contains(.hasRow) {
            switch values[slot] {
            case .unread(var delta?):
                if delta.removed.remove(other, keepingOrder: true) { values[slot] = .unread(delta) }
                return true
            case .unread, .memberIDs, .objects: return true
            // Of a refreshed one, what was set by others is there already.
            default: return !touched.contains(slot) || values[slot].referencedID == other.id
            }
        }
        switch values[slot] {
        case .objects(var members):
            guard !members.contains(other) else { return true }
            members.append(other)
            values[slot] = .objects(members)
            if case .objects(var before) = committed[slot] {
                before.append(other)
                committed[slot] = .objects(before)
            }
        case .unread(var delta?):
            if delta.removed.remove(other, keepingOrder: true) { values[slot] = .unread(delta) }
        case .memberIDs: fillIn(slot, .unread(nil))
        case .unread: return true
        default: return regainPartner(other, slot, inverse)
        }
        return true
    }

    /// One to one. Where this object has got another partner here, that unsaved change stands.
    private func regainPartner(_ other: NSManagedObject, _ slot: Int, _ inverse: Int) -> Bool {
        if values[slot].referencedID == other.id { return true }
        if touched.contains(slot), differs(slot) { return false }
        if let context, let previous = values[slot].destination(in: context) {
            _ = previous.drop(LeavingObjects([self]), from: inverse)
        }
        if touched.contains(slot) {
            values[slot] = .object(other)
            committed[slot] = .object(other)
        } else {
            fillIn(slot, .object(other))
        }
        return true
    }

    /// After a to-one slot has kept its value although the row has another one: the object that the row leads to loses this one, and the
    /// one that it keeps has it, if that is still there.
    private func keepDestination(_ slot: Int, stored: ManagedValue) {
        guard let inverse = layout.inverses[slot], let context, values[slot].referencedID != stored.referencedID,
            context.settling.insert(ObjectIdentifier(self)).inserted
        else { return }
        defer { context.settling.remove(ObjectIdentifier(self)) }
        if layout.slots[slot].isOneToOne {
            if let partner = current(stored, inverse), partner.leads(inverse, to: self) {
                partner.unlink(inverse, from: self)
            }
        } else {
            stored.destination(in: context)?.set(inverse, self, isMember: false)
        }
        guard !values[slot].isNull else { return }
        guard let new = current(values[slot], inverse) else {
            values[slot] = .null
            return
        }
        // Where it leads elsewhere by now, reading it has taken it out here.
        values[slot] = .object(new)
        guard layout.slots[slot].isOneToOne else { return new.set(inverse, self, isMember: true) }
        guard !new.leads(inverse, to: self) else { return }
        if let evicted = new.destination(inverse) { evicted.unlink(slot, from: new) }
        new.link(inverse, to: self)
    }

    /// After a fault on which others' unsaved changes were waiting has got its row: who stands in that row by now loses this object.
    func keepDestinations() {
        for slot in layout.toOneSlots where touched.contains(slot) && differs(slot) {
            keepDestination(slot, stored: committed[slot])
        }
    }

    /// The object that a to-one relationship leads to, as the store has it now; nil where it is gone or deleted.
    private func current(_ value: ManagedValue, _ inverse: Int) -> NSManagedObject? {
        guard let context, let id = value.referencedID else { return nil }
        let object = value.destination(in: context) ?? context.object(with: id)
        object.realize()
        guard !object.isDeleted, !object.isInserted, !context.settling.contains(ObjectIdentifier(object)) else {
            return object.isDeleted ? nil : object
        }
        // What it was read with may be older than this.
        if !object.touched.contains(inverse) || !object.differs(inverse) { context.reload(object) }
        return object.isDeleted ? nil : object
    }

    // MARK: To many

    private func rebaseMembers(_ slot: Int, from before: ManagedValue, to current: ManagedValue, keeping isKept: Bool) {
        guard touched.contains(slot) else { return }
        var delta = ToManyDelta(from: before, to: current)
        if layout.slots[slot].isDecidedByMembers, case .objects = current, let inverse = layout.inverses[slot] {
            // What no member's unsaved change says is what an older row said.
            for member in delta.added.objects + delta.removed.objects
            where !member.isDeleted && !member.differs(inverse) { delta.forget(member) }
        }
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
        values[slot] = .objects(members(slot).arranged(as: wanted.objects))
    }

    // MARK: Both sides

    /// Whether unsaved changes of an object's own say that it is a member of another's relationship, or that it is none.
    private func saysItself(_ isMember: Bool, _ owner: NSManagedObject, _ inverse: Int) -> Bool {
        if state.contains(.echo), !isDeleted { return false }
        return isMember ? demandsBeing(in: owner, inverse) : deniesBeing(in: owner, inverse)
    }

    /// The one-to-one relationships that unsaved changes of the objects at the other end have led back here.
    var claimedSlots: [Int] {
        layout.toOneSlots.filter { slot in
            guard layout.slots[slot].isOneToOne, let inverse = layout.inverses[slot], let context else { return false }
            return values[slot].destination(in: context)?.demandsBeing(in: self, inverse) ?? false
        }
    }

    private func demandsBeing(in owner: NSManagedObject, _ inverse: Int) -> Bool {
        guard touched.contains(inverse), !isDeleted else { return false }
        switch values[inverse] {
        case .objects(let members):
            guard case .objects(let before) = committed[inverse] else { return members.contains(owner) }
            return members.contains(owner) && !before.contains(owner)
        case .unread(let delta): return delta?.added.contains(owner) ?? false
        case .memberIDs: return false
        default: return leads(inverse, to: owner) && differs(inverse)
        }
    }

    /// Takes back that an object came to a to-many relationship or went from it.
    private func forgetChange(of other: NSManagedObject, _ slot: Int) {
        if case .unread(_?) = values[slot] {
            forgetUnread(other, slot)
        } else if case .objects(let before) = committed[slot], before.contains(other) {
            putIn(slot, other)
        } else {
            takeOut(slot, other)
        }
    }

    /// Learns that the store says of an object what an unsaved change of a to-many relationship says, so that it is none.
    func settle(_ other: NSManagedObject, _ slot: Int, isMember: Bool) {
        guard touched.contains(slot) else { return }
        if case .unread(let delta?) = values[slot], layout.slots[slot].kind == .toMany(ordered: true),
            delta.hasReturned(other)
        {
            // It is the last one now.
            return
        }
        forgetUnread(other, slot)
        guard case .objects(let members) = values[slot], members.contains(other) == isMember,
            case .objects(var before) = committed[slot], before.contains(other) != isMember
        else { return }
        if isMember { before.append(other) } else { before.remove(other, keepingOrder: true) }
        committed[slot] = .objects(before)
    }

    /// Takes back that an object came or went, where nobody has read which members there are.
    func forgetUnread(_ other: NSManagedObject, _ slot: Int) {
        guard case .unread(var delta?) = values[slot] else { return }
        delta.forget(other)
        values[slot] = .unread(delta)
    }

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
        default: return values[inverse].referencedID != owner.id && differs(inverse)
        }
    }
}

extension ManagedValue {
    /// The object that a to-one relationship leads to, if the context has it.
    func destination(in context: NSManagedObjectContext) -> NSManagedObject? {
        switch self {
        case .object(let object): object
        case .objectID(let id): context.registeredObject(for: id)
        default: nil
        }
    }
}

extension EntityLayout.Slot {
    /// Whether the members' own to-one relationships say which they are.
    package var isDecidedByMembers: Bool { relationship?.keptInverse.map { !$0.isToMany } ?? false }

    /// The same, and there is no order, in which what leaves and comes back is the last one.
    var isDecidedByMembersAlone: Bool { kind != .toMany(ordered: true) && isDecidedByMembers }

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
