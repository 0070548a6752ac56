// DiffOptions.keys: "What tells the objects of an entity and its sub-entities apart". Who agrees to a guess by the entity has agreed for its
// sub-entities; GraphDiff+Identification.swift (requireAgreement) wants each of them to be named.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct InheritedKeyTests {
    @Test func `a key that is said of an entity agrees to the guess for its sub-entities`() throws {
        var sketch = ModelSketch()
        sketch.entity("Animal", [.attribute("UUID"), .attribute("name")])
        sketch.entity("Dog", parent: "Animal", [.attribute("breed")])
        let model = sketch.model()
        func stack(_ name: String) throws -> TestStack {
            let stack = try TestStack(model, .sqlite)
            try stack.perform { context in
                _ = context.make("Animal", ["UUID": "1", "name": name])
                _ = context.make("Dog", ["UUID": "2", "name": name])
                try context.save()
            }
            return stack
        }
        let (old, new) = (try stack("before"), try stack("after"))
        let diff = try GraphDiff(from: old.container, to: new.container)
        #expect(diff.identification.rules == ["Animal": .guessed(["UUID"]), "Dog": .guessed(["UUID"])])
        let agreed = DiffOptions(keys: ["Animal": ["UUID"]])
        // What is said for the diff itself holds for both.
        let said = try GraphDiff(from: old.container, to: new.container, options: agreed)
        #expect(said.identification.rules == ["Animal": .said(["UUID"]), "Dog": .said(["UUID"])])
        let error = graftError { try old.container.apply(diff, options: GraphDiff.ApplyingOptions(diff: agreed)) }
        #expect(error == nil, "\(String(describing: error))")
        #expect(try GraphDiff(from: old.container, to: new.container).isEmpty)
    }
}
