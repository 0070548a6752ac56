// How strings are compared, for memory and SQLite alike.
//
// Without options: by their bytes in UTF-8, which is the order of their scalars. `é` in two normal forms are two strings.
// With [c] or [d]: both sides are folded first (case, diacritics), brought to one normal form, then compared by bytes.
// With [l]: folded by the rules of the user's locale.

import Foundation

enum StringComparison {
    /// Whether two strings are equal under the options.
    static func areEqual(_ a: String, _ b: String, _ options: NSComparisonPredicate.Options) -> Bool {
        if options.folds { return sameBytes(folded(a, options), folded(b, options)) }
        return sameBytes(a, b)
    }

    /// The order of two strings under the options.
    static func order(_ a: String, _ b: String, _ options: NSComparisonPredicate.Options) -> ComparisonResult {
        if options.folds { return byteOrder(folded(a, options), folded(b, options)) }
        return byteOrder(a, b)
    }

    /// Whether `text` contains `part`; every text contains the empty one.
    static func contains(_ text: String, _ part: String) -> Bool {
        let text = text.utf8.span
        let part = part.utf8.span
        guard part.count > 0 else { return true }
        guard part.count <= text.count else { return false }
        for start in 0...(text.count - part.count) where matches(text, part, at: start) { return true }
        return false
    }

    /// Whether `text` begins with `part`.
    static func begins(_ text: String, with part: String) -> Bool {
        let text = text.utf8.span
        let part = part.utf8.span
        return part.count <= text.count && matches(text, part, at: 0)
    }

    /// Whether `text` ends in `part`.
    static func ends(_ text: String, with part: String) -> Bool {
        let text = text.utf8.span
        let part = part.utf8.span
        return part.count <= text.count && matches(text, part, at: text.count - part.count)
    }

    static func sameBytes(_ a: String, _ b: String) -> Bool {
        let a = a.utf8.span
        let b = b.utf8.span
        return a.count == b.count && matches(a, b, at: 0)
    }

    static func byteOrder(_ a: String, _ b: String) -> ComparisonResult {
        let a = a.utf8.span
        let b = b.utf8.span
        for index in 0..<min(a.count, b.count) where a[index] != b[index] {
            return a[index] < b[index] ? .orderedAscending : .orderedDescending
        }
        if a.count == b.count { return .orderedSame }
        return a.count < b.count ? .orderedAscending : .orderedDescending
    }

    private static func matches(_ text: Span<UInt8>, _ part: Span<UInt8>, at start: Int) -> Bool {
        for index in 0..<part.count where text[start + index] != part[index] { return false }
        return true
    }

    // MARK: Folding

    /// The string without the differences that the options ignore.
    static func folded(_ string: String, _ options: NSComparisonPredicate.Options) -> String {
        // ASCII needs no tables, unless the locale has its own rules for it (the Turkish i).
        if !options.contains(.localeSensitive), isASCII(string) {
            return options.contains(.caseInsensitive) ? lowercasedASCII(string) : string
        }
        var folding: String.CompareOptions = []
        if options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
        let locale: Locale? = options.contains(.localeSensitive) ? .current : nil
        let folded = string.folding(options: folding, locale: locale)
        return isASCII(folded) ? folded : folded.precomposedStringWithCanonicalMapping
    }

    private static func isASCII(_ string: String) -> Bool { string.utf8.allSatisfy { $0 < 0x80 } }

    private static func lowercasedASCII(_ string: String) -> String {
        guard string.utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5A }) else { return string }
        return string.lowercased()
    }
}

extension NSComparisonPredicate.Options {
    /// Whether strings are folded before they are compared.
    var folds: Bool { !isDisjoint(with: [.caseInsensitive, .diacriticInsensitive, .localeSensitive]) }
}
