// Keyed archives (`NSKeyedArchiver`) as a table of objects that refer to each other by number:
//
//     $version 100000    $archiver NSKeyedArchiver    $top { root: UID 1 }
//     $objects [ "$null", { $class: UID 9, NSEntities: UID 2, … }, … ]
//
// An object is a dictionary with the UID of its class; its class is one with `$classname` and `$classes`. Other values
// stand for themselves. Reading and writing models is in ModelUnarchiver.swift and ModelArchiver.swift.

import Foundation

/// A keyed archive that was read.
final class KeyedArchive {
    /// An archive that can't be read.
    struct Damage: Error {
        var reason: String
    }

    /// A dictionary of the archive, with its class.
    struct Object {
        let uid: Int
        let className: String
        /// The class and those above it, as the archive has them.
        let classes: [String]
        let fields: [String: PropertyListValue]

        fileprivate init(uid: Int, className: String, classes: [String], entries: [PropertyListValue.Entry]) {
            self.uid = uid
            self.className = className
            self.classes = classes
            fields = Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
        }

        subscript(key: String) -> PropertyListValue? { fields[key] }
    }

    let root: Int
    private let objects: [PropertyListValue]
    /// How much may still be looked at. Values that refer to one another many times over would otherwise be read as often as there
    /// are ways to them, and a long text be copied each time.
    private var budget: Int

    /// - Throws: ``Damage``.
    init(_ data: Data) throws(Damage) {
        let list: PropertyListValue
        do {
            list = try BinaryPropertyListReader.value(of: data)
        } catch {
            throw Damage(reason: error.description)
        }
        guard list["$archiver"] == .string("NSKeyedArchiver"), case .array(let objects)? = list["$objects"] else {
            throw Damage(reason: "it is no keyed archive")
        }
        guard case .uid(let root)? = list["$top"]?["root"], objects.indices.contains(root) else {
            throw Damage(reason: "the archive has no root")
        }
        self.objects = objects
        self.root = root
        budget = 16 * data.count + 100_000
    }

    /// Takes what looking at a value costs: 1 for the value, more for many fields or bytes.
    func spend(_ cost: Int) throws(Damage) {
        budget -= cost
        guard budget > 0 else { throw Damage(reason: "its objects refer to one another too often") }
    }

    /// The object of a number; nil for `$null` and for plain values.
    func object(_ uid: Int) throws(Damage) -> Object? {
        guard uid != 0 else { return nil }
        guard objects.indices.contains(uid) else {
            throw Damage(reason: "object \(uid) doesn't exist; there are \(objects.count)")
        }
        try spend(1)
        guard case .dictionary(let entries) = objects[uid] else { return nil }
        try spend(entries.count)
        guard case .uid(let classNumber)? = entries.first(where: { $0.key == "$class" })?.value else { return nil }
        guard objects.indices.contains(classNumber), case .dictionary(let description) = objects[classNumber],
            case .string(let name)? = objects[classNumber]["$classname"]
        else { throw Damage(reason: "object \(uid) has no class") }
        try spend(description.count)
        var classes = [name]
        if case .array(let names)? = objects[classNumber]["$classes"] {
            try spend(names.count)
            for case .string(let name) in names { classes.append(name) }
        }
        return Object(uid: uid, className: name, classes: classes, entries: entries)
    }

    /// What a field refers to, or the field itself; nil for `$null` and where the field is absent.
    func value(_ field: PropertyListValue?) throws(Damage) -> PropertyListValue? {
        guard case .uid(let uid)? = field else { return field }
        guard uid != 0 else { return nil }
        guard objects.indices.contains(uid) else {
            throw Damage(reason: "object \(uid) doesn't exist; there are \(objects.count)")
        }
        try spend(1)
        return objects[uid]
    }

    // MARK: Fields of an object

    /// The object that a field refers to.
    func object(_ field: PropertyListValue?) throws(Damage) -> Object? {
        guard case .uid(let uid)? = field else { return nil }
        return try object(uid)
    }

    /// A text: a plain one or an `NSMutableString`.
    func text(_ field: PropertyListValue?) throws(Damage) -> String? {
        var found = try value(field)
        if case .dictionary? = found { found = try object(field)?["NS.string"] }
        guard case .string(let text)? = found else { return nil }
        try spend(text.utf8.count / 4)
        return text
    }

    /// A yes or no; no where the field is absent, as archives leave it out then.
    func flag(_ field: PropertyListValue?) throws(Damage) -> Bool {
        switch try value(field) {
        case .boolean(let value)?: value
        case .integer(let value)?: value != 0
        default: false
        }
    }

    func integer(_ field: PropertyListValue?) throws(Damage) -> Int64? {
        switch try value(field) {
        case .integer(let value)?: value
        case .boolean(let value)?: value ? 1 : 0
        default: nil
        }
    }

    /// The members of an array or a set, as fields; nil where the field is neither.
    func members(_ field: PropertyListValue?) throws(Damage) -> [PropertyListValue]? {
        guard let object = try object(field), case .array(let members)? = object["NS.objects"] else { return nil }
        return object["NS.keys"] == nil ? members : nil
    }

    /// The entries of a dictionary with texts as keys, sorted by key, values as fields; nil where the field is none.
    func entries(_ field: PropertyListValue?) throws(Damage) -> [(key: String, value: PropertyListValue)]? {
        guard let object = try object(field) else { return nil }
        let keys: [PropertyListValue]
        let values: [PropertyListValue]
        if case .array(let plainKeys)? = object["NS.keys"], case .array(let plainValues)? = object["NS.objects"] {
            keys = plainKeys
            values = plainValues
        } else if let mapping = try self.object(object["searchMapping"]) {
            // `NSKnownKeysDictionary1`: the keys are with the mapping, the values in the same order.
            keys = try members(mapping["keys"]) ?? []
            values = try members(object["values"]) ?? []
        } else {
            return nil
        }
        guard keys.count == values.count else {
            throw Damage(reason: "the dictionary \(object.uid) has \(keys.count) keys and \(values.count) values")
        }
        var entries: [(key: String, value: PropertyListValue)] = []
        for (key, value) in zip(keys, values) {
            if let text = try text(key) { entries.append((text, value)) }
        }
        return entries.sorted { $0.key < $1.key }
    }
}
