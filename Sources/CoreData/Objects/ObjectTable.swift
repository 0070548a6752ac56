// Pointers by the numbers of rows: what a context's registry looks things up in, several times for each object. Numbers mostly follow each
// other, so that eight of them stand side by side, where the processor has the next ones at hand, and a multiplication spreads the eights
// well enough; beside a dictionary this takes half of the memory and less than half of the time.

/// The objects of one numbering of rows.
@safe struct ObjectTable {
    @safe private struct Entry {
        var number: Int64
        var pointer: UnsafeRawPointer?
    }

    /// A power of two many; an object stands at its number's place or behind it, without a gap between.
    private var entries: [Entry] = []
    private var shift = 64
    private(set) var count = 0

    subscript(number: Int64) -> UnsafeRawPointer? {
        guard count > 0 else { return nil }
        return unsafe entries[place(of: number)].pointer
    }

    mutating func insert(_ pointer: UnsafeRawPointer, for number: Int64) {
        // Seven of eight places are used at most.
        if (count + 1) * 8 > entries.count * 7 { grow() }
        let place = place(of: number)
        if unsafe entries[place].pointer == nil { count += 1 }
        unsafe entries[place] = Entry(number: number, pointer: pointer)
    }

    mutating func remove(_ number: Int64) {
        guard count > 0 else { return }
        var gap = place(of: number)
        guard unsafe entries[gap].pointer != nil else { return }
        count -= 1
        // What stands behind the gap moves up, unless that would be before its own place.
        let mask = entries.count - 1
        var next = (gap + 1) & mask
        while unsafe entries[next].pointer != nil {
            let home = home(of: entries[next].number)
            if (next - home) & mask >= (next - gap) & mask {
                entries[gap] = entries[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        unsafe entries[gap] = Entry(number: 0, pointer: nil)
    }

    /// All pointers, in no order.
    var pointers: [UnsafeRawPointer] { unsafe entries.compactMap { unsafe $0.pointer } }

    // MARK: Places

    private func home(of number: Int64) -> Int {
        let block = ((UInt64(bitPattern: number) >> 3) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(shift + 3)
        return Int(truncatingIfNeeded: block << 3) | Int(truncatingIfNeeded: number & 7)
    }

    /// Where a number stands, or the free place that it would get.
    private func place(of number: Int64) -> Int {
        let mask = entries.count - 1
        var place = home(of: number)
        while unsafe entries[place].pointer != nil, entries[place].number != number { place = (place + 1) & mask }
        return place
    }

    private mutating func grow() {
        let old = entries
        let size = max(8, old.count * 2)
        entries = unsafe Array(repeating: Entry(number: 0, pointer: nil), count: size)
        shift = 64 - size.trailingZeroBitCount
        for entry in old where unsafe entry.pointer != nil { entries[place(of: entry.number)] = entry }
    }
}
