// The values that the writer writes.

package import Foundation

extension JSONWriter {
    /// Writes a string. What isn't ASCII is written as it is.
    package mutating func string(_ value: String) throws {
        beginValue()
        appendQuoted(value)
        try endValue()
    }

    /// Writes a string that needs no escapes.
    mutating func string(ascii bytes: [UInt8]) throws {
        beginValue()
        buffer.append(0x22)
        buffer.append(bytes.span)
        buffer.append(0x22)
        try endValue()
    }

    /// Writes a value that another compact writer has written.
    mutating func value(text: Span<UInt8>) throws {
        beginValue()
        buffer.append(text)
        try endValue()
    }

    /// Writes an integer.
    package mutating func integer(_ value: Int64) throws {
        beginValue()
        append(value)
        try endValue()
    }

    /// Writes the shortest text that reads as the same double again; integral values without a fraction.
    ///
    /// - Throws: ``GraftError`` with `notRepresentable` for NaN and the infinities.
    package mutating func double(_ value: Double) throws {
        guard value.isFinite else { throw GraftError(.notRepresentable(value: "the number \(value)", format: "JSON")) }
        beginValue()
        if let integer = NumberWriting.integer(value) {
            append(integer)
        } else {
            append(ascii: value.description)
        }
        try endValue()
    }

    /// Writes the shortest text that reads as the same single-precision number again.
    ///
    /// - Throws: ``GraftError`` with `notRepresentable` for NaN and the infinities.
    package mutating func float(_ value: Float) throws {
        guard value.isFinite else { throw GraftError(.notRepresentable(value: "the number \(value)", format: "JSON")) }
        if NumberWriting.integer(Double(value)) != nil { return try double(Double(value)) }
        try plain(value.description)
    }

    /// Writes a decimal with all its digits.
    ///
    /// - Throws: ``GraftError`` with `notRepresentable` for NaN.
    package mutating func decimal(_ value: Decimal) throws {
        guard !value.isNaN else { throw GraftError(.notRepresentable(value: "the decimal NaN", format: "JSON")) }
        try plain(value.description)
    }

    /// Writes `true` or `false`.
    package mutating func boolean(_ value: Bool) throws {
        try plain(value ? "true" : "false")
    }

    /// Writes `null`.
    package mutating func null() throws {
        try plain("null")
    }

    /// Writes a number as its text.
    package mutating func number(_ value: JSONValue.Number) throws {
        try plain(value.text)
    }

    /// Writes a value with everything in it.
    ///
    /// - Throws: ``GraftError`` with `tooDeep`.
    package mutating func value(_ value: JSONValue) throws {
        switch value {
        case .null: try null()
        case .bool(let value): try boolean(value)
        case .number(let value): try number(value)
        case .string(let value): try string(value)
        case .array(let elements):
            try beginArray()
            for element in elements { try self.value(element) }
            try endArray()
        case .object(let object):
            try beginObject()
            for member in options.sortsKeys ? object.sortedMembers : object.members {
                try key(member.key)
                try self.value(member.value)
            }
            try endObject()
        }
    }
}

// MARK: - Bytes

extension JSONWriter {
    /// Appends a string with quotes and escape sequences: runs without any as a whole.
    @inline(__always)
    mutating func appendQuoted(_ string: String) {
        buffer.append(0x22)
        string.withUTF8Span { bytes in
            var start = 0
            while true {
                let end = JSONStringScan.endOfUnescapedRun(in: bytes, from: start)
                buffer.append(bytes.extracting(start..<end))
                guard end < bytes.count else { return }
                appendEscape(of: bytes[end])
                start = end &+ 1
            }
        }
        buffer.append(0x22)
    }

    private mutating func appendEscape(of byte: UInt8) {
        buffer.append(0x5C)
        switch byte {
        case 0x22, 0x5C: buffer.append(byte)
        case 0x08: buffer.append(0x62)
        case 0x0C: buffer.append(0x66)
        case 0x0A: buffer.append(0x6E)
        case 0x0D: buffer.append(0x72)
        case 0x09: buffer.append(0x74)
        default:
            append(ascii: byte < 0x10 ? "u000" : "u001")
            let digit = byte & 0x0F
            buffer.append(digit < 10 ? 0x30 &+ digit : 0x57 &+ digit)
        }
    }

    /// Writes a value without quotes.
    @inline(__always)
    private mutating func plain(_ text: String) throws {
        beginValue()
        append(ascii: text)
        try endValue()
    }

    @inline(__always)
    private mutating func append(_ integer: Int64) {
        if integer < 0 { buffer.append(0x2D) }
        buffer.append(digitsOf: integer.magnitude)
    }

    /// Appends a text that needs no escapes.
    @inline(__always)
    mutating func append(ascii text: String) {
        text.withUTF8Span { buffer.append($0) }
    }
}
