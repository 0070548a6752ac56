// Objects that become ones of another entity under one identity: one is deleted, and one is made.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct EntityChangeDiffTests {
    static let names = ["Animal", "Dog", "Cat", "Puppy"]

    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        let info = ["identityAttributes": "id"]
        sketch.entity(
            "Animal", info: info,
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .toOne("friend", "Animal", inverse: "friendOf"), .toMany("friendOf", "Animal", inverse: "friend"),
            ])
        sketch.entity("Dog", parent: "Animal", info: info, [.attribute("breed")])
        sketch.entity("Cat", parent: "Animal", info: info, [.attribute("lives", .integer16AttributeType)])
        sketch.entity("Puppy", parent: "Dog", info: info, [])
        return sketch.model()
    }

    private func document(_ entity: String) -> String {
        let own = #"{"id": 2, "name": "Rex", "friend": 1}"#
        return entity == "Animal"
            ? #"{"Animal": [{"id": 1}, \#(own)]}"# : #"{"Animal": [{"id": 1}], "\#(entity)": [\#(own)]}"#
    }

    @Test(arguments: names, names)
    func `an object of another entity takes the place of the one before`(_ old: String, _ new: String) throws {
        let model = model()
        let before = try GraphSnapshot(json: Data(document(old).utf8), model: model)
        let after = try GraphSnapshot(json: Data(document(new).utf8), model: model)
        let diff = try GraphDiff(from: before, to: after)
        #expect(try GraphDiff(from: before.applying(diff), to: after).isEmpty)
        #expect(try GraphDiff(from: after.applying(diff.inverted), to: before).isEmpty)
        let stack = try TestStack(model, .sqlite)
        try stack.importJSON(document(old))
        try stack.perform { context throws in
            try context.apply(diff)
            try context.save()
        }
        try stack.perform { context throws in
            let rex = try #require(try context.all("Animal", by: "id").last)
            #expect(try context.all("Animal").count == 2)
            #expect(rex.entity.name == new)
            #expect((rex.value(forKey: "friend") as? NSManagedObject)?.value(forKey: "id") as? Int == 1)
        }
        for (ours, theirs) in [(after, before), (before, after)] {
            let merge = try GraphMerge(base: before, ours: ours, theirs: theirs)
            #expect(merge.conflicts.isEmpty)
            #expect(try GraphDiff(from: merge.snapshot, to: after).isEmpty)
        }
    }
}
