// A changed byte in an archive is found by a checksum before anything else sees it. So that a fuzzer gets behind them, they are
// computed anew: everything that has the form of a checksum gets the right value, wherever it stands.

package import Foundation
import Graft

extension FuzzTarget {
    /// The bytes with right checksums, as far as they have the form of an archive.
    package func mended(_ bytes: Data) -> Data {
        switch self {
        case .archiveInLines: Self.mendedLines(bytes)
        case .archiveInBlocks: Self.mendedBlocks(bytes)
        case .restore: bytes.first == UInt8(ascii: "{") ? Self.mendedLines(bytes) : Self.mendedBlocks(bytes)
        default: bytes
        }
    }

    private static func mendedLines(_ bytes: Data) -> Data {
        let tail = Array(#","$crc":""#.utf8)
        var whole = CRC32C()
        var result = Data()
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            guard line.count > tail.count + 10 else {
                result += line
                continue
            }
            var contents = Array(line.dropLast(tail.count + 10))
            if contents.starts(with: Array(#"{"$end":{"crc":""#.utf8)), contents.count >= 24 {
                contents.replaceSubrange(16..<24, with: whole.value.hexadecimal)
            }
            let mended = contents + tail + CRC32C(of: contents.span).value.hexadecimal + Array("\"}\n".utf8)
            whole.update(mended.span)
            result += mended
        }
        return result
    }

    private static func mendedBlocks(_ bytes: Data) -> Data {
        let headLength = 20
        var result = Array(bytes)
        // docs/archive-format.md: a magic number, then blocks with a head each.
        var offset = 8
        func put(_ value: UInt32, at offset: Int) {
            for lane in 0..<4 { result[offset + lane] = UInt8(truncatingIfNeeded: value >> UInt32(8 * lane)) }
        }
        var number: UInt32 = 0
        while offset + headLength + 4 <= result.count {
            let contents = offset + headLength
            let room = result.count - contents - 4
            var length = (0..<4).reduce(0) { $0 | Int(result[offset + 8 + $1]) << (8 * $1) }
            if length > room {
                length = room
                put(UInt32(length), at: offset + 8)
            }
            // What isn't compressed has one length.
            if result[offset + 1] & 1 == 0 { put(UInt32(length), at: offset + 12) }
            put(number, at: offset + 4)
            put(CRC32C(of: result.span.extracting(offset..<(offset + 16))).value, at: offset + 16)
            // The last block carries the checksum of everything before it.
            if result[offset] == UInt8(ascii: "E"), length == 12 {
                put(CRC32C(of: result.span.extracting(0..<offset)).value, at: contents + 8)
            }
            put(CRC32C(of: result.span.extracting(contents..<(contents + length))).value, at: contents + length)
            offset = contents + length + 4
            number += 1
        }
        return Data(result)
    }
}
