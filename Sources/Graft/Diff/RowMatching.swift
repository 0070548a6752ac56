// Which row of one snapshot is which of the other. Rows with an identity are found by its hash; as a rule both snapshots
// have the same objects in nearly the same order, so the row after the last match is tried first, without a hash.

/// The pairs of rows of two snapshots that stand for the same object.
struct RowMatching {
    /// By entity and row; `.none` where the other side doesn't have the object.
    private(set) var toNew: [[RowReference]]
    private(set) var toOld: [[RowReference]]
    let oldKeys: RowKeys
    let newKeys: RowKeys

    /// - Parameter pair: Two rows that stand for one object, whatever identifies them.
    init(
        _ old: borrowing GraphSnapshot, _ new: borrowing GraphSnapshot, _ scope: DiffScope,
        matchesRootsByPosition: Bool, pairing pair: (old: RowReference, new: RowReference)? = nil
    ) {
        var pairs = Pairs(old, new)
        var hasUnidentified = false
        for entity in old.schema.entities.indices {
            if pairs.match(entity, old, new, scope) { hasUnidentified = true }
        }
        pairs.matchByOwners(old, new, scope)
        // What is unidentified on the new side alone hasn't been met yet.
        hasUnidentified = hasUnidentified || pairs.hasUnmatchedUnidentified(new)
        oldKeys = RowKeys(
            old, scope, hasUnidentified: hasUnidentified, matchesRootsByPosition: matchesRootsByPosition, top: pair?.old
        )
        newKeys = RowKeys(
            new, scope, hasUnidentified: hasUnidentified, matchesRootsByPosition: matchesRootsByPosition, top: pair?.new
        )
        if let pair, pair.old.entity == pair.new.entity { pairs.replace(pair.old, pair.new) }
        // Where a side leaves something out, equal keys don't say that two objects belong to the same one.
        if old.absence == .unknown || new.absence == .unknown {
            pairs.matchPositions(oldKeys, newKeys) { $0.contents == nil }
            pairs.matchContents(oldKeys, newKeys, old, new, scope)
        }
        pairs.matchPositions(oldKeys, newKeys) { _ in true }
        toNew = pairs.toNew
        toOld = pairs.toOld
    }

    /// Matches rows by their identities alone. The others have no counterpart and no key.
    init(identitiesOf old: GraphSnapshot, in new: GraphSnapshot, _ scope: DiffScope) {
        var pairs = Pairs(old, new)
        for entity in old.schema.entities.indices { _ = pairs.match(entity, old, new, scope) }
        pairs.matchByOwners(old, new, scope)
        self.init(pairs, old, new, scope)
    }

    /// Takes pairs that are known. The other rows have no counterpart, and those without identity no key.
    init(
        _ old: GraphSnapshot, _ new: GraphSnapshot, _ scope: DiffScope, known: [(old: RowReference, new: RowReference)]
    ) {
        var pairs = Pairs(old, new)
        for (row, other) in known { pairs.pair(row, other) }
        self.init(pairs, old, new, scope)
    }

    private init(_ pairs: Pairs, _ old: GraphSnapshot, _ new: GraphSnapshot, _ scope: DiffScope) {
        oldKeys = RowKeys(old, scope, hasUnidentified: false, matchesRootsByPosition: false)
        newKeys = RowKeys(new, scope, hasUnidentified: false, matchesRootsByPosition: false)
        toNew = pairs.toNew
        toOld = pairs.toOld
    }
}

private struct Pairs {
    var toNew: [[RowReference]]
    var toOld: [[RowReference]]

    init(_ old: borrowing GraphSnapshot, _ new: borrowing GraphSnapshot) {
        toNew = old.tables.map { [RowReference](repeating: .none, count: $0.count) }
        toOld = new.tables.map { [RowReference](repeating: .none, count: $0.count) }
    }

    /// Matches the rows of one entity that have an identity; returns whether there are others.
    mutating func match(
        _ entity: Int, _ old: borrowing GraphSnapshot, _ new: borrowing GraphSnapshot, _ scope: DiffScope
    ) -> Bool {
        let columns = scope.entities[entity].identityColumns
        let count = old.tables[entity].count
        if !old.schema.entities[entity].relatedIdentity.isEmpty {
            return old.liveRows(of: entity).contains { !old.isIdentified(RowReference(entity: entity, row: $0)) }
        }
        if columns.isEmpty { return count > 0 }
        var hasUnidentified = false
        var next = 0
        for row in 0..<count where !old.tables[entity].flags[row].contains(.dead) {
            if next < new.tables[entity].count, !new.tables[entity].flags[next].contains(.dead),
                Self.isSame(old.tables[entity], row, new.tables[entity], next, columns)
            {
                pair(RowReference(entity: entity, row: row), RowReference(entity: entity, row: next))
                next &+= 1
                continue
            }
            guard let hash = old.identityHash(entity: entity, row: row, columns: columns) else {
                hasUnidentified = true
                continue
            }
            let reference = RowReference(entity: entity, row: row)
            guard let found = Self.counterpart(of: reference, hash, columns, old, new, scope) else { continue }
            pair(reference, found)
            if found.entity == entity { next = found.row &+ 1 }
        }
        return hasUnidentified
    }

    /// Matches the rows whose identity includes relationships, after those that they hang on.
    mutating func matchByOwners(_ old: borrowing GraphSnapshot, _ new: borrowing GraphSnapshot, _ scope: DiffScope) {
        guard old.schema.hasRelatedIdentities else { return }
        let index = RelatedIndex(copy new)
        for row in old.rowsIdentifiedByOwners() {
            guard var key = old.relatedKey(of: row) else { continue }
            let owners = key.owners
            key.owners = owners.map { $0.isNone ? $0 : toNew[$0.entity][$0.row] }
            // An owner that the other side doesn't have has nothing there.
            if zip(owners, key.owners).contains(where: { !$0.isNone && $1.isNone }) { continue }
            let candidates = index[key]
            let exact = candidates.first { $0.entity == row.entity }
            let related = candidates.first { candidate in
                scope.schema.isEntity(candidate.entity, relatedTo: row.entity)
                    && (old.isReference(row.entity, row.row, scope)
                        || new.isReference(candidate.entity, candidate.row, scope))
            }
            if let found = exact ?? related { pair(row, found) }
        }
    }

    mutating func pair(_ old: RowReference, _ new: RowReference) {
        toNew[old.entity][old.row] = new
        toOld[new.entity][new.row] = old
    }

    /// Pairs two rows that may have been taken for others.
    mutating func replace(_ old: RowReference, _ new: RowReference) {
        let (other, otherNew) = (toOld[new.entity][new.row], toNew[old.entity][old.row])
        if !other.isNone { toNew[other.entity][other.row] = .none }
        if !otherNew.isNone { toOld[otherNew.entity][otherNew.row] = .none }
        pair(old, new)
    }

    @inline(__always)
    private static func isSame(
        _ old: borrowing SnapshotTable, _ row: Int, _ new: borrowing SnapshotTable, _ otherRow: Int, _ columns: [Int]
    ) -> Bool {
        for column in columns {
            let value = old.value(column, row: row)
            if value.isNull || !value.isSameIdentity(as: new.value(column, row: otherRow)) { return false }
        }
        return true
    }

    /// The row of the other side with an identity. An object that one side only refers to may be known there as one of a
    /// super-entity.
    private static func counterpart(
        of reference: RowReference, _ hash: UInt64, _ columns: [Int], _ old: borrowing GraphSnapshot,
        _ new: borrowing GraphSnapshot, _ scope: DiffScope
    ) -> RowReference? {
        let space = scope.schema.entities[reference.entity].identitySpace
        var related: RowReference?
        let exact = new.indexes[space].first(hash) { candidate in
            guard
                isSame(
                    old.tables[reference.entity], reference.row, new.tables[candidate.entity], candidate.row, columns)
            else { return false }
            if candidate.entity == reference.entity { return true }
            let isReference =
                old.isReference(reference.entity, reference.row, scope)
                || new.isReference(candidate.entity, candidate.row, scope)
            if isReference, scope.schema.isEntity(candidate.entity, relatedTo: reference.entity) { related = candidate }
            return false
        }
        return exact ?? related
    }

    func hasUnmatchedUnidentified(_ new: borrowing GraphSnapshot) -> Bool {
        for entity in toOld.indices {
            for row in toOld[entity].indices where toOld[entity][row].isNone {
                if new.tables[entity].flags[row].contains(.dead) { continue }
                if !new.isIdentified(RowReference(entity: entity, row: row)) { return true }
            }
        }
        return false
    }

    /// Matches rows without identity to which the same way leads, as far as they are left.
    mutating func matchPositions(
        _ oldKeys: RowKeys, _ newKeys: RowKeys, where isMatched: (ObjectKey.Position) -> Bool
    ) {
        guard !oldKeys.positions.isEmpty, !newKeys.positions.isEmpty else { return }
        // An object of another entity in the same place is another object.
        struct Place: Hashable {
            var entity: Int
            var position: ObjectKey.Position
        }
        var rows: [Place: RowReference] = [:]
        for (row, position) in newKeys.positions where isMatched(position) && toOld[row.entity][row.row].isNone {
            rows[Place(entity: row.entity, position: position)] = row
        }
        for (row, position) in oldKeys.positions where toNew[row.entity][row.row].isNone {
            if let other = rows[Place(entity: row.entity, position: position)] { pair(row, other) }
        }
    }

    /// Matches rows that are known by their contents, of which one side says but a part.
    mutating func matchContents(
        _ oldKeys: RowKeys, _ newKeys: RowKeys, _ old: borrowing GraphSnapshot, _ new: borrowing GraphSnapshot,
        _ scope: DiffScope
    ) {
        let oldRows = oldKeys.rowsByContents.filter { toNew[$0.entity][$0.row].isNone }
        let newRows = newKeys.rowsByContents.filter { toOld[$0.entity][$0.row].isNone }
        if oldRows.isEmpty || newRows.isEmpty { return }
        var shared = SharedContents(
            copy old, copy new, scope, (toNew, toOld), oldRows: oldRows, newRows: newRows)
        for (row, other) in shared.pairs() { pair(row, other) }
    }
}
