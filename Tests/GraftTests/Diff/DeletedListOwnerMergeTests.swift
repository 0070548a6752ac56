// One side moves a thing from a box to another one, and the other side deletes that one. Settled for the deletion, the thing is where it was,
// as it is where the relationship has an inverse.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DeletedListOwnerMergeTests {
    private func boxes(_ owners: [String: [String]], hasInverse: Bool, isOrdered: Bool) throws -> GraphSnapshot {
        var sketch = ModelSketch()
        sketch.entity(
            "Box", info: ["id": "id"],
            [
                .attribute("id"),
                .toMany("things", "Thing", inverse: hasInverse ? "box" : nil, isOrdered: isOrdered),
            ])
        var thing: [ModelSketch.Property] = [.attribute("id")]
        if hasInverse { thing.append(.toOne("box", "Box", inverse: "things")) }
        sketch.entity("Thing", info: ["id": "id"], thing)
        return try TestStack(sketch.model()).perform { context in
            for id in ["x", "y"] { _ = context.make("Thing", ["id": id]) }
            for (id, things) in owners.sorted(by: { $0.key < $1.key }) {
                let box = context.make("Box", ["id": id])
                let members = try things.map { try #require(try context.one("Thing", "id", $0)) }
                let value: Any = isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
                box.setValue(value, forKey: "things")
            }
            return try GraphSnapshot(of: context)
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `a thing that was moved to a box that goes is where it was`(_ hasInverse: Bool, _ isOrdered: Bool) throws {
        func graph(_ owners: [String: [String]]) throws -> GraphSnapshot {
            try boxes(owners, hasInverse: hasInverse, isOrdered: isOrdered)
        }
        let base = try graph(["a": ["x", "y"], "b": []])
        let ours = try graph(["a": ["x", "y"]])
        let theirs = try graph(["a": ["y"], "b": ["x"]])
        let merge = try GraphMerge(base: base, ours: ours, theirs: theirs, options: .init(policy: .ours))
        #expect(merge.conflicts.isEmpty)
        let box = try #require(merge.snapshot.row(of: "Box", identity: [.string("a")]))
        let things = box.members(of: "things")?.map { "\($0["id"] ?? .null)".filter { $0 != "\"" } }.sorted()
        #expect(things == ["x", "y"])
    }
}
