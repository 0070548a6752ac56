// Limits as the validation predicates that they are in compiled models:
//
//     SELF >= 1     SELF <= 9     length >= 2     length <= 5     timeIntervalSinceReferenceDate >= 0     SELF MATCHES "[a-z]+"

import Foundation

extension AttributeLimit {
    /// The limit as a predicate on the value.
    package var predicate: NSPredicate {
        switch self {
        case .minimum(let number): Self.comparison(.evaluatedObjectExpression, .greaterThanOrEqualTo, number.boxed)
        case .maximum(let number): Self.comparison(.evaluatedObjectExpression, .lessThanOrEqualTo, number.boxed)
        case .earliest(let seconds):
            Self.comparison(Self.seconds, .greaterThanOrEqualTo, NSNumber(value: seconds))
        case .latest(let seconds): Self.comparison(Self.seconds, .lessThanOrEqualTo, NSNumber(value: seconds))
        case .minimumLength(let length):
            Self.comparison(NSExpression(forKeyPath: "length"), .greaterThanOrEqualTo, NSNumber(value: length))
        case .maximumLength(let length):
            Self.comparison(NSExpression(forKeyPath: "length"), .lessThanOrEqualTo, NSNumber(value: length))
        case .pattern(let pattern): Self.comparison(.evaluatedObjectExpression, .matches, pattern)
        }
    }

    private static var seconds: NSExpression { NSExpression(forKeyPath: "timeIntervalSinceReferenceDate") }

    private static func comparison(
        _ left: NSExpression, _ type: NSComparisonPredicate.Operator, _ value: Any
    ) -> NSPredicate {
        NSComparisonPredicate(
            leftExpression: left, rightExpression: NSExpression(forConstantValue: value), modifier: .direct, type: type)
    }

    /// The limit that a predicate of one of these forms sets on attributes of a type; nil for other predicates.
    init?(_ predicate: NSPredicate, of type: NSAttributeType) {
        guard let comparison = predicate as? NSComparisonPredicate, comparison.options.isEmpty,
            comparison.comparisonPredicateModifier == .direct,
            comparison.rightExpression.expressionType == .constantValue,
            let value = comparison.rightExpression.constantValue
        else { return nil }
        let left = comparison.leftExpression
        let isWholeValue = left.expressionType == .evaluatedObject
        let keyPath = left.expressionType == .keyPath ? left.keyPath : ""
        let isLength = keyPath == "length" && type == .stringAttributeType
        let isSeconds = keyPath == "timeIntervalSinceReferenceDate" && type == .dateAttributeType
        switch (comparison.predicateOperatorType, value) {
        case (.matches, let pattern as String) where isWholeValue && type == .stringAttributeType:
            self = .pattern(pattern)
        case (.greaterThanOrEqualTo, let date as Date) where isWholeValue && type == .dateAttributeType:
            self = .earliest(date.timeIntervalSinceReferenceDate)
        case (.lessThanOrEqualTo, let date as Date) where isWholeValue && type == .dateAttributeType:
            self = .latest(date.timeIntervalSinceReferenceDate)
        case (.greaterThanOrEqualTo, let number as NSNumber) where isSeconds: self = .earliest(number.doubleValue)
        case (.lessThanOrEqualTo, let number as NSNumber) where isSeconds: self = .latest(number.doubleValue)
        case (.greaterThanOrEqualTo, let number as NSNumber) where isLength:
            self = .minimumLength(number.intValue)
        case (.lessThanOrEqualTo, let number as NSNumber) where isLength:
            self = .maximumLength(number.intValue)
        case (.greaterThanOrEqualTo, let number as NSNumber) where isWholeValue:
            guard let number = LimitNumber(number, of: type) else { return nil }
            self = .minimum(number)
        case (.lessThanOrEqualTo, let number as NSNumber) where isWholeValue:
            guard let number = LimitNumber(number, of: type) else { return nil }
            self = .maximum(number)
        default: return nil
        }
    }
}

extension LimitNumber {
    /// A number in the form that limits of a type have; nil where the type isn't one of numbers.
    fileprivate init?(_ number: NSNumber, of type: NSAttributeType) {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            let isWhole = number.doubleValue == number.doubleValue.rounded()
            self = isWhole ? .integer(number.int64Value) : .double(number.doubleValue)
        case .decimalAttributeType: self = .decimal(number.exactDecimal)
        case .doubleAttributeType, .floatAttributeType, .booleanAttributeType: self = .double(number.doubleValue)
        default: return nil
        }
    }
}
