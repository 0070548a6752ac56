// Numbers, strings with what is interpolated, and regular expressions.

extension SwiftLexer {
    // MARK: Numbers

    /// - Parameter isIndex: Whether it is a place in a tuple: the dot after it doesn't belong to it.
    mutating func lexNumber(isIndex: Bool) {
        let isHexadecimal = byte() == UInt8(ascii: "0") && byte(1) == UInt8(ascii: "x")
        let exponents = isHexadecimal ? Set("pP".utf8) : Set("eE".utf8)
        while true {
            let next = byte()
            if exponents.contains(next), [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(byte(1)), !isIndex {
                position += 2
            } else if Self.isDigit(next) || Self.isLetter(next) {
                position += 1
            } else if next == UInt8(ascii: "."), Self.isDigit(byte(1)), !isIndex {
                position += 1
            } else {
                return
            }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    // MARK: Strings

    /// Reads a string from its first quote on.
    mutating func lexString(hashes: Int) {
        let isMultiline = isQuote(3) && !(hashes > 0 && isOneLine(hashes))
        let quotes = isMultiline ? 3 : 1
        position += quotes
        while !isAtEnd {
            switch byte() {
            case UInt8(ascii: "\"") where isQuote(quotes) && areHashes(hashes, after: quotes):
                position += quotes + hashes
                return
            case UInt8(ascii: "\\") where areHashes(hashes, after: 1):
                position += 1 + hashes
                if byte() == UInt8(ascii: "("), depth < Self.deepest {
                    lexInterpolation()
                } else {
                    skipEscaped(isMultiline)
                }
            case 0x0A, 0x0D:
                // A string that isn't closed ends with its line.
                guard isMultiline else { return }
                position += 1
            default: position += 1
            }
        }
    }

    /// What follows a backslash is no delimiter; the end of a line is none either, where strings have several.
    private mutating func skipEscaped(_ isMultiline: Bool) {
        guard !isAtEnd, isMultiline || (byte() != 0x0A && byte() != 0x0D) else { return }
        position += 1
    }

    private func isQuote(_ count: Int) -> Bool { (0..<count).allSatisfy { byte($0) == UInt8(ascii: "\"") } }

    private func areHashes(_ count: Int, after offset: Int) -> Bool {
        (0..<count).allSatisfy { byte(offset + $0) == UInt8(ascii: "#") }
    }

    /// Whether `#"""#` and the like is a string of quotes that ends on its line.
    private func isOneLine(_ hashes: Int) -> Bool {
        var offset = 1
        while position + offset < bytes.count, byte(offset) != 0x0A, byte(offset) != 0x0D {
            if byte(offset) == UInt8(ascii: "\""), areHashes(hashes, after: offset + 1) { return true }
            offset += 1
        }
        return false
    }

    /// Reads the tokens of an interpolation, from its opening parenthesis to the closing one.
    private mutating func lexInterpolation() {
        depth += 1
        defer { depth -= 1 }
        var open = 0
        repeat {
            let index = tokens.count
            guard lexToken(), tokens[index].kind == .punctuation else { continue }
            if tokens[index].text == "(" { open += 1 }
            if tokens[index].text == ")" { open -= 1 }
        } while open > 0 && !isAtEnd
    }

    // MARK: Regular expressions

    /// Reads `/.../`; false, and nothing read, where the slash is an operator.
    ///
    /// It ends on its line, begins and ends without a space, and its groups are closed (SE-0354).
    mutating func lexRegex() -> Bool {
        var end = position + 1
        var groups = 0
        var classes = 0
        let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0]
        guard !spaces.contains(byte(1)) else { return false }
        while end < bytes.count {
            switch bytes[end] {
            case 0x0A, 0x0D: return false
            case UInt8(ascii: "\\"): end += 1
            case UInt8(ascii: "["): classes += 1
            case UInt8(ascii: "]"): classes = max(0, classes - 1)
            case UInt8(ascii: "(") where classes == 0: groups += 1
            case UInt8(ascii: ")") where classes == 0:
                groups -= 1
                if groups < 0 { return false }
            case UInt8(ascii: "/"):
                guard end > position + 1, !spaces.contains(bytes[end - 1]) else { return false }
                position = end + 1
                return true
            default: break
            }
            end += 1
        }
        return false
    }

    /// Reads `#/.../#` from its first slash on. With nothing else on its first line it goes over several.
    mutating func lexExtendedRegex(hashes: Int) {
        position += 1
        var offset = 0
        while [0x20, 0x09].contains(byte(offset)) { offset += 1 }
        let isMultiline = byte(offset) == 0x0A || byte(offset) == 0x0D
        while !isAtEnd {
            switch byte() {
            case UInt8(ascii: "/") where areHashes(hashes, after: 1):
                position += 1 + hashes
                return
            case UInt8(ascii: "\\"):
                position += 1
                skipEscaped(isMultiline)
            case 0x0A, 0x0D:
                guard isMultiline else { return }
                position += 1
            default: position += 1
            }
        }
    }
}
