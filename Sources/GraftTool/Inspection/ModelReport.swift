// What `graft inspect` tells about a model: plain values in a defined order. ReportText.swift and JSON are renderings.

import CoreData
import Foundation
import Graft

/// A model in words.
struct ModelReport: Encodable {
    /// The model's version identifiers, sorted.
    var versionIdentifiers: [String]
    /// Why no identities and key paths are shown: the first annotation that can't be followed.
    var mappingProblem: String?
    /// By name.
    var entities: [Entity]

    struct Entity: Encodable {
        var name: String
        var className: String
        var superentity: String?
        var isAbstract: Bool
        /// What identifies an object in JSON, super-entities' declarations included.
        var identity: [String]
        var uniquenessConstraints: [[String]]
        /// The entity's own attributes by name; inherited ones are with the super-entity.
        var attributes: [Attribute]
        var relationships: [Relationship]
        /// The number of objects of exactly this entity, in a store.
        var objectCount: Int?
    }

    struct Attribute: Encodable {
        var name: String
        var type: String
        var isOptional: Bool
        var isTransient: Bool
        var defaultValue: String?
        /// The key path in JSON; nil where the attribute takes no part.
        var keyPath: String?
    }

    struct Relationship: Encodable {
        var name: String
        var destination: String
        var inverse: String?
        var isToMany: Bool
        var isOrdered: Bool
        var isOptional: Bool
        var isTransient: Bool
        var minimumCount: Int
        /// 0 is unlimited.
        var maximumCount: Int
        var deleteRule: String
        var keyPath: String?
    }
}

extension ModelReport {
    /// What can't be followed in its annotations is no reason not to show a model.
    init(_ model: NSManagedObjectModel) {
        var mapping: MappingDescription?
        do {
            mapping = try MappingDescription(model)
        } catch {
            mappingProblem = Tool.words(of: error)
        }
        versionIdentifiers = model.versionIdentifiers.map { "\($0.base)" }.filter { !$0.isEmpty }.sorted()
        entities = model.entities.map { Entity($0, mapping) }.sorted { $0.name < $1.name }
    }
}

extension ModelReport.Entity {
    init(_ entity: NSEntityDescription, _ mapping: MappingDescription?) {
        name = entity.name ?? ""
        let keyPaths = mapping?.keyPaths(of: name) ?? [:]
        className = entity.managedObjectClassName ?? "NSManagedObject"
        superentity = entity.superentity?.name
        isAbstract = entity.isAbstract
        identity = mapping?.identity(of: name) ?? []
        uniquenessConstraints = entity.uniquenessConstraints.map { $0.map(Self.propertyName) }
        let properties = entity.ownProperties.sorted { $0.name < $1.name }
        attributes = properties.flatMap { property in
            property.storedParts.compactMap { name, part in
                (part as? NSAttributeDescription).map {
                    ModelReport.Attribute(
                        $0, named: name, isOptional: part.isOptional || property.isOptional, keyPath: keyPaths[name])
                }
            }
        }
        relationships = properties.compactMap { $0 as? NSRelationshipDescription }.map {
            ModelReport.Relationship($0, keyPath: keyPaths[$0.name])
        }
    }

    /// Constraints name their properties or hold them.
    private static func propertyName(_ element: Any) -> String {
        (element as? NSPropertyDescription)?.name ?? "\(element)"
    }
}

extension ModelReport.Attribute {
    init(_ attribute: NSAttributeDescription, named name: String, isOptional: Bool, keyPath: String?) {
        self.name = name
        type = attribute.attributeType.title
        self.isOptional = isOptional
        isTransient = attribute.isTransient
        defaultValue = attribute.defaultValue.map { Self.text($0, of: attribute) }
        self.keyPath = keyPath
    }

    private static func text(_ value: Any, of attribute: NSAttributeDescription) -> String {
        switch value {
        case let flag as NSNumber where attribute.attributeType == .booleanAttributeType: flag.boolValue ? "YES" : "NO"
        case let date as Date: date.formatted(.iso8601)
        case let data as Data: "\(data.count) bytes"
        default: "\(value)"
        }
    }
}

extension ModelReport.Relationship {
    init(_ relationship: NSRelationshipDescription, keyPath: String?) {
        name = relationship.name
        destination = relationship.destinationEntity?.name ?? ""
        inverse = relationship.inverseRelationship?.name
        isToMany = relationship.isToMany
        isOrdered = relationship.isOrdered
        isOptional = relationship.isOptional
        isTransient = relationship.isTransient
        minimumCount = relationship.minCount
        maximumCount = relationship.maxCount
        deleteRule = relationship.deleteRule.modelName
        self.keyPath = keyPath
    }
}

extension NSAttributeType {
    /// The type's name as Xcode's model editor shows it.
    fileprivate var title: String { self == .binaryDataAttributeType ? "Binary Data" : displayName }
}
