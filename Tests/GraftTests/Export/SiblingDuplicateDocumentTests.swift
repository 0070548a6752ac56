// Siblings may share an identity; two objects of one entity may not, also where a sibling had the identity before them.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct SiblingDuplicateDocumentTests {
    /// Places with an identity that they inherit, towns and rivers; rivers come first in a document.
    private static func places() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity("Place", info: ["identityAttributes": "id"], [.attribute("id", .integer32AttributeType)])
        sketch.entity("Town", parent: "Place", [])
        sketch.entity("River", parent: "Place", [])
        return sketch.model()
    }

    @Test func `two objects with one identity are named, also where a sibling has it, too`() throws {
        let stack = try TestStack(Self.places())
        try stack.fill { context in
            context.add("River", ["id": 7])
            for _ in 0..<2 { context.add("Town", ["id": 7]) }
        }
        let error = graftError { _ = try stack.perform { try $0.exportJSON() } }
        #expect(error?.place.entity == "Town")
        #expect(error?.description.contains("has the identity 7, as another object has") ?? false)
    }

    @Test func `what an export has written without a word can be imported`() throws {
        let stack = try TestStack(Self.places())
        try stack.fill { context in
            context.add("River", ["id": 7])
            for _ in 0..<2 { context.add("Town", ["id": 7]) }
        }
        guard let data = try? stack.perform({ try $0.exportJSON() }) else { return }
        let copy = try TestStack(Self.places())
        #expect(throws: Never.self) { _ = try copy.container.importJSON(from: [.data(data)]) }
        #expect(try copy.count("Place") == 3)
    }
}
