// What a custom store calls its rows. IDs are numbers within; here is which number stands for which reference.

import Foundation

/// The references of one numbering of rows.
final class ObjectReferences: @unchecked Sendable {
    // Safe to share: everything is behind the lock, and references are strings, numbers and the like, which don't change.

    private struct State {
        var numbers: [String: Int64] = [:]
        var references: [Any] = []
        var texts: [String] = []
    }

    private let lock = NSLock()
    private var state = State()

    /// The number for a reference; two references with the same description are one.
    func number(for reference: Any) -> Int64 {
        let text = "\(reference)"
        return lock.withLock {
            if let number = state.numbers[text] { return number }
            let number = Int64(state.references.count)
            state.numbers[text] = number
            state.references.append(reference)
            state.texts.append(text)
            return number
        }
    }

    /// The number for a reference that a URI names: the reference is a number if it looks like one.
    func number(forText text: String) -> Int64 { number(for: Int64(text).map { $0 as Any } ?? text) }

    func reference(for number: Int64) -> Any { lock.withLock { state.references[Int(number)] } }

    /// The reference as it stands in a URI.
    func text(for number: Int64) -> String {
        let text = lock.withLock { state.texts[Int(number)] }
        return text.addingPercentEncoding(
            withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))) ?? text
    }
}
