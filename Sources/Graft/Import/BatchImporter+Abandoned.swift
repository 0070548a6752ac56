// Rows that nothing is made of, though they say more than a reference does: what would come of them would be nobody's.
//
//     abandoned     without an identity, and only what isn't taken leads to them: an older version, what an object can't have
//     only named    objects that aren't there, and that the data takes away from others, or says to be gone with their owner

import CoreData

extension BatchImporter {
    /// The rows that nothing is made of.
    func rowsOfNobody(_ snapshot: borrowing GraphSnapshot) -> Set<RowReference> {
        let named = rowsOnlyNamed(snapshot)
        return named.union(abandonedRows(snapshot, besides: named))
    }

    /// The rows without identity that only outdated ones lead to, or relationships that their objects don't have: they would be nobody's.
    ///
    /// - Parameter named: Other rows that nothing is made of.
    private func abandonedRows(
        _ snapshot: borrowing GraphSnapshot, besides named: Set<RowReference>
    ) -> Set<RowReference> {
        var pending: [RowReference] = []
        for (entity, plan) in plans.enumerated() where !plan.relationships.isEmpty {
            let isInHierarchy = schema.entities[entity].parent != nil || schema.entities[entity].end > entity + 1
            if !hasOutdated, !isInHierarchy { continue }
            for row in states[entity].indices {
                let reference = RowReference(entity: entity, row: row)
                let taken = takenCount(of: reference)
                if taken < plan.properties.count { pending += ends(of: reference, snapshot) { $0 >= taken } }
            }
        }
        var abandoned: Set<RowReference> = []
        while let end = pending.popLast() {
            guard object(end) == nil, !matcher.isIdentified(end.entity, end.row, snapshot) || isClaimed(end, snapshot),
                !snapshot.tables[end.entity].flags[end.row].contains(.root), abandoned.insert(end).inserted
            else { continue }
            pending += ends(of: end, snapshot)
        }
        return unreached(abandoned, besides: named, snapshot) { takenCount(of: $0) }
    }

    /// How many of its row's properties an object takes: none of an outdated one.
    private func takenCount(of row: RowReference) -> Int {
        if states[row.entity][row.row].contains(.outdated) { return 0 }
        let plan = plans[row.entity]
        return object(row).map { matcher.propertyCount(of: $0, plan) } ?? plan.properties.count
    }

    /// Whether a row's identity includes an owner that nothing but its place in the data tells.
    private func isClaimed(_ row: RowReference, _ snapshot: borrowing GraphSnapshot) -> Bool {
        plans[row.entity].relatedIdentity.contains {
            !plans[row.entity].properties[$0].isAttribute && !snapshot.tables[row.entity].hasValue($0, row: row.row)
        }
    }

    /// The rows of objects that aren't there, and that the data names only to remove them from a list, as the owner of what is gone, or as
    /// what that owned. Nothing is made of them.
    private func rowsOnlyNamed(_ snapshot: borrowing GraphSnapshot) -> Set<RowReference> {
        var pending = snapshot.removals.values.flatMap { snapshot.members[$0.indices] } + snapshot.removedRows
        for statement in snapshot.earlier { pending += snapshot.members[(statement.removals ?? .empty).indices] }
        for plan in plans where !plan.relationships.isEmpty {
            for row in 0..<snapshot.tables[plan.number].count where isGone(plan.number, row, snapshot) {
                pending += ends(of: RowReference(entity: plan.number, row: row), snapshot) {
                    plan.properties[$0].isOwning || plan.relatedIdentity.contains($0)
                }
            }
        }
        for statement in snapshot.earlier {
            let owner = snapshot.resolved(statement.cell.row)
            guard isGone(owner.entity, owner.row, snapshot),
                plans[owner.entity].properties[statement.cell.property].isOwning
            else { continue }
            pending += snapshot.ends(of: statement)
        }
        var named: Set<RowReference> = []
        while let next = pending.popLast() {
            let row = snapshot.resolved(next)
            guard object(row) == nil, !isSettled(row), !snapshot.tables[row.entity].flags[row.row].contains(.root),
                named.insert(row).inserted
            else { continue }
            pending += ends(of: row, snapshot)
        }
        return unreached(named, snapshot)
    }

    /// Those of some rows that no others lead to: who else leads to one has it.
    ///
    /// - Parameters:
    ///   - others: Rows that lead nowhere.
    ///   - count: How many of a row's properties count.
    private func unreached(
        _ rows: Set<RowReference>, besides others: Set<RowReference> = [], _ snapshot: borrowing GraphSnapshot,
        _ count: (RowReference) -> Int = { _ in .max }
    ) -> Set<RowReference> {
        if rows.isEmpty { return rows }
        var rows = rows
        var pending: [RowReference] = []
        for plan in plans where !plan.relationships.isEmpty {
            for row in 0..<snapshot.tables[plan.number].count
            where snapshot.tables[plan.number].flags[row].isDisjoint(with: [.dead, .gone]) {
                let reference = RowReference(entity: plan.number, row: row)
                if rows.contains(reference) || others.contains(reference) { continue }
                let count = count(reference)
                pending += ends(of: reference, snapshot) { $0 < count }
            }
        }
        for statement in snapshot.earlier {
            let owner = snapshot.resolved(statement.cell.row)
            if rows.contains(owner) || others.contains(owner) || isGone(owner.entity, owner.row, snapshot)
                || statement.cell.property >= count(owner)
            {
                continue
            }
            pending += snapshot.ends(of: statement)
        }
        while let next = pending.popLast() {
            let row = snapshot.resolved(next)
            if rows.remove(row) != nil { pending += ends(of: row, snapshot) }
        }
        return rows
    }

    /// Whether the data says that an object is gone.
    private func isGone(_ entity: Int, _ row: Int, _ snapshot: borrowing GraphSnapshot) -> Bool {
        snapshot.tables[entity].flags[row].contains(.gone)
    }

    /// What a row leads to.
    func ends(
        of row: RowReference, _ snapshot: borrowing GraphSnapshot, where isWanted: (Int) -> Bool = { _ in true }
    ) -> [RowReference] {
        plans[row.entity].relationships.filter {
            isWanted($0) && snapshot.tables[row.entity].hasValue($0, row: row.row)
        }.flatMap { snapshot.destinations(of: row, plans[row.entity].properties[$0]) }
    }
}
