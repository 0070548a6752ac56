// Entities for classes that no loaded model has, made of what the plugin ManagedObjectClasses names. Only key paths are followed
// on their objects: code that builds its model from key paths has none yet when it needs their names.

import Foundation
import Synchronization

enum StandInEntities {
    private struct Known: @unchecked Sendable {
        // Safe: nothing changes a model once it is made here.
        let model: NSManagedObjectModel?
        let entity: NSEntityDescription?
    }

    private static let known = Mutex<[ObjectIdentifier: Known]>([:])

    /// The entity for a class; nil where the plugin names nothing of it.
    static func entity(for cls: NSManagedObject.Type) -> NSEntityDescription? {
        if let found = known.withLock({ $0[ObjectIdentifier(cls)] }) { return found.entity }
        // Outside the lock: generated code runs. Two threads may both do it, with the same result.
        var builder = Builder()
        let entity = builder.entity(for: cls)
        let model = entity.map { _ in NSManagedObjectModel() }
        model?.entities = Array(builder.entities.values)
        known.withLock { $0[ObjectIdentifier(cls)] = Known(model: model, entity: entity) }
        return entity
    }

    /// Makes the entity of a class, and those that its relationships lead to.
    private struct Builder {
        private(set) var entities: [ObjectIdentifier: NSEntityDescription] = [:]

        mutating func entity(for cls: NSManagedObject.Type) -> NSEntityDescription? {
            if let made = entities[ObjectIdentifier(cls)] { return made }
            let named = WrittenAccessors.modelledProperties(of: cls)
            if named.isEmpty { return nil }
            let entity = NSEntityDescription()
            entity.name = ClassNames.name(of: cls)
            entity.managedObjectClassName = ClassNames.name(of: cls)
            entities[ObjectIdentifier(cls)] = entity
            var properties: [String: NSPropertyDescription] = [:]
            for property in named {
                let made = self.property(property.type)
                made.name = property.key
                made.isOptional = true
                properties[property.key] = made
            }
            entity.properties = properties.values.sorted { $0.name < $1.name }
            return entity
        }

        private mutating func property(_ type: Any.Type) -> NSPropertyDescription {
            if let wrapped = (type as? any OptionalLayer.Type)?.wrappedType { return property(wrapped) }
            if let cls = type as? NSManagedObject.Type { return relationship(to: cls) }
            let members = (type as? any ListType.Type)?.element as? NSManagedObject.Type
            if members != nil || type is NSSet.Type || type is NSOrderedSet.Type {
                let relationship = NSRelationshipDescription()
                relationship.isOrdered = type is NSOrderedSet.Type || type is any RandomAccessCollection.Type
                return relationship
            }
            let attribute = NSAttributeDescription()
            attribute.attributeType = Self.attributeType(type)
            return attribute
        }

        private mutating func relationship(to cls: NSManagedObject.Type) -> NSPropertyDescription {
            let relationship = NSRelationshipDescription()
            relationship.maxCount = 1
            relationship.destinationEntity = entity(for: cls)
            return relationship
        }

        private static func attributeType(_ type: Any.Type) -> NSAttributeType {
            if let raw = (type as? any RawRepresentable.Type)?.rawType { return attributeType(raw) }
            return switch type {
            // Before NSNumber, which NSDecimalNumber inherits from.
            case is Decimal.Type, is NSDecimalNumber.Type: .decimalAttributeType
            case is any FixedWidthInteger.Type, is NSNumber.Type: .integer64AttributeType
            case is Bool.Type: .booleanAttributeType
            case is Double.Type: .doubleAttributeType
            case is Float.Type: .floatAttributeType
            case is String.Type, is NSString.Type: .stringAttributeType
            case is Date.Type, is NSDate.Type: .dateAttributeType
            case is Data.Type, is NSData.Type: .binaryDataAttributeType
            case is UUID.Type, is NSUUID.Type: .UUIDAttributeType
            case is URL.Type, is NSURL.Type: .URIAttributeType
            default: .transformableAttributeType
            }
        }
    }
}

private protocol ListType {
    static var element: Any.Type { get }
}

extension Set: ListType {
    fileprivate static var element: Any.Type { Element.self }
}

extension Array: ListType {
    fileprivate static var element: Any.Type { Element.self }
}

extension RawRepresentable {
    fileprivate static var rawType: Any.Type { RawValue.self }
}
