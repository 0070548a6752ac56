// The existing name that a misspelt one most likely stands for.

/// Suggestions for names.
enum ClosestName {
    /// Returns the candidate with the fewest edits, ignoring case, if they are at most a third of the name (and two for
    /// a short one); the first in order where several are as close.
    static func to(_ name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased().unicodeScalars.prefix(longest))
        var best: (name: String, distance: Int)?
        for candidate in candidates.sorted() where candidate != name {
            let distance = distance(wanted, Array(candidate.lowercased().unicodeScalars.prefix(longest)))
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        guard let best, best.distance <= max(2, wanted.count / 3), best.distance < wanted.count else { return nil }
        return best.name
    }

    /// Names beyond this are compared by their beginning, which bounds the work.
    private static let longest = 64

    /// The number of insertions, deletions and replacements that make one of the other (Levenshtein).
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var row = Array(0...right.count)
        for (index, scalar) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let above = row[column + 1]
                let replaced = diagonal + (right[column] == scalar ? 0 : 1)
                row[column + 1] = min(replaced, above + 1, row[column] + 1)
                diagonal = above
            }
        }
        return row[right.count]
    }
}
