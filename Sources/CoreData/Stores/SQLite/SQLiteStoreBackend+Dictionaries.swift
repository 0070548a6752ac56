// Fetches of dictionaries: what Stores/SQL/SQLDictionarySelect.swift selects, read.

import Foundation
import GRDB

extension SQLiteStoreBackend {
    func dictionaries(matching query: StoreQuery, selection: StoreSelection) throws -> [[String: Any]] {
        guard !selection.columns.isEmpty else { return [] }
        var unordered = query
        unordered.sortDescriptors = []
        let fetch = try DictionaryReading(
            SQLDictionarySelect(try select(unordered), query, selection) { self.space(of: $0) }, store: self)
        return try reading { db in
            let statement = try Self.statement(db, fetch.fragment)
            return try fetch.dictionaries(statement, external: external)
        }
    }
}

/// How the columns of one fetch are read.
private struct DictionaryReading {
    private enum Reader {
        case plain(PlainColumn)
        case computed(column: Int32, kind: SQLKind, type: NSAttributeType)
    }

    let fragment: SQLFragment
    private let names: [String]
    private let readers: [Reader]
    private let dropping: (offset: Int, limit: Int?)?

    init(_ select: SQLDictionarySelect, store: SQLiteStoreBackend) throws {
        fragment = select.fragment
        names = select.names
        dropping = select.dropping
        readers = try select.columns.map { column in
            switch column {
            case .plain(let target, let position, let entity):
                .plain(try PlainColumn(target, position, entity, store: store))
            case .computed(let position, let kind, let type):
                .computed(column: Int32(position), kind: kind, type: type)
            }
        }
    }

    func dictionaries(_ statement: RowStatement, external: ExternalDataFolder?) throws -> [[String: Any]] {
        var result: [[String: Any]] = []
        var distinct = DistinctDictionaries(names: names)
        while try statement.step() {
            var dictionary: [String: Any] = [:]
            for (name, reader) in zip(names, readers) {
                switch reader {
                case .plain(let column): dictionary[name] = try column.value(in: statement, external: external)
                case .computed(let column, let kind, let type):
                    dictionary[name] = statement.operand(at: column, kind: kind).boxed(as: type)
                }
            }
            if dropping != nil, !distinct.insert(dictionary) { continue }
            result.append(dictionary)
        }
        guard let dropping else { return result }
        return Array(result.dropFirst(dropping.offset).prefix(dropping.limit ?? .max))
    }
}

extension RowStatement {
    /// A computed value, as the evaluation in memory has it.
    fileprivate func operand(at column: Int32, kind: SQLKind) -> Operand {
        let value = value(at: column)
        return value == .null ? .null : PredicateSQLFunctions.operand(value, kind: kind)
    }
}

/// A property of the row, or of one that to-one relationships lead to.
struct PlainColumn {
    private let field: EntityPlan.Field?
    private let space: RowSpace
    private let schema: SQLSchema
    let column: Int32
    private let entityColumn: Int32
    private let place: String

    init(_ target: SQLSelect.Target, _ position: Int, _ entity: Int?, store: SQLiteStoreBackend) throws {
        schema = store.schema
        column = Int32(position)
        entityColumn = Int32(entity ?? -1)
        space = store.space(of: target.entity)
        guard let property = target.property else {
            // The row itself.
            field = nil
            place = "\(target.entity.name) (\(target.entity.table).Z_ENT)"
            return
        }
        let name: String? =
            switch property {
            case .attribute(let attribute): attribute.column
            case .toOne(let toOne): toOne.column
            case .toMany: nil
            }
        let field = try store.plan(of: target.entity.description).fields.first { $0.column == name }
        self.field = field
        place = "\(target.entity.name).\(field?.name ?? "") (\(target.entity.table).\(field?.column ?? ""))"
    }

    func value(in statement: RowStatement, external: ExternalDataFolder?) throws -> Any? {
        guard let field else {
            guard statement.storage(at: column) == .integer,
                let entity = schema.entity(numbered: Int(statement.integer(at: entityColumn)))
            else { return nil }
            return NSManagedObjectID(entity: entity.description, space: space, number: statement.integer(at: column))
        }
        let value = try RowDecoder.value(
            of: field, in: statement, at: column, entityColumn: entityColumn, external: external, place: { place })
        return value.boxedAttribute ?? value.referencedID
    }
}
