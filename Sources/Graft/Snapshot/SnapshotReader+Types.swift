// Which sub-entity an object is of, where a key tells (`JSONEntityKey`). The key may stand anywhere in the object, so the
// reader looks ahead for it; where it comes first, that is a step.

extension SnapshotReader {
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

extension GraftError.Place {
    /// The same place, of an entity.
    fileprivate func with(entity: String) -> Self {
        var place = self
        place.entity = entity
        return place
    }
}
