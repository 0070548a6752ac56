// How a date stands in JSON. Locale and zone of the device play no part in any of these.

extension MappingOptions {
    /// The format of a date attribute.
    public enum DateFormat: Hashable, Sendable {
        /// ISO 8601 in any form; numbers are seconds since 1970. Written in ISO 8601, UTC.
        case iso8601
        /// Seconds since 1970-01-01T00:00:00Z, as a number or the text of one.
        case unixSeconds
        /// Milliseconds since then.
        case unixMilliseconds
        /// Seconds since 2001-01-01T00:00:00Z, Foundation's own.
        case referenceSeconds
        /// A Unicode date pattern (UTS 35), such as `dd.MM.yyyy HH:mm`, in the locale `en_US_POSIX`.
        case pattern(String)

        /// Reads the name that an annotation gives a format: one of the cases, else a pattern. Nil where it is neither.
        package init?(_ text: String) {
            switch text {
            case "iso8601", "ISO8601": self = .iso8601
            case "unixSeconds": self = .unixSeconds
            case "unixMilliseconds": self = .unixMilliseconds
            case "referenceSeconds": self = .referenceSeconds
            default:
                // Every field of a date is a letter of a pattern, and a name mistyped has letters that aren't fields.
                guard Self.isPattern(text) else { return nil }
                self = .pattern(text)
            }
        }

        /// Whether a text outside its quotes consists of fields of UTS 35, and has at least one.
        private static func isPattern(_ text: String) -> Bool {
            let fields = "GyYuUrQqMLlwWdDFgEecabBhHkKjJmsSAzZOvVXx"
            var isQuoted = false
            var hasField = false
            for character in text {
                if character == "'" {
                    isQuoted.toggle()
                } else if !isQuoted, character.isASCII, character.isLetter {
                    guard fields.contains(character) else { return false }
                    hasField = true
                }
            }
            return hasField && !isQuoted
        }
    }
}

extension MappingOptions {
    /// What a number means as a date.
    public enum NumericDate: String, Hashable, Sendable, CaseIterable, Codable {
        /// Seconds since 1970-01-01T00:00:00Z.
        case secondsSince1970
        /// Milliseconds since 1970-01-01T00:00:00Z.
        case millisecondsSince1970
        /// Seconds since 2001-01-01T00:00:00Z, Foundation's own.
        case secondsSince2001
    }
}

extension MappingOptions.DateFormat: CustomStringConvertible {
    /// The name that an annotation gives the format.
    public var description: String {
        switch self {
        case .iso8601: "iso8601"
        case .unixSeconds: "unixSeconds"
        case .unixMilliseconds: "unixMilliseconds"
        case .referenceSeconds: "referenceSeconds"
        case .pattern(let pattern): pattern
        }
    }
}
