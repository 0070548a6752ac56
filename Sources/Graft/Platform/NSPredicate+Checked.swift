// Predicates that models and options contain as text.

import CoreData

extension NSPredicate {
    /// The predicate that a format describes.
    ///
    /// - Throws: Where the format can't be read. Apple's Core Data raises an exception instead.
    static func checked(_ format: String) throws -> NSPredicate {
        #if canImport(Darwin)
            NSPredicate(format: format, argumentArray: nil)
        #else
            try NSPredicate.parsing(format)
        #endif
    }

    /// The predicate with other expressions in place of those that are named by who they are.
    func withValues(_ values: [ObjectIdentifier: NSExpression]) -> NSPredicate {
        #if canImport(Darwin) || GRAFT_PORTABLE
            values.isEmpty ? self : rebuilt(values)
        #else
            replacing(values)
        #endif
    }
}

#if canImport(Darwin) || GRAFT_PORTABLE
    extension NSPredicate {
        /// The predicate with values in comparisons, and in the lists, conditions, functions and subqueries that a
        /// comparison's side is.
        fileprivate func rebuilt(_ values: [ObjectIdentifier: NSExpression]) -> NSPredicate {
            switch self {
            case let compound as NSCompoundPredicate:
                // Apple declares the elements as `Any`.
                let parts = (compound.subpredicates as [Any]).compactMap { $0 as? NSPredicate }
                return NSCompoundPredicate(
                    type: compound.compoundPredicateType, subpredicates: parts.map { $0.rebuilt(values) })
            case let comparison as NSComparisonPredicate where comparison.predicateOperatorType != .customSelector:
                return NSComparisonPredicate(
                    leftExpression: comparison.leftExpression.rebuilt(values),
                    rightExpression: comparison.rightExpression.rebuilt(values),
                    modifier: comparison.comparisonPredicateModifier, type: comparison.predicateOperatorType,
                    options: comparison.options)
            default: return self
            }
        }
    }

    extension NSExpression {
        fileprivate func rebuilt(_ values: [ObjectIdentifier: NSExpression]) -> NSExpression {
            if let value = values[ObjectIdentifier(self)] { return value }
            switch expressionType {
            case .aggregate:
                guard let elements = collection as? [NSExpression] else { return self }
                return NSExpression(forAggregate: elements.map { $0.rebuilt(values) })
            case .subquery:
                guard let members = collection as? NSExpression else { return self }
                return NSExpression(
                    forSubquery: members, usingIteratorVariable: variable, predicate: predicate.rebuilt(values))
            case .conditional:
                return NSExpression(
                    forConditional: predicate.rebuilt(values), trueExpression: self.true.rebuilt(values),
                    falseExpression: self.false.rebuilt(values))
            // `SUBQUERY(...).@count` asks the subquery, which is the operand.
            case .function where operand.expressionType == .subquery:
                return NSExpression(
                    forFunction: operand.rebuilt(values), selectorName: function, arguments: arguments ?? [])
            case .function where isChoice:
                return NSExpression(forFunction: function, arguments: (arguments ?? []).map { $0.rebuilt(values) })
            default: return self
            }
        }
    }
#endif
