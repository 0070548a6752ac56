// Models for tests in a few lines: relationships name their destination and inverse, and are tied together at the end.

import CoreData

struct ModelSketch {
    struct Relationship {
        let description = NSRelationshipDescription()
        var destination: String
        var inverse: String?
    }

    enum Property {
        case attribute(NSAttributeDescription)
        case relationship(Relationship)
    }

    struct Entity {
        let description = NSEntityDescription()
        var parent: String?
        var relationships: [Relationship] = []
    }

    private var entities: [Entity] = []

    /// Adds an entity.
    mutating func entity(
        _ name: String, parent: String? = nil, isAbstract: Bool = false, info userInfo: [String: String] = [:],
        unique: [[String]] = [], _ properties: [Property]
    ) {
        var entity = Entity(parent: parent)
        entity.description.name = name
        entity.description.isAbstract = isAbstract
        entity.description.userInfo = userInfo
        entity.description.uniquenessConstraints = unique
        for property in properties {
            switch property {
            case .attribute(let attribute):
                entity.description.properties.append(attribute)
            case .relationship(let relationship):
                entity.description.properties.append(relationship.description)
                entity.relationships.append(relationship)
            }
        }
        entities.append(entity)
    }

    /// The model. Stops for names that lead nowhere.
    func model() -> NSManagedObjectModel {
        func find(_ name: String) -> Entity {
            guard let entity = entities.first(where: { $0.description.name == name }) else { fatalError("No \(name).") }
            return entity
        }
        for entity in entities {
            if let parent = entity.parent { find(parent).description.subentities.append(entity.description) }
        }
        for entity in entities {
            for relationship in entity.relationships {
                let destination = find(relationship.destination)
                relationship.description.destinationEntity = destination.description
                guard let inverse = relationship.inverse else { continue }
                guard let back = destination.relationships.first(where: { $0.description.name == inverse }) else {
                    fatalError("No \(relationship.destination).\(inverse).")
                }
                relationship.description.inverseRelationship = back.description
            }
        }
        let model = NSManagedObjectModel()
        model.entities = entities.map(\.description)
        return model
    }
}

extension ModelSketch.Property {
    /// An attribute; `json` is its key path.
    static func attribute(
        _ name: String, _ type: NSAttributeType = .stringAttributeType, json: String? = nil, transformer: String? = nil,
        isOptional: Bool = true, default value: Any? = nil, isTransient: Bool = false
    ) -> Self {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        attribute.isTransient = isTransient
        attribute.defaultValue = value
        attribute.userInfo = ModelSketch.userInfo(json, transformer)
        return .attribute(attribute)
    }

    /// A relationship to one object.
    static func toOne(
        _ name: String, _ destination: String, inverse: String? = nil, json: String? = nil, isOptional: Bool = true,
        rule: NSDeleteRule = .nullifyDeleteRule
    ) -> Self {
        relationship(name, destination, inverse, json, isOptional, rule, maxCount: 1, isOrdered: false)
    }

    /// A relationship to any number of objects.
    static func toMany(
        _ name: String, _ destination: String, inverse: String? = nil, json: String? = nil, isOptional: Bool = true,
        rule: NSDeleteRule = .nullifyDeleteRule, isOrdered: Bool = false
    ) -> Self {
        relationship(name, destination, inverse, json, isOptional, rule, maxCount: 0, isOrdered: isOrdered)
    }

    private static func relationship(
        _ name: String, _ destination: String, _ inverse: String?, _ json: String?, _ isOptional: Bool,
        _ rule: NSDeleteRule, maxCount: Int, isOrdered: Bool
    ) -> Self {
        let relationship = ModelSketch.Relationship(destination: destination, inverse: inverse)
        relationship.description.name = name
        relationship.description.maxCount = maxCount
        relationship.description.isOptional = isOptional
        relationship.description.isOrdered = isOrdered
        relationship.description.deleteRule = rule
        relationship.description.userInfo = ModelSketch.userInfo(json, nil)
        return .relationship(relationship)
    }
}

extension ModelSketch {
    fileprivate static func userInfo(_ json: String?, _ transformer: String?) -> [String: String] {
        var userInfo: [String: String] = [:]
        userInfo["JSONKeyPath"] = json
        userInfo["JSONTransformerName"] = transformer
        return userInfo
    }
}
