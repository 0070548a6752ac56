// How the lexer reports an error: two words without references, so that nothing is paid for it where there is none. The
// reader adds place and words.

struct JSONSyntaxError: Error {
    enum Reason: UInt8 {
        case value, valueOrEndOfArray, keyOrEndOfObject, key, colon, commaOrEndOfArray, commaOrEndOfObject
        case endOfText, separatedValue
        case digit, literal, endOfString, escape, hexadecimalDigit, surrogatePair, noControlCharacter, utf8
        case tooDeep
    }

    var reason: Reason
    /// The offset in the buffer.
    var offset: Int

    /// What JSON has at the place.
    var expected: String {
        switch reason {
        case .value: "a value"
        case .valueOrEndOfArray: "a value or ']'"
        case .keyOrEndOfObject: "a key in quotes or '}'"
        case .key: "a key in quotes"
        case .colon: "':' after a key"
        case .commaOrEndOfArray: "',' or ']' after an element"
        case .commaOrEndOfObject: "',' or '}' after a member"
        case .endOfText: "the end of the text after its only value"
        case .separatedValue: "white space between two values"
        case .digit: "a digit"
        case .literal: "true, false or null"
        case .endOfString: "the quote that ends a string"
        case .escape: "one of \" \\ / b f n r t u after a backslash"
        case .hexadecimalDigit: "four hexadecimal digits after \\u"
        case .surrogatePair: "a high and a low surrogate together"
        case .noControlCharacter: "control characters in strings as escape sequences only"
        case .utf8: "valid UTF-8"
        case .tooDeep: "less nesting"
        }
    }
}
