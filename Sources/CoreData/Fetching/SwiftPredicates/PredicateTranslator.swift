// Walking the tree of a Swift predicate. A truth value is an expression or a predicate, depending on where it stands:
// `a == (b > 1)` has a predicate where an expression is due, `$0.isDone && …` the other way round.

import Foundation

/// What a part of a Swift predicate becomes.
enum TranslatedPart {
    case expression(NSExpression)
    case predicate(NSPredicate)
    /// A truth value that there is only where `presence` is true: `if let a = b { … }`.
    case optional(presence: NSPredicate, value: NSPredicate)
}

/// A part of a Swift predicate that can be put.
protocol TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart
}

/// Puts the parts of one Swift predicate.
struct PredicateTranslator {
    private var variables: [PredicateExpressions.VariableID: NSExpression]
    private var iteratorCount = 0

    /// - Parameter input: The variable that stands for the evaluated object.
    init(input: PredicateExpressions.VariableID) { variables = [input: .evaluatedObjectExpression] }

    // MARK: Parts

    func unsupported(_ part: Any) -> PredicateTranslationError {
        .unsupportedOperation(String(describing: type(of: part)).prefix { $0 != "<" }.description)
    }

    mutating func part<Part: PredicateExpression>(_ part: Part) throws -> TranslatedPart {
        guard let translatable = part as? any TranslatablePart else { throw unsupported(part) }
        return try translatable.translated(by: &self)
    }

    mutating func expression<Part: PredicateExpression>(_ part: Part) throws -> NSExpression {
        switch try self.part(part) {
        case .expression(let expression): return expression
        case .predicate(let predicate): return .truth(of: predicate)
        case .optional(let presence, let value):
            return .conditional(presence, then: .truth(of: value), otherwise: NSExpression(forConstantValue: nil))
        }
    }

    mutating func predicate<Part: PredicateExpression>(_ part: Part) throws -> NSPredicate {
        switch try self.part(part) {
        case .expression(let expression):
            if case .constant(let constant) = expression.node, let value = constant.value as? Bool {
                return NSPredicate(value: value)
            }
            return .comparing(expression, .equalTo, NSExpression(forConstantValue: true))
        case .predicate(let predicate): return predicate
        case .optional(let presence, let value): return .all(presence, value)
        }
    }

    // MARK: Variables

    func expression(for variable: PredicateExpressions.VariableID) throws -> NSExpression {
        guard let expression = variables[variable] else {
            throw PredicateTranslationError.unsupportedOperation("a variable from outside of the predicate")
        }
        return expression
    }

    /// Runs a closure in which a variable stands for an expression.
    mutating func with<T>(
        _ variable: PredicateExpressions.VariableID, as expression: NSExpression,
        _ body: (inout PredicateTranslator) throws -> T
    ) throws -> T {
        variables[variable] = expression
        defer { variables[variable] = nil }
        return try body(&self)
    }

    /// The members of a collection that meet a test.
    mutating func subquery<Members: PredicateExpression, Test: PredicateExpression>(
        _ members: Members, _ variable: PredicateExpressions.VariableID, _ test: Test, isNegated: Bool = false
    ) throws -> NSExpression {
        let collection = try expression(members)
        iteratorCount += 1
        let name = "_local_\(iteratorCount)"
        let predicate = try with(variable, as: NSExpression(forVariable: name)) { try $0.predicate(test) }
        return NSExpression(
            node: .subquery(collection: collection, variable: name, predicate: isNegated ? .not(predicate) : predicate))
    }
}

extension NSExpression {
    static func conditional(_ predicate: NSPredicate, then: NSExpression, otherwise: NSExpression) -> NSExpression {
        NSExpression(node: .conditional(predicate: predicate, then: then, otherwise: otherwise))
    }

    /// A predicate's value.
    static func truth(of predicate: NSPredicate) -> NSExpression {
        conditional(
            predicate, then: NSExpression(forConstantValue: true), otherwise: NSExpression(forConstantValue: false))
    }

    /// The value at a key path of what this expression gives.
    func appending(_ path: String) -> NSExpression {
        let steps = KeyPathSteps(path)
        switch node {
        case .evaluatedObject: return NSExpression(forKeyPath: path)
        case .keyPath(let operand, let former):
            return NSExpression(node: .keyPath(operand: operand, path: former.appending(steps)))
        default: return NSExpression(node: .keyPath(operand: self, path: steps))
        }
    }
}

extension NSPredicate {
    static func comparing(
        _ left: NSExpression, _ type: NSComparisonPredicate.Operator, _ right: NSExpression,
        _ options: NSComparisonPredicate.Options = []
    ) -> NSPredicate {
        NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: .direct, type: type, options: options)
    }

    static func all(_ predicates: NSPredicate...) -> NSPredicate { compound(.and, predicates) }

    static func any(_ predicates: NSPredicate...) -> NSPredicate { compound(.or, predicates) }

    static func not(_ predicate: NSPredicate) -> NSPredicate {
        CompoundPredicate(type: .not, subpredicates: [predicate])
    }

    /// Compounds of the same kind become one, as in a format.
    private static func compound(
        _ type: NSCompoundPredicate.LogicalType, _ predicates: [NSPredicate]
    ) -> NSPredicate {
        let parts = predicates.flatMap { predicate in
            guard let compound = predicate as? CompoundPredicate, compound.compoundPredicateType == type else {
                return [predicate]
            }
            return compound.subpredicates
        }
        return CompoundPredicate(type: type, subpredicates: parts)
    }

    /// Whether an expression has a value.
    static func hasValue(_ expression: NSExpression) -> NSPredicate {
        comparing(expression, .notEqualTo, NSExpression(forConstantValue: nil))
    }

    static func isNil(_ expression: NSExpression) -> NSPredicate {
        comparing(expression, .equalTo, NSExpression(forConstantValue: nil))
    }
}
