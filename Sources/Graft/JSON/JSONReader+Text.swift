// What a token's text says: bytes, strings and numbers. The bytes stay in the reader's window; nothing is copied until a
// String is asked for.

package import Foundation

extension JSONReader {
    /// Calls the closure with the bytes of a text as they are written, escape sequences included.
    @inline(__always)
    package borrowing func withBytes<R, E: Error>(
        of text: JSONText, _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        let start = text.offset &- input.windowOffset
        guard start >= 0 else {
            fatalError("The text of a token was asked for after the reader had gone on. Ask before the next token.")
        }
        return try input.withWindow { (window) throws(E) in
            try body(window.extracting(start..<(start &+ text.count)))
        }
    }

    /// Returns the contents of a key or string, or the text of a number.
    package borrowing func string(of text: JSONText) -> String {
        let isEscaped = text.isComplex
        let isASCII = text.isASCII
        return withBytes(of: text) { bytes in
            // A number's flag means something else, but a number has no backslash either.
            isEscaped ? JSONEscapes.string(bytes) : JSONEscapes.plainString(bytes, isASCII: isASCII)
        }
    }

    /// Returns whether a key or string consists of exactly these characters; compares bytes and makes no String.
    package borrowing func matches(_ text: JSONText, _ string: String) -> Bool {
        withContents(of: text) { bytes in
            string.withUTF8Span { wanted in
                guard wanted.count == bytes.count else { return false }
                for index in bytes.indices where bytes[index] != wanted[index] { return false }
                return true
            }
        }
    }

    /// Calls the closure with the contents of a key or string, escape sequences decoded.
    @inline(__always)
    package borrowing func withContents<R, E: Error>(
        of text: JSONText, _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try withBytes(of: text) { (bytes) throws(E) in
            guard text.isComplex else { return try body(bytes) }
            let decoded = JSONEscapes.decoded(bytes)
            return try body(decoded.span)
        }
    }

    /// Returns a number as an integer: nil where it has a fraction or doesn't fit. `12.0` and `1e3` are integers.
    package borrowing func int64(of number: JSONText) -> Int64? {
        withBytes(of: number) { try? NumberText.integer($0) }
    }

    /// Returns the double closest to a number; nil where it is too large.
    package borrowing func double(of number: JSONText) -> Double? {
        withBytes(of: number) { NumberText.double($0) }
    }

    /// Returns a number as a decimal: nil where it has more digits than a decimal or its exponent doesn't fit.
    package borrowing func decimal(of number: JSONText) -> Decimal? {
        withBytes(of: number) { NumberText.decimal($0) }
    }
}
