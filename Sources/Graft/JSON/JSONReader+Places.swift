// Where the reader is: path, line and column. All of it is worked out when somebody asks, which is when there is an
// error; reading keeps no more than a counter or a key per open array or object.

extension JSONReader {
    /// The path of the latest value, from the root of the text, or of the record in a sequence.
    package var path: [GraftError.Place.PathComponent] {
        var path: [GraftError.Place.PathComponent] = []
        forEachFrame { depth, frame in
            guard frame.count > 0 else { return }
            path.append(frame.isObject ? .key(key(of: frame, depth: depth)) : .index(frame.count - 1))
        }
        return path
    }

    /// The place of the latest token.
    package var place: GraftError.Place { place(offset: lexer.tokenOffset, path: path) }

    /// The place of an earlier value, from its offset and its path.
    ///
    /// - Complexity: O(*n*) in the bytes before it, which are read once more from a file. A pipe or another source doesn't
    ///   give them again: then line and column are missing.
    package func place(offset: Int, path: [GraftError.Place.PathComponent]?) -> GraftError.Place {
        let position = input.position(of: offset)
        return GraftError.Place(
            source: sourceName, path: path, line: position?.line, column: position?.column, byteOffset: offset)
    }

    /// An error at the latest token.
    package func error(_ problem: GraftError.Problem, underlying: (any Error)? = nil) -> GraftError {
        GraftError(problem, at: place, underlying: underlying)
    }

    /// The lexer's error with its place.
    mutating func graftError(_ error: JSONSyntaxError) -> GraftError {
        // A character that the window cuts off is named as a whole. That there is no more of it is an error of its own, and the
        // one that is reported comes first.
        while isTruncated(at: error.offset), !input.isComplete, (try? input.read(atLeast: 1)) != nil {}
        let place = place(offset: lexer.windowOffset + error.offset, path: path)
        if error.reason == .tooDeep { return GraftError(.tooDeep(limit: lexer.maximumDepth), at: place) }
        return GraftError(.invalidJSON(found: found(at: error.offset), expected: error.expected), at: place)
    }

    private static let longestCharacter = 4

    private func isTruncated(at offset: Int) -> Bool {
        input.withWindow { window in
            guard offset < window.count, window.count - offset < Self.longestCharacter else { return false }
            return UTF8Check.skipMultibyteRun(in: window.extracting(offset..<window.count), from: 0).end == .truncated
        }
    }

    /// What stands at an offset of the window, as an error names it.
    private func found(at offset: Int) -> String {
        input.withWindow { window in
            guard offset < window.count else { return "the end of the text" }
            let byte = window[offset]
            if byte > 0x20, byte < 0x7F { return "'\(Character(Unicode.Scalar(byte)))'" }
            let end = min(offset + Self.longestCharacter, window.count)
            let run = UTF8Check.skipMultibyteRun(in: window.extracting(offset..<end), from: 0)
            if run.offset > 0 {
                let run = JSONEscapes.plainString(window.extracting(offset..<offset + run.offset), isASCII: false)
                // Whether another one combines with it isn't known where the window ends.
                return "'\(String(run.unicodeScalars.prefix(1)))'"
            }
            let digits = String(byte, radix: 16, uppercase: true)
            return "the byte 0x\(digits.count < 2 ? "0" : "")\(digits)"
        }
    }

    /// Calls the closure for every open container, the outermost first; depths count from 1.
    private func forEachFrame(_ body: (Int, JSONLexer.Frame) -> Void) {
        for depth in 1..<max(1, lexer.depth) { body(depth, lexer.ancestors[depth]) }
        if lexer.depth > 0 { body(lexer.depth, lexer.frame) }
    }

    private func key(of frame: JSONLexer.Frame, depth: Int) -> String {
        if frame.key.offset >= input.windowOffset { return string(of: frame.key) }
        guard let saved = savedKeys[depth], saved.offset == frame.key.offset else { return "?" }
        return saved.key
    }

    /// Keeps the keys of open objects before the window leaves them behind.
    mutating func saveKeys() {
        var saved = savedKeys
        let end = lexer.windowOffset + lexer.position
        forEachFrame { depth, frame in
            guard frame.isObject, frame.count > 0, frame.key.offset < end else { return }
            saved[depth] = (frame.key.offset, key(of: frame, depth: depth))
        }
        savedKeys = saved
    }
}
