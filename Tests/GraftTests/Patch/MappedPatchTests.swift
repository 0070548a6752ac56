// Patches between exports: lists of objects are matched by the identities that the model declares.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct MappedPatchTests {
    @Test func `nested lists are matched by the identities of their entities`() throws {
        let model = ComicModel.make()
        let options = try JSONPatch.Options.identified(byMappingOf: "Character", in: model)
        #expect(options.identity(JSONPatch.Pointer()) == [["id"]])
        #expect(options.identity(JSONPatch.Pointer(["3", "powers"])) == [["id"]])
        #expect(options.identity(JSONPatch.Pointer(["powers"])) == [["id"]])
        #expect(options.identity(JSONPatch.Pointer(["3", "publisher", "nothing"])) == nil)
        let old: JSONValue = [["id": 1, "powers": [["id": 4, "name": "a"], ["id": 9, "name": "b"]]], ["id": 2]]
        let new: JSONValue = [["id": 2], ["id": 1, "powers": [["id": 9, "name": "c"], ["id": 4, "name": "a"]]]]
        let patch = try JSONPatch(from: old, to: new, options: options)
        #expect(patch.operations.map(\.name) == ["move", "move", "replace"])
        #expect(try patch.applying(to: old) == new)
    }

    @Test func `the lists of a whole graph are matched by entity`() throws {
        let options = try JSONPatch.Options.identified(byMappingOf: nil, in: ComicModel.make())
        #expect(options.identity(JSONPatch.Pointer(["Power"])) == [["id"]])
        #expect(options.identity(JSONPatch.Pointer(["$graft"])) == nil)
        #expect(options.identity(JSONPatch.Pointer(["Character", "0", "powers"])) == [["id"]])
    }

    @Test func `keys of sub-entities and steps of key paths are followed`() throws {
        var sketch = ModelSketch()
        sketch.entity("Base", info: ["identityAttributes": "id"], [.attribute("id", .integer64AttributeType)])
        sketch.entity("Sub", parent: "Base", [.toMany("parts", "Part", inverse: "owner", json: "more.parts")])
        sketch.entity(
            "Part", info: ["identityAttributes": "a, b"],
            [.attribute("a", json: "x.a"), .attribute("b", json: "b"), .toOne("owner", "Sub", inverse: "parts")])
        let options = try JSONPatch.Options.identified(byMappingOf: "Base", in: sketch.model())
        #expect(options.identity(JSONPatch.Pointer(["0", "more", "parts"])) == [["x", "a"], ["b"]])
    }

    @Test func `lists of different sub-entities are matched by the identities of their own members`() throws {
        var sketch = ModelSketch()
        sketch.entity("Animal", info: ["identityAttributes": "id"], [.attribute("id", .integer64AttributeType)])
        sketch.entity("Cat", parent: "Animal", [.toMany("toys", "Toy", json: "own.toys")])
        sketch.entity("Dog", parent: "Animal", [.toMany("bones", "Bone", json: "own.bones")])
        sketch.entity("Toy", info: ["identityAttributes": "color"], [.attribute("color")])
        sketch.entity("Bone", info: ["identityAttributes": "num"], [.attribute("num", .integer64AttributeType)])
        let options = try JSONPatch.Options.identified(byMappingOf: "Animal", in: sketch.model())
        #expect(options.identity(JSONPatch.Pointer(["0", "own", "toys"])) == [["color"]])
        #expect(options.identity(JSONPatch.Pointer(["0", "own", "bones"])) == [["num"]])
    }

    @Test func `a patch applies beside objects without identity that it doesn't name`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Task", info: ["identityAttributes": "id"],
            [
                .attribute("id"), .attribute("title"),
                .toMany("notes", "Note", inverse: "task", rule: .cascadeDeleteRule),
            ])
        sketch.entity("Note", [.attribute("text"), .toOne("task", "Task", inverse: "notes")])
        let stack = try TestStack(sketch.model())
        let notes = #"[{"text": "a"}, {"text": "b"}]"#
        try stack.importJSON(
            #"[{"id": "1", "title": "A", "notes": \#(notes)}, {"id": "2", "notes": \#(notes)}]"#, "Task")
        try stack.perform { context in
            func title(_ title: String, at path: String) throws -> JSONPatch {
                try JSONPatch(parsing: #"[{"op": "replace", "path": "\#(path)", "value": "\#(title)"}]"#)
            }
            let task = try #require(try context.one("Task", "id", "1"))
            func check(_ title: String, _ diff: GraphDiff) throws {
                try context.apply(diff)
                #expect(task.text("title") == title)
                #expect(task.texts("notes", "text") == ["a", "b"])
            }
            try check("list", GraphDiff(title("list", at: "/0/title"), on: [task]))
            try check("one", GraphDiff(title("one", at: "/title"), on: task))
            try check("merged", GraphDiff(JSONMergePatch(parsing: #"{"title": "merged"}"#), on: task))
            var conflicts: [GraphDiff.Conflict] = []
            let diff = try GraphDiff(changing: context, entity: nil, conflicts: &conflicts) {
                try title("graph", at: "/Task/0/title").applying(to: $0)
            }
            try check("graph", diff)
            #expect(try context.all("Note").count == 4)
            let error = graftError { _ = try GraphDiff(title("c", at: "/0/notes/0/text"), on: [task]) }
            #expect(error?.place.entity == "Note")
        }
    }
}
