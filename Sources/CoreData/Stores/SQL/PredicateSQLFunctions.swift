// The functions and collations that the SQL of predicates and sort descriptors calls. A store registers them with each
// connection. They run the very code that evaluates predicates in memory, so that both give the same answers.

import Foundation

/// A function of single values.
struct PredicateSQLFunction: Sendable {
    let name: String
    /// Nil for any number.
    let argumentCount: Int?
    /// Whether equal arguments always give equal results, so that SQLite may call it once for many rows.
    let isDeterministic: Bool
    let value: @Sendable ([SQLValue]) throws -> SQLValue
}

/// An order of texts.
struct PredicateSQLCollation: Sendable {
    let name: String
    let order: @Sendable (String, String) -> ComparisonResult
}

enum PredicateSQLFunctions {
    static let all: [PredicateSQLFunction] = [
        PredicateSQLFunction(name: "graft_fold", argumentCount: 2, isDeterministic: true, value: fold),
        PredicateSQLFunction(name: "graft_match", argumentCount: 4, isDeterministic: true, value: match),
        PredicateSQLFunction(name: "graft_function", argumentCount: nil, isDeterministic: true, value: function),
        PredicateSQLFunction(name: "graft_chain", argumentCount: nil, isDeterministic: true, value: chain),
        PredicateSQLFunction(name: "graft_random", argumentCount: nil, isDeterministic: false, value: function),
        PredicateSQLFunction(name: "graft_double", argumentCount: 1, isDeterministic: true, value: double),
        PredicateSQLFunction(name: "graft_decimal", argumentCount: 1, isDeterministic: true, value: decimal),
        PredicateSQLFunction(name: "graft_blob", argumentCount: 1, isDeterministic: true, value: blob),
    ]

    static let collations: [PredicateSQLCollation] = SortComparison.allCases.compactMap { comparison in
        comparison.collationName.map { PredicateSQLCollation(name: $0) { comparison.order($0, $1) } }
    }

    /// `graft_fold(text, options)`
    private static func fold(_ arguments: [SQLValue]) -> SQLValue {
        guard arguments.count == 2, case .text(let text) = arguments[0], case .integer(let options) = arguments[1]
        else {
            return .null
        }
        return .text(StringComparison.folded(text, Self.options(options)))
    }

    /// `graft_match(operator, options, text, pattern)`: 1 or 0, also for NULL.
    private static func match(_ arguments: [SQLValue]) -> SQLValue {
        guard arguments.count == 4, case .integer(let type) = arguments[0], case .integer(let options) = arguments[1],
            case .text(let text) = arguments[2], case .text(let pattern) = arguments[3],
            let stringOperator = StringOperator(rawValue: Int(type))
        else { return .integer(0) }
        return .integer(stringOperator.holds(text, pattern, Self.options(options)) ? 1 : 0)
    }

    /// `graft_function(name, kinds, …)`: one letter of `kinds` for each argument, see ``SQLKind/tag``.
    private static func function(_ arguments: [SQLValue]) -> SQLValue {
        guard arguments.count >= 2, case .text(let name) = arguments[0], case .text(let kinds) = arguments[1],
            let function = PredefinedFunction(rawValue: name)
        else { return .null }
        let operands = zip(arguments.dropFirst(2), kinds.utf8).map { operand($0, kind: $1) }
        if function.isAggregate { return sqlValue(FunctionEvaluator.aggregate(function, operands)) }
        return sqlValue(FunctionEvaluator.scalar(function, operands))
    }

    /// How many operands of a row are arguments: SQLite takes up to 127.
    static let longestChain = 120

    /// `graft_chain(program, kinds, value, …)`: operators with two operands each, from left to right. The program has the name
    /// of each function and its right operand: the number of an argument (`v1`) or a constant (`i-5`, `r` and `d` with bits).
    private static func chain(_ arguments: [SQLValue]) -> SQLValue {
        guard arguments.count >= 3, case .text(let program) = arguments[0], case .text(let kinds) = arguments[1] else {
            return .null
        }
        let values = zip(arguments.dropFirst(2), kinds.utf8).map { operand($0, kind: $1) }
        guard var result = values.first else { return .null }
        var name: Substring?
        for word in program.split(separator: " ") {
            guard let function = name else {
                name = word
                continue
            }
            name = nil
            guard let function = PredefinedFunction(rawValue: String(function)), let right = operand(word, values)
            else {
                return .null
            }
            result = FunctionEvaluator.scalar(function, [result, right])
        }
        return sqlValue(result)
    }

    /// A constant as a word of a row's program; nil for what isn't a number or a date.
    static func word(_ constant: Operand) -> String? {
        switch constant {
        case .integer(let value): "i\(value)"
        case .real(let value): "r\(value.bitPattern)"
        case .date(let value): "d\(value.bitPattern)"
        default: nil
        }
    }

    private static func operand(_ word: Substring, _ values: [Operand]) -> Operand? {
        let rest = word.dropFirst()
        switch word.first {
        case "i": return Int64(rest).map { .integer($0) }
        case "r": return UInt64(rest).map { .number(Double(bitPattern: $0)) }
        case "d": return UInt64(rest).map { .number(date: Double(bitPattern: $0)) }
        default: return Int(rest).flatMap { values.indices.contains($0) ? values[$0] : nil }
        }
    }

    /// `graft_double(bits)`
    private static func double(_ arguments: [SQLValue]) -> SQLValue {
        guard case .integer(let bits)? = arguments.first else { return .null }
        return .real(Double(bitPattern: UInt64(bitPattern: bits)))
    }

    /// `graft_decimal(value)`: a decimal attribute's value for arithmetic.
    private static func decimal(_ arguments: [SQLValue]) -> SQLValue {
        arguments.first.map { sqlValue(operand($0, kind: .decimal)) } ?? .null
    }

    /// `graft_blob(hexadecimal digits)`
    private static func blob(_ arguments: [SQLValue]) -> SQLValue {
        guard case .text(let text)? = arguments.first else { return .null }
        var data = Data(capacity: text.utf8.count / 2)
        var high: UInt8?
        for digit in text.utf8 {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return .null }
            if let first = high {
                data.append(first << 4 | UInt8(value))
                high = nil
            } else {
                high = UInt8(value)
            }
        }
        return .blob(data)
    }

    /// `graft_sum(value)`, `graft_avg(value)`, `graft_median(value)`, `graft_stddev(value)`: a function of the values of a group.
    static func aggregate(_ function: PredefinedFunction, _ values: [SQLValue]) -> SQLValue {
        sqlValue(FunctionEvaluator.aggregate(function, values.map { operand($0, kind: UInt8(ascii: "v")) }))
    }

    private static func options(_ bits: Int64) -> NSComparisonPredicate.Options {
        NSComparisonPredicate.Options(rawValue: UInt(truncatingIfNeeded: bits))
    }

    // MARK: Values

    static func operand(_ value: SQLValue, kind: SQLKind) -> Operand {
        operand(value, kind: kind.tag.utf8.first ?? UInt8(ascii: "v"))
    }

    private static func operand(_ value: SQLValue, kind: UInt8) -> Operand {
        switch (value, kind) {
        case (.null, _): .null
        case (.integer(let value), UInt8(ascii: "d")): .date(Double(value))
        case (.real(let value), UInt8(ascii: "d")): .date(value)
        // Decimals are real numbers in arithmetic, see `Operand.init(decimal:)`.
        case (.integer(let value), UInt8(ascii: "m")) where value.magnitude < 1 << 53: .real(Double(value))
        case (.blob(let data), UInt8(ascii: "u")): uuid(data)
        case (.integer(let value), _): .integer(value)
        case (.real(let value), _): .number(value)
        case (.text(let value), _): .string(value)
        case (.blob(let value), _): .data(value)
        }
    }

    private static func uuid(_ data: Data) -> Operand {
        guard data.count == 16 else { return .null }
        let b = Array(data)
        return .uuid(
            UUID(
                uuid: (
                    b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
                )))
    }

    private static func sqlValue(_ operand: Operand) -> SQLValue {
        switch operand {
        case .integer(let value): .integer(value)
        case .real(let value), .date(let value): .real(value)
        case .string(let value): .text(value)
        case .data(let value): .blob(value)
        case .uuid(let value): .blob(value.bytes)
        case .null, .object, .collection, .opaque: .null
        }
    }
}

extension SortComparison {
    /// The collation that orders texts so; nil for SQLite's own order by bytes.
    var collationName: String? {
        switch self {
        case .standard: nil
        case .caseInsensitive: "graft_nocase"
        case .localized: "graft_localized"
        case .localizedCaseInsensitive: "graft_localized_nocase"
        case .localizedStandard: "graft_localized_standard"
        }
    }
}
