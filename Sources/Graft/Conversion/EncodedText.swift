// Bytes and identifiers that JSON carries as strings: Base64 and UUIDs, in the forms that are met in practice.

import Foundation

enum EncodedText {
    /// The bytes of a text in Base64 (RFC 4648), in either alphabet, with or without padding, white space ignored; nil for
    /// any other text.
    static func base64(_ text: Span<UInt8>) -> Data? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 3)
        var bits: UInt32 = 0
        var count = 0
        var padding = 0
        for index in text.indices {
            let byte = text[index]
            if byte.isWhiteSpace { continue }
            if byte == 0x3D {
                padding += 1
                continue
            }
            guard padding == 0, let digit = base64Digit(byte) else { return nil }
            bits = bits &<< 6 | digit
            count += 1
            if count & 3 == 0 {
                bytes.append(UInt8(truncatingIfNeeded: bits &>> 16))
                bytes.append(UInt8(truncatingIfNeeded: bits &>> 8))
                bytes.append(UInt8(truncatingIfNeeded: bits))
            }
        }
        guard padding == 0 || (count + padding) & 3 == 0 && padding <= 2 else { return nil }
        switch count & 3 {
        case 0: break
        case 2:
            guard bits & 0xF == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: bits &>> 4))
        case 3:
            guard bits & 3 == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: bits &>> 10))
            bytes.append(UInt8(truncatingIfNeeded: bits &>> 2))
        default: return nil
        }
        return Data(bytes)
    }

    @inline(__always)
    private static func base64Digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x41...0x5A: UInt32(byte) - 0x41
        case 0x61...0x7A: UInt32(byte) - 0x61 + 26
        case 0x30...0x39: UInt32(byte) - 0x30 + 52
        case 0x2B, 0x2D: 62
        case 0x2F, 0x5F: 63
        default: nil
        }
    }

    /// The UUID of a text: 32 hexadecimal digits, with hyphens in the usual places or none, in braces or not.
    static func uuid(_ text: Span<UInt8>) -> UUID? {
        var start = 0
        var end = text.count
        if end > 1, text[0] == 0x7B, text[end - 1] == 0x7D { (start, end) = (1, end - 1) }
        let hasHyphens = end - start == 36
        guard hasHyphens || end - start == 32 else { return nil }
        var value: UInt128 = 0
        for index in start..<end {
            if hasHyphens, [8, 13, 18, 23].contains(index - start) {
                guard text[index] == 0x2D else { return nil }
                continue
            }
            guard let digit = JSONEscapes.hexadecimalValue(text[index]) else { return nil }
            value = value << 4 | UInt128(digit)
        }
        func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: value >> (120 - 8 * index)) }
        return UUID(
            uuid: (
                byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7),
                byte(8), byte(9), byte(10), byte(11), byte(12), byte(13), byte(14), byte(15)
            ))
    }
}
