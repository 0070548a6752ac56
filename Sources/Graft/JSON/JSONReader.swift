// The streaming JSON reader: one token after the other, from memory without copying it or from a source with a window of
// bounded size. The grammar is in JSONLexer.swift; here are the window, the limits and the errors.

package import Foundation

/// Reads JSON (RFC 8259) token by token.
///
///     var reader = JSONReader(data)
///     while true {
///         switch try reader.next() {
///         case .key(let text) where reader.matches(text, "id"): ...
///         case .endOfInput: return
///         default: continue
///         }
///     }
///
/// UTF-8 is checked, keys may repeat (what that means is up to the caller), and a byte order mark at the beginning is
/// ignored.
package struct JSONReader: ~Copyable {
    /// The limits of a reader.
    package struct Options: Sendable {
        /// How deep arrays and objects may be nested.
        package var maximumDepth = 512
        /// How long one string or number may be, in bytes, where the text isn't in memory as a whole.
        package var maximumTextLength = 1 << 28
        /// How many bytes are read from a source at a time.
        package var chunkSize = 1 << 16

        /// The default limits.
        package init() {}
    }

    /// Gives the next bytes of a text: preferably as many as asked for, fewer where waiting for more would take long,
    /// none at the end.
    package typealias ByteSource = (_ count: Int) throws -> Data

    /// The name of the text in errors, such as the file's name.
    package var sourceName: String?

    var input: JSONInput
    var lexer: JSONLexer
    let format: ImportOptions.Format
    private let options: Options
    /// The token that was returned last: `skipValue()` and `value()` continue from there.
    private(set) var latest = JSONToken.endOfInput
    /// The keys of trees that were passed over, as the same object has them again.
    var passedOver: [String] = []
    /// Keys of open objects that the window has left behind, by depth, for the path of an error.
    var savedKeys: [Int: (offset: Int, key: String)] = [:]
    var recordState = RecordState.atStart
    /// From where on the window keeps its bytes, because somebody may go back (JSONReader+Marks.swift).
    var heldOffset: Int?

    /// Creates a reader of bytes in memory, which it doesn't copy as a whole.
    package init(_ data: Data, format: ImportOptions.Format = .document, options: Options = Options()) {
        self.init(JSONInput(JSONSource(data, chunkSize: options.chunkSize)), format, options)
    }

    /// Creates a reader of bytes in memory, which it doesn't copy.
    package init(_ bytes: [UInt8], format: ImportOptions.Format = .document, options: Options = Options()) {
        self.init(JSONInput(bytes), format, options)
    }

    /// Creates a reader of a source that gives its bytes in chunks.
    ///
    /// Not more than two chunks and one string are in memory at a time.
    package init(source: @escaping ByteSource, format: ImportOptions.Format = .document, options: Options = Options()) {
        self.init(JSONInput(JSONSource(chunkSize: options.chunkSize, more: source)), format, options)
    }

    /// Creates a reader of an open file, a pipe or standard input; reads it in chunks.
    package init(_ file: FileHandle, format: ImportOptions.Format = .document, options: Options = Options()) {
        let source = JSONSource(
            chunkSize: options.chunkSize, more: FileReading.byteSource(of: file), again: FileReading.reading(file))
        self.init(JSONInput(source), format, options)
    }

    private init(_ input: consuming JSONInput, _ format: ImportOptions.Format, _ options: Options) {
        self.input = input
        self.format = format
        self.options = options
        lexer = JSONLexer(maximumDepth: options.maximumDepth, acceptsSequence: format != .document)
    }

    /// Returns the next token.
    ///
    /// - Throws: ``GraftError`` with `invalidJSON`, `tooDeep`, `tooLarge`, or what the source throws.
    package mutating func next() throws -> JSONToken {
        while true {
            do throws(JSONSyntaxError) {
                if let token = try input.next(&lexer) {
                    latest = token
                    return token
                }
            } catch {
                throw graftError(error)
            }
            try readOn()
        }
    }

    /// Skips the value that the latest token begins: after a key the value that belongs to it, after the beginning of
    /// an array or object the rest of it, after anything else nothing.
    package mutating func skipValue() throws {
        var depth = lexer.depth
        switch latest {
        case .key: _ = try next()
        case .beginArray, .beginObject: depth -= 1
        default: return
        }
        while lexer.depth > depth { _ = try next() }
    }

    /// Makes an earlier token the latest one again.
    mutating func restore(latest token: JSONToken) { latest = token }

    /// How many arrays and objects are open.
    package var depth: Int { lexer.depth }

    /// The offset of the latest token's first byte from the beginning of the text.
    package var tokenOffset: Int { lexer.tokenOffset }

    /// Moves the window on, because it ends before the next token does.
    private mutating func readOn() throws {
        let incomplete = input.count - lexer.position
        guard incomplete <= options.maximumTextLength else {
            throw error(.tooLarge(what: "the length of a string or number in bytes", limit: options.maximumTextLength))
        }
        saveKeys()
        let dropped = heldOffset.map { min($0 - input.windowOffset, lexer.position) } ?? lexer.position
        input.drop(dropped)
        lexer.position -= dropped
        lexer.windowOffset = input.windowOffset
        // A string's scan continues where it stopped. A number is scanned again, so a long one has to grow by a
        // multiple each time.
        try input.read(atLeast: lexer.resumeOffset > 0 || incomplete < 64 ? 1 : incomplete)
    }
}
