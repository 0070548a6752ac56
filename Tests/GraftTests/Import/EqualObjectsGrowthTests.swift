// Many equal objects without identity: each record finds one that no other has found.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct EqualObjectsGrowthTests {
    /// Imports equal records twice.
    private func importTwice(_ count: Int, _ model: NSManagedObjectModel) throws {
        let stack = try TestStack(model, .inMemory)
        let text = "[" + Array(repeating: #"{"name": "a"}"#, count: count).joined(separator: ",") + "]"
        #expect(try stack.importJSON(text, "Tag").total.inserted == count)
        #expect(try stack.importJSON(text, "Tag").total.unchanged == count)
    }

    @Test func `four times as many equal objects take about four times as long`() throws {
        var sketch = ModelSketch()
        sketch.entity("Tag", [.attribute("name", .stringAttributeType)])
        let model = sketch.model()
        let ratio = try Growth.ratio {
            try importTwice(500, model)
        } large: {
            try importTwice(2000, model)
        }
        // Quadratic would be 16.
        #expect(ratio < 9, "\(ratio)")
    }
}
