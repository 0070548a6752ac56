// Many records that fail: each has its line and column, which are counted on from those of the one before.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct FailureGrowthTests {
    private func records(_ count: Int) -> String {
        let rest = String(repeating: "x", count: 400)
        return "[" + (0..<count).map { #"{"id": "wrong\#($0)", "rest": "\#(rest)"}"# }.joined(separator: ",\n") + "]"
    }

    /// The lines of the failures.
    private func lines(of text: String, _ model: NSManagedObjectModel) throws -> [Int?] {
        var options = ImportOptions()
        options.failurePolicy = .skip
        return try TestStack(model, .inMemory).importJSON(text, "Note", options: options).failures.map(\.line)
    }

    @Test func `four times as many records that fail take about four times as long`() throws {
        var sketch = ModelSketch()
        sketch.entity("Note", [.attribute("id", .integer64AttributeType)])
        let model = sketch.model()
        let small = records(500), large = records(2000)
        let ratio = try Growth.ratio {
            let found = try lines(of: small, model)
            #expect(found == Array(1...500))
        } large: {
            let found = try lines(of: large, model)
            #expect(found == Array(1...2000))
        }
        // Quadratic would be 16.
        #expect(ratio < 9, "\(ratio)")
    }
}
