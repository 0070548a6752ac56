// Strict UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.

enum UTF8Check {
    /// What stands at the end of a run of characters beyond ASCII.
    enum End {
        /// An ASCII byte, or the end of the bytes after a whole character.
        case ascii
        /// The beginning of a character whose remaining bytes aren't there.
        case truncated
        /// A byte that can't stand there.
        case invalid
    }

    /// Skips characters beyond ASCII.
    ///
    /// - Returns: How the run ended, and the offset of the first byte that isn't part of a whole, valid character.
    static func skipMultibyteRun(in bytes: Span<UInt8>, from start: Int) -> (end: End, offset: Int) {
        var offset = start
        while offset < bytes.count {
            let lead = bytes[offset]
            if lead < 0x80 { return (.ascii, offset) }
            let length: Int
            // The second byte is what rules out overlong forms, surrogates and too large values.
            var second: ClosedRange<UInt8> = 0x80...0xBF
            switch lead {
            case 0xC2...0xDF: length = 2
            case 0xE0: (length, second) = (3, 0xA0...0xBF)
            case 0xED: (length, second) = (3, 0x80...0x9F)
            case 0xE1...0xEF: length = 3
            case 0xF0: (length, second) = (4, 0x90...0xBF)
            case 0xF1...0xF3: length = 4
            case 0xF4: (length, second) = (4, 0x80...0x8F)
            default: return (.invalid, offset)
            }
            guard offset &+ 1 < bytes.count else { return (.truncated, offset) }
            guard second.contains(bytes[offset &+ 1]) else { return (.invalid, offset) }
            var index = 2
            while index < length {
                guard offset &+ index < bytes.count else { return (.truncated, offset) }
                guard bytes[offset &+ index] & 0xC0 == 0x80 else { return (.invalid, offset) }
                index &+= 1
            }
            offset &+= length
        }
        return (.ascii, offset)
    }
}
