// Between slots and the Swift types of accessors without a box: `Any` and the casts out of it took most of the time of an
// accessor. Only where the accessor's type is the one that the attribute's values have anyway; ModelledValue.swift goes
// the long way for everything else, and must give the same.

import Foundation

extension ManagedValue {
    /// The slot value for a value whose type is the attribute's own; nil for any other type.
    @inline(__always)
    init?<Value>(direct value: Value, for type: NSAttributeType) {
        switch type {
        case .stringAttributeType:
            guard let string: String = sameType(value) else { return nil }
            self = .string(string)
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            if let integer: Int64 = sameType(value) {
                self = .integer(integer)
            } else if let integer: Int32 = sameType(value) {
                self = .integer(Int64(integer))
            } else if let integer: Int16 = sameType(value) {
                self = .integer(Int64(integer))
            } else if let integer: Int = sameType(value) {
                self = .integer(Int64(integer))
            } else {
                return nil
            }
        case .doubleAttributeType:
            guard let double: Double = sameType(value) else { return nil }
            self = .double(double)
        case .booleanAttributeType:
            guard let boolean: Bool = sameType(value) else { return nil }
            self = .boolean(boolean)
        case .dateAttributeType:
            if let date: Date = sameType(value) {
                self = .date(date.timeIntervalSinceReferenceDate)
            } else if let seconds: TimeInterval = sameType(value) {
                // A scalar accessor.
                self = .date(seconds)
            } else {
                return nil
            }
        case .UUIDAttributeType:
            guard let uuid: UUID = sameType(value) else { return nil }
            self = .uuid(uuid)
        default: return nil
        }
    }

    /// The value in the accessor's type, where that is the one that the slot's values have; otherwise what a closure gives.
    ///
    /// Not an optional: its type would be looked up at each call.
    @inline(__always)
    func direct<Value>(or convert: () -> Value) -> Value {
        switch self {
        case .string(let string) where Value.self == String.self: asValue(string)
        case .integer(let integer) where Value.self == Int64.self: asValue(integer)
        case .integer(let integer) where Value.self == Int32.self: asValue(Int32(truncatingIfNeeded: integer))
        case .integer(let integer) where Value.self == Int16.self: asValue(Int16(truncatingIfNeeded: integer))
        case .integer(let integer) where Value.self == Int.self: asValue(Int(truncatingIfNeeded: integer))
        case .double(let double) where Value.self == Double.self: asValue(double)
        case .boolean(let boolean) where Value.self == Bool.self: asValue(boolean)
        case .date(let seconds) where Value.self == Date.self: asValue(Date(timeIntervalSinceReferenceDate: seconds))
        case .uuid(let uuid) where Value.self == UUID.self: asValue(uuid)
        default: convert()
        }
    }
}

/// The value in a type that is its own.
@inline(__always)
private func asValue<From, To>(_ value: From) -> To {
    precondition(From.self == To.self)
    // Safe: the types are one.
    return unsafe unsafeBitCast(value, to: To.self)
}

/// The value, if both types are one; nil otherwise. A dynamic cast does the same in ten times the time.
@inline(__always)
private func sameType<From, To>(_ value: From) -> To? {
    guard From.self == To.self else { return nil }
    // Safe: the types are one.
    return unsafe unsafeBitCast(value, to: To.self)
}

/// The two words of a string. Where those of two living strings are equal, the strings are: a short one stands in them
/// itself, a long one's storage is named by them. Equal strings may have different words.
struct StringWords: Equatable {
    private let words: (UInt64, UInt64)

    /// No string's words.
    static let none = StringWords()

    private init() { words = (0, 0) }

    init(_ string: String) {
        // Safe: a string is two words, and any bits are integers.
        words = unsafe unsafeBitCast(string, to: (UInt64, UInt64).self)
    }

    static func == (one: StringWords, other: StringWords) -> Bool {
        one.words.0 == other.words.0 && one.words.1 == other.words.1
    }
}
