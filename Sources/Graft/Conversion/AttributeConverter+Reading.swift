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
    /// | Decimal | numbers and texts of numbers with the digits that a decimal has: 38, or 39 up to 2^128 |
    /// | Boolean | true and false; 1 and 0; true, yes, on, t, y, 1 and their opposites as texts |
    /// | String | strings; numbers as they are written; true and false |
    /// | Date | ISO 8601, or the pattern that there is instead; numbers and texts of numbers by ``numericDate`` |
    /// | UUID, URI, Binary Data | their texts; bytes in Base64; of an array or object as Binary Data its text |
    /// | Transformable | everything |
    ///
    /// Where no format says that dates are numbers, these are seconds since 1970, of the years 1 to 9999. A text that is a date of
    /// ISO 8601 and a number, such as `20260131`, is the number where dates are written as numbers.
    ///
    /// - Throws: ``GraftError`` with `wrongType` or `outOfRange`, at the place of the token; what the reader throws.
    @inline(__always)
    package func value(of token: JSONToken, in reader: inout JSONReader) throws -> GraphValue {
        switch (token, kind) {
        case (.string(let text), .string): .string(reader.string(of: text))
        case (.null, _): .null
        default: try converted(token, &reader)
        }
    }

    private func converted(_ token: JSONToken, _ reader: inout JSONReader) throws -> GraphValue {
        if kind == .transformable { return Self.unwrapped(try reader.heldValue().keepingLast(of: &reader.passedOver)) }
        if kind == .binary, token == .beginObject || token == .beginArray {
            return .data(Data(try reader.bytesOfTree()))
        }
        do throws(Misfit) {
            switch token {
            case .boolean(let value): return try self.value(of: value)
            case .number(let text):
                return try reader.withBytes(of: text) { (bytes) throws(Misfit) in
                    try self.value(of: bytes, isString: false)
                }
            case .string(let text):
                return try reader.withContents(of: text) { (bytes) throws(Misfit) in
                    try self.value(of: bytes, isString: true)
                }
            default: throw .type
            }
        } catch {
            throw reader.error(problem(error, Self.words(for: token, reader)))
        }
    }

    /// Returns the value of a JSON value in memory, as ``value(of:in:)`` does for its token.
    ///
    /// - Throws: ``GraftError`` with `wrongType` or `outOfRange`, without a place.
    package func value(of json: JSONValue) throws -> GraphValue {
        if kind == .transformable {
            try json.requireHeld()
            var passedOver: [String] = []
            return json == .null ? .null : Self.unwrapped(json.keepingLast(of: &passedOver))
        }
        do throws(Misfit) {
            switch json {
            case .null: return .null
            case .string(let text) where kind == .string: return .string(text)
            case .bool(let flag): return try value(of: flag)
            case .number(let number):
                return try number.text.withUTF8Span { (bytes) throws(Misfit) in
                    try value(of: bytes, isString: false)
                }
            case .string(let text):
                return try text.withUTF8Span { (bytes) throws(Misfit) in try value(of: bytes, isString: true) }
            case .array, .object:
                guard kind == .binary else { throw .type }
                return .data(Data(json.description.utf8))
            }
        } catch {
            throw GraftError(problem(error, Self.words(for: json)))
        }
    }

    /// Why something is no value of the type.
    private enum Misfit: Error {
        case type, range
        /// A number beyond the years of dates: nobody has said that it is one of seconds.
        case year
    }

    private func value(of boolean: Bool) throws(Misfit) -> GraphValue {
        switch kind {
        case .boolean: .boolean(boolean)
        case .integer16, .integer32, .integer64: .integer(boolean ? 1 : 0)
        case .string: .string(boolean ? "true" : "false")
        default: throw .type
        }
    }

    /// The value of a number's text, or of a string's contents.
    private func value(of bytes: Span<UInt8>, isString: Bool) throws(Misfit) -> GraphValue {
        let value: GraphValue? =
            switch kind {
            case .integer16, .integer32, .integer64: .integer(try integer(bytes))
            case .double: NumberText.double(bytes).map { .double($0) }
            case .float: NumberText.float(bytes).map { .double(Double($0)) }
            case .decimal: NumberText.decimal(bytes).map { .decimal($0) }
            case .boolean: Self.boolean(bytes).map { .boolean($0) }
            case .string, .transformable: .string(JSONEscapes.plainString(bytes, isASCII: false))
            case .date: try date(bytes, isString: isString).map { .date($0) }
            case .uuid: isString ? EncodedText.uuid(bytes).map { .uuid($0) } : nil
            case .binary: isString ? EncodedText.base64(bytes).map { .data($0) } : nil
            case .uri:
                isString ? URL(string: JSONEscapes.plainString(bytes, isASCII: false)).map { .uri($0) } : nil
            }
        if let value { return value }
        // A number beyond what the type holds.
        let isNumeric =
            [.double, .float, .decimal].contains(kind) || kind == .date && !(isString && datePattern != nil)
        throw isNumeric && ParsedNumber(bytes) != nil ? .range : .type
    }

    private func integer(_ bytes: Span<UInt8>) throws(Misfit) -> Int64 {
        do throws(NumberText.Failure) {
            let value = try NumberText.integer(bytes)
            if kind.integers.contains(value) { return value }
            throw .overflow
        } catch .overflow {
            throw .range
        } catch {
            throw .type
        }
    }

    private func date(_ bytes: Span<UInt8>, isString: Bool) throws(Misfit) -> TimeInterval? {
        if isString, let datePattern { return datePattern.date(JSONEscapes.plainString(bytes, isASCII: false)) }
        if isString, !writesNumericDates, let instant = Instant(iso8601: bytes, zone: timeZone) { return instant.value }
        if let number = Instant(parsing: bytes, decimalPlaces: numericDate.decimalPlaces) {
            if !writesNumericDates, numericDate == .secondsSince1970, !Self.plainSeconds.contains(number.seconds) {
                throw .year
            }
            return number.advanced(by: numericDate.epoch)?.value
        }
        return isString && writesNumericDates ? Instant(iso8601: bytes, zone: timeZone)?.value : nil
    }

    /// The years 1 to 9999 in seconds since 1970. JavaScript's milliseconds are beyond them from 1978 on, and before 1968.
    private static let plainSeconds: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

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

    private func problem(_ misfit: Misfit, _ found: String) -> GraftError.Problem {
        switch misfit {
        case .range: .outOfRange(found: found, type: "\(kind)", range: kind.range)
        case .year: .outOfRange(found: found, type: "a Date in seconds since 1970", range: AttributeKind.plainYears)
        case .type:
            .wrongType(found: found, expected: datePattern.map { "a Date in the form '\($0.text)'" } ?? "\(kind)")
        }
    }

    /// A JSON value as errors name it.
    private static func words(for json: JSONValue) -> String {
        switch json {
        case .string(let text): "the string \"\(text)\""
        case .number(let number): "the number \(number.text)"
        case .bool(let value): "\(value)"
        case .null: "null"
        case .array: "an array"
        case .object: "an object"
        }
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
