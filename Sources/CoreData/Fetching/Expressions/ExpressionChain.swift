// Rows of operators: `a + b - c` is `(a + b) - c`, a tree as deep as the row is long. Whoever walks trees of expressions walks a
// long row by a loop, or a format with 20,000 terms would exhaust the stack. Short rows are walked like everything else.

import Foundation

/// A long row of operators with two operands each, from left to right.
struct ExpressionChain {
    struct Link {
        /// The expression that ends with this link.
        let whole: NSExpression
        let call: FunctionCall
        let function: PredefinedFunction
        let right: NSExpression
    }

    /// How many operators a row may have and still be walked level by level.
    static let shortLength = 32

    let first: NSExpression
    let links: [Link]

    /// Nil for everything but a long row.
    init?(_ expression: NSExpression) {
        guard case .function(let call) = expression.node, call.chainLength > Self.shortLength else { return nil }
        var links: [Link] = []
        links.reserveCapacity(call.chainLength)
        var current = expression
        while case .function(let call) = current.node, let function = call.chained {
            links.append(Link(whole: current, call: call, function: function, right: call.arguments[1]))
            current = call.arguments[0]
        }
        first = current
        self.links = links.reversed()
    }
}

extension FunctionCall {
    /// The operator of a row; nil for all other functions.
    var chained: PredefinedFunction? {
        guard target == nil, arguments.count == 2, let function, function.binaryOperator != nil else { return nil }
        return function
    }
}

extension NSExpression {
    /// The number of operators in the row that the expression is; 0 where it is none.
    var chainLength: Int {
        if case .function(let call) = node { call.chainLength } else { 0 }
    }
}
