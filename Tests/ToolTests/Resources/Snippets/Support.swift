// What the pages' snippets need that a reader has already: a model, a container, some objects.

import CoreData
import Graft

/// An entity with attributes; its class has its name.
func entity(_ name: String, identity: String? = nil, _ attributes: (String, NSAttributeType)...) -> NSEntityDescription
{
    let entity = NSEntityDescription()
    entity.name = name
    entity.managedObjectClassName = name
    if let identity { entity.userInfo = ["identityAttributes": identity] }
    entity.properties = attributes.map { name, type in
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }
    return entity
}

/// Lets one entity own many objects of another one.
func own(_ owner: NSEntityDescription, _ many: String, _ owned: NSEntityDescription, _ back: String) {
    let (there, here) = (NSRelationshipDescription(), NSRelationshipDescription())
    (there.name, there.destinationEntity, there.inverseRelationship) = (many, owned, here)
    (there.deleteRule, there.minCount, there.maxCount, there.isOptional) = (.cascadeDeleteRule, 0, 0, true)
    (here.name, here.destinationEntity, here.inverseRelationship) = (back, owner, there)
    (here.deleteRule, here.minCount, here.maxCount, here.isOptional) = (.nullifyDeleteRule, 0, 1, true)
    owner.properties.append(there)
    owned.properties.append(here)
}

/// A container in memory.
func container(_ model: NSManagedObjectModel) throws -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Snippets", managedObjectModel: model)
    let store = NSPersistentStoreDescription()
    store.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [store]
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
    return container
}

func container(of entities: NSEntityDescription...) throws -> NSPersistentContainer {
    let model = NSManagedObjectModel()
    model.entities = entities
    return try container(model)
}

/// A container with the heroes of Examples/Heroes.
func heroes() throws -> NSPersistentContainer {
    let folder = URL(fileURLWithPath: "Examples/Heroes")
    guard let model = NSManagedObjectModel(contentsOf: folder.appending(path: "Heroes.xcdatamodeld")) else {
        throw CocoaError(.fileReadCorruptFile)
    }
    let container = try container(model)
    try container.importJSON(contentsOf: [folder.appending(path: "heroes.json")], entity: "Hero")
    return container
}

/// The object of an entity with a value.
func object(_ entity: String, _ key: String, _ value: String, in context: NSManagedObjectContext) throws
    -> NSManagedObject
{
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = NSPredicate(format: "%K == %@", key, value)
    return try context.fetch(request)[0]
}

/// A new object with values.
func new(_ entity: String, _ values: [String: Any], in context: NSManagedObjectContext) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    for (key, value) in values { object.setValue(value, forKey: key) }
    return object
}

/// A container for people, who own addresses, and notes.
func people() throws -> NSPersistentContainer {
    let person = entity(
        "Person", identity: "id", ("id", .stringAttributeType), ("name", .stringAttributeType),
        ("age", .integer16AttributeType), ("firstName", .stringAttributeType))
    let address = entity("Address", ("city", .stringAttributeType))
    own(person, "addresses", address, "person")
    return try container(
        of: person, address,
        entity("Note", identity: "id", ("id", .stringAttributeType), ("text", .stringAttributeType)))
}

class Person: NSManagedObject {}

/// Ann of Rovaniemi.
func ann(in context: NSManagedObjectContext) throws -> NSManagedObject {
    let person = new("Person", ["id": "7", "name": "Ann"], in: context)
    _ = new("Address", ["city": "Rovaniemi", "person": person], in: context)
    try context.save()
    return person
}
