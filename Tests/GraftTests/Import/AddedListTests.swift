// Lists that are added to what is there, said several times in one import: what comes of them is what records of a batch each give.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct AddedListTests {
    private func world(_ size: Int, _ saves: Bool = false) throws -> ImportWorld {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Team", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType),
                    .toMany("fans", "Player", inverse: "likes", isOrdered: true)
                        .annotated(["JSONToManyPolicy": "union"]),
                    .toMany("notes", "Note", inverse: "team", rule: .cascadeDeleteRule)
                        .annotated(["JSONToManyPolicy": "union"]),
                    .toMany("steps", "Step", inverse: "team", rule: .cascadeDeleteRule, isOrdered: true)
                        .annotated(["JSONToManyPolicy": "union"]),
                ])
            sketch.entity(
                "Player", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType),
                    .toMany("likes", "Team", inverse: "fans").annotated(["JSONToManyPolicy": "delta"]),
                ])
            sketch.entity(
                "Note",
                [
                    .attribute("text"), .attribute("rank", .integer32AttributeType, default: 7),
                    .toOne("team", "Team", inverse: "notes"), .toOne("author", "Player"),
                    .toMany("words", "Word", inverse: "note", rule: .cascadeDeleteRule),
                ])
            sketch.entity("Word", [.attribute("text"), .toOne("note", "Note", inverse: "words")])
            sketch.entity("Step", [.attribute("text"), .toOne("team", "Team", inverse: "steps")])
        }
        (world.options.batchSize, world.options.savesEachBatch) = (size, saves)
        return world
    }

    @Test(arguments: [1, 1000], [false, true])
    func `who is added from both sides comes in the order of the text`(_ size: Int, _ saves: Bool) throws {
        let world = try world(size, saves)
        try world.take(
            """
            [{"id": 1, "fans": [1, {"id": 3, "likes": {"add": [1]}}]}, {"id": 2, "fans": [{"id": 4, "likes": {"add": [1]}}]},
             {"id": 1, "fans": [2]}]
            """, "Team")
        #expect(try world.members("fans", "id", of: "Team", "id", 1) == ["3", "1", "4", "2"])
    }

    @Test(arguments: [1, 1000], [false, true])
    func `who leaves from the other side between two lists has left`(_ size: Int, _ saves: Bool) throws {
        let world = try world(size, saves)
        try world.take(
            """
            [{"id": 1, "fans": [1, 2]}, {"id": 2, "fans": [{"id": 1, "likes": {"add": [], "remove": [1]}}]},
             {"id": 1, "fans": [3]}]
            """, "Team")
        #expect(try world.members("fans", "id", of: "Team", "id", 1) == ["2", "3"])
        #expect(try world.members("likes", "id", of: "Player", "id", 1) == ["2"])
    }

    /// Lists of notes, and how many notes there are in the end.
    struct Lists: CustomTestStringConvertible {
        let lists: [String], count: Int
        var testDescription: String { lists.joined(separator: " + ") }
    }

    @Test(arguments: [
        Lists(lists: [#"{"text": "a", "rank": 1}"#, #"{"text": "a"}"#], count: 1),
        Lists(lists: [#"{"text": "a"}"#, #"{"text": "a", "rank": 1}"#], count: 2),
        Lists(lists: [#"{"text": "a"}"#, #"{"text": "a", "rank": 7}"#], count: 1),
        Lists(lists: [#"{"text": "a", "rank": null}"#, #"{"text": "a"}"#, #"{"rank": null}"#], count: 2),
        Lists(lists: [#"{"text": "a", "rank": 1}"#, #"{"text": "a"}, {"text": "a"}"#], count: 2),
        Lists(
            lists: [#"{"text": "a", "rank": 1}, {"text": "a", "rank": 2}"#, #"{"text": "a"}, {"rank": 2}"#], count: 2),
        Lists(lists: [#"{"text": "a", "author": 1}"#, #"{"text": "a"}"#, #"{"text": "a", "author": 2}"#], count: 2),
        Lists(
            lists: [#"{"text": "a", "words": [{"text": "x"}]}"#, #"{"text": "a", "words": [{"text": "y"}]}"#], count: 1),
    ])
    func `an added member that names fewer values than an earlier one is that one`(_ case: Lists) throws {
        let text = "[" + `case`.lists.map { "{\"id\": 1, \"notes\": [\($0)]}" }.joined(separator: ", ") + "]"
        for (size, saves) in [(1, true), (1, false), (1000, false)] {
            let world = try world(size, saves)
            try world.take(text, "Team")
            #expect(try world.count("Note") == `case`.count, "\(size) \(saves)")
            #expect(try world.count("Word") <= 1, "\(size) \(saves)")
        }
    }

    @Test(arguments: [1, 1000], [false, true])
    func `several lists may mean the same stored member`(_ size: Int, _ saves: Bool) throws {
        let world = try world(size, saves)
        try world.take(#"{"id": 1, "notes": [{"text": "a", "rank": 1}]}"#, "Team")
        try world.take(
            #"[{"id": 1, "notes": [{"text": "a"}]}, {"id": 1, "notes": [{"text": "a", "rank": 1}]}, {"id": 1, "notes": [{"rank": 1}]}]"#,
            "Team")
        #expect(try world.count("Note") == 1)
    }

    @Test(arguments: [1, 1000], [false, true])
    func `what is added to an ordered list takes nobody's place`(_ size: Int, _ saves: Bool) throws {
        let world = try world(size, saves)
        try world.take(#"{"id": 1, "steps": [{"text": "a"}]}"#, "Team")
        try world.take(#"[{"id": 1, "steps": [{"text": "b"}]}, {"id": 1, "steps": [{"text": "c"}]}]"#, "Team")
        #expect(try world.members("steps", "text", of: "Team", "id", 1) == ["a", "b", "c"])
    }
}
