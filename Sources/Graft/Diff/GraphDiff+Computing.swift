// From two snapshots to their difference: rows are matched, matched rows are compared column by column, and only what
// differs gets names and keys.

extension GraphDiff {
    /// Makes the difference between two snapshots.
    ///
    /// Objects are matched by identity, and objects without one by their place in ordered relationships. An object that a
    /// snapshot only refers to is neither inserted nor deleted by its diff.
    ///
    /// - Parameters:
    ///   - old: The graph before.
    ///   - new: The graph after.
    ///   - options: What takes part.
    /// - Throws: ``GraftError``: `modelMismatch` for snapshots of different models, `invalidMapping` or `missingIdentity`
    ///   for objects that nothing tells apart.
    /// - Complexity: O(*n*) for *n* objects and links.
    public init(from old: GraphSnapshot, to new: GraphSnapshot, options: DiffOptions = DiffOptions()) throws {
        let new = try new.inOrder(of: old.schema, orFailAs: "the two snapshots were made with different models")
        let identification = try IdentityDecision(old.schema, options, [old, new]).identification
        try self.init(from: old, to: new, options, identifiedBy: identification)
    }

    /// Makes the difference between two snapshots whose objects are told apart in a way that has been decided.
    init(
        from old: GraphSnapshot, to new: GraphSnapshot, _ options: DiffOptions,
        identifiedBy identification: Identification
    ) throws {
        let comparison = try RowComparison(old, new, options, identifiedBy: identification)
        var builder = DiffBuilder(comparison)
        self = try builder.diff(identification)
        try builder.evidence.check(comparison.scope.schema, hasBase: options.base != nil)
    }
}

private struct DiffBuilder {
    private let comparison: RowComparison
    private let old: GraphSnapshot
    private let new: GraphSnapshot
    private let scope: DiffScope
    private let matching: RowMatching
    private(set) var evidence = RowEvidence()
    private var deleted: [ObjectContents] = []
    private var inserted: [ObjectContents] = []
    private var changed: [ObjectChange] = []

    init(_ comparison: RowComparison) {
        self.comparison = comparison
        old = comparison.old
        new = comparison.new
        scope = comparison.scope
        matching = comparison.matching
    }

    mutating func diff(_ identification: GraphDiff.Identification) throws -> GraphDiff {
        for entity in scope.schema.entities.indices {
            try addDeletedAndChanged(entity)
            try addInserted(entity)
        }
        var identification = identification
        for keys in [matching.oldKeys, matching.newKeys] {
            for (row, position) in keys.positions where position.contents != nil {
                let entity = scope.schema.entities[row.entity]
                // What isn't saved has no row yet; the others are told apart by theirs.
                if entity.isByRow != true { identification.rules[entity.name] = .contents }
            }
        }
        return GraphDiff(deleted: deleted, inserted: inserted, changed: changed, identification: identification)
    }

    private mutating func addDeletedAndChanged(_ entity: Int) throws {
        let table = old.tables[entity]
        let otherTable = new.tables[entity]
        let entityScope = scope.entities[entity]
        for row in 0..<table.count where !table.flags[row].contains(.dead) {
            let counterpart = matching.toNew[entity][row]
            if counterpart.isNone {
                if old.isReference(entity, row, scope) { continue }
                let reference = RowReference(entity: entity, row: row)
                deleted.append(try old.contents(of: reference, scope, matching.oldKeys))
                continue
            }
            guard counterpart.entity == entity else { continue }
            let numbers = comparison.changedProperties(
                table, row, otherTable, counterpart.row, entityScope, entity)
            if scope.schema.entities[entity].isByRow == true, case .integer = table.rowName(row) {
                note(numbers, table, row, otherTable, counterpart.row, entity)
            }
            if numbers.isEmpty { continue }
            let reference = RowReference(entity: entity, row: row)
            let changes = try numbers.map { try comparison.change(of: $0, reference, counterpart) }
            changed.append(ObjectChange(try matching.oldKeys.key(of: reference, old), changes))
        }
    }

    /// Notes how much of two rows with one number is the same.
    private mutating func note(
        _ changed: [Int], _ table: SnapshotTable, _ row: Int, _ otherTable: SnapshotTable, _ otherRow: Int,
        _ entity: Int
    ) {
        let values = scope.entities[entity].attributes.count { member in
            !table.value(member.column, row: row).isNull || !otherTable.value(member.column, row: otherRow).isNull
        }
        let properties = scope.schema.entities[entity].properties
        let differences = changed.count { properties[$0].isAttribute }
        evidence.note(scope.schema.root(of: entity), values: values, differences: differences)
    }

    private mutating func addInserted(_ entity: Int) throws {
        for row in 0..<new.tables[entity].count where matching.toOld[entity][row].isNone {
            if new.tables[entity].flags[row].contains(.dead) || new.isReference(entity, row, scope) { continue }
            let reference = RowReference(entity: entity, row: row)
            inserted.append(try new.contents(of: reference, scope, matching.newKeys))
        }
    }
}

extension GraphSnapshot {
    /// What a snapshot says of an object, in the form of a diff.
    func contents(of reference: RowReference, _ scope: DiffScope, _ keys: RowKeys) throws -> ObjectContents {
        let properties = schema.entities[reference.entity].properties
        let table = tables[reference.entity]
        return try ObjectContents(keys.key(of: reference, self), properties, scope.entities[reference.entity]) {
            number in
            guard table.hasValue(number, row: reference.row) else { return nil }
            return table.value(properties[number].column, row: reference.row)
        } ends: { number in
            try uniqueDestinations(of: reference, properties[number]).map { try keys.key(of: $0, self) }
        }
    }
}

extension ObjectContents {
    /// What a diff says of an object that is on one side only.
    ///
    /// - Parameters:
    ///   - value: The value of an attribute, by its number; nil where nothing is said of it.
    ///   - ends: What a relationship leads to.
    init(
        _ key: ObjectKey, _ properties: [GraphSchema.Property], _ scope: DiffScope.Entity,
        value: (Int) throws -> GraphValue?, ends: (Int) throws -> [ObjectKey]
    ) rethrows {
        var contents: [PropertyContents] = []
        for member in scope.attributes {
            guard let value = try value(member.number) else { continue }
            contents.append(.init(properties[member.number].name, .attribute(value)))
        }
        for member in scope.toOnes {
            guard let end = try ends(member.number).first else { continue }
            contents.append(.init(properties[member.number].name, .toOne(end)))
        }
        for member in scope.toManys {
            var keys = try ends(member.number)
            if keys.isEmpty { continue }
            if !member.isOrdered { keys.sort() }
            contents.append(.init(properties[member.number].name, .toMany(keys, isOrdered: member.isOrdered)))
        }
        self.init(key, contents)
    }
}
