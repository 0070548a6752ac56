// Why a format string isn't a predicate. `NSPredicate(format:)` stops the program with it, because formats are code there;
// `NSPredicate.parsing(_:arguments:)` throws it, for formats that are data.

/// A mistake in a predicate or expression format.
package struct PredicateError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The whole format.
    package let format: String
    /// Where in the format, in characters, counted from 1; one past the end for something missing there.
    package let position: Int
    /// What stands there.
    package let found: String
    /// What should stand there.
    package let expected: String
    /// What to do about it.
    package let remedy: String

    package var description: String {
        """
        The predicate can't be read at character \(position): found \(found) where \(expected) is expected. \(remedy)
            \(shownFormat)
            \(String(repeating: " ", count: caretOffset))^
        """
    }

    /// The format on one line, shortened around the position.
    private var shownFormat: String { String(excerpt.characters) }

    private var caretOffset: Int { position - 1 - excerpt.start }

    private var excerpt: (characters: [Character], start: Int) {
        let characters = format.map { $0.isNewline ? " " : $0 }
        guard characters.count > 100 else { return (characters, 0) }
        let start = max(0, min(position - 50, characters.count - 100))
        return (Array(characters[start..<min(start + 100, characters.count)]), start)
    }
}
