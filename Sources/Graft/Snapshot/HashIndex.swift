// From identities to rows and objects: a hash table of numbers. Keys aren't stored; who looks something up compares.

/// The elements of one identity space, such as rows or objects, by the hash of their identity.
struct HashIndex<Element> {
    fileprivate struct Entry {
        var hash: UInt64
        var element: Element
    }

    private var entries: [Entry] = []
    /// Open addressing with linear probing: the number of an entry plus one, or 0. At most half full.
    private var slots: [UInt32] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Returns the first element with a hash for which the closure returns true.
    @inline(__always)
    func first(_ hash: UInt64, where isMatch: (Element) throws -> Bool) rethrows -> Element? {
        guard !slots.isEmpty else { return nil }
        var slot = Int(truncatingIfNeeded: hash) & (slots.count &- 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) &- 1
            if entries[number].hash == hash, try isMatch(entries[number].element) { return entries[number].element }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        return nil
    }

    /// Enters an element.
    mutating func insert(_ element: Element, hash: UInt64) {
        if (entries.count &+ 1) &* 2 > slots.count { grow() }
        entries.append(Entry(hash: hash, element: element))
        place(entries.count &- 1)
    }

    /// Forgets all elements and keeps the memory.
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

extension HashIndex: Sendable where Element: Sendable {}
extension HashIndex.Entry: Sendable where Element: Sendable {}

extension HashIndex where Element: Equatable {
    /// Puts one element, which has the same identity, in the place of another.
    mutating func replace(_ old: Element, by new: Element, hash: UInt64) {
        if let number = number(of: old, hash) { entries[number].element = new }
    }

    /// Forgets an element. Its place in the table stays taken.
    mutating func remove(_ element: Element, hash: UInt64) {
        if let number = number(of: element, hash) { entries[number].hash = ~hash }
    }

    private func number(of element: Element, _ hash: UInt64) -> Int? {
        guard !slots.isEmpty else { return nil }
        var slot = Int(truncatingIfNeeded: hash) & (slots.count &- 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) &- 1
            if entries[number].hash == hash, entries[number].element == element { return number }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        return nil
    }
}
