// Keys whose values may be identifiers of other objects, told by their names.

/// What the name of a key says about what it refers to.
enum ReferenceNames {
    private static let endings: Set<String> = ["id", "ids", "uuid", "uuids", "ref", "refs"]

    /// The words of what a key refers to: `publisher_id` and `publisherID` refer to a publisher. Nil where the name says nothing
    /// of the kind.
    static func base(of key: String) -> [String]? {
        let words = EnglishNames.words(of: key)
        if words == ["parent"] { return words }
        guard words.count > 1, let last = words.last, endings.contains(last) else { return nil }
        return Array(words.dropLast())
    }

    /// Whether words name an entity: `home_team` is a Team.
    static func name(_ words: [String], _ entity: String) -> Bool {
        let singular = words.dropLast() + [EnglishNames.singular(words.last ?? "")]
        return EnglishNames.words(of: entity).elementsEqual(singular.suffix(EnglishNames.words(of: entity).count))
    }
}
