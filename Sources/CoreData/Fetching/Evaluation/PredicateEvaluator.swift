// Whether a predicate holds. Two-valued: a comparison with a missing value is true or false, never unknown. SQL has a third
// value; Stores/SQL takes care that it never decides.

import Foundation

/// Walks the trees of predicates.
enum PredicateEvaluator {
    /// Whether a fetch with the predicate finds the object.
    ///
    /// - Throws: `CocoaError` (`.persistentStoreOperation`) for what can't be evaluated, as a store that is asked.
    static func finds(_ object: Any, _ predicate: NSPredicate) throws -> Bool {
        let failure = EvaluationFailure()
        let found = matches(predicate, in: EvaluationScope(object: object, isFetch: true, failure: failure))
        do {
            try failure.check()
        } catch {
            throw CoreDataError.make(.persistentStoreOperation, "\(error)")
        }
        return found
    }

    static func matches(_ predicate: NSPredicate, in scope: EvaluationScope) -> Bool {
        switch predicate {
        case let comparison as NSComparisonPredicate: return matches(comparison, in: scope)
        case let compound as NSCompoundPredicate:
            let parts = compound.subpredicates
            switch compound.compoundPredicateType {
            case .and: return parts.allSatisfy { matches($0, in: scope) }
            case .or: return parts.contains { matches($0, in: scope) }
            // As Foundation's, and as it is printed: of the first, whatever else there is.
            case .not: return parts.first.map { !matches($0, in: scope) } ?? false
            }
        // Constants and blocks are Foundation's.
        default: return predicate.evaluate(with: scope.original, substitutionVariables: scope.bindings)
        }
    }

    private static func matches(_ comparison: NSComparisonPredicate, in scope: EvaluationScope) -> Bool {
        let expression = comparison.leftExpression
        let left = ExpressionEvaluator.operand(of: expression, in: scope)
        switch comparison.comparisonPredicateModifier {
        case .direct: return holds(comparison, left, of: expression, in: scope)
        case .any:
            return members(of: left).enumerated().contains {
                holds(comparison, $1, of: expression.element(at: $0), in: scope)
            }
        case .all:
            return members(of: left).enumerated().allSatisfy {
                holds(comparison, $1, of: expression.element(at: $0), in: scope)
            }
        }
    }

    /// What ANY and ALL go over. Nothing has no members; a single value is its own only member.
    private static func members(of operand: Operand) -> [Operand] {
        switch operand {
        case .collection(let collection): collection.elements
        case .null: []
        default: [operand]
        }
    }

    /// - Parameter leftExpression: What has given the value on the left.
    private static func holds(
        _ comparison: NSComparisonPredicate, _ left: Operand, of leftExpression: NSExpression, in scope: EvaluationScope
    ) -> Bool {
        let options = comparison.options
        let type = comparison.predicateOperatorType
        let rightExpression = comparison.rightExpression
        switch (type, rightExpression.node) {
        // A constant collection is searched by hashing, however large it is.
        case (.in, .constant(let constant)) where !options.folds:
            guard let collection = constant.collection else { break }
            return collection.keys.contains(OperandKey(left)) || scope.isFetch && spells(collection, left)
        case (.in, .aggregate(let elements)):
            return elements.contains { element in
                let right = ExpressionEvaluator.operand(of: element, in: scope)
                return areEqual(left, leftExpression.isConstant, right, element.isConstant, options, in: scope)
            }
        default: break
        }
        let right = ExpressionEvaluator.operand(of: rightExpression, in: scope)
        func isEqual(_ left: Operand, _ leftExpression: NSExpression, _ right: Operand) -> Bool {
            areEqual(left, leftExpression.isConstant, right, rightExpression.isConstant, options, in: scope)
        }
        switch (type, left, right) {
        case (.equalTo, _, _): return isEqual(left, leftExpression, right)
        case (.notEqualTo, _, _): return !isEqual(left, leftExpression, right)
        case (.in, _, .collection(let members)):
            return members.elements.contains { isEqual(left, leftExpression, $0) }
        case (.contains, .collection(let members), _):
            return members.elements.enumerated().contains { isEqual($1, leftExpression.element(at: $0), right) }
        default: return holds(type, left, right, options)
        }
    }

    /// Equality in a comparison, where, in a fetch, a constant number equals its text, and the other way round.
    /// PredicateSQL+Comparisons.swift has the same rule.
    private static func areEqual(
        _ left: Operand, _ leftIsConstant: @autoclosure () -> Bool, _ right: Operand,
        _ rightIsConstant: @autoclosure () -> Bool, _ options: NSComparisonPredicate.Options, in scope: EvaluationScope
    ) -> Bool {
        switch (left, right) {
        case (.string, .integer) where scope.isFetch, (.integer, .string) where scope.isFetch,
            (.string, .real) where scope.isFetch, (.real, .string) where scope.isFetch:
            if rightIsConstant(), let other = right.otherSpelling { return left.equals(other) }
            if leftIsConstant(), let other = left.otherSpelling { return other.equals(right) }
            return false
        default: return left.equals(right, options: options)
        }
    }

    /// Whether a member of a constant collection is a number's text, or the whole number that a text spells.
    private static func spells(_ collection: ConstantValue.Collection, _ value: Operand) -> Bool {
        switch (value, OperandKey(value)) {
        case (_, .integer(let whole)): return collection.keys.contains(OperandKey(.string(String(whole))))
        case (.string, _): return value.otherSpelling.map { collection.integerKeys.contains(OperandKey($0)) } ?? false
        default: return false
        }
    }

    static func holds(
        _ type: NSComparisonPredicate.Operator, _ left: Operand, _ right: Operand,
        _ options: NSComparisonPredicate.Options
    ) -> Bool {
        switch type {
        case .equalTo: return left.equals(right, options: options)
        case .notEqualTo: return !left.equals(right, options: options)
        case .lessThan: return left.order(relativeTo: right, options: options) == .orderedAscending
        case .greaterThan: return left.order(relativeTo: right, options: options) == .orderedDescending
        case .lessThanOrEqualTo: return isAtMost(left, right, options)
        case .greaterThanOrEqualTo: return isAtMost(right, left, options)
        case .between:
            guard case .collection(let bounds) = right, bounds.elements.count == 2 else { return false }
            return isAtMost(bounds.elements[0], left, options) && isAtMost(left, bounds.elements[1], options)
        case .in: return isMember(left, of: right, options)
        case .contains: return isMember(right, of: left, options)
        case .beginsWith, .endsWith, .like, .matches:
            guard case .string(let text) = left, case .string(let pattern) = right else { return false }
            return StringOperator(type).holds(text, pattern, options)
        case .customSelector: return false
        }
    }

    private static func isAtMost(_ a: Operand, _ b: Operand, _ options: NSComparisonPredicate.Options) -> Bool {
        switch a.order(relativeTo: b, options: options) {
        case .orderedAscending, .orderedSame: true
        default: false
        }
    }

    /// Membership for collections, a substring for strings.
    private static func isMember(
        _ member: Operand, of container: Operand, _ options: NSComparisonPredicate.Options
    ) -> Bool {
        switch (member, container) {
        case (_, .collection(let collection)): return collection.contains(member, options: options)
        case (.string(let part), .string(let text)): return StringOperator.contains.holds(text, part, options)
        case (.string(let key), .object(.dictionary(let dictionary))): return dictionary.object(forKey: key) != nil
        case (.string(let key), .object(.swiftDictionary(let dictionary))): return dictionary[key] != nil
        default: return false
        }
    }
}

/// The operators on two strings; SQLite calls them through the functions that a store registers.
enum StringOperator: Int {
    case contains
    case begins
    case ends
    case like
    case matches

    init(_ type: NSComparisonPredicate.Operator) {
        switch type {
        case .beginsWith: self = .begins
        case .endsWith: self = .ends
        case .like: self = .like
        case .matches: self = .matches
        default: self = .contains
        }
    }

    func holds(_ text: String, _ other: String, _ options: NSComparisonPredicate.Options) -> Bool {
        switch self {
        case .like: return PatternMatching.isLike(text, other, options)
        case .matches: return PatternMatching.matches(text, other, options)
        default: break
        }
        guard options.folds else { return plain(text, other) }
        return plain(StringComparison.folded(text, options), StringComparison.folded(other, options))
    }

    private func plain(_ text: String, _ other: String) -> Bool {
        switch self {
        case .begins: StringComparison.begins(text, with: other)
        case .ends: StringComparison.ends(text, with: other)
        default: StringComparison.contains(text, other)
        }
    }
}
