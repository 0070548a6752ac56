// What was changed since the last fetch or save.

import Foundation

extension NSManagedObject {
    /// Remembers that a slot was set, and tells the context once.
    func noteChange(_ slot: Int) {
        if state.contains(.awakening) { return }
        touched.insert(slot)
        if !layout.slots[slot].isRelationship { registry?.attributeChangeCount += 1 }
        if !state.isDisjoint(with: [.echo, .indexed]) {
            state.remove(.echo)
            noteIndexedChange()
        }
        if !state.contains(.inEvent) { touchedInEvent.removeAll() }
        touchedInEvent.insert(slot)
        if state.isDisjoint(with: [.inserted, .updated, .deleted]) {
            guard let context = context else { return }
            state.insert(.updated)
            context.note(updated: self)
        }
        if !state.contains(.inEvent) { context?.noteEvent(self) }
    }

    /// Remembers that an object may not be found any more by what it was found by.
    func noteIndexedChange() {
        guard state.contains(.indexed), let context else { return }
        if isInserted { context.inserted.noteChange(of: self) } else { context.updated.noteChange(of: self) }
    }

    /// The persistent slots with other values than the committed ones. What was set by primitive values counts as soon as the object
    /// has been inserted or changed: it will be saved with the rest. Alone it is no change.
    var changedSlots: [Int] {
        let hasPrimitive = state.contains(.primitive) && !state.isDisjoint(with: [.inserted, .updated])
        let slots = hasPrimitive ? Array(layout.slots.indices) : Array(touched)
        return slots.filter { !layout.slots[$0].isTransient && differs($0) }
    }

    func newValues() -> [String: Any] {
        var changes: [String: Any] = [:]
        for slot in changedSlots {
            if let composite = layout.composite(of: slot) {
                changes[composite.name] = value(of: composite) ?? NSNull() as Any
            } else {
                changes[layout.slots[slot].name] = boxedValue(slot) ?? NSNull()
            }
        }
        return changes
    }

    func oldValuesInEvent() -> [String: Any] {
        guard state.contains(.inEvent) || context?.isAnnouncing ?? false else { return [:] }
        var changes: [String: Any] = [:]
        for slot in touchedInEvent where !layout.slots[slot].isTransient {
            let name = layout.propertyName(of: slot)
            changes[name] = committedValue(name) ?? NSNull()
        }
        return changes
    }

    /// What was fetched or saved last; nothing of an object that neither has happened to.
    func oldValues(_ keys: [String]?) -> [String: Any] {
        if isInserted { return [:] }
        realize()
        var result: [String: Any] = [:]
        for key in keys ?? layout.slots.indices.map(layout.propertyName)
        where !layout.slots(named: key).isEmpty {
            result[key] = committedValue(key) ?? NSNull()
        }
        return result
    }

    private func committedValue(_ key: String) -> Any? {
        if let slot = layout.slot(named: key) { return boxedCommittedValue(slot) }
        return layout.composites[key]?.dictionary(boxedCommittedValue)
    }

    /// Whether the current value of a slot differs from the committed one.
    func differs(_ slot: Int) -> Bool {
        if case .toMany(ordered: true) = layout.slots[slot].kind,
            case .objects(let old) = committed[slot], case .objects(let new) = values[slot]
        {
            return !old.hasSameMembers(as: new, ordered: true)
        }
        if case .objectID(let id) = committed[slot], id.isTemporaryID, case .object(let object) = values[slot] {
            return id != object.id && context?.permanentID(for: id) != object.id
        }
        return !values[slot].isSame(as: committed[slot])
    }

    private func boxedCommittedValue(_ slot: Int) -> Any? {
        switch committed[slot] {
        case .object(let object): return object
        case .objectID(let id): return context?.object(with: id)
        case .objects(let members): return boxed(members.objects, slot)
        case .unread, .memberIDs:
            // Reading the relationship fills in both the committed and the current members.
            _ = members(slot)
            if case .objects(let members) = committed[slot] { return boxed(members.objects, slot) }
            return boxed([], slot)
        default: return committed[slot].boxedAttribute
        }
    }

    private func boxed(_ objects: [NSManagedObject], _ slot: Int) -> Any {
        layout.slots[slot].kind == .toMany(ordered: true) ? NSOrderedSet(array: objects) : NSSet(array: objects)
    }
}
