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

    static func unique<Member: Hashable>(_ members: [Member]) -> [Member] {
        if members.count < 2 { return members }
        var seen: Set<Member> = []
        return members.filter { seen.insert($0).inserted }
    }

    /// Whether two lists have the same members, whatever their order and repetitions.
    static func haveSame<Member: Hashable>(_ one: [Member], _ other: [Member]) -> Bool {
        // To look through a few takes less time than to make a set of them.
        if min(one.count, other.count) > 16 { return Set(one) == Set(other) }
        return one.allSatisfy(other.contains) && other.allSatisfy(one.contains)
    }

    func hasSameMembers(isOrdered: Bool) -> Bool {
        guard oldMembers.count == newMembers.count else { return false }
        let counterparts = oldMembers.map { matching.toNew[$0.entity][$0.row] }
        if counterparts == newMembers { return true }
        return !isOrdered && Self.haveSame(counterparts, newMembers)
    }

    /// What differs.
    ///
    /// - Throws: ``GraftError`` for members that nothing identifies.
    /// - Complexity: O(*n* log *n*)
    func change(isOrdered: Bool) throws -> MembersChange {
        let counterparts = oldMembers.map { member -> RowReference? in
            let counterpart = matching.toNew[member.entity][member.row]
            return counterpart.isNone ? nil : counterpart
        }
        return try MembersChange(
            from: counterparts, to: newMembers, isOrdered: isOrdered,
            oldKey: { try matching.oldKeys.key(of: oldMembers[$0], old) },
            newKey: { try matching.newKeys.key(of: newMembers[$0], new) })
    }
}
