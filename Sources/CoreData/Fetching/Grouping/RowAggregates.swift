// `sum:(price)` in a fetch of dictionaries is a function of all rows of a group; `sum:(items.price)` is one of each row's
// items. The difference is whether the argument is a single value for each row.

import Foundation

extension NSExpression {
    /// Whether it is a function of the values that the rows of a group have.
    func isRowAggregate(of entity: NSEntityDescription) -> Bool {
        guard case .function(let call) = node, call.target == nil, call.function?.isAggregate == true,
            call.arguments.count == 1
        else { return false }
        return call.arguments[0].isSingleValue(of: entity)
    }

    /// Whether it has one value for each row, which comes from the row.
    func isSingleValue(of entity: NSEntityDescription) -> Bool {
        switch node {
        case .evaluatedObject: return true
        case .keyPath(let operand, let path):
            switch operand.node {
            case .evaluatedObject: return path.isSingleValue(of: entity)
            // The number of members that a subquery chooses.
            case .subquery: return path.text == "@count"
            default: return false
            }
        case .function(let call):
            if call.function?.isAggregate == true { return call.arguments.count == 1 && !isRowAggregate(of: entity) }
            if let chain = ExpressionChain(self) {
                return chain.first.isSingleValue(of: entity)
                    || chain.links.contains { $0.right.isSingleValue(of: entity) }
            }
            return call.arguments.contains { $0.isSingleValue(of: entity) }
        case .conditional(_, let then, let otherwise):
            return then.isSingleValue(of: entity) || otherwise.isSingleValue(of: entity)
        case .constant, .variable, .aggregate, .subquery, .set, .anyKey, .block, .fetch: return false
        }
    }

    /// `sum:(price)` for `@sum.price`, and `count:(name)` for `name.@count`; nil for all others. Observed: Cadmium's tests.
    fileprivate func asFunctionOfRows(of entity: NSEntityDescription) -> NSExpression? {
        guard case .keyPath(let operand, let path) = node, case .evaluatedObject = operand.node,
            let (function, argument) = path.functionOfRows
        else { return nil }
        let value = argument.isEmpty ? NSExpression.expressionForEvaluatedObject() : NSExpression(forKeyPath: argument)
        guard value.isSingleValue(of: entity) else { return nil }
        return NSExpression(forFunction: function, arguments: [value])
    }

    /// Whether a function of a group's rows is among its parts.
    func containsRowAggregate(of entity: NSEntityDescription) -> Bool {
        var found = false
        let rewriter = TreeRewriter { expression, _ in
            if expression.isRowAggregate(of: entity) { found = true }
            return found ? expression : nil
        }
        _ = rewriter.apply(to: self)
        return found
    }
}

/// `max(price)` in the predicate of a request: a function of all rows of the entity, whatever else the predicate says.
struct RowAggregate {
    let call: NSExpression
    let function: PredefinedFunction
    /// The path of the values.
    let argument: NSExpression

    /// Nil for all other expressions, and for a path that no row has, which is for the store to refuse.
    fileprivate init?(_ expression: NSExpression, of entity: NSEntityDescription) {
        guard expression.isRowAggregate(of: entity), case .function(let call) = expression.node,
            let function = call.function, case .keyPath(let operand, let path) = call.arguments[0].node,
            case .evaluatedObject = operand.node,
            path.computesCollections || (try? SelectionBuilder(entity: entity).column(keyPath: path.text)) != nil
        else { return nil }
        self.call = expression
        self.function = function
        argument = call.arguments[0]
    }

    /// What the function gives of the rows' values. Missing ones don't count.
    func value(of values: [Operand]) -> Operand {
        FunctionEvaluator.aggregate(function, values.filter { !$0.isNull })
    }
}

extension NSPredicate {
    /// The functions of all rows of an entity in it.
    func rowAggregates(of entity: NSEntityDescription) -> [RowAggregate] {
        switch self {
        case let comparison as NSComparisonPredicate:
            comparison.leftExpression.rowAggregates(of: entity) + comparison.rightExpression.rowAggregates(of: entity)
        case let compound as NSCompoundPredicate: compound.subpredicates.flatMap { $0.rowAggregates(of: entity) }
        default: []
        }
    }
}

extension NSExpression {
    fileprivate func rowAggregates(of entity: NSEntityDescription) -> [RowAggregate] {
        if let found = RowAggregate(self, of: entity) { return [found] }
        func all(_ parts: [NSExpression]) -> [RowAggregate] { parts.flatMap { $0.rowAggregates(of: entity) } }
        switch node {
        case .constant, .evaluatedObject, .anyKey, .variable, .fetch: return []
        case .keyPath(let operand, _): return operand.rowAggregates(of: entity)
        case .function(let call):
            if let chain = ExpressionChain(self) { return all([chain.first] + chain.links.map(\.right)) }
            return all(call.arguments) + (call.target?.rowAggregates(of: entity) ?? [])
        case .aggregate(let elements): return all(elements)
        case .subquery(let collection, _, let predicate):
            return collection.rowAggregates(of: entity) + predicate.rowAggregates(of: entity)
        case .conditional(let predicate, let then, let otherwise):
            return predicate.rowAggregates(of: entity) + all([then, otherwise])
        case .set(_, let left, let right): return all([left, right])
        case .block(_, let arguments): return all(arguments)
        }
    }
}

extension TreeRewriter {
    /// Puts functions in place of operators that compute something of a group's rows.
    init(spellingOutOperatorsOf entity: NSEntityDescription) {
        self.init { expression, _ in expression.asFunctionOfRows(of: entity) }
    }
}

extension KeyPathSteps {
    /// The function that an operator at the path's beginning stands for, or a count at its end, and the path that it is of.
    fileprivate var functionOfRows: (name: String, argument: String)? {
        let functions = ["@count": "count:", "@sum": "sum:", "@avg": "average:", "@min": "min:", "@max": "max:"]
        let keys = text.split(separator: ".").map(String.init)
        let operators = keys.filter { $0.first == "@" }
        guard operators.count == 1, let name = functions[operators[0]] else { return nil }
        if keys.first == operators[0] { return (name, keys.dropFirst().joined(separator: ".")) }
        return keys.last == "@count" ? (name, keys.dropLast().joined(separator: ".")) : nil
    }

    fileprivate func isSingleValue(of entity: NSEntityDescription) -> Bool {
        var current: NSEntityDescription? = entity
        var isCollection = false
        for step in steps {
            switch step {
            case .key(let key):
                if let relationship = current?.relationshipsByName[key] {
                    if relationship.isToMany { isCollection = true }
                    current = relationship.destinationEntity
                } else {
                    current = nil
                }
            case .collection(let collection, _):
                switch collection {
                case .count, .sum, .avg, .min, .max: isCollection = false
                default: isCollection = true
                }
            case .unknownOperator: return false
            }
        }
        return !isCollection
    }
}

/// Where an expression reads a row outside the functions of a group's rows.
struct UngroupedPaths {
    let entity: NSEntityDescription
    let groups: [NSExpression]

    /// The first path that isn't the same for all rows of a group.
    func first(in expression: NSExpression) -> String? {
        var found: String?
        _ = rewriter { found = found ?? $0 }.apply(to: expression)
        return found
    }

    func first(in predicate: NSPredicate) -> String? {
        var found: String?
        _ = rewriter { found = found ?? $0 }.apply(to: predicate)
        return found
    }

    private func rewriter(_ note: @escaping (String) -> Void) -> TreeRewriter {
        TreeRewriter { expression, _ in
            if expression.isRowAggregate(of: entity) || groups.contains(where: { $0.isEqual(expression) }) {
                return expression
            }
            switch expression.node {
            case .evaluatedObject: note("self")
            case .keyPath(let operand, let path):
                guard case .evaluatedObject = operand.node else { return nil }
                note(path.text)
            default: return nil
            }
            return expression
        }
    }
}
