// Which members of an ordered relationship have moved: all but a longest increasing subsequence. Of several longest ones it
// is the first in the order of keys, element by element, so that the way back moves the same members.

/// Minimal moves.
enum MemberOrder {
    /// A member of both sides, with its places.
    struct Member {
        var old: Int
        var new: Int
    }

    /// Whether members in the order of the old side are in that of the new one.
    static func isInOrder(_ members: [Member]) -> Bool {
        zip(members, members.dropFirst()).allSatisfy { $0.new < $1.new }
    }

    /// The members that have to move, by their new place.
    ///
    /// - Parameters:
    ///   - members: In the order of the old side.
    ///   - isBefore: Orders members by their keys.
    /// - Complexity: O(*n* log *n*)
    static func moved(_ members: [Member], by isBefore: (Member, Member) -> Bool) -> [Member] {
        let lengths = runLengths(members)
        var byLength: [[Int]] = Array(repeating: [], count: (lengths.max() ?? 0) + 1)
        for (index, length) in lengths.enumerated() { byLength[length].append(index) }
        var stays = [Bool](repeating: false, count: members.count)
        var last: Member?
        for candidates in byLength.dropFirst().reversed() {
            var best: Int?
            for index in candidates {
                let member = members[index]
                if let last, member.old < last.old || member.new < last.new { continue }
                if let other = best, !isBefore(member, members[other]) { continue }
                best = index
            }
            guard let best else { continue }
            stays[best] = true
            last = members[best]
        }
        return members.indices.filter { !stays[$0] }.map { members[$0] }.sorted { $0.new < $1.new }
    }

    /// For each member, how many members the longest run in order has that begins with it.
    private static func runLengths(_ members: [Member]) -> [Int] {
        var lengths = [Int](repeating: 0, count: members.count)
        // The greatest beginning of a run of each length among the members seen so far, longest last: they decrease.
        var beginnings: [Int] = []
        for index in members.indices.reversed() {
            let place = members[index].new
            var (low, high) = (0, beginnings.count)
            while low < high {
                let middle = (low + high) / 2
                if beginnings[middle] > place { low = middle + 1 } else { high = middle }
            }
            if low == beginnings.count { beginnings.append(place) } else { beginnings[low] = place }
            lengths[index] = low + 1
        }
        return lengths
    }
}
