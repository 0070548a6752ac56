// The words of a Swift file, as SwiftLexer cuts them.

/// One token of a source file.
struct SwiftToken {
    enum Kind: UInt8 {
        /// A name, keyword, `#word` or `$0`; names in backticks without them.
        case word
        case number
        /// A string literal as a whole; the tokens of its interpolations follow it (``SwiftToken/innerCount``).
        case string
        case regex
        /// One character of an operator, or `->`. Types end in the middle of operators: `Set<Int?>`.
        case operation
        /// A bracket, comma, dot and the like.
        case punctuation
        /// `#if`, `#elseif`, `#else` or `#endif`.
        case directive
        case end
    }

    var kind: Kind
    /// The word, or the characters of an operator or punctuation; empty for literals.
    var text: String
    /// Where it stands, in bytes.
    var range: Range<Int>
    /// Whether white space or a comment stands before it.
    var hasSpaceBefore: Bool
    var isFirstOnLine: Bool
    /// Whether it is a name in backticks, and so no keyword.
    var isEscaped = false
    /// How many of the following tokens stand in the string's interpolations.
    var innerCount = 0
    /// The condition of the `#if` around it, where only the compiler knows whether it holds.
    var condition: String?
}
