// Changes of to-many relationships as changes of lists: made from two lists, applied to one, composed.

extension MembersChange {
    /// Whether the change is one of an ordered relationship. One that is empty can be either.
    var isOrdered: Bool { !moved.isEmpty || removed.contains { $0.index != nil } || added.contains { $0.index != nil } }

    /// Makes the change between two lists without repetitions.
    init(from old: [ObjectKey], to new: [ObjectKey], isOrdered: Bool) {
        self.init(from: old, to: new, isOrdered: isOrdered, oldKey: { old[$0] }, newKey: { new[$0] })
    }

    /// Makes the change between two lists without repetitions of what stands for the members. Only those that it names get
    /// keys, and those of an ordered list in which something moved.
    ///
    /// - Parameters:
    ///   - old: What the old members are on the new side; nil for those that aren't there.
    ///   - oldKey: The key of an old member, by its place.
    init<Item: Hashable>(
        from old: [Item?], to new: [Item], isOrdered: Bool, oldKey: (Int) throws -> ObjectKey,
        newKey: (Int) throws -> ObjectKey
    ) rethrows {
        self.init()
        let places = Dictionary(new.enumerated().map { ($1, $0) }) { first, _ in first }
        let known = Set(old)
        var common: [MemberOrder.Member] = []
        for (index, item) in old.enumerated() {
            if let item, let place = places[item] {
                common.append(.init(old: index, new: place))
            } else {
                removed.append(Member(try oldKey(index), at: isOrdered ? index : nil))
            }
        }
        for (index, item) in new.enumerated() where !known.contains(item) {
            added.append(Member(try newKey(index), at: isOrdered ? index : nil))
        }
        if isOrdered {
            if MemberOrder.isInOrder(common) { return }
            let keys = try old.indices.map(oldKey)
            moved = MemberOrder.moved(common) { keys[$0.old] < keys[$1.old] }
                .map { Move(keys[$0.old], from: $0.old, to: $0.new) }
        } else {
            removed.sort { $0.key < $1.key }
            added.sort { $0.key < $1.key }
        }
    }

    /// The list after the change. Members are taken by name, not by place, so it can be applied to other lists as well.
    func applied<Item: Hashable>(to list: [Item], isOrdered: Bool, _ item: (ObjectKey) -> Item?) -> [Item] {
        let leaving = Set(removed.compactMap { item($0.key) }).union(moved.compactMap { item($0.key) })
        var staying = list.filter { !leaving.contains($0) }
        let known = Set(staying)
        var coming: [(index: Int, item: Item)] = []
        for member in added {
            if let new = item(member.key), !known.contains(new) { coming.append((member.index ?? Int.max, new)) }
        }
        let present = moved.isEmpty ? [] : Set(list)
        for move in moved {
            // One that is gone meanwhile stays gone.
            if let old = item(move.key), present.contains(old) { coming.append((move.to, old)) }
        }
        guard isOrdered else { return staying + coming.map(\.item) }
        coming.sort { $0.index < $1.index }
        var result: [Item] = []
        result.reserveCapacity(staying.count + coming.count)
        staying.reverse()
        for (index, item) in coming {
            while result.count < index, let next = staying.popLast() { result.append(next) }
            result.append(item)
        }
        return result + staying.reversed()
    }

    /// The keys after the change, in the order that contents have.
    func applied(to keys: [ObjectKey], isOrdered: Bool) -> [ObjectKey] {
        let result = applied(to: keys, isOrdered: isOrdered) { $0 }
        return isOrdered ? result : result.sorted()
    }

    // MARK: Composing

    /// This change and then another one as one.
    func composed(with next: MembersChange) -> MembersChange {
        isOrdered || next.isOrdered ? composedInOrder(with: next) : composedWithoutOrder(with: next)
    }

    private func composedWithoutOrder(with next: MembersChange) -> MembersChange {
        let (added, removed) = (Set(added.map(\.key)), Set(removed.map(\.key)))
        let (nextAdded, nextRemoved) = (Set(next.added.map(\.key)), Set(next.removed.map(\.key)))
        let allRemoved = removed.subtracting(nextAdded).union(nextRemoved.subtracting(added))
        let allAdded = added.subtracting(nextRemoved).union(nextAdded.subtracting(removed))
        return MembersChange(
            removed: allRemoved.sorted().map { Member($0) }, added: allAdded.sorted().map { Member($0) })
    }

    /// Members that neither change names keep their order, so all others are placed between them.
    private func composedInOrder(with next: MembersChange) -> MembersChange {
        let first = Places(self)
        let second = Places(next)
        // Where the members that are named stand at first, in between and at last; nil where they aren't there.
        var ends: [ObjectKey: (first: Int?, last: Int?)] = [:]
        for member in removed { ends[member.key] = (member.index, nil) }
        for member in added { ends[member.key] = (nil, member.index.map(second.after)) }
        for move in moved { ends[move.key] = (move.from, second.after(move.to)) }
        for member in next.removed { ends[member.key] = (ends[member.key]?.first ?? before(member, first, ends), nil) }
        for member in next.added { ends[member.key] = (ends[member.key]?.first, member.index) }
        for move in next.moved {
            let isNamed = ends[move.key] != nil
            ends[move.key] = (isNamed ? ends[move.key]?.first : first.before(move.from), move.to)
        }
        return Self.change(ends)
    }

    private func before(_ member: Member, _ places: Places, _ ends: [ObjectKey: (first: Int?, last: Int?)]) -> Int? {
        ends[member.key] == nil ? member.index.map(places.before) : nil
    }

    private static func change(_ ends: [ObjectKey: (first: Int?, last: Int?)]) -> MembersChange {
        var change = MembersChange()
        var stayed: [(key: ObjectKey, member: MemberOrder.Member)] = []
        for (key, places) in ends {
            switch places {
            case (let first?, let last?): stayed.append((key, .init(old: first, new: last)))
            case (let first?, nil): change.removed.append(Member(key, at: first))
            case (nil, let last?): change.added.append(Member(key, at: last))
            case (nil, nil): continue
            }
        }
        change.removed.sort { $0.index ?? 0 < $1.index ?? 0 }
        change.added.sort { $0.index ?? 0 < $1.index ?? 0 }
        stayed.sort { $0.member.old < $1.member.old }
        // A member can stay only where as many unnamed ones come before it as before.
        let firstPlaces = ends.values.compactMap(\.first).sorted()
        let lastPlaces = ends.values.compactMap(\.last).sorted()
        var candidates: [(key: ObjectKey, member: MemberOrder.Member)] = []
        for item in stayed {
            let unnamed = item.member.old - firstPlaces.countBelow(item.member.old)
            if unnamed == item.member.new - lastPlaces.countBelow(item.member.new) {
                candidates.append(item)
            } else {
                change.moved.append(Move(item.key, from: item.member.old, to: item.member.new))
            }
        }
        let keys = Dictionary(candidates.map { ($0.member.old, $0.key) }) { first, _ in first }
        func isBefore(_ one: MemberOrder.Member, _ other: MemberOrder.Member) -> Bool {
            guard let one = keys[one.old], let other = keys[other.old] else { return false }
            return one < other
        }
        for member in MemberOrder.moved(candidates.map(\.member), by: isBefore) {
            if let key = keys[member.old] { change.moved.append(Move(key, from: member.old, to: member.new)) }
        }
        change.moved.sort { $0.to < $1.to }
        return change
    }
}

/// Where members stand that a change of an ordered relationship doesn't name.
private struct Places {
    /// The places before and after of those that it names.
    private let old: [Int]
    private let new: [Int]
    private let moves: [Int: Int]
    private let movesBack: [Int: Int]

    init(_ change: MembersChange) {
        old = (change.removed.compactMap(\.index) + change.moved.map(\.from)).sorted()
        new = (change.added.compactMap(\.index) + change.moved.map(\.to)).sorted()
        moves = Dictionary(change.moved.map { ($0.from, $0.to) }) { first, _ in first }
        movesBack = Dictionary(change.moved.map { ($0.to, $0.from) }) { first, _ in first }
    }

    /// Where a member stands after the change that stood at a place before it.
    func after(_ place: Int) -> Int { moves[place] ?? Self.place(place - old.countBelow(place), among: new) }

    /// Where a member stood before the change that stands at a place after it.
    func before(_ place: Int) -> Int { movesBack[place] ?? Self.place(place - new.countBelow(place), among: old) }

    /// The place of the unnamed member with a number, where named ones have theirs.
    private static func place(_ number: Int, among taken: [Int]) -> Int {
        var place = number
        for other in taken {
            if other > place { break }
            place += 1
        }
        return place
    }
}

extension [Int] {
    /// How many elements of a sorted array are less than a number.
    fileprivate func countBelow(_ number: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
