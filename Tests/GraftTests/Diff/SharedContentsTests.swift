// Objects without identity, of which JSON says a part and a store all.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct SharedContentsTests {
    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Task", info: ["identityAttributes": "id"],
            [.attribute("id"), .toMany("notes", "Note", inverse: "task", rule: .cascadeDeleteRule)])
        sketch.entity(
            "Note",
            [
                .attribute("text"), .attribute("rank", .integer64AttributeType),
                .toOne("task", "Task", inverse: "notes"),
                .toMany("parts", "Part", inverse: "note", rule: .cascadeDeleteRule), .toMany("tags", "Tag"),
            ])
        sketch.entity("Part", [.attribute("text"), .toOne("note", "Note", inverse: "parts")])
        sketch.entity("Tag", info: ["identityAttributes": "id"], [.attribute("id")])
        return sketch.model()
    }

    private static let whole = #"""
        [{"id": "1", "notes": [
            {"text": "a", "rank": 1, "tags": ["x"], "parts": [{"text": "p"}, {"text": "q"}]},
            {"text": "a", "rank": 2, "tags": ["y"], "parts": [{"text": "p"}]}
        ]}, {"id": "2", "notes": [{"text": "a", "rank": 1}]}]
        """#

    @Test(arguments: [
        whole, #"[{"id": "1", "notes": [{"text": "a"}, {"text": "a"}]}]"#,
        #"[{"id": "2", "notes": [{"rank": 1}]}, {"id": "1", "notes": [{"rank": 2}, {"rank": 1, "text": "a"}]}]"#,
        #"[{"id": "1", "notes": [{"tags": ["y"]}, {"rank": 1, "parts": [{"text": "q"}, {"text": "p"}]}]}]"#,
    ])
    func `what JSON leaves out of objects without identity isn't compared`(_ text: String) throws {
        let model = model()
        let stack = try TestStack(model)
        try stack.importJSON(Self.whole, "Task")
        try stack.perform { context in
            let store = try GraphSnapshot(of: context)
            let json = try GraphSnapshot(json: Data(text.utf8), entity: "Task", model: model)
            let diff = try GraphDiff(from: store, to: json)
            #expect(diff.changed.isEmpty && diff.inserted.isEmpty, "\(diff)")
            #expect(try GraphDiff(from: json, to: store).changed.isEmpty)
            // Objects of which the text says nothing are missing, as ever.
            if text == Self.whole { #expect(diff.isEmpty, "\(diff)") }
        }
    }

    @Test func `an object without identity that the owner has no more is another one's, or gone`() throws {
        let model = model()
        let stack = try TestStack(model)
        try stack.importJSON(Self.whole, "Task")
        try stack.perform { context in
            let text = #"[{"id": "1", "notes": [{"rank": 1}, {"rank": 3}]}, {"id": "2", "notes": [{"text": "a"}]}]"#
            let json = try GraphSnapshot(json: Data(text.utf8), entity: "Task", model: model)
            let diff = try GraphDiff(from: GraphSnapshot(of: context), to: json)
            #expect(diff.inserted.map { $0["rank"] } == [.attribute(.integer(3))])
            #expect(diff.deleted.filter { $0.key.entity == "Note" }.map { $0["rank"] } == [.attribute(.integer(2))])
        }
    }

    private static let counts = [[0, 3], [3, 0], [2, 2], [3, 1], [1, 4], [4, 2]]

    @Test(arguments: counts, counts)
    func `equal objects that JSON has in the lists of several owners are told apart by these`(
        _ old: [Int], _ new: [Int]
    ) throws {
        let model = model()
        func json(_ counts: [Int]) throws -> GraphSnapshot {
            let tasks = counts.enumerated().map { index, count in
                let notes = Array(repeating: #"{"text": "a"}"#, count: count).joined(separator: ", ")
                return #"{"id": "\#(index)", "notes": [\#(notes)]}"#
            }
            return try GraphSnapshot(
                json: Data("[\(tasks.joined(separator: ", "))]".utf8), entity: "Task", model: model)
        }
        let diff = try GraphDiff(from: json(old), to: json(new))
        #expect(Set(diff.inserted.map(\.key)).isDisjoint(with: diff.deleted.map(\.key)))
        #expect(try GraphDiff(from: json(old).applying(diff), to: json(new)).isEmpty)
    }

    // Each level of the chain tells the next one; looking at all that is left for each would take minutes.
    @Test(.timeLimit(.minutes(2))) func `a long chain of objects without identity is told link by link`() throws {
        var sketch = ModelSketch()
        sketch.entity("Node", [.attribute("text"), .toOne("next", "Node")])
        let model = sketch.model(), count = 10_000
        func chain(changing changed: Int?) throws -> GraphSnapshot {
            let nodes = (0..<count).map { index in
                let next = index + 1 < count ? #", "next": {"$ref": \#(index + 1)}"# : ""
                return #"{"$id": \#(index), "text": "\#(index == changed ? "other" : "\(index)")"\#(next)}"#
            }
            return try GraphSnapshot(
                json: Data(#"{"Node": [\#(nodes.joined(separator: ", "))]}"#.utf8), model: model)
        }
        let old = try chain(changing: nil)
        #expect(try GraphDiff(from: old, to: chain(changing: nil)).isEmpty)
        let diff = try GraphDiff(from: old, to: chain(changing: 0))
        #expect(diff.deleted.count == 1 && diff.inserted.count == 1 && diff.changed.isEmpty, "\(diff)")
    }

    @Test(.timeLimit(.minutes(2))) func `a long ring of objects without identity is told by what they hold besides`()
        throws
    {
        var sketch = ModelSketch()
        sketch.entity("Node", [.attribute("text"), .toOne("next", "Node")])
        let model = sketch.model(), count = 10_000
        func ring(from first: Int) throws -> GraphSnapshot {
            let nodes = (0..<count).map { index in
                let number = (first + index) % count
                return #"{"$id": \#(number), "text": "\#(number)", "next": {"$ref": \#((number + 1) % count)}}"#
            }
            return try GraphSnapshot(
                json: Data(#"{"Node": [\#(nodes.joined(separator: ", "))]}"#.utf8), model: model)
        }
        #expect(try GraphDiff(from: ring(from: 0), to: ring(from: 7)).isEmpty)
    }

    @Test func `a store's own document has the same objects, also where they refer to each other in circles`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Person",
            [
                .attribute("name"), .toOne("spouse", "Person", inverse: "spouse"),
                .toMany("pets", "Pet", inverse: "owner"),
            ])
        sketch.entity(
            "Pet", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .toOne("owner", "Person", inverse: "pets")])
        let model = sketch.model()
        let stack = try TestStack(model)
        try stack.fill { context in
            // Two of one name, who are told apart by whom they have married.
            for (index, names) in [["Ann", "Bob"], ["Ann", "Carl"], ["Dora", "Dora"]].enumerated() {
                let couple = names.map { context.add("Person", ["name": $0]) }
                couple[0].setValue(couple[1], forKey: "spouse")
                if names[0] != names[1] { context.add("Pet", ["id": index, "owner": couple[0]]) }
            }
        }
        try stack.perform { context in
            let store = try GraphSnapshot(of: context)
            let document = try GraphSnapshot(json: context.exportJSON(), model: model)
            let diffs = try [GraphDiff(from: document, to: store), GraphDiff(from: store, to: document)]
            for diff in diffs { #expect(diff.isEmpty, "\(diff)") }
        }
    }
}
