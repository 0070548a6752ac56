// LIKE and MATCHES. Patterns are compiled once and kept: a predicate is usually asked about many objects.

import Foundation
import Synchronization

/// A `LIKE` pattern: `*` stands for any characters, `?` for one scalar, a backslash takes the meaning from the next.
struct WildcardPattern {
    private enum Element: Equatable {
        case anything
        case one
        case scalar(Unicode.Scalar)
    }

    private let elements: [Element]

    init(_ pattern: String) {
        var elements: [Element] = []
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            if isEscaped {
                elements.append(.scalar(scalar))
                isEscaped = false
                continue
            }
            switch scalar {
            case "\\": isEscaped = true
            case "*": if elements.last != .anything { elements.append(.anything) }
            case "?": elements.append(.one)
            default: elements.append(.scalar(scalar))
            }
        }
        if isEscaped { elements.append(.scalar("\\")) }
        self.elements = elements
    }

    /// Whether the whole text fits. Takes time in the product of the lengths at worst: on a mismatch only the last `*` is
    /// extended.
    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var position = 0
        var element = 0
        var retry: (element: Int, position: Int)?
        while position < scalars.count {
            if element < elements.count, elements[element] == .anything {
                retry = (element + 1, position)
                element += 1
            } else if element < elements.count, fits(elements[element], scalars[position]) {
                element += 1
                position += 1
            } else if let last = retry {
                retry = (last.element, last.position + 1)
                element = last.element
                position = last.position + 1
            } else {
                return false
            }
        }
        return elements[element...].allSatisfy { $0 == .anything }
    }

    private func fits(_ element: Element, _ scalar: Unicode.Scalar) -> Bool {
        element == .one || element == .scalar(scalar)
    }
}

/// Matches texts against patterns and remembers what it compiled.
enum PatternMatching {
    static func isLike(_ text: String, _ pattern: String, _ options: NSComparisonPredicate.Options) -> Bool {
        if options.folds {
            let folded = StringComparison.folded(pattern, options)
            return wildcards.value(for: folded, make: WildcardPattern.init)
                .matches(StringComparison.folded(text, options))
        }
        return wildcards.value(for: pattern, make: WildcardPattern.init).matches(text)
    }

    /// Whether the whole text fits a regular expression (ICU's syntax). A pattern that isn't one fits nothing.
    static func matches(_ text: String, _ pattern: String, _ options: NSComparisonPredicate.Options) -> Bool {
        let ignoresDiacritics = options.contains(.diacriticInsensitive)
        let pattern = ignoresDiacritics ? StringComparison.folded(pattern, .diacriticInsensitive) : pattern
        let text = ignoresDiacritics ? StringComparison.folded(text, .diacriticInsensitive) : text
        let key = (options.contains(.caseInsensitive) ? "i" : "s") + pattern
        guard let expression = expressions.value(for: key, make: compiled).expression else { return false }
        let range = NSRange(location: 0, length: text.utf16.count)
        return expression.firstMatch(in: text, options: .anchored, range: range) != nil
    }

    /// Why a pattern isn't a regular expression; nil if it is one.
    static func problem(inExpression pattern: String) -> String? {
        expressions.value(for: "s" + pattern, make: compiled).expression == nil
            ? "not a regular expression (ICU's syntax)" : nil
    }

    private static let wildcards = PatternCache<WildcardPattern>()
    private static let expressions = PatternCache<CompiledExpression>()

    private struct CompiledExpression {
        let expression: NSRegularExpression?
    }

    private static func compiled(_ key: String) -> CompiledExpression {
        // A pattern that can't be compiled fits nothing; the parser reports it where it is a literal.
        CompiledExpression(
            expression: expression(forWhole: String(key.dropFirst()), key.first == "i" ? .caseInsensitive : []))
    }

    /// The expression for texts that a pattern fits from the beginning to the end; nil for what is no regular expression. It is
    /// closed by an end anchor, so that an alternative that matches less than everything doesn't hide one that matches it all.
    static func expression(
        forWhole pattern: String, _ options: NSRegularExpression.Options = []
    ) -> NSRegularExpression? {
        // By itself first: `a)|(b` becomes an expression in brackets only. ICU takes no empty one, which fits the empty text.
        guard pattern.isEmpty || (try? NSRegularExpression(pattern: pattern, options: options)) != nil else {
            return nil
        }
        // A comment or a quotation at the pattern's end takes the bracket in, unless it is ended.
        for end in ["", "\n", "\\E"] {
            // `\z` and not `$`, which would also match before a line break at the end.
            let whole = "(?:\(pattern)\(end))\\z"
            if let expression = try? NSRegularExpression(pattern: whole, options: options) { return expression }
        }
        return nil
    }
}

/// The patterns of the last comparisons; emptied when there are too many.
private final class PatternCache<Pattern>: @unchecked Sendable {
    // Safe: the dictionary is behind the lock, and compiled patterns don't change.
    private static var limit: Int { 128 }
    private let lock = Mutex<Void>(())
    private var patterns: [ByteString: Pattern] = [:]

    func value(for key: String, make: (String) -> Pattern) -> Pattern {
        lock.withLock { _ in
            if let known = patterns[ByteString(key)] { return known }
            if patterns.count >= Self.limit { patterns.removeAll(keepingCapacity: true) }
            let made = make(key)
            patterns[ByteString(key)] = made
            return made
        }
    }
}
