// Diffs applied to objects that share a part of their identity.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct ApplyGrowthTests {
    /// The lines of one page: the first attribute of their identity tells none of them from the others.
    private func page(_ count: Int) throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Line", unique: [["page", "number"]],
            [
                .attribute("page", .integer64AttributeType), .attribute("number", .integer64AttributeType),
                .attribute("text"),
            ])
        let stack = try TestStack(sketch.model(), .sqlite)
        try stack.fill { context in
            for number in 0..<count { context.add("Line", ["page": 1, "number": number, "text": "a"]) }
        }
        return stack
    }

    private func change(of count: Int) -> GraphDiff {
        GraphDiff(
            changed: (0..<count).map { number in
                let change = PropertyChange.Kind.attribute(old: .string("a"), new: .string("b"))
                return ObjectChange(
                    ObjectKey("Line", [.integer(1), .integer(Int64(number))]), [PropertyChange("text", change)])
            })
    }

    @Test func `a diff of objects that share the first attribute of their identity takes time in proportion`() throws {
        let (few, many) = (1500, 6000)
        let (small, large) = (try page(few), try page(many))
        func apply(_ diff: GraphDiff, to context: NSManagedObjectContext) throws {
            let report = try context.apply(diff)
            #expect(report.changed == diff.changed.count)
            context.rollback()
        }
        try small.perform { context in
            try large.perform { other in
                let (smallDiff, largeDiff) = (change(of: few), change(of: many))
                let ratio = try Growth.ratio(
                    attempts: 2, small: { try apply(smallDiff, to: context) },
                    large: { try apply(largeDiff, to: other) })
                // Quadratic would be 16.
                #expect(ratio < 9, "\(ratio)")
            }
        }
    }
}
