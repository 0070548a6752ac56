// Where the SQL of one database differs from that of another: names of columns, conversions, functions. Everything else that
// Stores/SQL writes is the same text for both. SQLite has our own functions (PredicateSQLFunctions.swift), so that it can do
// all that the evaluation in memory does; PostgreSQL has its own alone. What those don't do in exactly the same way is
// refused, with the reason.

import Foundation

/// Whose SQL is written.
package enum SQLDialect: Sendable {
    case sqlite, postgreSQL

    /// The type of stores on a server, whose module may be missing.
    package static let postgreSQLStoreType = "PostgreSQL"

    /// For messages.
    var store: String { self == .sqlite ? "a SQLite store" : "a PostgreSQL store" }

    // MARK: Names

    /// The column with a row's key.
    package var key: String { self == .sqlite ? "Z_PK" : "_id" }
    /// The column that says of which entity a row is: by its number in SQLite, by its name in PostgreSQL.
    package var entity: String { self == .sqlite ? "Z_ENT" : "_entity" }
    /// The column with a row's version.
    package var version: String { self == .sqlite ? "Z_OPT" : "_version" }

    /// An entity as its column has it.
    package func literal(_ entity: SQLEntity) -> String { literal(number: entity.number, name: entity.name) }

    func literal(number: Int, name: String) -> String {
        self == .sqlite ? "\(number)" : name.sqlLiteral
    }

    /// What stands for an entity in a list of bound values.
    func bound(number: Int, name: String) -> SQLValue { self == .sqlite ? .integer(Int64(number)) : .text(name) }

    // MARK: Values

    /// What tells of which entity the destination of a relationship is; nil where there is only one.
    package func entity(of toOne: SQLToOne, _ alias: String) -> String? {
        switch self {
        case .sqlite: return toOne.entityColumn.map { "\(alias).\($0)" }
        case .postgreSQL:
            guard toOne.destination.hasSubentities else { return nil }
            return "(SELECT d._entity FROM \(toOne.destination.table) AS d WHERE d._id = \(alias).\(toOne.column))"
        }
    }

    /// The mark of a parameter. PostgreSQL is told the type where the value alone doesn't say it.
    func mark(_ kind: SQLKind) -> String {
        if self == .sqlite { return "?" }
        return switch kind {
        case .date: "?::timestamptz"
        case .uuid: "?::uuid"
        default: "?"
        }
    }

    /// An attribute's column as a value of its kind: a truth value is a number.
    func value(_ column: String, of attribute: NSAttributeDescription) -> String {
        self == .postgreSQL && attribute.attributeType == .booleanAttributeType ? "\(column)::int::bigint" : column
    }

    /// A condition as a number, 1 or 0.
    func number(ofCondition sql: String) -> String { self == .sqlite ? sql : "(\(sql))::int" }

    /// `a = b` that also holds where both are missing.
    var isSame: String { self == .sqlite ? " IS " : " IS NOT DISTINCT FROM " }

    /// A value in `ORDER BY`, missing ones before all others.
    func ordering(_ value: String, ascending: Bool) -> String {
        switch self {
        case .sqlite: ascending ? value : "\(value) DESC"
        case .postgreSQL: "\(value) \(ascending ? "ASC NULLS FIRST" : "DESC NULLS LAST")"
        }
    }

    /// A text, in `ORDER BY`, such that texts follow each other as a sort descriptor wants it.
    func ordered(_ text: String, _ comparison: SortComparison) throws -> String {
        switch (self, comparison) {
        // PostgreSQL's columns are declared so that they sort by their bytes.
        case (_, .standard): return text
        case (.sqlite, _): return "\(text) COLLATE \(comparison.collationName ?? "BINARY")"
        case (.postgreSQL, .caseInsensitive): return "\(SQLTextFunction.foldedCase.rawValue)(\(text))"
        case (.postgreSQL, _):
            throw PredicateSQLProblem(
                "the order of \(comparison.rawValue) is that of the user's locale, which the server doesn't know. Sort in memory, "
                    + "or by compare: or caseInsensitiveCompare:")
        }
    }

    // MARK: Arithmetic

    /// A value for arithmetic, in which decimals and dates are real numbers, dates those of seconds.
    func number(_ value: SQLScalar) -> SQLFragment {
        let sql = value.fragment.sql
        let text: String
        switch (value.kind, self) {
        case (.decimal, .sqlite): text = "graft_decimal(\(sql))"
        case (.decimal, .postgreSQL): text = "(\(sql))::double precision"
        case (.date, .sqlite): text = "CAST(\(sql) AS REAL)"
        case (.date, .postgreSQL): text = "(extract(epoch FROM \(sql))::double precision - 978307200)"
        default: return value.fragment
        }
        return SQLFragment(sql: text, arguments: value.fragment.arguments)
    }

    /// What arithmetic has come to, as a value of its kind.
    func result(_ sql: String, _ kind: SQLKind) -> String {
        self == .postgreSQL && kind == .date ? "to_timestamp(\(sql) + 978307200)" : sql
    }

    /// A divisor: by 0, SQLite's division is NULL.
    func divisor(_ sql: String) -> String { self == .sqlite ? sql : "NULLIF(\(sql), 0)" }

    /// A value that no index is to be used for.
    func withoutIndex(_ value: SQLScalar) -> String {
        self == .sqlite ? "+\(value.fragment.sql)" : value.fragment.sql
    }

    // MARK: Functions

    /// One of the predefined functions of values.
    func call(_ function: PredefinedFunction, _ arguments: [SQLScalar], kind: SQLKind) throws -> SQLScalar {
        switch self {
        case .sqlite:
            let isRandom = function == .random || function == .randomBelow
            var fragment = SQLFragment(
                sql: isRandom ? "graft_random(?, ?" : "graft_function(?, ?",
                arguments: [.text(function.rawValue), .text(arguments.map(\.kind.tag).joined())])
            for argument in arguments {
                fragment.sql += ", "
                fragment += argument.fragment
            }
            return SQLScalar(fragment.sql + ")", fragment.arguments, kind: kind)
        case .postgreSQL:
            guard arguments.count == 1, let call = Self.postgreSQLCall(function, arguments[0]) else {
                throw PredicateSQLProblem(
                    "\(function.rawValue) isn't translated, because PostgreSQL has no function that does exactly the same"
                )
            }
            return SQLScalar(call, arguments[0].fragment.arguments, kind: kind)
        }
    }

    private static func postgreSQLCall(_ function: PredefinedFunction, _ argument: SQLScalar) -> String? {
        let number = SQLDialect.postgreSQL.number(argument).sql
        switch function {
        case .floor where argument.kind.isNumber: return "floor(\(number))"
        case .ceiling where argument.kind.isNumber: return "ceil(\(number))"
        case .trunc where argument.kind.isNumber: return "trunc(\(number))"
        case .abs where argument.kind.isNumber: return "abs(\(number))"
        case .uppercase, .lowercase, .canonical:
            guard argument.kind == .string, let text = SQLTextFunction(function) else { return nil }
            return "\(text.rawValue)(\(argument.fragment.sql))"
        case .length where argument.kind == .string: return "\(SQLTextFunction.length)(\(argument.fragment.sql))"
        case .length where argument.kind == .data: return "length(\(argument.fragment.sql))::bigint"
        default: return nil
        }
    }

    /// The aggregate of a group's values. In SQLite ours where SQLite's fails (sums beyond 64 bits), depends on the order of
    /// the rows (sums of doubles), or doesn't exist.
    func aggregate(_ function: PredefinedFunction, of value: SQLScalar, distinct: Bool) throws -> SQLFragment {
        let isOrder = function == .min || function == .max
        let name: String
        switch (function, self) {
        case (.min, _): name = "min"
        case (.max, _): name = "max"
        case (.average, .sqlite): name = "graft_avg"
        case (.sum, .sqlite): name = "graft_sum"
        case (.median, .sqlite): name = "graft_median"
        case (_, .sqlite): name = "graft_stddev"
        case (.average, .postgreSQL): name = "avg"
        case (.sum, .postgreSQL): name = "sum"
        default: throw PredicateSQLProblem("\(function.rawValue) isn't translated for PostgreSQL")
        }
        if self == .postgreSQL, isOrder, value.kind == .uuid || value.kind == .data {
            throw PredicateSQLProblem("PostgreSQL has no \(name) of UUIDs and of bytes")
        }
        var column = SQLFragment(sql: "\(name)(\(distinct ? "DISTINCT " : "")")
        let isConverted = value.kind == .decimal && !isOrder
        column += isConverted ? number(value) : value.fragment
        if self == .postgreSQL, function == .average, !isConverted { column.sql += "::double precision" }
        column.sql += ")"
        if self == .postgreSQL, !isOrder {
            // The sum of nothing is 0, and what is not a number is missing.
            column.sql = "nullif(\(function == .sum ? "coalesce(\(column.sql), 0)" : column.sql), 'NaN')"
        }
        return column
    }

    // MARK: Texts

    /// A text as it is compared under options that ignore some of its differences.
    func folded(_ text: SQLFragment, _ options: NSComparisonPredicate.Options) throws -> SQLFragment {
        if self == .postgreSQL {
            guard let function = SQLTextFunction(options) else {
                throw PredicateSQLProblem(
                    "a comparison by the user's locale ([l]) can't be made by the server, which doesn't know it. Leave the l out"
                )
            }
            return SQLFragment(sql: "\(function.rawValue)(\(text.sql))", arguments: text.arguments)
        }
        return SQLFragment(
            sql: "graft_fold(\(text.sql), ?)", arguments: text.arguments + [.integer(Int64(options.rawValue))])
    }

    /// `part` somewhere in a text.
    func contains(_ text: SQLFragment, _ part: String) -> SQLFragment {
        let name = self == .sqlite ? "instr" : "strpos"
        return SQLFragment(sql: "\(name)(\(text.sql), ?) > 0", arguments: text.arguments + [.text(part)])
    }

    /// A comparison of two texts that aren't folded any more.
    ///
    /// - Parameter pattern: The right one, where it is a constant.
    func match(
        _ type: StringOperator, _ text: SQLFragment, _ part: SQLFragment, pattern: String?,
        _ options: NSComparisonPredicate.Options
    ) throws -> SQLCondition {
        switch self {
        case .sqlite:
            var fragment = SQLFragment(
                sql: "graft_match(?, ?, ",
                arguments: [.integer(Int64(type.rawValue)), .integer(Int64(options.rawValue))])
            fragment += text
            fragment.sql += ", "
            fragment += part
            fragment.sql += ")"
            return SQLCondition(fragment: fragment, canBeNull: false)
        case .postgreSQL:
            return SQLCondition(fragment: try Self.postgreSQLMatch(type, text, part, pattern))
        }
    }

    private static func postgreSQLMatch(
        _ type: StringOperator, _ text: SQLFragment, _ part: SQLFragment, _ pattern: String?
    ) throws -> SQLFragment {
        func call(_ name: String, _ end: String) -> SQLFragment {
            SQLFragment(
                sql: "\(name)(\(text.sql), \(part.sql))\(end)", arguments: text.arguments + part.arguments)
        }
        switch type {
        case .contains: return call("strpos", " > 0")
        case .begins: return call("starts_with", "")
        case .ends:
            return SQLFragment(
                sql: "right(\(text.sql), length(\(part.sql))) = \(part.sql)",
                arguments: text.arguments + part.arguments + part.arguments)
        case .like:
            guard let pattern else {
                throw PredicateSQLProblem("the pattern of LIKE has to be a constant in a PostgreSQL store")
            }
            return SQLFragment(
                sql: "\(text.sql) LIKE ?", arguments: text.arguments + [.text(WildcardPattern.inSQL(pattern))])
        case .matches:
            throw PredicateSQLProblem("the regular expressions of PostgreSQL aren't those of MATCHES")
        }
    }

    // MARK: Lists

    /// What stands between the parentheses of IN for very many values.
    func list(_ values: [SQLValue], _ kind: SQLKind) -> SQLFragment {
        switch self {
        case .sqlite: return PredicateSQL.json(values)
        case .postgreSQL:
            var arrays: [String: [String]] = [:]
            for value in values {
                guard let (element, text) = Self.postgreSQLElement(value, kind) else { continue }
                arrays[element, default: []].append(text)
            }
            var fragment = SQLFragment(sql: "")
            for (element, texts) in arrays.sorted(by: { $0.key < $1.key }) {
                if !fragment.arguments.isEmpty { fragment.sql += " UNION ALL " }
                fragment.sql += "SELECT \(element)"
                fragment.arguments.append(.text("{\(texts.joined(separator: ","))}"))
            }
            return fragment.arguments.isEmpty ? SQLFragment(sql: "NULL") : fragment
        }
    }

    /// How the elements of an array are read, and one of them in its text; nil for what PostgreSQL can't hold.
    private static func postgreSQLElement(_ value: SQLValue, _ kind: SQLKind) -> (element: String, text: String)? {
        switch (value, kind) {
        case (.null, _): return nil
        case (.integer(let integer), _): return ("unnest(?::bigint[])", "\(integer)")
        case (.real(let real), .date): return ("to_timestamp(unnest(?::double precision[]) + 978307200)", "\(real)")
        case (.real(let real), _): return ("unnest(?::double precision[])", "\(real)")
        case (.blob(let data), let kind):
            let type = kind == .uuid ? "unnest(?::uuid[])" : "decode(unnest(?::text[]), 'hex')"
            return (
                type,
                data.isEmpty ? "\"\"" : data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            )
        case (.text(let text), _):
            if text.utf8.contains(0) { return nil }
            let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            return ("unnest(?::text[])", "\"\(escaped)\"")
        }
    }
}

extension String {
    /// The text as SQL has it in a statement.
    package var sqlLiteral: String { "'\(replacing("'", with: "''"))'" }
}

/// The functions of texts that a PostgreSQL store brings along, because PostgreSQL's own aren't those of the evaluation in memory.
package enum SQLTextFunction: String, CaseIterable, Sendable {
    case foldedCase = "_folded_case"
    case foldedAccents = "_folded_accents"
    case folded = "_folded"
    case uppercase = "_uppercase"
    case lowercase = "_lowercase"

    /// The number of UTF-16 units, as `length:` counts them.
    package static let length = "_length"

    /// Nil for comparisons in the user's locale.
    init?(_ options: NSComparisonPredicate.Options) {
        switch (
            options.contains(.localeSensitive), options.contains(.caseInsensitive),
            options.contains(.diacriticInsensitive)
        ) {
        case (false, true, true): self = .folded
        case (false, true, false): self = .foldedCase
        case (false, false, true): self = .foldedAccents
        default: return nil
        }
    }

    init?(_ function: PredefinedFunction) {
        switch function {
        case .uppercase: self = .uppercase
        case .lowercase: self = .lowercase
        case .canonical: self = .folded
        default: return nil
        }
    }

    /// What memory makes of a text.
    package func value(_ text: String) -> String {
        switch self {
        case .foldedCase: StringComparison.folded(text, .caseInsensitive)
        case .foldedAccents: StringComparison.folded(text, .diacriticInsensitive)
        case .folded: StringComparison.folded(text, [.caseInsensitive, .diacriticInsensitive])
        case .uppercase: text.uppercased()
        case .lowercase: text.lowercased()
        }
    }
}

extension WildcardPattern {
    /// A pattern as SQL's LIKE has it: `*` is `%` there, `?` is `_`.
    static func inSQL(_ pattern: String) -> String {
        var result = ""
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "*" where !isEscaped: result += "%"
            case "?" where !isEscaped: result += "_"
            case "%", "_", "\\": result += "\\\(scalar)"
            default: result.unicodeScalars.append(scalar)
            }
            isEscaped = false
        }
        return isEscaped ? result + "\\\\" : result
    }
}
