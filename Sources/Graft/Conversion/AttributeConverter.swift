// How the value of an attribute is read from JSON and written to it. One converter per attribute, made once; what it
// accepts is in +Reading, what it writes in +Writing, and reading what was written gives the same value for every type.

import Foundation

/// Converts between JSON and the values of one attribute.
package struct AttributeConverter: Hashable, Sendable {
    /// The attribute's type.
    package var kind: AttributeKind

    /// What numbers mean as dates.
    package var numericDate = MappingOptions.NumericDate.secondsSince1970

    /// Whether dates are written as such numbers, instead of in ISO 8601.
    package var writesNumericDates = false

    /// The format of dates, where it isn't ISO 8601. Numbers are read by ``numericDate`` all the same.
    var datePattern: DatePattern?

    /// The zone of dates in ISO 8601 that don't name one; nil for UTC.
    var timeZone: TimeZone?

    /// Creates a converter.
    package init(_ kind: AttributeKind) { self.kind = kind }

    /// Creates a converter of dates in UTC, where they name no zone.
    package init(dateFormat: MappingOptions.DateFormat) { self.init(dateFormat: dateFormat, timeZone: nil) }

    /// Creates a converter of dates.
    ///
    /// - Parameters:
    ///   - dateFormat: The format that is read and written.
    ///   - timeZone: The zone of dates that don't name one; nil for UTC, never the device's.
    init(dateFormat: MappingOptions.DateFormat, timeZone: TimeZone?) {
        kind = .date
        self.timeZone = timeZone
        switch dateFormat {
        case .iso8601: break
        case .pattern(let pattern): datePattern = DatePattern(pattern, zone: timeZone)
        case .unixSeconds: writesNumericDates = true
        case .unixMilliseconds: (numericDate, writesNumericDates) = (.millisecondsSince1970, true)
        case .referenceSeconds: (numericDate, writesNumericDates) = (.secondsSince2001, true)
        }
    }
}

extension MappingOptions.NumericDate {
    /// How many decimal places make a second.
    var decimalPlaces: Int { self == .millisecondsSince1970 ? 3 : 0 }

    /// The beginning of the count, in seconds from 2001.
    var epoch: Int64 { self == .secondsSince2001 ? 0 : Instant.unixEpoch }
}
