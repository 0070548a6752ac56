// The names of symbols, as Swift's ABI document "Mangling" describes them: identifiers with substituted words, and
// substitutions (A...) for what stood there before. Only what properties and methods of classes need.

/// Builds one symbol's name.
struct Mangler {
    private var text: [UInt8] = Array("$s".utf8)
    /// Where words that occurred before stand in the text.
    private var words: [Range<Int>] = []
    /// What stood there before, with its number.
    private var substitutions: [String: Int] = [:]
    private var lastSubstitution = LastSubstitution()

    /// The substitution at the end of the text, to which the next one can be joined.
    private struct LastSubstitution {
        var position = 0
        var size = 0
        var count = 0
        var isStandard = false
    }

    /// The name so far.
    var symbol: String { String(decoding: text, as: UTF8.self) }

    mutating func append(_ operation: String) { text.append(contentsOf: operation.utf8) }

    // MARK: Substitutions

    /// Remembers what was just appended.
    mutating func remember(_ key: String) {
        if substitutions[key] == nil { substitutions[key] = substitutions.count }
    }

    /// Appends a substitution for what stood there before; returns false where it didn't.
    mutating func substitute(_ key: String) -> Bool {
        guard let index = substitutions[key] else { return false }
        if index >= 26 {
            append("A")
            appendIndex(index - 26)
        } else {
            let letter = UInt8(ascii: "A") + UInt8(index)
            if !merge(letter, isStandard: false) {
                append("A")
                text.append(letter)
            }
        }
        return true
    }

    /// Appends a type of the standard library that has a letter of its own, such as `SS`.
    mutating func appendStandard(_ letter: Character) {
        guard let letter = letter.asciiValue else { return }
        if !merge(letter, isStandard: true) {
            append("S")
            text.append(letter)
        }
    }

    private mutating func appendIndex(_ index: Int) { append(index == 0 ? "_" : "\(index - 1)_") }

    /// Joins a substitution to the one before it: `AB` and `C` are `AbC`, `Si` and `i` are `S2i`.
    private mutating func merge(_ letter: UInt8, isStandard: Bool) -> Bool {
        let last = lastSubstitution
        if last.count > 0, last.isStandard == isStandard, text.count == last.position + last.size, let end = text.last {
            if end == letter {
                text.removeSubrange(last.position...)
                append("\(last.count + 1)")
                text.append(letter)
                lastSubstitution.count += 1
                lastSubstitution.size = text.count - last.position
                return true
            }
            if !isStandard {
                text[text.count - 1] = end + 32
                lastSubstitution = LastSubstitution(position: text.count, size: 1, count: 1)
                text.append(letter)
                return true
            }
        }
        lastSubstitution = LastSubstitution(position: text.count + 1, size: 1, count: 1, isStandard: isStandard)
        return false
    }

    // MARK: Identifiers

    /// Appends an identifier of ASCII characters.
    mutating func appendIdentifier(_ name: String) {
        let key = "identifier \(name)"
        if substitute(key) { return }
        appendWords(Array(name.utf8))
        remember(key)
    }

    /// A word of an identifier that has stood there before: where it begins, and the word's number.
    private struct Repetition {
        var position: Int
        var word: Int?
    }

    private mutating func appendWords(_ name: [UInt8]) {
        let wordCount = words.count
        var repetitions = findWords(name)
        if !repetitions.isEmpty { append("0") }
        repetitions.append(Repetition(position: name.count))
        var position = 0
        var nextNewWord = wordCount
        for (index, repetition) in repetitions.enumerated() {
            if position < repetition.position {
                append("\(repetition.position - position)")
                while position < repetition.position {
                    // New words were found in the identifier; from now on they are where it is in the text.
                    if nextNewWord < words.count, words[nextNewWord].lowerBound == position {
                        words[nextNewWord] = text.count..<text.count + words[nextNewWord].count
                        nextNewWord += 1
                    }
                    text.append(name[position])
                    position += 1
                }
            }
            guard let word = repetition.word else { continue }
            position += words[word].count
            // Of the repetitions of an identifier the last one is a capital letter.
            let isLast = index == repetitions.count - 2
            text.append(UInt8(ascii: isLast ? "A" : "a") + UInt8(word))
            if isLast, position == name.count { append("0") }
        }
    }

    /// Finds the words of an identifier that occurred before, and notes the others (their places within the identifier).
    private mutating func findWords(_ name: [UInt8]) -> [Repetition] {
        let known = words.count
        var found: [Repetition] = []
        var start: Int?
        for position in 0...name.count {
            let character = position < name.count ? name[position] : 0
            if let begin = start, Self.endsWord(character, after: name[position - 1]) {
                let word = name[begin..<position]
                let before = words[..<known].firstIndex { text[$0].elementsEqual(word) }
                if let index = before ?? words[known...].firstIndex(where: { name[$0].elementsEqual(word) }) {
                    found.append(Repetition(position: begin, word: index))
                } else if word.count >= 2, words.count < 26 {
                    words.append(begin..<position)
                }
                start = nil
            }
            if start == nil, Self.startsWord(character) { start = position }
        }
        return found
    }

    private static func startsWord(_ character: UInt8) -> Bool {
        character != 0 && character != UInt8(ascii: "_") && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
    }

    private static func endsWord(_ character: UInt8, after previous: UInt8) -> Bool {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return character == 0 || character == UInt8(ascii: "_")
            || (!capitals.contains(previous) && capitals.contains(character))
    }
}
