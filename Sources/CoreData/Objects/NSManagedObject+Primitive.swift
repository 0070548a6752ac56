// Values as accessors store them: nobody is told, and no inverse follows until `didChangeValue(forKey:)` ends the change.

import Foundation

/// One side of a relationship of an object.
struct RelationshipEnd: Hashable {
    let object: ObjectIdentifier
    let slot: Int
}

extension NSManagedObject {
    func primitive(_ key: String) -> Any? {
        guard let slot = layout.slot(named: key) else {
            return layout.composites[key].map { value(of: $0) } ?? value(forUndefinedKey: key)
        }
        return switch layout.slots[slot].kind {
        case .toMany(ordered: false): primitiveSet(slot)
        case .toMany(ordered: true): RelationshipOrderedSet(owner: self, slot: slot, isPrimitive: true)
        default: boxedValue(slot)
        }
    }

    /// The members, for an accessor that reads them: Foundation casts sets of its own class alone to sets of Swift. Within a change, and for
    /// a fault, a set that stands for them.
    private func primitiveSet(_ slot: Int) -> Any? {
        let end = RelationshipEnd(object: ObjectIdentifier(self), slot: slot)
        guard let context, !state.contains(.fault), context.changingEnds[end] == nil else {
            return RelationshipSet(owner: self, slot: slot, isPrimitive: true)
        }
        return boxedValue(slot)
    }

    func setPrimitive(_ key: String, to value: Any?) {
        guard let slot = layout.slot(named: key) else {
            guard layout.composites[key] != nil else { return setValue(value, forUndefinedKey: key) }
            setComposite(value, key)
            return notePrimitive()
        }
        switch layout.slots[slot].kind {
        case .attribute:
            values[slot] = attributeValue(value, slot: slot)
            notePrimitive()
        case .toOne: setPrimitive(slot, destination(value, slot: slot).map(ManagedValue.object) ?? .null)
        case .toMany: changePrimitive(slot) { $0 = ToManyMembers(destinations(value, slot: slot)) }
        }
    }

    /// Changes the members of a to-many relationship on this side alone.
    func changePrimitive(_ slot: Int, _ change: (inout ToManyMembers) -> Void) {
        realize()
        var members = members(slot)
        change(&members)
        setPrimitive(slot, .objects(members))
    }

    private func setPrimitive(_ slot: Int, _ value: ManagedValue) {
        if let context {
            let end = RelationshipEnd(object: ObjectIdentifier(self), slot: slot)
            if context.formerEnds[end] == nil { context.formerEnds[end] = values[slot] }
        }
        values[slot] = value
        notePrimitive()
    }

    private func notePrimitive() {
        if !state.contains(.awakening) { state.insert(.primitive) }
        noteIndexedChange()
    }

    /// A change begins: what was set without a note before it isn't part of it.
    func beginPrimitiveChange(_ key: String) {
        guard let context, let slot = layout.slot(named: key), layout.slots[slot].isRelationship else { return }
        let end = RelationshipEnd(object: ObjectIdentifier(self), slot: slot)
        if layout.slots[slot].isToMany { context.changingEnds[end, default: 0] += 1 }
        if !context.formerEnds.isEmpty { context.formerEnds[end] = nil }
    }

    /// A change ends: sets what was set without a note since it began once more, with its inverse.
    func endPrimitiveChange(_ slot: Int) {
        guard let context, layout.slots[slot].isRelationship else { return }
        let end = RelationshipEnd(object: ObjectIdentifier(self), slot: slot)
        if let count = context.changingEnds[end] { context.changingEnds[end] = count > 1 ? count - 1 : nil }
        guard state.contains(.primitive), let former = context.formerEnds.removeValue(forKey: end) else { return }
        let new = values[slot]
        values[slot] = former
        switch new {
        case .object(let object): setDestination(slot, to: object)
        case .objects(let members): setMembers(slot, to: members.objects)
        default: setDestination(slot, to: nil)
        }
    }
}
