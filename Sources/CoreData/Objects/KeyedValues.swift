// Key paths over objects and collections of them. Foundation's collections have no key-value coding on Linux; lists of managed objects
// are asked for the values of all their members, as on Apple's platforms.

public import Foundation

enum KeyedValues {
    /// The value at the end of a path of keys. Operators such as `@max` are computed as in predicates.
    static func value(of start: Any?, at keyPath: String) -> Any? {
        if keyPath.contains("@") {
            return NSExpression(forKeyPath: keyPath).expressionValue(with: start, context: nil)
        }
        var value = start
        for key in keyPath.split(separator: ".") { value = step(value, String(key)) }
        return value
    }

    /// Sets a key of all members that are managed objects.
    static func set(_ value: Any?, forKey key: String, of members: [Any]) {
        for case let object as NSManagedObject in members { object.setValue(value, forKey: key) }
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
        default: nil
        }
    }
}

extension NSArray {
    /// Sets a key of all members.
    public func setValue(_ value: Any?, forKey key: String) { KeyedValues.set(value, forKey: key, of: Array(self)) }

    /// The values of a key of all members, `NSNull` for nil; or what an operator such as `@count` makes of them.
    public func value(forKey key: String) -> Any? { KeyedValues.value(of: self, at: key) }

    /// The values at the end of a path of keys of all members, `NSNull` for nil; or what an operator makes of them.
    public func value(forKeyPath keyPath: String) -> Any? { KeyedValues.value(of: self, at: keyPath) }
}

extension NSSet {
    /// Sets a key of all members.
    public func setValue(_ value: Any?, forKey key: String) { KeyedValues.set(value, forKey: key, of: allObjects) }

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

    /// The values of a key of all members; or what an operator such as `@count` makes of them.
    public func value(forKey key: String) -> Any? { KeyedValues.value(of: self, at: key) }

    /// The values at the end of a path of keys of all members; or what an operator makes of them.
    public func value(forKeyPath keyPath: String) -> Any? { KeyedValues.value(of: self, at: keyPath) }
}
