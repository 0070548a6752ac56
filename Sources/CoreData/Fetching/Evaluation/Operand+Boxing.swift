// From operands back to what the outside sees.

import Foundation

extension Operand {
    /// The value as `value(forKey:)` would give it; nil for none.
    var boxed: Any? {
        switch self {
        case .null: nil
        case .integer(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .string(let value): value
        case .date(let value): Date(timeIntervalSinceReferenceDate: value)
        case .data(let value): value
        case .uuid(let value): value
        case .object(let object): object.boxed
        case .collection(let collection): collection.elements.map { $0.boxed ?? NSNull() }
        case .opaque(let value): value.base
        }
    }
}

extension ReadableObject {
    var boxed: Any {
        switch self {
        case .managed(let object): object
        case .keyed(let object): object
        case .identifier(let id): id
        case .dictionary(let dictionary): dictionary
        case .swiftDictionary(let dictionary): dictionary
        case .reflected(let value): value
        }
    }

    /// The ID of a managed object, of a row, or the ID itself.
    var objectID: NSManagedObjectID? {
        switch self {
        case .managed(let object): object.objectID
        case .identifier(let id): id
        case .keyed(let object): object.readableValue(forKey: "objectID") as? NSManagedObjectID
        case .dictionary, .swiftDictionary, .reflected: nil
        }
    }
}
