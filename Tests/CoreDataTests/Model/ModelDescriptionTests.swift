// The description classes: what they compute, how they are copied, what they keep alive.

@testable import CoreData
import Foundation
import Testing

@Suite struct ModelDescriptionTests {
    private func model() throws -> NSManagedObjectModel {
        try sourceModel(
            """
            <entity name="Character"><attribute name="name" attributeType="String"/>
                <relationship name="publisher" maxCount="1" destinationEntity="Publisher" inverseName="characters"
                inverseEntity="Publisher"/></entity>
            <entity name="Hero" parentEntity="Character"><attribute name="power" attributeType="String"/>
                <fetchIndex name="i"><fetchIndexElement property="power" type="Binary" order="ascending"/>
                <fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex></entity>
            <entity name="Publisher"><relationship name="characters" toMany="YES" destinationEntity="Character"
                inverseName="publisher" inverseEntity="Character"/></entity>
            <configuration name="C"><memberEntity name="Hero"/></configuration>
            """)
    }

    @Test func `properties by name include inherited ones and follow changes`() throws {
        let model = try model()
        let hero = try #require(model.entitiesByName["Hero"]),
            character = try #require(model.entitiesByName["Character"])
        #expect(Set(hero.propertiesByName.keys) == ["name", "publisher", "power"])
        #expect(Set(hero.attributesByName.keys) == ["name", "power"])
        #expect(Set(hero.relationshipsByName.keys) == ["publisher"])
        let age = NSAttributeDescription()
        age.name = "age"
        character.properties.append(age)
        #expect(hero.attributesByName["age"] === age && age.entity === character)
        age.name = "years"
        #expect(hero.attributesByName["age"] == nil && hero.attributesByName["years"] === age)
        character.properties.removeLast()
        #expect(hero.attributesByName["years"] == nil && age.owner == nil)
        character.name = "Figure"
        #expect(model.entitiesByName["Figure"] === character && model.entitiesByName["Character"] == nil)
    }

    @Test func `kinship goes up and not down`() throws {
        let model = try model()
        let hero = try #require(model.entitiesByName["Hero"]),
            character = try #require(model.entitiesByName["Character"])
        #expect(hero.isKindOf(entity: character) && hero.isKindOf(entity: hero) && !character.isKindOf(entity: hero))
        #expect(hero.rootEntity === character && character.subentitiesByName["Hero"] === hero)
        character.subentities = []
        #expect(hero.superentity == nil && !hero.isKindOf(entity: character) && hero.attributesByName["name"] == nil)
    }

    @Test func `a layout is built anew after a change`() throws {
        let model = try model()
        let hero = try #require(model.entitiesByName["Hero"]),
            character = try #require(model.entitiesByName["Character"])
        let before = hero.layout
        #expect(hero.layout === before)
        let age = NSAttributeDescription()
        age.name = "age"
        age.attributeType = .integer16AttributeType
        character.properties.append(age)
        #expect(hero.layout !== before && hero.layout.slot(named: "age") != nil)
    }

    // MARK: Copies

    @Test func `a copy of a model is whole and independent`() throws {
        let model = try model()
        model.markInUse()
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy == model && copy !== model && !copy.isInUse)
        let character = try #require(copy.entitiesByName["Character"]), hero = try #require(copy.entitiesByName["Hero"])
        let publisher = try #require(copy.entitiesByName["Publisher"])
        #expect(hero.superentity === character && hero.managedObjectModel === copy)
        #expect(character.relationshipsByName["publisher"]?.destinationEntity === publisher)
        #expect(
            character.relationshipsByName["publisher"]?.inverseRelationship
                === publisher.relationshipsByName["characters"])
        #expect(hero.indexes[0].elements[0].property === hero.attributesByName["power"])
        #expect(hero.indexes[0].elements[1].property === character.attributesByName["name"])
        #expect(copy.entities(forConfigurationName: "C")?.first === hero)
        character.attributesByName["name"]?.name = "title"
        #expect(copy != model && model.entitiesByName["Character"]?.attributesByName["name"] != nil)
        try copy.validated()
    }

    @Test func `a copy of a property belongs to nobody`() throws {
        let model = try model()
        let original = try #require(model.entitiesByName["Character"]?.relationshipsByName["publisher"])
        original.userInfo = ["k": "v"]
        let copy = try #require(original.copy() as? NSRelationshipDescription)
        #expect(copy.owner == nil && copy.name == "publisher" && copy.maxCount == 1)
        #expect(copy.destinationEntity === original.destinationEntity && copy.userInfo?["k"] as? String == "v")
    }

    // NSManagedObjectModel.h: NSCoding.
    // CosmicMind Graph makes one pair of descriptions for all its entities and gives each a copy.
    @Test func `copies of two relationships lead to each other where their entities have no others of the names`()
        throws
    {
        func pair() -> (one: NSPropertyDescription, many: NSPropertyDescription, entities: [NSEntityDescription]) {
            let node = NSEntityDescription(), tag = NSEntityDescription()
            node.name = "Node"
            tag.name = "Tag"
            let one = NSRelationshipDescription(), many = NSRelationshipDescription()
            one.name = "node"
            one.maxCount = 1
            one.destinationEntity = node
            many.name = "tags"
            many.destinationEntity = tag
            one.inverseRelationship = many
            many.inverseRelationship = one
            node.properties = [many.copied()]
            tag.properties = [one.copied()]
            return (one, many, [node, tag])
        }
        let model = NSManagedObjectModel()
        // The originals are gone once the function returns.
        model.entities = pair().entities
        let tags = try #require(model.entitiesByName["Node"]?.relationshipsByName["tags"])
        let node = try #require(model.entitiesByName["Tag"]?.relationshipsByName["node"])
        #expect(tags.inverseRelationship === node && node.inverseRelationship === tags)
        let copy = model.copied()
        #expect(copy.entitiesByName["Node"]?.relationshipsByName["tags"]?.inverseRelationship?.owner?.model === copy)
        let kept = pair()
        let later = NSManagedObjectModel()
        later.entities = kept.entities
        #expect(later.entitiesByName["Tag"]?.relationshipsByName["node"]?.inverseRelationship?.owner?.name == "Node")
        tags.inverseRelationship = nil
        #expect(tags.inverseRelationship == nil)
    }

    @Test func `a model survives an archive`() throws {
        let model = try model()
        let data = try NSKeyedArchiver.archivedData(withRootObject: model, requiringSecureCoding: false)
        let reader = try NSKeyedUnarchiver(forReadingFrom: data)
        reader.requiresSecureCoding = false
        let copy = try #require(reader.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? NSManagedObjectModel)
        #expect(copy == model && copy !== model)
        try copy.validated()
        let damaged = try NSKeyedArchiver.archivedData(withRootObject: NSData(data: data), requiringSecureCoding: false)
        let other = try NSKeyedUnarchiver(forReadingFrom: damaged)
        other.decodingFailurePolicy = .setErrorAndReturn
        #expect(NSManagedObjectModel(coder: other) == nil)
    }

    // NSManagedObjectModel.h and its like: copyWithZone: can be overridden.
    @Test func `classes of one's own say how they are copied`() {
        final class OwnModel: NSManagedObjectModel {
            override func copy(with zone: NSZone? = nil) -> Any { OwnModel() }
        }
        final class OwnEntity: NSEntityDescription {
            override func copy(with zone: NSZone? = nil) -> Any { OwnEntity() }
        }
        final class OwnAttribute: NSAttributeDescription {
            override func copy(with zone: NSZone? = nil) -> Any { OwnAttribute() }
        }
        #expect(
            OwnModel().copy() is OwnModel && OwnEntity().copy() is OwnEntity && OwnAttribute().copy() is OwnAttribute)
    }

    @Test func `entities and properties don't keep a model alive`() throws {
        weak var model: NSManagedObjectModel?
        weak var hero: NSEntityDescription?
        do {
            let made = try self.model()
            model = made
            hero = made.entitiesByName["Hero"]
            _ = hero?.layout
            try made.validated()
        }
        #expect(model == nil && hero == nil)
    }

    // MARK: Use

    @Test func `a model in use stops whoever changes it`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let model = NSManagedObjectModel()
            let hero = NSEntityDescription()
            hero.name = "Hero"
            model.entities = [hero]
            model.markInUse()
            hero.isAbstract = true
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            message.contains("The model of Hero can't be changed: a coordinator uses it. Change a copy of it before"))
    }

    @Test func `a template's variables are replaced in a copy`() throws {
        let model = NSManagedObjectModel()
        let template = NSFetchRequest<any NSFetchRequestResult>(entityName: "Hero")
        template.predicate = NSPredicate(format: "name == $NAME")
        model.setFetchRequestTemplate(template, forName: "named")
        let made = try #require(
            model.fetchRequestFromTemplate(withName: "named", substitutionVariables: ["NAME": "Ann"]))
        #expect(made.entityName == "Hero" && made.predicate?.formatText == "name == \"Ann\"")
        #expect(template.predicate?.formatText == "name == $NAME" && made !== template)
        #expect(model.fetchRequestFromTemplate(withName: "other", substitutionVariables: [:]) == nil)
    }

    // FreeCoreData, testFetchRequestTemplate.
    @Test func `a fetch request that was read is for the entity of its model, copied and merged, too`() throws {
        let model = try sourceModel("<entity name='E'/><fetchRequest name='all' entity='E'/>")
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        let merged = try #require(NSManagedObjectModel(byMerging: [model]))
        for model in [model, copy, merged, try NSManagedObjectModel(archive: model.archived())] {
            let template = try #require(model.fetchRequestTemplate(forName: "all"))
            #expect(template.entity != nil && template.entity === model.entitiesByName["E"])
            let made = try #require(model.fetchRequestFromTemplate(withName: "all", substitutionVariables: [:]))
            #expect(made.entity === template.entity && made.entityName == "E")
        }
    }

    // FreeCoreData, testAnIndexOwnsItsElementsAndAnEntityItsIndexes.
    @Test func `a copy of an index names the entity, and can be changed though the model is in use`() throws {
        let model = try sourceModel(
            """
            <entity name='E'><attribute name='a' attributeType='String'/><fetchIndex name='byA'>
                <fetchIndexElement property='a' type='Binary' order='ascending'/></fetchIndex></entity>
            """)
        _ = NSPersistentStoreCoordinator(managedObjectModel: model)
        let index = model.entities[0].indexes[0]
        let copy = try #require(index.copy() as? NSFetchIndexDescription)
        #expect(copy !== index && copy.entity === model.entities[0] && copy.elements[0].indexDescription === copy)
        copy.name = "byB"
        copy.elements[0].isAscending = false
        #expect(index.name == "byA" && index.elements[0].isAscending)
    }

    // MARK: Older indexes

    @Test func `the index flag is a view of the indexes`() {
        let entity = NSEntityDescription()
        let first = NSAttributeDescription(), second = NSAttributeDescription()
        (first.name, second.name) = ("a", "b")
        first.isIndexed = true
        entity.properties = [first, second]
        #expect(first.isIndexed && entity.indexes.map(\.name) == ["a"])
        second.isIndexed = true
        second.isIndexed = true
        first.isIndexed = false
        #expect(entity.indexes.map(\.name) == ["b"] && !first.isIndexed)
        entity.compoundIndexes = [["a", second]]
        #expect(entity.indexes.map(\.name) == ["b", "a_b"])
        #expect(entity.compoundIndexes as? [[String]] == [["a", "b"]])
        entity.indexes = []
        #expect(!second.isIndexed && entity.compoundIndexes.isEmpty)
    }

    // FreeCoreData, testAPropertyIsIndexedByAnIndexOfItAlone and testARelationshipIsAlwaysIndexed.
    @Test func `a partial index counts for the flag, a descending one doesn't, and relationships have it`() throws {
        let entity = NSEntityDescription(), a = NSAttributeDescription(), b = NSAttributeDescription()
        let relationship = NSRelationshipDescription()
        (entity.name, a.name, b.name, relationship.name) = ("E", "a", "b", "r")
        relationship.destinationEntity = entity
        #expect(relationship.isIndexed)
        entity.properties = [a, b, relationship]
        let partial = NSFetchIndexDescription(
            name: "partial", elements: [NSFetchIndexElementDescription(property: a, collationType: .binary)])
        partial.partialIndexPredicate = NSPredicate(format: "a != nil")
        let down = NSFetchIndexElementDescription(property: b, collationType: .binary)
        down.isAscending = false
        entity.indexes = [partial, NSFetchIndexDescription(name: "down", elements: [down])]
        #expect([a, b, relationship].map(\.isIndexed) == [true, false, true])
        relationship.isIndexed = false
        a.isIndexed = true
        #expect(relationship.isIndexed && entity.indexes.map(\.name) == ["partial", "down", "a"])
    }

    // MARK: Defaults

    @Test func `a new property has Core Data's defaults`() {
        let attribute = NSAttributeDescription(), relationship = NSRelationshipDescription()
        #expect(attribute.isOptional && !attribute.isTransient && attribute.attributeType == .undefinedAttributeType)
        #expect(relationship.isToMany && relationship.deleteRule == .nullifyDeleteRule && relationship.minCount == 0)
        attribute.type = .decimal
        #expect(
            attribute.attributeType == .decimalAttributeType && attribute.attributeValueClassName == "NSDecimalNumber")
        attribute.type = .undefined
        #expect(attribute.attributeValueClassName == nil)
        attribute.attributeValueClassName = "Color"
        attribute.type = .transformable
        #expect(attribute.attributeValueClassName == "Color")
        #expect(attribute.renamingIdentifier == nil)
        attribute.name = "a"
        #expect(attribute.renamingIdentifier == "a")
        attribute.renamingIdentifier = "b"
        #expect(attribute.renamingIdentifier == "b")
        attribute.renamingIdentifier = nil
        #expect(attribute.renamingIdentifier == "a")
    }

    @Test(arguments: [
        (AttributeLimit.minimum(.integer(5)), LimitNumber.integer(4), false),
        (.minimum(.integer(5)), .integer(5), true),
        (.maximum(.double(0.5)), .double(0.6), false), (.maximum(.integer(.max)), .integer(.max), true),
        (
            .maximum(.decimal(Decimal(string: "0.1") ?? 0)), .decimal(Decimal(string: "0.10000000000000000001") ?? 0),
            false
        ),
        (.minimumLength(3), .integer(1), true),
    ])
    func `limits are exact`(_ limit: AttributeLimit, _ number: LimitNumber, _ allowed: Bool) {
        #expect(limit.allows(number: number) == allowed)
    }

    @Test(arguments: [
        ("a|ab", "ab", true), ("a|ab", "abc", false), ("[a-z]+", "abc", true), ("[a-z]+", "abC", false),
        (".*", "", true), ("(", "a", false), ("^a$", "a", true), ("a", "a\n", false),
    ])
    func `a pattern has to match the whole text`(_ pattern: String, _ text: String, _ matches: Bool) {
        #expect(AttributeLimit.pattern(pattern).allows(text: text) == matches)
    }

    // MARK: Merging

    @Test func `merging models keeps both and shares equal entities`() throws {
        let first = try sourceModel(
            "<entity name='A'/><entity name='B'><relationship name='a' maxCount='1' destinationEntity='A'/></entity>",
            attributes: "userDefinedModelVersionIdentifier='1'")
        let second = try sourceModel(
            "<entity name='A'/><entity name='C' parentEntity='A'><relationship name='a' maxCount='1' destinationEntity='A'/></entity>",
            attributes: "userDefinedModelVersionIdentifier='2'")
        let merged = try #require(NSManagedObjectModel(byMerging: [first, second]))
        let shared = try #require(merged.entitiesByName["A"])
        #expect(Set(merged.entitiesByName.keys) == ["A", "B", "C"] && merged.entities.count == 3)
        #expect(merged.entitiesByName["C"]?.relationshipsByName["a"]?.destinationEntity === shared)
        #expect(merged.entitiesByName["C"]?.superentity === shared)
        #expect(merged.versionIdentifiers == ["1", "2"])
        #expect(first.entities.count == 2)
        try merged.validated()
    }

    @Test func `models that contradict each other can't be merged`() throws {
        let first = try sourceModel("<entity name='A'/>"),
            second = try sourceModel("<entity name='A' isAbstract='YES'/>")
        #expect(NSManagedObjectModel(byMerging: [first, second]) == nil)
        // FreeCoreData, testModelMergeEmpty.
        #expect(NSManagedObjectModel(byMerging: [])?.entities == [] && NSManagedObjectModel(byMerging: nil) == nil)
    }
}
