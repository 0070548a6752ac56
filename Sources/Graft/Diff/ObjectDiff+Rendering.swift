// The article's dictionary, in Foundation's classes and as JSON.

import Foundation

extension ObjectDiff {
    /// The dictionary of the article: `attributes` and `relationships` where there are any, `entityName`, and the identity
    /// under its own name. Values are those of key-value coding, `NSNull` for nothing.
    public var dictionary: [String: Any] { dictionary(includesKinds: false) }

    /// The dictionary of the article, where wanted with what became of each object under `kind`: `inserted`, `deleted` or
    /// `changed`. Without it, a deleted object looks like one that lost all its values.
    public func dictionary(includesKinds: Bool) -> [String: Any] {
        let form = TreeForm<Any, Never>(
            includesKinds: includesKinds, value: { $0.object ?? NSNull() }, list: { $0 },
            object: { Dictionary($0) { $1 } })
        return Dictionary(members(form)) { $1 }
    }

    /// The same as JSON: dates in ISO 8601, bytes in Base64, decimals with all their digits.
    ///
    /// - Parameter includesKinds: Whether each object says under `kind` what became of it, as in
    ///   ``dictionary(includesKinds:)``.
    /// - Throws: ``GraftError`` with `notRepresentable` for NaN and infinities.
    public func json(includesKinds: Bool = false) throws -> JSONValue {
        let form = TreeForm<JSONValue, any Error>(
            includesKinds: includesKinds, value: { try $0.json() }, list: { .array($0) },
            object: { .object(JSONValue.Object($0)) })
        return form.object(try members(form))
    }

    private func members<Value, Failure>(
        _ form: TreeForm<Value, Failure>
    ) throws(Failure) -> [(String, Value)] {
        var members: [(String, Value)] = []
        if form.includesKinds { members.append(("kind", try form.value(.string(kind.rawValue)))) }
        if !attributes.isEmpty {
            var values: [(String, Value)] = []
            for attribute in attributes {
                let pair = [("new", try form.value(attribute.new)), ("old", try form.value(attribute.old))]
                values.append((attribute.name, form.object(pair)))
            }
            members.append(("attributes", form.object(values)))
        }
        members.append(("entityName", try form.value(.string(entityName))))
        for part in identity { members.append((part.name, try form.value(part.value))) }
        if !relationships.isEmpty {
            var values: [(String, Value)] = []
            for relationship in relationships {
                values.append((relationship.name, try relationship.content.value(form)))
            }
            members.append(("relationships", form.object(values)))
        }
        return members
    }
}

/// What a tree is made of.
private struct TreeForm<Value, Failure: Error> {
    let includesKinds: Bool
    let value: (GraphValue) throws(Failure) -> Value
    let list: ([Value]) -> Value
    let object: ([(String, Value)]) -> Value

    func list<Element>(
        _ elements: [Element], _ value: (Element) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var values: [Value] = []
        for element in elements { values.append(try value(element)) }
        return list(values)
    }
}

extension ObjectDiff.Relationship.Content {
    fileprivate func value<Value, Failure>(_ form: TreeForm<Value, Failure>) throws(Failure) -> Value {
        func tree(_ diff: ObjectDiff) throws(Failure) -> Value { form.object(try diff.members(form)) }
        switch self {
        case .object(let diff): return try tree(diff)
        case .objects(let diffs): return try form.list(diffs, tree)
        case .references(let old, let new):
            return form.object([("new", try new.identities(form)), ("old", try old.identities(form))])
        }
    }
}

extension PropertyValue {
    /// The identities of the objects that a relationship leads to.
    fileprivate func identities<Value, Failure>(_ form: TreeForm<Value, Failure>) throws(Failure) -> Value {
        /// The identity as one value, as several in a list, or null for an object that has none.
        func identity(_ key: ObjectKey?) throws(Failure) -> Value {
            guard let key, let first = key.identity.first else { return try form.value(.null) }
            return key.identity.count == 1 ? try form.value(first) : try form.list(key.identity, form.value)
        }
        switch self {
        case .attribute(let value): return try form.value(value)
        case .toOne(let key): return try identity(key)
        case .toMany(let keys, _): return try form.list(keys, identity)
        }
    }
}

extension GraphValue {
    /// The value in JSON.
    ///
    /// - Throws: ``GraftError`` with `notRepresentable`.
    fileprivate func json() throws -> JSONValue {
        var writer = JSONWriter()
        try AttributeConverter(.transformable).write(self, to: &writer)
        return try JSONValue(parsing: String(decoding: writer.finish(), as: UTF8.self))
    }
}
