// CRC-32C (Castagnoli; RFC 3720, appendix B.4): the checksum of lines, blocks and whole archives. It finds every change
// of up to 32 bits in a row, so every damaged byte.

/// A running checksum.
package struct CRC32C {
    private var state: UInt32 = .max

    /// The checksum of all bytes so far; `e3069283` for `123456789`.
    package var value: UInt32 { ~state }

    package init() {}

    /// The checksum of some bytes.
    package init(of bytes: Span<UInt8>) { update(bytes) }

    package mutating func update(_ bytes: Span<UInt8>) {
        let tables = Self.tables
        var crc = state
        var offset = 0
        while offset &+ 8 <= bytes.count {
            let word = bytes.word(at: offset) ^ UInt64(crc)
            var sum: UInt32 = 0
            for lane in 0..<8 {
                let byte = Int(truncatingIfNeeded: word &>> (8 &* UInt64(lane)) & 0xFF)
                sum ^= tables[(7 &- lane) &* 256 &+ byte]
            }
            crc = sum
            offset &+= 8
        }
        while offset < bytes.count {
            crc = crc &>> 8 ^ tables[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[offset])]
            offset &+= 1
        }
        state = crc
    }

    /// Eight tables of 256: how a byte changes the checksum when it is followed by none, one, ... seven others.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
            tables[byte] = crc
        }
        for index in 256..<tables.count {
            let shorter = tables[index - 256]
            tables[index] = shorter >> 8 ^ tables[Int(shorter & 0xFF)]
        }
        return tables
    }()
}

extension UInt32 {
    /// Eight hexadecimal digits, lower case.
    package var hexadecimal: [UInt8] { (0..<8).map(hexadecimalDigit) }

    /// Whether these are its hexadecimal digits.
    func isHexadecimal(_ digits: Span<UInt8>) -> Bool {
        digits.count == 8 && (0..<8).allSatisfy { digits[$0] == hexadecimalDigit($0) }
    }

    @inline(__always)
    private func hexadecimalDigit(_ position: Int) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: self &>> (28 &- 4 &* UInt32(position)) & 0xF)
        return value < 10 ? 0x30 &+ value : 0x57 &+ value
    }
}
