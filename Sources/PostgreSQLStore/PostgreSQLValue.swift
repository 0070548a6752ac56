// Values as they go to the server and come back, in PostgreSQL's binary form, and a statement's `?` as its `$1`.

#if PostgreSQL

    import CoreData
    import Foundation

    /// A value of one of the types that a store's columns have.
    enum PostgreSQLValue: Equatable {
        case null
        case boolean(Bool)
        case integer(Int64)
        case real(Double)
        case text(String)
        case bytes(Data)
        case uuid(UUID)
        /// Microseconds since 2000-01-01T00:00:00Z.
        case timestamp(Int64)
        /// Decimal digits.
        case numeric(String)
    }

    /// PostgreSQL's numbers of types.
    enum PostgreSQLType: UInt32 {
        case boolean = 16
        case bytes = 17
        case integer = 20
        case smallInteger = 21
        case mediumInteger = 23
        case text = 25
        case name = 19
        case float = 700
        case real = 701
        case varchar = 1043
        case timestamp = 1184
        case numeric = 1700
        case uuid = 2950
        case integers = 1016

        /// As `CREATE TABLE` has it. Texts sort and compare by their bytes.
        var declaration: String {
            switch self {
            case .boolean: "boolean"
            case .bytes: "bytea"
            case .real, .float: "double precision"
            case .timestamp: "timestamptz"
            case .numeric: "numeric"
            case .uuid: "uuid"
            case .text, .varchar, .name: "text COLLATE \"C\""
            case .integer, .smallInteger, .mediumInteger, .integers: "bigint"
            }
        }
    }

    /// A parameter of a statement.
    struct PostgreSQLParameter {
        let type: PostgreSQLType
        let value: PostgreSQLValue

        static func integer(_ value: Int64) -> Self { Self(type: .integer, value: .integer(value)) }
        static func text(_ value: String) -> Self { Self(type: .text, value: .text(value)) }
        static func optional(_ value: String?) -> Self {
            Self(type: .text, value: value.map(PostgreSQLValue.text) ?? .null)
        }
        static func bytes(_ value: Data) -> Self { Self(type: .bytes, value: .bytes(value)) }

        /// As SQL has it in a text.
        var literal: String {
            switch value {
            case .null: "NULL"
            case .boolean(let value): value ? "TRUE" : "FALSE"
            case .integer(let value): "'\(value)'::bigint"
            case .real(let value): "'\(value)'::double precision"
            case .text(let value): Self.quoted(value)
            case .bytes(let data):
                "decode('\(data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())', 'hex')"
            case .uuid(let uuid): "'\(uuid.uuidString)'::uuid"
            case .timestamp(let microseconds):
                "('2000-01-01T00:00:00Z'::timestamptz + '\(microseconds) microseconds'::interval)"
            case .numeric(let digits): "'\(digits)'::numeric"
            }
        }

        /// A text as a literal, whatever the server's settings are.
        static func quoted(_ text: String) -> String {
            "E'\(text.replacing("\\", with: "\\\\").replacing("'", with: "''"))'"
        }

        /// A list for `= ANY ($1)`.
        static func integers(_ values: [Int64]) -> Self {
            Self(type: .integers, value: .numeric("{\(values.map(String.init).joined(separator: ","))}"))
        }
    }

    extension SQLFragment {
        /// The SQL with numbered parameters. Equal values share a number, so that the same expression is the same text wherever it
        /// stands, which GROUP BY depends on.
        ///
        /// - Throws: ``PostgreSQLFailure`` for a value that PostgreSQL can't hold.
        func numbered() throws -> (sql: String, parameters: [PostgreSQLParameter]) {
            var parameters: [PostgreSQLParameter] = []
            var known: [(value: SQLValue, type: PostgreSQLType)] = []
            let text = try replacingMarks { value, type in
                if let index = known.firstIndex(where: { $0.value == value && $0.type == type }) {
                    return "$\(index + 1)"
                }
                known.append((value, type))
                parameters.append(try Self.parameter(value, type))
                return "$\(known.count)"
            }
            return (text, parameters)
        }

        /// The SQL with its values as literals, for functions of the server.
        ///
        /// - Throws: As ``numbered()``.
        func inlined() throws -> String { try replacingMarks { try Self.parameter($0, $1).literal } }

        private func replacingMarks(_ mark: (SQLValue, PostgreSQLType) throws -> String) rethrows -> String {
            var text = ""
            var rest = arguments[...]
            var isQuoted = false
            var remaining = Substring(sql)
            while let character = remaining.popFirst() {
                if character == "\"" { isQuoted.toggle() }
                guard character == "?", !isQuoted, let value = rest.popFirst() else {
                    text.append(character)
                    continue
                }
                text += try mark(value, Self.type(of: value, before: remaining))
            }
            return text
        }

        private static func type(of value: SQLValue, before rest: Substring) -> PostgreSQLType {
            switch value {
            case .integer, .null: .integer
            case .real: rest.hasPrefix("::timestamptz") ? .timestamp : .real
            case .text: .text
            case .blob: rest.hasPrefix("::uuid") ? .uuid : .bytes
            }
        }

        private static func parameter(_ value: SQLValue, _ type: PostgreSQLType) throws -> PostgreSQLParameter {
            let converted: PostgreSQLValue
            switch value {
            case .null: converted = .null
            case .integer(let integer): converted = .integer(integer)
            case .real(let real):
                if type == .timestamp {
                    guard let microseconds = PostgreSQLDate.microseconds(real) else {
                        throw PostgreSQLFailure("the date \(real) s since 2001 is none that PostgreSQL can hold")
                    }
                    converted = .timestamp(microseconds)
                } else {
                    converted = .real(real)
                }
            case .text(let text):
                guard !text.utf8.contains(0) else {
                    throw PostgreSQLFailure("a text of the predicate has U+0000 in it, which PostgreSQL can't hold")
                }
                converted = .text(text)
            case .blob(let data):
                converted = type == .uuid ? UUID(bytes: data).map { .uuid($0) } ?? .null : .bytes(data)
            }
            return PostgreSQLParameter(type: type, value: converted)
        }
    }

    extension UUID {
        /// Nil for anything but 16 bytes.
        init?(bytes: some Collection<UInt8>) {
            guard bytes.count == 16 else { return nil }
            let b = Array(bytes)
            self.init(
                uuid: (
                    b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
                ))
        }
    }

#endif
