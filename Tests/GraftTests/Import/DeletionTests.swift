// What imports and diffs may delete: one limit for every policy, with what goes with its owner; and objects that the data says
// are gone.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DeletionTests {
    /// Teams own players, and players own shirts. A team's list of players is all there is of them.
    private func world(_ kind: StoreKind = .sqlite, team: [String: String] = [:], text: [String: String] = [:]) throws
        -> ImportWorld
    {
        var world = try ImportWorld(kind) { sketch in
            sketch.entity(
                "Team", info: ["identityAttributes": "id"].merging(team) { $1 },
                [
                    .attribute("id", json: "id"),
                    .toMany("players", "Player", inverse: "team", json: "players"),
                ])
            sketch.entity(
                "Player", info: ["identityAttributes": "id"].merging(text) { $1 },
                [
                    .attribute("id", json: "id"), .attribute("name", json: "name"),
                    .toOne("team", "Team", inverse: "players"),
                    .toMany("shirts", "Shirt", inverse: "player", json: "shirts", rule: .cascadeDeleteRule),
                ])
            sketch.entity(
                "Shirt",
                [.attribute("number", json: "number"), .toOne("player", "Player", inverse: "shirts")])
        }
        world.options.mapping["Team", "players"].membersPolicy = .replaceAndDelete
        return world
    }

    private let team =
        #"{"id": "t", "players": [{"id": "a", "shirts": [{"number": "1"}, {"number": "2"}]}, {"id": "b"}]}"#

    @Test(arguments: [false, true])
    func `a limit counts what goes with its owner, and leaves everything as it was`(savesEachBatch: Bool) throws {
        var world = try world()
        world.options.savesEachBatch = savesEachBatch
        try world.take(team, "Team")
        world.options.mapping["Shirt"].deletionLimit = .count(1)
        let error = try #require(world.refuse(#"{"id": "t", "players": [{"id": "b", "name": "B"}]}"#, "Team"))
        #expect(error.place.entity == "Shirt")
        #expect(error.description.contains("2 of 2 objects would be deleted, and the limit is 1"))
        #expect(error.description.contains("--max-deletions"))
        #expect(try world.count("Shirt") == 2)
        #expect(try world.values("name", of: "Player") == ["nil", "nil"])
        world.options.mapping["Shirt"].deletionLimit = .percent(100)
        let report = try world.take(#"{"id": "t", "players": ["b"]}"#, "Team")
        #expect(report["Player"].deleted == 1)
        #expect(report["Shirt"].deleted == 2)
        #expect(try world.count("Shirt") == 0)
    }

    @Test(arguments: [1, 1000])
    func `a new object that is given up before it has been filled stays if it has an identity`(_ size: Int) throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Team", info: ["identityAttributes": "id"],
                [.attribute("id", .integer64AttributeType), .toMany("players", "Player", inverse: "team")])
            sketch.entity("Club", parent: "Team", [])
            sketch.entity(
                "Player", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType),
                    .toOne("team", "Team", inverse: "players", rule: .cascadeDeleteRule),
                ])
        }
        world.options.batchSize = size
        let report = try world.take(
            #"[{"id": 2, "players": [{"id": 1, "team": 3}, {"id": 1, "team": 4}]}, {"id": 3}]"#, "Club")
        #expect(report.total.deleted == 0)
        #expect(try world.values("id", of: "Club") == ["2", "3"])
        #expect(try world.values("id", of: "Team") == ["2", "3", "4"])
    }

    @Test func `a percentage has a least number, and a dry run says what would be refused`() throws {
        var world = try world()
        try world.take(team, "Team")
        world.options.mapping.entityDefaults.deletionLimit = .percent(10, atLeast: 2)
        try world.take(#"{"id": "t", "players": ["b"]}"#, "Team")
        #expect(try world.count("Player") == 1)
        world.options.mapping.entityDefaults.deletionLimit = .percent(10)
        world.options.isDryRun = true
        let report = try world.take(#"{"id": "t", "players": []}"#, "Team")
        #expect(report["Player"].deleted == 1)
        #expect(report.exceededLimits == ["Player: 1 of 1 objects would be deleted, and the limit is 0"])
        world.options.isDryRun = false
        #expect(world.refuse(#"{"id": "t", "players": []}"#, "Team") != nil)
        #expect(try world.count("Player") == 1)
    }

    @Test func `a diff obeys the same limit`() throws {
        // In a diff, what has no identity of its own has one with its owner.
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Player", info: ["identityAttributes": "id"],
                [
                    .attribute("id", json: "id"),
                    .toMany("shirts", "Shirt", inverse: "player", json: "shirts", rule: .cascadeDeleteRule),
                ])
            sketch.entity(
                "Shirt", info: ["identityAttributes": "number,player"],
                [.attribute("number", json: "number"), .toOne("player", "Player", inverse: "shirts")])
        }
        try world.take(#"[{"id": "a", "shirts": [{"number": "1"}, {"number": "2"}]}, {"id": "b"}]"#, "Player")
        let container = world.stack.container
        let before = try world.stack.perform { try GraphSnapshot(of: $0) }
        try container.importJSON(from: [ImportSource.data(Data(#"["a", "b"]"#.utf8)).deleting()], entity: "Player")
        let diff = try GraphDiff(from: before, to: try world.stack.perform { try GraphSnapshot(of: $0) })
        try container.apply(diff.inverted)
        #expect(try world.count("Player") == 2)
        let error = graftError {
            try container.apply(diff, options: GraphDiff.ApplyingOptions(deletionLimit: .count(1)))
        }
        #expect(error?.description.contains("2 of 2 objects would be deleted") == true)
        #expect(try world.count("Shirt") == 2)
        try container.apply(diff, options: GraphDiff.ApplyingOptions(deletionLimit: .count(2)))
        #expect(try world.count("Player") == 0)
        #expect(try world.count("Shirt") == 0)
    }

    @Test(arguments: ["10", "0", "10%", "2.5%", "100%"]) func `a limit is a number or a percentage`(_ text: String) {
        #expect(MappingOptions.DeletionLimit(text) != nil)
    }

    @Test(arguments: ["", "%", "-1", "101%", "ten", "1.5"]) func `other texts are none`(_ text: String) {
        #expect(MappingOptions.DeletionLimit(text) == nil)
    }

    // MARK: Objects that are gone

    @Test(arguments: [false, true])
    func `an object that says that it is gone is deleted, whatever else it says`(savesEachBatch: Bool) throws {
        var world = try world(text: ["JSONDeletedKey": "meta.deleted"])
        world.options.savesEachBatch = savesEachBatch
        world.options.batchSize = savesEachBatch ? 1 : 5000
        try world.take(team, "Team")
        let report = try world.take(
            """
            [{"id": "a", "name": "New", "shirts": [{"number": "9"}], "meta": {"deleted": true}},
             {"id": "b", "name": "B", "meta": {"deleted": false}}, {"id": "never", "meta": {"deleted": "2020-01-01"}},
             {"id": "c", "meta": {"deleted": null}}]
            """, "Player")
        #expect(report["Player"].deleted == 1)
        #expect(report["Player"].inserted == 1)
        #expect(report["Shirt"].deleted == 2)
        #expect(report["Shirt"].inserted == 0)
        #expect(try world.values("id", of: "Player") == ["b", "c"])
    }

    @Test(arguments: [1, 2, 5000], [false, true])
    func `what comes after an object's end is another object, in batches of any size`(size: Int, savesEachBatch: Bool)
        throws
    {
        var world = try world(text: ["JSONDeletedKey": "gone"])
        world.options.savesEachBatch = savesEachBatch
        world.options.batchSize = size
        try world.take(
            #"{"id": "t", "players": [{"id": "a", "name": "Old", "shirts": [{"number": "1"}]}, "b"]}"#, "Team")
        try world.take(
            """
            [{"id": "a", "gone": true}, {"id": "a", "name": "New"}, {"id": "c", "name": "Q"}, {"id": "c", "gone": true},
             {"id": "c", "name": "R"}, {"id": "b", "name": "B"}, {"id": "b", "gone": true}]
            """, "Player")
        #expect(try world.values("id", of: "Player") == ["a", "c"])
        #expect(try world.values("name", of: "Player") == ["New", "R"])
        #expect(try world.count("Shirt") == 0)
        #expect(try world.members("players", "id", of: "Team", "id", "t") == [])
    }

    @Test func `what a delete rule denies is refused by a dry run, too, and the objects are named`() throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Team", info: ["identityAttributes": "id", "JSONDeletedKey": "gone"],
                [.attribute("id"), .toMany("players", "Player", inverse: "team", rule: .denyDeleteRule)])
            sketch.entity(
                "Player", info: ["identityAttributes": "id", "JSONDeletedKey": "gone"],
                [.attribute("id"), .toOne("team", "Team", inverse: "players")])
        }
        try world.take(#"[{"id": "t", "players": ["a"]}]"#, "Team")
        for isDryRun in [true, false] {
            world.options.isDryRun = isDryRun
            let error = try #require(world.refuse(#"[{"id": "t", "gone": true}]"#, "Team"))
            #expect(error.description.contains(#"Team "t" is to be deleted and has Player "a""#), "\(error)")
        }
        #expect(try world.count("Team") == 1)
        try world.take(#"{"id": "a", "gone": true}"#, "Player")
        #expect(try world.take(#"{"id": "t", "gone": true}"#, "Team")["Team"].deleted == 1)
    }

    @Test(arguments: [1, 5000], [#"{"id": "c"}"#, #""c""#])
    func `who is referred to after its end is a new object, in batches of any size`(
        _ size: Int, _ captain: String
    ) throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Team", info: ["identityAttributes": "id"],
                [.attribute("id"), .toOne("captain", "Player", inverse: "team")])
            sketch.entity(
                "Player", info: ["identityAttributes": "id", "JSONDeletedKey": "gone"],
                [.attribute("id"), .attribute("name"), .toOne("team", "Team", inverse: "captain")])
        }
        try world.take(#"{"id": "c", "name": "Old"}"#, "Player")
        (world.options.batchSize, world.options.savesEachBatch) = (size, true)
        for _ in 0..<3 {
            try world.take(
                #"[{"id": "s", "captain": {"id": "c", "gone": 1}}, {"id": "t", "captain": \#(captain)}]"#, "Team")
            #expect(try world.values("name", of: "Player") == ["nil"])
            #expect(try world.members("captain", "id", of: "Team", "id", "t") == ["c"])
        }
    }

    @Test(arguments: [(1, "nil"), (5000, "Red")])
    func `what goes with an owner that is gone goes with its batch`(_ size: Int, _ expected: String) throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Team", info: ["identityAttributes": "id", "JSONDeletedKey": "gone"],
                [.attribute("id"), .toMany("players", "Player", inverse: "team", rule: .cascadeDeleteRule)])
            sketch.entity(
                "Player", info: ["identityAttributes": "id"],
                [.attribute("id"), .attribute("name"), .toOne("team", "Team", inverse: "players")])
        }
        try world.take(#"{"id": "s", "players": [{"id": "a", "name": "Red"}]}"#, "Team")
        (world.options.batchSize, world.options.savesEachBatch) = (size, true)
        let text = #"[{"id": "s", "gone": 1}, {"id": "t", "players": ["a"]}]"#
        world.options.isDryRun = true
        let trial = try world.take(text, "Team")
        #expect(try world.members("players", "id", of: "Team", "id", "s") == ["a"])
        world.options.isDryRun = false
        #expect(try world.take(text, "Team").entities == trial.entities)
        #expect(try world.values("name", of: "Player") == [expected])
        #expect(try world.members("players", "id", of: "Team", "id", "t") == ["a"])
    }

    @Test(arguments: [1, 5000])
    func `a limit in percent counts what the import has made itself`(_ size: Int) throws {
        var world = try world(text: ["JSONDeletedKey": "gone"])
        (world.options.batchSize, world.options.savesEachBatch) = (size, true)
        world.options.mapping["Player"].deletionLimit = .percent(100)
        try world.take(#"{"id": "z"}"#, "Player")
        let text = (0..<3).map { #"{"id": "\#($0)"}, {"id": "\#($0)", "gone": 1}"# }.joined(separator: ", ")
        try world.take(#"[{"id": "z", "gone": 1}, \#(text)]"#, "Player")
        #expect(try world.count("Player") == 0)
    }

    @Test(arguments: [1, 5000], [false, true])
    func `no limit counts what an import has made and gives up before it is saved`(_ size: Int, _ isDryRun: Bool) throws
    {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Owner", info: ["identityAttributes": "id"],
                [.attribute("id"), .toMany("notes", "Note", inverse: "owner", rule: .cascadeDeleteRule)])
            sketch.entity("Note", [.attribute("text"), .toOne("owner", "Owner", inverse: "notes")])
        }
        try world.take(#"{"id": "1", "notes": [{"text": "old"}]}"#, "Owner")
        world.options.batchSize = size
        world.options.isDryRun = isDryRun
        world.options.mapping["Note"].deletionLimit = .percent(100)
        let report = try world.take(
            #"[{"id": "1", "notes": [{"text": "a"}]}, {"id": "1", "notes": [{"text": "b"}]}]"#, "Owner")
        #expect(report["Note"].deleted == 2 && report.exceededLimits.isEmpty)
        #expect(try world.values("text", of: "Note") == (isDryRun ? ["old"] : ["b"]))
    }

    @Test func `a whole graph has no list of what is gone beside it`() throws {
        let world = try world(text: ["JSONDeletedListKeyPath": "gone"])
        try world.take(team, "Team")
        let text = try world.stack.perform { String(decoding: try $0.exportJSON(), as: UTF8.self) }
        #expect(try !world.take(text).hasChanges)
    }

    @Test func `the value that means gone can be named, and a nested object can be gone`() throws {
        let world = try world(text: ["JSONDeletedKey": "state", "JSONDeletedValue": "left, sold"])
        try world.take(team, "Team")
        try world.take(
            #"{"id": "t", "players": [{"id": "a", "state": "sold"}, {"id": "b", "state": "here"}]}"#, "Team")
        #expect(try world.values("id", of: "Player") == ["b"])
        #expect(try world.members("players", "id", of: "Team", "id", "t") == ["b"])
    }

    @Test func `a list beside the records names objects that are gone`() throws {
        let world = try world(
            text: ["JSONRootKeyPath": "data.players", "JSONDeletedListKeyPath": "data.gone"])
        try world.take(team, "Team")
        let report = try world.take(
            #"{"data": {"gone": ["a", {"id": "x"}], "players": [{"id": "b", "name": "B"}]}}"#, "Player")
        #expect(report["Player"].deleted == 1)
        #expect(report["Player"].updated == 1)
        #expect(try world.values("id", of: "Player") == ["b"])
        // No list, and none beside an array.
        try world.take(#"{"data": {"players": [{"id": "b"}]}}"#, "Player")
        try world.take(#"[{"id": "b"}]"#, "Player")
        #expect(try world.values("id", of: "Player") == ["b"])
    }

    @Test func `a text of its own can be the list, and has to identify`() throws {
        let world = try world()
        try world.take(team, "Team")
        let list = ImportSource.data(Data(#"[{"id": "a"}]"#.utf8)).deleting()
        let report = try world.stack.container.importJSON(from: [list], entity: "Player")
        #expect(report["Player"].deleted == 1)
        let nameless = ImportSource.data(Data(#"[{"name": "B"}]"#.utf8)).deleting()
        let error = graftError { try world.stack.container.importJSON(from: [nameless], entity: "Player") }
        #expect(error?.problem == .missingIdentity(attributes: ["id"]))
        #expect(try world.values("id", of: "Player") == ["b"])
    }

    @Test(arguments: [1, 1000], [false, true])
    func `what comes after an object's end has nothing of what that owned`(_ size: Int, _ isSaved: Bool) throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Owner", info: ["identityAttributes": "id", "JSONDeletedKey": "gone"],
                [
                    .attribute("id", .integer64AttributeType),
                    .toMany("lines", "Line", inverse: "owner", rule: .cascadeDeleteRule),
                ])
            sketch.entity(
                "Line", info: ["identityAttributes": "owner nr"],
                [
                    .attribute("nr", .integer64AttributeType), .attribute("what"),
                    .toOne("owner", "Owner", inverse: "lines"),
                ])
        }
        (world.options.batchSize, world.options.savesEachBatch) = (size, isSaved)
        try world.take(#"[{"id": 2, "lines": [{"nr": 3, "what": "u"}]}]"#, "Owner")
        try world.take(#"[{"id": 2, "gone": true}, {"id": 2, "lines": [{"nr": 3}]}]"#, "Owner")
        #expect(try world.values("what", of: "Line") == ["nil"])
        #expect(try world.members("lines", "nr", of: "Owner", "id", 2) == ["3"])
        // What is said of it before its end is said of what goes with it.
        try world.take(
            #"[{"id": 2, "lines": [{"nr": 3, "what": "v"}]}, {"id": 2, "gone": true}]"#, "Owner")
        #expect(try world.count("Owner") == 0 && world.count("Line") == 0)
    }

    @Test func `a predicate for orphans compares an element of a composite attribute with its own values`() throws {
        let day = NSAttributeDescription()
        (day.name, day.attributeType, day.isOptional) = ("day", .dateAttributeType, true)
        let place = NSCompositeAttributeDescription()
        (place.name, place.elements, place.isOptional) = ("place", [day], true)
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Visit",
                info: [
                    "identityAttributes": "id", "JSONOrphanPolicy": "delete",
                    "JSONOrphanPredicate": "NOT place.day < '2024-01-01'",
                ],
                [.attribute("id", .integer64AttributeType), .attribute(place)])
        }
        try world.take(
            #"[{"id": 1, "place": {"day": "2020-05-01"}}, {"id": 2, "place": {"day": "2025-05-01"}}, {"id": 3}]"#,
            "Visit")
        try world.take(#"[{"id": 3, "place": {"day": "2020-05-01"}}]"#, "Visit")
        #expect(try world.values("id", of: "Visit") == ["1", "3"])
    }

    @Test func `what is gone counts for the limit, too`() throws {
        var world = try world(text: ["JSONDeletedKey": "gone"])
        try world.take(team, "Team")
        world.options.mapping["Player"].deletionLimit = .count(0)
        #expect(world.refuse(#"[{"id": "a", "gone": 1}]"#, "Player") != nil)
        #expect(try world.count("Player") == 2)
    }
}
