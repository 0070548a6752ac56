// Siblings may share an identity (docs/export.md). An archive restored into the very store that it is of has to find each object as what
// it is, whichever of the two has the earlier row.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct SiblingRestoreTests {
    private static func places() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Place", info: ["identityAttributes": "id"],
            [.attribute("id", .integer32AttributeType), .attribute("name")])
        sketch.entity("Town", parent: "Place", [])
        sketch.entity("River", parent: "Place", [])
        return sketch.model()
    }

    @Test(arguments: [["River", "Town"], ["Town", "River"], ["Place", "Town"], ["Town", "Place"]], [1, 5000])
    func `a store of objects of several entities with one identity takes its own archive`(
        _ entities: [String], _ batchSize: Int
    ) throws {
        let stack = try TestStack(Self.places(), .sqlite)
        // One after the other, so that the rows have that order.
        for entity in entities { try stack.fill { $0.add(entity, ["id": 7, "name": entity]) } }
        for encoding in GraphArchive.Encoding.allCases {
            let archive = try stack.archive(encoding)
            let report = try stack.restore(archive) { $0.batchSize = batchSize }
            #expect(report.total.unchanged == 2 && report.total.inserted == 0, "\(report)")
            #expect(try stack.count("Place") == 2)
        }
    }
}
