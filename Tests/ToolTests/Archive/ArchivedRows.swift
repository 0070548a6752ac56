// An archive as its lines say, and a store as SQL finds it: two witnesses that know nothing of models, columns' owners or each other.

import Foundation
import GRDB
import TestSupport

/// The records of an archive in JSON (docs/archive-format.md).
struct ArchivedRecords {
    struct Property: Decodable {
        var name: String, type: String
        var isLink: Bool { ["toOne", "toMany", "orderedToMany"].contains(type) }
    }

    struct Entity: Decodable {
        var name: String
        var superentity: String?
        var properties: [Property]
    }

    struct Record {
        var name: String, entity: String
        var row: Int64
        var values: [String: Value]

        /// The names that a link has.
        func names(_ property: Property) -> [String] {
            guard property.isLink else { return [] }
            return switch values[property.name] {
            case .text(let name): [name]
            case .list(let names): names
            default: []
            }
        }
    }

    /// A value as it is written. (JSONSerialization gets the last bit of some numbers wrong.)
    enum Value: Decodable {
        case truth(Bool)
        case number(Double)
        case text(String)
        case list([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let truth = try? container.decode(Bool.self) {
                self = .truth(truth)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .list(try container.decode([String].self))
            }
        }
    }

    private struct Head: Decodable {
        struct Archive: Decodable { var entities: [Entity] }
        var archive: Archive
        enum CodingKeys: String, CodingKey { case archive = "$archive" }
    }

    struct Malformed: Error {}

    let entities: [String: Entity]
    let records: [Record]
    /// The numbers of rows, by the names of records.
    let rows: [String: Int64]

    init(contentsOf path: String) throws {
        let lines = try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: 0x0A)
        guard let first = lines.first else { throw Malformed() }
        let found = try JSONDecoder().decode(Head.self, from: first).archive.entities
        entities = Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0) })
        records = try lines.dropFirst().compactMap { line in
            if line.starts(with: Data(#"{"$model""#.utf8)) || line.starts(with: Data(#"{"$end""#.utf8)) { return nil }
            let values = try JSONDecoder().decode([String: Value].self, from: line)
            guard case .text(let name) = values["$"], case .number(let row) = values["$row"] else { throw Malformed() }
            return Record(
                name: name, entity: String(name.prefix { $0 != "/" && $0 != "#" }), row: Int64(row), values: values)
        }
        rows = Dictionary(uniqueKeysWithValues: records.map { ($0.name, $0.row) })
    }

    func root(of entity: String) -> String { entities[entity]?.superentity.map(root) ?? entity }

    func isEntity(_ entity: String, kindOf other: String) -> Bool {
        entity == other || entities[entity]?.superentity.map { isEntity($0, kindOf: other) } ?? false
    }

    /// Which rows of a link lead to which: those of the entity's objects, under a name in capitals that may have got a number.
    func pairs(_ entity: String, _ name: String) -> [[Int64]] {
        records.filter { isEntity($0.entity, kindOf: entity) }.flatMap { record in
            (entities[record.entity]?.properties ?? [])
                .filter { $0.type.hasSuffix("oMany") && stands(name, for: $0.name) }
                .flatMap(record.names).compactMap { rows[$0].map { [record.row, $0] } }
        }
    }
}

/// Whether a column's name, without its prefix, may be that of a property.
func stands(_ column: some StringProtocol, for property: String) -> Bool {
    let name = property.uppercased()
    return column.hasPrefix(name) && column.dropFirst(name.count).allSatisfy { $0.isASCII && $0.isNumber }
}

extension PlainValue {
    /// A value of an archive.
    init?(_ value: ArchivedRecords.Value, type: String) {
        switch (type, value) {
        case ("boolean", .truth(let value)): self = .number(value ? 1 : 0)
        case ("string", .text(let text)), ("uri", .text(let text)): self = .text(text)
        case ("uuid", .text(let text)):
            guard let id = UUID(uuidString: text)?.uuid else { return nil }
            self = .bytes(unsafe withUnsafeBytes(of: id) { unsafe Data($0) })
        case ("binary", .text(let text)), ("transformable", .text(let text)):
            guard let bytes = Data(base64Encoded: text) else { return nil }
            self = .bytes(bytes)
        case (_, .number(let number)): self = .number(number)
        default: return nil
        }
    }

    /// What stands for bytes that could have been in a file of their own: a 1, and the bytes.
    var withoutMark: PlainValue? {
        guard case .bytes(let bytes) = self, bytes.first == 1 else { return nil }
        return .bytes(Data(bytes.dropFirst()))
    }
}
