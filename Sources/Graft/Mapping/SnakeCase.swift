// From the name of a property to its key in snake case. Words begin at a capital; a run of capitals is one word, an acronym,
// whose last letter begins the next word where a small letter follows: userID, HTMLText, listImageURLs.

enum SnakeCase {
    /// The name in snake case: `userID` is `user_id`, `HTMLText` is `html_text`, `imageURLs` is `image_urls`.
    static func text(_ name: String) -> String {
        let letters = Array(name)
        var text = ""
        for (index, letter) in letters.enumerated() {
            if index > 0, letter.isUppercase, beginsWord(index, letters) { text.append("_") }
            text.append(contentsOf: letter.lowercased())
        }
        return text
    }

    private static func beginsWord(_ index: Int, _ letters: [Character]) -> Bool {
        let previous = letters[index - 1]
        if previous == "_" { return false }
        guard previous.isUppercase else { return true }
        // Within a run of capitals, the one before a small letter begins a word, unless that letter is the plural of it.
        guard index + 1 < letters.count, letters[index + 1].isLowercase else { return false }
        let endsPlural = letters[index + 1] == "s" && (index + 2 == letters.count || letters[index + 2].isUppercase)
        return !endsPlural
    }
}
