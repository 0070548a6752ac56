// The model of the article, and a store in memory.

import CoreData

enum TodoModel {
    /// A container whose entities have the classes.
    static func makeContainer(item: AnyClass, completion: AnyClass) throws -> NSPersistentContainer {
        let model = NSManagedObjectModel()
        let itemEntity = NSEntityDescription()
        itemEntity.name = "TodoItem"
        itemEntity.managedObjectClassName = NSStringFromClass(item)
        let completionEntity = NSEntityDescription()
        completionEntity.name = "TodoCompletion"
        completionEntity.managedObjectClassName = NSStringFromClass(completion)

        let completions = NSRelationshipDescription()
        completions.name = "completions"
        completions.destinationEntity = completionEntity
        completions.maxCount = 0
        completions.deleteRule = .cascadeDeleteRule
        let owner = NSRelationshipDescription()
        owner.name = "item"
        owner.destinationEntity = itemEntity
        owner.maxCount = 1
        owner.deleteRule = .nullifyDeleteRule
        completions.inverseRelationship = owner
        owner.inverseRelationship = completions
        itemEntity.properties = [
            attribute("id", .integer64AttributeType), attribute("label", .stringAttributeType), completions,
        ]
        completionEntity.properties = [attribute("completionDate", .dateAttributeType), owner]
        model.entities = [itemEntity, completionEntity]

        let container = NSPersistentContainer(name: "Todo", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = false
        return attribute
    }
}
