// The words of the format language.

import Foundation

/// One word of a format and where it begins.
struct PredicateToken {
    enum Kind {
        /// A name or a keyword; which of the two depends on where it stands. Function names keep their colons.
        case word(String)
        /// A name that can't be a keyword: `#and`.
        case escapedWord(String)
        /// `@count`
        case at(String)
        /// `$name`
        case variable(String)
        case string(String)
        case number(NSNumber)
        case argument(FormatSpecifier)
        case symbol(Symbol)
        case end
    }

    enum Symbol: String {
        case open = "("
        case close = ")"
        case openBracket = "["
        case closeBracket = "]"
        case openBrace = "{"
        case closeBrace = "}"
        case comma = ","
        case dot = "."
        case equal = "="
        case doubleEqual = "=="
        case notEqual = "!="
        case unequal = "<>"
        case less = "<"
        case lessOrEqual = "<="
        case equalOrLess = "=<"
        case greater = ">"
        case greaterOrEqual = ">="
        case equalOrGreater = "=>"
        case and = "&&"
        case or = "||"
        case not = "!"
        case plus = "+"
        case minus = "-"
        case times = "*"
        case divided = "/"
        case power = "**"
        case bitOr = "|"
        case bitAnd = "&"
        case bitXor = "^"
        case shiftLeft = "<<"
        case shiftRight = ">>"
        case bitNot = "~"
    }

    let kind: Kind
    /// In UTF-8 bytes from the beginning of the format.
    let offset: Int
    /// The keyword that the word is; nil for anything that can't be one.
    let keyword: Keyword?

    init(kind: Kind, offset: Int) {
        self.kind = kind
        self.offset = offset
        if case .word(let text) = kind { keyword = Keyword(word: text) } else { keyword = nil }
    }
}

/// What an argument is printed from, in C's terms.
enum FormatSpecifier: Equatable {
    /// `%@`
    case object
    /// `%K`
    case keyPath
    /// `%d`, `%lu` and so on, as printf writes the number: hexadecimal ones are unsigned.
    case integer(String)
    /// `%f`, `%g`
    case real
    /// `%c`
    case character
    /// `%s`
    case text
}

extension PredicateToken {
    /// What an error message calls it.
    var found: String {
        switch kind {
        case .word(let text), .escapedWord(let text): "'\(text)'"
        case .at(let text): "'@\(text)'"
        case .variable(let text): "'$\(text)'"
        case .string(let text): "the text \"\(text.prefix(40))\""
        case .number(let number): "the number \(number)"
        case .argument(.object): "%@"
        case .argument(.keyPath): "%K"
        case .argument(.integer(let text)): "%\(text)"
        case .argument(.real): "%f"
        case .argument(.character): "%c"
        case .argument(.text): "%s"
        case .symbol(let symbol): "'\(symbol.rawValue)'"
        case .end: "the end"
        }
    }

}

/// The words with a meaning of their own. As names of properties they are written with a `#`.
enum Keyword: String, CaseIterable {
    case and = "AND"
    case or = "OR"
    case not = "NOT"
    case anyOf = "ANY"
    case someOf = "SOME"
    case allOf = "ALL"
    case noneOf = "NONE"
    case `in` = "IN"
    case between = "BETWEEN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
    case matches = "MATCHES"
    case null = "NULL"
    case `nil` = "NIL"
    case `true` = "TRUE"
    case yes = "YES"
    case `false` = "FALSE"
    case no = "NO"
    case itself = "SELF"
    case truePredicate = "TRUEPREDICATE"
    case falsePredicate = "FALSEPREDICATE"
    case subquery = "SUBQUERY"
    case function = "FUNCTION"
    case cast = "CAST"
    case ternary = "TERNARY"
    case fetch = "FETCH"
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
    case anyKey = "ANYKEY"

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
    private static let longest = allCases.reduce(0) { max($0, $1.rawValue.utf8.count) }

    /// The keyword that a word is in any case; nil for other words.
    init?(word: String) {
        guard word.utf8.count <= Self.longest, let keyword = Self.byName[word.uppercased()] else { return nil }
        self = keyword
    }

    /// Whether the keyword has its meaning only before an opening parenthesis, and is a name elsewhere.
    var needsParenthesis: Bool {
        switch self {
        case .subquery, .function, .cast, .ternary, .fetch: true
        default: false
        }
    }
}
