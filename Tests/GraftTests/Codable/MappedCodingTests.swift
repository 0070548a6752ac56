// Coding by the mapping: the places where values may be, null on the way to them, and what has one direction alone, as in an import.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct MappedCodingTests {
    private func model() -> NSManagedObjectModel {
        let model = CodedModel.make(isAnnotated: true)
        let attributes = model.entitiesByName["Hero"]?.attributesByName ?? [:]
        attributes["realName"]?.userInfo = [
            "JSONKeyPath": "person.name", "JSONKeyPath.1": "name", "JSONNullPolicy": "ignore",
        ]
        attributes["rank"]?.userInfo = ["JSONKeyPath": "rank", "JSONDirection": "import"]
        attributes["born"]?.userInfo = ["JSONKeyPath": "born", "JSONDirection": "export"]
        return model
    }

    private var options: ManagedCodingOptions {
        var options = ManagedCodingOptions()
        options.keys = .mapping
        return options
    }

    @Test(arguments: [
        (#"{"id": 1, "person": {"name": "first"}, "name": "second"}"#, "first"),
        (#"{"id": 1, "name": "second", "person": {"name": "first"}}"#, "first"),
        (#"{"id": 1, "name": "second", "person": {"name": null}}"#, "second"),
        (#"{"id": 1, "name": "second", "person": null}"#, "second"),
        (#"{"id": 1, "name": "second"}"#, "second"), (#"{"id": 1, "name": null}"#, "before"),
    ])
    func `the first of several places counts, and an ignored null leaves the next one its chance`(
        _ json: String, _ name: String
    ) throws {
        let stack = try TestStack(model())
        try stack.perform { context throws in
            let hero = try context.decodeHero(#"{"id": 1, "name": "before"}"#, options)
            #expect(try context.decodeHero(json, options) === hero)
            #expect(hero.text("realName") == name)
        }
        try stack.importJSON("[\(json)]", "Hero")
        let imported = try stack.perform { try $0.all("Hero").first?.value(forKey: "realName") as? String }
        #expect(imported == (name == "before" ? "nobody" : name))
    }

    @Test func `null on the way clears all that lies behind it`() throws {
        let stack = try TestStack(model())
        try stack.perform { context throws in
            let hero = try context.decodeHero(
                #"{"id": 1, "person": {"home": {"city": "Gotham"}, "powers": [{"name": "Rich"}]}}"#, options)
            #expect(hero.text("city") == "Gotham")
            _ = try context.decodeHero(#"{"id": 1, "person": null}"#, options)
            #expect(hero.text("city") == nil)
            #expect(hero.texts("powers", "name") == [])
        }
    }

    @Test func `an ignored null leaves a relationship alone, also on the way to it`() throws {
        let model = model()
        let powers = try #require(model.entitiesByName["Hero"]?.relationshipsByName["powers"])
        powers.userInfo = ["JSONKeyPath": "person.powers", "JSONNullPolicy": "ignore"]
        let stack = try TestStack(model)
        try stack.perform { context throws in
            let hero = try context.decodeHero(#"{"id": 1, "person": {"powers": [{"name": "Rich"}]}}"#, options)
            for text in [#"{"id": 1, "person": null}"#, #"{"id": 1, "person": {"powers": null}}"#] {
                _ = try context.decodeHero(text, options)
                #expect(hero.texts("powers", "name") == ["Rich"])
            }
        }
    }

    @Test func `what is for one direction takes part in that one`() throws {
        let stack = try TestStack(model())
        try stack.perform { context throws in
            let hero = try context.decodeHero(#"{"id": 1, "rank": 3, "born": 0}"#, options)
            #expect(hero.number("rank") == 3)
            #expect(hero.value(forKey: "born") == nil)
            hero.setValue(Date(timeIntervalSinceReferenceDate: 1), forKey: "born")
            let json = try sortedJSON(hero) { $0.managedCodingOptions = options }
            #expect(json.contains(#""born":1"#))
            #expect(!json.contains("rank"))
        }
    }

    @Test func `of properties at one place, or behind another, the first is written, an attribute if there is one`()
        throws
    {
        let model = model()
        let hero = try #require(model.entitiesByName["Hero"])
        hero.attributesByName["city"]?.userInfo = ["JSONKeyPath": "lair.place"]
        hero.attributesByName["rank"]?.userInfo = ["JSONKeyPath": "spot"]
        hero.relationshipsByName["friends"]?.userInfo = ["JSONKeyPath": "spot"]
        let stack = try TestStack(model)
        try stack.perform { context throws in
            let hero = try context.decodeHero(#"{"id": 1, "lair": {"place": "Cave"}}"#, options)
            #expect(hero.text("city") == "Cave")
            hero.setValue("Gotham", forKey: "city")
            hero.setValue(3, forKey: "rank")
            hero.setValue(Set([try context.decodeHero(#"{"id": 2}"#, options)]), forKey: "friends")
            let json = try sortedJSON(hero) { $0.managedCodingOptions = options }
            #expect(json.contains(#""lair":{"place":"Cave"}"#), "\(json)")
            #expect(json.contains(#""spot":3"#), "\(json)")
            #expect(!json.contains("Gotham"), "\(json)")
        }
    }
}
