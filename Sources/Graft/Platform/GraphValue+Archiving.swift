// Objects of transformable attributes: the bytes that a store keeps for them.

import CoreData
import Foundation

extension GraphValue {
    /// The value of a transformable attribute for an object that is no tree.
    ///
    /// - Throws: ``GraftError`` with `notRepresentable` where the object can't be archived.
    init(archiving object: Any, _ transformerName: String?) throws {
        do {
            self = .encoded(try Self.storedBytes(of: object, transformerName))
        } catch {
            throw GraftError(
                .notRepresentable(value: "the \(type(of: object)) \(object)", format: "a store"), underlying: error)
        }
    }

    /// The value as an object of a store would have it: a tree where the bytes of a transformable attribute are one.
    ///
    /// - Parameter transformerName: The transformer that the attribute is stored with.
    func tree(_ transformerName: String?) -> GraphValue {
        guard case .encoded(let bytes) = self else { return self }
        // What can't be read stays bytes.
        let object = try? Self.object(ofStored: bytes, transformerName)
        return object.flatMap { JSONValue(object: $0) }.map(GraphValue.json) ?? self
    }
}

#if canImport(Darwin) || GRAFT_PORTABLE
    extension GraphValue {
        /// The bytes that a store keeps for the object of a transformable attribute.
        static func storedBytes(of object: Any, _ transformerName: String?) throws -> Data {
            guard let transformer = transformer(transformerName) else { return try archived(object) }
            // Of the archiving kind, forward leads from data to the object.
            let made =
                transformer is NSSecureUnarchiveFromDataTransformer
                ? transformer.reverseTransformedValue(object) : transformer.transformedValue(object)
            if let data = made as? Data { return data }
            throw GraftError(
                .notRepresentable(value: "the \(type(of: object))", format: "the data of '\(transformerName ?? "")'"))
        }

        /// The object of the bytes that a store keeps for it; nil where the transformer makes none of them.
        static func object(ofStored bytes: Data, _ transformerName: String?) throws -> Any? {
            guard let transformer = transformer(transformerName) else { return try unarchived(bytes) }
            guard let reader = transformer as? NSSecureUnarchiveFromDataTransformer else {
                return transformer.reverseTransformedValue(bytes)
            }
            #if canImport(Darwin)
                // An error here is an exception there.
                let classes = type(of: reader).allowedTopLevelClasses
                guard try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: bytes) != nil else { return nil }
            #endif
            return reader.transformedValue(bytes)
        }

        /// The transformer of an attribute; nil where it archives without classes to allow, as Core Data does for a name that nobody has
        /// registered.
        private static func transformer(_ name: String?) -> ValueTransformer? {
            guard let name, !["NSUnarchiveFromData", "NSKeyedUnarchiveFromData"].contains(name) else { return nil }
            return ValueTransformer(forName: NSValueTransformerName(name))
        }

        private static func archived(_ object: Any) throws -> Data {
            #if canImport(Darwin)
                try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
            #else
                // Foundation on Linux writes a dictionary in another order each time.
                try TransformableValue(object: object, transformerName: nil).storedBytes()
            #endif
        }

        private static func unarchived(_ bytes: Data) throws -> Any? {
            #if canImport(Darwin)
                try NSKeyedUnarchiver.unarchiveTopLevelObjectWithData(bytes)
            #else
                // Foundation on Linux ends the process over bytes that are no archive.
                TransformableValue(stored: bytes, transformerName: nil).object
            #endif
        }

        /// What of a value tells equal ones of an archive apart from others. An object has other bytes each time that it is archived, so of
        /// bytes that are no tree nothing does.
        var archiveKey: GraphValue {
            guard case .encoded = self else { return self }
            let tree = tree(nil)
            return if case .json = tree { tree } else { .null }
        }
    }

    extension NSManagedObject {
        /// The value of an attribute; of a transformable one the bytes that a store keeps.
        func archivedValue(_ number: Int, _ property: GraphSchema.Property) throws -> GraphValue {
            guard property.attributeKind == .transformable else { return try graphValue(number, property) }
            guard let object = value(forKeyPath: property.name) else { return .null }
            return .encoded(try GraphValue.storedBytes(of: object, transformerName(property)))
        }

        /// Whether an attribute has a value of an archive, or an equal one.
        func holdsArchived(_ wanted: GraphValue, _ number: Int, _ property: GraphSchema.Property) throws -> Bool {
            if try holdsEqual(wanted, number, property) { return true }
            return try archivedValue(number, property).isSameValue(as: wanted)
        }

        /// Whether a transformable attribute has an object equal to that of some bytes, which are others each time that it is archived.
        func holdsEqual(_ wanted: GraphValue, _ number: Int, _ property: GraphSchema.Property) throws -> Bool {
            guard case .encoded(let bytes) = wanted, let held = value(forKeyPath: property.name),
                let object = try GraphValue.object(ofStored: bytes, transformerName(property))
            else { return false }
            // `isEqual` takes true and 1 for the same.
            let trees = (JSONValue(object: held), JSONValue(object: object))
            if trees.0 != nil || trees.1 != nil { return trees.0 == trees.1 }
            return (held as? NSObject)?.isEqual(object) ?? false
        }

        /// The name of the transformer that an attribute is stored with.
        func transformerName(_ property: GraphSchema.Property) -> String? {
            entity.attributePartsByName[property.name]?.valueTransformerName
        }
    }
#else
    extension GraphValue {
        /// The bytes that a store keeps for the object of a transformable attribute.
        static func storedBytes(of object: Any, _ transformerName: String?) throws -> Data {
            try TransformableValue(object: object, transformerName: transformerName).storedBytes()
        }

        /// The object of the bytes that a store keeps for it; nil where the transformer makes none of them.
        static func object(ofStored bytes: Data, _ transformerName: String?) throws -> Any? {
            TransformableValue(stored: bytes, transformerName: transformerName).object
        }

        /// What of a value tells equal ones of an archive apart from others: all of it, as a store gives back the bytes that it was given.
        var archiveKey: GraphValue { self }
    }

    extension NSManagedObject {
        /// The value of an attribute; of a transformable one the bytes that a store keeps.
        func archivedValue(_ number: Int, _ property: GraphSchema.Property) throws -> GraphValue {
            try slotValue(number).archivedValue
        }

        /// Whether an attribute has a value of an archive.
        func holdsArchived(_ wanted: GraphValue, _ number: Int, _ property: GraphSchema.Property) throws -> Bool {
            try archivedValue(number, property).isSameValue(as: wanted)
        }

        /// Whether a transformable attribute has an object equal to that of some bytes, which are others each time that it is archived.
        func holdsEqual(_ wanted: GraphValue, _ number: Int, _ property: GraphSchema.Property) throws -> Bool {
            guard case .encoded(let bytes) = wanted, case .transformable(let value) = slotValue(number) else {
                return false
            }
            return value.isSame(asStored: bytes)
        }
    }

    extension ManagedValue {
        /// The value of an attribute's slot; of a transformable one the bytes that a store keeps.
        var archivedValue: GraphValue {
            get throws {
                if case .transformable(let value) = self { return .encoded(try value.storedBytes()) }
                return try GraphValue(self, nil)
            }
        }
    }
#endif
