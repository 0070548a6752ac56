// Numbers as decimals, by their texts. Foundation's own conversion on Linux goes by way of a double, and is a little off then:
// 19.99 becomes 19.98999999999999488, and the largest integer of 64 bits 9223372036854775808. An infinity ends the process.

import Foundation

extension NSNumber {
    /// The number as a decimal, a double by the shortest text that reads as it; NaN for what a decimal can't be.
    var exactDecimal: Decimal {
        if let number = self as? NSDecimalNumber { return number.decimalValue }
        // Of `-inf`, Foundation reads 0.
        return doubleValue.isFinite ? Decimal(string: stringValue) ?? .nan : .nan
    }
}
