// A place among a file's tokens. It never leaves them: behind the last one stands `end`, again and again.

/// Goes through the tokens of a file.
struct TokenCursor {
    let bytes: [UInt8]
    let tokens: [SwiftToken]
    private(set) var index = 0
    /// Where the last token that was passed ends, in bytes.
    private(set) var previousEnd = 0
    /// Where @NSManaged stands in code that can't be named from elsewhere: in the bodies of functions and closures.
    private(set) var localManaged: [Int] = []
    /// How many calls of types and expressions surround this one; sources may nest as deep as they like.
    var depth = 0
    static let deepest = 100

    /// - Parameter tokens: What is compiled of them; the last one is `end`.
    init(bytes: [UInt8], tokens: [SwiftToken]) {
        self.bytes = bytes
        self.tokens = tokens
    }

    // MARK: Looking

    private static let end = SwiftToken(
        kind: .end, text: "", range: 0..<0, hasSpaceBefore: true, isFirstOnLine: true)

    var current: SwiftToken { token(at: index) }
    var isAtEnd: Bool { index >= tokens.count || tokens[index].kind == .end }

    private func token(at index: Int) -> SwiftToken { tokens.indices.contains(index) ? tokens[index] : Self.end }

    /// The token after the current one.
    var next: SwiftToken { token(at: index + 1 + current.innerCount) }

    /// The token after ``next``.
    var afterNext: SwiftToken { token(at: index + 2 + current.innerCount + next.innerCount) }

    /// Whether the current token is a keyword, an operator's character or punctuation.
    func at(_ text: String) -> Bool { current.text == text && !current.isEscaped }

    func at(anyOf words: Set<String>) -> Bool { words.contains(current.text) && !current.isEscaped }

    /// What stands in the file from a place to the end of the last token that was passed.
    func text(from start: Int) -> String {
        start < previousEnd ? String(decoding: bytes[start..<previousEnd], as: UTF8.self) : ""
    }

    /// The tokens from one place to the current one, with those of interpolations.
    func passed(from start: Int) -> ArraySlice<SwiftToken> { tokens[min(start, index)..<min(index, tokens.count)] }

    // MARK: Going on

    mutating func advance() {
        guard !isAtEnd else { return }
        previousEnd = tokens[index].range.upperBound
        index += 1 + tokens[index].innerCount
    }

    /// Goes on if the current token is that one.
    mutating func take(_ text: String) -> Bool {
        guard at(text) else { return false }
        advance()
        return true
    }

    /// Goes back to an earlier place.
    mutating func goBack(to earlier: TokenCursor) {
        index = earlier.index
        previousEnd = earlier.previousEnd
    }

    /// Passes the bracket at the current token with all that is in it.
    mutating func skipBalanced() {
        var open: [String] = []
        repeat {
            switch current.text {
            case _ where current.kind != .punctuation: noteManaged(isInBody: open.contains("}"))
            case "(": open.append(")")
            case "[": open.append("]")
            case "{": open.append("}")
            case let closing where [")", "]", "}"].contains(closing):
                // A bracket that isn't closed ends with the one that it is in.
                guard let match = open.lastIndex(of: closing) else { return }
                open.removeSubrange(match...)
            default: noteManaged(isInBody: open.contains("}"))
            }
            advance()
        } while !open.isEmpty && !isAtEnd
    }

    private mutating func noteManaged(isInBody: Bool) {
        if isInBody, at("@"), next.text == "NSManaged" { localManaged.append(current.range.lowerBound) }
    }

    /// Passes a clause like `where T: Equatable`, up to the body or the end of the declaration.
    mutating func skip(upTo stops: Set<String>) {
        while !isAtEnd, !at(anyOf: stops) {
            if at("(") || at("[") { skipBalanced() } else { advance() }
        }
    }

    /// Passes `<...>` at the current token.
    mutating func skipAngles() {
        var open = 0
        repeat {
            if at("<") { open += 1 }
            if at(">") { open -= 1 }
            if at("(") || at("[") { skipBalanced() } else { advance() }
        } while open > 0 && !isAtEnd && !at("{") && !at("}")
    }
}
