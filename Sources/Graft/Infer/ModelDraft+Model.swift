// A draft as a model of Core Data's.

import CoreData

extension ModelDraft {
    func makeModel() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let made = entities.map { draft in
            let entity = NSEntityDescription()
            entity.name = draft.name
            entity.managedObjectClassName = draft.name
            entity.userInfo = draft.userInfo
            return entity
        }
        for (entity, draft) in zip(made, entities) {
            entity.properties = draft.attributes.map(\.description) + draft.relationships.map { $0.description(made) }
            if let identity = draft.identity { entity.uniquenessConstraints = [[identity]] }
        }
        for (entity, draft) in zip(made, entities) {
            for relationship in draft.relationships {
                let inverse = made[relationship.destination].relationshipsByName[relationship.inverse]
                entity.relationshipsByName[relationship.name]?.inverseRelationship = inverse
            }
        }
        model.entities = made
        return model
    }
}

extension ModelDraft.Attribute {
    fileprivate var description: NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = kind.attributeType
        attribute.isOptional = isOptional
        attribute.valueTransformerName = transformerName
        attribute.userInfo = userInfo
        return attribute
    }
}

extension ModelDraft.Relationship {
    fileprivate func description(_ entities: [NSEntityDescription]) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = entities[destination]
        relationship.maxCount = isToMany ? 0 : 1
        relationship.isOrdered = isOrdered
        relationship.isOptional = true
        relationship.deleteRule = deleteRule
        relationship.userInfo = userInfo
        return relationship
    }
}
