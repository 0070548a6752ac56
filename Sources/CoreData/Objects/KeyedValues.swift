// Key paths over objects and collections of them. Foundation's collections have no key-value coding on Linux; lists of managed objects
// are asked for the values of all their members, as on Apple's platforms.

public import Foundation

enum KeyedValues {
    /// The value at the end of a path of keys, as whoever has it gives it; operators such as `@max` compute as in predicates.
    static func value(of start: Any?, at keyPath: String) -> Any? { value(of: start, along: KeyPathSteps(keyPath)) }

    static func value(of start: Any?, along path: KeyPathSteps) -> Any? {
        var value = start
        for (index, step) in path.steps.enumerated() {
            switch step {
            case .key(let key):
                if value is NSManagedObject,
                    let count = KeyPathEvaluator.countedMembers(path.steps, index, key, of: Operand(value))
                {
                    return count.boxed
                }
                value = Self.step(value, key)
            case .collection(let collection, let rest): value = Self.value(collection, of: value, rest)
            case .unknownOperator: return nil
            }
        }
        return value
    }

    /// Whether all keys of a path are properties that an entity has, and those it leads to.
    static func know(_ path: KeyPathSteps, from start: NSEntityDescription) -> Bool {
        var entity: NSEntityDescription? = start
        for step in path.steps {
            switch step {
            case .key(let key):
                guard let known = entity else { continue }
                guard let property = known.propertiesByName[key] else { return false }
                entity = (property as? NSRelationshipDescription)?.destinationEntity
            case .collection(_, let rest): return entity.map { know(rest, from: $0) } ?? true
            case .unknownOperator: return false
            }
        }
        return true
    }

    /// What an operator makes of a collection. Decimals stay exact, and what is united is as the members have it.
    private static func value(_ collection: CollectionOperator, of value: Any?, _ rest: KeyPathSteps) -> Any? {
        guard collection != .count, let members = members(of: value) else {
            return CollectionEvaluator.value(collection, of: Operand(value), rest: rest).boxed
        }
        let found = members.flatMap { member in
            let value = Self.value(of: member, along: rest)
            return Self.members(of: value) ?? value.map { [$0] } ?? []
        }
        switch collection {
        case .count, .sum, .avg, .min, .max: break
        default: return value is NSSet ? NSSet(array: found) : collection.isDistinct ? distinct(found) : found
        }
        let decimals = found.compactMap { $0 as? NSDecimalNumber }.map(\.decimalValue)
        if !decimals.isEmpty, decimals.count == found.count {
            return HashableDecimalNumber(decimal: CollectionEvaluator.exact(collection, of: decimals))
        }
        return CollectionEvaluator.value(collection, of: Operand(found), rest: KeyPathSteps("")).boxed
    }

    private static func distinct(_ values: [Any]) -> [Any] {
        var seen: Set<OperandKey> = []
        return values.filter { seen.insert(OperandKey(Operand($0))).inserted }
    }

    private static func members(of value: Any?) -> [Any]? {
        switch value {
        case let set as NSOrderedSet: set.array
        case let set as NSSet: set.allObjects
        case let array as NSArray: Array(array)
        case let array as [Any]: array
        default: nil
        }
    }

    /// Sets a key of all members that are managed objects.
    static func set(_ value: Any?, forKey key: String, of members: [Any]) {
        for case let object as NSManagedObject in members { object.setValue(value, forKey: key) }
    }

    /// Sets what a path leads to from each member that is a managed object.
    static func set(_ value: Any?, forKeyPath keyPath: String, of members: [Any]) {
        for case let object as NSManagedObject in members { object.setValue(value, forKeyPath: keyPath) }
    }

    private static func step(_ value: Any?, _ key: String) -> Any? {
        switch value {
        case let object as NSManagedObject: object.value(forKey: key)
        case let set as NSOrderedSet: NSOrderedSet(array: set.array.compactMap { step($0, key) })
        case let set as NSSet: NSSet(array: set.allObjects.compactMap { step($0, key) })
        // An array keeps a place for each member.
        case let array as NSArray: NSArray(array: Array(array).map { step($0, key) ?? NSNull() })
        case let array as [Any]: NSArray(array: array.map { step($0, key) ?? NSNull() })
        case let dictionary as [String: Any]: dictionary[key]
        // What predicates read of it: the length of a text, the name of an entity.
        case let other?: NSExpression(forKeyPath: key).expressionValue(with: other, context: nil)
        case nil: nil
        }
    }
}

extension NSArray {
    /// Sets a key of all members.
    public func setValue(_ value: Any?, forKey key: String) { KeyedValues.set(value, forKey: key, of: Array(self)) }

    /// Sets what a path of keys leads to from each member.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        KeyedValues.set(value, forKeyPath: keyPath, of: Array(self))
    }

    /// The values of a key of all members, `NSNull` for nil; or what an operator such as `@count` makes of them.
    public func value(forKey key: String) -> Any? { KeyedValues.value(of: self, at: key) }

    /// The values at the end of a path of keys of all members, `NSNull` for nil; or what an operator makes of them.
    public func value(forKeyPath keyPath: String) -> Any? { KeyedValues.value(of: self, at: keyPath) }
}

extension NSSet {
    /// Sets a key of all members.
    public func setValue(_ value: Any?, forKey key: String) { KeyedValues.set(value, forKey: key, of: allObjects) }

    /// Sets what a path of keys leads to from each member.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        KeyedValues.set(value, forKeyPath: keyPath, of: allObjects)
    }

    /// The values of a key of all members; or what an operator such as `@count` makes of them.
    public func value(forKey key: String) -> Any? { KeyedValues.value(of: self, at: key) }

    /// The values at the end of a path of keys of all members; or what an operator makes of them.
    public func value(forKeyPath keyPath: String) -> Any? { KeyedValues.value(of: self, at: keyPath) }
}

extension NSDictionary {
    /// The value at the end of a path of keys; what `@count` and other operators make of the collections on the way.
    public func value(forKeyPath keyPath: String) -> Any? { KeyedValues.value(of: self, at: keyPath) }
}

extension NSOrderedSet {
    /// Sets a key of all members.
    public func setValue(_ value: Any?, forKey key: String) { KeyedValues.set(value, forKey: key, of: array) }

    /// Sets what a path of keys leads to from each member.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        KeyedValues.set(value, forKeyPath: keyPath, of: array)
    }

    /// The values of a key of all members; or what an operator such as `@count` makes of them.
    public func value(forKey key: String) -> Any? { KeyedValues.value(of: self, at: key) }

    /// The values at the end of a path of keys of all members; or what an operator makes of them.
    public func value(forKeyPath keyPath: String) -> Any? { KeyedValues.value(of: self, at: keyPath) }
}
