// From the bytes of a key to a number. The importer asks for every key of every object, so nothing here makes a String,
// and the usual case, keys in the order of the object before, is one comparison.

/// A fixed list of keys, for looking up the keys of a JSON text by their bytes.
package struct JSONKeyTable: Sendable {
    /// The keys, in the order that was given. Their indices are what lookups return.
    package let keys: [String]

    /// The UTF-8 of all keys, one behind the other.
    private let bytes: [UInt8]
    /// Where each key begins in `bytes`; one more entry for the end.
    private let starts: [Int]
    /// Open addressing with linear probing: an index plus one, or 0. A power of two, at most half full.
    private let slots: [Int32]

    /// Creates a table. Where a key repeats, lookups find the first one.
    package init(_ keys: [String]) {
        self.keys = keys
        bytes = keys.flatMap { Array($0.utf8) }
        starts = keys.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.utf8.count) }
        var size = 4
        while size < keys.count * 2 { size *= 2 }
        var slots = [Int32](repeating: 0, count: size)
        for (index, key) in keys.enumerated() {
            var slot = key.withUTF8Span { Self.hash($0) } & (size - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Int32(index + 1)
        }
        self.slots = slots
    }

    /// Returns the index of a key, or nil.
    ///
    /// - Parameters:
    ///   - key: The key's UTF-8.
    ///   - expected: The index to try first: best the one after the latest that was found.
    package func index(of key: Span<UInt8>, expected: Int = 0) -> Int? {
        if expected < keys.count, isEqual(key, expected) { return expected }
        var slot = Self.hash(key) & (slots.count &- 1)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) &- 1
            if isEqual(key, index) { return index }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        return nil
    }

    private func isEqual(_ key: Span<UInt8>, _ index: Int) -> Bool {
        let start = starts[index]
        guard starts[index &+ 1] &- start == key.count else { return false }
        for offset in key.indices where key[offset] != bytes[start &+ offset] { return false }
        return true
    }

    /// FNV-1a. The keys in the table are the model's, so nobody else can make them collide.
    private static func hash(_ bytes: Span<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: (hash ^ hash >> 32) & 0x7FFF_FFFF)
    }
}

extension JSONReader {
    /// Returns the index of a key in a table, or nil; escape sequences in the key are decoded.
    package borrowing func index(of key: JSONText, in table: JSONKeyTable, expected: Int = 0) -> Int? {
        withContents(of: key) { table.index(of: $0, expected: expected) }
    }
}
