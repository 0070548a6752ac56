// JSON that says something of some objects, as an answer of a server: it means what it would mean to an import.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct PartialAnswerTests {
    // MARK: What is gone, and versions

    /// Two projects; the first has two tasks, with versions. The first of them may have notes.
    private func tasks(notes: [String] = []) throws -> TwoSides {
        var sketch = ModelSketch()
        sketch.entity(
            "Project",
            info: [
                "identityAttributes": "id", "JSONRootKeyPath": "projects", "JSONDeletedListKeyPath": "removed",
            ], [.attribute("id"), .toMany("tasks", "Task", inverse: "project")])
        sketch.entity(
            "Task", info: ["identityAttributes": "id", "JSONDeletedKey": "gone", "JSONVersionAttribute": "ver"],
            [
                .attribute("id", .integer64AttributeType), .attribute("title", default: "untitled"),
                .attribute("ver", .integer64AttributeType), .toOne("project", "Project", inverse: "tasks"),
                .toMany("notes", "Note", inverse: "task", rule: .cascadeDeleteRule),
            ])
        sketch.entity("Note", [.attribute("text"), .attribute("rank"), .toOne("task", "Task", inverse: "notes")])
        return try TwoSides(sketch.model()) { context in
            let project = context.add("Project", ["id": "p"])
            context.add("Project", ["id": "q"])
            for id in 1...2 {
                let task = context.add("Task", ["id": id, "title": "t", "ver": 5, "project": project])
                for text in notes { context.add("Note", ["text": text, "rank": "\(id)", "task": task]) }
            }
        }
    }

    @Test(arguments: [true, false])
    func `what an answer says is gone is deleted`(_ isWhole: Bool) throws {
        let texts = [
            ("Task", #"[{"id": 1, "gone": true, "ver": 4}]"#),
            ("Project", #"[{"id": "p", "tasks": [{"id": 1, "gone": true}, {"id": 2}]}]"#),
            ("Project", #"{"projects": [{"id": "p", "tasks": [1, 2]}, {"id": "q"}], "removed": ["q"]}"#),
        ]
        for (entity, text) in texts {
            let sides = try tasks()
            try sides.client.perform { context in
                let tracker = try sides.tracker(context)
                let diff = try tracker.receive(json: Data(text.utf8), entity: entity, isWhole: isWhole)
                let gone = text.contains("removed") ? #"Project "q""# : "Task 1"
                #expect(diff.deleted.contains { $0.key.description == gone }, "\(diff)")
                if !isWhole { #expect(diff.deleted.count == 1 && diff.inserted.isEmpty) }
                #expect(try tracker.pendingChange().isEmpty)
            }
        }
    }

    @Test(arguments: [(4, "t"), (5, "t"), (6, "new")])
    func `a record without a newer version changes nothing, as in an import`(_ version: Int, _ title: String) throws {
        let sides = try tasks()
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            let text =
                #"[{"id": 1, "title": "new", "ver": \#(version), "project": "q", "notes": [{"text": "n"}]}]"#
            try tracker.receive(json: Data(text.utf8), entity: "Task", isWhole: false)
            let task = try #require(try context.one("Task", "id", 1))
            let isNewer = version > 5
            #expect(task.text("title") == title && task.number("ver") == (isNewer ? 6 : 5))
            #expect(task.object("project")?.text("id") == (isNewer ? "q" : "p"))
            #expect(try context.all("Note").count == (isNewer ? 1 : 0))
            #expect(try tracker.pendingChange().isEmpty)
        }
    }

    // MARK: Objects without identity

    @Test(arguments: [
        (#"[{"text": "b"}, {"text": "a"}]"#, ["a", "b"]), (#"[{"text": "b", "rank": "1"}]"#, ["b"]),
        (#"[{"text": "b"}, {"text": "c"}]"#, ["b", "c"]), ("[]", []),
    ])
    func `an answer keeps the objects without identity that it names, and takes the others from their owner`(
        _ list: String, _ expected: [String]
    ) throws {
        let sides = try tasks(notes: ["a", "b"])
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            let kept = try context.all("Note").filter { expected.contains($0.text("text") ?? "") }.map(\.objectID)
            let json = Data(#"[{"id": 1, "notes": \#(list)}]"#.utf8)
            let diff = try tracker.receive(json: json, entity: "Task", isWhole: false)
            #expect(diff.isEmpty == (expected == ["a", "b"]), "\(diff)")
            let notes = try context.all("Note")
            #expect(Set(notes.map(\.objectID)).isSuperset(of: kept))
            let texts = notes.map { "\($0.object("task")?.number("id") ?? 0)\($0.text("text") ?? "")" }
            #expect(texts.sorted() == expected.map { "1\($0)" } + ["2a", "2b"])
            #expect(notes.allSatisfy { $0.text("text") == "c" || $0.text("rank") != nil })
            #expect(try tracker.pendingChange().isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `an answer that would delete more than the limit waits, whatever its form`(_ isJSON: Bool) throws {
        let sides = try TwoSides(SyncModel.make()) { try SyncModel.fill($0) }
        try sides.client.perform { context in
            let tracker = try sides.tracker(context, GraphTracker.Options(deletionLimit: .count(1)))
            let answer = try sides.answer { $0.delete(try $0.person("ann")) }
            let text = try sides.server.perform { try $0.exportJSON() }
            let error = graftError {
                _ = try isJSON ? tracker.receive(json: text, isWhole: true) : tracker.receive(answer)
            }
            #expect(error?.problem == .tooManyDeletions(count: 2, of: 2, limit: 1))
            #expect(error?.place.entity == "Address")
            #expect(try context.all("Person").count == 2)
            let second = try GraphTracker(file: sides.file, context: context)
            #expect(try second.resumeError == nil && context.all("Address").isEmpty)
        }
    }
}
