// Archives in JSON on their way in. Lines are verified one by one, then parsed some together: a reader for each line would
// cost more than the line.

import Foundation

/// Reads lines.
final class LineArchiveDecoder: ArchiveDecoder {
    let header: GraphArchive.Header
    private(set) var model: [UInt8]?
    private let entities: [ArchiveEntity]
    private let numbers: [String: Int]
    private var lines: LineArchiveInput
    private var reader: JSONReader
    /// The line that the reader's text begins with.
    private var firstLine = 0
    private var names = ArchiveNameTable()
    /// By entity.
    private var counts: [Int]
    /// The entity of the latest object, and of the latest that was referred to: the next one is mostly of the same.
    private var latest = 0
    private var latestEnd = 0

    var offset: Int { lines.offset }

    init(_ input: ArchiveInput) throws {
        lines = LineArchiveInput(input)
        reader = JSONReader([UInt8](), format: .sequence)
        let line = try lines.takeLines(atMost: 1)
        if line.isEmpty { throw lines.damaged("the end of an archive", "its beginning") }
        let (header, entities) = try lines.located {
            let header = try Self.header(line)
            return (header, try header.archiveEntities())
        }
        self.header = header
        self.entities = entities
        numbers = Dictionary(entities.enumerated().map { ($1.name, $0) }) { first, _ in first }
        counts = entities.map { _ in 0 }
        try readOn()
    }

    private static func header(_ line: [UInt8]) throws -> GraphArchive.Header {
        var reader = JSONReader(line)
        _ = try reader.next()
        guard let value = try reader.value()[LineArchiveKey.header] else {
            throw GraftError(.damagedArchive(found: "another line", expected: "the header of an archive"))
        }
        let header = try GraphArchive.Header(json: Data(value.description.utf8))
        guard header.encoding == .json else {
            throw GraftError(.damagedArchive(found: "the encoding '\(header.encoding)'", expected: "'json'"))
        }
        return header
    }

    // MARK: Lines

    /// Takes the next lines. The model is the first of them, where there is one.
    private func readOn() throws {
        firstLine = lines.lineNumber + 1
        var text = try lines.takeLines(atMost: firstLine == 2 ? 1 : .max)
        if firstLine == 2, text.starts(with: Array(#"{"$model""#.utf8)) {
            model = try lines.located { try Self.model(text) }
            firstLine += 1
            text = try lines.takeLines()
        }
        reader = JSONReader(text, format: .sequence)
    }

    private static func model(_ line: [UInt8]) throws -> [UInt8] {
        var reader = JSONReader(line)
        _ = try reader.next()
        guard case .string(let text)? = try reader.value()[LineArchiveKey.model],
            let data = text.withUTF8Span({ EncodedText.base64($0) })
        else { throw GraftError(.damagedArchive(found: "something else", expected: "a model in Base64")) }
        return Array(data)
    }

    func next() throws -> ArchiveRecord? {
        while true {
            do {
                let token = try reader.next()
                if token == .beginObject { return try record() }
                guard token == .endOfInput else { throw unexpected(token, "an object") }
            } catch var error as GraftError {
                let line = error.place.line ?? reader.place.line ?? 1
                error.place = .init(
                    source: lines.place.source, line: firstLine + line - 1, entity: error.place.entity,
                    property: error.place.property)
                throw error
            }
            if let objectCount = lines.objectCount {
                try verifyCounts(objectCount)
                return nil
            }
            try readOn()
        }
    }

    private func verifyCounts(_ objectCount: Int) throws {
        guard names.definedCount == objectCount, counts == header.entities.map(\.objectCount) else {
            throw lines.damaged(
                "\(names.definedCount) objects", "\(header.objectCount), as the archive's header and end say")
        }
        guard names.undefinedCount == 0 else {
            throw lines.damaged(
                "references to \(names.undefinedCount) objects that aren't in the archive", "objects to refer to")
        }
    }

    // MARK: Objects

    /// Reads the object that has begun.
    private func record() throws -> ArchiveRecord {
        guard case .key(let key) = try reader.next(), reader.matches(key, LineArchiveKey.name),
            case .string(let name) = try reader.next()
        else { throw damaged("an object without a name", #"a name under "$""#) }
        let index = try entity(of: name, latest)
        latest = index
        guard let number = reader.withContents(of: name, { names.define($0) }) else {
            throw damaged("the name '\(reader.string(of: name))' for the second time", "another name")
        }
        counts[index] += 1
        var record = ArchiveRecord(entities[index], index, number: number)
        var position = 0
        while case .key(let key) = try reader.next() {
            if reader.matches(key, LineArchiveKey.checksum) {
                _ = try reader.next()
                continue
            }
            guard let item = item(key, entities[index], from: &position) else {
                throw damaged("the key '\(reader.string(of: key))'", "a property that the header names")
            }
            do {
                try read(item, of: entities[index].name, into: &record)
            } catch let error as GraftError {
                throw error.located(in: .init(entity: entities[index].name, property: item.name))
            }
        }
        return record
    }

    /// - Parameter latest: The entity that is looked at first.
    private func entity(of name: JSONText, _ latest: Int) throws -> Int {
        let found = reader.withContents(of: name) { bytes -> Int? in
            var end = 0
            while end < bytes.count, bytes[end] != 0x2F, bytes[end] != 0x23 { end &+= 1 }
            let entity = bytes.extracting(0..<end)
            if entities[latest].name.withUTF8Span({ $0.hasSameBytes(as: entity) }) { return latest }
            return numbers[JSONEscapes.plainString(entity, isASCII: false)]
        }
        guard let found else {
            throw damaged("the name '\(reader.string(of: name))'", "one that begins with an entity of the header")
        }
        return found
    }

    /// The property of a key. Keys come in the order of the header.
    private func item(_ key: JSONText, _ entity: ArchiveEntity, from position: inout Int) -> ArchiveEntity.Item? {
        for _ in entity.items.indices {
            let index = position
            position = position + 1 == entity.items.count ? 0 : position + 1
            if reader.matches(key, entity.items[index].name) { return entity.items[index] }
        }
        return nil
    }

    private func read(_ item: ArchiveEntity.Item, of entity: String, into record: inout ArchiveRecord) throws {
        let token = try reader.next()
        switch item.form {
        case .attribute(let kind): record.values[item.column] = try value(token, kind)
        case .toOne: record.destinations[item.column] = try reference(token, item, of: entity)
        case .toMany:
            guard token == .beginArray else { throw unexpected(token, "an array of names") }
            var members: [Int] = []
            var next = try reader.next()
            while next != .endArray {
                members.append(try reference(next, item, of: entity))
                next = try reader.next()
            }
            record.members[item.column] = members
        }
    }

    private func reference(_ token: JSONToken, _ item: ArchiveEntity.Item, of entity: String) throws -> Int {
        guard case .string(let name) = token else { throw unexpected(token, "the name of an object") }
        latestEnd = try self.entity(of: name, latestEnd)
        guard entities.canLead(item, to: latestEnd) else {
            throw ArchiveBlock.wrongEnd(entities[latestEnd].name, item, of: entity)
                .located(in: .init(line: reader.place.line))
        }
        return reader.withContents(of: name) { names.number($0) }
    }

    // MARK: Values

    private func value(_ token: JSONToken, _ kind: AttributeKind) throws -> GraphValue {
        switch (kind, token) {
        case (.boolean, .boolean(let value)): return .boolean(value)
        case (.integer16, .number(let text)), (.integer32, .number(let text)), (.integer64, .number(let text)):
            if let value = reader.int64(of: text), kind.integers.contains(value) { return .integer(value) }
        case (.double, _), (.float, _): return .double(try double(token))
        case (.date, _): return .date(try double(token))
        case (.decimal, .number(let text)):
            if let value = reader.decimal(of: text) { return .decimal(value) }
        case (.decimal, .string(let text)) where reader.matches(text, "NaN"): return .decimal(.nan)
        case (.string, .string(let text)): return .string(reader.string(of: text))
        case (.uuid, .string(let text)):
            if let value = reader.withContents(of: text, { EncodedText.uuid($0) }) { return .uuid(value) }
        case (.uri, .string(let text)):
            if let value = URL(string: reader.string(of: text)) { return .uri(value) }
        case (.binary, .string(let text)):
            if let value = reader.withContents(of: text, { EncodedText.base64($0) }) { return .data(value) }
        case (.transformable, .string(let text)):
            if let value = reader.withContents(of: text, { EncodedText.base64($0) }) { return .encoded(value) }
        default: break
        }
        throw unexpected(token, "\(kind)")
    }

    private func double(_ token: JSONToken) throws -> Double {
        switch token {
        case .number(let text): if let value = reader.double(of: text) { return value }
        case .string(let text): if let value = LineArchiveEncoder.infinite(reader.string(of: text)) { return value }
        default: break
        }
        throw unexpected(token, "a number")
    }

    // MARK: Errors

    private func damaged(_ found: String, _ expected: String) -> GraftError {
        GraftError(.damagedArchive(found: found, expected: expected), at: .init(line: reader.place.line))
    }

    private func unexpected(_ token: JSONToken, _ expected: String) -> GraftError {
        damaged(AttributeConverter.words(for: token, reader), expected)
    }
}
