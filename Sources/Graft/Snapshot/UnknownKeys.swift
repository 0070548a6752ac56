// The keys in the data that no property maps to, and those that an object has again. Each is counted, so that a report can name it; what becomes of it is said by
// `ImportOptions.unknownKeys`. Objects by the thousand have the same unknown keys, so none of them is made a String twice.

/// Counts unknown and repeated keys by the place in the mapping where they were met.
struct UnknownKeys {
    struct Entry {
        /// The number of the entity.
        var entity: Int
        /// The keys that lead there from the entity's object.
        var path: [String]
        /// Whether it is known, and was in the object before.
        var isRepeated = false
        var count = 0
    }

    private struct Key: Hashable {
        var tree: Int
        var hash: UInt64
        var isRepeated: Bool
    }

    /// How many different keys are told apart. Data with more has them as values, such as identifiers.
    private static let limit = 1000

    private(set) var entries: [Entry] = []
    private var numbers: [Key: Int] = [:]
    /// The numbers of the entries that were met since the log was last cleared.
    var log: [Int] = []
    /// Whether what is met counts. It doesn't where a text is read a second time.
    var isCounting = true

    /// Notes a key.
    ///
    /// - Parameter tree: The keys that are known in its place.
    mutating func note(
        _ key: JSONText, isRepeated: Bool, in tree: KeyTree, of entity: Int, _ reader: borrowing JSONReader
    ) {
        let hash = reader.withContents(of: key) { bytes in
            // FNV-1a; a collision would count one key under the name of another.
            bytes.indices.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64(bytes[$1])) &* 0x100_0000_01B3 }
        }
        let place = Key(tree: tree.firstKeyNumber, hash: hash, isRepeated: isRepeated)
        if let number = numbers[place] { return met(number) }
        let isFull = entries.count >= Self.limit
        if !isFull || entries.count == Self.limit {
            let path = isFull ? ["..."] : tree.path + [reader.string(of: key)]
            entries.append(Entry(entity: entity, path: path, isRepeated: isRepeated))
        }
        let number = min(entries.count, Self.limit + 1) - 1
        if !isFull { numbers[place] = number }
        met(number)
    }

    /// Notes a repeated key of an attribute's tree.
    mutating func noteRepeated(path: [String], of entity: Int) {
        guard isCounting else { return }
        if let number = entries.firstIndex(where: { $0.isRepeated && $0.entity == entity && $0.path == path }) {
            entries[number].count += 1
        } else if entries.count < Self.limit {
            entries.append(Entry(entity: entity, path: path, isRepeated: true, count: 1))
        }
    }

    /// Counts an entry once more.
    mutating func met(_ number: Int) {
        if isCounting { entries[number].count += 1 }
        log.append(number)
    }

    /// The names of the keys in a part of the log.
    func names(from start: Int) -> [String] { log[start...].map { entries[$0].path.last ?? "" } }
}
