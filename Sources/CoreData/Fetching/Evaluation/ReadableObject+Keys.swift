// What things answer to a key. Foundation on Linux has no key-value coding, so each kind of thing has its own way.

import Foundation

extension ReadableObject {
    /// The value for one key; null where there is none.
    func operand(forKey key: String) -> Operand {
        switch self {
        case .managed(let object): Self.value(of: object, key)
        case .keyed(let object): Operand(object.readableValue(forKey: key))
        case .identifier(let id): Self.value(of: id, key)
        case .dictionary(let dictionary): Operand(dictionary.object(forKey: key))
        case .swiftDictionary(let dictionary): Operand(dictionary[key])
        case .reflected(let value): Self.reflectedValue(of: value, key)
        }
    }

    /// Stored properties are read from their slots; transient ones and the keys that every object has go the long way,
    /// where accessors can answer.
    private static func value(of object: NSManagedObject, _ key: String) -> Operand {
        let layout = object.entityLayout
        if let slot = layout.slot(named: key), !layout.slots[slot].isTransient {
            return Operand(object.slotValue(slot))
        }
        return Operand((object as any KeyValueReadable).readableValue(forKey: key))
    }

    private static func value(of id: NSManagedObjectID, _ key: String) -> Operand {
        switch key {
        case "objectID": .object(.identifier(id))
        case "entity": Operand(id.entity)
        case "isTemporaryID": .boolean(id.isTemporaryID)
        default: .null
        }
    }

    /// Whether there is such a key, with a value or without one; of things that don't say what they have any may be.
    func has(_ key: String) -> Bool {
        switch self {
        case .managed(let object):
            object.entity.propertiesByName[key] != nil || object.writtenProperty(key, slot: nil) != nil
                || NSManagedObject.commonProperties[key] != nil
        case .keyed(let row as StoredRow): row.id.entity.propertiesByName[key] != nil
        case .reflected(let value): Self.reflectedChild(of: value, key) != nil
        case .keyed, .identifier, .dictionary, .swiftDictionary: true
        }
    }

    private static func reflectedValue(of value: Any, _ key: String) -> Operand {
        reflectedChild(of: value, key).map { Operand($0.value) } ?? .null
    }

    private static func reflectedChild(of value: Any, _ key: String) -> Mirror.Child? {
        var mirror: Mirror? = Mirror(reflecting: value)
        while let current = mirror {
            if let child = current.children.first(where: { $0.label == key || $0.label == "_\(key)" }) { return child }
            mirror = current.superclassMirror
        }
        return nil
    }
}

extension Operand {
    /// The value for one key of a thing that isn't a collection.
    func value(forKey key: String) -> Operand {
        switch self {
        case .object(let object): object.operand(forKey: key)
        case .string(let string): Self.value(of: string, key)
        case .integer, .real: numberValue(forKey: key)
        case .data(let data): key == "length" ? .integer(Int64(data.count)) : .null
        case .date(let seconds): Self.value(of: seconds, key)
        case .uuid(let uuid): key == "UUIDString" || key == "uuidString" ? .string(uuid.uuidString) : .null
        case .opaque(let value): Self.value(of: value.base, key)
        case .null, .collection: .null
        }
    }

    private static func value(of date: TimeInterval, _ key: String) -> Operand {
        switch key {
        case "timeIntervalSinceReferenceDate": .real(date)
        case "timeIntervalSince1970": .real(date + Date.timeIntervalBetween1970AndReferenceDate)
        case "timeIntervalSinceNow": .real(date - Date.timeIntervalSinceReferenceDate)
        default: .null
        }
    }

    private static func value(of string: String, _ key: String) -> Operand {
        switch key {
        case "length": .integer(Int64(string.utf16.count))
        case "lowercaseString", "lowercased": .string(string.lowercased())
        case "uppercaseString", "uppercased": .string(string.uppercased())
        case "capitalizedString": .string(string.capitalized)
        case "doubleValue", "floatValue": .number((string as NSString).doubleValue)
        case "intValue", "integerValue", "longLongValue": .integer((string as NSString).longLongValue)
        case "boolValue": .boolean((string as NSString).boolValue)
        case "description", "absoluteString": .string(string)
        default: .null
        }
    }

    private func numberValue(forKey key: String) -> Operand {
        guard let number = boxed as? NSNumber else { return .null }
        return switch key {
        case "doubleValue": .number(number.doubleValue)
        case "intValue", "integerValue", "longLongValue": .integer(Arithmetic.integer(self) ?? 0)
        case "boolValue": .boolean(number.doubleValue != 0)
        case "stringValue", "description": .string(number.stringValue)
        default: .null
        }
    }

    /// Model objects answer to the keys that predicates over `entity` use.
    private static func value(of object: Any, _ key: String) -> Operand {
        switch (object, key) {
        case (let entity as NSEntityDescription, "name"): Operand(entity.name)
        case (let entity as NSEntityDescription, "managedObjectClassName"): Operand(entity.managedObjectClassName)
        default: ReadableObject.reflected(object).operand(forKey: key)
        }
    }
}
