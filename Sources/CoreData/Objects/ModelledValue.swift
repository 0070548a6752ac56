// What generated accessors call: the value of a property in the Swift type that it was declared with. Where Apple's
// platforms make accessors at run time, Linux has them made by the plugin `ManagedObjectClasses`.

public import Foundation

extension NSManagedObject {
    /// The value of a modelled property, for generated accessors.
    ///
    /// A number that has no value is zero, as scalar accessors of Core Data have it, and a text, data or collection is empty
    /// where the type isn't optional.
    ///
    /// - Parameter key: The name of the property.
    /// - Returns: The value. Stops the program where the entity has no such property, or its value isn't of the type.
    public func modelledValue<Value>(forKey key: String) -> Value {
        guard let slot = layout.slot(named: key) else { return undefinedValue(key) }
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        return converted(slot)
    }

    /// The value of a property without a fault being fired, for generated accessors of `primitive<Key>`.
    ///
    /// - Parameter key: The name of the property, without `primitive`.
    public func primitiveModelledValue<Value>(forKey key: String) -> Value {
        guard let slot = layout.slot(named: key) else { return undefinedValue(key) }
        return converted(slot)
    }

    /// Sets a property without notification, for generated accessors of `primitive<Key>`.
    public func setPrimitiveModelledValue<Value>(_ value: Value, forKey key: String) {
        switch value {
        case let value as any RawRepresentable: setPrimitiveValue(value.rawValue, forKey: key)
        default: setPrimitiveValue(value, forKey: key)
        }
    }

    private func converted<Value>(_ slot: Int) -> Value { values[slot].direct(or: { convertedByType(slot) }) }

    private func convertedByType<Value>(_ slot: Int) -> Value {
        switch layout.slots[slot].kind {
        case .attribute:
            if let type = Value.self as? any SlotConvertible.Type, let value = type.init(values[slot]) as? Value {
                return value
            }
        case .toOne:
            if let value = destination(slot) as? Value { return value }
        case .toMany(let ordered):
            // Foundation takes five times as long to make a set of Swift's of its own.
            if !ordered, let type = Value.self as? any MemberSet.Type,
                let value = type.init(members: members(slot).objects) as? Value
            {
                return value
            }
        }
        let boxed = boxedValue(slot)
        if let value = boxed as? Value { return value }
        if case .transformable(let held) = values[slot], let mutable = Self.mutableForm(boxed),
            let value = mutable as? Value
        {
            // The one that is there from now on: what is done to it is seen by the next who asks.
            values[slot] = .transformable(held.holding(mutable))
            return value
        }
        if let type = Value.self as? any RawRepresentable.Type, let value = type.value(ofRaw: boxed) as? Value {
            return value
        }
        if state.contains(.recording), let type = Value.self as? any CaseIterable.Type,
            let first = type.firstCase as? Value
        {
            return first
        }
        if boxed == nil, let type = Value.self as? any EmptyValue.Type, let value = type.init() as? Value {
            return value
        }
        fatalError(
            "\(entity.name ?? "").\(layout.slots[slot].name) is \(boxed.map { "\(type(of: $0)) '\($0)'" } ?? "nil"), but declared as "
                + "\(Value.self). Change the property's type, or make it optional.")
    }

    /// Foundation's mutable class for a collection, text or data.
    private static func mutableForm(_ boxed: Any?) -> Any? {
        switch boxed {
        case let set as NSOrderedSet: set.mutableCopy()
        case let set as NSSet: set.mutableCopy()
        case let array as [Any]: NSMutableArray(array: array)
        case let dictionary as [AnyHashable: Any]: NSMutableDictionary(dictionary: dictionary)
        case let text as String: NSMutableString(string: text)
        case let data as Data: NSMutableData(data: data)
        default: nil
        }
    }

    /// Sets a modelled property, for generated accessors.
    ///
    /// - Parameters:
    ///   - value: The value. Stops the program where the property can't hold it.
    ///   - key: The name of the property.
    public func setModelledValue<Value>(_ value: Value, forKey key: String) {
        guard let slot = layout.slot(named: key) else {
            guard layout.composites[key] != nil else { return setValue(value, forUndefinedKey: key) }
            return changing(key) { setComposite(value, key) }
        }
        willChangeValue(forKey: key)
        if case .attribute(let type) = layout.slots[slot].kind, let direct = ManagedValue(direct: value, for: type) {
            values[slot] = direct
        } else if let value = value as? any RawRepresentable {
            setBoxedValue(value.rawValue, slot: slot)
        } else {
            setBoxedValue(value, slot: slot)
        }
        didChangeValue(forKey: key)
    }

    private func undefinedValue<Value>(_ key: String) -> Value {
        let value = valueOutsideSlots(key)
        if value == nil, let type = Value.self as? any EmptyValue.Type, let value = type.init() as? Value {
            return value
        }
        guard let value = value as? Value else {
            fatalError("'\(key)' of '\(entity.name ?? "")' is \(value ?? "nil") and not \(Value.self).")
        }
        return value
    }
}

// MARK: - To-many relationships

extension NSManagedObject {
    /// Adds objects to a to-many relationship, for generated accessors.
    public func addModelled(_ objects: [NSManagedObject], forKey key: String) {
        changeOneByOne(key) { slot in
            for object in objects { addMember(slot, checked(object, slot)) }
        }
    }

    /// Takes objects out of a to-many relationship, for generated accessors.
    public func removeModelled(_ objects: [NSManagedObject], forKey key: String) {
        changeOneByOne(key) { slot in
            for object in objects { removeMember(slot, object) }
        }
    }

    /// Inserts objects at positions of an ordered relationship, for generated accessors.
    ///
    /// - Parameters:
    ///   - objects: The objects.
    ///   - indexes: Where the objects are afterwards, as many as there are objects.
    ///   - key: The relationship's name.
    public func insertModelled(_ objects: [NSManagedObject], at indexes: IndexSet, forKey key: String) {
        change(key) { members in
            for (object, index) in zip(objects, indexes) { members.insert(object, at: index) }
        }
    }

    /// Takes the objects at positions out of an ordered relationship, for generated accessors.
    public func removeModelled(at indexes: IndexSet, forKey key: String) {
        change(key) { members in
            for index in indexes.reversed() { members.removeObject(at: index) }
        }
    }

    /// Replaces the objects at positions of an ordered relationship, for generated accessors.
    public func replaceModelled(at indexes: IndexSet, with objects: [NSManagedObject], forKey key: String) {
        change(key) { members in
            for (object, index) in zip(objects, indexes) { members.replaceObject(at: index, with: object) }
        }
    }

    private func toManySlot(_ key: String) -> Int {
        guard let slot = layout.slot(named: key), case .toMany = layout.slots[slot].kind else {
            fatalError(
                "The entity '\(entity.name ?? "")' has no to-many relationship '\(key)'. It has: \(layout.nameList).")
        }
        return slot
    }

    /// Changes single members, without looking at the others.
    private func changeOneByOne(_ key: String, _ body: (Int) -> Void) {
        let slot = toManySlot(key)
        willAccessValue(forKey: key)
        // To add a member, or to take out what is none, is no change; where members say themselves whose they are, that shows without reading.
        if !layout.slots[slot].isDecidedByMembers { _ = members(slot) }
        didAccessValue(forKey: key)
        willChangeValue(forKey: key)
        body(slot)
        didChangeValue(forKey: key)
    }

    private func change(_ key: String, _ body: (NSMutableOrderedSet) -> Void) {
        let slot = toManySlot(key)
        willAccessValue(forKey: key)
        let members = NSMutableOrderedSet(array: self.members(slot).objects)
        didAccessValue(forKey: key)
        body(members)
        willChangeValue(forKey: key)
        setMembers(slot, to: members.array.compactMap { ($0 as? NSManagedObject).map { checked($0, slot) } })
        didChangeValue(forKey: key)
    }
}

// MARK: - Types

/// A type whose values are made from a slot without a box.
private protocol SlotConvertible {
    /// Nil where the slot holds something else.
    init?(_ value: ManagedValue)
}

extension SlotConvertible where Self: FixedWidthInteger {
    fileprivate init?(_ value: ManagedValue) {
        switch value {
        case .integer(let integer): self.init(truncatingIfNeeded: integer)
        case .boolean(let boolean): self = boolean ? 1 : 0
        case .null: self = 0
        default: return nil
        }
    }
}

extension Int: SlotConvertible {}
extension Int16: SlotConvertible {}
extension Int32: SlotConvertible {}
extension Int64: SlotConvertible {}
extension UInt: SlotConvertible {}
extension UInt64: SlotConvertible {}

extension SlotConvertible where Self: BinaryFloatingPoint {
    fileprivate init?(_ value: ManagedValue) {
        switch value {
        case .double(let double): self.init(double)
        case .integer(let integer): self.init(integer)
        // Seconds from the reference date, as a scalar accessor has them.
        case .date(let seconds): self.init(seconds)
        case .null: self = 0
        default: return nil
        }
    }
}

extension Double: SlotConvertible {}
extension Float: SlotConvertible {}
extension CGFloat: SlotConvertible {}

extension Bool: SlotConvertible {
    fileprivate init?(_ value: ManagedValue) {
        switch value {
        case .boolean(let boolean): self = boolean
        case .integer(let integer): self = integer != 0
        case .null: self = false
        default: return nil
        }
    }
}

extension String: SlotConvertible {
    fileprivate init?(_ value: ManagedValue) {
        switch value {
        case .string(let string): self = string
        default: return nil
        }
    }
}

extension Decimal: SlotConvertible {
    fileprivate init?(_ value: ManagedValue) {
        switch value {
        case .decimal(let decimal): self = decimal
        case .null: self = 0
        default: return nil
        }
    }
}

extension Date: SlotConvertible {
    fileprivate init?(_ value: ManagedValue) {
        guard case .date(let seconds) = value else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }
}

extension Optional: SlotConvertible where Wrapped: SlotConvertible {
    fileprivate init?(_ value: ManagedValue) {
        if value.isNull {
            self = .none
        } else if let wrapped = Wrapped(value) {
            self = wrapped
        } else {
            return nil
        }
    }
}

/// A set of objects of one class.
private protocol MemberSet {
    /// Nil where an object is of another class.
    init?(members: [NSManagedObject])
}

extension Set: MemberSet where Element: NSManagedObject {
    fileprivate init?(members: [NSManagedObject]) {
        self.init(minimumCapacity: members.count)
        for member in members {
            guard let member = member as? Element else { return nil }
            insert(member)
        }
    }
}

extension Optional: MemberSet where Wrapped: MemberSet {
    fileprivate init?(members: [NSManagedObject]) {
        guard let wrapped = Wrapped(members: members) else { return nil }
        self = wrapped
    }
}

extension CaseIterable {
    fileprivate static var firstCase: Self? { allCases.first }
}

/// A type that has a value for "nothing".
private protocol EmptyValue {
    init()
}

extension String: EmptyValue {}
extension Data: EmptyValue {}
extension Array: EmptyValue {}
extension Set: EmptyValue {}
extension Dictionary: EmptyValue {}

extension RawRepresentable {
    /// The value for a raw value in a box; zero stands for a missing number.
    fileprivate static func value(ofRaw boxed: Any?) -> Self? {
        if let raw = boxed as? RawValue { return Self(rawValue: raw) }
        guard boxed == nil, let type = RawValue.self as? any SlotConvertible.Type else { return nil }
        return (type.init(.null) as? RawValue).flatMap(Self.init)
    }
}
