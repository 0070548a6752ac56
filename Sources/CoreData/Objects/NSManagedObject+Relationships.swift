// Relationships: whoever sets one side, the other follows at once. A change goes through `link`/`unlink`, which touch one
// side only; the setters decide what has to be linked and unlinked on which object.

import Foundation

extension NSManagedObject {
    // MARK: Reading

    /// The destination of a to-one relationship, as a fault where it hasn't been fetched.
    func destination(_ slot: Int) -> NSManagedObject? {
        switch values[slot] {
        case .object(let object): return object
        case .objectID(let id):
            guard let context = context else { return nil }
            return context.resolveDestinations(of: self, slot: slot, id: id)
        default: return nil
        }
    }

    /// The members of a to-many relationship; reads them from the store if need be.
    func members(_ slot: Int) -> ToManyMembers {
        if case .objects(let members) = values[slot] { return members }
        context?.readMembers(of: self, slot: slot)
        if case .objects(let members) = values[slot] { return members }
        return ToManyMembers()
    }

    /// The IDs of the members of a to-many relationship; no objects are made for them.
    package func memberIDs(_ slot: Int) -> [NSManagedObjectID] {
        realize()
        if case .unread = values[slot] { context?.readMemberIDs(of: self, slot: slot) }
        if case .memberIDs(let ids) = values[slot] { return ids }
        return members(slot).objects.map(\.objectID)
    }

    /// Whether a to-many relationship whose members are known by their IDs alone has these ones, some perhaps named twice. No objects are made for it; false
    /// where it would take that to find out.
    package func hasMembers(_ slot: Int, _ members: [NSManagedObject]) -> Bool {
        // Of a few members, looking for each takes less than a set.
        guard case .memberIDs(let ids) = values[slot], members.count <= 8 else { return false }
        let isSame =
            layout.slots[slot].kind == .toMany(ordered: true)
            ? ids.elementsEqual(members) { $0.key == $1.id.key }
            : ids.allSatisfy { id in members.contains { $0.id.key == id.key } }
                && members.allSatisfy { member in ids.contains { $0.key == member.id.key } }
        guard isSame, let context, context.hasChanges, let inverse = layout.inverses[slot] else { return isSame }
        return !members.contains { $0.deniesBeing(in: self, inverse) }
    }

    // MARK: Setting

    /// Points a to-one relationship elsewhere and keeps both inverses.
    func setDestination(_ slot: Int, to new: NSManagedObject?) {
        let old = destination(slot)
        guard old !== new else { return }
        values[slot] = new.map(ManagedValue.object) ?? .null
        noteChange(slot)
        guard let inverse = layout.inverses[slot] else { return }
        // Of one that is its own inverse, this end is set already.
        if old !== self || inverse != slot { old?.unlink(inverse, from: self) }
        guard let new else { return }
        if !new.layout.slots[inverse].isToMany, let evicted = new.destinationAfterRealizing(inverse), evicted !== self {
            evicted.unlink(slot, from: new)
        }
        // An order is written where it is a change.
        if new.layout.slots[inverse].kind == .toMany(ordered: true) {
            new.want(inverse, self)
        } else {
            new.link(inverse, to: self)
        }
    }

    /// Replaces the members of a to-many relationship and keeps the inverses.
    package func setMembers(_ slot: Int, to new: [NSManagedObject]) { setMembers(slot, to: ToManyMembers(new)) }

    func setMembers(_ slot: Int, to new: ToManyMembers) {
        let old = members(slot)
        let isOrdered = layout.slots[slot].kind == .toMany(ordered: true)
        guard !old.hasSameMembers(as: new, ordered: isOrdered) else { return }
        values[slot] = .objects(new)
        noteChange(slot)
        guard let inverse = layout.inverses[slot] else { return }
        if !old.isEmpty { for member in old.objects where !new.contains(member) { member.unlink(inverse, from: self) } }
        for member in new.objects where old.isEmpty || !old.contains(member) {
            member.adopt(by: self, slot: slot, inverse: inverse)
        }
    }

    /// Puts one that is no member yet at a place of an ordered relationship.
    ///
    /// - Returns: The members, before the other side follows.
    func insertMember(_ slot: Int, _ member: NSManagedObject, at index: Int) -> ToManyMembers {
        values[slot].insertMember(member, at: index)
        let members = members(slot)
        noteChange(slot)
        if let inverse = layout.inverses[slot] { member.adopt(by: self, slot: slot, inverse: inverse) }
        return members
    }

    /// Takes the member at a place out of an ordered relationship.
    ///
    /// - Returns: The members, before the other side follows.
    func removeMember(_ slot: Int, at index: Int) -> ToManyMembers {
        let member = members(slot).objects[index]
        values[slot].removeMember(member, keepingOrder: true, isDecidedElsewhere: false)
        let members = members(slot)
        noteChange(slot)
        if let inverse = layout.inverses[slot] { member.unlink(inverse, from: self) }
        return members
    }

    /// Adds one member to a to-many relationship.
    func addMember(_ slot: Int, _ member: NSManagedObject) {
        switch values[slot] {
        case .objects(let members): if members.contains(member) { return }
        case .unread(let delta):
            if delta?.added.contains(member) ?? false { return }
            if isMemberSeenFromThere(slot, member), members(slot).contains(member) { return }
        case .memberIDs: if members(slot).contains(member) { return }
        default: break
        }
        link(slot, to: member)
        if let inverse = layout.inverses[slot] { member.adopt(by: self, slot: slot, inverse: inverse) }
    }

    /// Takes one member out of a to-many relationship.
    func removeMember(_ slot: Int, _ member: NSManagedObject) {
        switch values[slot] {
        case .objects(let members): if !members.contains(member) { return }
        case .unread:
            // Where it says itself whose it is, somebody else's is no member.
            if let inverse = layout.inverses[slot], !member.layout.slots[inverse].isToMany,
                member.destinationAfterRealizing(inverse) !== self
            {
                return
            }
        case .memberIDs: if !members(slot).contains(member) { return }
        default: break
        }
        unlink(slot, from: member)
        if let inverse = layout.inverses[slot] { member.unlink(inverse, from: self) }
    }

    /// The member's side of becoming a member: a to-one inverse leaves its previous owner first.
    private func adopt(by owner: NSManagedObject, slot: Int, inverse: Int) {
        // Both sides are one.
        if owner === self, slot == inverse { return }
        if !layout.slots[inverse].isToMany, let previous = destinationAfterRealizing(inverse), previous !== owner {
            previous.unlink(slot, from: self)
        }
        if layout.slots[inverse].isToMany { want(inverse, owner) } else { link(inverse, to: owner) }
    }

    /// Whether the other side, which may have been read earlier, has this object.
    private func isMemberSeenFromThere(_ slot: Int, _ member: NSManagedObject) -> Bool {
        guard let inverse = layout.inverses[slot] else { return false }
        if !member.layout.slots[inverse].isToMany { return member.destinationAfterRealizing(inverse) === self }
        guard case .objects(let others) = member.values[inverse] else { return false }
        return others.contains(self)
    }

    /// Enters an owner that the other side didn't have. Where this side has it already, it was read when the store still had it; now it
    /// is wanted.
    private func want(_ slot: Int, _ owner: NSManagedObject) {
        // No store has ever had a new owner.
        if !owner.isInserted, case .objects(let members) = values[slot], members.contains(owner) {
            guard case .objects(var before) = committed[slot] else { return }
            before.remove(owner, keepingOrder: true)
            committed[slot] = .objects(before)
            noteChange(slot)
        } else {
            link(slot, to: owner)
        }
    }

    private func destinationAfterRealizing(_ slot: Int) -> NSManagedObject? {
        realize()
        return destination(slot)
    }

    // MARK: One side

    /// Enters an object into one side of a relationship, where it isn't yet.
    func link(_ slot: Int, to object: NSManagedObject) {
        realize()
        guard observation == nil else { return announcingChange(slot) { linkUnobserved(slot, to: object) } }
        linkUnobserved(slot, to: object)
    }

    private func linkUnobserved(_ slot: Int, to object: NSManagedObject) {
        if layout.slots[slot].isToMany {
            let isDecided = isDecidedElsewhere(slot, object, wasMember: true)
            values[slot].addMember(object, isDecidedElsewhere: isDecided)
        } else {
            values[slot] = .object(object)
        }
        noteChange(slot)
    }

    /// Sets one side of a to-one relationship and leaves the other one as it is: a store can hold a link at one end alone.
    package func setOneEnd(_ slot: Int, to object: NSManagedObject?) {
        realize()
        if let object { return link(slot, to: object) }
        if let old = destination(slot) { unlink(slot, from: old) }
    }

    /// Whether an object that goes and comes back, or comes and goes, is no change of a relationship whose members haven't been read:
    /// where the other side tells what was before, both sides have to mean the same. Nobody asks where they have been read.
    private func isDecidedElsewhere(_ slot: Int, _ object: NSManagedObject, wasMember: Bool) -> Bool {
        if case .objects = values[slot] { return false }
        if layout.slots[slot].isDecidedByMembersAlone { return true }
        guard case .unread(let delta?) = values[slot], layout.slots[slot].kind == .toMany(ordered: false),
            (wasMember ? delta.removed : delta.added).contains(object), let inverse = layout.inverses[slot],
            case .objects(let before) = object.committed[inverse]
        else { return false }
        return before.contains(self) == wasMember
    }

    /// Takes an object out of one side of a relationship.
    func unlink(_ slot: Int, from object: NSManagedObject) {
        realize()
        guard observation == nil else { return announcingChange(slot) { unlinkUnobserved(slot, from: object) } }
        unlinkUnobserved(slot, from: object)
    }

    private func unlinkUnobserved(_ slot: Int, from object: NSManagedObject) {
        if case .toMany(let ordered) = layout.slots[slot].kind {
            let isDecided = isDecidedElsewhere(slot, object, wasMember: false)
            values[slot].removeMember(object, keepingOrder: ordered, isDecidedElsewhere: isDecided)
        } else {
            if !leads(slot, to: object) { readAgain(slot) }
            guard leads(slot, to: object) else { return }
            values[slot] = .null
            if !differs(slot), isStoredPartner(of: object, slot) {
                context?.reload(self)
                if leads(slot, to: object) { values[slot] = .null }
            }
        }
        noteChange(slot)
    }
}

extension NSManagedObject {
    /// One to one: whether the other side's row says that they are linked. Where this one's doesn't, it was read before.
    private func isStoredPartner(of object: NSManagedObject, _ slot: Int) -> Bool {
        guard layout.slots[slot].isOneToOne, !isInserted, !isDeleted, let inverse = layout.inverses[slot] else {
            return false
        }
        return object.committed[inverse].referencedID == id
    }

    /// The other side says that this object was linked to it, so this side may have been read before somebody else has linked them. It
    /// has a column of its own, which must not keep what the other one loses.
    private func readAgain(_ slot: Int) {
        guard !touched.contains(slot) || !differs(slot), !isInserted, !isDeleted else { return }
        context?.reload(self)
    }

    /// Whether a to-one relationship leads to an object. In a child context the object may be known by its temporary ID still.
    func leads(_ slot: Int, to object: NSManagedObject) -> Bool {
        switch values[slot] {
        case .object(let other): other === object
        case .objectID(let id):
            id == object.objectID || (id.isTemporaryID && context?.permanentID(for: id) == object.id)
        default: false
        }
    }
}

// The payload is taken out, changed and put back. Taking is a function of its own, so that by its return nothing but the
// caller refers to the storage: a copy, however short-lived, would make every change of a large relationship copy it all.
extension ManagedValue {
    fileprivate mutating func addMember(_ object: NSManagedObject, isDecidedElsewhere: Bool) {
        if var members = takeMembers() {
            // What was read before somebody else took it out may still be there.
            members.append(object)
            self = .objects(members)
        } else {
            var delta = takeDelta()
            delta.add(object, isDecidedElsewhere: isDecidedElsewhere)
            self = .unread(delta)
        }
    }

    fileprivate mutating func insertMember(_ object: NSManagedObject, at index: Int) {
        var members = takeMembers() ?? ToManyMembers()
        members.insert(object, at: index)
        self = .objects(members)
    }

    fileprivate mutating func removeMember(
        _ object: NSManagedObject, keepingOrder: Bool, isDecidedElsewhere: Bool
    ) {
        if var members = takeMembers() {
            members.remove(object, keepingOrder: keepingOrder)
            self = .objects(members)
        } else {
            var delta = takeDelta()
            delta.remove(object, isDecidedElsewhere: isDecidedElsewhere)
            self = .unread(delta)
        }
    }

    private mutating func takeMembers() -> ToManyMembers? {
        guard case .objects(let members) = self else { return nil }
        self = .null
        return members
    }

    private mutating func takeDelta() -> ToManyDelta {
        guard case .unread(let delta?) = self else { return ToManyDelta() }
        self = .null
        return delta
    }
}
