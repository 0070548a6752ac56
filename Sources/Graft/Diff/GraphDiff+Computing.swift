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
        guard old.schema == new.schema else {
            throw GraftError(.modelMismatch(reason: "the two snapshots were made with different models"))
        }
        let identification = try IdentityDecision(old.schema, options, [old, new]).identification
        try self.init(from: old, to: new, options, identifiedBy: identification)
    }

    /// Makes the difference between two snapshots whose objects are told apart in a way that has been decided.
    init(
        from old: GraphSnapshot, to new: GraphSnapshot, _ options: DiffOptions,
        identifiedBy identification: Identification
    ) throws {
        var old = try old.identified(by: identification)
        var new = try new.identified(by: identification)
        let takesAbsentAsNull = Self.takesAbsentAsNull(old, new)
        if takesAbsentAsNull {
            old = try old.completingInverses()
            new = try new.completingInverses()
        }
        let scope = try DiffScope(old.schema, options)
        let matching = RowMatching(old, new, scope, matchesRootsByPosition: options.matchesRootsByPosition)
        var builder = DiffBuilder(
            old: old, new: new, scope: scope, matching: matching, takesAbsentAsNull: takesAbsentAsNull)
        self = try builder.diff(identification)
        try builder.evidence.check(scope.schema, hasBase: options.base != nil)
    }
}

extension GraphDiff {
    /// Whether what one side says nothing of is null there: archives are compared with stores so, JSON is not.
    fileprivate static func takesAbsentAsNull(_ old: GraphSnapshot, _ new: GraphSnapshot) -> Bool {
        let sides = [old.absence, new.absence]
        return sides.contains(.null) && !sides.contains(.unknown)
    }
}

private struct DiffBuilder {
    let old: GraphSnapshot
    let new: GraphSnapshot
    let scope: DiffScope
    let matching: RowMatching
    let takesAbsentAsNull: Bool
    private(set) var evidence = RowEvidence()
    private var deleted: [ObjectContents] = []
    private var inserted: [ObjectContents] = []
    private var changed: [ObjectChange] = []

    init(old: GraphSnapshot, new: GraphSnapshot, scope: DiffScope, matching: RowMatching, takesAbsentAsNull: Bool) {
        self.old = old
        self.new = new
        self.scope = scope
        self.matching = matching
        self.takesAbsentAsNull = takesAbsentAsNull
    }

    mutating func diff(_ identification: GraphDiff.Identification) throws -> GraphDiff {
        for entity in scope.schema.entities.indices {
            try addDeletedAndChanged(entity)
            try addInserted(entity)
        }
        var identification = identification
        for keys in [matching.oldKeys, matching.newKeys] {
            for (row, position) in keys.positions where position.contents != nil {
                identification.rules[scope.schema.entities[row.entity].name] = .contents
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
                deleted.append(try contents(RowReference(entity: entity, row: row), old, matching.oldKeys))
                continue
            }
            if scope.schema.entities[entity].isByRow == true, counterpart.entity == entity {
                note(table, row, otherTable, counterpart.row, entity)
            }
            if counterpart.entity == entity, differs(table, row, otherTable, counterpart.row, entityScope) {
                try addChange(entity, row, counterpart.row)
            }
        }
    }

    /// Notes how much of two rows with one number is the same.
    private mutating func note(
        _ table: SnapshotTable, _ row: Int, _ otherTable: SnapshotTable, _ otherRow: Int, _ entity: Int
    ) {
        guard case .integer = table.rowName(row) else { return }
        var (values, differences) = (0, 0)
        for member in scope.entities[entity].attributes {
            let value = table.value(member.column, row: row)
            let other = otherTable.value(member.column, row: otherRow)
            if value.isNull, other.isNull { continue }
            values += 1
            if !value.isSameValue(as: other) { differences += 1 }
        }
        evidence.note(scope.schema.root(of: entity), values: values, differences: differences)
    }

    private mutating func addInserted(_ entity: Int) throws {
        for row in 0..<new.tables[entity].count where matching.toOld[entity][row].isNone {
            if new.tables[entity].flags[row].contains(.dead) || new.isReference(entity, row, scope) { continue }
            inserted.append(try contents(RowReference(entity: entity, row: row), new, matching.newKeys))
        }
    }

    // MARK: Comparing

    /// Whether anything differs between two rows of one object.
    @inline(__always)
    private func differs(
        _ table: SnapshotTable, _ row: Int, _ otherTable: SnapshotTable, _ otherRow: Int, _ scope: DiffScope.Entity
    ) -> Bool {
        for member in scope.attributes {
            let value = table.values[row &* table.attributeCount &+ member.column]
            let other = otherTable.values[otherRow &* table.attributeCount &+ member.column]
            if !value.isSameValue(as: other), isCompared(member.number, table, row, otherTable, otherRow) {
                return true
            }
        }
        for member in scope.toOnes {
            let end = table.toOne(member.column, row: row)
            if !isSame(end, otherTable.toOne(member.column, row: otherRow)),
                isCompared(member.number, table, row, otherTable, otherRow)
            {
                return true
            }
        }
        for member in scope.toManys {
            let range = table.toMany(member.column, row: row)
            if !hasSameMembers(range, otherTable.toMany(member.column, row: otherRow), isOrdered: member.isOrdered),
                isCompared(member.number, table, row, otherTable, otherRow)
            {
                return true
            }
        }
        return false
    }

    /// Whether both sides say something of a property, or silence means null.
    private func isCompared(
        _ property: Int, _ table: SnapshotTable, _ row: Int, _ otherTable: SnapshotTable, _ otherRow: Int
    ) -> Bool {
        let (isThere, isThereToo) = (table.hasValue(property, row: row), otherTable.hasValue(property, row: otherRow))
        return isThere && isThereToo || takesAbsentAsNull && (isThere || isThereToo)
    }

    @inline(__always)
    private func isSame(_ end: RowReference, _ otherEnd: RowReference) -> Bool {
        if end.isNone || otherEnd.isNone { return end.isNone && otherEnd.isNone }
        let end = old.resolved(end)
        return matching.toNew[end.entity][end.row] == new.resolved(otherEnd)
    }

    private func hasSameMembers(_ range: MemberRange, _ otherRange: MemberRange, isOrdered: Bool) -> Bool {
        if range.count == otherRange.count {
            var offset = 0
            while offset < Int(range.count),
                isSame(old.members[Int(range.start) &+ offset], new.members[Int(otherRange.start) &+ offset])
            {
                offset &+= 1
            }
            if offset == Int(range.count) { return true }
        }
        return MembersComparison(range, otherRange, old, new, matching).hasSameMembers(isOrdered: isOrdered)
    }

    // MARK: What differs

    private mutating func addChange(_ entity: Int, _ row: Int, _ otherRow: Int) throws {
        let (table, otherTable) = (old.tables[entity], new.tables[entity])
        if takesAbsentAsNull, old.isReference(entity, row, scope) || new.isReference(entity, otherRow, scope) { return }
        let entityScope = scope.entities[entity]
        let properties = scope.schema.entities[entity].properties
        var changes: [PropertyChange] = []
        func isCompared(_ member: DiffScope.Member) -> Bool {
            self.isCompared(member.number, table, row, otherTable, otherRow)
        }
        for member in entityScope.attributes where isCompared(member) {
            let value = table.value(member.column, row: row)
            let other = otherTable.value(member.column, row: otherRow)
            if value.isSameValue(as: other) { continue }
            changes.append(PropertyChange(properties[member.number].name, .attribute(old: value, new: other)))
        }
        for member in entityScope.toOnes where isCompared(member) {
            let end = table.toOne(member.column, row: row)
            let otherEnd = otherTable.toOne(member.column, row: otherRow)
            if isSame(end, otherEnd) { continue }
            let kind = PropertyChange.Kind.toOne(
                old: try key(of: end, old, matching.oldKeys), new: try key(of: otherEnd, new, matching.newKeys))
            changes.append(PropertyChange(properties[member.number].name, kind))
        }
        for member in entityScope.toManys where isCompared(member) {
            let range = table.toMany(member.column, row: row)
            let otherRange = otherTable.toMany(member.column, row: otherRow)
            let comparison = MembersComparison(range, otherRange, old, new, matching)
            let change = try comparison.change(isOrdered: member.isOrdered)
            if !change.isEmpty { changes.append(PropertyChange(properties[member.number].name, .toMany(change))) }
        }
        if changes.isEmpty { return }
        let key = try matching.oldKeys.key(of: RowReference(entity: entity, row: row), old)
        changed.append(ObjectChange(key, changes))
    }

    private func key(
        of reference: RowReference, _ snapshot: GraphSnapshot, _ keys: RowKeys
    ) throws -> ObjectKey? {
        reference.isNone ? nil : try keys.key(of: snapshot.resolved(reference), snapshot)
    }

    private func contents(
        _ reference: RowReference, _ snapshot: GraphSnapshot, _ keys: RowKeys
    ) throws -> ObjectContents {
        try snapshot.contents(of: reference, scope, keys)
    }
}

extension GraphSnapshot {
    /// What a snapshot says of an object, in the form of a diff.
    func contents(of reference: RowReference, _ scope: DiffScope, _ keys: RowKeys) throws -> ObjectContents {
        let entity = scope.entities[reference.entity]
        let properties = schema.entities[reference.entity].properties
        let table = tables[reference.entity]
        let row = reference.row
        var contents: [PropertyContents] = []
        for member in entity.attributes where table.hasValue(member.number, row: row) {
            let value = table.value(member.column, row: row)
            contents.append(PropertyContents(properties[member.number].name, .attribute(value)))
        }
        for member in entity.toOnes {
            let end = table.toOne(member.column, row: row)
            if end.isNone { continue }
            let key = try keys.key(of: resolved(end), self)
            contents.append(PropertyContents(properties[member.number].name, .toOne(key)))
        }
        for member in entity.toManys {
            let range = table.toMany(member.column, row: row)
            if range.count == 0 { continue }
            var ends = try MembersComparison.unique(range.indices.map { resolved(members[$0]) })
                .map { try keys.key(of: $0, self) }
            if !member.isOrdered { ends.sort() }
            contents.append(
                PropertyContents(properties[member.number].name, .toMany(ends, isOrdered: member.isOrdered)))
        }
        return ObjectContents(try keys.key(of: reference, self), contents)
    }
}
