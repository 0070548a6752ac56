// What differs between the members that a to-many relationship has in two snapshots.
//
//     old  a b c d e        removed  c (2)
//     new  e a b x d        added    x (3)
//                           moved    e (4 -> 0): the longest run that is in order on both sides, a b d, stays

/// The members of one relationship of one object in two snapshots.
struct MembersComparison {
    private let old: GraphSnapshot
    private let new: GraphSnapshot
    private let matching: RowMatching
    /// Without repetitions, each in its first place.
    private let oldMembers: [RowReference]
    private let newMembers: [RowReference]

    init(
        _ range: MemberRange, _ otherRange: MemberRange, _ old: GraphSnapshot, _ new: GraphSnapshot,
        _ matching: RowMatching
    ) {
        self.old = old
        self.new = new
        self.matching = matching
        oldMembers = Self.unique(range.indices.map { old.resolved(old.members[$0]) })
        newMembers = Self.unique(otherRange.indices.map { new.resolved(new.members[$0]) })
    }

    static func unique(_ members: [RowReference]) -> [RowReference] {
        if members.count < 2 { return members }
        var seen: Set<RowReference> = []
        return members.filter { seen.insert($0).inserted }
    }

    func hasSameMembers(isOrdered: Bool) -> Bool {
        guard oldMembers.count == newMembers.count else { return false }
        let counterparts = oldMembers.map { matching.toNew[$0.entity][$0.row] }
        if counterparts == newMembers { return true }
        return !isOrdered && Set(counterparts) == Set(newMembers)
    }

    /// What differs.
    ///
    /// - Throws: ``GraftError`` for members that nothing identifies.
    /// - Complexity: O(*n* log *n*)
    func change(isOrdered: Bool) throws -> MembersChange {
        var newIndexes: [RowReference: Int] = [:]
        for (index, member) in newMembers.enumerated() { newIndexes[member] = index }
        var change = MembersChange()
        var isCommon = [Bool](repeating: false, count: newMembers.count)
        var common: [MemberOrder.Member] = []
        for (index, member) in oldMembers.enumerated() {
            let counterpart = matching.toNew[member.entity][member.row]
            if !counterpart.isNone, let newIndex = newIndexes[counterpart] {
                isCommon[newIndex] = true
                common.append(.init(old: index, new: newIndex))
            } else {
                let key = try matching.oldKeys.key(of: member, old)
                change.removed.append(.init(key, at: isOrdered ? index : nil))
            }
        }
        for (index, member) in newMembers.enumerated() where !isCommon[index] {
            change.added.append(.init(try matching.newKeys.key(of: member, new), at: isOrdered ? index : nil))
        }
        if isOrdered {
            change.moved = try moves(common)
        } else {
            change.removed.sort { $0.key < $1.key }
            change.added.sort { $0.key < $1.key }
        }
        return change
    }

    private func moves(_ common: [MemberOrder.Member]) throws -> [MembersChange.Move] {
        if MemberOrder.isInOrder(common) { return [] }
        let keys = try oldMembers.map { try matching.oldKeys.key(of: $0, old) }
        let moved = MemberOrder.moved(common) { keys[$0.old] < keys[$1.old] }
        return moved.map { .init(keys[$0.old], from: $0.old, to: $0.new) }
    }
}
