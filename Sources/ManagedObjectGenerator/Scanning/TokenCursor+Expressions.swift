// Where an expression ends: needed for `var a = 1, b = 2`, `var a = f { $0 } { didSet {} }`, and for what stands on the lines
// after it. Expressions are passed, not read: an operand, an operator, an operand.

extension TokenCursor {
    mutating func skipExpression() {
        guard depth < Self.deepest else { return skip(upTo: [",", ")", "]", "}", "{", ";"]) }
        depth += 1
        defer { depth -= 1 }
        repeat {
            skipPrefixes()
            guard skipOperand() else { return }
        } while skipOperator()
    }

    private static let prefixes: Set = ["try", "await", "consume", "copy", "unsafe", "each", "repeat", "borrow"]

    private mutating func skipPrefixes() {
        while true {
            if at("try") {
                advance()
                if at("?") || at("!"), !current.hasSpaceBefore { advance() }
            } else if at(anyOf: Self.prefixes), !next.isFirstOnLine, beginsOperand(next) {
                advance()
            } else if current.kind == .operation, !at("->") {
                advance()
            } else {
                return
            }
        }
    }

    private func beginsOperand(_ token: SwiftToken) -> Bool {
        switch token.kind {
        case .word: !["as", "is", "in"].contains(token.text)
        case .number, .string, .regex: true
        case .punctuation: token.hasSpaceBefore && ["(", "[", "{", ".", "\\"].contains(token.text)
        default: false
        }
    }

    // MARK: Operands

    private mutating func skipOperand() -> Bool {
        var isLiteral = false
        switch current.kind {
        case .word:
            if at("if") || at("switch") || at("do") { return skipStatement() }
            guard current.isEscaped || !Self.noOperands.contains(current.text) else { return false }
            isLiteral = at("true") || at("false") || at("nil")
            advance()
            skipGenericArguments()
        case .number, .string, .regex:
            isLiteral = true
            advance()
        case .punctuation where at("(") || at("[") || at("{"):
            isLiteral = at("[")
            skipBalanced()
        case .punctuation where at("."):
            advance()
            guard current.kind == .word else { return false }
            advance()
            skipGenericArguments()
        case .punctuation where at("\\"):
            advance()
            if current.kind == .word {
                advance()
                skipGenericArguments()
            } else if at("(") || at("[") {
                skipBalanced()
            }
        default: return false
        }
        skipSuffixes(isLiteral: isLiteral)
        return true
    }

    /// Keywords of declarations and statements: the expression has ended before them.
    private static let noOperands: Set = [
        "as", "break", "case", "catch", "class", "continue", "default", "defer", "else", "enum", "extension",
        "fileprivate",
        "for", "func", "guard", "import", "in", "internal", "is", "let", "operator", "private", "protocol", "public",
        "return",
        "static", "struct", "subscript", "throw", "typealias", "var", "where", "while",
    ]

    /// `if`, `switch` and `do` as expressions.
    private mutating func skipStatement() -> Bool {
        while true {
            skip(upTo: ["{", "}", ";"])
            guard at("{") else { return true }
            skipBalanced()
            guard at("else") || at("catch") else { return true }
        }
    }

    /// `<...>` counts as generic arguments before a token that can't stand after a comparison.
    private mutating func skipGenericArguments() {
        guard at("<"), current.kind == .operation else { return }
        let before = self
        guard genericArguments() != nil else { return }
        switch current.text {
        case "(", "[": if !current.isFirstOnLine { return }
        case ")", "]", "{", "}", ".", ",", ";", ":", "": if current.kind == .punctuation || isAtEnd { return }
        case "!", "?": if !current.hasSpaceBefore { return }
        case "&": return
        default: break
        }
        goBack(to: before)
    }

    private mutating func skipSuffixes(isLiteral: Bool) {
        var isLiteral = isLiteral
        while true {
            switch current.text {
            case "." where current.kind == .punctuation:
                advance()
                if current.kind == .word || current.kind == .number { advance() }
                skipGenericArguments()
            case "(" where current.kind == .punctuation && !current.isFirstOnLine,
                "[" where current.kind == .punctuation && !current.isFirstOnLine:
                skipBalanced()
            case "{" where current.kind == .punctuation && !isLiteral && !isAtObservers:
                skipBalanced()
                while current.kind == .word, next.text == ":", afterNext.text == "{" {
                    advance()
                    advance()
                    skipBalanced()
                }
                if at("{") { return }
            default:
                guard current.kind == .operation, !current.hasSpaceBefore, isPostfixOperator else { return }
                let count = operatorLength
                for _ in 0..<count { advance() }
            }
            isLiteral = false
        }
    }

    /// Whether the braces at the current token have `willSet`, `didSet` or `init`, and are no closure.
    private var isAtObservers: Bool {
        var ahead = self
        ahead.advance()
        if ahead.at("case") { return true }
        while ahead.at("@") { _ = ahead.attribute() }
        return ahead.at("willSet") || ahead.at("didSet") || ahead.at("init")
    }

    // MARK: Operators

    /// How many characters the operator at the current token has.
    private var operatorLength: Int {
        var ahead = self
        var count = 0
        repeat {
            ahead.advance()
            count += 1
        } while isAdjacentOperator(ahead.current)
        return count
    }

    /// Whether the operator that begins right behind an operand belongs to that alone: `a!`, `a?.b`, `a... `.
    private var isPostfixOperator: Bool {
        var ahead = self
        var text = ""
        for _ in 0..<operatorLength {
            text += ahead.current.text
            ahead.advance()
        }
        if text == "?" || text == "!" { return true }
        return !Self.isRightBound(ahead.current)
    }

    /// Whether an operand begins right at the token.
    private static func isRightBound(_ token: SwiftToken) -> Bool {
        !token.hasSpaceBefore && token.kind != .end
            && !(token.kind == .punctuation && [")", "]", "}", ",", ";", ":", "."].contains(token.text))
    }

    /// Passes what stands between two operands; false where the expression has ended.
    private mutating func skipOperator() -> Bool {
        while at("as") || at("is") {
            advance()
            if at("?") || at("!"), !current.hasSpaceBefore { advance() }
            _ = type()
        }
        if take("->") { return true }
        guard current.kind == .operation else { return false }
        let length = operatorLength
        if length == 1, at("=") { return false }
        if length == 1, at("?"), current.hasSpaceBefore {
            advance()
            skipExpression()
            return take(":")
        }
        var ahead = self
        for _ in 0..<length { ahead.advance() }
        // With space before and none behind it begins the next line's expression.
        guard !current.hasSpaceBefore || !Self.isRightBound(ahead.current) else { return false }
        for _ in 0..<length { advance() }
        return true
    }
}
