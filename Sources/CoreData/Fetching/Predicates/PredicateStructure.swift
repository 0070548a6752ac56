// Equality of predicates and expressions by what they consist of.

import Foundation

enum PredicateStructure {
    /// Whether an object is a predicate that says the same.
    static func isEqual(_ predicate: NSPredicate, to object: Any?) -> Bool {
        guard let other = object as? NSPredicate else { return false }
        return predicate === other || areEqual(predicate, other)
    }

    /// The hash of what a predicate says.
    static func hash(of predicate: NSPredicate) -> Int {
        var hasher = Hasher()
        hash(predicate, into: &hasher)
        return hasher.finalize()
    }

    static func areEqual(_ a: NSPredicate, _ b: NSPredicate) -> Bool {
        switch (a, b) {
        case (let a as NSComparisonPredicate, let b as NSComparisonPredicate):
            return a.predicateOperatorType == b.predicateOperatorType
                && a.comparisonPredicateModifier == b.comparisonPredicateModifier
                && a.options == b.options
                && ExpressionStructure.areEqual(a.leftExpression, b.leftExpression)
                && ExpressionStructure.areEqual(a.rightExpression, b.rightExpression)
        case (let a as NSCompoundPredicate, let b as NSCompoundPredicate):
            return a.compoundPredicateType == b.compoundPredicateType
                && a.subpredicates.count == b.subpredicates.count
                && zip(a.subpredicates, b.subpredicates).allSatisfy(areEqual)
        case (is NSComparisonPredicate, _), (_, is NSComparisonPredicate), (is NSCompoundPredicate, _),
            (_, is NSCompoundPredicate):
            return false
        default: return a.isEqual(b)
        }
    }

    static func hash(_ predicate: NSPredicate, into hasher: inout Hasher) {
        switch predicate {
        case let comparison as NSComparisonPredicate:
            hasher.combine(comparison.predicateOperatorType)
            hasher.combine(comparison.comparisonPredicateModifier)
            ExpressionStructure.hash(comparison.leftExpression, into: &hasher)
            ExpressionStructure.hash(comparison.rightExpression, into: &hasher)
        case let compound as NSCompoundPredicate:
            hasher.combine(compound.compoundPredicateType)
            for part in compound.subpredicates { hash(part, into: &hasher) }
        default: break
        }
    }
}

extension NSPredicate {
    /// What a predicate that is neither a comparison nor a compound is always: true or false, as `NSPredicate(value:)` says; nil for
    /// a closure.
    var constantValue: Bool? {
        switch formatText {
        case "TRUEPREDICATE": true
        case "FALSEPREDICATE": false
        default: nil
        }
    }

    /// Whether the predicate is a closure or a compound with one in it.
    var hasClosures: Bool {
        switch self {
        case is NSComparisonPredicate: false
        case let compound as NSCompoundPredicate: compound.subpredicates.contains(where: \.hasClosures)
        default: constantValue == nil
        }
    }
}

enum ExpressionStructure {
    static func areEqual(_ a: NSExpression, _ b: NSExpression) -> Bool {
        switch (a.node, b.node) {
        case (.constant(let a), .constant(let b)):
            return areEqual(a.operand, b.operand)
        case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey): return true
        case (.variable(let a), .variable(let b)): return a == b
        case (.keyPath(let operandA, let pathA), .keyPath(let operandB, let pathB)):
            return pathA.text == pathB.text && areEqual(operandA, operandB)
        case (.function(let callA), .function(let callB)) where callA.chainLength > ExpressionChain.shortLength:
            guard callA.chainLength == callB.chainLength, let a = ExpressionChain(a), let b = ExpressionChain(b) else {
                return false
            }
            return areEqual(a.first, b.first)
                && zip(a.links, b.links).allSatisfy { $0.function == $1.function && areEqual($0.right, $1.right) }
        case (.function(let a), .function(let b)):
            return a.name == b.name && areEqual(a.arguments, b.arguments) && areEqual(a.target, b.target)
        case (.aggregate(let a), .aggregate(let b)): return areEqual(a, b)
        // `IN %@` with an array and `IN {1, 2}` are the same.
        case (.aggregate(let elements), .constant(let constant)), (.constant(let constant), .aggregate(let elements)):
            guard let members = constant.collection?.members else { return false }
            let values = elements.compactMap(\.constantOperand)
            guard values.count == elements.count else { return false }
            return members.equals(OperandCollection(elements: values, isOrdered: true), options: [])
        case (.subquery(let collectionA, let variableA, let a), .subquery(let collectionB, let variableB, let b)):
            return variableA == variableB && areEqual(collectionA, collectionB) && PredicateStructure.areEqual(a, b)
        case (.conditional(let a, let thenA, let elseA), .conditional(let b, let thenB, let elseB)):
            return PredicateStructure.areEqual(a, b) && areEqual(thenA, thenB) && areEqual(elseA, elseB)
        case (.set(let operatorA, let leftA, let rightA), .set(let operatorB, let leftB, let rightB)):
            return operatorA == operatorB && areEqual(leftA, leftB) && areEqual(rightA, rightB)
        case (.fetch(let requestA, let contextA, let a), .fetch(let requestB, let contextB, let b)):
            return a == b && areEqual(requestA, requestB) && areEqual(contextA, contextB)
        default: return false
        }
    }

    private static func areEqual(_ a: [NSExpression], _ b: [NSExpression]) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy(areEqual)
    }

    private static func areEqual(_ a: NSExpression?, _ b: NSExpression?) -> Bool {
        switch (a, b) {
        case (nil, nil): true
        case (let a?, let b?): areEqual(a, b)
        default: false
        }
    }

    private static func areEqual(_ a: Operand, _ b: Operand) -> Bool {
        if case .collection(let a) = a, case .collection(let b) = b { return a.equals(b, options: []) }
        return a.equals(b)
    }

    /// Constant collections and aggregates hash alike, because they can be equal.
    static func hash(_ expression: NSExpression, into hasher: inout Hasher) {
        switch expression.node {
        case .constant(let constant):
            if let collection = constant.collection {
                hasher.combine(collection.members.elements.count)
            } else {
                hasher.combine(OperandKey(constant.operand))
            }
        case .aggregate(let elements): hasher.combine(elements.count)
        case .variable(let name): hasher.combine(name)
        case .keyPath(_, let path): hasher.combine(path.text)
        case .function(let call) where call.chainLength > ExpressionChain.shortLength:
            hasher.combine(call.name)
            hasher.combine(call.chainLength)
        case .function(let call):
            hasher.combine(call.name)
            for argument in call.arguments { hash(argument, into: &hasher) }
        case .subquery(let collection, let variable, let predicate):
            hasher.combine(variable)
            hash(collection, into: &hasher)
            PredicateStructure.hash(predicate, into: &hasher)
        case .conditional(let predicate, _, _): PredicateStructure.hash(predicate, into: &hasher)
        case .set(let setOperator, let left, let right):
            hasher.combine(setOperator)
            hash(left, into: &hasher)
            hash(right, into: &hasher)
        case .fetch(let request, _, _): hash(request, into: &hasher)
        case .evaluatedObject, .anyKey, .block: hasher.combine(expression.expressionType)
        }
    }
}

extension NSExpression {
    /// The value of a constant; nil for anything else.
    fileprivate var constantOperand: Operand? {
        if case .constant(let constant) = node { return constant.operand }
        return nil
    }
}
