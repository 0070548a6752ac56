// Binary archives: blocks of records (ArchiveBlock.swift). The contents of a block of objects:
//
//     entity   the entity's number in the header          objects of one entity only
//     first    the archive's number of the first object   they are counted through, from 0
//     count    how many there are
//     then for each: a bit for each property that has a value, lowest first, in whole bytes; then the values
//
// Numbers are varints (LEB128, seven bits a byte, the lowest first). Signed ones are folded: 0, -1, 1, -2 are 0, 1, 2, 3.
// A text is either 2 × its length in bytes and the bytes, or 2 × n + 1 for the n-th one of the block that had up to 64 bytes.
// docs/archive-format.md has the values. BlockArchiveDecoder.swift reads it.

import Foundation

/// Writes blocks.
final class BlockArchiveEncoder: ArchiveEncoder {
    private let entities: [ArchiveEntity]
    private let isCompressed: Bool
    private let sink: JSONWriter.ByteSink
    private var blockCount: UInt32 = 0
    private var checksum = CRC32C()
    private var objectCount = 0

    /// The records of the block that is being filled.
    private var records = ByteBuffer(capacity: blockSize + 4096)
    private var entity = 0
    private var first = 0
    private var count = 0
    private var texts: [ExactValue: Int] = [:]
    /// The block before, and its bytes as they are being compressed.
    private var packed: (contents: [UInt8], packing: WorkAhead<[UInt8]>)?

    private static let blockSize = 1 << 16
    /// The longest text that is entered into a block's table.
    static let longestShared = 64

    /// How many objects that take no bytes, because their entity has no archived properties, a block has.
    static let mostEmptyRecords = 1024

    private var isFullOfEmptyOnes: Bool { records.count == 0 && count == Self.mostEmptyRecords }

    init(_ entities: [ArchiveEntity], isCompressed: Bool, sink: @escaping JSONWriter.ByteSink) {
        self.entities = entities
        self.isCompressed = isCompressed
        self.sink = sink
    }

    func begin(_ header: GraphArchive.Header, model: [UInt8]?) throws {
        try emit(ArchiveBlock.magic)
        try emit(.header, Array(header.json()))
        if let model { try emit(.model, model) }
    }

    func write(_ record: ArchiveRecord) throws {
        if count > 0, record.entity != entity || records.count >= Self.blockSize || isFullOfEmptyOnes {
            try emitRecords()
        }
        if count == 0 {
            entity = record.entity
            first = record.number
        }
        writePresence(record)
        for item in entities[entity].items {
            switch item.form {
            case .attribute(let kind):
                do {
                    try write(record.values[item.column], kind)
                } catch let error as GraftError {
                    throw error.located(in: .init(entity: entities[entity].name, property: item.name))
                }
            case .toOne:
                let destination = record.destinations[item.column]
                if destination != ArchiveRecord.none { records.append(varint: UInt64(destination)) }
            case .toMany:
                let members = record.members[item.column]
                if members.isEmpty { continue }
                records.append(varint: UInt64(members.count))
                for member in members { records.append(varint: UInt64(member)) }
            }
        }
        count += 1
        objectCount += 1
    }

    func end() throws {
        try emitRecords()
        try emitPacked()
        var contents = ByteBuffer(capacity: 16)
        contents.append(littleEndian: UInt64(objectCount))
        contents.append(littleEndian: checksum.value)
        try emit(.end, Array(contents.data))
    }

    // MARK: Blocks

    private func emitRecords() throws {
        if count == 0 { return }
        var contents = ByteBuffer(capacity: records.count + 32)
        contents.append(varint: UInt64(entity))
        contents.append(varint: UInt64(first))
        contents.append(varint: UInt64(count))
        records.withBytes { contents.append($0) }
        records.removeAll()
        texts.removeAll(keepingCapacity: true)
        count = 0
        let bytes = Array(contents.data)
        guard bytes.count <= ArchiveBlock.largest else {
            throw GraftError(.tooLarge(what: "the bytes of one object", limit: ArchiveBlock.largest))
        }
        guard isCompressed else { return try emit(.objects, bytes) }
        let packing = WorkAhead { try ArchivePacking.deflated(bytes) }
        packing.begin()
        try emitPacked()
        packed = (bytes, packing)
    }

    /// Emits the block that is being compressed.
    private func emitPacked() throws {
        guard let (contents, packing) = packed else { return }
        packed = nil
        try emit(.objects, contents, compressed: packing.take())
    }

    private func emit(_ kind: ArchiveBlock.Kind, _ contents: [UInt8], compressed: [UInt8]? = nil) throws {
        let smaller = compressed.flatMap { $0.count < contents.count ? $0 : nil }
        let stored = smaller ?? contents
        let block = ArchiveBlock(
            kind: kind, isCompressed: smaller != nil, number: blockCount, storedLength: stored.count,
            length: contents.count)
        blockCount += 1
        var end = ByteBuffer(capacity: 4)
        end.append(littleEndian: CRC32C(of: stored.span).value)
        try emit(block.head)
        try emit(stored)
        try emit(Array(end.data))
    }

    private func emit(_ bytes: [UInt8]) throws {
        checksum.update(bytes.span)
        try sink(bytes.span)
    }

    // MARK: Values

    private func writePresence(_ record: ArchiveRecord) {
        var bits: UInt8 = 0
        let items = entities[entity].items
        for (index, item) in items.enumerated() {
            let isPresent =
                switch item.form {
                case .attribute: !record.values[item.column].isNull
                case .toOne: record.destinations[item.column] != ArchiveRecord.none
                case .toMany: !record.members[item.column].isEmpty
                }
            if isPresent { bits |= 1 << UInt8(index & 7) }
            if index & 7 == 7 || index == items.count - 1 {
                records.append(bits)
                bits = 0
            }
        }
    }

    private func write(_ value: GraphValue, _ kind: AttributeKind) throws {
        switch (kind, value) {
        case (_, .null): break
        case (.boolean, .boolean(let value)): records.append(value ? 1 : 0)
        case (.integer16, .integer(let value)), (.integer32, .integer(let value)), (.integer64, .integer(let value)):
            records.append(varint: UInt64(bitPattern: value << 1 ^ value >> 63))
        case (.double, .double(let value)), (.float, .double(let value)), (.date, .date(let value)):
            records.append(littleEndian: value.bitPattern)
        case (.decimal, .decimal(let value)): write(value.isNaN ? "NaN" : value.description)
        case (.string, .string(let value)): write(value)
        case (.uri, .uri(let value)): write(value.absoluteString)
        case (.uuid, .uuid(let value)):
            for byte in value.bytes { records.append(byte) }
        case (.binary, .data(let value)), (.transformable, .encoded(let value)):
            records.append(varint: UInt64(value.count))
            records.append(Array(value).span)
        default:
            throw GraftError(.wrongType(found: "\(value)", expected: "\(kind)"))
        }
    }

    private func write(_ text: String) {
        text.withUTF8Span { bytes in
            if bytes.count <= Self.longestShared {
                let key = ExactValue(.string(text))
                if let number = texts[key] { return records.append(varint: UInt64(number) << 1 | 1) }
                texts[key] = texts.count
            }
            records.append(varint: UInt64(bytes.count) << 1)
            records.append(bytes)
        }
    }
}

extension ByteBuffer {
    /// Appends a number in seven bits a byte, the lowest first; all bytes but the last have the highest bit set.
    @inline(__always)
    mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest &>>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}

extension UUID {
    /// The sixteen bytes in their order.
    var bytes: [UInt8] {
        let u = uuid
        return [
            u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
        ]
    }

    /// The UUID of sixteen bytes.
    init(bytes b: ArraySlice<UInt8>) {
        let b = Array(b)
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }
}
