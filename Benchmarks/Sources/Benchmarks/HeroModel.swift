// The model of the heroes, annotated as users annotate theirs: identifiers that are texts in JSON and numbers in the
// model, names in snake case, a to-one and a many-to-many relationship.

import CoreData

enum HeroModel {
    /// - Parameter isIndexed: Whether the identities have indexes.
    static func make(isIndexed: Bool = false) -> NSManagedObjectModel {
        let hero = entity("Hero")
        let publisher = entity("Publisher")
        let power = entity("Power")
        let (heroPublisher, publisherHeroes) = relationship(
            from: hero, "publisher", isToMany: false, json: "publisher", to: publisher, "heroes")
        let (heroPowers, powerHeroes) = relationship(
            from: hero, "powers", isToMany: true, json: "powers", to: power, "heroes")
        hero.properties = [
            attribute("identifier", .integer64AttributeType, json: "id"),
            attribute("name", .stringAttributeType, json: "name"),
            attribute("realName", .stringAttributeType, json: "real_name"),
            attribute("debut", .dateAttributeType, json: "debut"),
            attribute("height", .doubleAttributeType, json: "height"),
            attribute("isRetired", .booleanAttributeType, json: "retired"),
            attribute("rating", .integer16AttributeType, json: "rating"),
            attribute("biography", .stringAttributeType, json: "biography"),
            heroPublisher, heroPowers,
        ]
        publisher.properties = [
            attribute("identifier", .integer64AttributeType, json: "id"),
            attribute("name", .stringAttributeType, json: "name"),
            attribute("founded", .integer16AttributeType, json: "founded"),
            publisherHeroes,
        ]
        power.properties = [
            attribute("identifier", .integer64AttributeType, json: "id"),
            attribute("name", .stringAttributeType, json: "name"),
            powerHeroes,
        ]
        let model = NSManagedObjectModel()
        model.entities = [hero, publisher, power]
        for entity in model.entities where isIndexed {
            guard let identifier = entity.propertiesByName["identifier"] else { continue }
            let element = NSFetchIndexElementDescription(property: identifier, collationType: .binary)
            entity.indexes = [NSFetchIndexDescription(name: "byIdentifier", elements: [element])]
        }
        return model
    }

    // MARK: Work

    private static func request() -> NSFetchRequest<NSManagedObject> { NSFetchRequest(entityName: "Hero") }

    /// Fetches all heroes and reads each attribute.
    static func fetch(_ context: NSManagedObjectContext) throws -> Int {
        let heroes = try context.fetch(request())
        let names = heroes.first?.entity.attributesByName.keys.sorted() ?? []
        return heroes.count { hero in
            var isKnown = false
            for name in names where hero.value(forKey: name) != nil { isKnown = true }
            return isKnown
        }
    }

    /// Changes a thousand heroes, each in a save of its own.
    static func save(_ context: NSManagedObjectContext) throws -> Int {
        let request = request()
        request.sortDescriptors = [NSSortDescriptor(key: "identifier", ascending: true)]
        request.fetchLimit = 1000
        let heroes = try context.fetch(request)
        for hero in heroes {
            hero.setValue(((hero.value(forKey: "rating") as? Int ?? 0) + 1) % 100, forKey: "rating")
            try context.save()
        }
        return heroes.count
    }

    private static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.userInfo = ["identityAttributes": "identifier"]
        return entity
    }

    static func attribute(_ name: String, _ type: NSAttributeType, json: String) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        attribute.userInfo = ["JSONKeyPath": json]
        return attribute
    }

    static func relationship(
        from entity: NSEntityDescription, _ name: String, isToMany: Bool, json: String,
        to destination: NSEntityDescription, _ inverseName: String
    ) -> (NSRelationshipDescription, NSRelationshipDescription) {
        let relationship = NSRelationshipDescription()
        let inverse = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = isToMany ? 0 : 1
        relationship.userInfo = ["JSONKeyPath": json]
        inverse.name = inverseName
        inverse.destinationEntity = entity
        inverse.maxCount = 0
        for (one, other) in [(relationship, inverse), (inverse, relationship)] {
            one.isOptional = true
            one.deleteRule = .nullifyDeleteRule
            one.inverseRelationship = other
        }
        return (relationship, inverse)
    }
}
