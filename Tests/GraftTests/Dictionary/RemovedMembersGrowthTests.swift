// Members that a dictionary of changes removes are gone through once, and not all members for each of them.
// (DictionaryPopulator.disconnect.)

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct RemovedMembersGrowthTests {
    private func stack(_ count: Int) throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Shelf", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .toMany("items", "Item", inverse: "shelf")])
        sketch.entity(
            "Item", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .toOne("shelf", "Shelf", inverse: "items")])
        let stack = try TestStack(sketch.model())
        let items = (0..<count).map { "{\"id\": \($0)}" }.joined(separator: ",")
        try stack.importJSON("[{\"id\": 1, \"items\": [\(items)]}]", "Shelf")
        return stack
    }

    /// Removes every other member, and saves nothing.
    private func removeHalf(_ stack: TestStack, _ count: Int) throws {
        let removed = stride(from: 0, to: count, by: 2).map { ["id": $0] }
        try stack.perform { context throws in
            let shelf = try #require(try context.all("Shelf").first)
            try shelf.populate(fromDictionary: ["$removed": ["items": removed]])
            let left = shelf.value(forKey: "items") as? NSSet
            #expect(left?.count == count / 2)
        }
    }

    @Test func `four times as many members that go take about four times as long`() throws {
        let (small, large) = (try stack(500), try stack(2000))
        let ratio = try Growth.ratio {
            try removeHalf(small, 500)
        } large: {
            try removeHalf(large, 2000)
        }
        // Quadratic would be 16.
        #expect(ratio < 9, "\(ratio)")
    }
}
