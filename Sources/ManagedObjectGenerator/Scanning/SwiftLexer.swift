// Cuts Swift source into tokens, by the lexical structure of The Swift Programming Language: nested comments, all forms of
// string literals (SwiftLexer+Literals.swift), regular expressions where an operand may begin. It takes any bytes: what is no
// Swift becomes tokens that nothing is made of.

/// Reads the tokens of one file.
struct SwiftLexer {
    let bytes: [UInt8]
    var position = 0
    private(set) var tokens: [SwiftToken] = []
    /// How many interpolations the position is in; each takes a part of the stack.
    var depth = 0
    static let deepest = 32

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// All tokens, with one of the kind `end` behind them.
    static func tokens(of bytes: [UInt8]) -> [SwiftToken] {
        var lexer = SwiftLexer(bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { lexer.position = 3 }
        if lexer.byte() == UInt8(ascii: "#"), lexer.byte(1) == UInt8(ascii: "!") { lexer.skipLine() }
        while lexer.lexToken() {}
        return lexer.tokens
    }

    /// The byte some places ahead; 0 behind the end.
    func byte(_ offset: Int = 0) -> UInt8 {
        let index = position + offset
        return index >= 0 && index < bytes.count ? bytes[index] : 0
    }

    var isAtEnd: Bool { position >= bytes.count }

    // MARK: One token

    /// Appends the next token; false behind the last one.
    mutating func lexToken() -> Bool {
        let start = position
        let isFirst = skipSpace() || tokens.isEmpty
        var token = SwiftToken(
            kind: .end, text: "", range: position..<position, hasSpaceBefore: position > start || start == 0,
            isFirstOnLine: isFirst)
        guard !isAtEnd else {
            tokens.append(token)
            return false
        }
        let index = tokens.count
        tokens.append(token)
        lex(&token)
        token.range = token.range.lowerBound..<min(position, bytes.count)
        token.innerCount = tokens.count - index - 1
        tokens[index] = token
        return true
    }

    private mutating func lex(_ token: inout SwiftToken) {
        let first = byte()
        switch first {
        case UInt8(ascii: "\""):
            token.kind = .string
            lexString(hashes: 0)
        case UInt8(ascii: "#"): lexHash(&token)
        case UInt8(ascii: "`"): lexEscaped(&token)
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            token.kind = .number
            lexNumber(isIndex: isAfterDot)
        default:
            if Self.isWord(first), first < 0x80 || !isOperator() {
                token.kind = .word
                token.text = word()
            } else if isOperator() {
                lexOperator(&token)
            } else {
                token.kind = .punctuation
                token.text = String(UnicodeScalar(first))
                position += 1
            }
        }
    }

    /// Whether the token that is being read follows a dot: `pair.0.1`.
    private var isAfterDot: Bool { tokens.count > 1 && tokens[tokens.count - 2].text == "." }

    /// Skips white space and comments; true where that has a new line.
    private mutating func skipSpace() -> Bool {
        var hasNewline = false
        while !isAtEnd {
            switch byte() {
            case 0x0A, 0x0D:
                hasNewline = true
                position += 1
            case 0, 0x09, 0x0B, 0x0C, 0x20: position += 1
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"): skipLine()
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"): hasNewline = skipComment() || hasNewline
            default: return hasNewline
            }
        }
        return hasNewline
    }

    private mutating func skipLine() {
        while !isAtEnd, byte() != 0x0A, byte() != 0x0D { position += 1 }
    }

    /// Skips a comment with those in it; true where it has a new line.
    private mutating func skipComment() -> Bool {
        var depth = 0
        var hasNewline = false
        repeat {
            if byte() == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
                depth += 1
                position += 2
            } else if byte() == UInt8(ascii: "*"), byte(1) == UInt8(ascii: "/") {
                depth -= 1
                position += 2
            } else {
                hasNewline = hasNewline || byte() == 0x0A || byte() == 0x0D
                position += 1
            }
        } while depth > 0 && !isAtEnd
        return hasNewline
    }

    // MARK: Words

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xFF:
            true
        default: false
        }
    }

    private mutating func word() -> String {
        let start = position
        while Self.isWord(byte()), byte() < 0x80 || !isOperator() { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func lexEscaped(_ token: inout SwiftToken) {
        var end = position + 1
        while end < bytes.count, ![UInt8(ascii: "`"), 0x0A, 0x0D].contains(bytes[end]) { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "`") else {
            token.kind = .punctuation
            token.text = "`"
            position += 1
            return
        }
        token.kind = .word
        token.text = String(decoding: bytes[position + 1..<end], as: UTF8.self)
        token.isEscaped = true
        position = end + 1
    }

    /// `#if`, `#selector`, `#"raw"#` or `#/regex/#`.
    private mutating func lexHash(_ token: inout SwiftToken) {
        var hashes = 0
        while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
        switch byte(hashes) {
        case UInt8(ascii: "\""):
            position += hashes
            token.kind = .string
            lexString(hashes: hashes)
        case UInt8(ascii: "/"):
            position += hashes
            token.kind = .regex
            lexExtendedRegex(hashes: hashes)
        case let next where hashes == 1 && Self.isWord(next):
            position += 1
            token.text = "#" + word()
            let directives = ["#if", "#elseif", "#else", "#endif"]
            token.kind = directives.contains(token.text) ? .directive : .word
        default:
            token.kind = .punctuation
            token.text = "#"
            position += 1
        }
    }

    // MARK: Operators

    /// Whether an operator's character is at the position.
    private func isOperator() -> Bool {
        let first = byte()
        guard first >= 0x80 else { return Self.operators.contains(first) || (first == 0x2E && isOfDots()) }
        // Three bytes suffice for all that are operators; a word may go on with any of the others.
        switch first {
        case 0xC2, 0xC3: return Self.isOperator(UInt32(first & 0x1F) << 6 | UInt32(byte(1) & 0x3F))
        case 0xE2, 0xE3:
            return Self.isOperator(
                UInt32(first & 0x0F) << 12 | UInt32(byte(1) & 0x3F) << 6 | UInt32(byte(2) & 0x3F))
        default: return false
        }
    }

    /// A dot is an operator's with another one beside it.
    private func isOfDots() -> Bool { byte(1) == 0x2E || byte(-1) == 0x2E }

    private static let operators = Set("/=-+!*%<>&|^~?".utf8)

    /// The heads of operators outside ASCII (The Swift Programming Language, "Operators").
    private static func isOperator(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xA1...0xA7, 0xA9, 0xAB, 0xAC, 0xAE, 0xB0, 0xB1, 0xB6, 0xBB, 0xBF, 0xD7, 0xF7, 0x2016, 0x2017,
            0x2020...0x2027, 0x2030...0x203E, 0x2041...0x2053, 0x2055...0x205E, 0x2190...0x23FF, 0x2500...0x2775,
            0x2794...0x2BFF, 0x2E00...0x2E7F, 0x3001...0x3003, 0x3008...0x3020, 0x3030:
            true
        default: false
        }
    }

    private mutating func lexOperator(_ token: inout SwiftToken) {
        if byte() == UInt8(ascii: "/"), !isLeftBound(token), lexRegex() {
            token.kind = .regex
            return
        }
        token.kind = .operation
        if byte() == UInt8(ascii: "-"), byte(1) == UInt8(ascii: ">"), !Self.operators.contains(byte(2)) {
            token.text = "->"
            position += 2
            return
        }
        let start = position
        position += byte() < 0x80 ? 1 : byte() < 0xE0 ? 2 : 3
        token.text = String(decoding: bytes[start..<min(position, bytes.count)], as: UTF8.self)
    }

    /// Whether an operand ends right before the token.
    private func isLeftBound(_ token: SwiftToken) -> Bool {
        guard !token.hasSpaceBefore, tokens.count > 1 else { return false }
        var index = tokens.count - 2
        while index > 0, tokens[index].kind == .operation, !tokens[index].hasSpaceBefore { index -= 1 }
        // A prefix operator ends no operand: `!/a/`.
        if tokens[index].kind == .operation { return false }
        return !["(", "[", "{", ",", ";", ":"].contains(tokens[index].text)
    }
}
