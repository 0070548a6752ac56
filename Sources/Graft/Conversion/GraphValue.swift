// The value of an attribute outside a managed object: what snapshots, imports and exports work with.

public import Foundation

/// The value of an attribute, as a value that can cross threads.
public enum GraphValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// Integer 16, 32 and 64.
    case integer(Int64)
    /// Double and Float.
    case double(Double)
    indirect case decimal(Decimal)
    case string(String)
    /// Seconds since 2001-01-01T00:00:00Z, as Core Data stores them.
    case date(TimeInterval)
    case data(Data)
    case uuid(UUID)
    case uri(URL)
    /// The tree of a transformable attribute that holds one.
    case json(JSONValue)
    /// The bytes that a store keeps for a transformable attribute that holds anything else.
    case encoded(Data)
}

// What is no number is itself here, as it is in a store: what sets and tables hold has to be.
extension GraphValue {
    /// Whether two values are the same.
    public static func == (one: GraphValue, other: GraphValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.boolean(let one), .boolean(let other)): one == other
        case (.integer(let one), .integer(let other)): one == other
        case (.double(let one), .double(let other)), (.date(let one), .date(let other)):
            one == other || one.isNaN && other.isNaN
        case (.decimal(let one), .decimal(let other)): one == other || one.isNaN && other.isNaN
        case (.string(let one), .string(let other)): one == other
        case (.data(let one), .data(let other)), (.encoded(let one), .encoded(let other)): one == other
        case (.uuid(let one), .uuid(let other)): one == other
        case (.uri(let one), .uri(let other)): one == other
        case (.json(let one), .json(let other)): one == other
        default: false
        }
    }

    /// Hashes the value; what is no number has one hash.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .boolean(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value), .date(let value): hasher.combine(value.isNaN ? .nan : value)
        case .decimal(let value): hasher.combine(value.isNaN ? .nan : value)
        case .string(let value): hasher.combine(value)
        case .data(let value), .encoded(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .uri(let value): hasher.combine(value)
        case .json(let value): hasher.combine(value)
        }
    }
}

extension GraphValue {
    /// Whether there is no value.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// Whether JSON has a form for the value: it has none for NaN and the infinities, nor have dates that far away one.
    var hasJSONForm: Bool {
        switch self {
        case .double(let value): value.isFinite
        case .decimal(let value): !value.isNaN
        // Instants of most dates needn't be made for it.
        case .date(let seconds): abs(seconds) < 9e15 || Instant(seconds) != nil
        default: true
        }
    }
}

extension GraphValue: CustomStringConvertible {
    /// The value as errors and reports show it: strings in quotes, dates in ISO 8601, bytes in Base64.
    public var description: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .date(let seconds): Instant(seconds)?.iso8601 ?? "a date \(seconds) seconds from 2001"
        case .data(let value), .encoded(let value): value.base64EncodedString()
        case .uuid(let value): value.uuidString
        case .uri(let value): value.absoluteString
        case .json(let value): value.description
        }
    }
}

extension GraphValue: Codable {
    private enum CodingKeys: String, CodingKey {
        case null, boolean, integer, double, decimal, string, date, data, uuid, uri, json, jsonText, encoded
    }

    /// Decodes what ``encode(to:)`` has written.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let key = container.allKeys.first, container.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "A value has one key, the name of its type."))
        }
        func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T { try container.decode(type, forKey: key) }
        self =
            switch key {
            case .null: .null
            case .boolean: .boolean(try decode())
            case .integer: .integer(try decode())
            case .double: .double(Double(bitPattern: try decode()))
            case .decimal: try Self.decimal(decode(), in: container, key)
            case .string: .string(try decode())
            case .date: .date(Double(bitPattern: try decode()))
            case .data: .data(try decode())
            case .uuid: .uuid(try decode())
            case .uri: .uri(try decode())
            case .json: .json(try decode())
            case .jsonText: try Self.tree(decode(), in: container)
            case .encoded: .encoded(try decode())
            }
    }

    private static func decimal(
        _ text: String, in container: KeyedDecodingContainer<CodingKeys>, _ key: CodingKeys
    ) throws -> GraphValue {
        if text == "NaN" { return .decimal(.nan) }
        guard let value = text.withUTF8Span({ NumberText.decimal($0) }) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "\(text) is no decimal.")
        }
        return .decimal(value)
    }

    private static func tree(_ text: String, in container: KeyedDecodingContainer<CodingKeys>) throws -> GraphValue {
        do {
            return .json(try JSONValue(parsing: text))
        } catch {
            throw DecodingError.dataCorruptedError(
                forKey: .jsonText, in: container, debugDescription: "The text is no JSON: \(error)")
        }
    }

    /// Encodes the value under the name of its type. Doubles and dates are encoded as their bits and decimals as text,
    /// because coders round numbers and refuse infinities; so is a tree with numbers that coders write otherwise (`1.0`).
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .null: try container.encode(true, forKey: .null)
        case .boolean(let value): try container.encode(value, forKey: .boolean)
        case .integer(let value): try container.encode(value, forKey: .integer)
        case .double(let value): try container.encode(value.bitPattern, forKey: .double)
        case .decimal(let value): try container.encode(value.description, forKey: .decimal)
        case .string(let value): try container.encode(value, forKey: .string)
        case .date(let value): try container.encode(value.bitPattern, forKey: .date)
        case .data(let value): try container.encode(value, forKey: .data)
        case .uuid(let value): try container.encode(value, forKey: .uuid)
        case .uri(let value): try container.encode(value, forKey: .uri)
        case .json(let value) where value.survivesCoders: try container.encode(value, forKey: .json)
        case .json(let value): try container.encode(value.description, forKey: .jsonText)
        case .encoded(let value): try container.encode(value, forKey: .encoded)
        }
    }
}
