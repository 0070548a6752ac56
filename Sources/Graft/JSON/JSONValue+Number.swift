// A number that keeps its text. It is equal to another one if both have the same value, whatever their texts.

public import Foundation

extension JSONValue {
    /// A JSON number: its text, and conversions that are exact or nil.
    public struct Number: Sendable {
        /// The number as it was written.
        public let text: String

        /// Takes a text that the grammar of JSON accepts; nil for any other.
        public init?(text: String) {
            var reader = JSONReader(Array(text.utf8))
            guard case .number(let number)? = try? reader.next(), number.count == text.utf8.count else { return nil }
            self.text = text
        }

        /// Takes a text that the reader has checked.
        init(checkedText: String) { text = checkedText }

        /// Creates the number of an integer.
        public init(_ value: some BinaryInteger) { text = String(value) }

        /// Creates the shortest number that reads as this double again; nil for NaN and the infinities.
        public init?(_ value: Double) {
            guard value.isFinite else { return nil }
            text = NumberWriting.text(of: value)
        }

        /// Creates the number of a decimal; nil for NaN.
        public init?(_ value: Decimal) {
            guard !value.isNaN else { return nil }
            text = value.description
        }

        /// The value as an integer; nil where it has a fraction or doesn't fit.
        public var int64: Int64? { text.withUTF8Span { try? NumberText.integer($0) } }

        /// The closest double; nil beyond the largest one.
        public var double: Double? { text.withUTF8Span { NumberText.double($0) } }

        /// The exact decimal; nil where there is none.
        public var decimal: Decimal? { text.withUTF8Span { NumberText.decimal($0) } }
    }
}

extension JSONValue.Number: Hashable {
    /// Compares values: `1`, `1.0` and `10e-1` are equal.
    public static func == (one: JSONValue.Number, other: JSONValue.Number) -> Bool {
        one.text == other.text || one.canonicalText == other.canonicalText
    }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { hasher.combine(canonicalText) }

    /// Sign, digits without zeros at either end, and exponent: one form for each value.
    var canonicalText: String {
        text.withUTF8Span { bytes in
            guard let number = ParsedNumber(bytes), !number.isZero else { return "0" }
            let sign = number.isNegative ? "-" : ""
            if !number.isLonger { return "\(sign)\(number.digits)e\(number.exponent)" }
            // Too long to be taken apart: the digits themselves. The exponent is that of the 38th one.
            var digits = text.utf8.prefix { $0 | 0x20 != 0x65 }.filter { 0x30...0x39 ~= $0 }.drop { $0 == 0x30 }
            while digits.last == 0x30 { digits.removeLast() }
            let exponent = number.exponent - (digits.count - 38)
            return "\(sign)\(String(decoding: digits, as: UTF8.self))e\(exponent)"
        }
    }
}

extension JSONValue.Number: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, CustomStringConvertible {
    /// Creates a number from an integer literal.
    public init(integerLiteral value: Int64) { self.init(value) }

    /// Creates a number from a literal with a fraction, by way of a double.
    public init(floatLiteral value: Double) { text = NumberWriting.text(of: value) }

    /// The text.
    public var description: String { text }
}

extension JSONValue.Number: Codable {
    /// Decodes a number: an integer where it is one, else a decimal or double.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Int64.self) {
            self.init(value)
        } else if let value = try? container.decode(UInt64.self) {
            self.init(value)
        } else if let value = try? container.decode(Decimal.self), let number = JSONValue.Number(value) {
            self = number
        } else if let number = JSONValue.Number(try container.decode(Double.self)) {
            self = number
        } else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "JSON has no such number.")
        }
    }

    /// Encodes the number as an integer, a double or a decimal, the first that holds it exactly.
    ///
    /// - Throws: `EncodingError` where none does; a rounded one would be another number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let value = int64 {
            try container.encode(value)
        } else if let value = UInt64(text) {
            try container.encode(value)
        } else if let value = double, JSONValue.Number(value) == self {
            // Before decimals, which property lists have no number for.
            try container.encode(value)
        } else if let value = decimal {
            try container.encode(value)
        } else {
            let context = EncodingError.Context(
                codingPath: encoder.codingPath, debugDescription: "No number type holds \(text).")
            throw EncodingError.invalidValue(text, context)
        }
    }

    /// Whether the number comes back with its text.
    var survivesCoders: Bool {
        if let integer = int64 { return String(integer) == text }
        if let integer = UInt64(text) { return String(integer) == text }
        // As it is encoded, and as it is decoded: decimals come first there.
        guard let double, let number = JSONValue.Number(double), number == self else { return false }
        return (decimal?.description ?? number.text) == text
    }
}
