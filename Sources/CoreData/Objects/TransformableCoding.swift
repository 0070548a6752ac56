// Between the object of a transformable attribute and the bytes in its column. A transformer's *reverse* direction reads
// the stored data when it is of the archiving kind (data in, object out is then its forward direction): as in Core Data,
// `NSSecureUnarchiveFromData` and its subclasses go forward from data, all others go forward to data.

import Foundation

enum TransformableCoding {
    /// The object that stored bytes stand for; nil if they can't be decoded here (unknown transformer or class).
    static func object(from bytes: Data, transformerName: String?) -> Any? {
        guard let name = transformerName, !name.isEmpty else { return unarchived(bytes) }
        guard let transformer = ValueTransformer.transformer(forName: NSValueTransformerName(name)) else { return nil }
        if transformer is NSSecureUnarchiveFromDataTransformer { return transformer.transformedValue(bytes) }
        return transformer.reverseTransformedValue(bytes)
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
                + "property-list value or one that conforms to NSCoding, or name a transformer in the model.")
    }

    /// An object from a keyed archive; nil if the bytes aren't one or hold classes that don't exist here.
    static func unarchived(_ data: Data) -> Any? {
        // The failure isn't lost: the caller keeps the bytes and reports them as undecodable.
        guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
        unarchiver.requiresSecureCoding = false
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        let object = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        return unarchiver.error == nil ? object : nil
    }

    static func archived(_ object: Any) -> Data? {
        guard let coded = codable(object) else { return nil }
        return try? NSKeyedArchiver.archivedData(withRootObject: coded, requiringSecureCoding: false)
    }

    /// Foundation's class for a Swift value that an archiver takes; nil for what can't be archived.
    private static func codable(_ object: Any) -> Any? {
        switch object {
        case let string as String: NSString(string: string)
        case let array as [Any]: NSArray(array: array)
        case let dictionary as [String: Any]: NSDictionary(dictionary: dictionary)
        case let coding as any NSCoding: coding
        case let number as NSNumber: number
        case let date as Date: date as NSDate
        case let data as Data: data as NSData
        case let url as URL: url as NSURL
        case let uuid as UUID: uuid as NSUUID
        default: nil
        }
    }
}
