// A snapshot in a coder: the schema, then each table as columns. What is decoded is foreign data, so every number in it is
// checked before it leads anywhere; the index is built anew.

import Foundation

extension GraphSnapshot: Codable {
    /// The version of the form. A snapshot of a later one is refused.
    private static let version = 1

    private enum CodingKeys: String, CodingKey {
        case version, schema, tables, members, roots, removals, lineage, absence
    }

    private struct Table: Codable {
        var presence: [UInt64]
        var values: [GraphValue]
        var toOnes: [RowReference]
        var toManys: [MemberRange]
        var flags: [SnapshotTable.Flags]
        var rows: [GraphValue]?
    }

    private struct Removal: Codable {
        var cell: Cell
        var members: MemberRange
    }

    /// Encodes the snapshot without what was merged into other rows.
    public func encode(to encoder: any Encoder) throws {
        let compact = compacted()
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        try container.encode(schema, forKey: .schema)
        let tables = compact.tables.map {
            Table(
                presence: $0.presence, values: $0.values, toOnes: $0.toOnes, toManys: $0.toManys, flags: $0.flags,
                rows: $0.rowNames.isEmpty ? nil : $0.rowNames)
        }
        try container.encode(tables, forKey: .tables)
        try container.encode(compact.members, forKey: .members)
        try container.encode(compact.roots, forKey: .roots)
        try container.encodeIfPresent(lineage, forKey: .lineage)
        try container.encode(absence, forKey: .absence)
        if !compact.removals.isEmpty {
            let removals = compact.removals.sorted { $0.key < $1.key }
            try container.encode(removals.map { Removal(cell: $0.key, members: $0.value) }, forKey: .removals)
        }
    }

    /// Decodes a snapshot.
    ///
    /// - Throws: `DecodingError` for a snapshot of a later version, and for one that contradicts itself.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try container.decode(Int.self, forKey: .version)
        func damaged(_ description: String) -> DecodingError {
            .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: description))
        }
        guard version == Self.version else {
            throw damaged("A snapshot of version \(version); this Graft reads version \(Self.version).")
        }
        self.init(try container.decode(GraphSchema.self, forKey: .schema))
        let decoded = try container.decode([Table].self, forKey: .tables)
        guard decoded.count == tables.count else { throw damaged("The snapshot doesn't have a table for each entity.") }
        for (entity, table) in decoded.enumerated() {
            let isWhole = tables[entity].fill(
                table.presence, table.values, table.toOnes, table.toManys, table.flags)
            guard isWhole else {
                throw damaged("The table of '\(schema.entities[entity].name)' is damaged.")
            }
            for (row, name) in (table.rows ?? []).enumerated() {
                guard row < table.flags.count, name.isNull || RowName.number(in: name) != nil else {
                    throw damaged("The rows of '\(schema.entities[entity].name)' are damaged.")
                }
                tables[entity].setRowName(name, row: row)
            }
        }
        members = try container.decode([RowReference].self, forKey: .members)
        roots = try container.decode([RowReference].self, forKey: .roots)
        lineage = try container.decodeIfPresent(Lineage.self, forKey: .lineage)
        // Snapshots of before don't say it.
        absence = try container.decodeIfPresent(Absence.self, forKey: .absence) ?? .unknown
        let removals = try container.decodeIfPresent([Removal].self, forKey: .removals) ?? []
        self.removals = Dictionary(removals.map { ($0.cell, $0.members) }) { first, _ in first }
        guard isValid else {
            throw damaged("A reference in the snapshot leads nowhere, or a value is of a wrong type.")
        }
        buildIndexes()
        settleRelatedRows()
    }

    // MARK: Checking

    private var isValid: Bool {
        // Each row has its own members.
        let memberCount = tables.reduce(0) { $0 + $1.toManys.reduce(0) { $0 + Int($1.count) } }
        guard memberCount <= members.count else { return false }
        guard roots.allSatisfy({ isValid($0, of: nil) }) else { return false }
        for (cell, range) in removals {
            guard isValid(cell.row, of: nil),
                schema.entities[cell.row.entity].properties.indices.contains(cell.property),
                case .toMany(let destination, _) = schema.entities[cell.row.entity].properties[cell.property].kind,
                isValid(range, of: destination)
            else { return false }
        }
        for (entity, table) in tables.enumerated() {
            for property in schema.entities[entity].properties {
                for row in 0..<table.count where !isValid(property, table, row) { return false }
            }
        }
        return true
    }

    private func isValid(_ property: GraphSchema.Property, _ table: SnapshotTable, _ row: Int) -> Bool {
        switch property.kind {
        case .attribute(let kind): return table.value(property.column, row: row).isValue(of: kind)
        case .toOne(let destination):
            let reference = table.toOne(property.column, row: row)
            return reference.isNone || isValid(reference, of: destination)
        case .toMany(let destination, _):
            return isValid(table.toMany(property.column, row: row), of: destination)
        }
    }

    private func isValid(_ range: MemberRange, of destination: Int) -> Bool {
        guard Int(range.start) + Int(range.count) <= members.count else { return false }
        return range.indices.allSatisfy { isValid(members[$0], of: destination) }
    }

    private func isValid(_ reference: RowReference, of destination: Int?) -> Bool {
        guard tables.indices.contains(reference.entity), reference.row < tables[reference.entity].count else {
            return false
        }
        return destination.map { schema.isEntity(reference.entity, kindOf: $0) } ?? true
    }

    /// Enters the rows by their identities.
    mutating func buildIndexes() {
        for space in indexes.indices { indexes[space].removeAll() }
        for (number, entity) in schema.entities.enumerated() where !entity.identity.isEmpty {
            let columns = entity.identityColumns
            for row in liveRows(of: number) {
                guard let hash = identityHash(entity: number, row: row, columns: columns) else { continue }
                indexes[entity.identitySpace].insert(RowReference(entity: number, row: row), hash: hash)
            }
        }
    }

    // MARK: Compacting

    /// The same objects without the rows that were merged into others.
    private func compacted() -> GraphSnapshot {
        // Each change of a to-many relationship leaves its old members behind.
        let memberCount = tables.reduce(0) { $0 + $1.toManys.reduce(0) { $0 + Int($1.count) } }
        let isCompact =
            forwards.isEmpty && memberCount == members.count
            && tables.allSatisfy { !$0.flags.contains { $0.contains(.dead) } }
        if isCompact { return self }
        var compact = GraphSnapshot(schema)
        compact.lineage = lineage
        compact.absence = absence
        compact.rounding = rounding
        var places: [RowReference: RowReference] = [:]
        for entity in tables.indices {
            for row in liveRows(of: entity) {
                let place = compact.tables[entity].appendCopy(of: row, from: tables[entity])
                places[RowReference(entity: entity, row: row)] = RowReference(entity: entity, row: place)
            }
        }
        func moved(_ reference: RowReference) -> RowReference {
            reference.isNone ? .none : places[resolved(reference)] ?? .none
        }
        for entity in compact.tables.indices {
            compact.tables[entity].toOnes = compact.tables[entity].toOnes.map(moved)
        }
        for entity in compact.tables.indices {
            for place in compact.tables[entity].toManys.indices {
                compact.tables[entity].toManys[place] = compact.append(
                    compact.tables[entity].toManys[place], of: members, moved)
            }
        }
        compact.roots = roots.map(moved)
        for (cell, range) in removals {
            guard let row = places[resolved(cell.row)] else { continue }
            compact.removals[Cell(row: row, property: cell.property)] = compact.append(range, of: members, moved)
        }
        return compact
    }

    /// Appends members of another snapshot.
    private mutating func append(
        _ range: MemberRange, of members: [RowReference], _ moved: (RowReference) -> RowReference
    ) -> MemberRange {
        let start = self.members.count
        for index in range.indices { self.members.append(moved(members[index])) }
        // There are no more members than before, so their numbers fit.
        return MemberRange(start: UInt32(start), count: range.count)
    }
}

extension GraphValue {
    /// Whether an attribute of a kind can hold the value.
    func isValue(of kind: AttributeKind) -> Bool {
        switch (self, kind) {
        case (.null, _), (.boolean, .boolean), (.double, .double), (.double, .float), (.decimal, .decimal),
            (.string, .string), (.date, .date), (.data, .binary), (.uuid, .uuid), (.uri, .uri), (.json, .transformable),
            (.encoded, .transformable):
            true
        case (.integer(let value), .integer16): Int16(exactly: value) != nil
        case (.integer(let value), .integer32): Int32(exactly: value) != nil
        case (.integer, .integer64): true
        default: false
        }
    }
}

extension SnapshotTable {
    /// Takes decoded columns; returns whether they have the same number of rows.
    fileprivate mutating func fill(
        _ presence: [UInt64], _ values: [GraphValue], _ toOnes: [RowReference], _ toManys: [MemberRange],
        _ flags: [Flags]
    ) -> Bool {
        let count = flags.count
        guard count <= RowReference.maximumRow, presence.count == count * wordCount,
            values.count == count * attributeCount, toOnes.count == count * toOneCount,
            toManys.count == count * toManyCount, !flags.contains(where: { $0.contains(.dead) })
        else { return false }
        for _ in 0..<count { _ = appendRow(offset: -1) }
        self.presence = presence
        self.values = values
        self.toOnes = toOnes
        self.toManys = toManys
        self.flags = flags
        return true
    }

    /// Appends a row of another table of the same entity, and returns its number.
    fileprivate mutating func appendCopy(of row: Int, from other: SnapshotTable) -> Int {
        let place = appendRow(offset: other.offsets[row])
        for column in 0..<attributeCount { setValue(other.value(column, row: row), column, row: place) }
        for column in 0..<toOneCount { setToOne(other.toOne(column, row: row), column, row: place) }
        for column in 0..<toManyCount { setToMany(other.toMany(column, row: row), column, row: place) }
        for word in 0..<wordCount { presence[place * wordCount + word] = other.presence[row * wordCount + word] }
        flags[place] = other.flags[row]
        if !other.rowName(row).isNull { setRowName(other.rowName(row), row: place) }
        return place
    }
}
