// The limits that the model editor offers: smallest and largest number, first and last date, shortest and longest text,
// pattern. In compiled models they are validation predicates with an error code in place of a text
// (Archive/ArchivedPredicates.swift).

package import Foundation

/// A number in a limit, exact for what its attribute can hold.
package enum LimitNumber: Equatable {
    case integer(Int64)
    case double(Double)
    case decimal(Decimal)

    package static func < (left: LimitNumber, right: LimitNumber) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.decimal, _), (_, .decimal): left.decimal < right.decimal
        default: left.double < right.double
        }
    }

    package var decimal: Decimal {
        switch self {
        case .integer(let value): Decimal(value)
        case .double(let value): NSNumber(value: value).exactDecimal
        case .decimal(let value): value
        }
    }

    package var double: Double {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        }
    }

    package var boxed: NSNumber {
        switch self {
        case .integer(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        }
    }
}

/// A limit on an attribute's values.
package enum AttributeLimit: Equatable {
    case minimum(LimitNumber)
    case maximum(LimitNumber)
    /// Seconds since 2001-01-01T00:00:00Z.
    case earliest(TimeInterval)
    case latest(TimeInterval)
    /// UTF-16 units, as `NSString` counts.
    case minimumLength(Int)
    case maximumLength(Int)
    /// A regular expression that the whole text has to match.
    case pattern(String)

    /// The error code of a value outside the limit (`NSValidationNumberTooSmallError` and so on).
    package var errorCode: Int {
        switch self {
        case .maximum: 1610
        case .minimum: 1620
        case .latest: 1630
        case .earliest: 1640
        case .maximumLength: 1660
        case .minimumLength: 1670
        case .pattern: 1680
        }
    }
}

extension AttributeLimit {
    /// Whether the limit allows a number; true where the limit isn't about numbers.
    package func allows(number: LimitNumber) -> Bool {
        switch self {
        case .minimum(let minimum): !(number < minimum)
        case .maximum(let maximum): !(maximum < number)
        default: true
        }
    }

    /// Whether the limit allows a date, in seconds since 2001; true where the limit isn't about dates.
    package func allows(date: TimeInterval) -> Bool {
        switch self {
        case .earliest(let first): date >= first
        case .latest(let last): date <= last
        default: true
        }
    }

    /// Whether the limit allows a text; true where the limit isn't about texts, false for a pattern that is no regular
    /// expression (which ``NSManagedObjectModel/validated()`` reports).
    package func allows(text: String) -> Bool {
        switch self {
        case .minimumLength(let length): text.utf16.count >= length
        case .maximumLength(let length): text.utf16.count <= length
        case .pattern(let pattern): RegularExpressionCache.shared.matchesWhole(text, pattern: pattern)
        default: true
        }
    }
}

extension NSAttributeDescription {
    /// The limits that the model sets, in order.
    package var limits: [AttributeLimit] { validationRules.compactMap(\.limit) }
}

extension AttributeLimit: CustomStringConvertible {
    /// The limit in the words of a predicate.
    package var description: String {
        switch self {
        case .minimum(let number): "SELF >= \(number.boxed)"
        case .maximum(let number): "SELF <= \(number.boxed)"
        case .earliest(let seconds): "SELF >= \(Date(timeIntervalSinceReferenceDate: seconds))"
        case .latest(let seconds): "SELF <= \(Date(timeIntervalSinceReferenceDate: seconds))"
        case .minimumLength(let length): "length >= \(length)"
        case .maximumLength(let length): "length <= \(length)"
        case .pattern(let pattern): "SELF MATCHES \"\(pattern)\""
        }
    }
}
