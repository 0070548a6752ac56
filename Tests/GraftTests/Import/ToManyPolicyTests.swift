// To-many relationships: what is replaced, kept, added, removed and deleted, and in which forms the members stand.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ToManyPolicyTests {
    private func world(_ annotations: [String: String], isOrdered: Bool = false, toOne: Bool = false) throws
        -> ImportWorld
    {
        try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Team", info: ["identityAttributes": "id"],
                [
                    .attribute("id"),
                    .toMany("members", "Person", inverse: toOne ? "team" : "teams", isOrdered: isOrdered)
                        .annotated(annotations),
                ])
            sketch.entity(
                "Person", info: ["identityAttributes": "id"],
                [
                    .attribute("id"), .attribute("name"),
                    toOne ? .toOne("team", "Team", inverse: "members") : .toMany("teams", "Team", inverse: "members"),
                ])
        }
    }

    private func members(_ world: ImportWorld, _ team: String = "t") throws -> String {
        try world.members("members", "id", of: "Team", "id", team).joined()
    }

    @Test func `replace: members that aren't named are unlinked, and stay`() throws {
        let world = try world([:])
        try world.take(#"{"id": "t", "members": ["a", "b"]}"#, "Team")
        try world.take(#"{"id": "t", "members": ["b", "c"]}"#, "Team")
        #expect(try members(world) == "bc")
        #expect(try world.count("Person") == 3)
        try world.take(#"{"id": "t", "members": [null]}"#, "Team")
        #expect(try members(world) == "")
    }

    @Test func `union: members stay, and new ones come behind them`() throws {
        let world = try world(["JSONToManyPolicy": "union"], isOrdered: true)
        try world.take(#"{"id": "t", "members": ["b", "a"]}"#, "Team")
        try world.take(#"{"id": "t", "members": ["c", "b"]}"#, "Team")
        #expect(try members(world) == "bac")
        #expect(try !world.take(#"{"id": "t", "members": ["a"]}"#, "Team").hasChanges)
        try world.take(#"{"id": "t", "members": []}"#, "Team")
        #expect(try members(world) == "bac")
        // Null names nobody, so it takes nobody away.
        try world.take(#"{"id": "t", "members": null}"#, "Team")
        #expect(try members(world) == "bac")
    }

    @Test(arguments: [1, 1000], [true, false])
    func `members without identity that several records add are the same objects`(_ size: Int, _ isOwned: Bool) throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Team", info: ["identityAttributes": "id"],
                [
                    .attribute("id"),
                    .toMany("notes", "Note", inverse: "team").annotated(["JSONToManyPolicy": "union"]),
                ])
            sketch.entity(
                "Note",
                [
                    .attribute("text"), .attribute("rank", .integer64AttributeType),
                    isOwned ? .toOne("team", "Team", inverse: "notes") : .toMany("team", "Team", inverse: "notes"),
                ])
        }
        world.options.batchSize = size
        let text = """
            [{"id": "t", "notes": [{"text": "a"}, {"text": "a"}, {"text": "b", "rank": 1}]},
             {"id": "t", "notes": [{"text": "a"}, {"rank": 1, "text": "b"}, {"text": "c"}]},
             {"id": "t", "notes": [{"text": "c"}, {"text": "a"}, {"text": "a"}, {"text": "a"}]}]
            """
        try world.take(text, "Team")
        #expect(try world.values("text", of: "Note").sorted() == ["a", "a", "a", "b", "c"])
        #expect(try !world.take(text, "Team").hasChanges)
        #expect(try world.members("notes", "text", of: "Team", "id", "t").sorted() == ["a", "a", "a", "b", "c"])
    }

    @Test func `lists of one object in several records add up, in a graph that is compared, too`() throws {
        let text = #"[{"id": "t", "members": ["a"]}, {"id": "t", "members": ["b"]}]"#
        let union = try world(["JSONToManyPolicy": "union"], isOrdered: true)
        try union.take(#"{"id": "t", "members": ["c"]}"#, "Team")
        let model = union.stack.container.managedObjectModel
        let snapshot = try GraphSnapshot(json: Data(text.utf8), entity: "Team", model: model)
        let diff = try union.stack.perform { try GraphDiff(from: GraphSnapshot(of: $0), to: snapshot) }
        let change = try #require(diff.changed.first { $0.key.entity == "Team" })
        #expect("\(change)".contains("\"a\"") && "\(change)".contains("\"b\""), "\(change)")
        try union.take(text, "Team")
        #expect(try members(union) == "cab")
    }

    @Test func `replace and delete: who has no team any more goes`() throws {
        let world = try world(["JSONToManyPolicy": "replaceAndDelete"], toOne: true)
        try world.take(#"[{"id": "t", "members": ["a", "b", "c", "d"]}, {"id": "u", "members": []}]"#, "Team")
        let report = try world.take(#"[{"id": "t", "members": ["b"]}, {"id": "u", "members": ["c"]}]"#, "Team")
        #expect(report["Person"].deleted == 2)
        #expect(try world.values("id", of: "Person") == ["b", "c"])
    }

    @Test func `replace and delete: who is in another team stays, and so does who the data mentions`() throws {
        let world = try world(["JSONToManyPolicy": "replaceAndDelete"])
        try world.take(#"[{"id": "t", "members": ["a", "b", "c"]}, {"id": "u", "members": ["a"]}]"#, "Team")
        let text = #"[{"id": "t", "members": []}]"#
        let sources: [ImportSource] = [
            .data(Data(text.utf8), entity: "Team"), .data(Data(#"{"id": "c", "name": "C"}"#.utf8), entity: "Person"),
        ]
        try world.stack.container.importJSON(from: sources)
        #expect(try world.values("id", of: "Person") == ["a", "c"])
    }

    @Test(arguments: [1, 5000], [true, false])
    func `replace and delete: who is in another team stays, in batches of any size`(_ size: Int, _ isToOne: Bool) throws
    {
        var world = try world(["JSONToManyPolicy": "replaceAndDelete"], toOne: isToOne)
        (world.options.batchSize, world.options.savesEachBatch) = (size, true)
        try world.take(
            #"[{"id": "t", "members": [{"id": "a", "name": "A"}, "b"]}, {"id": "u", "members": []}]"#, "Team")
        let report = try world.take(
            #"[{"id": "t", "members": []}, {"id": "u", "members": ["a"]}, {"id": "v", "members": []}]"#, "Team")
        #expect(try world.value("name", of: "Person", "id", "a") == "A")
        #expect(try world.values("id", of: "Person") == ["a"])
        #expect(try members(world, "u") == "a")
        #expect(report["Person"].deleted == 1 && report["Person"].inserted == 0)
    }

    @Test(arguments: [1, 5000])
    func `delta: members without identity are taken away by what they have`(_ size: Int) throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Team", info: ["identityAttributes": "id"],
                [
                    .attribute("id"),
                    .toMany("notes", "Note", inverse: "team", isOrdered: true)
                        .annotated(["JSONToManyPolicy": "delta"]),
                ])
            sketch.entity("Note", [.attribute("text"), .attribute("by"), .toOne("team", "Team", inverse: "notes")])
        }
        world.options.batchSize = size
        try world.take(
            #"{"id": "t", "notes": [{"text": "a", "by": "x"}, {"text": "b"}, {"text": "b"}, {"text": "c"}]}"#, "Team")
        for _ in 0..<2 {
            try world.take(
                #"[{"id": "t", "notes": {"remove": [{"text": "a"}, {"text": "b"}, {"text": "z"}]}}, {"id": "u"}]"#,
                "Team")
            #expect(try world.members("notes", "text", of: "Team", "id", "t") == ["c"])
        }
    }

    @Test func `delta: an object says what to add and what to remove, an array replaces`() throws {
        let world = try world(["JSONToManyPolicy": "delta"], isOrdered: true)
        try world.take(#"{"id": "t", "members": ["a", "b", "c"]}"#, "Team")
        try world.take(#"{"id": "t", "members": {"remove": ["b"], "add": [{"id": "d", "name": "D"}, "a"]}}"#, "Team")
        #expect(try members(world) == "acd")
        #expect(try world.value("name", of: "Person", "id", "d") == "D")
        try world.take(#"{"id": "t", "members": {"add": ["e"]}}"#, "Team")
        #expect(try members(world) == "acde")
        try world.take(#"{"id": "t", "members": ["e"]}"#, "Team")
        #expect(try members(world) == "e")
        let error = try #require(world.refuse(#"{"id": "t", "members": {"delete": ["e"]}}"#, "Team"))
        #expect(error.description.contains("the key \"delete\""))
        #expect(error.place.property == "members")
    }

    @Test func `order is that of the data, and a change of order alone is a change`() throws {
        let world = try world([:], isOrdered: true)
        try world.take(#"{"id": "t", "members": ["c", "a", "b", "a"]}"#, "Team")
        #expect(try members(world) == "cab")
        #expect(try world.take(#"{"id": "t", "members": ["a", "b", "c"]}"#, "Team")["Team"].updated == 1)
        #expect(try members(world) == "abc")
    }

    @Test func `a single object may stand where a list is expected, if that is said`() throws {
        let plain = try world([:])
        let error = try #require(plain.refuse(#"{"id": "t", "members": {"id": "a"}}"#, "Team"))
        #expect(error.description.contains("expects an array for the relationship to Person"))
        let single = try world(["JSONCollectionForm": "arrayOrSingle"])
        try single.take(#"{"id": "t", "members": {"id": "a", "name": "A"}}"#, "Team")
        #expect(try members(single) == "a")
        try single.take(#"{"id": "t", "members": "b"}"#, "Team")
        #expect(try members(single) == "b")
        try single.take(#"{"id": "t", "members": ["b", "c"]}"#, "Team")
        #expect(try members(single) == "bc")
    }

    @Test func `members may stand under their identifiers`() throws {
        let world = try world(["JSONCollectionForm": "keyed"], isOrdered: true)
        let text = #"{"id": "t", "members": {"b": {"name": "B"}, "x": null, "a": {"name": "A", "id": "own"}}}"#
        try world.take(text, "Team")
        #expect(try members(world) == "bown")
        #expect(try world.value("name", of: "Person", "id", "b") == "B")
        #expect(try !world.take(text, "Team").hasChanges)
        #expect(world.refuse(#"{"id": "t", "members": {"b": 1}}"#, "Team")?.place.path == [.key("members"), .key("b")])
    }

    @Test func `members that their owner knows by their keys may stand under these`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Own", info: ["identityAttributes": "id"],
                [
                    .attribute("id"),
                    .toMany("parts", "Part", inverse: "own", rule: .cascadeDeleteRule)
                        .annotated(["JSONCollectionForm": "keyed"]),
                ])
            sketch.entity(
                "Part", info: ["identityAttributes": "own, key"],
                [.attribute("key"), .attribute("n"), .toOne("own", "Own", inverse: "parts")])
        }
        try world.take(
            #"[{"id": "1", "parts": {"x": {"n": "1"}, "y": {"n": "1"}}}, {"id": "2", "parts": {"x": {"n": "5"}}}]"#,
            "Own")
        #expect(try world.values("key", of: "Part") == ["x", "x", "y"])
        let report = try world.take(#"{"id": "1", "parts": {"x": {"n": "3"}, "y": {"n": "1"}}}"#, "Own")
        #expect(report["Part"].updated == 1 && report["Part"].inserted == 0 && report["Part"].deleted == 0)
        #expect(try world.value("n", of: "Part", "key", "y") == "1")
    }

    @Test func `unlinking is local to the pair`() throws {
        let world = try world([:])
        try world.take(#"[{"id": "t", "members": ["a", "b"]}, {"id": "u", "members": ["a", "b"]}]"#, "Team")
        try world.take(#"{"id": "t", "members": []}"#, "Team")
        #expect(try members(world, "u") == "ab")
    }
}
