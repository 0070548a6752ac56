// "Did you mean": the name that is closest to a mistyped one.

/// Finds the name that was probably meant.
package enum NameSuggestion {
    /// Returns the candidate that is closest to a name, or nil where none is close.
    ///
    /// Close is a distance (``distance(_:_:)``, case ignored) of at most a third of the name's length, at least 1. Of
    /// equally close candidates the alphabetically first one is taken.
    package static func closest(to name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = name.lowercased()
        let limit = max(1, wanted.count / 3)
        let ranked = candidates.map { (distance: distance(wanted, $0.lowercased()), name: $0) }
        let best = ranked.min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        return best.flatMap { $0.distance <= limit ? $0.name : nil }
    }

    /// Returns how many characters have to be inserted, deleted, replaced or swapped with their neighbour to turn one
    /// name into the other (optimal string alignment).
    package static func distance(_ first: String, _ second: String) -> Int {
        let a = Array(first)
        let b = Array(second)
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i] + [Int](repeating: 0, count: b.count)
            for j in 1...b.count {
                let replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                row[j] = min(last[j] + 1, row[j - 1] + 1, replaced)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    row[j] = min(row[j], beforeLast[j - 2] + 1)
                }
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
