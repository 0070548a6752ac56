// Key paths over objects and collections of them. Foundation's collections have no key-value coding on Linux; lists of managed objects
// are asked for the values of all their members, as on Apple's platforms.

public import Foundation

enum KeyedValues {
    /// The value at the end of a path of keys. Operators such as `@max` are computed as in predicates.
    static func value(of start: Any?, at keyPath: String) -> Any? {
        if keyPath.contains("@") {
            let found = NSExpression(forKeyPath: keyPath).expressionValue(with: start, context: nil)
            guard let list = found as? [Any], isSet(at: keyPath, of: start) else { return found }
            return NSSet(array: list)
        }
        var value = start
        for key in keyPath.split(separator: ".") { value = step(value, String(key)) }
        return value
    }

    /// Whether the last operator of a path makes a set: one that unites sets does, and one that unites the members of a set.
    private static func isSet(at keyPath: String, of start: Any?) -> Bool {
        guard let sign = keyPath.lastIndex(of: "@") else { return false }
        let name = keyPath[keyPath.index(after: sign)...].prefix { $0 != "." }
        switch CollectionOperator(rawValue: String(name)) {
        case .unionOfSets, .distinctUnionOfSets: return true
        case .unionOfObjects, .distinctUnionOfObjects:
            return value(of: start, at: String(keyPath[..<sign].dropLast())) is NSSet
        default: return false
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
