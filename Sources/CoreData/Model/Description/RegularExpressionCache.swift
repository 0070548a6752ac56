// Compiled regular expressions by pattern. A model has a handful; a save asks for them once an object.

import Foundation
import Synchronization

/// The regular expressions of the process, each compiled once.
final class RegularExpressionCache: Sendable {
    static let shared = RegularExpressionCache()

    // Safe to share: NSRegularExpression is immutable and documented as thread-safe.
    private struct Entry: @unchecked Sendable { let expression: NSRegularExpression? }

    private let entries = Mutex<[String: Entry]>([:])
    private static let capacity = 256

    /// Whether a pattern matches a text from its first to its last character, as `MATCHES` does.
    func matchesWhole(_ text: String, pattern: String) -> Bool {
        guard let expression = expression(for: pattern) else { return false }
        let whole = NSRange(location: 0, length: text.utf16.count)
        return expression.firstMatch(in: text, options: [.anchored], range: whole)?.range == whole
    }

    func isValid(_ pattern: String) -> Bool { expression(for: pattern) != nil }

    /// The expression, nil where the pattern isn't one.
    private func expression(for pattern: String) -> NSRegularExpression? {
        entries.withLock { entries in
            if let entry = entries[pattern] { return entry.expression }
            if entries.count >= Self.capacity { entries.removeAll() }
            // A pattern that doesn't compile is a known answer, not an error to pass on.
            let made = PatternMatching.expression(forWhole: pattern)
            entries[pattern] = Entry(expression: made)
            return made
        }
    }
}
