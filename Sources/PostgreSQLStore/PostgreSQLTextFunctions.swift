// The functions of texts that a store brings along: what the evaluation in memory does with a text, as tables of characters. What
// it does doesn't depend on a character's neighbours, so a table is all there is.
//
//     CREATE FUNCTION "shop"."_folded_case"(value text) ... translate(value, 'aA...', 'aa...') ...

#if PostgreSQL

    import CoreData
    import Foundation

    /// What makes the functions of one schema.
    struct PostgreSQLTextFunctions {
        let address: PostgreSQLAddress

        /// All statements that make functions.
        var statements: [String] {
            let length = """
                CREATE FUNCTION \(address.qualified(SQLTextFunction.length))(value text) RETURNS bigint
                LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
                SELECT (length(value) + length(regexp_replace(value, U&'[^\\+010000-\\+10FFFF]', '', 'g')))::bigint
                $$
                """
            return SQLTextFunction.allCases.map(statement) + [length]
        }

        private func statement(_ function: SQLTextFunction) -> String {
            let table = Self.tables[function] ?? Table(function)
            let ascii =
                switch function {
                case .foldedCase, .folded, .lowercase: "lower(value COLLATE \"C\")"
                case .uppercase: "upper(value COLLATE \"C\")"
                case .foldedAccents: "value"
                }
            let long = table.long.map(\.key).joined()
            let replaced = table.long.reduce("value") { "replace(\($0), '\($1.key)', '\($1.value)')" }
            // The composed form is what memory compares; case is changed without it.
            let isNormalized = function != .uppercase && function != .lowercase
            let translated = "translate(value, '\(table.from)', '\(table.to)')"
            return """
                CREATE FUNCTION \(address.qualified(function.rawValue))(value text) RETURNS text
                LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
                BEGIN
                  IF value !~ U&'[^\\0001-\\007F]' THEN RETURN \(ascii); END IF;
                  IF value ~ '[\(long)]' THEN value := \(replaced); END IF;
                  value := \(translated);
                  RETURN \(isNormalized ? "normalize(value, NFC)" : "value");
                END $$
                """
        }

        /// Which characters become which.
        private struct Table {
            /// One becomes one, or, where `to` is at its end, none.
            var from = ""
            var to = ""
            /// One becomes several.
            var long: [(key: String, value: String)] = []

            init(_ function: SQLTextFunction) {
                var dropped = ""
                for scalar in (1...0x1FFFF as ClosedRange<UInt32>).lazy.compactMap(Unicode.Scalar.init) {
                    let text = String(scalar)
                    let value = function.value(text)
                    // ASCII stands at the beginning, so that it is found at once.
                    let isLetter = scalar.isASCII && scalar.properties.isAlphabetic
                    if !isLetter, value.utf8.elementsEqual(text.utf8) { continue }
                    switch value.unicodeScalars.count {
                    case 0: dropped += text
                    case 1:
                        from.unicodeScalars.append(scalar)
                        to += value
                    default: long.append((text, value))
                    }
                }
                from += dropped
            }
        }

        /// Made once, because that looks at all characters.
        private static let tables = Dictionary(
            uniqueKeysWithValues: SQLTextFunction.allCases.map { ($0, Table($0)) })
    }

#endif
