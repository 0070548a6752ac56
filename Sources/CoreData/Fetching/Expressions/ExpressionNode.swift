// What an expression consists of. The parser makes these, the printer, the evaluator and the SQL generator walk them; a
// new case has to be handled by all four.

import Foundation

/// The syntax tree under an `NSExpression`.
indirect enum ExpressionNode {
    case constant(ConstantValue)
    case evaluatedObject
    case variable(String)
    /// A path from what the operand gives: the evaluated object, a variable, a subquery, any expression.
    case keyPath(operand: NSExpression, path: KeyPathSteps)
    case function(FunctionCall)
    case aggregate([NSExpression])
    case subquery(collection: NSExpression, variable: String, predicate: NSPredicate)
    case conditional(predicate: NSPredicate, then: NSExpression, otherwise: NSExpression)
    case set(SetOperator, NSExpression, NSExpression)
    case anyKey
    /// Only in an `NSFetchRequestExpression`.
    case fetch(request: NSExpression, context: NSExpression, isCount: Bool)
    case block(ExpressionBlock, arguments: [NSExpression])
}

extension NSExpression {
    /// Whether the expression has the same value for every object: a constant, or what is computed from constants.
    var isConstant: Bool {
        switch node {
        case .constant: return true
        case .keyPath(let operand, _): return operand.isConstant
        case .function(let call):
            if call.function == .random || call.function == .randomBelow { return false }
            if let chain = ExpressionChain(self) {
                return chain.first.isConstant && chain.links.allSatisfy(\.right.isConstant)
            }
            return call.arguments.allSatisfy(\.isConstant) && (call.target?.isConstant ?? true)
        case .aggregate(let elements): return elements.allSatisfy(\.isConstant)
        case .set(_, let left, let right): return left.isConstant && right.isConstant
        case .evaluatedObject, .variable, .subquery, .conditional, .anyKey, .block, .fetch: return false
        }
    }

    /// What gives a member of the value: an element of a list; of any other collection the expression itself.
    func element(at index: Int) -> NSExpression {
        guard case .aggregate(let elements) = node, elements.indices.contains(index) else { return self }
        return elements[index]
    }
}

/// Computes a value from the evaluated object, the values of the arguments, and the context.
typealias ExpressionBlock = (Any?, [Any], NSMutableDictionary?) -> Any

/// The operators on collections.
enum SetOperator: String {
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
}

/// A function with its arguments, or a method called on a target.
struct FunctionCall {
    /// As in `NSExpression.function`: `sum:`, `add:to:`.
    let name: String
    let arguments: [NSExpression]
    /// The object that has the method; nil for the predefined functions.
    let target: NSExpression?
    /// The predefined function; nil for a method of a target.
    let function: PredefinedFunction?
    /// The number of operators in the row that ends here; 0 where it is no operator.
    private(set) var chainLength = 0

    init(name: String, arguments: [NSExpression], target: NSExpression?, function: PredefinedFunction?) {
        self.name = name
        self.arguments = arguments
        self.target = target
        self.function = function
        if chained != nil { chainLength = arguments[0].chainLength + 1 }
    }
}
