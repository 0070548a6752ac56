// From identities to unsaved objects: those of the import's earlier batches and those that were there before it.

import CoreData

/// The unsaved objects of one identity space by the hash of their identity.
struct ObjectIndex {
    private struct Entry {
        var hash: UInt64
        var object: NSManagedObject
    }

    private var entries: [Entry] = []
    /// Open addressing with linear probing: the number of an entry plus one, or 0. At most half full.
    private var slots: [UInt32] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Returns the first object with a hash for which the closure returns true.
    @inline(__always)
    func first(_ hash: UInt64, where isMatch: (NSManagedObject) throws -> Bool) rethrows -> NSManagedObject? {
        guard !slots.isEmpty else { return nil }
        var slot = Int(truncatingIfNeeded: hash) & (slots.count &- 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) &- 1
            if entries[number].hash == hash, try isMatch(entries[number].object) { return entries[number].object }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        return nil
    }

    mutating func insert(_ object: NSManagedObject, hash: UInt64) {
        if (entries.count &+ 1) &* 2 > slots.count { grow() }
        entries.append(Entry(hash: hash, object: object))
        place(entries.count &- 1)
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
