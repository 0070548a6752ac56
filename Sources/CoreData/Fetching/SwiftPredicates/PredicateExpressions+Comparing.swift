// Comparisons, ranges and logic.

import Foundation

extension PredicateExpressions.Equal: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        if let comparison = lhs as? any TextComparing, let order = rhs as? PredicateExpressions.Value<ComparisonResult>
        {
            return .predicate(try comparison.compared(order.value, by: &translator))
        }
        return .predicate(.comparing(try translator.expression(lhs), .equalTo, try translator.expression(rhs)))
    }
}

extension PredicateExpressions.NotEqual: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        if let comparison = lhs as? any TextComparing, let order = rhs as? PredicateExpressions.Value<ComparisonResult>
        {
            return .predicate(.not(try comparison.compared(order.value, by: &translator)))
        }
        return .predicate(.comparing(try translator.expression(lhs), .notEqualTo, try translator.expression(rhs)))
    }
}

extension PredicateExpressions.Comparison: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let type: NSComparisonPredicate.Operator =
            switch op {
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEqualTo
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEqualTo
            @unknown default: throw translator.unsupported(self)
            }
        return .predicate(.comparing(try translator.expression(lhs), type, try translator.expression(rhs)))
    }
}

// MARK: - Logic

extension PredicateExpressions.Conjunction: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .predicate(.all(try translator.predicate(lhs), try translator.predicate(rhs)))
    }
}

extension PredicateExpressions.Disjunction: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .predicate(.any(try translator.predicate(lhs), try translator.predicate(rhs)))
    }
}

extension PredicateExpressions.Negation: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .predicate(.not(try translator.predicate(wrapped)))
    }
}

extension PredicateExpressions.Conditional: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let test = try translator.predicate(test)
        switch (try translator.part(trueBranch), try translator.part(falseBranch)) {
        case (.predicate(let then), .predicate(let otherwise)):
            return .predicate(.any(.all(test, then), .all(.not(test), otherwise)))
        default:
            let then = try translator.expression(trueBranch)
            return .expression(.conditional(test, then: then, otherwise: try translator.expression(falseBranch)))
        }
    }
}

// MARK: - Ranges

extension PredicateExpressions.RangeExpressionContains: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let element = try translator.expression(element)
        if let bounds = try (range as? any BoundedPart)?.bounds(by: &translator) {
            return .predicate(bounds.predicate(element))
        }
        if let value = (range as? any ConstantPart)?.constant as? any ConstantRange {
            return .predicate(try value.bounds().predicate(element))
        }
        throw translator.unsupported(range)
    }
}

/// The ends of a range, as far as it has them.
struct TranslatedBounds {
    var lower: NSExpression?
    var upper: NSExpression?
    var includesUpper: Bool

    func predicate(_ element: NSExpression) -> NSPredicate {
        let above = lower.map { NSPredicate.comparing(element, .greaterThanOrEqualTo, $0) }
        let below = upper.map { NSPredicate.comparing(element, includesUpper ? .lessThanOrEqualTo : .lessThan, $0) }
        switch (above, below) {
        case (let above?, let below?): return .all(above, below)
        case (let bound?, nil), (nil, let bound?): return bound
        case (nil, nil): return NSPredicate(value: true)
        }
    }
}

/// A range whose ends are parts of the predicate.
private protocol BoundedPart {
    func bounds(by translator: inout PredicateTranslator) throws -> TranslatedBounds
}

extension PredicateExpressions.Range: BoundedPart {
    func bounds(by translator: inout PredicateTranslator) throws -> TranslatedBounds {
        TranslatedBounds(
            lower: try translator.expression(lower), upper: try translator.expression(upper), includesUpper: false)
    }
}

extension PredicateExpressions.ClosedRange: BoundedPart {
    func bounds(by translator: inout PredicateTranslator) throws -> TranslatedBounds {
        TranslatedBounds(
            lower: try translator.expression(lower), upper: try translator.expression(upper), includesUpper: true)
    }
}

/// A part that is a constant.
private protocol ConstantPart {
    var constant: Any { get }
}

extension PredicateExpressions.Value: ConstantPart {
    fileprivate var constant: Any { value }
}

/// A range that was made outside of the predicate.
private protocol ConstantRange {
    func bounds() throws -> TranslatedBounds
}

private func bounds(_ lower: Any?, _ upper: Any?, includesUpper: Bool) throws -> TranslatedBounds {
    func expression(_ value: Any?) throws -> NSExpression? {
        try value.map { NSExpression(forConstantValue: try PredicateConstant.object(of: $0)) }
    }
    return TranslatedBounds(
        lower: try expression(lower), upper: try expression(upper), includesUpper: includesUpper)
}

extension Range: ConstantRange {
    fileprivate func bounds() throws -> TranslatedBounds {
        try CoreData.bounds(lowerBound, upperBound, includesUpper: false)
    }
}

extension ClosedRange: ConstantRange {
    fileprivate func bounds() throws -> TranslatedBounds {
        try CoreData.bounds(lowerBound, upperBound, includesUpper: true)
    }
}

extension PartialRangeFrom: ConstantRange {
    fileprivate func bounds() throws -> TranslatedBounds {
        try CoreData.bounds(lowerBound, nil, includesUpper: false)
    }
}

extension PartialRangeUpTo: ConstantRange {
    fileprivate func bounds() throws -> TranslatedBounds {
        try CoreData.bounds(nil, upperBound, includesUpper: false)
    }
}

extension PartialRangeThrough: ConstantRange {
    fileprivate func bounds() throws -> TranslatedBounds {
        try CoreData.bounds(nil, upperBound, includesUpper: true)
    }
}
