// From identities to rows: a hash table of numbers. Keys aren't stored; who looks something up compares with the row.

/// The rows of one identity space by the hash of their identity.
struct IdentityIndex: Sendable {
    private struct Entry {
        var hash: UInt64
        var reference: RowReference
    }

    private var entries: [Entry] = []
    /// Open addressing with linear probing: the number of an entry plus one, or 0. At most half full.
    private var slots: [UInt32] = []

    /// Returns the first row with a hash for which the closure returns true.
    @inline(__always)
    func first(_ hash: UInt64, where isMatch: (RowReference) -> Bool) -> RowReference? {
        guard !slots.isEmpty else { return nil }
        var slot = Int(truncatingIfNeeded: hash) & (slots.count &- 1)
        while slots[slot] != 0 {
            let entry = entries[Int(slots[slot]) &- 1]
            if entry.hash == hash, !entry.reference.isNone, isMatch(entry.reference) { return entry.reference }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        return nil
    }

    /// Enters a row.
    mutating func insert(_ reference: RowReference, hash: UInt64) {
        if (entries.count &+ 1) &* 2 > slots.count { grow() }
        entries.append(Entry(hash: hash, reference: reference))
        place(entries.count &- 1)
    }

    /// Lets what leads to one row lead to another one with the same identity.
    mutating func replace(_ old: RowReference, by new: RowReference, hash: UInt64) {
        for number in entries.indices where entries[number].hash == hash && entries[number].reference == old {
            entries[number].reference = new
        }
    }

    /// Forgets a row. Its place in the table stays taken.
    mutating func remove(_ reference: RowReference, hash: UInt64) {
        guard !slots.isEmpty else { return }
        var slot = Int(truncatingIfNeeded: hash) & (slots.count &- 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) &- 1
            if entries[number].reference == reference { entries[number].reference = .none }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
    }

    /// Forgets all rows and keeps the memory.
    mutating func removeAll() {
        guard !entries.isEmpty else { return }
        entries.removeAll(keepingCapacity: true)
        for slot in slots.indices { slots[slot] = 0 }
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: max(16, slots.count * 2))
        for number in entries.indices { place(number) }
    }

    private mutating func place(_ number: Int) {
        var slot = Int(truncatingIfNeeded: entries[number].hash) & (slots.count &- 1)
        while slots[slot] != 0 { slot = (slot &+ 1) & (slots.count &- 1) }
        slots[slot] = UInt32(truncatingIfNeeded: number &+ 1)
    }
}
