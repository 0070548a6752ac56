// Looking ahead: a mark keeps the bytes from the latest token on, so that the reader can go back to it. For values whose
// meaning depends on something behind them, such as an object's type; everything else is read once.

extension JSONReader {
    /// A position that the reader can go back to.
    struct Mark {
        fileprivate var lexer: JSONLexer
        fileprivate var latest: JSONToken
        fileprivate var savedKeys: [Int: (offset: Int, key: String)]
        /// The position in the whole text.
        fileprivate var position: Int
        /// What was held before.
        fileprivate var heldOffset: Int?
    }

    /// Marks the position behind the latest token, whose text stays readable. Each mark has to be given up again with
    /// ``rewind(to:)`` or ``release(_:)``, the latest one first. Until then, what is read stays in memory.
    mutating func mark() -> Mark {
        let mark = Mark(
            lexer: lexer, latest: latest, savedKeys: savedKeys, position: lexer.windowOffset &+ lexer.position,
            heldOffset: heldOffset)
        heldOffset = heldOffset ?? min(lexer.tokenOffset, mark.position)
        return mark
    }

    /// Goes back to a mark and gives it up.
    mutating func rewind(to mark: Mark) {
        lexer = mark.lexer
        lexer.windowOffset = input.windowOffset
        lexer.position = mark.position &- input.windowOffset
        savedKeys = mark.savedKeys
        restore(latest: mark.latest)
        heldOffset = mark.heldOffset
    }

    /// The bytes of the array or object that the latest token begins, as they stand in the text. It is read to its end.
    mutating func bytesOfTree() throws -> [UInt8] {
        let start = lexer.tokenOffset
        let mark = mark()
        defer { release(mark) }
        let outer = depth - 1
        while depth > outer { _ = try next() }
        let range = (start &- input.windowOffset)..<lexer.position
        return input.withWindow { window in range.map { window[$0] } }
    }

    /// Gives a mark up and stays where the reader is.
    mutating func release(_ mark: Mark) { heldOffset = mark.heldOffset }
}
