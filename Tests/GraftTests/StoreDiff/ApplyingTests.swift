// Diffs and patches applied to managed objects.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct ApplyingTests {
    @Test(arguments: StoreKind.allCases)
    func `the difference of two stores leads from the one to the other, and back`(_ kind: StoreKind) throws {
        var count = 0
        for seed in 1...(kind == .sqlite ? 25 : 80) {
            let (old, new) = try ChangedStores.pair(seed, kind)
            let schema = try GraphSchema(old.container.managedObjectModel)
            guard schema.entities.allSatisfy({ $0.isAbstract || !$0.identity.isEmpty }) else { continue }
            guard let diff = try? GraphDiff(from: old.container, to: new.container) else { continue }
            count += 1
            try old.perform { context in
                let report = try context.apply(diff)
                #expect(report.conflicts.isEmpty, "seed \(seed)")
                try context.save()
            }
            #expect(try GraphDiff(from: old.container, to: new.container).isEmpty, "seed \(seed)")
            try new.perform { context in
                try context.apply(diff.inverted)
                try context.save()
            }
            #expect(try GraphDiff(from: old.container, to: new.container) == diff.inverted, "seed \(seed)")
        }
        #expect(count > 3)
    }

    @Test func `a change that doesn't fit fails the diff and leaves everything as it was`() throws {
        let stack = try comics()
        try stack.perform { context in
            let batman = ObjectKey("Character", [.integer(1699)])
            let diff = GraphDiff(changed: [
                ObjectChange(
                    batman,
                    [
                        PropertyChange("name", .attribute(old: .string("Batman"), new: .string("Bat"))),
                        PropertyChange("realName", .attribute(old: .string("Nobody"), new: .null)),
                    ])
            ])
            #expect(throws: GraftError.self) { try context.apply(diff) }
            #expect(!context.hasChanges)
            let report = try context.apply(diff, options: GraphDiff.ApplyingOptions(conflicts: .skip))
            #expect(report.conflicts.map(\.property) == ["realName"])
            let object = try context.one("Character", "identifier", 1699)
            #expect(object?.text("name") == "Bat")
            #expect(object?.text("realName") == "Bruce Wayne")
        }
    }

    @Test func `a JSON Patch of an object's export changes the object and what it leads to`() throws {
        let stack = try comics()
        try stack.perform { context in
            let batman = try #require(try context.one("Character", "identifier", 1699))
            let agility = try #require(try context.one("Power", "identifier", 4))
            let patch = try JSONPatch(
                parsing: """
                    [{"op": "test", "path": "/0/name", "value": "Batman"},
                     {"op": "remove", "path": "/0/real_name"},
                     {"op": "replace", "path": "/0/powers/0/name", "value": "Speed"},
                     {"op": "add", "path": "/0/powers/-", "value": {"id": 77, "name": "Gadgets"}},
                     {"op": "replace", "path": "/0/publisher", "value": null}]
                    """)
            try context.apply(GraphDiff(patch, on: [batman]))
            #expect(batman.text("realName") == nil)
            #expect(batman.object("publisher") == nil)
            #expect(batman.texts("powers", "name") == ["Gadgets", "Insanely Rich", "Speed"])
            // The object is the same one, not another one with the same identity.
            #expect(agility.text("name") == "Speed")
            #expect(try context.all("Power").count == 3)
        }
    }

    @Test func `a merge patch sets what it names and clears what it has null for`() throws {
        let stack = try comics()
        try stack.perform { context in
            let batman = try #require(try context.one("Character", "identifier", 1699))
            let patch = try JSONMergePatch(parsing: #"{"name": "The Bat", "real_name": null, "powers": [9]}"#)
            try context.apply(GraphDiff(patch, on: batman))
            #expect(batman.text("name") == "The Bat")
            #expect(batman.text("realName") == nil)
            #expect(batman.texts("powers", "name") == ["Insanely Rich"])
            #expect(batman.object("publisher")?.text("name") == "DC Comics")
            // Nobody owns a power, so leaving a hero isn't the end of it.
            #expect(try context.one("Power", "identifier", 4)?.text("name") == "Agility")
        }
    }

    @Test func `a patch reaches objects of sub-entities, which an export doesn't tell from others`() throws {
        var sketch = ModelSketch()
        let info = ["identityAttributes": "id"]
        sketch.entity(
            "Owner", info: info,
            [
                .attribute("id", .integer64AttributeType),
                .toMany("pets", "Animal", inverse: "owner", rule: .cascadeDeleteRule),
            ])
        sketch.entity(
            "Animal", info: info,
            [.attribute("id", .integer64AttributeType), .attribute("name"), .toOne("owner", "Owner", inverse: "pets")])
        sketch.entity("Dog", parent: "Animal", [.attribute("breed")])
        let stack = try TestStack(sketch.model())
        try stack.perform { context in
            let (owner, dog) = (context.make("Owner", ["id": 1]), context.make("Dog", ["id": 3, "breed": "Pug"]))
            dog.setValue(owner, forKey: "owner")
            try context.save()
            let rename = try JSONPatch(parsing: #"[{"op": "add", "path": "/pets/0/name", "value": "Max"}]"#)
            let diff = try GraphDiff(rename, on: owner)
            #expect(diff.changed.map(\.key.description) == ["Dog 3"])
            try context.apply(diff)
            #expect(dog.text("name") == "Max" && dog.text("breed") == "Pug")
            try context.apply(GraphDiff(JSONPatch(parsing: #"[{"op": "remove", "path": "/pets/0"}]"#), on: owner))
            #expect(dog.isDeleted)
        }
    }

    @Test func `a patch that fails leaves the objects as they were`() throws {
        let stack = try comics()
        try stack.perform { context in
            let batman = try #require(try context.one("Character", "identifier", 1699))
            for text in [
                #"[{"op":"replace","path":"/0/name","value":"x"},{"op":"test","path":"/0/name","value":"y"}]"#,
                #"[{"op":"replace","path":"/0/name","value":"x"},{"op":"replace","path":"/0/id","value":[1]}]"#,
            ] {
                let patch = try JSONPatch(parsing: text)
                #expect(throws: GraftError.self) { try context.apply(GraphDiff(patch, on: [batman])) }
                #expect(!context.hasChanges)
            }
        }
    }

    private func comics() throws -> TestStack {
        let stack = try TestStack(ComicModel.make())
        try stack.importJSON(ComicModel.batman, "Character")
        return stack
    }
}
