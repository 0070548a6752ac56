// What a custom store calls its rows. IDs are numbers within; here is which number stands for which reference, and which text
// stands for it in a URI:
//
//     42 -> 42    "Author-1" -> Author-1    Data([1, 0xAB]) -> <01ab>
//
// A text that another reference has already is told apart from it by its number: "42" beside 42 -> 42#1. A URI may be read before the
// store has named its reference. What the reference is then is a guess, which the first reference with that text replaces.

import Foundation

/// The references of one numbering of rows.
final class ObjectReferences: @unchecked Sendable {
    // Safe to share: everything is behind the lock, and references are strings, numbers and the like, which don't change.

    private struct State {
        var numbers: [AnyHashable: Int64] = [:]
        var numbersByText: [String: Int64] = [:]
        var references: [Any] = []
        var texts: [String] = []
        /// The numbers of guessed references.
        var guesses: Set<Int64> = []

        mutating func add(_ reference: Any, _ key: AnyHashable) -> Int64 {
            let number = Int64(references.count)
            var text = ObjectReferences.text(of: reference)
            while numbersByText[text] != nil { text += "#\(number)" }
            numbers[key] = number
            numbersByText[text] = number
            references.append(reference)
            texts.append(text)
            return number
        }

        mutating func replaceGuess(_ number: Int64, by reference: Any, _ key: AnyHashable) {
            guesses.remove(number)
            numbers[ObjectReferences.key(of: references[Int(number)])] = nil
            numbers[key] = number
            references[Int(number)] = reference
        }
    }

    private let lock = NSLock()
    private var state = State()

    /// The number for a reference; equal references are one, and those that can't be compared are where they have the same description.
    func number(for reference: Any) -> Int64 {
        let key = Self.key(of: reference)
        return lock.withLock {
            let known = state.numbers[key] ?? state.numbersByText[Self.text(of: reference)]
            if let known, state.guesses.contains(known) { state.replaceGuess(known, by: reference, key) }
            return state.numbers[key] ?? state.add(reference, key)
        }
    }

    /// The number for a reference that a URI names: the one with this text, or else a number or bytes if it looks like these.
    func number(forText text: String) -> Int64 {
        lock.withLock {
            if let number = state.numbersByText[text] { return number }
            let guess = Self.guess(text), key = Self.key(of: guess)
            if let number = state.numbers[key] { return number }
            let number = state.add(guess, key)
            state.guesses.insert(number)
            return number
        }
    }

    func reference(for number: Int64) -> Any { lock.withLock { state.references[Int(number)] } }

    /// The reference as it stands in a URI.
    func text(for number: Int64) -> String {
        let text = lock.withLock { state.texts[Int(number)] }
        return text.addingPercentEncoding(
            withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))) ?? text
    }

    // MARK: Keys and texts

    /// What equal references have in common, whether they are values of Swift's or objects of Foundation's.
    private static func key(of reference: Any) -> AnyHashable {
        let object = (reference as? any _ObjectiveCBridgeable)?._bridgeToObjectiveC() ?? reference
        // On Linux hashing the object never ends.
        if let number = object as? NSDecimalNumber { return number.decimalValue }
        return object as? AnyHashable ?? AnyHashable(text(of: reference))
    }

    private static func text(of reference: Any) -> String {
        guard let data = reference as? Data else { return "\(reference)" }
        return "<\(data.map { String(format: "%02x", $0) }.joined())>"
    }

    /// What has a text of this form.
    private static func guess(_ text: String) -> Any {
        let candidates: [Any?] = [Int64(text), bytes(text)]
        return candidates.compactMap(\.self).first { Self.text(of: $0) == text } ?? text
    }

    /// The bytes of pairs of hexadecimal digits, between the first character and the last; others are passed over.
    private static func bytes(_ text: String) -> Data {
        let digits = Array(text.utf8.dropFirst().dropLast())
        return Data(
            stride(from: 1, to: digits.count, by: 2).compactMap { index in
                UInt8(String(decoding: digits[index - 1...index], as: UTF8.self), radix: 16)
            })
    }
}
