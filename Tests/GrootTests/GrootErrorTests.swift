// Groot's errors: domain and codes as its tests pin them; and what it did wrong after an error, done right.

import Graft
import Groot
import Testing

@Suite struct GrootErrorTests {
    @Test(arguments: [
        #"{"id": "1699", "name": "Batman", "real_name": "Bruce Wayne", "publisher": ["DC"]}"#,
        #"{"id": "1699", "name": "Batman", "real_name": "Bruce Wayne", "powers": {"id": "4", "name": "Agility"}}"#,
        "1699",
    ])
    func `JSON that doesn't fit the model is an invalid JSON object`(_ text: String) throws {
        let context = try makeContext()
        let error = try #require(
            foundationError { let _: [Character] = try objects(fromJSONData: Data(text.utf8), inContext: context) })
        #expect(error.domain == GRTErrorDomain)
        #expect(error.domain == "com.groot.error")
        #expect(error.code == GRTError.invalidJSONObject.rawValue)
        #expect(error.userInfo[NSUnderlyingErrorKey] is GraftError)
    }

    @Test func `an identifier needs an entity with one identity attribute`() throws {
        var model = GrootModel()
        model.characterInfo = [:]
        let context = try makeContext(model)
        let error = foundationError {
            let _: [Character] = try objects(fromJSONArray: ["1699", "1455"], inContext: context)
        }
        #expect(error?.domain == GRTErrorDomain)
        #expect(error?.code == 1)
        let composite = foundationError { let _: [Card] = try objects(fromJSONArray: ["Jack"], inContext: context) }
        #expect(composite?.code == 1)
    }

    @Test func `a key that the model doesn't map is ignored, in records and nested objects, among others and alone`()
        throws
    {
        let context = try makeContext()
        try context.performAndWait {
            let text = """
                [{"id": "1699", "name": "Batman", "mood": "dark", "publisher": {"id": "10", "founded": 1939}},
                 {"id": "1700", "name": "Superman", "real-name": "Clark Kent"}]
                """
            let characters: [Character] = try objects(fromJSONData: Data(text.utf8), inContext: context)
            #expect(characters.map(\.name) == ["Batman", "Superman"])
            #expect(characters[1].realName == nil)
            #expect(characters[0].publisher?.identifier == 10)
            let again: Character = try object(
                fromJSONDictionary: ["id": "1699", "mood": ["deep": [1]]], inContext: context)
            #expect(again === characters[0] && again.name == "Batman")
            let card: Card = try object(fromJSONDictionary: ["suite": "Hearts"], inContext: context)
            #expect(card.suit == nil && card.value == nil)
            #expect(Set(json(fromObject: again).keys) == ["id", "name", "real_name", "publisher", "powers"])
        }
    }

    @Test func `an unknown entity is entityNotFound, even for nothing`() throws {
        let context = try makeContext()
        for text in ["[]", "[{}]", "{}"] {
            let error = foundationError {
                _ = try objects(withEntityName: "Charakter", fromJSONData: Data(text.utf8), inContext: context)
            }
            #expect(error?.domain == GRTErrorDomain)
            #expect(error?.code == GRTError.entityNotFound.rawValue)
        }
    }

    // Lesson 46: Mantle, and Groot with it, delete the objects that were being filled.
    @Test func `a missing mandatory value is Core Data's error 1570 and deletes nothing`() throws {
        let context = try makeContext()
        try context.performAndWait {
            let first: JSONArray = [
                ["id": "1699", "name": "Batman"], ["id": "1700", "name": "Superman"],
            ]
            let characters: [Character] = try objects(fromJSONArray: first, inContext: context)
            try context.save()
            let update: JSONArray = [
                ["id": "1701", "name": "Spiderman"],
                ["id": "1699", "real_name": "Bruce Wayne", "publisher": ["id": "10", "name": "DC"]],
                ["id": "1702", "real_name": "Clark Kent"],
            ]
            let error = try #require(
                foundationError { let _: [Character] = try objects(fromJSONArray: update, inContext: context) })
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == NSValidationMissingMandatoryPropertyError)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "name")
            #expect(error.localizedDescription.contains("$[2]"))
            #expect(!context.hasChanges)
            #expect(characters.allSatisfy { !$0.isDeleted && $0.managedObjectContext === context })
            #expect(characters.map(\.realName) == [nil, nil])
            #expect(try context.count(for: NSFetchRequest<Publisher>(entityName: "Publisher")) == 0)
        }
    }

    @Test func `text that isn't JSON is a Cocoa error`() throws {
        let context = try makeContext()
        for text in ["[", "{\"id\": }", "[] []"] {
            let error = foundationError {
                _ = try objects(withEntityName: "Character", fromJSONData: Data(text.utf8), inContext: context)
            }
            #expect(error?.domain == NSCocoaErrorDomain)
            #expect(error?.code == CocoaError.Code.propertyListReadCorrupt.rawValue)
        }
    }

    @Test func `an object that JSON has no form for is an error with its path`() throws {
        let context = try makeContext()
        let error = try #require(
            foundationError {
                let _: Character = try object(
                    fromJSONDictionary: ["id": "1", "name": "A", "powers": [["id": "4", "name": context]]],
                    inContext: context)
            })
        #expect(error.code == GRTError.invalidJSONObject.rawValue)
        #expect(error.localizedDescription.contains("$[0].powers[0].name"))
    }

    @Test func `two new objects with one identity in one list are one`() throws {
        let context = try makeContext()
        try context.performAndWait {
            let json: JSONArray = [["id": "1", "name": "A"], ["id": "1", "real_name": "a"]]
            let characters: [Character] = try objects(fromJSONArray: json, inContext: context)
            #expect(characters[0] === characters[1])
            #expect(characters[0].realName == "a")
        }
    }

    @Test(arguments: ["JSONDictionaryTransformerName", "entityMapperName"])
    func `a transformer that nobody registered is named with its place`(_ key: String) throws {
        var model = GrootModel()
        model.characterInfo[key] = "GrootTests.Transformar"
        let context = try makeContext(model)
        let error = try #require(
            foundationError { let _: [Character] = try objects(fromJSONArray: ["1"], inContext: context) })
        #expect("\(error)".contains("Character"))
        #expect("\(error)".contains("did you mean 'GrootTests.Transformer'?"))
    }
}
