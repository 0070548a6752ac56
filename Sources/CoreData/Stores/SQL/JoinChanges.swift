// The rows of one join table that a save adds and removes, whichever side reports them.

import Foundation

/// Collects the changes of one join table.
package final class JoinChanges {
    /// A pair, seen from the master relationship. A side that has said nothing of it has no order key; 0 stands for the end of its order.
    package struct Pair {
        package var owner: Int64
        package var member: Int64
        /// Orders the members of the owner.
        package var memberKey: Int64?
        /// Orders the owners of the member.
        package var ownerKey: Int64?
    }

    /// The new order of one object's members.
    package struct Reordering {
        package let owner: Int64
        package let order: MemberOrder
        package let join: SQLJoin
    }

    package let table: String
    package let ownerColumn: String
    package let memberColumn: String
    package let memberKeyColumn: String?
    package let ownerKeyColumn: String?
    package let isReflexive: Bool
    private var added: [Pair] = []
    private var removed: [Pair] = []
    package private(set) var reorderings: [Reordering] = []

    init(_ join: SQLJoin) {
        table = join.table
        isReflexive = join.isReflexive
        ownerColumn = join.isMaster ? join.ownerColumn : join.memberColumn
        memberColumn = join.isMaster ? join.memberColumn : join.ownerColumn
        memberKeyColumn = join.isMaster ? join.orderColumn : join.inverseOrderColumn
        ownerKeyColumn = join.isMaster ? join.inverseOrderColumn : join.orderColumn
    }

    // MARK: Collecting

    /// - Parameter order: The member's order key; 0 for the end, or where the relationship isn't ordered.
    package func insert(_ owner: Int64, _ member: Int64, via join: SQLJoin, order: Int64) {
        var pair = pair(owner, member, join)
        if join.isMaster { pair.memberKey = order } else { pair.ownerKey = order }
        added.append(pair)
    }

    func change(owner: Int64, added: [Int64], removed: [Int64], order: MemberOrder?, via join: SQLJoin) {
        for member in removed { self.removed.append(pair(owner, member, join)) }
        for member in added { insert(owner, member, via: join, order: 0) }
        if let order, join.orderColumn != nil {
            reorderings.append(Reordering(owner: owner, order: order, join: join))
        }
    }

    private func pair(_ owner: Int64, _ member: Int64, _ join: SQLJoin) -> Pair {
        // A reflexive pair may stand in the table either way round; ours has the smaller key first.
        if isReflexive { return Pair(owner: min(owner, member), member: max(owner, member)) }
        return join.isMaster ? Pair(owner: owner, member: member) : Pair(owner: member, member: owner)
    }

    // MARK: What is to be written

    /// The pairs that go.
    package var removals: [Pair] { Self.sorted(removed) }

    /// The pairs that come, each once.
    package func additions() -> [Pair] {
        let pairs = Self.sorted(added)
        var merged: [Pair] = []
        merged.reserveCapacity(pairs.count)
        for pair in pairs {
            guard let last = merged.last, last.owner == pair.owner, last.member == pair.member else {
                merged.append(pair)
                continue
            }
            // Both sides report a pair; each knows the key of its own order.
            let index = merged.count - 1
            if last.memberKey ?? 0 == 0 { merged[index].memberKey = pair.memberKey ?? last.memberKey }
            if last.ownerKey ?? 0 == 0 { merged[index].ownerKey = pair.ownerKey ?? last.ownerKey }
        }
        return merged
    }

    /// Ascending, so that a tree is filled in order and a pair's two reports meet.
    private static func sorted(_ pairs: [Pair]) -> [Pair] {
        pairs.sorted { $0.owner != $1.owner ? $0.owner < $1.owner : $0.member < $1.member }
    }

    /// The members whose order key has to be written: those that stay; those that come take theirs along when they are inserted.
    package func moves(
        _ reordering: Reordering, _ read: ([Int64], Bool) throws -> [Int64: Int64]
    ) throws -> [MemberOrder.Move] {
        try reordering.order.moves(read).filter { move in
            if move.isNew { insert(reordering.owner, move.member, via: reordering.join, order: move.key) }
            return !move.isNew
        }
    }
}
