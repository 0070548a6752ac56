// Names in the style of Core Data from the keys of data: entities in the singular with a capital (`comic_books` is ComicBook),
// properties with a small letter (`first_seen` is firstSeen).

/// Makes names of keys.
enum EnglishNames {
    private static let irregular = [
        "people": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse", "feet": "foot",
        "teeth": "tooth", "geese": "goose", "indices": "index", "vertices": "vertex", "matrices": "matrix",
        "criteria": "criterion", "shoes": "shoe", "movies": "movie", "cookies": "cookie", "ties": "tie",
    ]
    private static let uninflected: Set<String> = [
        "series", "species", "news", "data", "metadata", "media", "address", "status", "settings", "contents",
    ]

    /// The words of a key: `firstSeen`, `first_seen` and `first-seen` are two.
    static func words(of key: String) -> [String] {
        SnakeCase.text(String(key.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }))
            .split(separator: "_").map(String.init)
    }

    /// The singular of the last word of a key; a word that is none stays as it is.
    static func singular(_ key: String) -> String {
        guard let last = words(of: key).last, key.hasSuffix(last) || key.lowercased().hasSuffix(last) else {
            return key
        }
        return key.dropLast(last.count) + singularWord(String(key.suffix(last.count)))
    }

    private static func singularWord(_ word: String) -> String {
        let lower = word.lowercased()
        if let known = irregular[lower] { return known }
        if uninflected.contains(lower) || word.count < 4 { return word }
        for ending in ["ss", "us", "is"] where lower.hasSuffix(ending) { return word }
        if lower.hasSuffix("ies") { return word.dropLast(3) + "y" }
        for ending in ["sses", "shes", "ches", "xes", "zzes", "oes"] where lower.hasSuffix(ending) {
            return String(word.dropLast(2))
        }
        return lower.hasSuffix("s") ? String(word.dropLast()) : word
    }

    /// The plural of a name.
    static func plural(_ name: String) -> String {
        let last = words(of: name).last ?? name
        let lower = last.lowercased()
        if let known = irregular.first(where: { $0.value == lower })?.key {
            return name.dropLast(last.count) + (last.first?.isUppercase == true ? known.capitalizedFirst : known)
        }
        if uninflected.contains(lower), lower != "address", lower != "status" { return name }
        if lower.hasSuffix("y"), let before = lower.dropLast().last, !"aeiou".contains(before) {
            return name.dropLast() + "ies"
        }
        let isHissing = ["s", "x", "z", "ch", "sh"].contains { lower.hasSuffix($0) }
        let endsInO = lower.hasSuffix("o") && !["photo", "video", "radio", "logo", "piano"].contains(lower)
        return name + (isHissing || endsInO ? "es" : "s")
    }

    /// The name of an entity.
    static func entity(_ key: String) -> String {
        let name = words(of: key).map(\.capitalizedFirst).joined()
        guard let first = name.first, first.isLetter else { return "Record" + name }
        return namesOfTypes.contains(name) ? name + "Record" : name
    }

    /// The name of a property of an entity.
    static func property(_ key: String, of entity: String) -> String {
        let words = words(of: key)
        let name = (words.first ?? "") + words.dropFirst().map(\.capitalizedFirst).joined()
        guard let first = name.first, first.isLetter else { return "value" + name }
        return takenNames.contains(name) ? entity.smallFirst + name.capitalizedFirst : name
    }

    /// A name that isn't taken yet, whatever its capitals; takes it.
    static func unique(_ name: String, among taken: inout Set<String>) -> String {
        var unique = name
        var number = 2
        while !taken.insert(unique.lowercased()).inserted {
            unique = "\(name)\(number)"
            number += 1
        }
        return unique
    }

    /// What managed objects answer to themselves.
    private static let takenNames: Set<String> = [
        "description", "debugDescription", "hash", "self", "class", "superclass", "isProxy", "zone", "init", "copy",
        "entity", "objectID", "managedObjectContext", "hasChanges", "hasPersistentChangedValues", "isInserted",
        "isUpdated", "isDeleted", "isFault", "faultingState", "observationInfo", "isEqual", "retain", "release",
    ]
    private static let namesOfTypes: Set<String> = [
        "Any", "Array", "Bool", "Character", "Class", "Data", "Date", "Decimal", "Dictionary", "Double", "Error",
        "Float",
        "Int", "Module", "Never", "Object", "Optional", "Protocol", "Result", "Self", "Set", "String", "Task", "Type",
        "URL", "UUID", "Void",
    ]
}

extension String {
    /// The text with its first letter as a capital.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
    /// The text with its first letter as a small one; of an acronym, all of it.
    var smallFirst: String { prefix(1).lowercased() + dropFirst() }
}
