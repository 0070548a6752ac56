// Comparisons in SQL.

import Foundation

extension NSExpression {
    /// Whether the value is the number of members of something.
    fileprivate var counts: Bool {
        switch node {
        case .keyPath(_, let path):
            if case .collection(.count, _)? = path.steps.last { return true }
            return false
        case .function(let call): return call.function == .count
        default: return false
        }
    }
}

extension PredicateSQL {
    func condition(_ comparison: NSComparisonPredicate, in scope: SQLScope) throws -> SQLCondition {
        if let existence = try existence(comparison, in: scope) { return existence }
        let left = try operand(comparison.leftExpression, in: scope)
        let right = try operand(comparison.rightExpression, in: scope)
        if case .list(let elements) = left, case .keyPath(_, let path) = comparison.leftExpression.node {
            return try composite(path.text, elements, comparison, right)
        }
        let holds = { (left: SQLOperand) in try self.holds(comparison, left, right) }
        switch comparison.comparisonPredicateModifier {
        case .direct: return try holds(left)
        case .any: return try any(left) { try holds(.scalar($0)) }
        case .all: return try all(left) { try holds(.scalar($0)) }
        }
    }

    /// A composite attribute has a value where one of its elements has one; more can't be asked of it as a whole.
    private func composite(
        _ path: String, _ elements: [SQLOperand], _ comparison: NSComparisonPredicate, _ right: SQLOperand
    ) throws -> SQLCondition {
        guard case .scalar(let value) = right, value.isNullConstant, comparison.comparisonPredicateModifier == .direct,
            [.equalTo, .notEqualTo].contains(comparison.predicateOperatorType)
        else {
            throw PredicateSQLProblem(
                "'\(path)' is a composite attribute; compare one of its elements, or the whole with nil")
        }
        let isNull = SQLCondition.joined(try elements.map { try single($0, comparison).isNull }, "AND")
        return comparison.predicateOperatorType == .equalTo ? isNull : isNull.negated
    }

    /// Whether at least one member meets a condition. Nothing has no members, a single value is its own only one; the elements of a list
    /// are members even where they are nothing.
    func any(_ operand: SQLOperand, _ holds: (SQLScalar) throws -> SQLCondition) throws -> SQLCondition {
        switch operand {
        case .collection(let members):
            return exists(members, where: try holds(try value(of: members.element)))
        case .scalar(let value): return .joined([value.isNull.negated, try holds(value)], "AND")
        case .list(let elements): return .joined(try elements.map { try holds(element($0)) }, "OR")
        case .constants(let values):
            return .joined(try values.map { try holds(scalar(constant: $0)) }, "OR")
        }
    }

    private func all(_ operand: SQLOperand, _ holds: (SQLScalar) throws -> SQLCondition) throws -> SQLCondition {
        switch operand {
        case .scalar(let value): return .joined([value.isNull, try holds(value)], "OR")
        case .list(let elements): return .joined(try elements.map { try holds(element($0)) }, "AND")
        default: return try any(operand) { try holds($0).negated }.negated
        }
    }

    private func element(_ operand: SQLOperand) throws -> SQLScalar {
        if case .scalar(let scalar) = operand { return scalar }
        throw PredicateSQLProblem("a list under ANY or ALL has an element that is a collection; SQL can't compare it")
    }

    private func exists(_ members: SQLCollection, where condition: SQLCondition) -> SQLCondition {
        let select = members.source.select(SQLFragment(sql: "1"), where: condition)
        return SQLCondition(
            fragment: SQLFragment(sql: "EXISTS (\(select.sql))", arguments: select.arguments), canBeNull: false)
    }

    /// `items.@count > 0` and its like ask whether there is any member, which needs no counting.
    private func existence(_ comparison: NSComparisonPredicate, in scope: SQLScope) throws -> SQLCondition? {
        guard comparison.comparisonPredicateModifier == .direct,
            case .constant(let constant) = comparison.rightExpression.node,
            case .integer(let number) = constant.operand,
            comparison.leftExpression.counts
        else { return nil }
        let isThere: Bool
        switch (comparison.predicateOperatorType, number) {
        case (.greaterThan, 0), (.notEqualTo, 0), (.greaterThanOrEqualTo, 1): isThere = true
        case (.equalTo, 0), (.lessThan, 1), (.lessThanOrEqualTo, 0): isThere = false
        default: return nil
        }
        guard case .scalar(let value) = try operand(comparison.leftExpression, in: scope), let members = value.counted
        else { return nil }
        let exists = exists(members, where: .always)
        return isThere ? exists : exists.negated
    }

    // MARK: Operators

    private func holds(
        _ comparison: NSComparisonPredicate, _ left: SQLOperand, _ right: SQLOperand
    ) throws -> SQLCondition {
        let type = comparison.predicateOperatorType
        let options = comparison.options
        switch type {
        case .in: return try isMember(left, of: right, options, comparison)
        case .contains: return try isMember(right, of: left, options, comparison)
        case .between: return try isBetween(single(left, comparison), right, options, comparison)
        case .customSelector: return .never
        default: break
        }
        let left = try single(left, comparison)
        let right = try single(right, comparison)
        switch type {
        case .equalTo: return try areEqual(left, right, options)
        case .notEqualTo: return try areEqual(left, right, options).negated
        case .lessThan: return try order(left, "<", right, options)
        case .lessThanOrEqualTo: return try order(left, "<=", right, options)
        case .greaterThan: return try order(left, ">", right, options)
        case .greaterThanOrEqualTo: return try order(left, ">=", right, options)
        default: return try text(StringOperator(type), left, right, options)
        }
    }

    func single(_ operand: SQLOperand, _ comparison: NSComparisonPredicate) throws -> SQLScalar {
        if case .scalar(let scalar) = operand { return scalar }
        throw PredicateSQLProblem(
            "'\(comparison.predicateFormat)' compares a collection; use ANY, ALL, @count or SUBQUERY")
    }

    /// A constant as values of a kind are compared with it: a number as its text, or the other way round. PredicateEvaluator.swift has
    /// the same rule.
    private func respelled(_ scalar: SQLScalar, comparableTo kind: SQLKind) -> SQLScalar {
        guard let spelling = scalar.constant?.otherSpelling else { return scalar }
        let other = self.scalar(constant: spelling)
        return !scalar.kind.isComparable(to: kind) && other.kind.isComparable(to: kind) ? other : scalar
    }

    /// Equality: nothing equals nothing, and values of different kinds are never equal, but for constants; see ``respelled``.
    func areEqual(
        _ left: SQLScalar, _ right: SQLScalar, _ options: NSComparisonPredicate.Options
    ) throws -> SQLCondition {
        if right.isNullConstant { return left.isNull }
        if left.isNullConstant { return right.isNull }
        let right = respelled(try right.usable(), comparableTo: left.kind)
        let left = respelled(try left.usable(), comparableTo: right.kind)
        guard left.kind.isComparable(to: right.kind) else { return .joined([left.isNull, right.isNull], "AND") }
        let (leftText, rightText) = (try folded(left, options), try folded(right, options))
        var fragment = leftText
        let isPlain = !left.canBeNull || !right.canBeNull
        fragment.sql += isPlain ? " = " : dialect.isSame
        fragment += rightText
        return SQLCondition(fragment: fragment, canBeNull: isPlain && (left.canBeNull || right.canBeNull))
    }

    private func order(
        _ left: SQLScalar, _ sign: String, _ right: SQLScalar, _ options: NSComparisonPredicate.Options
    ) throws -> SQLCondition {
        if left.isNullConstant || right.isNullConstant { return .never }
        let left = try left.usable()
        let right = try right.usable()
        guard left.kind.hasOrder, left.kind.isComparable(to: right.kind) else { return .never }
        var fragment = try folded(left, options)
        fragment.sql += " \(sign) "
        fragment += try folded(right, options)
        return SQLCondition(fragment: fragment, canBeNull: left.canBeNull || right.canBeNull)
    }

    private func isBetween(
        _ value: SQLScalar, _ bounds: SQLOperand, _ options: NSComparisonPredicate.Options,
        _ comparison: NSComparisonPredicate
    ) throws -> SQLCondition {
        let ends: [SQLScalar]
        switch bounds {
        case .constants(let constants): ends = constants.map(scalar(constant:))
        case .list(let elements): ends = try elements.map { try single($0, comparison) }
        case .scalar: return .never
        case .collection: throw PredicateSQLProblem("'\(comparison.predicateFormat)' needs two bounds")
        }
        guard ends.count == 2 else { return .never }
        return .joined([try order(value, ">=", ends[0], options), try order(value, "<=", ends[1], options)], "AND")
    }

    // MARK: Texts

    /// The text as it is compared under the options; constants are folded here, once.
    func folded(_ value: SQLScalar, _ options: NSComparisonPredicate.Options) throws -> SQLFragment {
        guard options.folds, value.kind == .string else { return value.fragment }
        if case .string(let text)? = value.constant {
            return SQLFragment(sql: "?", arguments: [.text(StringComparison.folded(text, options))])
        }
        return try dialect.folded(value.fragment, options)
    }

    func text(
        _ type: StringOperator, _ left: SQLScalar, _ right: SQLScalar, _ options: NSComparisonPredicate.Options
    ) throws -> SQLCondition {
        let left = try left.usable()
        let right = try right.usable()
        guard left.kind == .string, right.kind == .string else { return .never }
        // Regular expressions ignore case in their own way. For the others both sides are folded first, a constant once.
        let isFolded = options.folds && type != .matches
        let text = isFolded ? try folded(left, options) : left.fragment
        var pattern: String?
        if case .string(let part)? = right.constant {
            let part = isFolded ? StringComparison.folded(part, options) : part
            if let plain = plainText(type, text, part) { return plain }
            pattern = part
        }
        return try dialect.match(
            type, text, isFolded ? try folded(right, options) : right.fragment, pattern: pattern,
            isFolded ? [] : options)
    }

    /// What the database does itself for a constant: finding a part, and a prefix as a range, for which it can use an index.
    private func plainText(_ type: StringOperator, _ text: SQLFragment, _ part: String) -> SQLCondition? {
        if type == .like || type == .matches || type == .ends || part.utf8.contains(0) { return nil }
        var fragment = text
        if part.isEmpty {
            fragment.sql += " IS NOT NULL"
            return SQLCondition(fragment: fragment, canBeNull: false)
        }
        if type == .contains {
            return SQLCondition(fragment: dialect.contains(text, part))
        }
        guard let end = Self.successor(ofPrefix: part) else { return nil }
        fragment.sql += " >= ?"
        fragment.arguments.append(.text(part))
        let upper = SQLFragment(sql: "\(text.sql) < ?", arguments: text.arguments + [.text(end)])
        return .joined([SQLCondition(fragment: fragment), SQLCondition(fragment: upper)], "AND")
    }

    /// The least text that is greater than all that begin with `prefix`; nil if there is none.
    static func successor(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // The scalar after U+D7FF is U+E000: between them are the surrogates.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                var text = String.UnicodeScalarView()
                text.append(contentsOf: scalars)
                return String(text)
            }
        }
        return nil
    }
}
