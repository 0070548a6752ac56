// JSON that is nested deep in transformable attributes: reading, keeping and writing it costs as much as it is long.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct DeepTreeGrowthTests {
    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Note", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .attribute("tree", .transformableAttributeType)])
        return sketch.model()
    }

    /// Records with trees of arrays and objects.
    private func records(_ depth: Int) -> String {
        let (open, close) = (#"[{"a": "#, "}]")
        let tree = String(repeating: open, count: depth / 2) + "1" + String(repeating: close, count: depth / 2)
        return "[" + (0..<20).map { #"{"id": \#($0), "tree": \#(tree)}"# }.joined(separator: ",\n") + "]"
    }

    /// Imports, twice, and exports.
    private func passThrough(_ depth: Int, _ kind: StoreKind, _ model: NSManagedObjectModel) throws {
        let stack = try TestStack(model, kind)
        let text = records(depth)
        #expect(try stack.importJSON(text, "Note").total.inserted == 20)
        #expect(try stack.importJSON(text, "Note").total.unchanged == 20)
        let exported = try stack.perform { context throws in
            try context.exportJSON(NSFetchRequest<NSManagedObject>(entityName: "Note"))
        }
        #expect(exported.count { $0 == UInt8(ascii: "[") } == 20 * depth / 2 + 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `four times as many levels take about four times as long`(_ kind: StoreKind) throws {
        let model = model()
        let ratio = try Growth.ratio {
            try passThrough(100, kind, model)
        } large: {
            try passThrough(400, kind, model)
        }
        // Quadratic would be 16.
        #expect(ratio < 9, "\(ratio)")
    }
}
