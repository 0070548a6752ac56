// The other two examples of Groot's tests: cards with a composite identity, and a container of two sub-entities. Their JSON is
// Groot's, except for a comma after the last card, which isn't JSON (RFC 8259).

import Groot
import Testing

@Suite struct InheritanceTests {
    private let container = """
        {
        	"abstracts": [
        		{
        			"id": 1,
        			"type": "A",
        			"foo": "this is A"
        		},
        		{
        			"id": 2,
        			"type": "B",
        			"bar": "this is B"
        		}
        	]
        }
        """

    @Test func `an entity mapper picks the sub-entity, and an update needn't repeat the type`() throws {
        let context = try makeContext()
        try context.performAndWait {
            let containers: [Container] = try objects(fromJSONData: Data(container.utf8), inContext: context)
            #expect(containers.count == 1)
            let abstracts = containers[0].abstracts
            let a = try #require(abstracts[0] as? ConcreteA)
            #expect(a.entity.name == "ConcreteA")
            #expect(a.identifier == 1)
            #expect(a.foo == "this is A")
            let b = try #require(abstracts[1] as? ConcreteB)
            #expect(b.entity.name == "ConcreteB")
            #expect(b.identifier == 2)
            #expect(b.bar == "this is B")

            let update: JSONDictionary = ["id": 1, "foo": "A has been updated"]
            let updated = try object(withEntityName: "Abstract", fromJSONDictionary: update, inContext: context)
            #expect(updated === a)
            #expect(a.foo == "A has been updated")
        }
    }

    @Test(arguments: [false, true])
    func `an update without type finds saved objects, too, twice in one list`(_ isSaved: Bool) throws {
        let context = try makeContext()
        try context.performAndWait {
            let _: [Container] = try objects(fromJSONData: Data(container.utf8), inContext: context)
            if isSaved {
                try context.save()
                context.reset()
            }
            let updated = try objects(
                withEntityName: "Abstract",
                fromJSONArray: [["id": 2, "bar": "first"], ["id": 1, "foo": "A"], ["id": 2, "bar": "last"]],
                inContext: context)
            #expect((updated[0] as? ConcreteB)?.bar == "last")
            #expect((updated[1] as? ConcreteA)?.foo == "A")
            #expect(updated[2] === updated[0])
        }
    }

    @Test func `what a mapper says has to be a sub-entity`() throws {
        ValueTransformer.setEntityMapper(withName: "GrootTests.Wrong") { $0["type"] as? String }
        var model = GrootModel()
        model.abstractInfo["entityMapperName"] = "GrootTests.Wrong"
        let context = try makeContext(model)
        let text = #"{"abstracts": [{"id": 1, "type": "ConcreteA"}, {"id": 2, "type": "ConcreteZ"}]}"#
        let unknown = try #require(
            foundationError { let _: [Container] = try objects(fromJSONData: Data(text.utf8), inContext: context) })
        #expect(unknown.domain == GRTErrorDomain)
        #expect(unknown.code == GRTError.entityNotFound.rawValue)
        #expect(unknown.localizedDescription.contains("$.abstracts[1], line 1, column 48"))
        #expect(unknown.localizedDescription.contains("Did you mean 'ConcreteA'?"))
        let text2 = text.replacing("ConcreteZ", with: "Card")
        let unrelated = try #require(
            foundationError { let _: [Container] = try objects(fromJSONData: Data(text2.utf8), inContext: context) })
        #expect("\(unrelated)".contains("isn't a sub-entity"))
    }

    @Test func `an object that exists keeps its entity, whatever its JSON says`() throws {
        let context = try makeContext()
        try context.performAndWait {
            let first = try object(
                withEntityName: "Abstract", fromJSONDictionary: ["id": 1, "type": "A", "foo": "x"], inContext: context)
            let second = try object(
                withEntityName: "ConcreteA", fromJSONDictionary: ["id": 1, "foo": "y"], inContext: context)
            #expect(first === second)
            #expect((first as? ConcreteA)?.foo == "y")
        }
    }

    @Test func `an object that exists and isn't of the class that is asked for is an error`() throws {
        GrootModel.registerTransformers()
        let model = GrootModel().make()
        let hero = NSEntityDescription()
        hero.name = "Hero"
        hero.managedObjectClassName = String(reflecting: Hero.self)
        let strength = NSAttributeDescription()
        strength.name = "strength"
        strength.attributeType = .stringAttributeType
        strength.userInfo = ["JSONKeyPath": "strength"]
        hero.properties = [strength]
        model.entitiesByName["Character"]?.subentities = [hero]
        model.entities.append(hero)
        let context = try GRTManagedStore(model: model).context(with: .privateQueueConcurrencyType)
        try context.performAndWait {
            let known: Character = try object(fromJSONDictionary: ["id": "5", "name": "Ann"], inContext: context)
            try context.save()
            let update: JSONDictionary = ["id": "5", "strength": "x"]
            let array: JSONArray = [["id": "6", "name": "Bob", "strength": "x"], update]
            let errors = [
                foundationError { let _: [Hero] = try objects(fromJSONArray: array, inContext: context) },
                foundationError { let _: Hero = try object(fromJSONDictionary: update, inContext: context) },
            ]
            for (error, path) in zip(errors, ["$[1]", "$[0]"]) {
                #expect(error?.domain == GRTErrorDomain && error?.code == GRTError.invalidJSONObject.rawValue)
                #expect(error?.localizedDescription.contains(path) == true, "\(String(describing: error))")
            }
            #expect(!context.hasChanges && known.name == "Ann")
            let hero: Hero = try object(fromJSONDictionary: ["id": "6", "name": "Bob"], inContext: context)
            #expect(hero.name == "Bob")
            // By the entity's name, any object will do.
            let found = try object(withEntityName: "Hero", fromJSONDictionary: update, inContext: context)
            #expect(found === known)
        }
    }

    @Test func `cards with a composite identity are found by both parts`() throws {
        let cards = """
            [
            	{
            		"suit": "Diamonds",
            		"value": "Three",
            		"played": 2
            	},
            	{
            		"suit": "Hearts",
            		"value": "Jack",
            		"played": 3
            	}
            ]
            """
        let update = """
            [
            	{
            		"suit": "Hearts",
            		"value": "Jack",
            		"played": 4
            	},
            	{
            		"suit": "Clubs",
            		"value": "Three",
            		"played": 1
            	}
            ]
            """
        let context = try makeContext()
        try context.performAndWait {
            let first: [Card] = try objects(fromJSONData: Data(cards.utf8), inContext: context)
            #expect(first.map(\.suit) == ["Diamonds", "Hearts"])
            #expect(first.map(\.value) == ["Three", "Jack"])
            #expect(first.map(\.numberOfTimesPlayed) == [2, 3])
            let updated: [Card] = try objects(fromJSONData: Data(update.utf8), inContext: context)
            #expect(updated[0] === first[1])
            #expect(updated.map(\.suit) == ["Hearts", "Clubs"])
            #expect(updated.map(\.numberOfTimesPlayed) == [4, 1])
            #expect(try context.count(for: NSFetchRequest<Card>(entityName: "Card")) == 3)
        }
    }
}
