// The article's dictionary, in Foundation's classes and as JSON. The two must agree.

import Foundation

extension ObjectDiff {
    private enum Key {
        static let attributes = "attributes"
        static let relationships = "relationships"
        static let entityName = "entityName"
        static let kind = "kind"
        static let old = "old"
        static let new = "new"
    }

    /// The dictionary of the article: `attributes` and `relationships` where there are any, `entityName`, and the identity
    /// under its own name. Values are those of key-value coding, `NSNull` for nothing.
    public var dictionary: [String: Any] { dictionary(includesKinds: false) }

    /// The dictionary of the article, where wanted with what became of each object under `kind`: `inserted`, `deleted` or
    /// `changed`. Without it, a deleted object looks like one that lost all its values.
    public func dictionary(includesKinds: Bool) -> [String: Any] {
        var dictionary: [String: Any] = [:]
        if includesKinds { dictionary[Key.kind] = kind.rawValue }
        if !attributes.isEmpty {
            dictionary[Key.attributes] = Dictionary(
                attributes.map { ($0.name, [Key.new: $0.new.plainObject, Key.old: $0.old.plainObject]) }
            ) { $1 }
        }
        if !relationships.isEmpty {
            dictionary[Key.relationships] = Dictionary(
                relationships.map { ($0.name, $0.content.object(includesKinds)) }
            ) { $1 }
        }
        dictionary[Key.entityName] = entityName
        for part in identity { dictionary[part.name] = part.value.plainObject }
        return dictionary
    }

    /// The same as JSON: dates in ISO 8601, bytes in Base64, decimals with all their digits.
    ///
    /// - Parameter includesKinds: Whether each object says under `kind` what became of it, as in
    ///   ``dictionary(includesKinds:)``.
    /// - Throws: ``GraftError`` with `notRepresentable` for NaN and infinities.
    public func json(includesKinds: Bool = false) throws -> JSONValue {
        var members: [JSONValue.Object.Member] = []
        if includesKinds { members.append(.init(key: Key.kind, value: .string(kind.rawValue))) }
        if !attributes.isEmpty {
            let pairs = try attributes.map { attribute in
                let values = JSONValue.Object([
                    (Key.new, try attribute.new.json()), (Key.old, try attribute.old.json()),
                ])
                return JSONValue.Object.Member(key: attribute.name, value: .object(values))
            }
            members.append(.init(key: Key.attributes, value: .object(JSONValue.Object(members: pairs))))
        }
        members.append(.init(key: Key.entityName, value: .string(entityName)))
        for part in identity { members.append(.init(key: part.name, value: try part.value.json())) }
        if !relationships.isEmpty {
            let pairs = try relationships.map {
                JSONValue.Object.Member(key: $0.name, value: try $0.content.json(includesKinds))
            }
            members.append(.init(key: Key.relationships, value: .object(JSONValue.Object(members: pairs))))
        }
        return .object(JSONValue.Object(members: members))
    }
}

extension ObjectDiff.Relationship.Content {
    fileprivate func object(_ includesKinds: Bool) -> Any {
        switch self {
        case .object(let diff): diff.dictionary(includesKinds: includesKinds)
        case .objects(let diffs): diffs.map { $0.dictionary(includesKinds: includesKinds) }
        case .references(let old, let new): ["new": new.identityObject, "old": old.identityObject]
        }
    }

    fileprivate func json(_ includesKinds: Bool) throws -> JSONValue {
        switch self {
        case .object(let diff): try diff.json(includesKinds: includesKinds)
        case .objects(let diffs): .array(try diffs.map { try $0.json(includesKinds: includesKinds) })
        case .references(let old, let new):
            .object(JSONValue.Object([("new", try new.identityJSON()), ("old", try old.identityJSON())]))
        }
    }
}

extension GraphValue {
    /// The value as key-value coding has it, `NSNull` for null.
    fileprivate var plainObject: Any { object ?? NSNull() }

    /// The value in JSON.
    ///
    /// - Throws: ``GraftError`` with `notRepresentable`.
    func json() throws -> JSONValue {
        var writer = JSONWriter()
        try AttributeConverter(.transformable).write(self, to: &writer)
        return try JSONValue(parsing: String(decoding: writer.finish(), as: UTF8.self))
    }
}

extension ObjectKey {
    /// The identity as one value, as several in an array, or null for an object that has none.
    fileprivate var identityObject: Any {
        if identity.isEmpty { return NSNull() }
        return identity.count == 1 ? identity[0].plainObject : identity.map(\.plainObject)
    }

    fileprivate func identityJSON() throws -> JSONValue {
        if identity.isEmpty { return .null }
        return identity.count == 1 ? try identity[0].json() : .array(try identity.map { try $0.json() })
    }
}

extension PropertyValue {
    /// The identities of the objects that a relationship leads to.
    fileprivate var identityObject: Any {
        switch self {
        case .attribute(let value): value.plainObject
        case .toOne(let key): key?.identityObject ?? NSNull()
        case .toMany(let keys, _): keys.map(\.identityObject)
        }
    }

    fileprivate func identityJSON() throws -> JSONValue {
        switch self {
        case .attribute(let value): try value.json()
        case .toOne(let key): try key?.identityJSON() ?? .null
        case .toMany(let keys, _): .array(try keys.map { try $0.identityJSON() })
        }
    }
}
