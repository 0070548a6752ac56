// Value transformers made of closures, with the calls that Groot has for them: a model names a transformer, code registers it.

public import CoreData
import Foundation

extension ValueTransformer {
    /// Registers a transformer that only reads: from a JSON value to that of the attribute.
    ///
    ///     ValueTransformer.setValueTransformer(withName: "StringToInteger") { (text: String) in Int(text) }
    ///
    /// Null is never handed to the closure; it stays null. Neither is a value of another type than it takes: that becomes
    /// null, too. Numbers reach it as any number type that holds them exactly.
    ///
    /// - Parameters:
    ///   - name: The name that the model's `JSONTransformerName` has.
    ///   - transform: Makes the value; nil for none. It may be called on any thread.
    public class func setValueTransformer<T, U>(withName name: String, transform: @escaping (T) -> U?) {
        let transformer = ForwardTransformer { value in ForwardTransformer.cast(value, to: T.self).flatMap(transform) }
        setValueTransformer(transformer, forName: NSValueTransformerName(name))
    }

    /// Registers a transformer that reads and writes.
    ///
    /// - Parameters:
    ///   - name: The name that the model's `JSONTransformerName` has.
    ///   - transform: Makes the attribute's value of a JSON value; nil for none.
    ///   - reverseTransform: Makes the JSON value of an attribute's value. Nil leaves the key out of an export.
    public class func setValueTransformer<T, U>(
        withName name: String, transform: @escaping (T) -> U?, reverseTransform: @escaping (U) -> T?
    ) {
        let transformer = ReversibleTransformer {
            ForwardTransformer.cast($0, to: T.self).flatMap(transform)
        } reverse: {
            ForwardTransformer.cast($0, to: U.self).flatMap(reverseTransform)
        }
        setValueTransformer(transformer, forName: NSValueTransformerName(name))
    }

    /// Registers a transformer for whole JSON objects: what an import makes of each object of an entity before it looks at
    /// its keys.
    ///
    /// - Parameters:
    ///   - name: The name that the entity's `JSONDictionaryTransformerName` has.
    ///   - transform: Makes the object to import; nil leaves it as it is.
    public class func setDictionaryTransformer(
        withName name: String, transform: @escaping ([String: Any]) -> [String: Any]?
    ) {
        setValueTransformer(withName: name, transform: transform)
    }

    /// Registers a dictionary transformer that is written with `AnyObject`, as Groot's first versions had it.
    @_disfavoredOverload
    public class func setDictionaryTransformer(
        withName name: String, transform: @escaping ([String: AnyObject]) -> [String: AnyObject]?
    ) {
        setDictionaryTransformer(withName: name) { (dictionary: [String: Any]) -> [String: Any]? in
            transform(dictionary.mapValues { $0 as AnyObject })
        }
    }

    /// Registers an entity mapper: what tells of which sub-entity a JSON object is.
    ///
    /// - Parameters:
    ///   - name: The name that the entity's `entityMapperName` has.
    ///   - map: Returns the entity's name, or nil for the entity that was asked for. The object has been through the
    ///     dictionary transformer.
    public class func setEntityMapper(withName name: String, map: @escaping ([String: Any]) -> String?) {
        setValueTransformer(withName: name, transform: map)
    }

    /// Registers an entity mapper that is written with `AnyObject`, as Groot's first versions had it.
    @_disfavoredOverload
    public class func setEntityMapper(withName name: String, map: @escaping ([String: AnyObject]) -> String?) {
        setEntityMapper(withName: name) { (dictionary: [String: Any]) -> String? in
            map(dictionary.mapValues { $0 as AnyObject })
        }
    }
}

/// A transformer in one direction.
private class ForwardTransformer: ValueTransformer {
    private let forward: (Any) -> Any?

    init(_ forward: @escaping (Any) -> Any?) { self.forward = forward }

    override class func allowsReverseTransformation() -> Bool { false }

    override func transformedValue(_ value: Any?) -> Any? { value.flatMap(forward) }

    /// The value as the type that a closure takes; nil where it isn't one.
    static func cast<T>(_ value: Any, to type: T.Type) -> T? {
        if let value = value as? T { return value }
        // A number of Swift's is exactly one type; as Foundation's it is every type that holds it.
        guard let number = value as? NSNumber else { return nil }
        if let value = number as? T { return value }
        // By its text, as JSON has it: of 19.99, Foundation itself makes 19.98999999999999488.
        guard case .number(let written)? = JSONValue(object: number) else { return nil }
        return written.decimal as? T
    }
}

/// A transformer in both directions.
private final class ReversibleTransformer: ForwardTransformer {
    private let backward: (Any) -> Any?

    init(_ forward: @escaping (Any) -> Any?, reverse backward: @escaping (Any) -> Any?) {
        self.backward = backward
        super.init(forward)
    }

    override class func allowsReverseTransformation() -> Bool { true }

    override func reverseTransformedValue(_ value: Any?) -> Any? { value.flatMap(backward) }
}
