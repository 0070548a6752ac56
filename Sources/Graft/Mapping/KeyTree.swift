// From the keys of a JSON object to properties. Where key paths have several steps, there is a table for each object on
// the way: `location.latitude` and `location.longitude` share the one below `location`.

/// The keys that one JSON object may have, and what stands under each.
final class KeyTree: Sendable {
    /// What becomes of the value of a key.
    enum Role: UInt8, Sendable {
        case attribute, toOne, toMany
        /// An object on the way to further keys.
        case step
        /// A value that is known and not read: what an export writes and an import has no use for.
        case ignored
    }

    struct Target: Sendable {
        var role: Role
        /// The number of the property, for attributes and relationships.
        var property = -1
        /// How many places of the property are tried before this one.
        var rank: UInt8 = 0
        /// Whether the value is all there is to it: one place for one property, without policies that concern the reader.
        var isPlain = true
        /// What few keys have: one reference to copy for each key that is read.
        fileprivate(set) var more: More?

        /// The table below, for a step.
        var subtree: KeyTree? { more?.subtree }

        /// The further targets of the same key: one value may fill several properties.
        var others: [Target] { more?.others ?? [] }

        /// The target without the further ones.
        var alone: Target {
            var alone = self
            alone.more = subtree.map { More(subtree: $0, others: []) }
            return alone
        }
    }

    /// What few keys have.
    final class More: Sendable {
        let subtree: KeyTree?
        let others: [Target]

        fileprivate init(subtree: KeyTree?, others: [Target]) {
            self.subtree = subtree
            self.others = others
        }
    }

    /// A property that a value somewhere below fills.
    struct Leaf: Sendable {
        var property: Int
        var rank: UInt8
    }

    let table: JSONKeyTable
    /// Parallel to the table's keys.
    let targets: [Target]
    /// All properties filled from here, those below steps included, with the ranks of their places.
    let leaves: [Leaf]
    /// Where the reader keeps, for each key, which one came after it last time.
    let firstKeyNumber: Int
    /// The keys that lead here from the entity's object.
    let path: [String]

    fileprivate init(keys: [String], targets: [Target], leaves: [Leaf], firstKeyNumber: Int, path: [String]) {
        self.path = path
        table = JSONKeyTable(keys)
        self.targets = targets
        self.leaves = leaves
        self.firstKeyNumber = firstKeyNumber
    }
}

/// Puts paths together into trees.
struct KeyTreeBuilder {
    /// One path with what stands at its end.
    struct Entry {
        var path: [String]
        var role: KeyTree.Role
        var property: Int
        var rank: UInt8 = 0
        var isPlain = true
    }

    /// Adds the places that are known and not read, as far as nothing else stands there or on the way.
    static func adding(ignored paths: [[String]], to entries: [Entry]) -> [Entry] {
        var all = entries
        for path in paths where !path.isEmpty {
            let isTaken = all.contains { $0.path.starts(with: path) || path.starts(with: $0.path) }
            if !isTaken { all.append(Entry(path: path, role: .ignored, property: -1)) }
        }
        return all
    }

    /// How many keys all trees have; numbers the next ones.
    private(set) var keyCount = 0

    /// Makes the tree of some entries.
    ///
    /// - Parameter path: The keys that lead to it.
    mutating func tree(_ entries: [Entry], at path: [String] = []) -> KeyTree {
        var keys: [String] = []
        var groups: [JSONKeyBytes: [Entry]] = [:]
        for entry in entries {
            let key = JSONKeyBytes(entry.path.first ?? "")
            if groups[key] == nil { keys.append(key.text) }
            groups[key, default: []].append(entry)
        }
        let first = keyCount
        keyCount += keys.count
        let targets = keys.map { target(groups[JSONKeyBytes($0)] ?? [], at: path + [$0]) }
        let leaves = entries.filter { $0.role != .ignored }.map { KeyTree.Leaf(property: $0.property, rank: $0.rank) }
            .sorted { ($0.property, $0.rank) < ($1.property, $1.rank) }
        return KeyTree(keys: keys, targets: targets, leaves: leaves, firstKeyNumber: first, path: path)
    }

    private mutating func target(_ entries: [Entry], at path: [String]) -> KeyTree.Target {
        var targets = entries.filter { $0.path.count == 1 }.map {
            KeyTree.Target(role: $0.role, property: $0.property, rank: $0.rank, isPlain: $0.isPlain)
        }
        let below = entries.filter { $0.path.count > 1 }
        if !below.isEmpty {
            let shortened = below.map { entry in
                var shorter = entry
                shorter.path.removeFirst()
                return shorter
            }
            targets.append(KeyTree.Target(role: .step, more: .init(subtree: tree(shortened, at: path), others: [])))
        }
        // An entry has a path of at least one key, so there is a target.
        var first = targets.removeFirst()
        if !targets.isEmpty { first.more = .init(subtree: first.subtree, others: targets) }
        first.isPlain = first.isPlain && targets.isEmpty
        return first
    }
}
