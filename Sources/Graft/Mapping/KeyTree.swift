// From the keys of a JSON object to properties. Where key paths have several steps, there is a table for each object on
// the way: `location.latitude` and `location.longitude` share the one below `location`.

/// The keys that one JSON object may have, and what stands under each.
final class KeyTree: Sendable {
    /// What becomes of the value of a key.
    enum Role: UInt8, Sendable {
        case attribute, toOne, toMany
        /// An object on the way to further keys.
        case step
    }

    struct Target: Sendable {
        var role: Role
        /// The number of the property, for attributes and relationships.
        var property = -1
        /// The table below, for a step.
        var subtree: KeyTree?
        /// The further targets of the same key: one value may fill several properties.
        var others: [Target] = []
    }

    let table: JSONKeyTable
    /// Parallel to the table's keys.
    let targets: [Target]
    /// The numbers of all properties filled from here, those below steps included.
    let properties: [Int]
    /// Where the reader keeps, for each key, which one came after it last time.
    let firstKeyNumber: Int

    fileprivate init(keys: [String], targets: [Target], properties: [Int], firstKeyNumber: Int) {
        table = JSONKeyTable(keys)
        self.targets = targets
        self.properties = properties
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
    }

    /// How many keys all trees have; numbers the next ones.
    private(set) var keyCount = 0

    /// Makes the tree of some entries.
    mutating func tree(_ entries: [Entry]) -> KeyTree {
        var keys: [String] = []
        var groups: [String: [Entry]] = [:]
        for entry in entries {
            let key = entry.path.first ?? ""
            if groups[key] == nil { keys.append(key) }
            groups[key, default: []].append(entry)
        }
        let first = keyCount
        keyCount += keys.count
        let targets = keys.map { target(groups[$0] ?? []) }
        let properties = Set(entries.map(\.property)).sorted()
        return KeyTree(keys: keys, targets: targets, properties: properties, firstKeyNumber: first)
    }

    private mutating func target(_ entries: [Entry]) -> KeyTree.Target {
        var targets = entries.filter { $0.path.count == 1 }.map {
            KeyTree.Target(role: $0.role, property: $0.property)
        }
        let below = entries.filter { $0.path.count > 1 }
        if !below.isEmpty {
            let shortened = below.map { Entry(path: Array($0.path.dropFirst()), role: $0.role, property: $0.property) }
            targets.append(KeyTree.Target(role: .step, subtree: tree(shortened)))
        }
        // An entry has a path of at least one key, so there is a target.
        var first = targets.removeFirst()
        first.others = targets
        return first
    }
}
