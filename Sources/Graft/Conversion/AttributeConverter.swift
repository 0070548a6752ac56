// How the value of an attribute is read from JSON and written to it. One converter per attribute, made once; what it
// accepts is in +Reading, what it writes in +Writing, and reading what was written gives the same value for every type.

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

    /// Creates a converter.
    public init(_ kind: AttributeKind) { self.kind = kind }
}

extension AttributeConverter.NumericDate {
    /// How many decimal places make a second.
    var decimalPlaces: Int { self == .millisecondsSince1970 ? 3 : 0 }

    /// The beginning of the count, in seconds from 2001.
    var epoch: Int64 { self == .secondsSince2001 ? 0 : Instant.unixEpoch }
}
