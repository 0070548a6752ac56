// How the value of an attribute is read from JSON and written to it. One converter per attribute, made once; what it
// accepts is in +Reading, what it writes in +Writing, and reading what was written gives the same value for every type.

import Foundation

/// Converts between JSON and the values of one attribute.
public struct AttributeConverter: Hashable, Sendable {
    /// What a number means as a date.
    public enum NumericDate: String, Hashable, Sendable, CaseIterable, Codable {
        /// Seconds since 1970-01-01T00:00:00Z.
        case secondsSince1970
        /// Milliseconds since 1970-01-01T00:00:00Z.
        case millisecondsSince1970
        /// Seconds since 2001-01-01T00:00:00Z, Foundation's own.
        case secondsSince2001
    }

    /// The attribute's type.
    public var kind: AttributeKind

    /// What numbers mean as dates.
    public var numericDate = NumericDate.secondsSince1970

    /// Whether dates are written as such numbers, instead of in ISO 8601.
    public var writesNumericDates = false

    /// The format of dates, where it isn't ISO 8601. Numbers are read by ``numericDate`` all the same.
    var datePattern: DatePattern?

    /// The zone of dates in ISO 8601 that don't name one; nil for UTC.
    var timeZone: TimeZone?

    /// Creates a converter.
    public init(_ kind: AttributeKind) { self.kind = kind }

    /// Creates a converter of dates in UTC, where they name no zone.
    package init(dateFormat: DateFormat) { self.init(dateFormat: dateFormat, timeZone: nil) }

    /// Creates a converter of dates.
    ///
    /// - Parameters:
    ///   - dateFormat: The format that is read and written.
    ///   - timeZone: The zone of dates that don't name one; nil for UTC, never the device's.
    init(dateFormat: DateFormat, timeZone: TimeZone?) {
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

extension AttributeConverter.NumericDate {
    /// How many decimal places make a second.
    var decimalPlaces: Int { self == .millisecondsSince1970 ? 3 : 0 }

    /// The beginning of the count, in seconds from 2001.
    var epoch: Int64 { self == .secondsSince2001 ? 0 : Instant.unixEpoch }
}
