// Which sub-entity an object is of, where a key tells (`JSONEntityKey`). The key may stand anywhere in the object, so the
// reader looks ahead for it; where it comes first, that is a step. One that stands there again is an error once it is met.

extension JSONSnapshotReader {
    /// The entity of the object that begins; nil for one that is passed over.
    ///
    /// - Parameter first: The token after the brace.
    mutating func chosenEntity(of base: Int, _ first: JSONToken) throws -> Int? {
        guard let discriminator = plans[base].specials?.discriminator else { return base }
        guard let type = try type(discriminator.path, first) else { return base }
        if let entity = discriminator.entities[type.text] { return entity }
        switch discriminator.unknown {
        case .skip: return nil
        case .base: return base
        case .fail:
            let known = discriminator.entities.keys.sorted()
            throw GraftError(
                .other(
                    finding: "'\(discriminator.path.joined(separator: "."))' is '\(type.text)', which is none of "
                        + "'\(known.joined(separator: "', '"))'",
                    remedy: NameSuggestion.closest(to: type.text, among: known).map { "Did you mean '\($0)'?" }
                        ?? "Give an entity this JSONEntityValue, or set JSONUnknownEntity to skip or base."),
                at: type.place.with(entity: plans[base].name))
        }
    }

    // MARK: Objects that are gone

    /// Whether the object that begins says that it is gone (`JSONDeletedKey`).
    mutating func isGone(_ entity: Int, _ first: JSONToken) throws -> Bool {
        guard let tombstone = plans[entity].specials?.tombstone, deletions != nil, !isReadingGone else { return false }
        return try type(tombstone.path, first).map { tombstone.isTrue($0.text) } ?? false
    }

    /// Reads an object that is gone: its identity, and nothing else of it.
    mutating func readGone(of entity: Int, offset: Int, first: JSONToken) throws -> RowReference {
        let plan = plans[entity]
        let parts = mapping.schema.entities[entity].identityParts
        let keys = Set(parts.flatMap { plan.mappings[$0]?.sources ?? [] }.compactMap(\.keys.first))
        let origin = CopyOrigin(offset: offset, path: objectPath(first))
        let object = try reader.object(first: first)
        for path in [mapping.entities[entity].entityKeyPath, plan.specials?.tombstone?.path].compactMap(\.self)
        where object.hasTwice(path[...]) {
            throw reader.error(.repeatedSign(path.joined(separator: ".")), entity: plan.name)
        }
        let members = object.members.filter { keys.contains($0.key) }
        isReadingGone = true
        defer { isReadingGone = false }
        let reference = try readCopy(
            of: .object(JSONValue.Object(members: members)), from: origin, as: entity, keys: .none)
        try markGone(reference)
        return reference
    }

    /// Marks a row as one that names an object that is gone.
    mutating func markGone(_ reference: RowReference) throws {
        if reference.isNone { return }
        let schema = mapping.schema.entities[reference.entity]
        let parts = schema.identityParts
        // The owner may be the object around; whether it is, shows when all of that is read.
        let isComplete = parts.allSatisfy {
            snapshot.tables[reference.entity].hasValue($0, row: reference.row)
                || nesting > 1 && !schema.properties[$0].isAttribute
        }
        guard !parts.isEmpty, isComplete else {
            throw reader.error(
                .missingIdentity(attributes: parts.map { schema.properties[$0].name }),
                entity: plans[reference.entity].name)
        }
        // Also of what the data has called another kind of it before.
        for row in [reference] + snapshot.siblings(of: reference) {
            snapshot.tables[row.entity].flags[row.row].insert(.gone)
        }
    }

    /// What stands under the key that tells the type, without reading on; nil where there is nothing, or null.
    private mutating func type(
        _ path: [String], _ first: JSONToken
    ) throws -> (text: String, place: GraftError.Place)? {
        let mark = reader.mark()
        defer { reader.rewind(to: mark) }
        var token = first
        var rest = path[...]
        while case .key(let text) = token, let key = rest.first {
            if reader.matches(text, key) {
                rest.removeFirst()
                token = try reader.next()
                if rest.isEmpty { break }
                guard token == .beginObject else { return nil }
            } else {
                try reader.skipValue()
            }
            token = try reader.next()
        }
        guard rest.isEmpty else { return nil }
        switch token {
        case .string(let text), .number(let text): return (reader.string(of: text), reader.place)
        case .boolean(let value): return (value ? "true" : "false", reader.place)
        default: return nil
        }
    }

    /// Reads an object to its end without taking anything from it.
    mutating func skipObject(_ first: JSONToken) throws {
        if first == .endObject { return }
        let depth = reader.depth - 1
        while reader.depth > depth { _ = try reader.next() }
    }
}

extension JSONValue.Object {
    /// Whether the key that a path leads to is there twice.
    fileprivate func hasTwice(_ path: ArraySlice<String>) -> Bool {
        let found = members.filter { $0.key == path.first }
        if found.count > 1 { return true }
        guard path.count > 1, case .object(let object)? = found.first?.value else { return false }
        return object.hasTwice(path.dropFirst())
    }
}

extension GraftError.Place {
    /// The same place, of an entity.
    fileprivate func with(entity: String) -> Self {
        var place = self
        place.entity = entity
        return place
    }
}
