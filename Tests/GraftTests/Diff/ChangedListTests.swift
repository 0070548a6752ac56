// JSON that says what changes in a list, compared with graphs that have the list.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ChangedListTests {
    private func model(_ policy: String, isIdentified: Bool = true) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [
                .attribute("id"), .attribute("name"),
                .toMany("members", "Person", inverse: "teams").annotated(["JSONToManyPolicy": policy]),
            ])
        sketch.entity(
            "Person", info: isIdentified ? ["identityAttributes": "id"] : [:],
            [.attribute(isIdentified ? "id" : "label"), .toMany("teams", "Team", inverse: "members")])
        return sketch.model()
    }

    /// A team with some members, as a store has it.
    private func stored(_ members: [String], _ model: NSManagedObjectModel) throws -> GraphSnapshot {
        try TestStack(model).perform { context in
            let key = model.entitiesByName["Person"]?.attributesByName["id"] == nil ? "label" : "id"
            context.add(
                "Team",
                ["id": "t", "name": "T", "members": NSSet(array: members.map { context.add("Person", [key: $0]) })])
            return try GraphSnapshot(of: context)
        }
    }

    private func read(_ list: String, _ model: NSManagedObjectModel, name: String = "T") throws -> GraphSnapshot {
        let text = #"{"id": "t", "name": "\#(name)", "members": \#(list)}"#
        return try GraphSnapshot(json: Data(text.utf8), entity: "Team", model: model)
    }

    /// What a diff does to the members.
    private func members(_ diff: GraphDiff) -> String {
        for change in diff.changed {
            if case .toMany(let members)? = change["members"] {
                return members.removed.map { "-\($0.key.identity[0])" }.joined()
                    + members.added.map { "+\($0.key.identity[0])" }.joined()
            }
        }
        return ""
    }

    @Test(arguments: [
        ("add", #"["c"]"#, #"+"c""#), ("add", "[]", ""), ("add", #"["a"]"#, ""), ("replace", #"["a"]"#, #"-"b""#),
        ("delta", #"{"add": ["a", "c"], "remove": ["b", "x"]}"#, #"-"b"+"c""#), ("delta", #"["b"]"#, #"-"a""#),
    ])
    func `a diff of a store and such JSON is what becomes of the store`(
        _ policy: String, _ list: String, _ expected: String
    ) throws {
        let model = model(policy)
        let (store, json) = (try stored(["a", "b"], model), try read(list, model))
        let diff = try GraphDiff(from: store, to: json)
        #expect(members(diff) == expected)
        #expect(diff.deleted.allSatisfy { $0.key.entity == "Person" })
        // It is the same difference the other way round, and after coding.
        #expect(try GraphDiff(from: json, to: store) == diff.inverted)
        let coded = try JSONDecoder().decode(GraphSnapshot.self, from: JSONEncoder().encode(json))
        #expect(try GraphDiff(from: store, to: coded) == diff)
    }

    @Test func `lists of one form are compared as they are, and those of whole JSON, too`() throws {
        let model = model("add")
        #expect(
            members(try GraphDiff(from: read(#"["a", "b"]"#, model), to: read(#"["b", "c"]"#, model))) == #"-"a"+"c""#)
        var whole = try read(#"["b"]"#, model)
        whole.absence = .null
        #expect(members(try GraphDiff(from: stored(["a", "b"], model), to: whole)) == #"-"a""#)
    }

    @Test func `a merge adds what such JSON adds`() throws {
        let model = model("add")
        let merge = try GraphMerge(
            base: stored(["a", "b"], model), ours: stored(["b", "d"], model),
            theirs: read(#"["c"]"#, model, name: "New"))
        let team = try #require(merge.snapshot.row(of: "Team", identity: [.string("t")]))
        #expect(team["name"] == .string("New"))
        #expect(team.members(of: "members")?.map { "\($0["id"] ?? .null)" }.sorted() == [#""b""#, #""c""#, #""d""#])
    }

    @Test func `a list of what nothing identifies can't be completed, which is said`() throws {
        let model = model("add", isIdentified: false)
        let (store, json) = (try stored(["a"], model), try read(#"[{"label": "c"}]"#, model))
        let error = try #require(graftError { _ = try GraphDiff(from: store, to: json) })
        #expect(error.description.contains("Person"), "\(error)")
    }
}
