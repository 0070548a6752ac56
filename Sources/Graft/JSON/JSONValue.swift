// A JSON value in memory, for the parts of a text that have no place in the model: attributes that hold a tree. What is
// mapped to properties goes past this type, token by token.

/// Any JSON value.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONValue.Number)
    case string(String)
    case array([JSONValue])
    case object(JSONValue.Object)

    /// How deep a value may be nested. Comparing, hashing and releasing one takes stack for each level.
    public static let maximumDepth = 512
}

extension JSONValue: Hashable {
    /// Compares numbers by value, objects in any order of their members, and texts byte by byte (RFC 6902, section 4.6).
    public static func == (one: JSONValue, other: JSONValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)): one.hasSameBytes(as: other)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .array(let elements): hasher.combine(elements)
        case .object(let object): hasher.combine(object)
        }
    }
}

extension JSONValue {
    /// The member of an object; nil where there is none or this isn't an object.
    public subscript(key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    /// The element of an array; nil where there is none or this isn't an array.
    public subscript(index: Int) -> JSONValue? {
        if case .array(let array) = self, array.indices.contains(index) { array[index] } else { nil }
    }

    /// Whether this is null.
    public var isNull: Bool { self == .null }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates null.
    public init(nilLiteral: ()) { self = .null }
    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a number.
    public init(integerLiteral value: Int64) { self = .number(JSONValue.Number(value)) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .number(JSONValue.Number(floatLiteral: value)) }
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object whose members have the order of the literal.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONValue.Object(elements)) }
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON.
    public var description: String {
        var writer = JSONWriter()
        do {
            try writer.value(self)
            return try String(decoding: writer.finish(), as: UTF8.self)
        } catch {
            return "\(error)"
        }
    }
}

extension JSONValue {
    /// Reads a text that consists of one value.
    ///
    /// - Throws: ``GraftError`` with `invalidJSON` or `tooDeep`.
    public init(parsing text: String) throws {
        var reader = JSONReader(Array(text.utf8))
        _ = try reader.next()
        self = try reader.value()
        _ = try reader.next()
    }
}
