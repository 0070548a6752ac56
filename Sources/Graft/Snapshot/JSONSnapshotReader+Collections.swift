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
            guard isAddition else {
                removed += try readRemoved(property, of: plan)
                continue
            }
            try readElements(property, of: plan)
            added += openMembers[first...]
            openMembers.removeSubrange(first...)
        }
        openMembers += removed
        let range = closeMembers(from: first)
        openMembers += added
        let cell = GraphSnapshot.Cell(row: RowReference(entity: plan.number, row: row), property: property)
        snapshot.removals[cell] = range
    }

    /// Reads the members to remove. What they say tells which objects are meant, and nothing else is taken of it.
    private mutating func readRemoved(_ property: Int, of plan: JSONEntityPlan) throws -> [RowReference] {
        let first = openMembers.count
        let element = try reader.next()
        if element == .endArray { return [] }
        var aside = try readAside { try $0.readElements(property, of: plan, first: element) }
        defer {
            aside.removeAll()
            spareSnapshot = aside
        }
        snapshot.skippedCounts.merge(aside.skippedCounts, uniquingKeysWith: +)
        var names: [RowReference: RowReference] = [:]
        let removed = try openMembers[first...].map { member in
            let name = snapshot.takeName(of: member, from: aside, &names)
            if aside.isGone(member) { try markGone(name) }
            return name
        }
        openMembers.removeSubrange(first...)
        return removed
    }

    /// Reads something into a snapshot of its own, of which the batch knows nothing.
    private mutating func readAside(_ body: (inout JSONSnapshotReader) throws -> Void) throws -> GraphSnapshot {
        var aside = spareSnapshot.take() ?? Self.emptySnapshot(mapping)
        var (memosAside, unmappedAside) = (memos.map { _ in NestedObjectMemo() }, [UnmappedObject]())
        swap(&snapshot, &aside)
        swap(&memos, &memosAside)
        swap(&unmapped, &unmappedAside)
        defer {
            swap(&snapshot, &aside)
            swap(&memos, &memosAside)
            swap(&unmapped, &unmappedAside)
        }
        try body(&self)
        return snapshot
    }
}

extension GraphSnapshot {
    /// Whether the data says that an object is gone.
    fileprivate func isGone(_ row: RowReference) -> Bool {
        let row = resolved(row)
        return tables[row.entity].flags[row.row].contains(.gone)
    }

    /// Lets a row stand for the same object as one of another snapshot: by its identity, or by all that it has where nothing
    /// identifies it.
    ///
    /// - Parameter names: The rows that have been taken over so far.
    fileprivate mutating func takeName(
        of row: RowReference, from other: GraphSnapshot, _ names: inout [RowReference: RowReference]
    ) -> RowReference {
        let row = other.resolved(row)
        if let name = names[row] { return name }
        let (entity, source) = (schema.entities[row.entity], other.tables[row.entity])
        let name = RowReference(
            entity: row.entity, row: tables[row.entity].appendRow(offset: source.offsets[row.row]))
        names[row] = name
        let parts = entity.identityParts
        let isIdentified =
            !parts.isEmpty
            && parts.filter { entity.properties[$0].isAttribute }.allSatisfy {
                !source.isNothing(entity.properties[$0], row: row.row)
            }
        for (number, property) in entity.properties.enumerated()
        where source.hasValue(number, row: row.row) && (!isIdentified || parts.contains(number)) {
            switch property.kind {
            case .attribute:
                tables[name.entity].setValue(
                    source.value(property.column, row: row.row), property.column, row: name.row)
            case .toOne:
                let end = source.toOne(property.column, row: row.row)
                if !end.isNone {
                    let owner = takeName(of: end, from: other, &names)
                    tables[name.entity].setToOne(owner, property.column, row: name.row)
                }
            case .toMany: continue
            }
            tables[name.entity].markPresent(number, row: name.row)
        }
        return settle(name, identity: entity.identityColumns, space: entity.identitySpace, isLinked: true)
    }
}

/// The keys of an object that says what changes in a to-many relationship.
enum DeltaKey {
    static let add = "add"
    static let remove = "remove"
}
