// From the text of a format to its words.

import Foundation

/// Reads words one after the other.
struct PredicateTokenizer {
    private let format: String
    private let bytes: [UInt8]
    private var offset = 0

    /// All words of a format, the last one being `end`.
    ///
    /// - Throws: ``PredicateError`` for characters that no word begins with, and for unfinished texts and numbers.
    static func tokens(of format: String) throws -> [PredicateToken] {
        var tokenizer = PredicateTokenizer(format)
        var tokens: [PredicateToken] = []
        while true {
            let token = try tokenizer.next()
            tokens.append(token)
            if case .end = token.kind { return tokens }
        }
    }

    private init(_ format: String) {
        self.format = format
        bytes = Array(format.utf8)
    }

    private mutating func next() throws -> PredicateToken {
        while let byte = peek(), byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) { offset += 1 }
        let start = offset
        guard let byte = peek() else { return PredicateToken(kind: .end, offset: start) }
        let kind: PredicateToken.Kind
        switch byte {
        case _ where isNameStart(byte): kind = .word(wordWithColons())
        case 0x30...0x39: kind = .number(try number())
        case UInt8(ascii: "."):
            if let next = peek(1), isDigit(next) {
                kind = .number(try number())
            } else {
                offset += 1
                kind = .symbol(.dot)
            }
        case UInt8(ascii: "\""), UInt8(ascii: "'"): kind = .string(try text(quote: byte))
        case UInt8(ascii: "#"): kind = .escapedWord(try name(after: "#", of: "an escaped name"))
        case UInt8(ascii: "@"): kind = .at(try name(after: "@", of: "a collection operator such as @count"))
        case UInt8(ascii: "$"): kind = .variable(try name(after: "$", of: "a variable"))
        case UInt8(ascii: "%"): kind = .argument(try specifier())
        default: kind = .symbol(try symbol())
        }
        return PredicateToken(kind: kind, offset: start)
    }

    private func peek(_ distance: Int = 0) -> UInt8? {
        offset + distance < bytes.count ? bytes[offset + distance] : nil
    }

    private func error(at offset: Int, found: String, expected: String, remedy: String) -> PredicateError {
        PredicateError.make(format, at: offset, found: found, expected: expected, remedy: remedy)
    }

    // MARK: Names

    private func isNameStart(_ byte: UInt8) -> Bool {
        (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A || byte == 0x5F || byte >= 0x80
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private func isNamePart(_ byte: UInt8) -> Bool { isNameStart(byte) || isDigit(byte) }

    private mutating func word() -> String {
        let start = offset
        while let byte = peek(), isNamePart(byte) { offset += 1 }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// A name; with colons if it is that of a function, `add:to:(`.
    private mutating func wordWithColons() -> String {
        let start = offset
        _ = word()
        var end = offset
        while end < bytes.count, bytes[end] == UInt8(ascii: ":") || isNamePart(bytes[end]) { end += 1 }
        if end > offset, bytes[end - 1] == UInt8(ascii: ":"), end < bytes.count, bytes[end] == UInt8(ascii: "(") {
            offset = end
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func name(after sign: String, of what: String) throws -> String {
        let start = offset
        offset += 1
        guard let byte = peek(), isNameStart(byte) else {
            throw error(
                at: start, found: "'\(sign)' without a name", expected: what,
                remedy: "Put a name right after the '\(sign)'.")
        }
        return word()
    }

    // MARK: Numbers

    private mutating func number() throws -> NSNumber {
        if peek() == UInt8(ascii: "0"), let kind = peek(1), let radix = [0x78: 16, 0x6F: 8, 0x62: 2][kind | 0x20] {
            return try number(radix: radix)
        }
        let start = offset
        skipDigits()
        var isReal = false
        if peek() == UInt8(ascii: "."), let next = peek(1), isDigit(next) {
            isReal = true
            offset += 1
            skipDigits()
        }
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
            let sign = peek(1) == UInt8(ascii: "-") || peek(1) == UInt8(ascii: "+")
            if let digit = peek(sign ? 2 : 1), isDigit(digit) {
                isReal = true
                offset += sign ? 2 : 1
                skipDigits()
            }
        }
        let text = try numberText(from: start)
        if !isReal, let integer = Int64(text) { return NSNumber(value: integer) }
        // Digits with a point and an exponent always make a double.
        if isReal || text.utf8.count > 38 { return NSNumber(value: Double(text) ?? .infinity) }
        return NSDecimalNumber(string: text)
    }

    private mutating func number(radix: Int) throws -> NSNumber {
        let start = offset
        offset += 2
        let digits = word()
        guard let value = Int64(digits, radix: radix) else {
            throw error(
                at: start, found: "'\(String(decoding: bytes[start..<offset], as: UTF8.self))'",
                expected: "a number to the base \(radix) within 64 bits",
                remedy: "Check its digits, or pass the number as an argument with %@.")
        }
        return NSNumber(value: value)
    }

    private mutating func skipDigits() {
        while let byte = peek(), isDigit(byte) { offset += 1 }
    }

    private mutating func numberText(from start: Int) throws -> String {
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if let byte = peek(), isNameStart(byte) {
            throw error(
                at: start, found: "'\(text)\(word())'", expected: "a number or a name",
                remedy: "A name doesn't begin with a digit; a text stands in quotes.")
        }
        return text
    }

    // MARK: Texts

    private mutating func text(quote: UInt8) throws -> String {
        let start = offset
        offset += 1
        var content: [UInt8] = []
        while let byte = peek(), byte != quote {
            offset += 1
            if byte == UInt8(ascii: "\\") { try escape(into: &content) } else { content.append(byte) }
        }
        guard peek() == quote else {
            let sign = Character(Unicode.Scalar(quote))
            throw error(
                at: start, found: "a text without an end", expected: "a closing \(sign)",
                remedy: "Close the text with \(sign); inside it, write \(sign) as \\\(sign).")
        }
        offset += 1
        return String(decoding: content, as: UTF8.self)
    }

    private mutating func escape(into content: inout [UInt8]) throws {
        guard let byte = peek() else { return }
        offset += 1
        switch byte {
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "u"):
            let digits = bytes[offset..<min(offset + 4, bytes.count)]
            guard digits.count == 4, let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
                let scalar = Unicode.Scalar(code)
            else {
                throw error(
                    at: offset - 2, found: "an unfinished \\u", expected: "four hexadecimal digits of a character",
                    remedy: "Write \\u00e9 for é, or the character itself.")
            }
            content += Array(String(Character(scalar)).utf8)
            offset += 4
        default: content.append(byte)
        }
    }

    // MARK: Arguments and signs

    private mutating func specifier() throws -> FormatSpecifier {
        let start = offset
        offset += 1
        if peek() == UInt8(ascii: "@") {
            offset += 1
            return .object
        }
        let letters = word()
        let length = letters.dropLast()
        let isInteger = ["", "h", "hh", "l", "ll", "q", "z", "j", "t"].contains(length)
        switch letters.last {
        case "K" where length.isEmpty: return .keyPath
        case "c" where length.isEmpty, "C" where length.isEmpty: return .character
        case "s" where length.isEmpty: return .text
        case "D" where length.isEmpty: return .integer("ld")
        case "U" where length.isEmpty, "O" where length.isEmpty: return .integer("lu")
        case let letter? where "aAeEfFgG".contains(letter) && (length.isEmpty || length == "l"): return .real
        case let letter? where "di".contains(letter) && isInteger: return .integer("\(length)d")
        case let letter? where "uxXo".contains(letter) && isInteger: return .integer("\(length)u")
        default:
            throw error(
                at: start, found: "'%\(letters)'", expected: "an argument: %@, %K, %d, %ld, %lld, %u, %f, %x, %c or %s",
                remedy: "Use %@ for any value and %K for a key path.")
        }
    }

    private mutating func symbol() throws -> PredicateToken.Symbol {
        if offset + 2 <= bytes.count,
            let pair = PredicateToken.Symbol(rawValue: String(decoding: bytes[offset..<(offset + 2)], as: UTF8.self))
        {
            offset += 2
            return pair
        }
        if let single = PredicateToken.Symbol(rawValue: String(decoding: bytes[offset..<(offset + 1)], as: UTF8.self)) {
            offset += 1
            return single
        }
        throw error(
            at: offset, found: "'\(Character(Unicode.Scalar(bytes[offset])))'",
            expected: "a name, a value or an operator",
            remedy: "Put texts in quotes, or pass them as arguments with %@.")
    }
}

extension PredicateError {
    /// An error at a byte of the format.
    static func make(
        _ format: String, at offset: Int, found: String, expected: String, remedy: String
    ) -> PredicateError {
        let index = format.utf8.index(format.startIndex, offsetBy: min(offset, format.utf8.count))
        return PredicateError(
            format: format, position: format[..<index].count + 1, found: found, expected: expected, remedy: remedy)
    }
}
