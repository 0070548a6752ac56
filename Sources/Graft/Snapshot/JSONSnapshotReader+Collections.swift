// The members of a to-many relationship where they aren't an array: a single object, an object that has them under their
// keys, or what is to be added and removed.

extension JSONSnapshotReader {
    /// Reads a to-many relationship whose value doesn't begin with a bracket, as far as the mapping knows its form.
    mutating func readUnlisted(_ token: JSONToken, _ property: Int, of plan: JSONEntityPlan, row: Int) throws {
        let mapping = plan.mappings[property]
        if mapping?.membersPolicy == .delta, token == .beginObject {
            return try readDelta(property, of: plan, row: row)
        }
        switch (mapping?.collectionForm ?? .array, token) {
        case (.keyed, .beginObject):
            try readKeyed(property, of: plan)
        case (.arrayOrSingle, _):
            elementIndex = 0
            let reference = try readReference(token, property, of: plan)
            if !reference.isNone { openMembers.append(reference) }
        case (.keyed, _):
            throw misfit(token, property, of: plan, expected: "an object with members under their keys, or an array")
        default:
            throw misfit(token, property, of: plan, expected: "an array")
        }
    }

    /// Reads members that stand under their keys.
    private mutating func readKeyed(_ property: Int, of plan: JSONEntityPlan) throws {
        var index = 0
        var met: Set<[UInt8]> = []
        while case .key(let text) = try reader.next() {
            let key = reader.string(of: text)
            if !met.insert(Array(key.utf8)).inserted {
                unknownKeys.noteRepeated(path: [plan.names[property], key], of: plan.number)
            }
            let token = try reader.next()
            if token == .null { continue }
            guard token == .beginObject else { throw misfit(token, property, of: plan, expected: "an object") }
            elementKey = key
            elementIndex = index
            index += 1
            let reference = try readReference(token, property, of: plan)
            if !reference.isNone { openMembers.append(reference) }
        }
    }

    /// Reads `{"add": [...], "remove": [...]}`. The open members become those to add.
    private mutating func readDelta(_ property: Int, of plan: JSONEntityPlan, row: Int) throws {
        var added: [RowReference] = []
        var removed: [RowReference] = []
        let first = openMembers.count
        while case .key(let text) = try reader.next() {
            let isAddition = reader.matches(text, DeltaKey.add)
            guard isAddition || reader.matches(text, DeltaKey.remove) else {
                throw reader.error(
                    .wrongType(
                        found: "the key \"\(reader.string(of: text))\"",
                        expected: "'\(DeltaKey.add)' or '\(DeltaKey.remove)', or an array instead of the object"),
                    entity: plan.name, property: plan.names[property])
            }
            let token = try reader.next()
            guard token == .beginArray else { throw misfit(token, property, of: plan, expected: "an array") }
            try readElements(property, of: plan)
            if isAddition { added += openMembers[first...] } else { removed += openMembers[first...] }
            openMembers.removeSubrange(first...)
        }
        openMembers += removed
        let range = closeMembers(from: first)
        openMembers += added
        let cell = GraphSnapshot.Cell(row: RowReference(entity: plan.number, row: row), property: property)
        snapshot.removals[cell] = range
    }
}

/// The keys of an object that says what changes in a to-many relationship.
enum DeltaKey {
    static let add = "add"
    static let remove = "remove"
}
