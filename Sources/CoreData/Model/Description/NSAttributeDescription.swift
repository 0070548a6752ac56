// Attributes: values of a type. Limits (minimum, length, pattern) are in AttributeLimit.swift.

import Foundation

/// An attribute of an entity.
open class NSAttributeDescription: NSPropertyDescription {
    /// The type of an attribute, as newer code spells it; each stands for one ``NSAttributeType``.
    public struct AttributeType: RawRepresentable, Hashable, Sendable {
        /// The number of the ``NSAttributeType``.
        public var rawValue: UInt

        /// A type with the number of an ``NSAttributeType``.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        private init(_ type: NSAttributeType) { rawValue = type.rawValue }

        /// No type; only transient attributes may have it.
        public static var undefined: Self { Self(.undefinedAttributeType) }
        /// A whole number of 16 bits.
        public static var integer16: Self { Self(.integer16AttributeType) }
        /// A whole number of 32 bits.
        public static var integer32: Self { Self(.integer32AttributeType) }
        /// A whole number of 64 bits.
        public static var integer64: Self { Self(.integer64AttributeType) }
        /// A decimal number of up to 38 digits, or 39 below 2^128.
        public static var decimal: Self { Self(.decimalAttributeType) }
        /// A floating-point number of 64 bits.
        public static var double: Self { Self(.doubleAttributeType) }
        /// A floating-point number of 32 bits.
        public static var float: Self { Self(.floatAttributeType) }
        /// A text.
        public static var string: Self { Self(.stringAttributeType) }
        /// True or false.
        public static var boolean: Self { Self(.booleanAttributeType) }
        /// A point in time.
        public static var date: Self { Self(.dateAttributeType) }
        /// Bytes.
        public static var binaryData: Self { Self(.binaryDataAttributeType) }
        /// A UUID.
        public static var uuid: Self { Self(.UUIDAttributeType) }
        /// A URI.
        public static var uri: Self { Self(.URIAttributeType) }
        /// Any object, through a value transformer.
        public static var transformable: Self { Self(.transformableAttributeType) }
        /// The ID of an object.
        public static var objectID: Self { Self(.objectIDAttributeType) }
        /// A group of attributes.
        public static var composite: Self { Self(.compositeAttributeType) }
    }

    /// The type. A change also sets ``attributeValueClassName`` to the class that goes with it.
    open var attributeType: NSAttributeType = .undefinedAttributeType {
        willSet { willChange() }
        didSet {
            // A class that was set for a transformable attribute before its type stays.
            let hadTypesClass = attributeValueClassName == oldValue.valueClassName
            if attributeType.valueClassName != nil || hadTypesClass {
                attributeValueClassName = attributeType.valueClassName
            }
            didChange()
        }
    }

    /// The type, as newer code spells it. A number that is no ``NSAttributeType`` stops the program.
    open var type: AttributeType {
        get { AttributeType(rawValue: attributeType.rawValue) }
        set {
            guard let type = NSAttributeType(rawValue: newValue.rawValue) else {
                fatalError("\(newValue.rawValue) is no attribute type. Use one of AttributeType's constants.")
            }
            attributeType = type
        }
    }

    /// The name of the class of the values, such as `NSNumber`. Only a transformable attribute's is worth setting.
    open var attributeValueClassName: String? {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// The value of a new object.
    open var defaultValue: Any? {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// The name of a transformable attribute's value transformer; nil means the secure unarchiving one.
    open var valueTransformerName: String? {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// Whether a store may keep large values in files of their own.
    open var allowsExternalBinaryDataStorage: Bool = false {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// Whether the persistent history keeps the value of a deleted object.
    open var preservesValueInHistoryOnDeletion: Bool = false {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// Whether CloudKit may encrypt the value. Kept, without effect here.
    open var allowsCloudEncryption: Bool = false {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// Whether a generated property is a number and not an `NSNumber?`. A model's source alone says it.
    package final var usesScalarValueType = false

    override func makeBlank() -> NSPropertyDescription { NSAttributeDescription() }

    override func copySettings(to copy: NSPropertyDescription) {
        super.copySettings(to: copy)
        guard let copy = copy as? NSAttributeDescription else { return }
        copy.attributeType = attributeType
        copy.attributeValueClassName = attributeValueClassName
        copy.defaultValue = defaultValue
        copy.valueTransformerName = valueTransformerName
        copy.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        copy.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        copy.allowsCloudEncryption = allowsCloudEncryption
        copy.usesScalarValueType = usesScalarValueType
    }
}
