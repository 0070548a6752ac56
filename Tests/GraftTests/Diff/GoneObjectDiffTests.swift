// Snapshots of JSON that says what is gone.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct GoneObjectDiffTests {
    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Project",
            info: [
                "identityAttributes": "id", "JSONRootKeyPath": "projects", "JSONDeletedListKeyPath": "removed",
            ], [.attribute("id"), .toMany("tasks", "Task", inverse: "project")])
        sketch.entity(
            "Task", info: ["identityAttributes": "id", "JSONDeletedKey": "gone"],
            [
                .attribute("id"), .attribute("title", default: "untitled"),
                .toOne("project", "Project", inverse: "tasks"),
            ])
        return sketch.model()
    }

    /// Two projects, of which the first has two tasks.
    private func stack(_ model: NSManagedObjectModel) throws -> TestStack {
        let stack = try TestStack(model)
        try stack.importJSON(
            #"{"projects": [{"id": "p", "tasks": [{"id": "a", "title": "A"}, {"id": "b"}]}, {"id": "q"}]}"#, "Project")
        return stack
    }

    @Test(arguments: [
        (#"[{"id": "p", "tasks": [{"id": "a", "gone": true}, {"id": "b"}]}, {"id": "q"}]"#, #"Task "a""#),
        (#"{"projects": [{"id": "p", "tasks": ["a", "b"]}, {"id": "q"}], "removed": ["q"]}"#, #"Project "q""#),
    ])
    func `what JSON says is gone counts as missing`(_ text: String, _ gone: String) throws {
        let model = model()
        try stack(model).perform { context in
            let json = try GraphSnapshot(json: Data(text.utf8), entity: "Project", model: model)
            let diff = try GraphDiff(from: GraphSnapshot(of: context), to: json)
            #expect(diff.deleted.map(\.key.description) == [gone])
            #expect(diff.inserted.isEmpty)
            #expect(try GraphDiff(from: json, to: GraphSnapshot(of: context)) == diff.inverted)
        }
    }

    @Test(arguments: [
        (#"[{"id": "p", "tasks": [{"id": "a", "gone": true}, {"id": "b"}]}]"#, ["b"], ["p", "q"]),
        (#"{"projects": [{"id": "q"}], "removed": ["q"]}"#, ["a", "b"], ["p"]),
    ])
    func `importing a snapshot deletes what its text says is gone`(
        _ text: String, _ tasks: [String], _ projects: [String]
    ) throws {
        let model = model()
        try stack(model).perform { context in
            try context.importSnapshot(GraphSnapshot(json: Data(text.utf8), entity: "Project", model: model))
            #expect(try context.all("Task", by: "id").map { $0.text("id") } == tasks)
            #expect(try context.all("Project", by: "id").map { $0.text("id") } == projects)
        }
    }
}
