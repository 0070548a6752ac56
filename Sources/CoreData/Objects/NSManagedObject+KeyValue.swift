// Values by key: boxed for the outside, in slots for Graft.

import Foundation

extension NSManagedObject {
    func set(_ keyPath: String, to value: Any?) {
        guard let dot = keyPath.firstIndex(of: ".") else { return setValue(value, forKey: keyPath) }
        let head = String(keyPath[..<dot])
        if layout.composites[head] != nil { return changing(head) { setElement(keyPath, to: value) } }
        let rest = String(keyPath[keyPath.index(after: dot)...])
        switch self.value(forKey: head) {
        case let owner as NSManagedObject: owner.setValue(value, forKeyPath: rest)
        case let members as NSOrderedSet: KeyedValues.set(value, forKeyPath: rest, of: members.array)
        case let members as NSSet: KeyedValues.set(value, forKeyPath: rest, of: members.allObjects)
        default: break
        }
    }

    private func setElement(_ path: String, to value: Any?) {
        if let slot = layout.slot(named: path) { return setBoxedValue(value, slot: slot) }
        guard layout.composites[path] != nil else { return setValue(value, forUndefinedKey: path) }
        setComposite(value, path)
    }

    func changing(_ key: String, _ body: () -> Void) {
        willChangeValue(forKey: key)
        body()
        didChangeValue(forKey: key)
    }

    /// The object that a path of to-one relationships leads to before its last key.
    func end(of keyPath: String) -> (owner: NSManagedObject, key: String) {
        guard let dot = keyPath.lastIndex(of: ".") else { return (self, keyPath) }
        guard let owner = value(forKeyPath: String(keyPath[..<dot])) as? NSManagedObject else {
            fatalError("'\(keyPath[..<dot])' of \(objectID) leads to no object. Set the relationship first.")
        }
        return (owner, String(keyPath[keyPath.index(after: dot)...]))
    }

    // MARK: Boxed values

    func boxedValue(_ slot: Int) -> Any? {
        if case .transformable(let shared) = values[slot], let own = shared.ownValue {
            values[slot] = .transformable(own)
        }
        return switch layout.slots[slot].kind {
        case .attribute: values[slot].boxedAttribute
        case .toOne: destination(slot)
        case .toMany(let ordered):
            // Mutable, as clients cast it, and of these very classes, which alone Foundation casts to sets of Swift.
            ordered
                ? NSMutableOrderedSet(array: members(slot).objects) : NSMutableSet(array: members(slot).objects)
        }
    }

    func setBoxedValue(_ value: Any?, slot: Int) {
        switch layout.slots[slot].kind {
        case .attribute: values[slot] = attributeValue(value, slot: slot)
        case .toOne: setDestination(slot, to: destination(value, slot: slot))
        case .toMany: setMembers(slot, to: destinations(value, slot: slot))
        }
    }

    func attributeValue(_ value: Any?, slot: Int) -> ManagedValue {
        guard let attribute = layout.slots[slot].property as? NSAttributeDescription else { return .null }
        if let managed = ManagedValue(boxed: value, for: attribute) { return managed }
        fatalError(
            "\(entity.name ?? "").\(attribute.name) can't hold \(type(of: value ?? "nil")) '\(value ?? "nil")'. "
                + "Convert it to the attribute's type first.")
    }

    /// Whether an attribute can be set to a value, which stops the process otherwise.
    func canHold(_ value: Any?, inAttribute key: String) -> Bool {
        func fits(_ value: Any?, _ slot: Int) -> Bool {
            guard let attribute = layout.slots[slot].property as? NSAttributeDescription else { return false }
            return ManagedValue(boxed: value, for: attribute) != nil
        }
        // What the class has written itself says what it takes.
        if writtenProperty(key, slot: nil)?.set != nil { return true }
        if let slot = layout.slot(named: key) { return fits(value, slot) }
        return layout.composites[key]?.values(value)?.allSatisfy { fits($1, $0) } ?? false
    }

    func destination(_ value: Any?, slot: Int) -> NSManagedObject? {
        if let object = value as? NSManagedObject { return checked(object, slot) }
        // A generated accessor hands over its optional as it is.
        guard let value = flattened(value), !(value is NSNull) else { return nil }
        wrongDestination(value, slot)
    }

    func destinations(_ value: Any?, slot: Int) -> [NSManagedObject] {
        let elements: [Any]
        switch flattened(value) {
        case nil, is NSNull: elements = []
        case let set as NSOrderedSet: elements = set.array
        case let set as NSSet: elements = set.allObjects
        case let array as [Any]: elements = array
        case let set as Set<NSManagedObject>: elements = Array(set)
        default: wrongDestination(value as Any, slot)
        }
        let objects = elements.map { element in
            guard let object = element as? NSManagedObject else { wrongDestination(element, slot) }
            return checked(object, slot)
        }
        if case .toMany(ordered: true) = layout.slots[slot].kind { return objects }
        // A set has no order; the IDs' is a defined one.
        return objects.sorted { $0.id.number < $1.id.number }
    }

    /// Stops for an object that the relationship can't lead to: one of another entity or another context, or one that has left its
    /// context (deleted and saved, deleted by somebody else, reset).
    @discardableResult
    func checked(_ object: NSManagedObject, _ slot: Int) -> NSManagedObject {
        guard let destination = layout.slots[slot].relationship?.destinationEntity else { return object }
        guard object.entity.isKindOf(entity: destination) else { wrongDestination(object, slot) }
        let isForeign: Bool =
            if let mine = context, let theirs = object.context { mine !== theirs } else { false }
        // Two that have left are nobody's concern.
        guard isForeign || hasLeft != object.hasLeft, isForeign || (context ?? object.context) != nil else {
            return object
        }
        fatalError(
            "Illegal attempt to establish the relationship '\(layout.slots[slot].name)' between objects in different contexts: "
                + "\(entity.name ?? "") \(id) and \(object.entity.name ?? "") \(object.id). "
                + (isForeign
                    ? "Get the other one by its objectID in this object's context."
                    : "One of them has been deleted or its context was reset. Ask for isDeleted and managedObjectContext first.")
        )
    }

    private func wrongDestination(_ value: Any, _ slot: Int) -> Never {
        let destination = layout.slots[slot].relationship?.destinationEntity?.name ?? ""
        fatalError(
            "\(entity.name ?? "").\(layout.slots[slot].name) leads to '\(destination)' and can't hold \(type(of: value))."
        )
    }
}

// MARK: - Slots, for Graft

extension NSManagedObject {
    /// The value of a slot; fires a fault. To-one slots give `.object` or `.null`, to-many ones `.objects`.
    package func slotValue(_ slot: Int) -> ManagedValue {
        realize()
        switch layout.slots[slot].kind {
        case .attribute: return values[slot]
        case .toOne: return destination(slot).map(ManagedValue.object) ?? .null
        case .toMany: return .objects(members(slot))
        }
    }

    /// The ID that a to-one slot leads to; makes no object of it.
    package func slotDestinationID(_ slot: Int) -> NSManagedObjectID? {
        realize()
        return values[slot].referencedID
    }

    /// Sets an attribute or a to-one relationship (`.object` or `.null`) as `setValue(_:forKey:)` does.
    package func setSlot(_ slot: Int, to value: ManagedValue) {
        realize()
        guard observation == nil else { return announcingChange(slot) { setSlotUnobserved(slot, to: value) } }
        setSlotUnobserved(slot, to: value)
    }

    private func setSlotUnobserved(_ slot: Int, to value: ManagedValue) {
        switch layout.slots[slot].kind {
        case .attribute: values[slot] = value
        case .toOne:
            if case .object(let object) = value {
                setDestination(slot, to: object)
            } else {
                setDestination(slot, to: nil)
            }
        case .toMany:
            if case .objects(let members) = value { setMembers(slot, to: members.objects) }
        }
        noteChange(slot)
    }

    /// The entity's slots.
    package var entityLayout: EntityLayout { layout }
}
