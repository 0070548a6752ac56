// The model of Groot's own tests: comic-book characters, playing cards with a composite identity, and a container of
// objects of two sub-entities. Its annotations are those of Groot's repository.

import Groot

class Character: NSManagedObject {
    var identifier: Int { (value(forKey: "identifier") as? NSNumber)?.intValue ?? 0 }
    var name: String? { value(forKey: "name") as? String }
    var realName: String? { value(forKey: "realName") as? String }
    var powers: [Power] { (value(forKey: "powers") as? NSOrderedSet)?.array as? [Power] ?? [] }
    var publisher: Publisher? { value(forKey: "publisher") as? Publisher }
}

class Hero: Character {}

class Power: NSManagedObject {
    var identifier: Int { (value(forKey: "identifier") as? NSNumber)?.intValue ?? 0 }
    var name: String? { value(forKey: "name") as? String }
}

class Publisher: NSManagedObject {
    var identifier: Int { (value(forKey: "identifier") as? NSNumber)?.intValue ?? 0 }
    var name: String? { value(forKey: "name") as? String }
}

class Card: NSManagedObject {
    var suit: String? { value(forKey: "suit") as? String }
    var value: String? { value(forKey: "value") as? String }
    var numberOfTimesPlayed: Int { (value(forKey: "numberOfTimesPlayed") as? NSNumber)?.intValue ?? 0 }
}

class Container: NSManagedObject {
    var abstracts: [Abstract] {
        let members = (value(forKey: "abstracts") as? NSSet)?.allObjects as? [Abstract] ?? []
        return members.sorted { $0.identifier < $1.identifier }
    }
}

class Abstract: NSManagedObject {
    var identifier: Int { (value(forKey: "identifier") as? NSNumber)?.intValue ?? 0 }
}

class ConcreteA: Abstract {
    var foo: String? { value(forKey: "foo") as? String }
}

class ConcreteB: Abstract {
    var bar: String? { value(forKey: "bar") as? String }
}

/// Made of functions, not of constants: each test changes its own.
struct GrootModel {
    var characterInfo = ["identityAttributes": "identifier"]
    var abstractInfo = ["identityAttributes": "identifier", "entityMapperName": "GrootTests.Abstract"]
    var identifierTransformer: String? = "GrootTests.Transformer"

    /// Registers the transformers that the model names.
    static func registerTransformers() {
        ValueTransformer.setValueTransformer(
            withName: "GrootTests.Transformer", transform: { (value: String) in Int(value) },
            reverseTransform: { (value: Int) in String(value) })
        ValueTransformer.setEntityMapper(withName: "GrootTests.Abstract") { dictionary in
            switch dictionary["type"] as? String {
            case "A": "ConcreteA"
            case "B": "ConcreteB"
            default: nil
            }
        }
        ValueTransformer.setDictionaryTransformer(withName: "GrootTests.DictionaryTransformer") { dictionary in
            var transformed = dictionary
            transformed["id"] = dictionary["legacy_id"]
            return transformed
        }
    }

    func make() -> NSManagedObjectModel {
        let character = entity("Character", Character.self, characterInfo)
        let power = entity("Power", Power.self, ["identityAttributes": "identifier"])
        let publisher = entity("Publisher", Publisher.self, ["identityAttributes": "identifier"])
        let (powers, powerCharacters) = relationships(
            character, "powers", power, "characters", isToMany: true, isOrdered: true)
        let (publishers, publisherCharacters) = relationships(
            character, "publisher", publisher, "characters", isToMany: false, isOrdered: false)
        character.properties = [
            identifier(isOptional: false), attribute("name", json: "name", isOptional: false),
            attribute("realName", json: "real_name"), powers, publishers,
        ]
        power.properties = [identifier(isOptional: false), attribute("name", json: "name"), powerCharacters]
        publisher.properties = [identifier(isOptional: false), attribute("name", json: "name"), publisherCharacters]

        let card = entity("Card", Card.self, ["identityAttributes": "suit, value"])
        card.properties = [
            attribute("suit", json: "suit"), attribute("value", json: "value"),
            attribute("numberOfTimesPlayed", .integer32AttributeType, json: "played"),
        ]

        let container = entity("Container", Container.self, [:])
        let abstract = entity("Abstract", Abstract.self, abstractInfo)
        abstract.isAbstract = true
        let (abstracts, owner) = relationships(
            container, "abstracts", abstract, "container", isToMany: true, isOrdered: false, inverseIsToMany: false)
        container.properties = [abstracts]
        abstract.properties = [attribute("identifier", .integer32AttributeType, json: "id"), owner]
        let a = entity("ConcreteA", ConcreteA.self, [:])
        a.properties = [attribute("foo", json: "foo")]
        let b = entity("ConcreteB", ConcreteB.self, [:])
        b.properties = [attribute("bar", json: "bar")]
        abstract.subentities = [a, b]

        let model = NSManagedObjectModel()
        model.entities = [character, power, publisher, card, container, abstract, a, b]
        return model
    }

    private func entity(
        _ name: String, _ type: NSManagedObject.Type, _ userInfo: [String: String]
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = String(reflecting: type)
        entity.userInfo = userInfo
        return entity
    }

    private func identifier(isOptional: Bool) -> NSAttributeDescription {
        let attribute = attribute("identifier", .integer64AttributeType, json: "id", isOptional: isOptional)
        if let identifierTransformer { attribute.userInfo?["JSONTransformerName"] = identifierTransformer }
        return attribute
    }

    private func attribute(
        _ name: String, _ type: NSAttributeType = .stringAttributeType, json: String, isOptional: Bool = true
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        attribute.userInfo = ["JSONKeyPath": json]
        return attribute
    }

    private func relationships(
        _ entity: NSEntityDescription, _ name: String, _ destination: NSEntityDescription, _ inverse: String,
        isToMany: Bool, isOrdered: Bool, inverseIsToMany: Bool = true
    ) -> (NSRelationshipDescription, NSRelationshipDescription) {
        let forth = NSRelationshipDescription()
        forth.name = name
        forth.destinationEntity = destination
        forth.maxCount = isToMany ? 0 : 1
        forth.isOrdered = isOrdered
        forth.userInfo = ["JSONKeyPath": name]
        let back = NSRelationshipDescription()
        back.name = inverse
        back.destinationEntity = entity
        back.maxCount = inverseIsToMany ? 0 : 1
        forth.inverseRelationship = back
        back.inverseRelationship = forth
        return (forth, back)
    }
}

/// The context of a fresh store in memory.
func makeContext(_ model: GrootModel = GrootModel()) throws -> NSManagedObjectContext {
    GrootModel.registerTransformers()
    return try GRTManagedStore(model: model.make()).context(with: .privateQueueConcurrencyType)
}

/// The error of Foundation's kind that a block throws.
func foundationError(_ block: () throws -> Void) -> NSError? {
    do {
        try block()
        return nil
    } catch {
        return error as NSError
    }
}
