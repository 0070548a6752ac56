// Where the bytes of a reader come from, and the window of them that is in memory.

import Foundation

/// The bytes of a JSON text: an array as a whole, or a window that slides over a source. Kept small, because it is read for
/// every token; what is needed once per chunk is in `JSONSource`.
struct JSONInput: ~Copyable {
    private var window: [UInt8]
    /// The offset of the window in the whole text.
    private(set) var windowOffset = 0
    /// Whether the text ends with the window.
    private(set) var isComplete: Bool
    private let source: JSONSource?
    private let mark = LineMark()

    init(_ bytes: [UInt8]) {
        (window, isComplete, source) = (bytes, true, nil)
    }

    init(_ source: JSONSource) {
        (window, isComplete, self.source) = ([], false, source)
    }

    /// Calls the closure with the window.
    @inline(__always)
    borrowing func withWindow<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try body(window.span)
    }

    /// The number of bytes in the window.
    var count: Int { window.count }

    /// The lexer's next token. Mutating only because the struct would be copied otherwise.
    @inline(__always)
    mutating func next(_ lexer: inout JSONLexer) throws(JSONSyntaxError) -> JSONToken? {
        try lexer.next(in: window.span, isLast: isComplete)
    }

    /// Drops the window's first bytes, which nobody needs any more. Only for a source.
    mutating func drop(_ count: Int) {
        guard count > 0, let source else { return }
        source.lines.advance(over: window.span.extracting(first: count), at: windowOffset)
        window.removeSubrange(0..<count)
        windowOffset += count
    }

    /// Reads on, until the window has so many bytes more or the text is at its end.
    mutating func read(atLeast count: Int) throws {
        let wanted = window.count + count
        while window.count < wanted, !isComplete {
            isComplete = try source?.append(atLeast: wanted - window.count, to: &window) ?? true
        }
    }

    /// The line and the column of an offset in the whole text, both from 1; nil where the window has left it behind.
    func position(of offset: Int) -> (line: Int, column: Int)? {
        guard offset >= windowOffset else { return source?.position(of: offset) }
        if mark.offset < windowOffset || mark.offset > offset {
            (mark.offset, mark.lines) = (windowOffset, source?.lines ?? LineCount())
        }
        let end = windowOffset + min(offset - windowOffset, window.count)
        let passed = window.span.extracting(mark.offset - windowOffset..<end - windowOffset)
        mark.lines.advance(over: passed, at: mark.offset)
        mark.offset = end
        return (mark.lines.line, offset - mark.lines.start + 1)
    }
}

/// How far lines have been counted: many errors are each farther on than the one before.
private final class LineMark {
    var offset = 0
    var lines = LineCount()
}

/// Gives the bytes of a text in chunks, and counts the lines that the window has left behind.
final class JSONSource {
    var lines = LineCount()
    private let chunkSize: Int
    private let more: JSONReader.ByteSource
    /// Gives bytes that the window has left behind, from an offset on, where they are still to be had.
    private let again: ((_ offset: Int, _ count: Int) throws -> Data)?

    init(
        chunkSize: Int, more: @escaping JSONReader.ByteSource,
        again: ((_ offset: Int, _ count: Int) throws -> Data)? = nil
    ) {
        (self.chunkSize, self.more, self.again) = (max(1, chunkSize), more, again)
    }

    /// A source of bytes in memory. A window of them is faster to read from than the whole, because every access to a
    /// `Data` costs as much as a short token.
    convenience init(_ data: Data, chunkSize: Int) {
        var offset = data.startIndex
        self.init(
            chunkSize: chunkSize,
            more: { count in
                let chunk = data[offset...].prefix(count)
                offset = chunk.endIndex
                return chunk
            },
            again: { offset, count in data.dropFirst(offset).prefix(count) })
    }

    /// Appends the next chunk, and returns whether the text is at its end.
    func append(atLeast count: Int, to window: inout [UInt8]) throws -> Bool {
        let chunk = try more(max(chunkSize, count))
        unsafe chunk.withUnsafeBytes { unsafe window.append(contentsOf: $0) }
        return chunk.isEmpty
    }

    /// Counts the lines before an offset that the window has left behind; nil where the bytes can't be had again.
    func position(of offset: Int) -> (line: Int, column: Int)? {
        var lines = LineCount()
        var at = 0
        while at < offset {
            // A line number is an extra to an error, so failing to find it must not hide that error.
            guard let chunk = try? again?(at, min(1 << 16, offset - at)), !chunk.isEmpty else { return nil }
            lines.advance(over: chunk.span, at: at)
            at += chunk.count
        }
        return (lines.line, offset - lines.start + 1)
    }
}

/// Counts lines. A line ends with a line feed.
struct LineCount {
    private(set) var line = 1
    /// The offset of the line's first byte in the whole text.
    private(set) var start = 0

    mutating func advance(over bytes: Span<UInt8>, at offset: Int) {
        let count = JSONStringScan.countOfLineFeeds(in: bytes)
        guard count > 0 else { return }
        line += count
        var last = bytes.count - 1
        while bytes[last] != 0x0A { last -= 1 }
        start = offset + last + 1
    }
}
