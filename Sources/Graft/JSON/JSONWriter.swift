// The streaming JSON writer: into memory, or through a buffer of bounded size into a file or closure. It sees to commas,
// indentation and escapes; values are in JSONWriter+Values.swift.

package import Foundation

/// Writes JSON (RFC 8259), value by value.
///
///     var writer = JSONWriter()
///     try writer.beginObject()
///     try writer.key("name")
///     try writer.string("Batman")
///     try writer.endObject()
///     let data = try writer.finish()
///
/// Values that follow each other at the top level are separated by a line feed (NDJSON). Calls in an order that makes no
/// JSON, such as a value without a key in an object, stop the program.
package struct JSONWriter: ~Copyable {
    /// The form of the output.
    package struct Options: Sendable {
        /// Whether every element and member is on a line of its own, indented by two spaces for each level.
        package var isPretty = false
        /// Whether the members of a ``JSONValue`` are ordered by key. Members that the caller writes have the caller's order.
        package var sortsKeys = false
        /// How deep arrays and objects may be nested.
        package var maximumDepth = 512
        /// How many bytes are collected before they are passed on.
        package var bufferSize = 1 << 16

        /// Compact output in the order of the members.
        package init() {}
    }

    /// Takes the next bytes of the text.
    package typealias ByteSink = (Span<UInt8>) throws -> Void

    let options: Options
    var buffer: ByteBuffer
    private let sink: ByteSink?
    /// What is open: true for an object. The innermost is last.
    private var open: [Bool] = []
    private var isInObject = false
    /// Whether a comma is due before the next element or member, or a line feed before the next value at the top level.
    private var isFirst = true
    private var hasKey = false

    /// Creates a writer into memory; ``finish()`` returns the text.
    package init(options: Options = Options()) {
        self.options = options
        buffer = ByteBuffer(capacity: 1024)
        sink = nil
    }

    /// Creates a writer that passes its text on in pieces.
    package init(sink: @escaping ByteSink, options: Options = Options()) {
        self.options = options
        // Room for the value that takes the buffer above its size.
        buffer = ByteBuffer(capacity: options.bufferSize + 4096)
        self.sink = sink
    }

    /// Creates a writer into an open file, which the caller closes.
    package init(_ file: FileHandle, options: Options = Options()) {
        self.init(sink: Self.sink(into: file), options: options)
    }

    /// Writes into an open file.
    static func sink(into file: FileHandle) -> ByteSink {
        { bytes in
            do {
                // Safe: the bytes are copied before the call ends.
                try unsafe file.write(contentsOf: bytes.withUnsafeBytes { unsafe Data($0) })
            } catch {
                throw GraftError(.unwritableFile(reason: "writing stopped"), underlying: error)
            }
        }
    }

    /// Ends the text, with a line feed after the last value where it goes to a file or is pretty, and passes on what is left.
    ///
    /// - Returns: The text, where the writer writes into memory; else nothing.
    package mutating func finish() throws -> Data {
        guard open.isEmpty else { fatalError("JSONWriter.finish() was called with \(open.count) open containers.") }
        if sink != nil || options.isPretty, !isFirst { buffer.append(0x0A) }
        try flush()
        isFirst = true
        let data = buffer.data
        buffer.removeAll()
        return data
    }

    /// Passes on what has been written so far. Writing into memory, this does nothing.
    package mutating func flush() throws {
        guard let sink, buffer.count > 0 else { return }
        try buffer.withBytes(sink)
        buffer.removeAll()
    }
}

// MARK: - Structure

extension JSONWriter {
    /// Ends the line behind a value at the top level; the next one begins a new line.
    mutating func endLine() {
        buffer.append(0x0A)
        isFirst = true
    }

    /// Begins an object. Its members follow: ``key(_:)-(String)`` and a value for each.
    package mutating func beginObject() throws { try begin(0x7B, isObject: true) }

    /// Begins an array. Its elements follow.
    package mutating func beginArray() throws { try begin(0x5B, isObject: false) }

    /// Ends the innermost container, which is an object.
    package mutating func endObject() throws { try end(0x7D, isObject: true) }

    /// Ends the innermost container, which is an array.
    package mutating func endArray() throws { try end(0x5D, isObject: false) }

    /// Writes the key of the next value.
    package mutating func key(_ key: String) throws {
        beginKey()
        appendQuoted(key)
        buffer.append(0x3A)
        if options.isPretty { buffer.append(0x20) }
    }

    /// Writes a key that is used often.
    package mutating func key(_ key: JSONKey) throws {
        beginKey()
        buffer.append(key.bytes.span)
        if options.isPretty { buffer.append(0x20) }
    }

    private mutating func beginKey() {
        guard isInObject, !hasKey else { fatalError("JSONWriter.key was called where JSON has no key.") }
        separate()
        hasKey = true
    }

    private mutating func begin(_ bracket: UInt8, isObject: Bool) throws {
        guard open.count < options.maximumDepth else { throw GraftError(.tooDeep(limit: options.maximumDepth)) }
        beginValue()
        buffer.append(bracket)
        open.append(isObject)
        isInObject = isObject
        isFirst = true
    }

    private mutating func end(_ bracket: UInt8, isObject: Bool) throws {
        guard open.last == isObject, !hasKey else { fatalError("JSONWriter was told to end what isn't open.") }
        open.removeLast()
        if options.isPretty, !isFirst { indent() }
        buffer.append(bracket)
        isInObject = open.last ?? false
        try endValue()
    }

    /// Writes what stands between the value before and the next one.
    @inline(__always)
    mutating func beginValue() {
        if hasKey {
            hasKey = false
        } else {
            guard !isInObject else { fatalError("JSONWriter was given a value without a key in an object.") }
            separate()
        }
    }

    /// To be called after each value: passes a full buffer on.
    @inline(__always)
    mutating func endValue() throws {
        isFirst = false
        if buffer.count >= options.bufferSize { try flush() }
    }

    @inline(__always)
    private mutating func separate() {
        if open.isEmpty {
            if !isFirst { buffer.append(0x0A) }
        } else {
            if !isFirst { buffer.append(0x2C) }
            if options.isPretty { indent() }
        }
        isFirst = false
    }

    private mutating func indent() {
        buffer.append(0x0A)
        for _ in 0..<open.count * 2 { buffer.append(0x20) }
    }
}

/// A key with its quotes, escapes and colon ready, for keys that are written many times.
package struct JSONKey: Sendable, Hashable {
    /// The key.
    package let name: String
    let bytes: [UInt8]

    /// Prepares a key.
    package init(_ name: String) {
        self.name = name
        var writer = JSONWriter()
        writer.appendQuoted(name)
        writer.buffer.append(0x3A)
        bytes = Array(writer.buffer.data)
    }
}
