// GraphTracker+Receiving.swift (take) settles the conflicts that an answer leaves one after the other, and each settlement merges everything anew.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct TrackerGrowthTests {
    private func sides(_ count: Int) throws -> TwoSides {
        var sketch = ModelSketch()
        sketch.entity("Item", info: ["id": "id"], [.attribute("id"), .attribute("name")])
        return try TwoSides(sketch.model()) { context in
            for number in 0..<count { context.add("Item", ["id": "\(number)", "name": "a"]) }
        }
    }

    private func rename(_ context: NSManagedObjectContext, to name: String) throws {
        for item in try context.all("Item") { item.setValue(name, forKey: "name") }
    }

    /// A tracker with changes of all objects, and an answer in which the server has changed them, too.
    private func prepare(
        _ sides: TwoSides, _ context: NSManagedObjectContext
    ) throws -> (tracker: GraphTracker, answer: GraphSnapshot) {
        let tracker = try sides.tracker(context)
        try rename(context, to: "b")
        try context.save()
        return (tracker, try sides.answer { try rename($0, to: "c") })
    }

    @Test func `an answer takes time in proportion to the conflicts that it leaves`() throws {
        let (few, many) = (try sides(100), try sides(400))
        try few.client.perform { context in
            let small = try prepare(few, context)
            try many.client.perform { other in
                let large = try prepare(many, other)
                let ratio = try Growth.ratio(
                    attempts: 1, small: { try small.tracker.receive(small.answer) },
                    large: { try large.tracker.receive(large.answer) })
                #expect(small.tracker.conflicts.count == 100 && large.tracker.conflicts.count == 400)
                // Quadratic would be 16.
                #expect(ratio < 9, "\(ratio)")
            }
        }
    }
}
