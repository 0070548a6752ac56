// What becomes of the elements of one list in another: which stay, which move, which come and go; and the fewest single
// steps that lead from one to the other.
//
//     old  a b c d      new  c a x d
//     stays: a d (the longest run in order)   moves: c   goes: b   comes: x
//     steps: remove 1, move 1 -> 0, insert x at 2
//
// Every step's index is that of the list as the steps before it have left it. This is where patches of others fail to
// apply, so the tests run the steps of random lists.

/// The steps from one list to another, elements being known by keys.
struct ListAlignment {
    /// One step. Indexes count in the list that the steps before have left.
    enum Step: Equatable {
        case remove(at: Int, old: Int)
        case insert(at: Int, new: Int)
        case move(from: Int, to: Int)
    }

    /// By index in the new list: the index in the old one, nil for an element that is new.
    private(set) var origins: [Int?]
    /// By index in the old list: whether the element is in the new one, too.
    private var survives: [Bool]
    /// By index in the new list: whether the element keeps its place among those that are in both.
    private var stays: [Bool]

    /// Aligns two lists.
    ///
    /// - Parameters:
    ///   - old: The keys of the old list. A key may repeat.
    ///   - new: Those of the new one.
    ///   - unnamed: The indexes, in the old and in the new list, of elements that may turn into others: those that are
    ///     in one list only and have no identity.
    ///   - canBecome: Whether one of the first may turn into one of the second, between the same neighbours.
    /// - Complexity: O(*n* log *n*).
    init<Key: Hashable>(
        from old: [Key], to new: [Key],
        unnamed: (old: (Int) -> Bool, new: (Int) -> Bool) = ({ _ in false }, { _ in false }),
        canBecome: (_ old: Int, _ new: Int) -> Bool = { _, _ in false }
    ) {
        origins = Array(repeating: nil, count: new.count)
        survives = Array(repeating: false, count: old.count)
        stays = Array(repeating: false, count: new.count)
        match(old, new)
        for index in Self.longestRun(origins) { stays[index] = true }
        pairReplaced(unnamed.old, unnamed.new, canBecome)
    }

    /// Finds equal keys: at both ends first, then the n-th of the one list with the n-th of the other.
    private mutating func match<Key: Hashable>(_ old: [Key], _ new: [Key]) {
        var start = 0
        while start < min(old.count, new.count), old[start] == new[start] {
            connect(start, start)
            start += 1
        }
        var end = 0
        while end < min(old.count, new.count) - start, old[old.count - 1 - end] == new[new.count - 1 - end] {
            connect(old.count - 1 - end, new.count - 1 - end)
            end += 1
        }
        var places: [Key: [Int]] = [:]
        for index in (start..<old.count - end).reversed() { places[old[index], default: []].append(index) }
        for index in start..<new.count - end {
            if let origin = places[new[index]]?.popLast() { connect(origin, index) }
        }
    }

    private mutating func connect(_ old: Int, _ new: Int) {
        origins[new] = old
        survives[old] = true
    }

    /// The indexes of a longest strictly increasing run of origins, by patience sorting.
    private static func longestRun(_ origins: [Int?]) -> [Int] {
        // For each length the index that ends a run of that length with the smallest origin.
        var ends: [Int] = []
        var before = [Int?](repeating: nil, count: origins.count)
        func value(_ index: Int) -> Int { origins[index] ?? -1 }
        for (index, origin) in origins.enumerated() {
            guard let origin else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if value(ends[middle]) < origin { low = middle + 1 } else { high = middle }
            }
            before[index] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var run: [Int] = []
        var next = ends.last
        while let index = next {
            run.append(index)
            next = before[index]
        }
        return run
    }

    /// Between two elements that stay, pairs what goes with what comes.
    private mutating func pairReplaced(
        _ isOld: (Int) -> Bool, _ isNew: (Int) -> Bool, _ canBecome: (Int, Int) -> Bool
    ) {
        var old = 0
        var waiting: [Int] = []
        func pair(upTo end: Int, _ alignment: inout ListAlignment) {
            var waitingOnes = waiting[...]
            for index in old..<max(old, end) where !alignment.survives[index] && isOld(index) {
                guard let new = waitingOnes.first else { break }
                guard canBecome(index, new) else { continue }
                waitingOnes.removeFirst()
                alignment.connect(index, new)
                alignment.stays[new] = true
            }
        }
        for new in origins.indices {
            if stays[new], let origin = origins[new] {
                pair(upTo: origin, &self)
                (old, waiting) = (origin + 1, [])
            } else if origins[new] == nil, isNew(new) {
                waiting.append(new)
            }
        }
        pair(upTo: survives.count, &self)
    }

    /// The steps in the order in which they are taken: what goes, from the end, then from the start what comes and
    /// moves.
    ///
    /// - Complexity: O(*n* log *n*).
    var steps: [Step] {
        var steps = survives.indices.reversed().filter { !survives[$0] }.map { Step.remove(at: $0, old: $0) }
        // What is left of the old list, by its rank there. Those that haven't been placed yet count in the tree; those
        // before the cursor that move later stand behind what has been placed before the element that follows them.
        var rank = [Int](repeating: 0, count: survives.count)
        var count = 0
        for index in survives.indices where survives[index] {
            rank[index] = count
            count += 1
        }
        var waiting = CountTree(count: count)
        let following = followers(count, rank)
        var lastStay: Int?
        for new in origins.indices {
            let cursor = new + (lastStay.map { waiting.count(below: $0) } ?? 0)
            guard let origin = origins[new].map({ rank[$0] }) else {
                steps.append(.insert(at: cursor, new: new))
                continue
            }
            if stays[new] {
                lastStay = origin
            } else {
                let from = min(new, following[origin]) + waiting.count(below: origin)
                let to = from < cursor ? cursor - 1 : cursor
                if from != to { steps.append(.move(from: from, to: to)) }
            }
            waiting.remove(origin)
        }
        return steps
    }

    /// By rank: the new index of the next element that stays; the count of the new list where there is none.
    private func followers(_ count: Int, _ rank: [Int]) -> [Int] {
        var following = [Int](repeating: origins.count, count: count)
        for (new, origin) in origins.enumerated() {
            if stays[new], let origin { following[rank[origin]] = new }
        }
        var next = origins.count
        for index in following.indices.reversed() {
            next = min(next, following[index])
            following[index] = next
        }
        return following
    }
}

/// Counts which of the numbers below *n* are still there (a Fenwick tree).
private struct CountTree {
    private var sums: [Int]

    init(count: Int) { sums = (0..<count).map { ($0 + 1) & -($0 + 1) } }

    func count(below end: Int) -> Int {
        var (sum, index) = (0, end)
        while index > 0 {
            sum += sums[index - 1]
            index &= index - 1
        }
        return sum
    }

    mutating func remove(_ number: Int) {
        var index = number + 1
        while index <= sums.count {
            sums[index - 1] -= 1
            index += index & -index
        }
    }
}
