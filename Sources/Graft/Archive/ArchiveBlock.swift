// The blocks of a binary archive. All numbers are little-endian.
//
//     0   kind        1 byte: H header, M model, O objects, E end
//     1   flags       1 byte: 1 where the contents are compressed (raw DEFLATE, RFC 1951)
//     2   zero        2 bytes
//     4   number      4 bytes: 0 for the first block, then one more each
//     8   stored      4 bytes: the length of the contents as they are stored
//     12  contents    4 bytes: their length, expanded
//     16  checksum    4 bytes: CRC-32C of the 16 bytes above
//     20  the contents as they are stored, then 4 bytes: their CRC-32C

import Foundation

/// What surrounds a block's contents.
struct ArchiveBlock {
    enum Kind: UInt8 {
        case header = 0x48
        case model = 0x4D
        case objects = 0x4F
        case end = 0x45
    }

    static let headLength = 20
    /// The first eight bytes of the file. A line feed behind a carriage return shows what a transfer as text has done, and
    /// the first byte what one of seven bits has.
    static let magic: [UInt8] = [0x8B, 0x47, 0x52, 0x41, 0x46, 0x54, 0x0D, 0x0A]
    /// The largest block that is read, expanded. Written are smaller ones, unless a single object is larger.
    static let largest = 1 << 30

    var kind: Kind
    var isCompressed: Bool
    var number: UInt32
    var storedLength: Int
    var length: Int

    /// The head of a block.
    var head: [UInt8] {
        var buffer = ByteBuffer(capacity: Self.headLength)
        buffer.append(kind.rawValue)
        buffer.append(isCompressed ? 1 : 0)
        buffer.append(littleEndian: UInt16(0))
        buffer.append(littleEndian: number)
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: storedLength))
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: length))
        let checksum = buffer.withBytes { CRC32C(of: $0).value }
        buffer.append(littleEndian: checksum)
        return Array(buffer.data)
    }

    init(kind: Kind, isCompressed: Bool, number: UInt32, storedLength: Int, length: Int) {
        self.kind = kind
        self.isCompressed = isCompressed
        self.number = number
        self.storedLength = storedLength
        self.length = length
    }

    /// Reads a head.
    ///
    /// - Throws: ``GraftError`` with `damagedArchive`.
    init(head: [UInt8], number expected: UInt32) throws {
        func word(_ offset: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(head[offset + $1]) << UInt32(8 * $1) }
        }
        guard head.count == Self.headLength else { throw Self.damaged("the end of the file", "a block") }
        let checksum = CRC32C(of: head.span.extracting(0..<16)).value
        guard checksum == word(16) else {
            throw Self.damaged(
                "the beginning of a block with the checksum \(Self.text(checksum))", "\(Self.text(word(16)))")
        }
        guard let kind = Kind(rawValue: head[0]), head[1] <= 1, head[2] == 0, head[3] == 0 else {
            throw Self.damaged("a block of the kind \(head[0]), \(head[1])", "a kind that is known")
        }
        guard word(4) == expected else { throw Self.damaged("block \(word(4))", "block \(expected)") }
        self.init(
            kind: kind, isCompressed: head[1] == 1, number: word(4), storedLength: Int(word(8)), length: Int(word(12)))
        guard length <= Self.largest, storedLength <= Self.largest, isCompressed || length == storedLength else {
            throw Self.damaged("a block of \(storedLength) bytes for \(length)", "at most \(Self.largest)")
        }
    }

    static func damaged(_ found: String, _ expected: String) -> GraftError {
        GraftError(.damagedArchive(found: found, expected: expected))
    }

    /// The error of a relationship that leads to an object of an entity to which it can't.
    static func wrongEnd(_ found: String, _ item: ArchiveEntity.Item, of entity: String) -> GraftError {
        damaged("a reference to an object of '\(found)'", "one of '\(item.destination ?? "")'")
            .located(in: .init(entity: entity, property: item.name))
    }

    static func text(_ checksum: UInt32) -> String { String(decoding: checksum.hexadecimal, as: UTF8.self) }
}

extension GraphValue {
    /// An integer of an archive.
    ///
    /// - Throws: ``GraftError`` with `damagedArchive` for one that the attribute's type can't hold.
    static func archived(_ value: Int64, _ kind: AttributeKind) throws -> GraphValue {
        guard kind.integers.contains(value) else { throw ArchiveBlock.damaged("the integer \(value)", "\(kind)") }
        return .integer(value)
    }
}
