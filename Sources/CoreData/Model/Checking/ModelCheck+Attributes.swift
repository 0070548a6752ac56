// Checks of single attributes: types, default values, limits.

import Foundation

extension ModelCheck {
    mutating func check(_ attribute: NSAttributeDescription, of entity: NSEntityDescription) {
        if attribute.attributeType == .undefinedAttributeType, !attribute.isTransient {
            report(.noType, entity, attribute)
        }
        if let value = attribute.defaultValue, !attribute.accepts(defaultValue: value) {
            let found = "\(String(describing: value).prefix(40)) (\(Swift.type(of: value)))"
            report(.badDefault(found: found, expected: attribute.attributeType.expectedValue), entity, attribute)
        }
        checkLimits(of: attribute, entity)
        if let composite = attribute as? NSCompositeAttributeDescription {
            checkElements(of: composite, entity, depth: 0)
        }
    }

    private mutating func checkLimits(of attribute: NSAttributeDescription, _ entity: NSEntityDescription) {
        var range = AttributeRange()
        for limit in attribute.limits {
            if case .pattern(let pattern) = limit, !RegularExpressionCache.shared.isValid(pattern) {
                report(.badPattern(pattern), entity, attribute)
            }
            range.add(limit)
        }
        if let (what, minimum, maximum) = range.contradiction {
            report(.emptyRange(of: what, minimum: minimum, maximum: maximum), entity, attribute)
        }
    }

    private mutating func checkElements(
        of composite: NSCompositeAttributeDescription, _ entity: NSEntityDescription, depth: Int
    ) {
        guard depth < ModelLimits.compositeDepth else {
            report(.compositeCycle(composite.name), entity, composite)
            return
        }
        var names: Set<String> = []
        for element in composite.elements {
            if element.name.isEmpty {
                report(.noName(what: "an element"), entity, composite)
            } else if !Self.isName(element.name) {
                report(.badName(element.name), entity, element)
            }
            if !names.insert(element.name).inserted {
                report(.duplicateProperty(declaredIn: composite.name), entity, element)
            }
            if let inner = element as? NSCompositeAttributeDescription {
                checkElements(of: inner, entity, depth: depth + 1)
            }
        }
    }
}

/// The limits of one attribute side by side.
private struct AttributeRange {
    private var minimum: LimitNumber?
    private var maximum: LimitNumber?
    private var earliest: TimeInterval?
    private var latest: TimeInterval?
    private var minimumLength: Int?
    private var maximumLength: Int?

    mutating func add(_ limit: AttributeLimit) {
        switch limit {
        case .minimum(let number): minimum = number
        case .maximum(let number): maximum = number
        case .earliest(let date): earliest = date
        case .latest(let date): latest = date
        case .minimumLength(let length): minimumLength = length
        case .maximumLength(let length): maximumLength = length
        case .pattern: break
        }
    }

    var contradiction: (what: String, minimum: String, maximum: String)? {
        if let minimum, let maximum, maximum < minimum {
            return ("value", "\(minimum.boxed)", "\(maximum.boxed)")
        }
        if let earliest, let latest, latest < earliest {
            return (
                "date", "\(Date(timeIntervalSinceReferenceDate: earliest))",
                "\(Date(timeIntervalSinceReferenceDate: latest))"
            )
        }
        if let minimumLength, let maximumLength, maximumLength < minimumLength {
            return ("length", "\(minimumLength)", "\(maximumLength)")
        }
        return nil
    }
}

extension NSAttributeType {
    /// What values are made of, for messages.
    package var expectedValue: String {
        switch self {
        case .integer16AttributeType: "a whole number of 16 bits"
        case .integer32AttributeType: "a whole number of 32 bits"
        case .integer64AttributeType: "a whole number of 64 bits"
        case .decimalAttributeType: "a decimal number"
        case .doubleAttributeType, .floatAttributeType: "a number"
        case .stringAttributeType: "a text"
        case .booleanAttributeType: "YES or NO"
        case .dateAttributeType: "a date"
        case .binaryDataAttributeType: "bytes"
        case .UUIDAttributeType: "a UUID"
        case .URIAttributeType: "a URI"
        case .compositeAttributeType: "a dictionary"
        case .objectIDAttributeType: "an object ID"
        case .undefinedAttributeType, .transformableAttributeType: "any object"
        }
    }
}

extension NSAttributeDescription {
    /// Whether a value can be the attribute's default.
    func accepts(defaultValue value: Any) -> Bool {
        switch attributeType {
        case .integer16AttributeType: Self.isWhole(value, Int64(Int16.min)...Int64(Int16.max))
        case .integer32AttributeType: Self.isWhole(value, Int64(Int32.min)...Int64(Int32.max))
        case .integer64AttributeType: Self.isWhole(value, Int64.min...Int64.max)
        case .decimalAttributeType: value is NSNumber || value is Decimal
        case .doubleAttributeType, .floatAttributeType, .booleanAttributeType: value is NSNumber
        case .stringAttributeType: value is String
        case .dateAttributeType: value is Date
        case .binaryDataAttributeType: value is Data
        case .UUIDAttributeType: value is UUID
        case .URIAttributeType: value is URL
        case .objectIDAttributeType, .undefinedAttributeType, .transformableAttributeType, .compositeAttributeType:
            true
        }
    }

    private static func isWhole(_ value: Any, _ range: ClosedRange<Int64>) -> Bool {
        guard let number = value as? NSNumber else { return false }
        let double = number.doubleValue
        return double == double.rounded() && range.contains(number.int64Value)
    }
}
