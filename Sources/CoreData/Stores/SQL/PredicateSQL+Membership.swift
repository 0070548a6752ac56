// IN and CONTAINS in SQL. A list of constants is bound value by value up to a limit, in lists of a few lengths, so that the
// text of the statement (and with it the compiled statement) stays the same; a longer one is bound as one JSON array, however
// long it is.

import Foundation

extension PredicateSQL {
    /// The lengths of lists that are bound value by value.
    private static let lengths = [1, 2, 4, 8, 16, 32, 64]
    /// SQLite's limit on the number of parameters.
    private static let parameterLimit = 30_000

    /// Membership for collections, a part of a text for texts.
    func isMember(
        _ member: SQLOperand, of container: SQLOperand, _ options: NSComparisonPredicate.Options,
        _ comparison: NSComparisonPredicate
    ) throws -> SQLCondition {
        let member = try single(member, comparison)
        switch container {
        case .scalar(let text):
            if case .opaque = text.kind { _ = try text.usable() }
            return try self.text(.contains, text, member, options)
        case .collection: return try any(container) { try areEqual($0, member, options) }
        case .list(let elements):
            return .joined(try elements.map { try areEqual(member, try single($0, comparison), options) }, "OR")
        case .constants(let values): return try isMember(member, ofConstants: values, options)
        }
    }

    private func isMember(
        _ member: SQLScalar, ofConstants values: [Operand], _ options: NSComparisonPredicate.Options
    ) throws -> SQLCondition {
        let hasNull = values.contains(where: \.isNull)
        if member.isNullConstant { return hasNull ? .always : .never }
        let none: SQLCondition = hasNull ? member.isNull : .never
        if case .opaque = member.kind, values.allSatisfy(\.isNull) { return none }
        let member = try member.usable()
        let bound = values.compactMap { value in
            boundValue(value, comparableTo: member.kind, options)
                ?? value.otherSpelling.flatMap { boundValue($0, comparableTo: member.kind, options) }
        }
        if bound.isEmpty { return none }
        var fragment = try folded(member, options)
        if bound.count == 1 {
            fragment.sql += " = \(dialect.mark(member.kind))"
            fragment.arguments += bound
        } else {
            fragment.sql += " IN ("
            fragment += try list(bound, member.kind)
            fragment.sql += ")"
        }
        return .joined([SQLCondition(fragment: fragment, canBeNull: member.canBeNull), none], "OR")
    }

    /// A constant as it is bound for a comparison with values of a kind; nil for one of another kind, which is never equal.
    private func boundValue(
        _ operand: Operand, comparableTo kind: SQLKind, _ options: NSComparisonPredicate.Options
    ) -> SQLValue? {
        switch (operand, kind) {
        case (.integer(let value), .number), (.integer(let value), .decimal): return .integer(value)
        case (.real(let value), .number), (.real(let value), .decimal): return .real(value)
        case (.string(let value), .string):
            return .text(options.folds ? StringComparison.folded(value, options) : value)
        case (.date(let value), .date): return .real(value)
        case (.data(let value), .data): return .blob(value)
        case (.uuid(let value), .uuid): return .blob(value.bytes)
        case (.object, .object):
            let scalar = scalar(constant: operand)
            return scalar.kind == kind ? scalar.fragment.arguments.first : nil
        case (.opaque(let value), .entity):
            return entity(ofConstant: value).map { dialect.bound(number: $0.number, name: $0.name) }
        default: return nil
        }
    }

    /// What stands between the parentheses of IN.
    private func list(_ values: [SQLValue], _ kind: SQLKind) throws -> SQLFragment {
        if let length = Self.lengths.first(where: { $0 >= values.count }), let last = values.last {
            return parameters(values + Array(repeating: last, count: length - values.count), kind)
        }
        // SQLite's JSON functions cut texts at U+0000.
        let hasZero = values.contains { if case .text(let text) = $0 { text.utf8.contains(0) } else { false } }
        if dialect == .postgreSQL || !hasZero { return dialect.list(values, kind) }
        guard values.count <= Self.parameterLimit else {
            throw PredicateSQLProblem("a list of more than \(Self.parameterLimit) texts has one with U+0000 in it")
        }
        return parameters(values, kind)
    }

    private func parameters(_ values: [SQLValue], _ kind: SQLKind) -> SQLFragment {
        SQLFragment(
            sql: Array(repeating: dialect.mark(kind), count: values.count).joined(separator: ","), arguments: values)
    }

    /// A JSON array of each kind of value. Doubles go as the integers with the same bits, bytes in hexadecimal digits.
    static func json(_ values: [SQLValue]) -> SQLFragment {
        var arrays = JSONArrays()
        for value in values { arrays.append(value) }
        var fragment = SQLFragment(sql: "")
        for (column, text) in arrays.all where text.utf8.count > 1 {
            if !fragment.arguments.isEmpty { fragment.sql += " UNION ALL " }
            fragment.sql += "SELECT \(column) FROM json_each(?)"
            fragment.arguments.append(.text(text + "]"))
        }
        return fragment
    }
}

/// Values as JSON arrays, one for each way to read them back.
private struct JSONArrays {
    private var plain = "["
    private var doubles = "["
    private var blobs = "["

    /// The arrays without their ends, and how each value is read back.
    var all: [(column: String, text: String)] {
        [("value", plain), ("graft_double(value)", doubles), ("graft_blob(value)", blobs)]
    }

    mutating func append(_ value: SQLValue) {
        switch value {
        case .null: break
        case .integer(let integer): Self.append("\(integer)", to: &plain)
        case .text(let text): Self.append(Self.quoted(text), to: &plain)
        case .real(let real): Self.append("\(Int64(bitPattern: real.bitPattern))", to: &doubles)
        case .blob(let data): Self.append("\"\(data.map(Self.hexadecimal).joined())\"", to: &blobs)
        }
    }

    private static func append(_ text: String, to array: inout String) {
        if array.utf8.count > 1 { array += "," }
        array += text
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return byte < 16 ? "0" + digits : digits
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                result += "\\u00" + hexadecimal(UInt8(scalar.value))
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
