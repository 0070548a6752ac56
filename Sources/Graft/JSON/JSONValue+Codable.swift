// JSON values through any coder. Keys keep their order where the coder keeps it.
//
// Foundation's coders have none, and may rename keys, but for those of dictionaries: these are data. So an object is a dictionary
// for them.

import Foundation

extension JSONValue: Codable {
    private struct MemberKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Decodes whatever value is there.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: MemberKey.self) {
            self = .object(JSONValue.Object(members: try Self.members(container, decoder)))
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .array(elements)
        } else {
            self = try Self.scalar(decoder)
        }
    }

    private static func members(
        _ container: KeyedDecodingContainer<MemberKey>, _ decoder: any Decoder
    ) throws -> [JSONValue.Object.Member] {
        guard isFoundations(decoder) else {
            return try container.allKeys.map { key in
                .init(key: key.stringValue, value: try container.decode(JSONValue.self, forKey: key))
            }
        }
        let members = try decoder.singleValueContainer().decode([String: JSONValue].self)
        return members.map { .init(key: $0, value: $1) }.sorted { $0.key.precedesInBytes($1.key) }
    }

    /// Whether an encoder or decoder belongs to Foundation.
    private static func isFoundations(_ coder: Any) -> Bool {
        let name = String(reflecting: type(of: coder))
        return name.hasPrefix("Foundation.") || name.hasPrefix("FoundationEssentials.")
    }

    private static func scalar(_ decoder: any Decoder) throws -> JSONValue {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(String.self) { return .string(value) }
        return .number(try container.decode(JSONValue.Number.self))
    }

    /// Encodes the value with its own structure.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let object) where Self.isFoundations(encoder):
            var container = encoder.singleValueContainer()
            try container.encode(Dictionary(object.members.map { ($0.key, $0.value) }) { $1 })
        case .object(let object):
            var container = encoder.container(keyedBy: MemberKey.self)
            for member in object.members {
                try container.encode(member.value, forKey: MemberKey(stringValue: member.key))
            }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .string(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .number(let value):
            try value.encode(to: encoder)
        }
    }

    /// Whether each number comes back from a coder with its text: of `1.0` a coder makes `1`.
    var survivesCoders: Bool {
        switch self {
        case .null, .bool, .string: true
        case .number(let number): number.survivesCoders
        case .array(let elements): elements.allSatisfy(\.survivesCoders)
        case .object(let object): object.members.allSatisfy(\.value.survivesCoders)
        }
    }
}
