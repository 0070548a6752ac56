// Values of written properties as key-value coding hands them out and takes them in: numbers in `NSNumber`, sets in
// `NSSet`, enumerations as their raw values. What Objective-C couldn't represent has no such form.

import Foundation

enum KeyedForm {
    /// Whether values of a type can be asked for by key.
    static func exists(of type: Any.Type) -> Bool {
        switch type {
        case let optional as any OptionalLayer.Type: exists(of: optional.wrappedType)
        case is AnyClass, is any _ObjectiveCBridgeable.Type: true
        case let raw as any RawRepresentable.Type: hasKeyedRawValue(raw)
        default: type == Any.self || type == AnyObject.self
        }
    }

    private static func hasKeyedRawValue<Raw: RawRepresentable>(_: Raw.Type) -> Bool { exists(of: Raw.RawValue.self) }

    /// The value as `value(forKey:)` gives it; nil for an optional without one.
    static func boxed(_ value: Any) -> Any? {
        switch value {
        case let optional as any OptionalLayer: optional.wrapped.flatMap(boxed)
        case let bridgeable as any _ObjectiveCBridgeable: box(bridgeable)
        case let raw as any RawRepresentable: boxed(raw.rawValue)
        default: value
        }
    }

    private static func box(_ value: some _ObjectiveCBridgeable) -> Any {
        let object: Any = value._bridgeToObjectiveC()
        // Texts, dates and the like stay what they are in Swift, as those of modelled properties do.
        return object is NSNumber || object is NSSet ? object : value
    }

    /// A value given by key in the property's type; nil where it doesn't fit.
    static func value<Value>(from given: Any?) -> Value? {
        var given = flattened(given)
        if given is NSNull { given = nil }
        if let optional = Value.self as? any OptionalType.Type { return optional.optional(from: given) }
        return given.flatMap { value(of: Value.self, from: $0) as? Value }
    }

    private static func value<Value>(of type: Value.Type, from given: Any) -> Any? {
        switch type {
        case let type as any BinaryInteger.Type:
            return number(given).map { type.init(truncatingIfNeeded: $0.int64Value) }
        case let type as any BinaryFloatingPoint.Type: return number(given).map { type.init($0.doubleValue) }
        case is Bool.Type: return number(given)?.boolValue
        default: break
        }
        if let value = given as? Value { return value }
        guard let type = type as? any RawRepresentable.Type else { return nil }
        return enumeration(type, from: given)
    }

    private static func enumeration<Raw: RawRepresentable>(_: Raw.Type, from given: Any) -> Any? {
        (value(of: Raw.RawValue.self, from: given) as? Raw.RawValue).flatMap(Raw.init)
    }

    private static func number(_ given: Any) -> NSNumber? {
        given as? NSNumber ?? (given as? any _ObjectiveCBridgeable)?._bridgeToObjectiveC() as? NSNumber
    }

    fileprivate protocol OptionalType {
        /// The optional, whose type is `Result`, for a value given by key; nil where the value doesn't fit.
        static func optional<Result>(from given: Any?) -> Result?
    }
}

extension Optional: KeyedForm.OptionalType {
    fileprivate static func optional<Result>(from given: Any?) -> Result? {
        guard let given else { return Self.none as? Result }
        guard let value: Wrapped = KeyedForm.value(from: given) else { return nil }
        return Self.some(value) as? Result
    }
}
