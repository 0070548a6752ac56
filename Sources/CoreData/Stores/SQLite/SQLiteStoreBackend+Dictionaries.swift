// Fetches of dictionaries: one SELECT each, grouped where the selection says so.
//
//     SELECT t0.ZGENRE, graft_sum(t0.ZPAGES) FROM ZBOOK AS t0 GROUP BY t0.ZGENRE HAVING COUNT(t0.Z_PK) > ? ORDER BY t0.ZGENRE

import Foundation
import GRDB

extension SQLiteStoreBackend {
    func dictionaries(matching query: StoreQuery, selection: StoreSelection) throws -> [[String: Any]] {
        guard !selection.columns.isEmpty else { return [] }
        let fetch = try DictionaryFetch(query, selection, store: self)
        return try reading { db in
            let statement = try Self.statement(db, fetch.fragment)
            return try fetch.dictionaries(statement, external: external)
        }
    }
}

/// The statement of one fetch and the readers of its columns.
private struct DictionaryFetch {
    /// A value of a dictionary.
    private enum Reader {
        case plain(PlainColumn)
        case computed(column: Int32, kind: SQLKind, type: NSAttributeType)
    }

    let fragment: SQLFragment
    private let names: [String]
    private let readers: [Reader]
    /// Set where SQLite can't drop what is alike, because it is sorted by something that isn't selected.
    private let dropping: (offset: Int, limit: Int?)?

    init(_ query: StoreQuery, _ selection: StoreSelection, store: SQLiteStoreBackend) throws {
        var unordered = query
        unordered.sortDescriptors = []
        let generator = PredicateSQL(try store.select(unordered)) { store.space(of: $0) }
        generator.isGrouped = selection.isGrouped
        var list: [SQLFragment] = []
        var readers: [Reader] = []
        var kinds: [SQLKind] = []
        for column in selection.columns {
            if let keyPath = column.keyPath {
                let target = try generator.select.target(ofKeyPath: keyPath)
                readers.append(.plain(try PlainColumn(keyPath: keyPath, target: target, store: store, columns: &list)))
                kinds.append(.null)
            } else {
                let value = try generator.computed(column.expression)
                readers.append(.computed(column: Int32(list.count), kind: value.kind, type: column.type))
                kinds.append(value.kind)
                list.append(value.fragment)
            }
        }
        for group in selection.groups {
            if let keyPath = group.keyPath {
                let target = try generator.select.target(ofKeyPath: keyPath)
                generator.select.grouping.append(SQLFragment(sql: target.column))
            } else {
                generator.select.grouping.append(try generator.computed(group.expression).fragment)
            }
        }
        if let having = selection.having { generator.select.having = try generator.groupCondition(having) }
        var select = generator.select
        let positions = readers.map { reader in
            switch reader {
            case .plain(let column): Int(column.column) + 1
            case .computed(let column, _, _): Int(column) + 1
            }
        }
        for descriptor in query.sortDescriptors {
            if let index = selection.computedColumn(named: descriptor.key, of: query.entity) {
                select.add(
                    order: try Self.order(descriptor, position: positions[index], kind: kinds[index], select.entity),
                    ascending: descriptor.ascending)
            } else {
                try select.add(sortDescriptor: descriptor)
            }
        }
        let isOrderedByColumns = selection.isDistinct && selection.selects(query.sortDescriptors, of: query.entity)
        if isOrderedByColumns {
            for position in positions { select.add(order: "\(position)", ascending: true) }
        } else if selection.isGrouped {
            for group in select.grouping { select.add(order: group, ascending: true) }
        } else {
            select.addKeyOrder()
        }
        if selection.isDistinct, !isOrderedByColumns {
            dropping = (query.offset, query.limit)
            (select.limit, select.offset) = (nil, 0)
        } else {
            dropping = nil
        }
        // Without an aggregate in it (those of values that can't be added up are constants), every row would be a result.
        if selection.isGrouped, selection.groups.isEmpty { list.append(SQLFragment(sql: "COUNT(*)")) }
        var columns = SQLFragment(sql: "")
        columns.add(list, after: "")
        fragment = select.statement(columns: columns, distinct: isOrderedByColumns)
        names = selection.columns.map(\.name)
        self.readers = readers
    }

    /// `ORDER BY 2` means the second column.
    private static func order(
        _ descriptor: NSSortDescriptor, position: Int, kind: SQLKind, _ entity: SQLEntity
    ) throws -> SQLFragment {
        guard let comparison = descriptor.comparison else {
            throw PredicateSQLProblem.error(descriptor, entity: entity, "a closure can't run in SQL")
        }
        let collation = kind == .string ? comparison.collationName.map { " COLLATE \($0)" } : nil
        return SQLFragment(sql: "\(position)\(collation ?? "")")
    }

    func dictionaries(_ statement: RowStatement, external: ExternalDataFolder?) throws -> [[String: Any]] {
        var result: [[String: Any]] = []
        var seen: Set<[OperandKey]> = []
        while try statement.step() {
            var dictionary: [String: Any] = [:]
            for (name, reader) in zip(names, readers) {
                switch reader {
                case .plain(let column): dictionary[name] = try column.value(in: statement, external: external)
                case .computed(let column, let kind, let type):
                    dictionary[name] = statement.operand(at: column, kind: kind).boxed(as: type)
                }
            }
            if dropping != nil, !seen.insert(names.map { OperandKey(Operand(dictionary[$0])) }).inserted { continue }
            result.append(dictionary)
        }
        guard let dropping else { return result }
        return Array(result.dropFirst(dropping.offset).prefix(dropping.limit ?? .max))
    }
}

extension PredicateSQL {
    /// A column's value.
    fileprivate func computed(_ expression: NSExpression) throws -> SQLScalar {
        do {
            let value = try scalar(expression, in: root).usable()
            if case .object = value.kind {
                throw PredicateSQLProblem("it gives an object; name the relationship instead")
            }
            return value
        } catch let problem as PredicateSQLProblem {
            throw problem.error(expression, entity: select.entity)
        }
    }

    fileprivate func groupCondition(_ predicate: NSPredicate) throws -> SQLFragment {
        do {
            return try condition(predicate, in: root).fragment
        } catch let problem as PredicateSQLProblem {
            throw problem.error(predicate, entity: select.entity)
        }
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

    /// - Parameter columns: The list that the statement selects; the column's own are added.
    init(keyPath: String, target: SQLSelect.Target, store: SQLiteStoreBackend, columns: inout [SQLFragment]) throws {
        schema = store.schema
        column = Int32(columns.count)
        columns.append(SQLFragment(sql: target.column))
        space = store.space(of: target.entity)
        guard let property = target.property else {
            // The row itself.
            columns.append(SQLFragment(sql: "\(target.alias).Z_ENT"))
            field = nil
            entityColumn = column + 1
            place = "\(target.entity.name) (\(target.entity.table).Z_ENT)"
            return
        }
        let plan = try store.plan(of: target.entity.description)
        let name: String? =
            switch property {
            case .attribute(let attribute): attribute.column
            case .toOne(let toOne): toOne.column
            case .toMany: nil
            }
        guard let field = plan.fields.first(where: { $0.column == name }) else {
            throw CoreDataError.make(
                .persistentStoreUnsupportedRequestType,
                "'\(keyPath)' is a to-many relationship, which has no place in a dictionary. Fetch objects instead.")
        }
        self.field = field
        place = "\(target.entity.name).\(field.name) (\(target.entity.table).\(field.column))"
        if let second = field.entityColumn {
            entityColumn = column + 1
            columns.append(SQLFragment(sql: "\(target.alias).\(second)"))
        } else {
            entityColumn = -1
        }
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
