// A SELECT from an entity's table: which rows, in which order, and what has to be joined for it. Predicates add their
// part through Predicate*.swift; key paths of sort descriptors and of fetched columns are resolved here.
//
//     SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZNAME FROM ZHERO AS t0
//     LEFT JOIN ZPUBLISHER AS t1 ON t1.Z_PK = t0.ZPUBLISHER
//     WHERE t0.Z_ENT = 2 AND (...) ORDER BY t1.ZNAME, t0.Z_PK LIMIT 20

import Foundation

/// A SELECT in the making.
package struct SQLSelect {
    /// The alias of the entity's own table.
    static let base = "t0"

    /// What a key path leads to.
    package struct Target {
        /// The table's alias.
        package let alias: String
        /// The entity whose property it is, as the model declares it.
        package let entity: SQLEntity
        /// Nil for the row itself: the key path is empty, or `self` or `objectID`.
        package let property: SQLProperty?

        /// The column with the value, or with the key of the row.
        package var column: String {
            switch property {
            case .attribute(let attribute): "\(alias).\(attribute.column)"
            case .toOne(let toOne): "\(alias).\(toOne.column)"
            case .toMany, nil: "\(alias).\(entity.dialect.key)"
            }
        }
    }

    let schema: SQLSchema
    let entity: SQLEntity
    private let includesSubentities: Bool
    private var joins: [(path: [String], alias: String, sql: String)] = []
    private var conditions: [SQLFragment] = []
    private var ordering: [SQLFragment] = []
    /// What rows have in common that become one row of the result.
    var grouping: [SQLFragment] = []
    /// Which groups are in the result.
    var having: SQLFragment?
    package var limit: Int?
    package var offset = 0

    package init(schema: SQLSchema, entity: SQLEntity, includesSubentities: Bool) {
        self.schema = schema
        self.entity = entity
        self.includesSubentities = includesSubentities
    }

    /// Narrows the rows down; several conditions all have to be met.
    package mutating func add(condition: SQLFragment) { conditions.append(condition) }

    /// Orders the rows by a column, after what is there already.
    package mutating func add(order column: String, ascending: Bool) {
        add(order: SQLFragment(sql: column), ascending: ascending)
    }

    /// Orders the rows by a computed value, after what is there already.
    package mutating func add(order value: SQLFragment, ascending: Bool) {
        ordering.append(
            SQLFragment(
                sql: schema.dialect.ordering(value.sql, ascending: ascending), arguments: value.arguments))
    }

    /// Orders by the row's key, so that rows that are alike otherwise still have a defined order.
    package mutating func addKeyOrder() { ordering.append(SQLFragment(sql: "\(Self.base).\(schema.dialect.key)")) }

    // MARK: Key paths

    /// Finds what a key path leads to through to-one relationships, joining the tables on the way. The row stays in the
    /// result where a relationship on the way is empty.
    ///
    /// - Throws: `CocoaError` naming the component that isn't a stored property.
    mutating func target(ofKeyPath keyPath: String) throws -> Target {
        var components = keyPath.split(separator: ".").map(String.init).filter { $0.lowercased() != "self" }
        if components.last == "objectID" { components.removeLast() }
        var (alias, current) = (Self.base, entity)
        var keys = CompositeKeys()
        for (index, key) in components.enumerated() {
            guard let component = keys.name(key, of: current.description) else {
                if index < components.count - 1 { continue }
                throw unknown(keys.composite ?? key, of: current, in: keyPath)
            }
            guard let property = current.property(named: component) else {
                throw unknown(component, of: current, in: keyPath)
            }
            if index == components.count - 1 { return Target(alias: alias, entity: current, property: property) }
            guard case .toOne(let toOne) = property else { throw notToOne(component, of: current, in: keyPath) }
            alias = join(Array(components[...index]), toOne, from: alias)
            current = toOne.destination
        }
        return Target(alias: alias, entity: current, property: nil)
    }

    private mutating func join(_ path: [String], _ toOne: SQLToOne, from alias: String) -> String {
        if let known = joins.first(where: { $0.path == path }) { return known.alias }
        let new = "t\(joins.count + 1)"
        let sql =
            "LEFT JOIN \(toOne.destination.table) AS \(new) ON \(new).\(schema.dialect.key) = \(alias).\(toOne.column)"
        joins.append((path, new, sql))
        return new
    }

    private func unknown(_ component: String, of entity: SQLEntity, in keyPath: String) -> CocoaError {
        let finding = entity.description.reasonAgainst(component)
        return CoreDataError.make(
            .persistentStoreOperation,
            "The key path '\(keyPath)' can't be used in a fetch of '\(self.entity.name)': the property '\(component)' "
                + "of entity '\(entity.name)' \(finding). Stored properties are: "
                + "\(entity.properties.keys.sorted().joined(separator: ", ")).")
    }

    private func notToOne(_ component: String, of entity: SQLEntity, in keyPath: String) -> CocoaError {
        CoreDataError.make(
            .persistentStoreOperation,
            "The key path '\(keyPath)' can't be used in a fetch of '\(self.entity.name)': '\(component)' of entity "
                + "'\(entity.name)' is no to-one relationship, so that nothing can follow it.")
    }

    // MARK: Text

    /// The whole statement.
    package func statement(columns: String, distinct: Bool = false) -> SQLFragment {
        statement(columns: SQLFragment(sql: columns), distinct: distinct)
    }

    /// The whole statement, with columns that are computed.
    package func statement(columns: SQLFragment, distinct: Bool = false) -> SQLFragment {
        var fragment = SQLFragment(sql: "SELECT \(distinct ? "DISTINCT " : "")")
        fragment += columns
        fragment.sql += " FROM \(entity.table) AS t0"
        for join in joins { fragment.sql += " \(join.sql)" }
        var conditions = conditions
        if let own = entity.rowCondition(includingSubentities: includesSubentities) {
            conditions.insert(SQLFragment(sql: "\(Self.base).\(own)"), at: 0)
        }
        for (index, condition) in conditions.enumerated() {
            fragment.sql += index == 0 ? " WHERE " : " AND "
            fragment += condition
        }
        fragment.add(grouping, after: " GROUP BY ")
        if let having {
            fragment.sql += " HAVING "
            fragment += having
        }
        fragment.add(ordering, after: " ORDER BY ")
        // SQLite has no OFFSET without LIMIT.
        if limit != nil || offset > 0 && schema.dialect == .sqlite {
            fragment.sql += " LIMIT ?"
            fragment.arguments.append(.integer(limit.map(Int64.init) ?? -1))
        }
        if offset > 0 {
            fragment.sql += " OFFSET ?"
            fragment.arguments.append(.integer(Int64(offset)))
        }
        return fragment
    }
}
