// What an expression reads of its object: derived attributes are computed anew when that changes.

import Foundation

extension NSExpression {
    /// Whether it is `now()`.
    var isNow: Bool { expressionType == .function && function == PredefinedFunction.now.rawValue }

    /// The key paths that it reads of the object; nil where they can't be told: of `now()`, variables, subqueries, closures and
    /// methods of objects.
    var keyPaths: [String]? {
        switch node {
        case .constant, .evaluatedObject: []
        case .keyPath(let operand, _): operand.expressionType == .evaluatedObject ? [keyPath] : nil
        case .function(let call):
            if let chain = ExpressionChain(self) {
                Self.joined([chain.first.keyPaths] + chain.links.map(\.right.keyPaths))
            } else {
                call.function == nil || isNow ? nil : Self.joined(call.arguments.map(\.keyPaths))
            }
        case .aggregate(let elements): Self.joined(elements.map(\.keyPaths))
        case .conditional(let predicate, let then, let otherwise):
            Self.joined([predicate.keyPaths, then.keyPaths, otherwise.keyPaths])
        default: nil
        }
    }

    fileprivate static func joined(_ parts: [[String]?]) -> [String]? {
        parts.contains { $0 == nil } ? nil : parts.flatMap { $0 ?? [] }
    }
}

extension NSPredicate {
    fileprivate var keyPaths: [String]? {
        switch self {
        case let comparison as NSComparisonPredicate:
            NSExpression.joined([comparison.leftExpression.keyPaths, comparison.rightExpression.keyPaths])
        case let compound as NSCompoundPredicate: NSExpression.joined(compound.subpredicates.map(\.keyPaths))
        default: nil
        }
    }
}
