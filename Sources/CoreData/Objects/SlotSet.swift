// A set of slot numbers. Entities with up to 64 properties need no allocation.

/// A set of slots of one entity.
package struct SlotSet: Equatable {
    private var low: UInt64 = 0
    private var high: [UInt64] = []

    package init() {}

    /// All slots from 0 up to `count`.
    package init(all count: Int) {
        for slot in 0..<count { insert(slot) }
    }

    package var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

    package func contains(_ slot: Int) -> Bool {
        if slot < 64 { return low & (1 << UInt64(slot)) != 0 }
        let word = slot / 64 - 1
        return word < high.count && high[word] & (1 << UInt64(slot % 64)) != 0
    }

    package mutating func insert(_ slot: Int) {
        if slot < 64 {
            low |= 1 << UInt64(slot)
            return
        }
        let word = slot / 64 - 1
        while high.count <= word { high.append(0) }
        high[word] |= 1 << UInt64(slot % 64)
    }

    package mutating func remove(_ slot: Int) {
        if slot < 64 {
            low &= ~(1 << UInt64(slot))
        } else if slot / 64 - 1 < high.count {
            high[slot / 64 - 1] &= ~(1 << UInt64(slot % 64))
        }
    }

    package mutating func removeAll() {
        low = 0
        high = []
    }

    package mutating func formUnion(_ other: SlotSet) {
        low |= other.low
        for (word, bits) in other.high.enumerated() {
            if word < high.count { high[word] |= bits } else { high.append(bits) }
        }
    }
}

extension SlotSet: Sequence {
    /// The slots in ascending order.
    package struct Iterator: IteratorProtocol {
        private var bits: UInt64
        private var word = 0
        private let high: [UInt64]

        fileprivate init(_ set: SlotSet) { (bits, high) = (set.low, set.high) }

        package mutating func next() -> Int? {
            while bits == 0 {
                guard word < high.count else { return nil }
                bits = high[word]
                word += 1
            }
            let bit = bits.trailingZeroBitCount
            bits &= bits - 1
            return word * 64 + bit
        }
    }

    package func makeIterator() -> Iterator { Iterator(self) }
}

extension SlotSet: Hashable {}
