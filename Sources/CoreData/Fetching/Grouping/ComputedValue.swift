// A computed value of a dictionary as the type that its expression description names. Both stores make values of operands
// here, so that they make the same.

import Foundation

extension Operand {
    /// The value as an attribute of a type would be read; as it is where the type says nothing or doesn't fit.
    func boxed(as type: NSAttributeType) -> Any? {
        switch (type, self) {
        case (.integer16AttributeType, .integer), (.integer16AttributeType, .real), (.integer32AttributeType, .integer),
            (.integer32AttributeType, .real), (.integer64AttributeType, .integer), (.integer64AttributeType, .real):
            Arithmetic.integer(self).map { NSNumber(value: $0) }
        case (.doubleAttributeType, .integer), (.doubleAttributeType, .real), (.floatAttributeType, .integer),
            (.floatAttributeType, .real):
            Arithmetic.real(self).map { NSNumber(value: $0) }
        case (.booleanAttributeType, .integer(let value)): NSNumber(value: value != 0)
        case (.decimalAttributeType, .integer(let value)): HashableDecimalNumber(decimal: Decimal(value))
        case (.decimalAttributeType, .real(let value)):
            HashableDecimalNumber(decimal: NSNumber(value: value).exactDecimal)
        case (.dateAttributeType, .integer), (.dateAttributeType, .real):
            Arithmetic.real(self).map { Date(timeIntervalSinceReferenceDate: $0) }
        case (.URIAttributeType, .string(let text)): URL(string: text) ?? text
        case (_, .object(let object)): object.objectID ?? object.boxed
        default: boxed
        }
    }
}
