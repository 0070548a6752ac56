// From a JSON token to a value of the attribute's type. Exactly, or with an error: a text that is no number is never a
// zero, and a number that doesn't fit is never cut.

import Foundation

extension AttributeConverter {
    /// Returns the value of the token that the reader has just returned. For a transformable attribute, an array or object is
    /// read to its end.
    ///
    /// A null is the null value, whatever the type: what it does is the mapping's policy.
    ///
    /// | type | accepts |
    /// | --- | --- |
    /// | integers | integral numbers and texts of such numbers that fit; true and false as 1 and 0 |
    /// | Double, Float | numbers and texts of numbers, rounded once to the closest |
    /// | Decimal | numbers and texts of numbers with up to 38 digits |
    /// | Boolean | true and false; 1 and 0; true, yes, on, t, y, 1 and their opposites as texts |
    /// | String | strings; numbers as they are written; true and false |
    /// | Date | ISO 8601, or the pattern that there is instead; numbers and texts of numbers by ``numericDate`` |
    /// | UUID, URI, Binary Data | their texts; bytes in Base64; of an array or object as Binary Data its text |
    /// | Transformable | everything |
    ///
    /// - Throws: ``GraftError`` with `wrongType` or `outOfRange`, at the place of the token; what the reader throws.
    @inline(__always)
    public func value(of token: JSONToken, in reader: inout JSONReader) throws -> GraphValue {
        switch (token, kind) {
        case (.string(let text), .string): .string(reader.string(of: text))
        case (.null, _): .null
        default: try converted(token, &reader)
        }
    }

    private func converted(_ token: JSONToken, _ reader: inout JSONReader) throws -> GraphValue {
        switch kind {
        case .transformable:
            return Self.unwrapped(try reader.value())
        case .integer16, .integer32, .integer64:
            return try integer(token, reader)
        case .double, .float, .decimal:
            return try number(token, reader)
        case .boolean:
            if case .boolean(let value) = token { return .boolean(value) }
            guard let text = Self.text(token), let value = reader.withContents(of: text, { Self.boolean($0) }) else {
                throw wrongType(token, reader)
            }
            return .boolean(value)
        case .string:
            if case .boolean(let value) = token { return .string(value ? "true" : "false") }
            guard case .number(let text) = token else { throw wrongType(token, reader) }
            return .string(reader.string(of: text))
        case .date:
            return try date(token, reader)
        case .binary where token == .beginObject || token == .beginArray:
            return .data(Data(try reader.bytesOfTree()))
        case .uuid, .uri, .binary:
            return try encoded(token, reader)
        }
    }

    private func integer(_ token: JSONToken, _ reader: borrowing JSONReader) throws -> GraphValue {
        if case .boolean(let value) = token { return .integer(value ? 1 : 0) }
        guard let text = Self.text(token) else { throw wrongType(token, reader) }
        do throws(NumberText.Failure) {
            let value = try reader.withContents(of: text) { (bytes) throws(NumberText.Failure) in
                try NumberText.integer(bytes)
            }
            if kind.integers.contains(value) { return .integer(value) }
            throw .overflow
        } catch .overflow {
            throw outOfRange(token, reader)
        } catch {
            throw wrongType(token, reader)
        }
    }

    private func number(_ token: JSONToken, _ reader: borrowing JSONReader) throws -> GraphValue {
        guard let text = Self.text(token) else { throw wrongType(token, reader) }
        let kind = kind
        let (value, isNumber): (GraphValue?, Bool) = reader.withContents(of: text) { bytes in
            let value: GraphValue? =
                switch kind {
                case .double: NumberText.double(bytes).map { .double($0) }
                case .float: NumberText.float(bytes).map { .double(Double($0)) }
                default: NumberText.decimal(bytes).map { .decimal($0) }
                }
            return (value, value != nil || ParsedNumber(bytes) != nil)
        }
        if let value { return value }
        throw isNumber ? outOfRange(token, reader) : wrongType(token, reader)
    }

    private func date(_ token: JSONToken, _ reader: borrowing JSONReader) throws -> GraphValue {
        guard let text = Self.text(token) else { throw wrongType(token, reader) }
        let isString = if case .string = token { true } else { false }
        let numericDate = numericDate
        let timeZone = timeZone
        if isString, let datePattern {
            if let date = datePattern.date(reader.string(of: text)) { return .date(date) }
            throw reader.error(
                .wrongType(found: Self.words(for: token, reader), expected: "a Date in the form '\(datePattern.text)'"))
        }
        let (instant, isNumber): (Instant?, Bool) = reader.withContents(of: text) { bytes in
            if isString, let instant = Instant(iso8601: bytes, zone: timeZone) { return (instant, true) }
            let count = Instant(parsing: bytes, decimalPlaces: numericDate.decimalPlaces)
            return (count?.advanced(by: numericDate.epoch), ParsedNumber(bytes) != nil)
        }
        if let instant { return .date(instant.value) }
        throw isNumber ? outOfRange(token, reader) : wrongType(token, reader)
    }

    private func encoded(_ token: JSONToken, _ reader: borrowing JSONReader) throws -> GraphValue {
        guard case .string(let text) = token else { throw wrongType(token, reader) }
        let value: GraphValue? =
            switch kind {
            case .uuid: reader.withContents(of: text) { EncodedText.uuid($0) }.map { .uuid($0) }
            case .binary: reader.withContents(of: text) { EncodedText.base64($0) }.map { .data($0) }
            default: URL(string: reader.string(of: text)).map { .uri($0) }
            }
        guard let value else { throw wrongType(token, reader) }
        return value
    }
}

// MARK: - Helpers

extension AttributeConverter {
    /// The text of a string or number.
    private static func text(_ token: JSONToken) -> JSONText? {
        switch token {
        case .string(let text), .number(let text): text
        default: nil
        }
    }

    private static func boolean(_ bytes: Span<UInt8>) -> Bool? {
        if let number = ParsedNumber(bytes) {
            if number.isZero { return false }
            return number.digits == "1" && number.exponent == 0 && !number.isNegative ? true : nil
        }
        // The words are short, so this String is on the stack.
        guard bytes.count <= 5 else { return nil }
        return switch JSONEscapes.plainString(bytes, isASCII: false).lowercased() {
        case "true", "yes", "on", "t", "y": true
        case "false", "no", "off", "f", "n": false
        default: nil
        }
    }

    private func wrongType(_ token: JSONToken, _ reader: borrowing JSONReader) -> GraftError {
        reader.error(.wrongType(found: Self.words(for: token, reader), expected: "\(kind)"))
    }

    private func outOfRange(_ token: JSONToken, _ reader: borrowing JSONReader) -> GraftError {
        reader.error(.outOfRange(found: Self.words(for: token, reader), type: "\(kind)", range: kind.range))
    }

    /// A token as errors name it.
    static func words(for token: JSONToken, _ reader: borrowing JSONReader) -> String {
        switch token {
        case .string(let text): "the string \"\(reader.string(of: text))\""
        case .number(let text): "the number \(reader.string(of: text))"
        case .boolean(let value): "\(value)"
        case .null: "null"
        case .beginArray, .endArray: "an array"
        case .beginObject, .endObject: "an object"
        case .key(let text): "the key \"\(reader.string(of: text))\""
        case .endOfInput: "the end of the text"
        }
    }
}
