// From a value to JSON, so that reading it again with the same converter gives the same value.

import Foundation

extension AttributeConverter {
    /// Writes a value, where the writer expects one.
    ///
    /// * Dates are written in ISO 8601, UTC, with as many fraction digits as the double needs to come back exactly: those
    ///   of its shortest decimal text. With ``writesNumericDates`` they are the same decimal number, moved to the epoch; with
    ///   a pattern, what the pattern has room for.
    /// * Doubles and Floats are the shortest texts that read as the same value; decimals have all their digits.
    /// * UUIDs are in upper case, URIs are their absolute strings, bytes are in Base64.
    /// * Trees of transformable attributes are written as they are, and bytes as `{"$encoded": "Base64"}`. A tree that looks
    ///   like that, or is null, is wrapped: `{"$json": ...}`.
    ///
    /// - Throws: ``GraftError`` with `notRepresentable` for NaN and infinities; what the writer throws.
    package func write(_ value: GraphValue, to writer: inout JSONWriter) throws {
        switch value {
        case .null: try writer.null()
        case .boolean(let value): try writer.boolean(value)
        case .integer(let value): try writer.integer(value)
        case .double(let value):
            if kind == .float, Double(Float(value)) == value {
                try writer.float(Float(value))
            } else {
                try writer.double(value)
            }
        case .decimal(let value): try writer.decimal(value)
        case .string(let value): try writer.string(value)
        case .date(let value): try write(date: value, to: &writer)
        case .data(let value): try writer.string(value.base64EncodedString())
        case .uuid(let value): try writer.string(value.uuidString)
        case .uri(let value): try writer.string(value.absoluteString)
        case .json(let value):
            try writer.value(Self.needsWrapper(value) ? [Self.treeKey: value] : value)
        case .encoded(let value):
            try writer.value([Self.bytesKey: .string(value.base64EncodedString())])
        }
    }

    private func write(date value: Double, to writer: inout JSONWriter) throws {
        guard let instant = Instant(value) else {
            let words = "a date \(value) seconds from 2001"
            throw GraftError(.notRepresentable(value: words, format: "ISO 8601"))
        }
        if let datePattern {
            let text = datePattern.text(of: value)
            if !text.isEmpty { return try writer.string(text) }
            // Foundation's calendars end with the year 5 million, ours don't.
            throw GraftError(
                .notRepresentable(value: "the date \(instant.iso8601)", format: "the form '\(datePattern.text)'"))
        }
        guard writesNumericDates else { return try writer.string(ascii: instant.iso8601Bytes) }
        guard let moved = instant.advanced(by: -numericDate.epoch) else {
            throw GraftError(.notRepresentable(value: "the date \(instant.iso8601)", format: "\(numericDate)"))
        }
        let text = moved.decimalText(movingPointBy: numericDate.decimalPlaces)
        try writer.number(JSONValue.Number(checkedText: text))
    }
}

// MARK: - Transformable values

extension AttributeConverter {
    static let bytesKey = "$encoded"
    static let treeKey = "$json"

    /// Whether a tree would be read as something else.
    static func needsWrapper(_ value: JSONValue) -> Bool {
        switch value {
        case .null: true
        case .object(let object): object.members.count == 1 && [bytesKey, treeKey].contains(object.members[0].key)
        default: false
        }
    }

    /// The value that a tree stands for.
    static func unwrapped(_ value: JSONValue) -> GraphValue {
        guard needsWrapper(value), case .object(let object) = value else { return .json(value) }
        let member = object.members[0]
        if member.key == treeKey { return .json(member.value) }
        guard case .string(let text) = member.value, let bytes = text.withUTF8Span({ EncodedText.base64($0) }) else {
            return .json(value)
        }
        return .encoded(bytes)
    }
}
