// From identities to rows and objects: a hash table of numbers. Keys aren't stored; who looks something up compares.

/// The elements of one identity space, such as rows or objects, by the hash of their identity.
struct HashIndex<Element> {
    fileprivate struct Entry {
        var hash: UInt64
        var element: Element
    }

    private var entries: [Entry] = []
    private var slots = HashSlots()

    var isEmpty: Bool { entries.isEmpty }

    /// Returns the first element with a hash for which the closure returns true.
    @inline(__always)
    func first(_ hash: UInt64, where isMatch: (Element) throws -> Bool) rethrows -> Element? {
        try number(hash, where: isMatch).map { entries[$0].element }
    }

    @inline(__always)
    private func number(_ hash: UInt64, where isMatch: (Element) throws -> Bool) rethrows -> Int? {
        try slots.first(hash) { try entries[$0].hash == hash && isMatch(entries[$0].element) }
    }

    /// Enters an element.
    mutating func insert(_ element: Element, hash: UInt64) {
        entries.append(Entry(hash: hash, element: element))
        slots.append(entries.count &- 1) { entries[$0].hash }
    }

    /// Forgets all elements and keeps the memory.
    mutating func removeAll() {
        guard !entries.isEmpty else { return }
        entries.removeAll(keepingCapacity: true)
        slots.removeAll()
    }
}

extension HashIndex: Sendable where Element: Sendable {}
extension HashIndex.Entry: Sendable where Element: Sendable {}

extension HashIndex where Element: Equatable {
    /// Puts one element, which has the same identity, in the place of another.
    mutating func replace(_ old: Element, by new: Element, hash: UInt64) {
        if let number = number(hash, where: { $0 == old }) { entries[number].element = new }
    }

    /// Forgets an element. Its place in the table stays taken.
    mutating func remove(_ element: Element, hash: UInt64) {
        if let number = number(hash, where: { $0 == element }) { entries[number].hash = ~hash }
    }
}

/// The numbers of entries, which somebody else keeps, by their hashes.
struct HashSlots: Sendable {
    /// Open addressing with linear probing: the number of an entry plus one, or 0. At most half full.
    private var slots: [UInt32] = []

    /// Returns the first number for which the closure returns true, among those that may have a hash.
    ///
    /// - Parameter limit: How many are tried.
    @inline(__always)
    func first(_ hash: UInt64, trying limit: Int = .max, where isMatch: (Int) throws -> Bool) rethrows -> Int? {
        guard !slots.isEmpty else { return nil }
        var slot = Int(truncatingIfNeeded: hash) & (slots.count &- 1)
        var tried = 0
        while slots[slot] != 0, tried < limit {
            let number = Int(slots[slot]) &- 1
            if try isMatch(number) { return number }
            slot = (slot &+ 1) & (slots.count &- 1)
            tried &+= 1
        }
        return nil
    }

    /// Enters the number of the last entry, which is how many there were before.
    ///
    /// - Parameter hash: The hash of an entry.
    @inline(__always)
    mutating func append(_ number: Int, hash: (Int) -> UInt64) {
        if (number &+ 1) &* 2 > slots.count {
            slots = [UInt32](repeating: 0, count: max(16, slots.count * 2))
            for number in 0..<number { place(number, hash(number)) }
        }
        place(number, hash(number))
    }

    private mutating func place(_ number: Int, _ hash: UInt64) {
        var slot = Int(truncatingIfNeeded: hash) & (slots.count &- 1)
        while slots[slot] != 0 { slot = (slot &+ 1) & (slots.count &- 1) }
        slots[slot] = UInt32(truncatingIfNeeded: number &+ 1)
    }

    /// Forgets all numbers and keeps the memory.
    mutating func removeAll() { for slot in slots.indices { slots[slot] = 0 } }
}
