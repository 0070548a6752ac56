// An identity belongs to an entity with all its sub-entities, so what is found by one may be no object that a relationship can lead to.

import CoreData
import Foundation
import Graft
import Testing

final class SimpleHero: NSManagedObject, ManagedCodable {}
final class SimpleVillain: NSManagedObject, ManagedCodable {}

@Suite struct WrongEntityTests {
    private func model(coded: Bool = false) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Hero", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .attribute("name"), .toOne("rival", "Villain")])
        sketch.entity(
            "Villain", parent: "Hero", info: ["identityAttributes": "id"], [.toOne("gang", "Gang", inverse: "members")])
        sketch.entity(
            "Gang", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .toMany("members", "Villain", inverse: "gang")])
        let model = sketch.model()
        if coded {
            model.entitiesByName["Hero"]?.managedObjectClassName = NSStringFromClass(SimpleHero.self)
            model.entitiesByName["Villain"]?.managedObjectClassName = NSStringFromClass(SimpleVillain.self)
        }
        return model
    }

    @Test(arguments: [
        ("Gang", #"{"id": 1, "members": [{"id": 2}]}"#), ("Gang", #"{"id": 1, "members": [2]}"#),
        ("Hero", #"{"id": 1, "rival": {"id": 2}}"#),
    ])
    func `an object of another entity is refused, and nothing has changed`(_ entity: String, _ json: String) throws {
        let stack = try TestStack(model(), .sqlite)
        try stack.importJSON(#"{"id": 2, "name": "Good"}"#, "Hero")
        let before = try stack.perform { try $0.exportJSON() }
        let error = graftError { _ = try stack.importJSON(json, entity) }
        guard case .wrongType(let found, _)? = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(found.contains("Hero"))
        #expect(try stack.perform { try $0.exportJSON() } == before)
        try stack.perform { context throws in
            let dictionary = try #require(
                try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
            let error = graftError { _ = try context.populateObjects(fromDictionaries: [dictionary], entity: entity) }
            guard case .wrongType? = error?.problem else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(!context.hasChanges)
        }
    }

    @Test func `decoding an object that is of another class leaves it as it was`() throws {
        let stack = try TestStack(model(coded: true))
        try stack.perform { context throws in
            let decoder = JSONDecoder()
            decoder.managedObjectContext = context
            let hero = try decoder.decode(SimpleHero.self, from: Data(#"{"id": 1, "name": "A"}"#.utf8))
            #expect(
                graftError {
                    _ = try decoder.decode(SimpleVillain.self, from: Data(#"{"id": 1, "name": "B"}"#.utf8))
                } != nil)
            #expect(hero.text("name") == "A")
        }
    }

    @Test func `a relationship that the found object's entity doesn't have is passed over`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Hero", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .toMany("friends", "Hero", inverse: "friendOf"),
                .toMany("friendOf", "Hero", inverse: "friends"),
            ])
        sketch.entity("Villain", parent: "Hero", [.toOne("gang", "Gang", inverse: "members")])
        sketch.entity(
            "Gang", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .toMany("members", "Villain", inverse: "gang")])
        let model = sketch.model()
        model.entitiesByName["Hero"]?.managedObjectClassName = NSStringFromClass(SimpleHero.self)
        let stack = try TestStack(model)
        try stack.perform { context throws in
            let decoder = JSONDecoder()
            decoder.managedObjectContext = context
            _ = try decoder.decode(SimpleHero.self, from: Data(#"{"id": 2}"#.utf8))
            let json = #"{"id": 1, "friends": [{"$entity": "Villain", "id": 2, "gang": null}]}"#
            let hero = try decoder.decode(SimpleHero.self, from: Data(json.utf8))
            #expect((hero.value(forKey: "friends") as? NSSet)?.count == 1)
        }
    }

    @Test func `updating makes no object of a bare identifier`() throws {
        let stack = try TestStack(model())
        try stack.perform { context throws in
            let gang = try #require(
                try context.populateObjects(fromDictionaries: [["id": 1]], entity: "Gang").objects.first)
            var options = PopulateOptions()
            options.existingObjects = .update
            let error = graftError { try gang.populate(fromDictionary: ["members": [99]], options: options) }
            guard case .unresolvedReference? = error?.problem else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try context.all("Villain").isEmpty)
        }
    }

    @Test func `a null that is ignored lets the next key speak`() throws {
        var sketch = ModelSketch()
        sketch.entity("Note", [.attribute("text")])
        let model = sketch.model()
        model.entitiesByName["Note"]?.attributesByName["text"]?.userInfo = [
            "JSONKeyPath": "a", "JSONKeyPath.1": "b", "JSONNullPolicy": "ignore",
        ]
        let stack = try TestStack(model)
        try stack.perform { context throws in
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            var options = SafeValueOptions()
            options.usesMapping = true
            try note.safeSetValues(forKeysWith: ["a": NSNull(), "b": "x"], options: options)
            #expect(note.text("text") == "x")
        }
    }
}
