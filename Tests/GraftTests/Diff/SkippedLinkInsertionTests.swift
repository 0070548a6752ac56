// `skip`: of a link that doesn't fit at one end the other end is left out, too, also where the other end is a new object's.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct SkippedLinkInsertionTests {
    private let model: NSManagedObjectModel

    init() {
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["id": "id"],
            [
                .attribute("id"), .toMany("addresses", "Address", inverse: "person"),
                .toOne("desk", "Desk", inverse: "person"),
            ])
        sketch.entity(
            "Address", info: ["id": "id"], [.attribute("id"), .toOne("person", "Person", inverse: "addresses")])
        sketch.entity("Desk", info: ["id": "id"], [.attribute("id"), .toOne("person", "Person", inverse: "desk")])
        model = sketch.model()
    }

    /// An address and a desk of one of some persons.
    private func fill(_ context: NSManagedObjectContext, _ persons: [String], of owner: String) throws {
        for id in persons { _ = context.make("Person", ["id": id]) }
        let person = try #require(try context.one("Person", "id", owner))
        for entity in ["Address", "Desk"] { context.make(entity, ["id": "1"]).setValue(person, forKey: "person") }
    }

    private func graph(_ persons: [String], of owner: String) throws -> GraphSnapshot {
        try TestStack(model).perform { context in
            try fill(context, persons, of: owner)
            return try GraphSnapshot(of: context)
        }
    }

    @Test func `what belongs to somebody else meanwhile isn't taken away by a new object`() throws {
        // The new person q gets what p has.
        let diff = try GraphDiff(from: graph(["p", "r"], of: "p"), to: graph(["p", "q", "r"], of: "q"))
        // Here, r has it.
        var elsewhere = try graph(["p", "r"], of: "r")
        let report = try elsewhere.apply(diff, options: GraphDiff.ApplyingOptions(conflicts: .skip))
        for entity in ["Address", "Desk"] {
            let key = ObjectKey(entity, [.string("1")])
            #expect(report.conflicts.contains { $0.key == key && $0.property == "person" })
            let row = elsewhere.row(of: entity, identity: [.string("1")])
            #expect(row?.destination(of: "person")?["id"] == .string("r"), "\(entity)")
        }
        #expect(elsewhere.row(of: "Person", identity: [.string("q")]) != nil)
    }

    @Test func `nor is it in a store`() throws {
        let diff = try GraphDiff(from: graph(["p", "r"], of: "p"), to: graph(["p", "q", "r"], of: "q"))
        let stack = try TestStack(model)
        try stack.perform { context in
            try fill(context, ["p", "r"], of: "r")
            try context.save()
        }
        _ = try stack.container.apply(diff, options: GraphDiff.ApplyingOptions(conflicts: .skip))
        try stack.perform { context throws in
            for entity in ["Address", "Desk"] {
                #expect(try context.one(entity, "id", "1")?.object("person")?.text("id") == "r", "\(entity)")
            }
        }
    }
}
