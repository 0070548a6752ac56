// From predicates and sort descriptors to SQL. The answer has to be the one that Fetching/Evaluation gives in memory; the
// random predicates of Tests/CoreDataTests/Fetching hold the two to that. Three rules make it so:
//
// * Types are known before anything runs: an attribute's from the model, a constant's from its value. Values of different
//   kinds are never equal and have no order, so SQLite's conversions never get a chance.
// * A condition may be NULL where it means false. Only NOT could turn that into something else, so it is written
//   `IS NOT TRUE`.
// * What SQLite doesn't do in exactly the same way is done by our own functions (PredicateSQLFunctions.swift).
//
// Values are always bound, never part of the text, so that statements can be cached by their text.
//
//     name ==[c] "ann" AND ANY powers.level > 3
//     graft_fold(t0.ZNAME, ?) = ? AND EXISTS (SELECT 1 FROM ZPOWER AS s1 WHERE s1.ZHERO = t0.Z_PK AND s1.ZLEVEL > ?)

import Foundation

extension SQLSelect {
    /// Narrows the rows down to those that meet a predicate.
    ///
    /// - Parameter space: The numbering of an entity's rows in this store. Objects of other stores are equal to none of
    ///   them. Without it, an object's entity and key decide alone.
    /// - Throws: `CocoaError` naming the predicate and what SQL can't do of it: closures, transformable and transient
    ///   properties, unknown keys.
    package mutating func add(predicate: NSPredicate, space: ((SQLEntity) -> RowSpace?)? = nil) throws {
        let generator = PredicateSQL(self, space: space)
        do {
            let condition = try generator.condition(predicate, in: generator.root)
            self = generator.select
            add(condition: SQLFragment(sql: "(\(condition.fragment.sql))", arguments: condition.fragment.arguments))
        } catch let problem as PredicateSQLProblem {
            throw problem.error(predicate, entity: entity, schema.dialect)
        }
    }

    /// Orders the rows by a sort descriptor, after what is there already. Missing values come first when ascending.
    ///
    /// - Throws: `CocoaError` for closures and unknown methods, and for key paths that have no order.
    package mutating func add(sortDescriptor: NSSortDescriptor) throws {
        guard let comparison = sortDescriptor.comparison, let key = sortDescriptor.key else {
            throw PredicateSQLProblem.error(
                sortDescriptor, entity: entity, schema.dialect,
                "only a key and one of the methods \(SortComparison.allCases.map(\.rawValue).joined(separator: ", ")) "
                    + "can be sorted by in SQL")
        }
        let generator = PredicateSQL(self, space: nil)
        do {
            let value = try generator.scalar(NSExpression(forKeyPath: key), in: generator.root).usable()
            if value.kind == .entity { throw PredicateSQLProblem("entities have no order") }
            self = generator.select
            var column = value.fragment
            if value.kind == .string {
                column.sql = try schema.dialect.ordered(column.sql, comparison)
            }
            add(order: column, ascending: sortDescriptor.ascending)
        } catch let problem as PredicateSQLProblem {
            throw PredicateSQLProblem.error(sortDescriptor, entity: entity, schema.dialect, problem.reason)
        }
    }
}

/// Why SQL can't evaluate something.
struct PredicateSQLProblem: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    func error(_ predicate: NSPredicate, entity: SQLEntity, _ dialect: SQLDialect) -> CocoaError {
        CoreDataError.make(
            .persistentStoreOperation,
            "The predicate '\(predicate.formatText)' on '\(entity.name)' can't be evaluated by \(dialect.store): \(reason). "
                + "Fetch without that part and evaluate it in memory, or change it.")
    }

    static func error(
        _ descriptor: NSSortDescriptor, entity: SQLEntity, _ dialect: SQLDialect, _ reason: String
    ) -> CocoaError {
        CoreDataError.make(
            .persistentStoreOperation,
            "\(dialect == .sqlite ? "A SQLite" : "A PostgreSQL") store can't sort '\(entity.name)' by \(descriptor): \(reason). "
                + "Sort in memory, or by something else."
        )
    }
}

/// Makes the SQL of one predicate. Its parts are extensions: logic here; PredicateSQL+Comparisons.swift, +Paths.swift,
/// +Expressions.swift, +Collections.swift, +Membership.swift.
final class PredicateSQL {
    var select: SQLSelect
    let space: ((SQLEntity) -> RowSpace?)?
    /// Whether rows are grouped, so that `sum:` of a single value means the values of the group's rows.
    var isGrouped = false
    private var aliasCount = 0

    init(_ select: SQLSelect, space: ((SQLEntity) -> RowSpace?)?) {
        self.select = select
        self.space = space
    }

    /// The row that is fetched, as `SELF`.
    var root: SQLScope { SQLScope(itself: .object(SQLObject(entity: select.entity, place: .root([])))) }

    var dialect: SQLDialect { select.schema.dialect }

    /// A table's name within the statement; `t…` are the fetch's own.
    func newAlias() -> String {
        aliasCount += 1
        return "s\(aliasCount)"
    }

    // MARK: Logic

    func condition(_ predicate: NSPredicate, in scope: SQLScope) throws -> SQLCondition {
        switch predicate {
        case let comparison as NSComparisonPredicate: return try condition(comparison, in: scope)
        case let compound as NSCompoundPredicate:
            let parts = try compound.subpredicates.map { try condition($0, in: scope) }
            switch compound.compoundPredicateType {
            case .and: return .joined(parts, "AND")
            case .or: return .joined(parts, "OR")
            case .not: return parts.first?.negated ?? .never
            }
        default:
            guard let value = predicate.constantValue else {
                throw PredicateSQLProblem("a closure (NSPredicate(block:)) can't run in SQL")
            }
            return value ? .always : .never
        }
    }
}

/// A condition in SQL. NULL means false.
struct SQLCondition {
    var fragment: SQLFragment
    var canBeNull = true

    static let always = SQLCondition(fragment: SQLFragment(sql: "TRUE"), canBeNull: false)
    static let never = SQLCondition(fragment: SQLFragment(sql: "FALSE"), canBeNull: false)

    var negated: SQLCondition {
        if fragment.sql == Self.always.fragment.sql { return .never }
        if fragment.sql == Self.never.fragment.sql { return .always }
        let sql = canBeNull ? "((\(fragment.sql)) IS NOT TRUE)" : "(NOT (\(fragment.sql)))"
        return SQLCondition(fragment: SQLFragment(sql: sql, arguments: fragment.arguments), canBeNull: false)
    }

    /// Several conditions with AND or OR between them. They are joined in pairs of halves: SQLite limits the depth of an
    /// expression, and a plain row of a thousand would be a thousand deep.
    static func joined(_ parts: [SQLCondition], _ sign: String) -> SQLCondition {
        let neutral: SQLCondition = sign == "AND" ? .always : .never
        let deciding: SQLCondition = sign == "AND" ? .never : .always
        if parts.contains(where: { $0.fragment.sql == deciding.fragment.sql }) { return deciding }
        let parts = parts.filter { $0.fragment.sql != neutral.fragment.sql }
        if parts.isEmpty { return neutral }
        return parts.count > longestPlain ? long(parts, sign) : tree(parts[...], sign)
    }

    /// The most conditions in which SQLite looks for indexes.
    private static let longestPlain = 512

    /// Very many conditions. SQLite compares each value of a statement with all others to compute equal ones once, which takes
    /// seconds for some thousands. It doesn't on the left of an IN; there it finds no index either, so that the first
    /// conditions of an AND stay outside.
    private static func long(_ parts: [SQLCondition], _ sign: String) -> SQLCondition {
        let outside = sign == "AND" ? longestPlain / 2 : 0
        var inside = tree(parts[outside...], sign)
        inside.fragment.sql = "(\(inside.fragment.sql)) IN (TRUE, TRUE)"
        return outside == 0 ? inside : tree((parts[..<outside] + [inside])[...], sign)
    }

    private static func tree(_ parts: ArraySlice<SQLCondition>, _ sign: String) -> SQLCondition {
        if parts.count == 1, let only = parts.first { return only }
        if parts.count > 32 {
            let middle = parts.startIndex + parts.count / 2
            return tree([tree(parts[..<middle], sign), tree(parts[middle...], sign)][...], sign)
        }
        var fragment = SQLFragment(sql: "")
        for (index, part) in parts.enumerated() {
            fragment.sql += index == 0 ? "(" : " \(sign) ("
            fragment += part.fragment
            fragment.sql += ")"
        }
        return SQLCondition(fragment: fragment, canBeNull: parts.contains(where: \.canBeNull))
    }
}
