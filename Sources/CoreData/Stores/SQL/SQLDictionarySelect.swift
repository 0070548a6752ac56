// Fetches of dictionaries: one SELECT each, grouped where the selection says so.
//
//     SELECT t0.ZGENRE, graft_sum(t0.ZPAGES) FROM ZBOOK AS t0 GROUP BY t0.ZGENRE HAVING COUNT(t0.Z_PK) > ? ORDER BY t0.ZGENRE

import Foundation

/// The statement of one fetch and the readers of its columns.
package struct SQLDictionarySelect {
    /// A value of a dictionary.
    package enum Column {
        /// A property of the row, or of one that to-one relationships lead to, or a row; and where it says of which entity the
        /// row is that it refers to.
        case plain(SQLSelect.Target, position: Int, entity: Int?)
        case computed(position: Int, kind: SQLKind, type: NSAttributeType)

        var position: Int {
            switch self {
            case .plain(_, let position, _), .computed(let position, _, _): position
            }
        }
    }

    package let fragment: SQLFragment
    /// The keys of the dictionaries.
    package let names: [String]
    package let columns: [Column]
    /// Set where SQL can't drop what is alike: it is sorted by something that isn't selected, or gets another type.
    package let dropping: (offset: Int, limit: Int?)?

    /// - Parameter select: The rows, in no order yet.
    package init(
        _ select: SQLSelect, _ query: StoreQuery, _ selection: StoreSelection, space: @escaping (SQLEntity) -> RowSpace?
    ) throws {
        let generator = PredicateSQL(select, space: space)
        generator.isGrouped = selection.isGrouped
        var list: [SQLFragment] = []
        var columns: [Column] = []
        var kinds: [SQLKind] = []
        for column in selection.columns {
            if let keyPath = column.keyPath {
                let target = try generator.select.target(ofKeyPath: keyPath)
                columns.append(try Self.plain(keyPath, target, &list))
                kinds.append(.null)
            } else {
                let value = try generator.computed(column.expression)
                columns.append(.computed(position: list.count, kind: value.kind, type: column.type))
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
        let positions = columns.map { $0.position + 1 }
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
        // What is alike is so as it comes out, and SQL knows values before they get the type of their column.
        let isDistinctInSQL =
            isOrderedByColumns
            && selection.columns.allSatisfy { $0.keyPath != nil || $0.type == .undefinedAttributeType }
        if selection.isDistinct, !isDistinctInSQL {
            dropping = (query.offset, query.limit)
            (select.limit, select.offset) = (nil, 0)
        } else {
            dropping = nil
        }
        // Without an aggregate in it (those of values that can't be added up are constants), every row would be a result.
        if selection.isGrouped, selection.groups.isEmpty { list.append(SQLFragment(sql: "COUNT(*)")) }
        var selected = SQLFragment(sql: "")
        selected.add(list, after: "")
        fragment = select.statement(columns: selected, distinct: isDistinctInSQL)
        names = selection.columns.map(\.name)
        self.columns = columns
    }

    private static func plain(
        _ keyPath: String, _ target: SQLSelect.Target, _ list: inout [SQLFragment]
    ) throws -> Column {
        let position = list.count
        list.append(SQLFragment(sql: target.column))
        let dialect = target.entity.dialect
        let entity: String?
        switch target.property {
        case nil: entity = "\(target.alias).\(dialect.entity)"
        case .attribute: entity = nil
        case .toOne(let toOne): entity = dialect.entity(of: toOne, target.alias)
        case .toMany:
            throw CoreDataError.make(
                .persistentStoreUnsupportedRequestType,
                "'\(keyPath)' is a to-many relationship, which has no place in a dictionary. Fetch objects instead.")
        }
        if let entity { list.append(SQLFragment(sql: entity)) }
        return .plain(target, position: position, entity: entity.map { _ in position + 1 })
    }

    /// `ORDER BY 2` means the second column.
    private static func order(
        _ descriptor: NSSortDescriptor, position: Int, kind: SQLKind, _ entity: SQLEntity
    ) throws -> SQLFragment {
        guard let comparison = descriptor.comparison else {
            throw PredicateSQLProblem.error(descriptor, entity: entity, entity.dialect, "a closure can't run in SQL")
        }
        guard kind == .string else { return SQLFragment(sql: "\(position)") }
        if entity.dialect == .postgreSQL, comparison != .standard {
            throw PredicateSQLProblem(
                "PostgreSQL orders computed texts by compare: alone. Sort the dictionaries in memory")
        }
        return SQLFragment(sql: try entity.dialect.ordered("\(position)", comparison))
    }
}

extension SQLDictionarySelect {
    /// A computed value as a dictionary has it, and as the evaluation in memory gives it; nil for none.
    package static func value(_ value: SQLValue, kind: SQLKind, type: NSAttributeType) -> Any? {
        value == .null ? nil : PredicateSQLFunctions.operand(value, kind: kind).boxed(as: type)
    }

    /// The dictionaries without those that are like another one before, where SQL couldn't drop them.
    package func dropped(_ dictionaries: [[String: Any]]) -> [[String: Any]] {
        guard let dropping else { return dictionaries }
        var distinct = DistinctDictionaries(names: names)
        let kept = dictionaries.filter { distinct.insert($0) }
        return Array(kept.dropFirst(dropping.offset).prefix(dropping.limit ?? .max))
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
            throw problem.error(expression, entity: select.entity, dialect)
        }
    }

    fileprivate func groupCondition(_ predicate: NSPredicate) throws -> SQLFragment {
        do {
            return try condition(predicate, in: root).fragment
        } catch let problem as PredicateSQLProblem {
            throw problem.error(predicate, entity: select.entity, dialect)
        }
    }
}
