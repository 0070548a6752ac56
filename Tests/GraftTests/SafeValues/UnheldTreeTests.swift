// A tree that stands as a text (`$json`) and that no objects can hold is a value that can't be converted: nothing is set, or it is
// skipped. (DictionaryValue.transformable doesn't look at the tree of such a text, so that setting it fails behind other attributes.)

import CoreData
import Foundation
import Graft
import Testing

@Suite struct UnheldTreeTests {
    private func stack() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity("Item", [.attribute("name"), .attribute("tree", .transformableAttributeType)])
        return try TestStack(sketch.model())
    }

    private static let trees = ["[1e400]", "{\"\u{E9}\": 1, \"e\u{301}\": 2}"]

    @Test(arguments: trees)
    func `a tree in a text that can't be held leaves all attributes as they were`(_ tree: String) throws {
        try stack().perform { context throws in
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            item.setValue("kept", forKey: "name")
            let values: [String: Any] = ["name": "changed", "tree": ["$json": tree]]
            let error = graftError { try item.safeSetValues(forKeysWith: values) }
            #expect(error?.place.property == "tree")
            #expect(item.text("name") == "kept")
            #expect(item.value(forKey: "tree") == nil)
        }
    }

    @Test(arguments: trees)
    func `a tree in a text that can't be held is skipped where that is said`(_ tree: String) throws {
        try stack().perform { context throws in
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            var options = SafeValueOptions()
            options.failurePolicy = .skip
            let values: [String: Any] = ["name": "changed", "tree": ["$json": tree]]
            let report = try item.safeSetValues(forKeysWith: values, options: options)
            #expect(report.failures.map(\.property) == ["tree"])
            #expect(item.text("name") == "changed")
            // The same of a dictionary that populates.
            var reading = PopulateOptions()
            reading.failurePolicy = .skip
            let populated = try item.populate(fromDictionary: values, options: reading)
            #expect(populated.failures.map(\.property) == ["tree"])
        }
    }
}
