// Which properties differ between two rows that stand for one object: the one place that finds changes between two snapshots. What
// comes of it is only written in different forms: flat with keys (GraphDiff), nested (ObjectDiff), as a dictionary
// (DictionaryChanges), or as the properties that an export of changes writes (ExportChanges).
//
// Stores that are compared without being read whole have a twin of it, StoreDiff/StoreComparison.swift. What an object on one side
// holds (ObjectContents), and which members came, went and moved (MembersChange), both say with the same code.

/// Two snapshots, and which row of the one is which of the other.
struct RowComparison {
    let old: GraphSnapshot
    let new: GraphSnapshot
    let scope: DiffScope
    let matching: RowMatching
    private let takesAbsentAsNull: Bool

    /// - Parameters:
    ///   - identification: How objects are told apart.
    ///   - pair: Two rows that are to be compared as one object, whatever identifies them.
    /// - Throws: ``GraftError``: `duplicateIdentity` where the identification doesn't tell objects apart.
    init(
        _ old: GraphSnapshot, _ new: GraphSnapshot, _ options: DiffOptions,
        identifiedBy identification: GraphDiff.Identification,
        pairing pair: (old: RowReference, new: RowReference)? = nil
    ) throws {
        let rounding = old.rounding.union(new.rounding)
        var old = try old.kept(rounding).identified(by: identification)
        var new = try new.kept(rounding).identified(by: identification)
        (old, new) = try (old.completingLists(from: new), new.completingLists(from: old))
        (old, new) = try (old.leavingOutGone(), new.leavingOutGone())
        let takesAbsentAsNull = Self.takesAbsentAsNull(old, new)
        let scope = try DiffScope(old.schema, options)
        if takesAbsentAsNull {
            old = try old.completingInverses(scope)
            new = try new.completingInverses(scope)
        }
        self.init(
            old, new, scope,
            RowMatching(old, new, scope, matchesRootsByPosition: options.matchesRootsByPosition, pairing: pair),
            takesAbsentAsNull: takesAbsentAsNull)
    }

    init(
        _ old: GraphSnapshot, _ new: GraphSnapshot, _ scope: DiffScope, _ matching: RowMatching, takesAbsentAsNull: Bool
    ) {
        self.old = old
        self.new = new
        self.scope = scope
        self.matching = matching
        self.takesAbsentAsNull = takesAbsentAsNull
    }

    /// Whether what one side says nothing of is null there: archives are compared with stores so, JSON is not.
    private static func takesAbsentAsNull(_ old: GraphSnapshot, _ new: GraphSnapshot) -> Bool {
        let sides = [old.absence, new.absence]
        return sides.contains(.null) && !sides.contains(.unknown)
    }

    // MARK: What differs

    /// The numbers of the properties that differ between two rows, which have to be of one entity.
    func changedProperties(_ row: RowReference, _ other: RowReference) -> [Int] {
        changedProperties(
            old.tables[row.entity], row.row, new.tables[row.entity], other.row, scope.entities[row.entity], row.entity)
    }

    /// The same where the tables are at hand.
    @inline(__always)
    func changedProperties(
        _ table: SnapshotTable, _ row: Int, _ otherTable: SnapshotTable, _ otherRow: Int,
        _ entityScope: DiffScope.Entity,
        _ entity: Int
    ) -> [Int] {
        var numbers: [Int] = []
        for member in entityScope.attributes {
            let value = table.values[row &* table.attributeCount &+ member.column]
            let other = otherTable.values[otherRow &* table.attributeCount &+ member.column]
            if !value.isSameValue(as: other), isCompared(member.number, table, row, otherTable, otherRow) {
                numbers.append(member.number)
            }
        }
        for member in entityScope.toOnes {
            let end = table.toOne(member.column, row: row)
            if !isSame(end, otherTable.toOne(member.column, row: otherRow)),
                isCompared(member.number, table, row, otherTable, otherRow)
            {
                numbers.append(member.number)
            }
        }
        for member in entityScope.toManys {
            let range = table.toMany(member.column, row: row)
            if !hasSameMembers(range, otherTable.toMany(member.column, row: otherRow), isOrdered: member.isOrdered),
                isCompared(member.number, table, row, otherTable, otherRow)
            {
                numbers.append(member.number)
            }
        }
        // Of an object that is only referred to, silence says nothing.
        guard takesAbsentAsNull, !numbers.isEmpty else { return numbers }
        return old.isReference(entity, row, scope) || new.isReference(entity, otherRow, scope) ? [] : numbers
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

    // MARK: With keys

    /// What differs in a property.
    ///
    /// - Throws: ``GraftError`` for objects that nothing identifies.
    func change(of number: Int, _ row: RowReference, _ other: RowReference) throws -> PropertyChange {
        let property = scope.schema.entities[row.entity].properties[number]
        let (table, otherTable) = (old.tables[row.entity], new.tables[row.entity])
        switch property.kind {
        case .attribute:
            let value = table.value(property.column, row: row.row)
            let otherValue = otherTable.value(property.column, row: other.row)
            return PropertyChange(property.name, .attribute(old: value, new: otherValue))
        case .toOne:
            let end = old.destinations(of: row, property).first
            let otherEnd = new.destinations(of: other, property).first
            let keys = (
                try end.map { try matching.oldKeys.key(of: $0, old) },
                try otherEnd.map { try matching.newKeys.key(of: $0, new) }
            )
            return PropertyChange(property.name, .toOne(old: keys.0, new: keys.1))
        case .toMany(_, let isOrdered):
            let (range, otherRange) = (
                table.toMany(property.column, row: row.row), otherTable.toMany(property.column, row: other.row)
            )
            let comparison = MembersComparison(range, otherRange, old, new, matching)
            return PropertyChange(property.name, .toMany(try comparison.change(isOrdered: isOrdered)))
        }
    }
}
