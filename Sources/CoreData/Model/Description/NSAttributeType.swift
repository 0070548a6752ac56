// The types that an attribute can have, with the numbers that compiled models and version hashes use.

package import ModelDocuments

/// The type of an attribute. The raw values are those of Core Data's `NSAttributeType`.
public enum NSAttributeType: UInt, Sendable, CaseIterable {
    /// No type; only transient attributes may have it.
    case undefinedAttributeType = 0
    case integer16AttributeType = 100
    case integer32AttributeType = 200
    case integer64AttributeType = 300
    case decimalAttributeType = 400
    case doubleAttributeType = 500
    case floatAttributeType = 600
    case stringAttributeType = 700
    case booleanAttributeType = 800
    case dateAttributeType = 900
    case binaryDataAttributeType = 1000
    case UUIDAttributeType = 1100
    case URIAttributeType = 1200
    /// Any object, stored through a value transformer.
    case transformableAttributeType = 1800
    /// The object's own ID; used in fetch results, never stored.
    case objectIDAttributeType = 2000
    /// A group of attributes (``NSCompositeAttributeDescription``).
    case compositeAttributeType = 2100
}

extension NSAttributeType {
    /// The name that the model editor writes (`Integer 16`), nil for the types that have none.
    package var typeName: AttributeTypeName? {
        switch self {
        case .undefinedAttributeType, .objectIDAttributeType: nil
        case .integer16AttributeType: .integer16
        case .integer32AttributeType: .integer32
        case .integer64AttributeType: .integer64
        case .decimalAttributeType: .decimal
        case .doubleAttributeType: .double
        case .floatAttributeType: .float
        case .stringAttributeType: .string
        case .booleanAttributeType: .boolean
        case .dateAttributeType: .date
        case .binaryDataAttributeType: .binary
        case .UUIDAttributeType: .uuid
        case .URIAttributeType: .uri
        case .transformableAttributeType: .transformable
        case .compositeAttributeType: .composite
        }
    }

    /// The text of ``typeName``.
    package var modelName: String? { typeName?.rawValue }

    /// The name for messages: the editor's, or a word where it has none.
    package var displayName: String {
        modelName ?? (self == .objectIDAttributeType ? "Object ID" : "Undefined")
    }

    /// The class of the values, as a compiled model names it; nil where the type doesn't settle it.
    package var valueClassName: String? {
        switch self {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .booleanAttributeType:
            "NSNumber"
        case .decimalAttributeType: "NSDecimalNumber"
        case .stringAttributeType: "NSString"
        case .dateAttributeType: "NSDate"
        case .binaryDataAttributeType: "NSData"
        case .UUIDAttributeType: "NSUUID"
        case .URIAttributeType: "NSURL"
        case .objectIDAttributeType: "NSManagedObjectID"
        case .compositeAttributeType: "NSDictionary"
        case .undefinedAttributeType, .transformableAttributeType: nil
        }
    }
}

extension NSAttributeType {
    /// Whether there are integers that the type has no room for; code may set any.
    var isNarrow: Bool { [.integer16AttributeType, .integer32AttributeType].contains(self) }

    /// Whether among its values is one that is not a number.
    var hasNaN: Bool {
        [.doubleAttributeType, .floatAttributeType, .decimalAttributeType, .dateAttributeType].contains(self)
    }

    /// What the type has room for, in words, where a value isn't among that.
    func room(exceededBy value: ManagedValue) -> String? {
        switch (value, self) {
        case (.integer(let number), .integer16AttributeType) where Int16(exactly: number) == nil:
            "an integer of 16 bits (\(Int16.min) to \(Int16.max))"
        case (.integer(let number), .integer32AttributeType) where Int32(exactly: number) == nil:
            "an integer of 32 bits (\(Int32.min) to \(Int32.max))"
        default: nil
        }
    }
}
