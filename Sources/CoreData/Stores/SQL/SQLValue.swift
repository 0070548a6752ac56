// A value as SQLite has it: what predicates bind to the `?` of their SQL. Rows don't go through it; see Stores/SQLite.

import Foundation

/// A parameter of a statement.
package enum SQLValue: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)
}

/// SQL and the values for its `?`, in the order of their appearance.
package struct SQLFragment: Equatable {
    package var sql: String
    package var arguments: [SQLValue]

    package init(sql: String, arguments: [SQLValue] = []) {
        self.sql = sql
        self.arguments = arguments
    }

    package static func += (first: inout SQLFragment, second: SQLFragment) {
        first.sql += second.sql
        first.arguments += second.arguments
    }

    /// Adds a list, if there is anything in it.
    package mutating func add(_ list: [SQLFragment], after word: String) {
        for (index, part) in list.enumerated() {
            sql += index == 0 ? word : ", "
            self += part
        }
    }
}
