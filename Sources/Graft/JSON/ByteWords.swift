// Eight bytes at a time: the byte scans behind the reader and the writer. The only unsafe loads of the JSON code are
// here. `JSONStringScanTests` compares each scan with its one-byte-at-a-time twin.

/// Finds where the plain part of a string ends.
enum JSONStringScan {
    /// Whether a byte can't be taken over as it is when a string is read: quote, backslash, control characters
    /// (RFC 8259, section 7) and everything that isn't ASCII, which has to be checked.
    @inline(__always)
    static func endsPlainRun(_ byte: UInt8) -> Bool {
        byte == 0x22 || byte == 0x5C || byte < 0x20 || byte >= 0x80
    }

    /// Whether a byte has to be escaped when a string is written.
    @inline(__always)
    static func needsEscape(_ byte: UInt8) -> Bool {
        byte == 0x22 || byte == 0x5C || byte < 0x20
    }

    /// Returns the offset of the first byte for which ``endsPlainRun(_:)`` is true, or the count.
    @inline(__always)
    static func endOfPlainRun(in bytes: Span<UInt8>, from start: Int) -> Int {
        var offset = start
        while offset &+ 8 <= bytes.count {
            let word = bytes.word(at: offset)
            let ends = (word.lanesToEscape | word) & UInt64.highBits
            if ends != 0 { return offset &+ ends.trailingZeroBitCount &>> 3 }
            offset &+= 8
        }
        while offset < bytes.count, !endsPlainRun(bytes[offset]) { offset &+= 1 }
        return offset
    }

    /// Returns the offset of the first byte for which ``needsEscape(_:)`` is true, or the count.
    @inline(__always)
    static func endOfUnescapedRun(in bytes: Span<UInt8>, from start: Int) -> Int {
        var offset = start
        while offset &+ 8 <= bytes.count {
            let ends = bytes.word(at: offset).lanesToEscape & UInt64.highBits
            if ends != 0 { return offset &+ ends.trailingZeroBitCount &>> 3 }
            offset &+= 8
        }
        while offset < bytes.count, !needsEscape(bytes[offset]) { offset &+= 1 }
        return offset
    }

    /// Returns the offset of the first byte that isn't a space, or the count. For runs, such as indentation.
    static func endOfSpaces(in bytes: Span<UInt8>, from start: Int) -> Int {
        var offset = start
        while offset &+ 8 <= bytes.count {
            let others = bytes.word(at: offset) ^ UInt64(repeating: 0x20)
            if others != 0 { return offset &+ others.trailingZeroBitCount &>> 3 }
            offset &+= 8
        }
        while offset < bytes.count, bytes[offset] == 0x20 { offset &+= 1 }
        return offset
    }

    /// Returns the offset of the first line feed, or the count.
    static func endOfLine(in bytes: Span<UInt8>, from start: Int) -> Int {
        var offset = start
        while offset &+ 8 <= bytes.count {
            let ends = bytes.word(at: offset).lineFeeds
            if ends != 0 { return offset &+ ends.trailingZeroBitCount &>> 3 }
            offset &+= 8
        }
        while offset < bytes.count, bytes[offset] != 0x0A { offset &+= 1 }
        return offset
    }

    /// Returns how many line feeds there are.
    static func countOfLineFeeds(in bytes: Span<UInt8>) -> Int {
        var count = 0
        var offset = 0
        while offset &+ 8 <= bytes.count {
            count &+= bytes.word(at: offset).lineFeeds.nonzeroBitCount
            offset &+= 8
        }
        while offset < bytes.count {
            if bytes[offset] == 0x0A { count &+= 1 }
            offset &+= 1
        }
        return count
    }
}

extension UInt64 {
    @inline(__always) static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    @inline(__always) init(repeating byte: UInt8) { self = UInt64(byte) &* 0x0101_0101_0101_0101 }

    /// The high bit of the lowest byte that is a quote, a backslash or a control character is set, and no high bit below
    /// it. Higher ones may be wrong, because the subtractions borrow, and other bits mean nothing.
    @inline(__always) fileprivate var lanesToEscape: UInt64 {
        let ones = UInt64(repeating: 1)
        let quotes = self ^ UInt64(repeating: 0x22)
        let backslashes = self ^ UInt64(repeating: 0x5C)
        return (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
            | (self &- UInt64(repeating: 0x20)) & ~self
    }

    /// The high bit of each byte that is a line feed; all other bits are 0.
    @inline(__always) fileprivate var lineFeeds: UInt64 {
        let others = self ^ UInt64(repeating: 0x0A)
        // A lane's high bit stays clear only if the lane is 0: nothing is carried from one lane into the next.
        let low = (others & ~UInt64.highBits) &+ ~UInt64.highBits
        return ~(low | others) & UInt64.highBits
    }
}

extension Span<UInt8> {
    /// The eight bytes at an offset, the first one lowest.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset &+ 8 <= count)
        // Safe: eight bytes were just checked to be there.
        return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self).littleEndian
    }
}
