// A key that an object of JSON has twice means the same to dictionaries as to an import.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct RepeatedKeyTests {
    private func stack() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .attribute("tree", .transformableAttributeType),
                .toMany("notes", "Note", inverse: "team", rule: .cascadeDeleteRule, isOrdered: true),
                .toOne("pinned", "Note"),
            ])
        sketch.entity("Note", [.attribute("text"), .toOne("team", "Team", inverse: "notes")])
        return try TestStack(sketch.model())
    }

    @Test(arguments: [
        #"[{"id": 1, "name": "a", "name": "b"}, {"id": 2, "name": null, "name": "c"}]"#,
        #"{"id": 1, "name": "b", "notes": [{"text": "x"}, {"text": "x", "text": "y"}], "other": 1, "other": 2}"#,
        #"[{"id": 1, "name": "b", "tree": {"a": 1, "a": 2}}, {"id": 2, "tree": [{"a": {"b": 1, "b": 2, "b": 3}}]}]"#,
        #"[{"id": 1, "name": "b", "tree": 1, "tree": [{"a": 0, "a": {"c": 1, "c": 2}}]}]"#,
    ])
    func `repeated keys are counted as in an import, and the last value counts`(_ text: String) throws {
        let (imported, populated) = (try stack(), try stack())
        let report = try imported.importJSON(text, "Team")
        try populated.perform { context throws in
            let found = try context.populateObjects(fromDictionaryData: Data(text.utf8), entity: "Team").report
            #expect(!report.repeatedKeys.isEmpty)
            #expect(found.repeatedKeys == report.repeatedKeys)
            #expect(found.unknownKeys == report.unknownKeys)
            #expect(try context.one("Team", "id", 1)?.text("name") == "b")
            try context.save()
        }
        func labels(_ stack: TestStack) throws -> [String] { try stack.perform { try GraphFingerprint.labels($0) } }
        #expect(try labels(populated) == labels(imported))
    }

    @Test(arguments: [
        #"[{"id": 1}, {"id": 2, "notes": [{"text": "a"}], "notes": [{"text": "b"}]}]"#,
        #"[{"id": 1}, {"id": 2, "pinned": {"text": "a"}, "pinned": null}]"#,
    ])
    func `below a repeated key there are no objects`(_ text: String) throws {
        let stack = try stack()
        let refused = try #require(graftError { try stack.importJSON(text, "Team") })
        try stack.perform { context throws in
            func populate(_ policy: ImportOptions.FailurePolicy) throws -> ImportReport {
                var options = PopulateOptions()
                options.failurePolicy = policy
                return try context.populateObjects(
                    fromDictionaryData: Data(text.utf8), entity: "Team", options: options
                ).report
            }
            let error = try #require(graftError { _ = try populate(.fail) })
            #expect(error.problem == refused.problem && error.place.path == refused.place.path)
            #expect(!context.hasChanges)
            #expect(throws: ImportFailures.self) { _ = try populate(.collect) }
            #expect(try populate(.skip).failures.count == 1)
        }
    }
}
