// Merges with many conflicts, and with many objects in lists without inverse.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct MergeGrowthTests {
    private let model: NSManagedObjectModel

    init() {
        var sketch = ModelSketch()
        sketch.entity(
            "Item", info: ["identityAttributes": "id"], unique: [["title"]],
            [.attribute("id", .integer64AttributeType), .attribute("title")])
        sketch.entity(
            "Box", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .attribute("name"), .toMany("items", "Item")])
        model = sketch.model()
    }

    private func key(_ entity: String, _ id: Int) -> ObjectKey { ObjectKey(entity, [.integer(Int64(id))]) }

    private func object(_ entity: String, _ id: Int, _ properties: [PropertyContents] = []) -> ObjectContents {
        ObjectContents(
            key(entity, id), [PropertyContents("id", .attribute(.integer(Int64(id))))] + properties)
    }

    private func snapshot(_ objects: [ObjectContents]) throws -> GraphSnapshot {
        try GraphSnapshot(model: model).applying(GraphDiff(inserted: objects))
    }

    /// Boxes with an item each: that of the box so many places farther.
    private func boxes(_ count: Int, from first: Int = 0, name: String = "a", shift: Int = 0) -> [ObjectContents] {
        (0..<count).flatMap { index in
            let item = key("Item", (index + shift) % count)
            return [
                object("Item", index),
                object(
                    "Box", first + index,
                    [
                        PropertyContents("name", .attribute(.string(name))),
                        PropertyContents("items", .toMany([item], isOrdered: false)),
                    ]),
            ]
        }
    }

    private func expectProportion(
        _ sides: (Int) throws -> (base: GraphSnapshot, ours: GraphSnapshot, theirs: GraphSnapshot)
    ) throws {
        let (small, large) = (try sides(100), try sides(400))
        func merge(_ sides: (base: GraphSnapshot, ours: GraphSnapshot, theirs: GraphSnapshot), _ count: Int) throws {
            let merge = try GraphMerge(base: sides.base, ours: sides.ours, theirs: sides.theirs)
            #expect(merge.conflicts.count == count)
        }
        let ratio = try Growth.ratio(small: { try merge(small, 100) }, large: { try merge(large, 400) })
        // Quadratic would be 16.
        #expect(ratio < 9, "\(ratio)")
    }

    @Test func `objects that both sides put into other lists take time in proportion`() throws {
        try expectProportion { count in
            try (snapshot(boxes(count)), snapshot(boxes(count, shift: 1)), snapshot(boxes(count, shift: 2)))
        }
    }

    @Test func `deleted owners that stay after all take time in proportion`() throws {
        try expectProportion { count in
            try (
                snapshot(boxes(count)), snapshot(boxes(count, from: count)), snapshot(boxes(count, name: "b"))
            )
        }
    }

    @Test func `values that aren't unique together take time in proportion`() throws {
        try expectProportion { count in
            func items(_ first: Int) -> [ObjectContents] {
                (0..<count).map { object("Item", first + $0, [.init("title", .attribute(.string("\($0)")))]) }
            }
            return try (snapshot([]), snapshot(items(0)), snapshot(items(count)))
        }
    }
}
