// Nested objects that were read before. A payload repeats them byte by byte ("publisher": {"id": "10", "name": ...} in
// every hero), and to read one again would give the same row again: so it is looked up by its bytes and skipped.

import Foundation

/// The objects of one entity that were read as nested objects, and have none in them, by their bytes. Belongs to one reader.
struct NestedObjectMemo {
    /// What had happened to an object's row when it was read. It needn't be read again as long as nothing more has happened.
    struct Stamp: Equatable {
        /// The number of the batch.
        var batch: UInt32
        /// How often the row was merged with.
        var merges: UInt32
    }

    /// An object that was read.
    struct Entry {
        var reference: RowReference
        var stamp: Stamp
        /// The relationships that it speaks of and that other objects may speak of, too.
        var links: [Int]
        /// The unknown keys in it (``UnknownKeys``).
        let unknownKeys: [Int]
        fileprivate let hash: UInt64
        fileprivate let start: Int
        /// The number of bytes from the opening to the closing brace.
        let length: Int
    }

    private static let maximumCount = 4096
    private static let maximumLength = 4096
    private static let maximumProbes = 16

    private var entries: [Entry] = []
    private var slots = HashSlots()
    private var bytes: [UInt8] = []
    private var lookups = 0
    private var hits = 0

    /// Whether looking up has paid off, or may still do so.
    var isWorthwhile: Bool { lookups < 4096 || hits &* 8 > lookups }

    subscript(number: Int) -> Entry { entries[number] }

    /// Finds an object among those read before, and returns its number.
    ///
    /// - Parameters:
    ///   - window: The bytes of the text that are in memory.
    ///   - offset: Where the object's brace stands in them.
    ///   - hash: ``hash(of:at:)`` of the same.
    mutating func match(in window: Span<UInt8>, at offset: Int, hash: UInt64) -> Int? {
        lookups &+= 1
        let found = slots.first(hash, trying: Self.maximumProbes) { number in
            entries[number].hash == hash && Self.isEqual(entries[number], of: bytes, window, offset)
        }
        if found != nil { hits &+= 1 }
        return found
    }

    /// Remembers for which row the bytes of an object now stand.
    mutating func update(_ number: Int, _ reference: RowReference, _ stamp: Stamp, links: [Int]) {
        entries[number].reference = reference
        entries[number].stamp = stamp
        entries[number].links = links
    }

    /// Remembers an object that has just been read.
    ///
    /// - Parameters:
    ///   - links: The relationships in it (``Entry/links``).
    ///   - unknownKeys: The unknown keys in it.
    mutating func insert(
        _ reference: RowReference, _ stamp: Stamp, links: [Int], unknownKeys: [Int], bytes text: Span<UInt8>,
        hash: UInt64
    ) {
        guard entries.count < Self.maximumCount, text.count <= Self.maximumLength else { return }
        entries.append(
            Entry(
                reference: reference, stamp: stamp, links: links, unknownKeys: unknownKeys, hash: hash,
                start: bytes.count, length: text.count))
        // Safe: the bytes are copied before the call ends.
        unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        slots.append(entries.count - 1) { entries[$0].hash }
    }

    @inline(__always)
    private static func isEqual(_ entry: Entry, of bytes: [UInt8], _ window: Span<UInt8>, _ offset: Int) -> Bool {
        guard entry.length <= window.count &- offset else { return false }
        return bytes.span.extracting(entry.start..<entry.start &+ entry.length)
            .hasSameBytes(as: window.extracting(offset..<offset &+ entry.length))
    }

    /// A hash of an object's first bytes: up to the first closing brace, which every object has, or 64 of them. What
    /// follows the object in the text doesn't go into it.
    static func hash(of window: Span<UInt8>, at offset: Int) -> UInt64 {
        let end = min(window.count, offset &+ 64)
        var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
        var at = offset
        while at &+ 8 <= end {
            let word = window.word(at: at)
            let braces = word ^ UInt64(repeating: 0x7D)
            // The lowest lane that is 0 gets its high bit set; higher ones may be wrong.
            let found = (braces &- UInt64(repeating: 1)) & ~braces & UInt64.highBits
            if found != 0 { return mixed(hash, word & ((1 &<< UInt64(found.trailingZeroBitCount & ~7)) &- 1)) }
            hash = mixed(hash, word)
            at &+= 8
        }
        while at < end, window[at] != 0x7D {
            hash = mixed(hash, UInt64(window[at]))
            at &+= 1
        }
        return hash
    }

    @inline(__always)
    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }
}
