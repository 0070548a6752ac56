// docs/diff.md: "Two values are the same if a store would keep the same: texts by their bytes, doubles and dates by their bits", and the first law.
// Identities are compared by GraphValue.isSameIdentity, for which NaN isn't NaN.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct NaNIdentityTests {
    @Test func `an object whose identity is no number is the same one on both sides`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Reading", info: ["identityAttributes": "value"],
            [.attribute("value", .doubleAttributeType), .attribute("unit")])
        try TestStack(sketch.model()).perform { context in
            let reading = context.make("Reading", ["value": Double.nan, "unit": "m"])
            try context.save()
            let before = try GraphSnapshot(of: context)
            #expect(try GraphDiff(from: before, to: before).isEmpty)
            reading.setValue("km", forKey: "unit")
            let diff = try GraphDiff(from: before, to: GraphSnapshot(of: context))
            #expect(diff.deleted.isEmpty && diff.inserted.isEmpty && diff.changed.count == 1)
            // A second one with that identity is a second one, as with any other number.
            _ = context.make("Reading", ["value": Double.nan])
            #expect(graftError { _ = try GraphSnapshot(of: context) } != nil)
        }
    }
}
