// What an expression reads of its object: derived attributes are computed anew when that changes.

import Foundation

extension NSExpression {
    /// Whether it is `now()`.
    var isNow: Bool { expressionType == .function && function == PredefinedFunction.now.rawValue }

    /// The key paths that it reads of the object; nil where they can't be told: of `now()`, variables, subqueries, closures and
    /// methods of objects.
    var keyPaths: [String]? {
        switch expressionType {
        case .constantValue, .evaluatedObject: []
        case .keyPath: [keyPath]
        case .function: isNow ? nil : Self.joined((arguments ?? []).map(\.keyPaths))
        case .conditional: Self.joined([`true`.keyPaths, `false`.keyPaths, predicate.keyPaths])
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
