// The value of an expression for an object. What can't be computed is null; calls of methods that there aren't, and fetches,
// fail.

import Foundation

/// Walks the trees of expressions.
enum ExpressionEvaluator {
    /// The value for the outside.
    ///
    /// - Parameter failure: Is told what fails; without it that stops the program.
    static func boxedValue(
        of expression: NSExpression, object: Any?, context: NSMutableDictionary?, failure: EvaluationFailure? = nil
    ) -> Any? {
        original(of: expression, in: EvaluationScope(object: object, context: context, failure: failure))
    }

    /// The value as whoever has it gives it, where that can be told, and not rebuilt from its operand: a decimal with all its digits, a
    /// URL, the set of a relationship, any object.
    static func original(of expression: NSExpression, in scope: EvaluationScope) -> Any? {
        switch expression.node {
        case .constant(let constant): return constant.value
        case .evaluatedObject: return scope.original
        case .block(let block, let arguments):
            return block(scope.original, arguments.map { original(of: $0, in: scope) ?? NSNull() }, scope.context)
        case .keyPath(let start, let path):
            let start = operand(of: start, in: scope)
            guard case .object(.managed(let object)) = start, KeyedValues.know(path, from: object.entity) else {
                return KeyPathEvaluator.value(at: path, of: start).boxed
            }
            return KeyedValues.value(of: object, along: path)
        case .conditional(let predicate, let then, let otherwise):
            return original(of: PredicateEvaluator.matches(predicate, in: scope) ? then : otherwise, in: scope)
        case .set:
            guard case .collection(let members) = operand(of: expression, in: scope) else { return nil }
            return NSSet(array: members.elements.map { $0.boxed ?? NSNull() })
        case .function(let call):
            guard let (target, arguments) = FunctionEvaluator.target(call, scope) else { break }
            return FunctionEvaluator.answer(of: target, call.name, arguments, scope)
        default: break
        }
        return operand(of: expression, in: scope).boxed
    }

    static func operand(of expression: NSExpression, in scope: EvaluationScope) -> Operand {
        switch expression.node {
        case .constant(let constant): return constant.operand
        case .evaluatedObject: return scope.object
        case .variable(let name): return scope.value(ofVariable: name)
        case .keyPath(let start, let path):
            return KeyPathEvaluator.value(at: path, of: operand(of: start, in: scope))
        case .function(let call):
            guard let chain = ExpressionChain(expression) else { return FunctionEvaluator.value(of: call, in: scope) }
            return chain.links.reduce(operand(of: chain.first, in: scope)) { left, link in
                FunctionEvaluator.scalar(link.function, [left, operand(of: link.right, in: scope)])
            }
        case .aggregate(let elements):
            return .collection(
                OperandCollection(elements: elements.map { operand(of: $0, in: scope) }, isOrdered: true))
        case .subquery(let collection, let variable, let predicate):
            return subquery(operand(of: collection, in: scope), variable, predicate, scope)
        case .conditional(let predicate, let then, let otherwise):
            return operand(of: PredicateEvaluator.matches(predicate, in: scope) ? then : otherwise, in: scope)
        case .set(let setOperator, let left, let right):
            return combine(setOperator, operand(of: left, in: scope), operand(of: right, in: scope))
        case .anyKey: return .null
        case .block(let block, let arguments):
            let values = arguments.map { operand(of: $0, in: scope).boxed ?? NSNull() }
            return Operand(block(scope.original, values, scope.context))
        case .fetch(let request, let context, let isCount):
            do {
                return Operand(
                    try FetchEvaluator.value(
                        operand(of: request, in: scope).boxed, in: operand(of: context, in: scope).boxed,
                        isCount: isCount))
            } catch {
                return scope.fail(error)
            }
        }
    }

    private static func subquery(
        _ collection: Operand, _ variable: String, _ predicate: NSPredicate, _ scope: EvaluationScope
    ) -> Operand {
        guard case .collection(let members) = collection else {
            return .collection(OperandCollection(elements: [], isOrdered: true))
        }
        let matching = members.elements.filter {
            PredicateEvaluator.matches(predicate, in: scope.binding(variable, to: $0))
        }
        return .collection(OperandCollection(elements: matching, isOrdered: members.isOrdered))
    }

    private static func combine(_ setOperator: SetOperator, _ left: Operand, _ right: Operand) -> Operand {
        guard case .collection(let left) = left, case .collection(let right) = right else { return .null }
        let inRight = Set(right.elements.map(OperandKey.init))
        var seen: Set<OperandKey> = []
        let candidates = setOperator == .union ? left.elements + right.elements : left.elements
        let elements = candidates.filter { element in
            let key = OperandKey(element)
            switch setOperator {
            case .union: break
            case .intersect: if !inRight.contains(key) { return false }
            case .minus: if inRight.contains(key) { return false }
            }
            return seen.insert(key).inserted
        }
        return .collection(OperandCollection(elements: elements, isOrdered: false))
    }
}

/// Follows key paths. A path that meets a collection goes on from each member; members without the object that the path
/// leads through are left out, so `ANY items.owner.name == nil` asks for an owner without a name, not for a lack of owners.
enum KeyPathEvaluator {
    static func value(at path: KeyPathSteps, of start: Operand) -> Operand {
        var value = start
        for (index, step) in path.steps.enumerated() {
            switch step {
            case .key(let key):
                if let count = countedMembers(path.steps, index, key, of: value) { return count }
                value = self.value(forKey: key, of: value)
            case .collection(let collection, let rest):
                value = CollectionEvaluator.value(collection, of: value, rest: rest)
            case .unknownOperator: return .null
            }
        }
        return value
    }

    /// `items.@count` at the end of a path, for an object that knows the number without listing the members.
    static func countedMembers(
        _ steps: [KeyPathSteps.Step], _ index: Int, _ key: String, of value: Operand
    ) -> Operand? {
        guard index == steps.count - 2, case .collection(.count, _) = steps[index + 1],
            case .object(.managed(let object)) = value, let slot = object.entityLayout.slot(named: key),
            case .objects(let members) = object.slotValue(slot)
        else { return nil }
        return .integer(Int64(members.count))
    }

    private static func value(forKey key: String, of value: Operand) -> Operand {
        guard case .collection(let collection) = value else { return value.value(forKey: key) }
        var elements: [Operand] = []
        elements.reserveCapacity(collection.elements.count)
        for element in collection.elements where !element.isNull {
            switch element {
            case .collection(let inner): elements += inner.elements.map { $0.value(forKey: key) }
            default:
                let found = element.value(forKey: key)
                if case .collection(let inner) = found { elements += inner.elements } else { elements.append(found) }
            }
        }
        return .collection(OperandCollection(elements: elements, isOrdered: collection.isOrdered))
    }
}
