// Collections in SQL: subqueries of the members of to-many relationships, counted, summed up, narrowed down.

import Foundation

extension PredicateSQL {
    /// The values at a path of the members.
    private func map(_ collection: SQLCollection, _ path: KeyPathSteps) throws -> SQLCollection {
        if path.computesCollections { return try compute(path, ofMembers: collection) }
        guard case .collection(let members) = try follow(path, of: .collection(collection)) else {
            throw PredicateSQLProblem(
                "the key path '\(path.text)' can't be read from each member of a collection in SQL")
        }
        return members
    }

    /// `tags.@count` of each member: one value a member, by a subquery of its own.
    private func compute(_ path: KeyPathSteps, ofMembers collection: SQLCollection) throws -> SQLCollection {
        var element = collection.element
        if case .value(let value) = element {
            // Members that aren't there are left out, as everywhere in a path.
            collection.source.add(value.isNull.negated)
            if let object = value.object { element = .object(object) }
        }
        guard case .scalar(let value) = try follow(path, from: element) else {
            throw PredicateSQLProblem("the key path '\(path.text)' gives a collection for each member of another")
        }
        var result = collection
        result.element = .value(value)
        return result
    }

    /// `@count`, `@sum` and so on.
    func aggregate(
        _ collectionOperator: CollectionOperator, of operand: SQLOperand, rest: KeyPathSteps, path: String
    ) throws -> SQLOperand {
        guard case .collection(let collection) = operand else {
            if collectionOperator == .count, case .constants(let values) = operand {
                return constant(.integer(Int64(values.count)))
            }
            throw PredicateSQLProblem(
                "'\(path)' has @\(collectionOperator.rawValue) on something that is no to-many relationship")
        }
        var members = try map(collection, rest)
        switch collectionOperator {
        case .count: return .scalar(count(members))
        case .sum: return .scalar(try computed(.sum, members))
        case .avg: return .scalar(try computed(.average, members))
        case .min: return .scalar(try computed(.min, members))
        case .max: return .scalar(try computed(.max, members))
        default:
            if collectionOperator.isDistinct { members.isDistinct = true }
            return .collection(members)
        }
    }

    /// `sum:`, `count:` and so on, of one collection or of several values.
    func aggregate(_ function: PredefinedFunction, _ arguments: [NSExpression], in scope: SQLScope) throws -> SQLScalar
    {
        let operands = try arguments.map { try operand($0, in: scope) }
        if isGrouped, operands.count == 1, case .scalar(let value) = operands[0],
            arguments[0].isSingleValue(of: select.entity.description)
        {
            return try groupAggregate(function, value)
        }
        if operands.count == 1 {
            switch operands[0] {
            case .collection(let members): return function == .count ? count(members) : try computed(function, members)
            case .list(let elements): return try computed(function, ofValues: elements)
            case .scalar(let value) where function == .count: return try count(ofSingle: value.usable())
            case .scalar, .constants: break
            }
        }
        return try computed(function, ofValues: operands)
    }

    /// Nothing has no members, and a single value is its own only one.
    private func count(ofSingle value: SQLScalar) -> SQLScalar {
        let there = value.isNull.negated.fragment
        return SQLScalar(
            "(\(dialect.number(ofCondition: there.sql)))", there.arguments, kind: .number, canBeNull: false)
    }

    /// An aggregate of values beside each other, `max(a, b)`.
    private func computed(_ function: PredefinedFunction, ofValues operands: [SQLOperand]) throws -> SQLScalar {
        let values = try operands.flatMap { operand -> [SQLScalar] in
            switch operand {
            case .scalar(let scalar): return [try scalar.usable()]
            case .constants(let constants): return constants.map(scalar(constant:))
            case .collection, .list:
                throw PredicateSQLProblem("\(function.rawValue) of several collections isn't translated to SQL")
            }
        }
        if function == .count { return scalar(constant: .integer(Int64(values.count))) }
        let kinds = values.map(\.kind).filter { $0 != .null }
        if function == .min || function == .max, let first = kinds.first,
            !kinds.allSatisfy({ $0.isComparable(to: first) })
        {
            throw PredicateSQLProblem("\(function.rawValue) needs values of one kind")
        }
        let isOrder = function == .min || function == .max
        // What the function gives of decimals is as arithmetic has them.
        let kind = kinds.first == .decimal ? .number : kinds.first ?? .null
        return try call(function, values, kind: isOrder ? kind : .number)
    }

    // MARK: Subqueries

    func subquery(
        _ collection: NSExpression, _ variable: String, _ predicate: NSPredicate, _ scope: SQLScope
    ) throws -> SQLCollection {
        guard case .collection(let members) = try operand(collection, in: scope) else {
            throw PredicateSQLProblem("'\(collection)' in a SUBQUERY is no to-many relationship")
        }
        var inner = scope
        inner.variables[variable] = members.element
        members.source.add(try condition(predicate, in: inner))
        return members
    }

    /// The element as a value: a row by its key.
    func value(of element: SQLElement) throws -> SQLScalar {
        switch element {
        case .object(let object): try key(of: object)
        case .value(let value): value
        }
    }

    private func count(_ members: SQLCollection) -> SQLScalar {
        let select: SQLFragment
        if members.isDistinct, let value = try? value(of: members.element) {
            // Unlike COUNT(DISTINCT …), this counts a missing value too.
            var inner = SQLFragment(sql: "DISTINCT ")
            inner += value.fragment
            let rows = members.source.select(inner)
            select = SQLFragment(sql: "SELECT COUNT(*) FROM (\(rows.sql)) AS members", arguments: rows.arguments)
        } else {
            select = members.source.select(SQLFragment(sql: "COUNT(*)"))
        }
        var scalar = SQLScalar("(\(select.sql))", select.arguments, kind: .number, canBeNull: false)
        scalar.counted = members
        return scalar
    }

    private func computed(_ function: PredefinedFunction, _ members: SQLCollection) throws -> SQLScalar {
        let value = try value(of: members.element).usable()
        guard function.takes(value.kind) else {
            // Nothing that could be added up or has an order is among the members.
            return function == .sum ? scalar(constant: .integer(0)) : .null
        }
        guard function != .mode else { throw PredicateSQLProblem("mode: gives a collection, which SQL can't compare") }
        let column = try dialect.aggregate(function, of: value, distinct: members.isDistinct)
        let select = members.source.select(column)
        let keepsKind = function == .min || function == .max
        return SQLScalar("(\(select.sql))", select.arguments, kind: keepsKind ? value.kind : .number)
    }

    /// `items[SIZE]`; other indexes need an order that SQL's rows don't have.
    func element(_ arguments: [NSExpression], in scope: SQLScope) throws -> SQLScalar {
        guard arguments.count == 2, case .collection(let members) = try operand(arguments[0], in: scope),
            case .constant(let constant) = arguments[1].node, constant.value as? String == IndexSymbol.size.rawValue
        else {
            throw PredicateSQLProblem("members of a collection can't be found by their index in SQL, except [SIZE]")
        }
        return count(members)
    }
}

extension PredicateSQL {
    /// A function of the values that a group's rows have. Missing values don't count.
    private func groupAggregate(_ function: PredefinedFunction, _ value: SQLScalar) throws -> SQLScalar {
        if function == .count {
            return SQLScalar(
                "COUNT(\(value.fragment.sql))", value.fragment.arguments, kind: .number, canBeNull: false)
        }
        let value = try value.usable()
        guard function.takes(value.kind) else {
            return function == .sum ? scalar(constant: .integer(0)) : .null
        }
        guard function != .mode else { throw PredicateSQLProblem("mode: gives a collection, which has no column") }
        let column = try dialect.aggregate(function, of: value, distinct: false)
        let keepsKind = function == .min || function == .max
        return SQLScalar(column.sql, column.arguments, kind: keepsKind ? value.kind : .number)
    }
}

extension PredefinedFunction {
    /// Whether values of a kind count.
    fileprivate func takes(_ kind: SQLKind) -> Bool {
        self == .min || self == .max ? kind.hasOrder : kind.isNumber
    }
}
