// The blocks of a binary archive, each verified as a whole before a byte of it counts.

import Foundation

/// Takes blocks, in order.
struct ArchiveBlockInput {
    private var input: ArchiveInput
    /// The checksum of everything before the current block.
    private(set) var checksumBefore: UInt32 = 0
    private var checksum = CRC32C()
    private var count: UInt32 = 0
    /// Where the current block begins.
    private var start = 0

    /// - Throws: ``GraftError`` with `damagedArchive`, where it doesn't begin as a binary archive does.
    init(_ input: ArchiveInput) throws {
        self.input = input
        let magic = try self.input.bytes(ArchiveBlock.magic.count)
        guard magic == ArchiveBlock.magic else {
            throw damaged("another beginning", "that of a binary archive")
        }
        checksum.update(magic.span)
    }

    var offset: Int { input.offset }

    /// Where the current block is.
    var place: GraftError.Place { .init(source: input.name, byteOffset: start) }

    func damaged(_ found: String, _ expected: String) -> GraftError {
        GraftError(.damagedArchive(found: found, expected: expected), at: place)
    }

    /// Verifies the next block and returns its kind with its contents, expanded.
    mutating func next() throws -> (kind: ArchiveBlock.Kind, contents: [UInt8]) {
        start = input.offset
        checksumBefore = checksum.value
        do {
            let head = try input.bytes(ArchiveBlock.headLength)
            let block = try ArchiveBlock(head: head, number: count)
            var stored = try input.bytes(block.storedLength + 4)
            guard stored.count == block.storedLength + 4 else {
                throw damaged("the end of the file within a block", "\(block.storedLength) bytes")
            }
            checksum.update(head.span)
            checksum.update(stored.span)
            let found = CRC32C(of: stored.span.extracting(0..<block.storedLength)).value
            let written = stored.suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
            guard found == written else {
                throw damaged(
                    "a block with the checksum \(ArchiveBlock.text(found))", "\(ArchiveBlock.text(written))")
            }
            stored.removeLast(4)
            count += 1
            guard block.isCompressed else { return (block.kind, stored) }
            let contents = try ArchivePacking.inflated(stored, length: block.length)
            guard contents.count == block.length else {
                throw damaged("a block that expands to \(contents.count) bytes", "\(block.length)")
            }
            return (block.kind, contents)
        } catch let error as GraftError {
            throw error.located(in: place)
        }
    }

    /// Verifies the contents of the last block, and that nothing follows it.
    ///
    /// - Returns: How many objects there are.
    mutating func verifyEnd(_ contents: [UInt8]) throws -> Int {
        guard contents.count == 12 else { throw damaged("an end of \(contents.count) bytes", "12 bytes") }
        var end = ArchiveBytes(contents)
        let objectCount = try end.littleEndian(8)
        let written = UInt32(truncatingIfNeeded: try end.littleEndian(4))
        guard written == checksumBefore else {
            throw damaged(
                "a file with the checksum \(ArchiveBlock.text(checksumBefore))", "\(ArchiveBlock.text(written))")
        }
        guard try input.bytes(1).isEmpty else { throw damaged("something behind the end of the archive", "nothing") }
        return Int(truncatingIfNeeded: objectCount)
    }
}

/// Bytes that are taken from the front; never more than there are.
struct ArchiveBytes {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    @inline(__always)
    mutating func byte() throws -> UInt8 {
        guard position < bytes.count else { throw Self.tooShort() }
        defer { position &+= 1 }
        return bytes[position]
    }

    /// A number in seven bits a byte.
    @inline(__always)
    mutating func varint() throws -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else {
                throw ArchiveBlock.damaged("a number of more than 64 bits", "64 bits")
            }
            value |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 { return value }
            shift &+= 7
        }
    }

    /// A length or number, which isn't above a limit.
    @inline(__always)
    mutating func count(upTo limit: Int) throws -> Int {
        let value = try varint()
        guard limit >= 0, value <= UInt64(limit) else {
            throw ArchiveBlock.damaged("the number \(value)", "at most \(limit)")
        }
        return Int(value)
    }

    /// A number of some bytes, the least significant one first.
    mutating func littleEndian(_ count: Int) throws -> UInt64 {
        var value: UInt64 = 0
        for lane in 0..<count { value |= UInt64(try byte()) &<< (8 &* UInt64(lane)) }
        return value
    }

    /// Some bytes.
    mutating func slice(_ count: Int) throws -> ArraySlice<UInt8> {
        guard count <= bytes.count - position else { throw Self.tooShort() }
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    /// The largest length that can follow.
    var rest: Int { bytes.count - position }

    private static func tooShort() -> GraftError { ArchiveBlock.damaged("the end of a block", "a value") }
}
