// Archives in JSON, one object a line:
//
//     {"$archive":{...},"$crc":"0b5f0c3a"}
//     {"$model":"rVc9...","$crc":"77c1d2e0"}
//     {"$":"Publisher/1","name":"DC","$crc":"5a0e1f42"}
//     {"$":"Hero/12","name":"Batman","publisher":"Publisher/1","$crc":"c20ff3b1"}
//     {"$end":{"crc":"91d2a7ee","objects":2},"$crc":"1c44e9d5"}
//
// A line's $crc covers its bytes before `,"$crc"`; that of the end all bytes of the lines before. LineArchiveDecoder.swift
// reads it, docs/archive-format.md describes it.

import Foundation

/// The keys that aren't names of properties, which can't begin with a dollar sign.
enum LineArchiveKey {
    static let header = "$archive"
    static let model = "$model"
    static let name = "$"
    static let end = "$end"
    static let checksum = "$crc"
    /// `,"$crc":"`, eight digits, `"}`.
    static let checksumStart = Array(#","$crc":""#.utf8)
    static let checksumLength = checksumStart.count + 10
}

/// Writes lines.
final class LineArchiveEncoder: ArchiveEncoder {
    private let entities: [ArchiveEntity]
    private let keys: [[JSONKey]]
    /// The names of the objects, by number.
    private let names: [String]
    private let sink: JSONWriter.ByteSink
    private var writer = JSONWriter()
    private var lineStart = 0
    private var checksum = CRC32C()
    private var objectCount = 0

    private static let nameKey = JSONKey(LineArchiveKey.name)
    private static let checksumKey = JSONKey(LineArchiveKey.checksum)
    private static let bufferSize = 1 << 16

    init(_ entities: [ArchiveEntity], names: [String], sink: @escaping JSONWriter.ByteSink) {
        self.entities = entities
        self.names = names
        self.sink = sink
        keys = entities.map { $0.items.map { JSONKey($0.name) } }
    }

    func begin(_ header: GraphArchive.Header, model: [UInt8]?) throws {
        var reader = JSONReader(try header.json())
        _ = try reader.next()
        try beginLine()
        try writer.key(LineArchiveKey.header)
        try writer.value(try reader.value())
        try endLine()
        guard let model else { return }
        try beginLine()
        try writer.key(LineArchiveKey.model)
        try writer.string(ascii: Array(Data(model).base64EncodedData()))
        try endLine()
    }

    func write(_ record: ArchiveRecord) throws {
        let entity = entities[record.entity]
        try beginLine()
        try writer.key(Self.nameKey)
        try writer.string(names[record.number])
        for (index, item) in entity.items.enumerated() {
            switch item.form {
            case .attribute:
                let value = record.values[item.column]
                if value.isNull { continue }
                try writer.key(keys[record.entity][index])
                try write(value)
            case .toOne:
                let destination = record.destinations[item.column]
                if destination == ArchiveRecord.none { continue }
                try writer.key(keys[record.entity][index])
                try writer.string(names[destination])
            case .toMany:
                let members = record.members[item.column]
                if members.isEmpty { continue }
                try writer.key(keys[record.entity][index])
                try writer.beginArray()
                for member in members { try writer.string(names[member]) }
                try writer.endArray()
            }
        }
        try endLine()
        objectCount += 1
    }

    func end() throws {
        try drain()
        let checksum = checksum.value
        try beginLine()
        try writer.key(LineArchiveKey.end)
        try writer.beginObject()
        try writer.key("crc")
        try writer.string(ascii: checksum.hexadecimal)
        try writer.key("objects")
        try writer.integer(Int64(objectCount))
        try writer.endObject()
        try endLine()
        try drain()
    }

    // MARK: Lines

    private func beginLine() throws {
        if writer.buffer.count >= Self.bufferSize { try drain() }
        lineStart = writer.buffer.count
        try writer.beginObject()
    }

    private func endLine() throws {
        let start = lineStart
        let checksum = writer.buffer.withBytes { CRC32C(of: $0.extracting(start..<$0.count)).value }
        try writer.key(Self.checksumKey)
        try writer.string(ascii: checksum.hexadecimal)
        try writer.endObject()
        writer.endLine()
    }

    /// Passes on the lines that are complete.
    private func drain() throws {
        try writer.buffer.withBytes { bytes in
            checksum.update(bytes)
            try sink(bytes)
        }
        writer.buffer.removeAll()
    }

    // MARK: Values

    private func write(_ value: GraphValue) throws {
        switch value {
        case .null: try writer.null()
        case .boolean(let value): try writer.boolean(value)
        case .integer(let value): try writer.integer(value)
        case .double(let value), .date(let value):
            if value.isFinite { try writer.double(value) } else { try writer.string(Self.text(ofInfinite: value)) }
        case .decimal(let value):
            if value.isNaN { try writer.string("NaN") } else { try writer.decimal(value) }
        case .string(let value): try writer.string(value)
        case .data(let value), .encoded(let value): try writer.string(ascii: Array(value.base64EncodedData()))
        case .uuid(let value): try writer.string(value.uuidString)
        case .uri(let value): try writer.string(value.absoluteString)
        case .json(let value): try writer.value(value)
        }
    }

    /// JSON has no number for these. A NaN other than the usual one shows its bits.
    static func text(ofInfinite value: Double) -> String {
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        if value.bitPattern == Double.nan.bitPattern { return "NaN" }
        return "NaN:\(String(value.bitPattern, radix: 16))"
    }

    /// The number of such a text.
    static func infinite(_ text: String) -> Double? {
        switch text {
        case "Infinity": return .infinity
        case "-Infinity": return -.infinity
        case "NaN": return .nan
        default:
            guard text.hasPrefix("NaN:"), let bits = UInt64(text.dropFirst(4), radix: 16) else { return nil }
            let value = Double(bitPattern: bits)
            return value.isNaN ? value : nil
        }
    }
}
