// A diff from outside that inserts one object twice (two files put together) doesn't make two objects of one identity.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct RepeatedInsertionTests {
    private let model: NSManagedObjectModel

    init() {
        var sketch = ModelSketch()
        sketch.entity("Note", info: ["id": "id"], [.attribute("id"), .attribute("text")])
        model = sketch.model()
    }

    private func diff() throws -> GraphDiff {
        let note =
            #"{"key": {"entity": "Note", "identity": [{"string": "1"}]}, "properties": ["#
            + #"{"name": "id", "value": {"string": "1"}}, {"name": "text", "value": {"string": "a"}}]}"#
        let text = "{\"version\": 1, \"inserted\": [\(note), \(note)]}"
        return try JSONDecoder().decode(GraphDiff.self, from: Data(text.utf8))
    }

    @Test func `in a snapshot there is one object, or an error`() throws {
        var snapshot = try GraphSnapshot(model: model)
        let report = try? snapshot.apply(diff())
        #expect(snapshot.rows(of: "Note").count == (report == nil ? 0 : 1))
    }

    @Test func `in a store there is one object, or an error`() throws {
        let stack = try TestStack(model)
        let report = try? stack.container.apply(diff())
        #expect(try stack.count("Note") == (report == nil ? 0 : 1))
    }
}
