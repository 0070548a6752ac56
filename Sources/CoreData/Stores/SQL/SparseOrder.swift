// Order keys of ordered relationships: integers with room between them, so that moving or inserting one member rewrites
// one row and not all of them. A new collection has 2048, 3072, 4096, …; what is put in front of it gets 1024.

/// The arithmetic of order keys.
package enum SparseOrder {
    package static let first: Int64 = 2048
    package static let step: Int64 = 1024

    /// The key at a position of a new collection.
    package static func key(at position: Int) -> Int64 { first + Int64(position) * step }

    /// Keys for members in their new order that keep as many of the present keys as possible.
    ///
    /// - Parameter present: Each member's key now; nil for a new one.
    /// - Returns: Strictly ascending keys. All are new where there is no room between two that stay.
    package static func keys(for present: [Int64?]) -> [Int64] {
        let kept = longestAscending(present)
        var keys = present.map { $0 ?? 0 }
        var start = 0
        while start < present.count {
            if kept[start] {
                start += 1
                continue
            }
            var end = start
            while end < present.count, !kept[end] { end += 1 }
            let lower = start > 0 ? keys[start - 1] : nil
            let upper = end < present.count ? keys[end] : nil
            guard let filled = filling(end - start, above: lower, below: upper) else {
                return present.indices.map(key(at:))
            }
            keys.replaceSubrange(start..<end, with: filled)
            start = end
        }
        return keys
    }

    /// A number of keys between two others; nil where there is no room.
    private static func filling(_ count: Int, above lower: Int64?, below upper: Int64?) -> [Int64]? {
        guard let upper else {
            guard let lower else { return (0..<count).map(key(at:)) }
            guard lower < .max / 2 else { return nil }
            return (1...count).map { lower + Int64($0) * step }
        }
        let lower = lower ?? 0
        let (room, overflow) = upper.subtractingReportingOverflow(lower)
        guard !overflow, room > Int64(count) else { return nil }
        return (1...count).map { lower + Int64($0) * (room / Int64(count + 1)) }
    }

    /// Which of the present keys form a longest ascending sequence.
    private static func longestAscending(_ present: [Int64?]) -> [Bool] {
        // The positions whose keys end the best sequence of each length, and each position's predecessor.
        var ends: [Int] = []
        var predecessors = [Int](repeating: -1, count: present.count)
        func value(_ position: Int) -> Int64 { present[position] ?? 0 }
        for (position, key) in present.enumerated() {
            guard let key else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if value(ends[middle]) < key { low = middle + 1 } else { high = middle }
            }
            if low > 0 { predecessors[position] = ends[low - 1] }
            if low == ends.count { ends.append(position) } else { ends[low] = position }
        }
        var kept = [Bool](repeating: false, count: present.count)
        var position = ends.last ?? -1
        while position >= 0 {
            kept[position] = true
            position = predecessors[position]
        }
        return kept
    }
}
