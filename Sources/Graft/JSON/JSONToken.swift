// What the reader hands out. Tokens are small values without references: the text of a string or number stays in the
// reader's buffer until somebody asks for it.

/// One token of a JSON text.
package enum JSONToken: Equatable, Sendable {
    case beginObject
    case endObject
    case beginArray
    case endArray
    /// The key of an object's member. The next token begins its value.
    case key(JSONText)
    case string(JSONText)
    /// A number, as its text: what it is worth depends on the type that it is wanted as.
    case number(JSONText)
    case boolean(Bool)
    case null
    /// The end of the text, after the last value.
    case endOfInput
}

/// Where a string, key or number stands in the reader's buffer.
///
/// Ask the reader that returned it for its contents, before the next call of ``JSONReader/next()``: a reader of a file
/// keeps only a part of it in memory.
package struct JSONText: Equatable, Sendable {
    /// The offset of the first byte of the contents from the beginning of the text; a string's is behind the quote.
    package let offset: Int

    /// The count in bytes, and two flags below it, so that a token fits into registers.
    private let bits: Int

    /// For a string: it contains escape sequences. For a number: it has a fraction or an exponent.
    @inline(__always) var isComplex: Bool { bits & 1 != 0 }

    @inline(__always) var isASCII: Bool { bits & 2 != 0 }

    /// The number of bytes, as written (escape sequences included).
    @inline(__always) package var count: Int { bits >> 2 }

    @inline(__always) init(offset: Int, count: Int, isComplex: Bool, isASCII: Bool) {
        self.offset = offset
        bits = count &<< 2 | (isComplex ? 1 : 0) | (isASCII ? 2 : 0)
    }
}
