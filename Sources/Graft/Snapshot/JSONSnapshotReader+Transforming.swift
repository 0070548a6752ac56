// Objects that aren't read as they stand: their entity has a transformer that makes another object of them, or a mapper that
// tells their sub-entity. Both take the whole object, so it is read into memory, and from there into a row. Only entities
// that have such annotations pay for it.

import Foundation

extension JSONSnapshotReader {
    /// An object whose entity isn't known from its JSON. Where it is stored already, its entity is that of the stored object
    /// and so are the keys to look for; then it is read once more.
    struct UnmappedObject {
        /// The row as which it was read, one of the entity asked for.
        var reference: RowReference
        var value: JSONValue
        var origin: CopyOrigin
    }

    /// Where a value that is read from memory stands in the text.
    struct CopyOrigin {
        var offset: Int
        var path: [GraftError.Place.PathComponent]
    }

    /// Reads an object whose brace has just been read.
    mutating func readTransformed(
        by transformers: EntityTransformers, of entity: Int, offset: Int, first: JSONToken?
    ) throws -> RowReference {
        let origin = CopyOrigin(offset: offset, path: objectPath(first))
        let source = try reader.object(first: try first ?? reader.next())
        if let part = JSONValue.object(source).unheldPart {
            let place = reader.place(offset: origin.offset, path: origin.path + part.path)
            throw GraftError(part.problem, at: place).located(in: .init(entity: plans[entity].name))
        }
        guard var dictionary = JSONValue.object(source).object as? [String: Any] else { return .none }
        if let transformer = transformers.dictionary, let changed = transformer.transformedObject(dictionary) {
            guard let changed = changed as? [String: Any] else {
                throw unusable(changed, of: transformer, "a dictionary", entity, origin)
            }
            dictionary = changed
        }
        var mapped = entity
        var isMapped = true
        if let mapper = transformers.mapper {
            let found = mapper.transformedObject(dictionary)
            guard found == nil || found is String else {
                throw unusable(found as Any, of: mapper, "the name of an entity", entity, origin)
            }
            let name = found as? String
            mapped = try name.map { try self.entity(named: $0, by: mapper, of: entity, at: origin) } ?? entity
            isMapped = name != nil
        }
        let value = transformers.dictionary == nil ? .object(source) : try tree(of: dictionary, entity, origin)
        // Keys that a mapper or a transformer has read are known to them.
        let check: KeyCheck = transformers.mapper == nil ? .refusal : .none
        let reference = try readCopy(of: value, from: origin, as: mapped, keys: check)
        if !isMapped, mapping.schema.entities[entity].end > entity + 1 {
            unmapped.append(UnmappedObject(reference: reference, value: value, origin: origin))
        }
        return reference
    }

    /// Reads an object again, as one of a sub-entity. What it says is added to its row.
    mutating func readAgain(_ object: UnmappedObject, of entity: Int) throws {
        unknownKeys.isCounting = false
        defer { unknownKeys.isCounting = true }
        _ = try readCopy(of: object.value, from: object.origin, as: entity, keys: .none)
    }

    /// Reads an object that stands for another one in the text.
    mutating func readCopy(
        of value: JSONValue, from origin: CopyOrigin, as entity: Int, keys check: KeyCheck
    ) throws -> RowReference {
        try readCopy(of: value, from: origin) {
            _ = try $0.reader.next()
            return try $0.readPlainObject(of: entity, offset: origin.offset, keys: check)
        }
    }

    /// The error of a transformer that makes something else than it is for.
    private func unusable(
        _ object: Any, of transformer: NamedTransformer, _ expected: String, _ entity: Int, _ origin: CopyOrigin
    ) -> GraftError {
        GraftError(
            .invalidMapping(
                reason: "the transformer '\(transformer.name)' made the \(type(of: object)) '\(object)' of an object",
                remedy: "Let it return \(expected), or nil."),
            at: reader.place(offset: origin.offset, path: origin.path)
        ).located(in: .init(entity: plans[entity].name))
    }

    /// The path of the object whose brace, and maybe first token, has been read.
    func objectPath(_ first: JSONToken?) -> [GraftError.Place.PathComponent] {
        if case .key = first { return reader.path.dropLast() }
        return reader.path
    }

    /// The entity that a mapper names.
    private func entity(
        named name: String, by mapper: NamedTransformer, of entity: Int, at origin: CopyOrigin
    ) throws -> Int {
        let place = reader.place(offset: origin.offset, path: origin.path)
        guard let number = mapping.schema.number(ofEntity: name) else {
            throw GraftError.unknownEntity(name, among: mapping.schema.entities.map(\.name), at: place)
                .located(in: .init(entity: plans[entity].name))
        }
        if mapping.schema.isEntity(number, kindOf: entity) { return number }
        throw GraftError(
            .invalidMapping(
                reason: "the entity mapper '\(mapper.name)' names '\(name)', which isn't a sub-entity",
                remedy: "Let it name '\(plans[entity].name)' or an entity that inherits from it."),
            at: place
        ).located(in: .init(entity: plans[entity].name))
    }

    private func tree(of dictionary: [String: Any], _ entity: Int, _ origin: CopyOrigin) throws -> JSONValue {
        do {
            return try JSONValue(convertingObject: dictionary)
        } catch let error as GraftError {
            var error = error.located(in: .init(entity: plans[entity].name))
            locate(&error, in: origin)
            throw error
        }
    }

    // MARK: Copies

    /// Reads a value from memory as if it stood where it comes from.
    ///
    /// - Parameter body: Begins before the value's first token.
    mutating func readCopy<R>(
        of value: JSONValue, from origin: CopyOrigin, _ body: (inout JSONSnapshotReader) throws -> R
    ) throws -> R {
        var writer = JSONWriter()
        try writer.value(value)
        var copy = JSONReader(try writer.finish())
        let outerOffset = copyOffset
        let notedCount = failures?.entries.count ?? 0
        swap(&copy, &reader)
        copyOffset = outerOffset ?? origin.offset
        var failure: GraftError?
        var result: R?
        do {
            result = try body(&self)
        } catch let error as GraftError {
            failure = error
        } catch {
            swap(&copy, &reader)
            throw error
        }
        swap(&copy, &reader)
        copyOffset = outerOffset
        if let entries = failures?.entries, entries.count > notedCount {
            let places = entries[notedCount...].map { place(in: origin, $0.error) }
            failures?.relocate(from: notedCount, places)
        }
        if let result { return result }
        var error = failure ?? GraftError(.cancelled)
        locate(&error, in: origin)
        throw error
    }

    /// Gives an error in a copy the place in the text.
    private func locate(_ error: inout GraftError, in origin: CopyOrigin) {
        error.place = place(in: origin, error)
    }

    private func place(in origin: CopyOrigin, _ error: GraftError) -> GraftError.Place {
        var place = reader.place(offset: origin.offset, path: origin.path + (error.place.path ?? []))
        place.entity = error.place.entity
        place.property = error.place.property
        return place
    }
}

extension JSONReader {
    /// The rest of an object, from its first token to its closing brace, which is read.
    mutating func object(first: JSONToken) throws -> JSONValue.Object {
        var members: [JSONValue.Object.Member] = []
        var token = first
        while case .key(let text) = token {
            let key = string(of: text)
            members.append(.init(key: key, value: try value()))
            token = try next()
        }
        return JSONValue.Object(members: members)
    }
}
