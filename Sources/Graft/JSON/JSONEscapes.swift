// The contents of strings: escape sequences to characters. The lexer has checked them, so nothing here can fail.

enum JSONEscapes {
    /// The value of a hexadecimal digit.
    @inline(__always)
    static func hexadecimalValue(_ byte: UInt8) -> UInt16? {
        switch byte {
        case 0x30...0x39: UInt16(byte &- 0x30)
        case 0x41...0x46: UInt16(byte &- 0x37)
        case 0x61...0x66: UInt16(byte &- 0x57)
        default: nil
        }
    }

    /// The string of checked bytes without escape sequences.
    @inline(__always)
    static func plainString(_ bytes: Span<UInt8>, isASCII: Bool) -> String {
        #if canImport(Darwin)
            // The initialiser below is newer than the systems that we run on. Safe: a pointer for the call alone.
            return unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        #else
            // Safe: whoever calls has had the bytes checked by the lexer or by `UTF8Check`.
            return unsafe String(copying: UTF8Span(unchecked: bytes, isKnownASCII: isASCII))
        #endif
    }

    /// The string of checked bytes with escape sequences.
    static func string(_ bytes: Span<UInt8>) -> String {
        let decoded = decoded(bytes)
        return plainString(decoded.span, isASCII: false)
    }

    /// The UTF-8 that checked bytes with escape sequences stand for.
    static func decoded(_ bytes: Span<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var offset = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte == 0x5C else {
                result.append(byte)
                offset &+= 1
                continue
            }
            offset &+= 2
            switch bytes[offset &- 1] {
            case 0x62: result.append(0x08)
            case 0x66: result.append(0x0C)
            case 0x6E: result.append(0x0A)
            case 0x72: result.append(0x0D)
            case 0x74: result.append(0x09)
            case 0x75: appendScalar(of: bytes, at: &offset, to: &result)
            case let other: result.append(other)
            }
        }
        return result
    }

    /// Appends the character of `XXXX`, or of `XXXX\uXXXX` where that is a surrogate pair, and moves behind it.
    private static func appendScalar(of bytes: Span<UInt8>, at offset: inout Int, to result: inout [UInt8]) {
        var value = UInt32(unit(in: bytes, at: offset))
        offset &+= 4
        if value & 0xFC00 == 0xD800 {
            let low = UInt32(unit(in: bytes, at: offset &+ 2))
            value = 0x10000 &+ (value & 0x3FF) &<< 10 &+ (low & 0x3FF)
            offset &+= 6
        }
        result.append(contentsOf: UTF8.encode(Unicode.Scalar(value) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
    }

    private static func unit(in bytes: Span<UInt8>, at offset: Int) -> UInt16 {
        var unit: UInt16 = 0
        for index in offset..<(offset &+ 4) { unit = unit &<< 4 | (hexadecimalValue(bytes[index]) ?? 0) }
        return unit
    }
}
