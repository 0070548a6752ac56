// What expressions become in SQL: values whose kind is known, collections that can be selected from, lists.

import Foundation

/// The kind of a value. Values of different kinds are never equal and have no order.
package enum SQLKind: Equatable {
    case null
    /// Integers and doubles, as SQLite has them.
    case number
    /// A decimal attribute: whole ones are integers in the file, but a division of them is one of real numbers.
    case decimal
    case string
    case date
    case data
    case uuid
    /// The key of a row in the table of this root entity.
    case object(root: Int)
    /// `Z_ENT`
    case entity
    /// A column that SQL can only look for NULL in, and why.
    case opaque(String)

    /// Whether two values can be equal.
    func isComparable(to other: SQLKind) -> Bool {
        switch (self, other) {
        case (.number, .decimal), (.decimal, .number): true
        default: self == other
        }
    }

    /// Whether one value can be less than another.
    var hasOrder: Bool {
        switch self {
        case .number, .decimal, .string, .date, .data, .uuid: true
        case .null, .object, .entity, .opaque: false
        }
    }

    /// How the functions are told what a value is.
    var tag: String {
        switch self {
        case .decimal: "m"
        case .date: "d"
        case .uuid: "u"
        default: "v"
        }
    }
}

/// A single value.
struct SQLScalar {
    var fragment: SQLFragment
    var kind: SQLKind
    var canBeNull = true
    /// The value of a constant.
    var constant: Operand?
    /// The row that it is the key of.
    var object: SQLObject?
    /// What it is the number of, for conditions that only ask whether there is any.
    var counted: SQLCollection?

    init(_ sql: String, _ arguments: [SQLValue] = [], kind: SQLKind, canBeNull: Bool = true) {
        fragment = SQLFragment(sql: sql, arguments: arguments)
        self.kind = kind
        self.canBeNull = canBeNull
    }

    static var null: SQLScalar { SQLScalar("NULL", kind: .null) }

    /// The value itself, unless SQL can do nothing with it.
    func usable() throws -> SQLScalar {
        if case .opaque(let reason) = kind { throw PredicateSQLProblem(reason) }
        return self
    }

    var isNullConstant: Bool { kind == .null }

    /// `value IS NULL`
    var isNull: SQLCondition {
        if !canBeNull { return .never }
        if isNullConstant { return .always }
        return SQLCondition(
            fragment: SQLFragment(sql: "\(fragment.sql) IS NULL", arguments: fragment.arguments), canBeNull: false)
    }
}

/// What an expression becomes.
enum SQLOperand {
    case scalar(SQLScalar)
    case collection(SQLCollection)
    /// The elements of an aggregate.
    case list([SQLOperand])
    /// A constant collection.
    case constants([Operand])
}

extension SQLOperand {
    /// The entity of the objects, where it is one or some.
    var entity: SQLEntity? {
        switch self {
        case .scalar(let scalar): scalar.object?.entity
        case .collection(let members):
            switch members.element {
            case .object(let object): object.entity
            case .value(let value): value.object?.entity
            }
        case .list, .constants: nil
        }
    }
}

/// A row of some table.
struct SQLObject {
    indirect enum Place {
        /// At the end of a path of to-one relationships from the fetched row.
        case root([String])
        /// A table of a subquery.
        case table(alias: String)
        /// Behind a column that holds its key.
        case reference(column: String)
    }

    let entity: SQLEntity
    var place: Place
    /// Where tables can be joined to reach it; nil for rows of the fetch itself.
    var source: SQLSource?

    init(entity: SQLEntity, place: Place, source: SQLSource? = nil) {
        self.entity = entity
        self.place = place
        self.source = source
    }
}

/// What names mean at some place in a predicate.
struct SQLScope {
    /// `SELF`
    var itself: SQLElement
    /// The variables of the subqueries around.
    var variables: [String: SQLElement] = [:]
}

/// A member of a collection.
indirect enum SQLElement {
    case object(SQLObject)
    case value(SQLScalar)
}

/// The tables of a subquery. A class, because paths inside the subquery join further tables to it while it is written.
final class SQLSource {
    private var tables: String
    private var joined: [String: String] = [:]
    private(set) var conditions: [SQLCondition]

    init(table: String, alias: String, conditions: [SQLCondition] = []) {
        tables = "\(table) AS \(alias)"
        self.conditions = conditions
    }

    /// Adds a table whose rows have to be there.
    func join(_ table: String, as alias: String, on condition: String) {
        tables += " JOIN \(table) AS \(alias) ON \(condition)"
    }

    /// Adds the table that a column refers to, or finds it.
    ///
    /// - Parameter isRequired: Whether rows without a reference are left out.
    func table(
        _ table: String, key primaryKey: String, referredToBy column: String, isRequired: Bool, newAlias: () -> String
    ) -> String {
        let key = "\(isRequired ? "" : "?")\(column)"
        if let known = joined[key] { return known }
        let alias = newAlias()
        tables += " \(isRequired ? "" : "LEFT ")JOIN \(table) AS \(alias) ON \(alias).\(primaryKey) = \(column)"
        joined[key] = alias
        return alias
    }

    func add(_ condition: SQLCondition) { conditions.append(condition) }

    /// `SELECT … FROM … WHERE …` with what has been added so far, and one condition more.
    func select(_ columns: SQLFragment, where extra: SQLCondition = .always) -> SQLFragment {
        var fragment = SQLFragment(sql: "SELECT ")
        fragment += columns
        fragment.sql += " FROM \(tables)"
        let all = SQLCondition.joined(conditions + [extra], "AND")
        if all.fragment.sql != SQLCondition.always.fragment.sql {
            fragment.sql += " WHERE "
            fragment += all.fragment
        }
        return fragment
    }
}

/// The members of a to-many relationship, and what has been selected or read of them.
struct SQLCollection {
    let source: SQLSource
    var element: SQLElement
    /// Equal members count once.
    var isDistinct = false
}
