// Between the object of a transformable attribute and the bytes in its column. A transformer's *reverse* direction reads
// the stored data when it is of the archiving kind (data in, object out is then its forward direction): as in Core Data,
// `NSSecureUnarchiveFromData` and its subclasses go forward from data, all others go forward to data.

import Foundation

enum TransformableCoding {
    /// The object that stored bytes stand for; nil if they can't be decoded here (unknown transformer or class).
    ///
    /// - Returns: The object, and whether it is one of Foundation's that can be changed in place, or has such in it.
    static func object(from bytes: Data, transformerName: String?) -> (object: Any?, isMutable: Bool) {
        guard let name = transformerName, !name.isEmpty else { return marked(unarchived(bytes)) }
        guard let transformer = ValueTransformer.transformer(forName: NSValueTransformerName(name)) else {
            return (nil, false)
        }
        let isReader = transformer is NSSecureUnarchiveFromDataTransformer
        return marked(isReader ? transformer.transformedValue(bytes) : transformer.reverseTransformedValue(bytes))
    }

    /// The tree that bytes are, with ``MutableShape`` in the places of mutable lists, dictionaries and texts; nil for other bytes.
    static func shape(of bytes: Data) -> Any? {
        ArchivedObjectReader.object(of: bytes, showsShapes: true) { _ in false }
    }

    /// The bytes of a tree with such in it; nil where a transformer of others' makes the bytes.
    static func bytes(ofShape tree: Any, transformerName: String?) -> Data? {
        if let name = transformerName, !name.isEmpty {
            let transformer = ValueTransformer.transformer(forName: NSValueTransformerName(name))
            guard transformer is NSSecureUnarchiveFromDataTransformer else { return nil }
        }
        return archivedTree(tree)
    }

    private static func marked(_ object: Any?) -> (object: Any?, isMutable: Bool) {
        (object, object.map(hasMutableParts) ?? false)
    }

    static func hasMutableParts(_ object: Any) -> Bool {
        // Not the other way round: a cast of a list to a class makes objects of all that is in it.
        guard type(of: object) is AnyClass else {
            return switch object {
            case let array as [Any]: array.contains(where: hasMutableParts)
            case let dictionary as [AnyHashable: Any]: dictionary.values.contains(where: hasMutableParts)
            default: false
            }
        }
        return switch object {
        case is NSMutableArray, is NSMutableDictionary, is NSMutableSet, is NSMutableOrderedSet, is NSMutableString,
            is NSMutableData:
            true
        case let array as NSArray: array.contains(where: hasMutableParts)
        case let dictionary as NSDictionary: dictionary.allValues.contains(where: hasMutableParts)
        case let set as NSSet: set.allObjects.contains(where: hasMutableParts)
        case let set as NSOrderedSet: set.array.contains(where: hasMutableParts)
        default: false
        }
    }

    /// The bytes to store for an object.
    static func bytes(from object: Any, transformerName: String?) throws -> Data {
        guard let name = transformerName, !name.isEmpty else {
            if let data = archived(object) { return data }
            throw refusal(object, "the default transformer")
        }
        guard let transformer = ValueTransformer.transformer(forName: NSValueTransformerName(name)) else {
            throw CoreDataError.make(
                .coreData,
                "The value transformer '\(name)' isn't registered. Call ValueTransformer.setValueTransformer(_:forName:) first."
            )
        }
        let made =
            transformer is NSSecureUnarchiveFromDataTransformer
            ? transformer.reverseTransformedValue(object) : transformer.transformedValue(object)
        guard let data = made as? Data else { throw refusal(object, "the transformer '\(name)'") }
        return data
    }

    private static func refusal(_ object: Any, _ transformer: String) -> CocoaError {
        CoreDataError.make(
            .coreData,
            "A transformable attribute holds a \(type(of: object)), of which \(transformer) makes no data. Set a "
                + "property-list value, register its class with NSKeyedUnarchiver.setClass(_:forClassName:), or name a "
                + "transformer in the model that allows it.")
    }

    /// An object from a keyed archive; nil if the bytes aren't one or hold classes that the application hasn't registered.
    ///
    /// - Parameter allowed: Classes that a transformer allows, beside those given to `NSKeyedUnarchiver.setClass`.
    static func unarchived(_ data: Data, allowing allowed: [AnyClass] = []) -> Any? {
        // As `NSStringFromClass`, which ends the process for a class inside another one.
        let names = Set(
            allowed.map { allowed in
                let name = String(reflecting: allowed)
                return name.hasPrefix("Foundation.") ? String(name.dropFirst("Foundation.".count)) : name
            })
        return ArchivedObjectReader.object(of: data) { name in
            NSKeyedUnarchiver.class(forClassName: name) != nil || names.contains(name)
        }
    }

    /// A keyed archive of an object; nil if it can't be archived, or couldn't be read again.
    static func archived(_ object: Any, allowing allowed: [AnyClass] = []) -> Data? {
        let isObject = type(of: object) is AnyClass
        let object = isObject ? object : (object as? Set<AnyHashable>).map { NSSet(set: $0) } ?? object
        if let data = archivedTree(object) { return data }
        let root: Any? =
            switch object {
            case let object as any NSCoding where isObject: object
            case let array as [Any]: NSArray(array: array)
            case let dictionary as [AnyHashable: Any]: NSDictionary(dictionary: dictionary)
            default: object as? any NSCoding
            }
        guard let root else { return nil }
        guard let data = try? NSKeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: false),
            unarchived(data, allowing: allowed) != nil
        else { return nil }
        return data
    }

    /// The archive of a tree of plain values; nil for what has other objects in it.
    private static func archivedTree(_ object: Any) -> Data? {
        var builder = KeyedArchiveBuilder()
        guard case .uid(let root)? = try? builder.add(plain: object, deepest: KeyedArchiveBuilder.deepestTree) else {
            return nil
        }
        return builder.archive(root: root)
    }
}
