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
                guard Self.fields(of: text) != nil else { return nil }
                self = .pattern(text)
            }
        }

        /// The letters of a pattern's fields (UTS 35); nil where a text has others outside its quotes, or none.
        private static func fields(of text: String) -> Set<Character>? {
            let known = "GyYuUrQqMLlwWdDFgEecabBhHkKjJmsSAzZOvVXx"
            var isQuoted = false
            var fields: Set<Character> = []
            for character in text {
                if character == "'" {
                    isQuoted.toggle()
                } else if !isQuoted, character.isASCII, character.isLetter {
                    guard known.contains(character) else { return nil }
                    fields.insert(character)
                }
            }
            return fields.isEmpty || isQuoted ? nil : fields
        }

        /// Why a pattern means other dates than it seems to, and what to write instead; nil where it doesn't.
        package var slip: (finding: String, remedy: String)? {
            guard case .pattern(let pattern) = self, let fields = Self.fields(of: pattern) else { return nil }
            let isOfWeek = fields.contains("w") && fields.isDisjoint(with: "MLQqdD")
            if fields.contains("Y"), !isOfWeek {
                return (
                    "Y in the date format '\(pattern)' is the year that a week belongs to, which isn't the year of all "
                        + "its days", "Write y: yyyy has the year of a date."
                )
            }
            if fields.contains("D"), !fields.isDisjoint(with: "ML") {
                return (
                    "D in the date format '\(pattern)' is the day of the year, and the format has a month",
                    "Write d: dd has the day of a month."
                )
            }
            return nil
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
