// The stable form of a diff. Fields that would be empty are left out.
//
//     {"version": 1,
//      "deleted":  [{"key": KEY, "properties": [{"name": "city", "value": {"string": "Ur"}}]}],
//      "inserted": [{"key": KEY, "properties": [{"name": "owner", "object": KEY}, {"name": "tags", "objects": [KEY]},
//                                              {"name": "lines", "orderedObjects": [KEY]}]}],
//      "changed":  [{"key": KEY, "properties": [
//          {"name": "city", "attribute": {"old": VALUE, "new": VALUE}},
//          {"name": "owner", "toOne": {"old": KEY, "new": KEY}},
//          {"name": "lines", "toMany": {"removed": [{"key": KEY, "index": 0}], "added": [...],
//                                       "moved": [{"key": KEY, "from": 2, "to": 0}]}}]}]}
//
//     KEY    {"entity": "Address", "identity": [VALUE]}, with "owners": [KEY] where the identity includes relationships,
//            or with "row": VALUE, or with "position": {"entity", "identity", "owners", "root", "steps", "contents"}
//
// "identification" says by what objects are told apart where the model doesn't (GraphDiff+Identification.swift).
//
//     VALUE  as GraphValue has it: {"string": "Ur"}, {"integer": 3}, {"null": true}

import Foundation

extension GraphDiff: Codable {
    /// The version of the form. A diff of a later one is refused.
    package static let version = 1

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case version, identification, deleted, inserted, changed
    }

    /// Encodes the diff with its version.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        if !identification.isEmpty { try container.encode(identification, forKey: .identification) }
        try container.encodeUnlessEmpty(deleted, forKey: .deleted)
        try container.encodeUnlessEmpty(inserted, forKey: .inserted)
        try container.encodeUnlessEmpty(changed, forKey: .changed)
    }

    /// Decodes a diff and puts it into its order.
    ///
    /// - Throws: `DecodingError`, for instance for a diff of a later version.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try container.requireVersion(Self.version, forKey: .version, of: "A diff")
        self.init(
            deleted: try container.decodeOrEmpty(forKey: .deleted),
            inserted: try container.decodeOrEmpty(forKey: .inserted),
            changed: try container.decodeOrEmpty(forKey: .changed),
            identification: try container.decodeIfPresent(Identification.self, forKey: .identification) ?? .init())
    }
}

extension ObjectContents: Codable {
    private enum CodingKeys: String, CodingKey { case key, properties }

    /// Encodes the contents.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(key, forKey: .key)
        try container.encodeUnlessEmpty(properties, forKey: .properties)
    }

    /// Decodes contents.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try container.decode(ObjectKey.self, forKey: .key), try container.decodeOrEmpty(forKey: .properties))
    }
}

extension PropertyContents: Codable {
    private enum CodingKeys: String, CodingKey { case name }

    /// Encodes the property; the key of its value says what kind of property it is.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try value.encode(to: encoder)
    }

    /// Decodes a property.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        value = try PropertyValue(from: decoder)
    }
}

extension PropertyValue: Codable {
    private enum CodingKeys: String, CodingKey { case value, object, objects, orderedObjects }

    /// Encodes the value under a key that says of which kind it is.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .attribute(let value): try container.encode(value, forKey: .value)
        case .toOne(let key): try container.encode(key, forKey: .object)
        case .toMany(let keys, isOrdered: false): try container.encode(keys, forKey: .objects)
        case .toMany(let keys, isOrdered: true): try container.encode(keys, forKey: .orderedObjects)
        }
    }

    /// Decodes a value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if container.contains(.value) {
            self = .attribute(try container.decode(GraphValue.self, forKey: .value))
        } else if container.contains(.objects) {
            self = .toMany(try container.decode([ObjectKey].self, forKey: .objects), isOrdered: false)
        } else if container.contains(.orderedObjects) {
            self = .toMany(try container.decode([ObjectKey].self, forKey: .orderedObjects), isOrdered: true)
        } else {
            self = .toOne(try container.decode(ObjectKey?.self, forKey: .object))
        }
    }
}

extension ObjectChange: Codable {
    private enum CodingKeys: String, CodingKey { case key, properties }

    /// Encodes the change.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(key, forKey: .key)
        try container.encode(properties, forKey: .properties)
    }

    /// Decodes a change.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(ObjectKey.self, forKey: .key),
            try container.decode([PropertyChange].self, forKey: .properties))
    }
}

extension PropertyChange: Codable {
    private enum CodingKeys: String, CodingKey { case name, attribute, toOne, toMany }

    private struct Values: Codable {
        var old: GraphValue
        var new: GraphValue
    }

    private struct Objects: Codable {
        var old: ObjectKey?
        var new: ObjectKey?
    }

    /// Encodes the change; the key of its values says what kind of property it is.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        switch kind {
        case .attribute(let old, let new): try container.encode(Values(old: old, new: new), forKey: .attribute)
        case .toOne(let old, let new): try container.encode(Objects(old: old, new: new), forKey: .toOne)
        case .toMany(let change): try container.encode(change, forKey: .toMany)
        }
    }

    /// Decodes a change.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        if container.contains(.attribute) {
            let values = try container.decode(Values.self, forKey: .attribute)
            kind = .attribute(old: values.old, new: values.new)
        } else if container.contains(.toOne) {
            let objects = try container.decode(Objects.self, forKey: .toOne)
            kind = .toOne(old: objects.old, new: objects.new)
        } else {
            kind = .toMany(try container.decode(MembersChange.self, forKey: .toMany))
        }
    }
}

extension MembersChange: Codable {
    private enum CodingKeys: String, CodingKey { case removed, added, moved }

    /// Encodes what there is.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeUnlessEmpty(removed, forKey: .removed)
        try container.encodeUnlessEmpty(added, forKey: .added)
        try container.encodeUnlessEmpty(moved, forKey: .moved)
    }

    /// Decodes a change.
    ///
    /// - Throws: `DecodingError`, for instance for a place that no list has.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        removed = try container.decodeOrEmpty(forKey: .removed)
        added = try container.decodeOrEmpty(forKey: .added)
        moved = try container.decodeOrEmpty(forKey: .moved)
        try decoder.requirePlaces((removed + added).compactMap(\.index) + moved.flatMap { [$0.from, $0.to] })
    }
}

extension ObjectKey: Codable {
    private enum CodingKeys: String, CodingKey { case entity, identity, owners, row, position }

    /// Encodes the key.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entity, forKey: .entity)
        if isRow {
            try container.encodeIfPresent(identity.first, forKey: .row)
        } else {
            try container.encodeUnlessEmpty(identity, forKey: .identity)
        }
        try container.encodeUnlessEmpty(owners, forKey: .owners)
        try container.encodeIfPresent(position, forKey: .position)
    }

    /// Decodes a key.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        entity = try container.decode(String.self, forKey: .entity)
        identity = try container.decodeOrEmpty(forKey: .identity)
        if let row = try container.decodeIfPresent(GraphValue.self, forKey: .row) {
            identity = [row]
            isRow = true
        }
        owners = try container.decodeOrEmpty(forKey: .owners)
        position = try container.decodeIfPresent(Position.self, forKey: .position)
    }
}

extension ObjectKey.Position: Codable {
    private enum CodingKeys: String, CodingKey { case entity, identity, owners, row, root, steps, contents }

    /// Encodes where the way begins, and its steps.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if let entity {
            try container.encode(entity, forKey: .entity)
            if isRow {
                try container.encodeIfPresent(identity.first, forKey: .row)
            } else {
                try container.encode(identity, forKey: .identity)
            }
            try container.encodeUnlessEmpty(owners, forKey: .owners)
        } else {
            try container.encode(root, forKey: .root)
            try container.encodeIfPresent(contents, forKey: .contents)
        }
        try container.encodeUnlessEmpty(steps, forKey: .steps)
    }

    /// Decodes a way.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        entity = try container.decodeIfPresent(String.self, forKey: .entity)
        identity = try container.decodeOrEmpty(forKey: .identity)
        if let row = try container.decodeIfPresent(GraphValue.self, forKey: .row) {
            identity = [row]
            isRow = true
        }
        owners = try container.decodeOrEmpty(forKey: .owners)
        root = try container.decodeIfPresent(Int.self, forKey: .root) ?? 0
        steps = try container.decodeOrEmpty(forKey: .steps)
        contents = try container.decodeIfPresent(String.self, forKey: .contents)
        try decoder.requirePlaces([root] + steps.map(\.index))
    }
}

extension Decoder {
    /// Refuses what can't be a place in a list.
    fileprivate func requirePlaces(_ places: [Int]) throws {
        guard let place = places.first(where: { $0 < 0 || $0 > RowReference.maximumRow }) else { return }
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: codingPath,
                debugDescription: "The place \(place) isn't one from 0 to \(RowReference.maximumRow)."))
    }
}

extension KeyedEncodingContainer {
    fileprivate mutating func encodeUnlessEmpty<T: Encodable>(_ values: [T], forKey key: Key) throws {
        if !values.isEmpty { try encode(values, forKey: key) }
    }
}

extension KeyedDecodingContainer {
    /// Refuses what was written in another version of its format.
    func requireVersion(_ known: Int, forKey key: Key, of whole: String) throws {
        let version = try decode(Int.self, forKey: key)
        if version == known { return }
        throw DecodingError.dataCorruptedError(
            forKey: key, in: self,
            debugDescription: "\(whole) of version \(version); this Graft reads version \(known).")
    }

    fileprivate func decodeOrEmpty<T: Decodable>(forKey key: Key) throws -> [T] {
        try decodeIfPresent([T].self, forKey: key) ?? []
    }
}
