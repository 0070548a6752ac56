// Names in the style of Core Data from the keys of data: entities in the singular with a capital (`comic_books` is ComicBook),
// properties with a small letter (`first_seen` is firstSeen), letters of other scripts as Latin ones (`größe` is grosse).

import Foundation

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
        let name = words(of: latin(key)).map(\.capitalizedFirst).joined()
        guard let first = name.first, first.isLetter else { return "Record" + name }
        return namesOfTypes.contains(name) ? name + "Record" : name
    }

    /// The name of a property of an entity.
    static func property(_ key: String, of entity: String) -> String {
        let words = words(of: latin(key))
        let name = (words.first ?? "") + words.dropFirst().map(\.capitalizedFirst).joined()
        guard let first = name.first, first.isLetter else {
            return (key.hasPrefix("+") ? "plus" : key.hasPrefix("-") ? "minus" : "value") + name
        }
        return free(name, of: entity)
    }

    private static func latin(_ key: String) -> String {
        let transform = StringTransform(rawValue: "Any-Latin; Latin-ASCII")
        return key.utf8.allSatisfy { $0 < 0x80 } ? key : key.applyingTransform(transform, reverse: false) ?? key
    }

    /// The name, or a longer one where objects of the entity answer to it themselves.
    static func free(_ name: String, of entity: String) -> String {
        guard takenNames.contains(name) else { return name }
        let longer = entity.smallFirst + name.capitalizedFirst
        return takenNames.contains(longer) ? longer + "Value" : longer
    }

    /// A name that isn't taken yet, whatever its capitals; takes it.
    static func unique(_ name: String, among taken: inout Set<String>) -> String {
        var unique = name
        var number = 2
        // Not `line12` beside `line1`.
        let gap = name.last?.isNumber == true ? "_" : ""
        while !taken.insert(unique.lowercased()).inserted {
            unique = "\(name)\(gap)\(number)"
            number += 1
        }
        return unique
    }

    /// What objects and classes answer to themselves, on Apple's platforms too: a property of such a name isn't compiled, or key-value
    /// coding finds something else under it.
    private static let takenNames: Set<String> = [
        "accessInstanceVariablesDirectly", "alloc", "allocWithZone", "attributeKeys", "autoContentAccessingProxy",
        "autorelease", "awakeFromFetch", "awakeFromInsert", "awakeFromNib", "awakeFromSnapshotEvents",
        "changedValues", "changedValuesForCurrentEvent", "class", "classCode", "classDescription", "classForArchiver",
        "classForCoder", "classForKeyedArchiver", "classForKeyedUnarchiver", "classForPortCoder", "className",
        "committedValues", "contextShouldIgnoreUnmodeledPropertyChanges", "copy", "customMirror", "dealloc",
        "debugDescription", "deleted", "description", "didAccessValue", "didChangeValue", "didSave",
        "didTurnIntoFault", "dictionaryWithValues", "entity", "exposedBindings", "fault", "faultingState",
        "fetchRequest", "finalize", "hasChanges", "hasFault", "hasPersistentChangedValues", "hash", "hashValue",
        "init", "initialize", "inserted", "isDeleted", "isEqual", "isFault", "isInserted", "isProxy", "isUpdated",
        "load", "managedObjectContext", "mutableCopy", "new", "objectID", "objectIDs", "objectSpecifier",
        "objectWillChange", "observableObjectPublisher", "observationInfo", "observeValue", "performSelector",
        "prepareForDeletion", "primitiveValue", "release", "retain", "retainCount", "scriptingProperties", "self",
        "setNilValueForKey", "setPrimitiveValue", "setValue", "setValuesForKeys", "superclass",
        "toManyRelationshipKeys", "toOneRelationshipKeys", "updated", "validateForDelete", "validateForInsert",
        "validateForUpdate", "validateValue", "valueForKey", "valueForKeyPath", "willAccessValue", "willChangeValue",
        "willSave", "willTurnIntoFault", "zone",
    ]
    /// The types and modules that generated classes and the code around them name.
    private static let namesOfTypes: Set<String> = [
        "Actor", "Any", "AnyClass", "AnyHashable", "AnyObject", "Array", "Bool", "Bundle", "Calendar", "Character",
        "Class", "Codable", "CodingKey", "Collection", "Combine", "Comparable", "CoreData", "Data", "Date", "Decimal",
        "Decodable", "Decoder", "Dictionary", "Double", "Encodable", "Encoder", "Equatable", "Error", "Float",
        "Float16", "Float32", "Float64", "Foundation", "Graft", "Groot", "Hashable", "Identifiable", "Int", "Int8",
        "Int16", "Int32", "Int64", "Iterator", "Locale", "Mirror", "Module", "Never", "Notification", "Object",
        "ObjectiveC", "Optional", "Predicate", "Process", "Progress", "Protocol", "Range", "Result", "Self",
        "Sendable", "Sequence", "Set", "String", "Substring", "Swift", "SwiftUI", "Task", "Thread", "TimeInterval",
        "Timer", "Type", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Unicode", "URL", "UUID", "Void",
    ]
}

extension String {
    /// The text with its first letter as a capital.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
    /// The text with its first letter as a small one; of an acronym, all of it.
    var smallFirst: String { prefix(1).lowercased() + dropFirst() }
}
