// Binary archives on their way in: records from the contents of blocks. BlockArchiveEncoder.swift describes them.

import Foundation

/// Reads blocks.
final class BlockArchiveDecoder: ArchiveDecoder {
    let header: GraphArchive.Header
    private(set) var model: [UInt8]?
    private let entities: [ArchiveEntity]
    private let total: Int
    /// By entity: the numbers of its objects, which come in the order of the header.
    private let numbers: [Range<Int>]
    /// The entity of the object that was referred to last: the next one is mostly of the same.
    private var latestEnd = 0
    private var blocks: ArchiveBlockInput

    /// The records of the current block.
    private var records = ArchiveBytes([])
    private var entity = 0
    /// How many of them are still to come.
    private var rest = 0
    private var texts: [String] = []
    /// The number of the next object.
    private var number = 0
    /// By entity.
    private var counts: [Int]
    private var isAtEnd = false

    var offset: Int { blocks.offset }

    init(_ input: ArchiveInput) throws {
        var blocks = try ArchiveBlockInput(input)
        let (kind, contents) = try blocks.next()
        do {
            guard kind == .header else { throw ArchiveBlock.damaged("another block", "the header of an archive") }
            header = try GraphArchive.Header(json: Data(contents))
            guard header.encoding == .binary else {
                throw ArchiveBlock.damaged("the encoding '\(header.encoding)'", "'binary'")
            }
            entities = try header.archiveEntities()
        } catch let error as GraftError {
            throw error.located(in: blocks.place)
        }
        self.blocks = blocks
        total = header.objectCount
        var end = 0
        numbers = header.entities.map { entity in
            let start = end
            end += entity.objectCount
            return start..<end
        }
        counts = entities.map { _ in 0 }
        try readOn()
    }

    func next() throws -> ArchiveRecord? {
        while rest == 0 {
            if isAtEnd { return nil }
            try readOn()
        }
        do {
            let record = try record()
            rest -= 1
            number += 1
            guard rest > 0 || records.isAtEnd else { throw ArchiveBlock.damaged("more bytes", "the end of a block") }
            return record
        } catch let error as GraftError {
            throw error.located(in: blocks.place)
        }
    }

    // MARK: Blocks

    private func readOn() throws {
        let (kind, contents) = try blocks.next()
        switch kind {
        case .header: throw blocks.damaged("a second header", "objects")
        case .model:
            guard model == nil, number == 0 else { throw blocks.damaged("another model", "objects") }
            model = contents
        case .objects: try begin(contents)
        case .end:
            let count = try blocks.verifyEnd(contents)
            guard count == number, counts == header.entities.map(\.objectCount) else {
                throw blocks.damaged("\(number) objects", "\(total), as the archive's header and end say")
            }
            isAtEnd = true
        }
    }

    private func begin(_ contents: [UInt8]) throws {
        do {
            records = ArchiveBytes(contents)
            entity = try records.count(upTo: entities.count - 1)
            let first = try records.count(upTo: .max)
            let announced = try records.count(upTo: total - number)
            rest = try fitting(announced)
            guard first == number else { throw ArchiveBlock.damaged("object \(first)", "object \(number)") }
            guard numbers[entity].lowerBound <= number, number + rest <= numbers[entity].upperBound else {
                throw ArchiveBlock.damaged(
                    "\(rest) objects of '\(entities[entity].name)' from \(number) on",
                    "those between \(numbers[entity].lowerBound) and \(numbers[entity].upperBound)")
            }
            counts[entity] += rest
            texts.removeAll(keepingCapacity: true)
        } catch let error as GraftError {
            throw error.located(in: blocks.place)
        }
    }

    /// A count of objects, where the bytes that follow can hold that many.
    private func fitting(_ count: Int) throws -> Int {
        let width = (entities[entity].items.count + 7) / 8
        let limit = width == 0 ? BlockArchiveEncoder.mostEmptyRecords : records.rest / width
        if count <= limit { return count }
        throw ArchiveBlock.damaged("a block that announces \(count) objects", "at most \(limit), which it has room for")
    }

    // MARK: Records

    private func record() throws -> ArchiveRecord {
        let description = entities[entity]
        var record = ArchiveRecord(description, entity, number: number)
        let presence = try records.slice((description.items.count + 7) / 8)
        for (index, item) in description.items.enumerated() {
            guard presence[presence.startIndex + index >> 3] >> UInt8(index & 7) & 1 == 1 else { continue }
            switch item.form {
            case .attribute(let kind):
                do {
                    record.values[item.column] = try value(kind)
                } catch let error as GraftError {
                    throw error.located(in: .init(entity: description.name, property: item.name))
                }
            case .toOne: record.destinations[item.column] = try reference(item)
            case .toMany:
                // Each member takes a byte at least, but eight in memory, and bytes can be compressed a thousandfold.
                let count = try records.count(upTo: records.rest)
                var members: [Int] = []
                members.reserveCapacity(min(count, 1 << 12))
                for _ in 0..<count { members.append(try reference(item)) }
                record.members[item.column] = members
            }
        }
        return record
    }

    /// The number of an object to which a relationship can lead.
    private func reference(_ item: ArchiveEntity.Item) throws -> Int {
        let number = try records.count(upTo: total - 1)
        if !numbers[latestEnd].contains(number) {
            latestEnd = numbers.firstIndex { $0.contains(number) } ?? latestEnd
        }
        if entities.canLead(item, to: latestEnd) { return number }
        throw ArchiveBlock.wrongEnd(entities[latestEnd].name, item, of: entities[entity].name)
    }

    private func value(_ kind: AttributeKind) throws -> GraphValue {
        switch kind {
        case .boolean:
            let byte = try records.byte()
            guard byte < 2 else { throw ArchiveBlock.damaged("the byte \(byte)", "\(kind)") }
            return .boolean(byte == 1)
        case .integer16, .integer32, .integer64:
            let folded = try records.varint()
            return try .archived(Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1), kind)
        case .double, .float: return .double(Double(bitPattern: try records.littleEndian(8)))
        case .date: return .date(Double(bitPattern: try records.littleEndian(8)))
        case .string: return .string(try text())
        case .decimal:
            let text = try text()
            if text == "NaN" { return .decimal(.nan) }
            guard let value = text.withUTF8Span({ NumberText.decimal($0) }) else { throw unexpected(text, kind) }
            return .decimal(value)
        case .uri:
            let text = try text()
            guard let value = URL(string: text) else { throw unexpected(text, kind) }
            return .uri(value)
        case .uuid: return .uuid(UUID(bytes: try records.slice(16)))
        case .binary: return .data(try data())
        case .transformable: return .encoded(try data())
        }
    }

    private func data() throws -> Data {
        let count = try records.count(upTo: records.rest)
        return Data(try records.slice(count))
    }

    private func text() throws -> String {
        let head = try records.varint()
        if head & 1 == 1 {
            guard head >> 1 < UInt64(texts.count) else {
                throw ArchiveBlock.damaged("text \(head >> 1)", "one of \(texts.count)")
            }
            return texts[Int(head >> 1)]
        }
        guard head >> 1 <= UInt64(records.rest) else { throw ArchiveBlock.damaged("the end of a block", "a text") }
        let bytes = try records.slice(Int(head >> 1))
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ArchiveBlock.damaged("bytes that aren't UTF-8", "a text")
        }
        if bytes.count <= BlockArchiveEncoder.longestShared { texts.append(text) }
        return text
    }

    private func unexpected(_ text: String, _ kind: AttributeKind) -> GraftError {
        ArchiveBlock.damaged("the text '\(text)'", "\(kind)")
    }
}
