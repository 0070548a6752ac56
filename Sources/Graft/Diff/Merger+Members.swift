// To-many relationships. Whether an object is a member is decided by its own to-one relationship, where it has one that a side
// touched; otherwise by element: what either side added is in, what either side removed is out.
//
// Ordered ones: members that neither side moved are the skeleton, in the order that all three have. Each side puts its added and
// moved members into the gaps between; in one gap each side's run stays together, and the run that begins with the lower key
// comes first.
//
//     base    a b c        skeleton  a b      (ours moved c)
//     ours    c a x b      gaps      [c] a [x] b []
//     theirs  a y b c                [] a [y] b [c: not moved by theirs]
//     merged  c a x y b

extension Merger {
    /// The members of a relationship in the merged graph.
    mutating func members(of key: ObjectKey, _ name: String, isOrdered: Bool) throws -> [ObjectKey] {
        let before = baseMembers(of: key, name)
        let (our, their) = (list(key, name, ours, before), list(key, name, theirs, before))
        let inverse = scope.schema.inverse(of: try property(name, of: key))
        let (wasMember, isOurs, isTheirs) = (Set(before), Set(our), Set(their))
        func isMember(_ member: ObjectKey) throws -> Bool {
            if gone.contains(member) { return false }
            if !listOwners.isEmpty, let place = try listPlace(of: member, key, name), let owner = listOwners[place] {
                return owner == key
            }
            if let inverse, !inverse.isToMany, let end = ends[End(key: member, name: inverse.name)] {
                return end == key
            }
            if wasMember.contains(member) {
                // Who deleted an object that stays hasn't taken it out of anything.
                func has(_ list: Set<ObjectKey>, _ side: Side) -> Bool {
                    list.contains(member) || kept.contains(member) && side.deletedAtFirst.contains(member)
                }
                return has(isOurs, ours) && has(isTheirs, theirs)
            }
            return true
        }
        let members = Set(try (before + our + their).filter(isMember))
        guard isOrdered else { return members.sorted() }
        return ordered(key, name, before, our, their, members)
    }

    /// The list that a side leaves.
    private func list(_ key: ObjectKey, _ name: String, _ side: Side, _ before: [ObjectKey]) -> [ObjectKey] {
        if let contents = side.inserted[key] { return contents[name]?.ends ?? [] }
        guard case .toMany(let change)? = side.changed[key]?[name] else { return before }
        return change.applied(to: before, isOrdered: true) { $0 }
    }

    // MARK: Order

    private mutating func ordered(
        _ key: ObjectKey, _ name: String, _ before: [ObjectKey], _ our: [ObjectKey], _ their: [ObjectKey],
        _ members: Set<ObjectKey>
    ) -> [ObjectKey] {
        if our == their { return our.filter(members.contains) + (members.subtracting(our)).sorted() }
        let (ourMoved, theirMoved) = (moved(before, our), moved(before, their))
        let free = ourMoved.union(theirMoved)
        // What only the base has is still there because it was kept; it has its place from there.
        let skeleton = before.filter { members.contains($0) && !free.contains($0) }
        var merge = OrderMerge(skeleton: skeleton, members: members)
        let isNew = members.subtracting(before)
        merge.add(our, naming: ourMoved.union(isNew.intersection(our)), isOurs: true)
        merge.add(their, naming: theirMoved.union(isNew.intersection(their)), isOurs: false)
        if merge.isContradictory {
            let conflict = GraphMerge.Conflict(
                .order, key, name, base: .value(.toMany(before, isOrdered: true)),
                ours: .value(.toMany(our, isOrdered: true)), theirs: .value(.toMany(their, isOrdered: true)))
            switch settle(conflict) {
            case .ours: merge.dropShared(ofOurs: false)
            case .theirs: merge.dropShared(ofOurs: true)
            default: merge.dropAllShared(placing: before)
            }
        } else {
            merge.dropShared(ofOurs: false)
        }
        let order = merge.order
        return order + members.subtracting(order).sorted()
    }

    /// The members that a side moved.
    private func moved(_ before: [ObjectKey], _ after: [ObjectKey]) -> Set<ObjectKey> {
        Set(MembersChange(from: before, to: after, isOrdered: true).moved.map(\.key))
    }
}

/// Two ways to fill the gaps of one list.
private struct OrderMerge {
    private let skeleton: [ObjectKey]
    private let members: Set<ObjectKey>
    /// By gap: before the first member of the skeleton, after the first one and so on.
    private var ours: [[ObjectKey]]
    private var theirs: [[ObjectKey]]
    private var others: [[ObjectKey]]

    init(skeleton: [ObjectKey], members: Set<ObjectKey>) {
        self.skeleton = skeleton
        self.members = members
        ours = Array(repeating: [], count: skeleton.count + 1)
        theirs = ours
        others = ours
    }

    /// Puts the members that a side has placed into its gaps.
    mutating func add(_ list: [ObjectKey], naming placed: Set<ObjectKey>, isOurs: Bool) {
        let gaps = gaps(of: list, placed)
        if isOurs { ours = gaps } else { theirs = gaps }
    }

    private func gaps(of list: [ObjectKey], _ placed: Set<ObjectKey>) -> [[ObjectKey]] {
        let places = Dictionary(skeleton.enumerated().map { ($1, $0 + 1) }) { first, _ in first }
        var gaps: [[ObjectKey]] = Array(repeating: [], count: skeleton.count + 1)
        var gap = 0
        for key in list {
            if let place = places[key] {
                gap = place
            } else if placed.contains(key), members.contains(key) {
                gaps[gap].append(key)
            }
        }
        return gaps
    }

    private var shared: Set<ObjectKey> { Set(ours.joined()).intersection(theirs.joined()) }

    /// Whether both sides placed some members, and not alike.
    var isContradictory: Bool {
        let shared = shared
        return zip(ours, theirs).contains { our, their in
            our.filter(shared.contains) != their.filter(shared.contains)
        }
    }

    /// Lets one side alone place what both have placed.
    mutating func dropShared(ofOurs isOurs: Bool) {
        let shared = shared
        // Placed alike, they are what both runs have in common: the rest of the other run stays with its place among them.
        let kept = isOurs ? theirs : ours
        let other = isOurs ? ours : theirs
        var merged: [[ObjectKey]] = []
        for (gap, run) in kept.enumerated() { merged.append(Self.merged(run, other[gap], shared)) }
        ours = merged
        theirs = Array(repeating: [], count: merged.count)
    }

    /// Puts what both have placed where it was before.
    mutating func dropAllShared(placing before: [ObjectKey]) {
        let shared = shared
        ours = ours.map { $0.filter { !shared.contains($0) } }
        theirs = theirs.map { $0.filter { !shared.contains($0) } }
        others = gaps(of: before, shared)
        let placed = Set(others.joined())
        // What neither had before, but both added, follows by key.
        others[skeleton.count] += shared.subtracting(placed).sorted()
    }

    /// Two runs of one gap as one. Members of both divide them into parts; of two parts without any, the one that begins with
    /// the lower key comes first.
    private static func merged(
        _ run: [ObjectKey], _ other: [ObjectKey], _ shared: Set<ObjectKey>
    ) -> [ObjectKey] {
        let anchors = run.filter { shared.contains($0) && other.contains($0) }
        let isAnchor = Set(anchors)
        // What the kept side alone has placed of the shared ones stays in its run, and leaves the other one.
        let free = other.filter { isAnchor.contains($0) || !shared.contains($0) }
        var result: [ObjectKey] = []
        let (parts, otherParts) = (parts(run, isAnchor), self.parts(free, isAnchor))
        let isAlike = free.filter(isAnchor.contains) == anchors
        guard isAlike else { return joined(run, other.filter { !shared.contains($0) }) }
        for (index, part) in parts.enumerated() {
            result += joined(part, otherParts[index])
            if index < anchors.count { result.append(anchors[index]) }
        }
        return result
    }

    private static func parts(_ run: [ObjectKey], _ anchors: Set<ObjectKey>) -> [[ObjectKey]] {
        run.split(omittingEmptySubsequences: false) { anchors.contains($0) }.map(Array.init)
    }

    private static func joined(_ one: [ObjectKey], _ other: [ObjectKey]) -> [ObjectKey] {
        // As a whole, so that it is the same with the sides swapped where both begin with the same key.
        other.lexicographicallyPrecedes(one) ? other + one : one + other
    }

    /// The merged list.
    var order: [ObjectKey] {
        var order: [ObjectKey] = []
        for gap in ours.indices {
            order += others[gap] + Self.joined(ours[gap], theirs[gap])
            if gap < skeleton.count { order.append(skeleton[gap]) }
        }
        return order
    }
}
