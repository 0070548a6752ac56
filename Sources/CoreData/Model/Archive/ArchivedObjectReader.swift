// Reading the object of a transformable value: a keyed archive whose bytes may come from anybody. Foundation's unarchiver makes
// whatever class the bytes name and ends the process on malformed ones, so the classes that stand for data are read here, and
// nothing else is made of bytes but what the application has said that it wants:
//
//     texts, numbers, dates, data, UUIDs, URLs, nulls, locales, time zones, lists, sets and dictionaries     read here
//     NSKeyedUnarchiver.setClass(_:forClassName:), allowedTopLevelClasses of the attribute's transformer     by Foundation, after
//                                                                                     the whole archive has been looked through
//     every other class, a list in itself, lists too deep                             no object; the bytes stay as they are

import Foundation

/// A list, a dictionary or a text that an archive says can be changed in place. Foundation on Linux doesn't show such within each other:
/// whoever asks a dictionary gets a value of Swift's.
package final class MutableShape {
    package let content: Any

    package init(_ content: Any) { self.content = content }
}

/// Reads one archive, once.
struct ArchivedObjectReader {
    typealias Damage = KeyedArchive.Damage

    /// How deep objects may be nested: as deep as JSON that is read.
    private static let deepest = KeyedArchiveBuilder.deepestTree
    /// Foundation's unarchiver takes far more of the stack for a level.
    private static let deepestForFoundation = 128

    private let archive: KeyedArchive
    private let isRegistered: (String) -> Bool
    /// The numbers of the objects that are being read: one that comes up again holds itself.
    private var open: Set<Int> = []
    private var deepestFound = 0
    /// Whether there is an object that only Foundation can make.
    private var hasRegistered = false
    private var showsShapes = false

    /// The object of an archive; nil where the bytes are none, are damaged, or name a class that isn't made.
    ///
    /// - Parameters:
    ///   - isRegistered: Whether the application wants objects of a class.
    ///   - showsShapes: Whether ``MutableShape`` stands for what can be changed in place.
    static func object(
        of data: Data, showsShapes: Bool = false, isRegistered: @escaping (String) -> Bool
    ) -> Any? {
        // The failure isn't lost: the caller keeps the bytes and reports them as undecodable.
        guard let archive = try? KeyedArchive(data) else { return nil }
        var reader = ArchivedObjectReader(archive: archive, isRegistered: isRegistered)
        reader.showsShapes = showsShapes
        guard let object = try? reader.value(.uid(archive.root)) else { return nil }
        return reader.hasRegistered ? reader.unarchived(data) : object
    }

    /// Why the bytes are no archive that can be read; nil where they are one, of whatever classes.
    static func damage(of data: Data) -> String? {
        do {
            var reader = ArchivedObjectReader(archive: try KeyedArchive(data)) { !knownClasses.contains($0) }
            _ = try reader.value(.uid(reader.archive.root))
            return nil
        } catch {
            return error.reason
        }
    }

    private init(archive: KeyedArchive, isRegistered: @escaping (String) -> Bool) {
        self.archive = archive
        self.isRegistered = isRegistered
    }

    private func unarchived(_ data: Data) -> Any? {
        guard deepestFound <= Self.deepestForFoundation,
            let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data)
        else { return nil }
        unarchiver.requiresSecureCoding = false
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        let object = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        return unarchiver.error == nil ? object : nil
    }

    // MARK: Values

    /// What a field refers to; nil for `$null`.
    private mutating func value(_ field: PropertyListValue?) throws(Damage) -> Any? {
        guard case .uid(let uid)? = field else { throw Damage(reason: "a value isn't an object of the archive") }
        guard let found = try archive.value(field) else { return nil }
        if let scalar = found.scalar { return scalar }
        guard case .dictionary = found else { throw Damage(reason: "object \(uid) is of no class") }
        guard let object = try archive.object(uid) else { throw Damage(reason: "object \(uid) has no class") }
        guard open.count < Self.deepest else { throw Damage(reason: "it is nested too deep") }
        guard open.insert(uid).inserted else { throw Damage(reason: "object \(uid) holds itself") }
        deepestFound = max(deepestFound, open.count)
        let value = try value(of: object)
        open.remove(uid)
        return value
    }

    private mutating func value(of object: KeyedArchive.Object) throws(Damage) -> Any {
        if isRegistered(object.className) { return try registered(object) }
        guard object.classes.allSatisfy(Self.knownClasses.contains) else { throw damage(object, "isn't registered") }
        switch object.className {
        case "NSArray": return try members(of: object)
        case "NSMutableArray":
            let members = try members(of: object)
            return showsShapes ? MutableShape(members) : NSMutableArray(array: members)
        case "NSSet": return NSSet(array: try differentMembers(of: object))
        case "NSMutableSet": return NSMutableSet(array: try differentMembers(of: object))
        case "NSOrderedSet": return NSOrderedSet(array: try differentMembers(of: object))
        case "NSMutableOrderedSet": return NSMutableOrderedSet(array: try differentMembers(of: object))
        case "NSDictionary": return try dictionary(object)
        case "NSMutableDictionary":
            let dictionary = try dictionary(object)
            return showsShapes ? MutableShape(dictionary) : NSMutableDictionary(dictionary: dictionary)
        default:
            guard let value = try scalar(object) else { throw damage(object, "is damaged") }
            return value
        }
    }

    /// A single value of a class; nil where its fields aren't what they have to be.
    private mutating func scalar(_ object: KeyedArchive.Object) throws(Damage) -> Any? {
        switch object.className {
        case "NSString", "NSMutableString":
            guard let text = try text(object) else { return nil }
            if object.className == "NSString" { return text }
            return showsShapes ? MutableShape(text) : NSMutableString(string: text)
        case "NSData", "NSMutableData":
            guard case .data(let data)? = try archive.value(object["NS.data"]) else { return nil }
            return object.className == "NSData" ? data : NSMutableData(data: data)
        case "NSDate":
            // Foundation on Linux ends the process that writes such a date for people.
            guard let seconds = try number(object["NS.time"])?.doubleValue, !seconds.isNaN else { return nil }
            return Date(timeIntervalSinceReferenceDate: seconds)
        case "NSUUID":
            guard case .data(let data)? = try archive.value(object["NS.uuidbytes"]) else { return nil }
            return UUID(archivedBytes: data)
        case "NSURL":
            let base = object["NS.base"] == nil ? nil : try value(object["NS.base"])
            guard base == nil || base is URL, let text = try archive.text(object["NS.relative"]) else { return nil }
            return URL(string: text, relativeTo: base as? URL)
        case "NSNull": return Self.null
        case "NSNumber":
            for key in ["NS.number", "NS.boolval", "NS.intval", "NS.dblval"] {
                if let number = try number(object[key]) { return number }
            }
            return nil
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder":
            let decimal = try ArchivedDecimal(object, in: archive)?.value ?? Decimal.nan
            return NSDecimalNumber(decimal: decimal)
        case "NSLocale": return try archive.text(object["NS.identifier"]).map { NSLocale(localeIdentifier: $0) }
        case "NSTimeZone": return try archive.text(object["NS.name"]).flatMap { NSTimeZone(name: $0) }
        default: return nil
        }
    }

    private func text(_ object: KeyedArchive.Object) throws(Damage) -> String? {
        if let text = try archive.text(object["NS.string"]) { return text }
        guard case .data(let bytes)? = try archive.value(object["NS.bytes"]) else { return nil }
        try archive.spend(bytes.count / 4)
        return String(validating: bytes, as: UTF8.self)
    }

    private func number(_ field: PropertyListValue?) throws(Damage) -> NSNumber? {
        switch try archive.value(field) {
        case .boolean(let value)?: NSNumber(value: value)
        case .integer(let value)?: NSNumber(value: value)
        case .unsigned(let value)?: NSNumber(value: value)
        case .real(let value)?, .date(let value)?: NSNumber(value: value)
        default: nil
        }
    }

    // MARK: Collections

    private mutating func members(of object: KeyedArchive.Object) throws(Damage) -> [Any] {
        try values(try fields(object, "NS.objects"), of: object)
    }

    private mutating func values(
        _ fields: [PropertyListValue], of object: KeyedArchive.Object
    ) throws(Damage) -> [Any] {
        var values: [Any] = []
        values.reserveCapacity(fields.count)
        for field in fields {
            guard let value = try value(field) else { throw damage(object, "has an empty member") }
            values.append(value)
        }
        return values
    }

    private func fields(_ object: KeyedArchive.Object, _ key: String) throws(Damage) -> [PropertyListValue] {
        if case .array(let fields)? = object[key] { return fields }
        // Ordered sets have their members one by one: `NS.object.0` and so on.
        var fields: [PropertyListValue] = []
        while let field = object["NS.object.\(fields.count)"] { fields.append(field) }
        guard object[key] == nil, key == "NS.objects", !fields.isEmpty || object.className.hasSuffix("OrderedSet")
        else {
            throw damage(object, "has no list \(key)")
        }
        return fields
    }

    private mutating func differentMembers(of object: KeyedArchive.Object) throws(Damage) -> [Any] {
        let members = try members(of: object)
        var different: Set<AnyHashable> = []
        for key in try keys(members, of: object) {
            guard different.insert(key).inserted else { throw damage(object, "has a member twice") }
        }
        return members
    }

    private mutating func dictionary(_ object: KeyedArchive.Object) throws(Damage) -> [AnyHashable: Any] {
        let keys = try fields(object, "NS.keys")
        let values = try fields(object, "NS.objects")
        guard keys.count == values.count else {
            throw damage(object, "has \(keys.count) keys and \(values.count) values")
        }
        var dictionary: [AnyHashable: Any] = [:]
        let made = try self.values(values, of: object)
        for (key, value) in zip(try self.keys(try self.values(keys, of: object), of: object), made) {
            guard dictionary.updateValue(value, forKey: key) == nil else { throw damage(object, "has a key twice") }
        }
        return dictionary
    }

    private func keys(_ values: [Any], of object: KeyedArchive.Object) throws(Damage) -> [AnyHashable] {
        var keys: [AnyHashable] = []
        for value in values {
            // A key is copied, and a copy can't be changed.
            let value = (value as? MutableShape)?.content ?? (value as? NSMutableString)?.substring(from: 0) ?? value
            // In Foundation on Linux the hash of a decimal number has no end, and equal ordered sets have different ones.
            guard !(value is NSDecimalNumber), !(value is NSOrderedSet), let key = value as? AnyHashable else {
                throw damage(object, "has a key that can't be one")
            }
            keys.append(key)
        }
        return keys
    }

    // MARK: Registered classes

    /// Looks through an object that Foundation is to make: everything that it leads to has to be sound. What stands for it
    /// meanwhile is equal to nothing else.
    private mutating func registered(_ object: KeyedArchive.Object) throws(Damage) -> Any {
        hasRegistered = true
        for (key, field) in object.fields where key != "$class" { try look(into: field) }
        return NSObject()
    }

    private mutating func look(into field: PropertyListValue) throws(Damage) {
        switch field {
        case .uid: _ = try value(field)
        case .array(let fields):
            for field in fields { try look(into: field) }
        case .dictionary(let entries):
            for entry in entries { try look(into: entry.value) }
        default: break
        }
    }

    private func damage(_ object: KeyedArchive.Object, _ finding: String) -> Damage {
        Damage(reason: "object \(object.uid), a \(object.className), \(finding)")
    }

    /// All nulls of all archives: equal ones have different hashes in Foundation on Linux, and a table of keys mustn't have two.
    private static let null = NSNull()

    /// The classes that are read here, and those above them.
    private static let knownClasses: Set<String> = [
        "NSString", "NSMutableString", "NSData", "NSMutableData", "NSDate", "NSUUID", "NSURL", "NSNull", "NSNumber",
        "NSDecimalNumber", "NSDecimalNumberPlaceholder", "NSLocale", "NSTimeZone", "NSArray", "NSMutableArray", "NSSet",
        "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet", "NSDictionary", "NSMutableDictionary", "NSValue",
        "NSObject",
    ]
}
