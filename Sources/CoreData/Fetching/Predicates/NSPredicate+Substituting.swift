// Parts of predicates and expressions replaced by others: `$name` by its value.

public import Foundation

extension NSPredicate {
    /// The predicate with its variables replaced by values; a value may be an expression. Variables without a value stay.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        // The result has the class of the original, except for subclasses from elsewhere, which can't be rebuilt.
        TreeRewriter(substituting: variables).apply(to: self) as? Self ?? self
    }

    /// The predicate with other expressions in place of those that are named by who they are.
    package func replacing(_ expressions: [ObjectIdentifier: NSExpression]) -> NSPredicate {
        if expressions.isEmpty { return self }
        return TreeRewriter { expression, _ in expressions[ObjectIdentifier(expression)] }.apply(to: self)
    }
}

extension NSExpression {
    /// The expression with its variables replaced by values.
    func withSubstitutionVariables(_ variables: [String: Any]) -> NSExpression {
        TreeRewriter(substituting: variables).apply(to: self)
    }
}

/// Rebuilds trees with other expressions in place of some.
struct TreeRewriter {
    /// What stands in place of an expression, given the variables of the subqueries around; nil to look into its parts.
    private let replacement: (NSExpression, Set<String>) -> NSExpression?
    private var hidden: Set<String> = []

    init(_ replacement: @escaping (NSExpression, Set<String>) -> NSExpression?) { self.replacement = replacement }

    /// Replaces variables by their values.
    init(substituting variables: [String: Any]) {
        self.init { expression, hidden in
            // A subquery's own variable hides an outer one of the same name.
            guard case .variable(let name) = expression.node, !hidden.contains(name), let value = variables[name] else {
                return nil
            }
            return NSExpression.lifting(value)
        }
    }

    func apply(to predicate: NSPredicate) -> NSPredicate {
        switch predicate {
        case let comparison as NSComparisonPredicate:
            return NSComparisonPredicate(
                leftExpression: apply(to: comparison.leftExpression),
                rightExpression: apply(to: comparison.rightExpression),
                modifier: comparison.comparisonPredicateModifier, type: comparison.predicateOperatorType,
                options: comparison.options)
        case let compound as NSCompoundPredicate:
            return CompoundPredicate(
                type: compound.compoundPredicateType, subpredicates: compound.subpredicates.map(apply))
        default: return predicate
        }
    }

    func apply(to expression: NSExpression) -> NSExpression {
        if let other = replacement(expression, hidden) { return other }
        switch expression.node {
        case .keyPath(let operand, let path):
            return NSExpression(node: .keyPath(operand: apply(to: operand), path: path))
        case .function(let call):
            if let chain = ExpressionChain(expression) { return apply(to: chain) }
            return rebuilt(call, call.arguments.map(apply))
        case .aggregate(let elements): return NSExpression(node: .aggregate(elements.map(apply)))
        case .subquery(let collection, let variable, let predicate):
            var inner = self
            inner.hidden.insert(variable)
            return NSExpression(
                node: .subquery(
                    collection: apply(to: collection), variable: variable, predicate: inner.apply(to: predicate)))
        case .conditional(let predicate, let then, let otherwise):
            return NSExpression(
                node: .conditional(
                    predicate: apply(to: predicate), then: apply(to: then), otherwise: apply(to: otherwise)))
        case .set(let setOperator, let left, let right):
            return NSExpression(node: .set(setOperator, apply(to: left), apply(to: right)))
        case .block(let block, let arguments):
            return NSExpression(node: .block(block, arguments: arguments.map(apply)))
        case .fetch(let request, let context, let isCount):
            return NSFetchRequestExpression(request: apply(to: request), context: apply(to: context), isCount: isCount)
        case .constant, .evaluatedObject, .anyKey, .variable: return expression
        }
    }

    /// From the right, as the tree has it: what replaces a part of the row stands for all that is left of it.
    private func apply(to chain: ExpressionChain) -> NSExpression {
        var kept = chain.links.count - 1
        var result: NSExpression?
        while kept > 0, result == nil {
            result = replacement(chain.links[kept - 1].whole, hidden)
            if result == nil { kept -= 1 }
        }
        return chain.links[kept...].reduce(result ?? apply(to: chain.first)) { left, link in
            rebuilt(link.call, [left, apply(to: link.right)])
        }
    }

    private func rebuilt(_ call: FunctionCall, _ arguments: [NSExpression]) -> NSExpression {
        NSExpression(
            node: .function(
                FunctionCall(
                    name: call.name, arguments: arguments, target: call.target.map(apply), function: call.function)))
    }
}
