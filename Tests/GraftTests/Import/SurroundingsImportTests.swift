// Values from around an object: its parent, its record, its place, its key; and objects below a key of the text.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct SurroundingsImportTests {
    private func world(_ teamInfo: [String: String] = [:]) throws -> ImportWorld {
        try ImportWorld { sketch in
            sketch.entity(
                "Team", info: teamInfo.merging(["identityAttributes": "id"]) { first, _ in first },
                [
                    .attribute("id", json: "id"), .attribute("rank", .integer32AttributeType, json: "@index"),
                    .toMany("players", "Player", inverse: "team", json: "players"),
                ])
            sketch.entity(
                "Player", info: ["identityAttributes": "id"],
                [
                    .attribute("id", json: "id"), .attribute("number", .integer32AttributeType, json: "@index"),
                    .attribute("city", json: "@parent.place.city"), .attribute("season", json: "@root.season"),
                    .attribute("league", json: "league").annotated(["JSONKeyPath.1": "@parent.league"]),
                    .toOne("team", "Team", inverse: "players"),
                ])
        }
    }

    @Test func `values come from the parent, from the record and from the place in the array`() throws {
        let world = try world()
        try world.take(
            """
            [{"id": "t", "players": [{"id": "a"}, {"id": "b", "league": "own"}], "place": {"city": "Bern"}, "season": 2024,
              "league": "A"},
             {"id": "u", "season": 2025, "players": [{"id": "c"}]}]
            """, "Team")
        #expect(try world.value("rank", of: "Team", "id", "t") == "0")
        #expect(try world.value("rank", of: "Team", "id", "u") == "1")
        func player(_ id: String) throws -> [String] {
            try ["number", "city", "season", "league"].map { try world.value($0, of: "Player", "id", id) }
        }
        #expect(try player("a") == ["0", "Bern", "2024", "A"])
        #expect(try player("b") == ["1", "Bern", "2024", "own"])
        #expect(try player("c") == ["0", "nil", "2025", "nil"])
    }

    @Test func `the place in the array counts on from batch to batch`() throws {
        var world = try world()
        world.options.batchSize = 1
        try world.take(#"[{"id": "a"}, {"id": "b"}, {"id": "c"}]"#, "Team")
        #expect(try world.value("rank", of: "Team", "id", "c") == "2")
        // An object that is in no array has no place.
        try world.take(#"{"id": "d"}"#, "Team")
        #expect(try world.value("rank", of: "Team", "id", "d") == "nil")
    }

    @Test func `a value from the surroundings that doesn't fit is an error at the object`() throws {
        let world = try ImportWorld { sketch in
            sketch.entity(
                "A", info: ["identityAttributes": "id"],
                [.attribute("id", json: "id"), .toMany("bs", "B", json: "bs")])
            sketch.entity(
                "B", [.attribute("n", .integer16AttributeType, json: "@parent.n"), .toOne("a", "A", json: "a")])
        }
        let error = try #require(world.refuse(#"{"id": "a", "n": "many", "bs": [{}]}"#, "A"))
        #expect(error.place.property == "n")
        #expect(error.place.path == [.key("bs"), .index(0)])
        #expect(error.description.contains("many"))
    }

    @Test func `a relationship can follow from the parent's key`() throws {
        let world = try ImportWorld { sketch in
            sketch.entity(
                "Page", info: ["identityAttributes": "id"],
                [.attribute("id", json: "id"), .toMany("links", "Link", json: "links")])
            sketch.entity(
                "Link", info: ["identityAttributes": "id"],
                [.attribute("id", json: "id"), .toOne("site", "Site", json: "@parent.siteID")])
            sketch.entity("Site", info: ["identityAttributes": "id"], [.attribute("id", json: "id")])
        }
        try world.take(#"{"links": [{"id": "l"}], "id": "p", "siteID": "s"}"#, "Page")
        #expect(try world.members("site", "id", of: "Link", "id", "l") == ["s"])
    }

    // MARK: Envelopes

    @Test(arguments: [
        #"{"status": "ok", "data": {"next": null, "teams": [{"id": "a"}, "b", null, {"id": "c"}]}, "more": [1, {"x": 2}]}"#,
        #"{"data": {"teams": [{"id": "a"}, {"id": "b"}, {"id": "c"}], "teams2": []}}"#,
        #"[{"id": "a"}, {"id": "b"}, {"id": "c"}]"#,
    ])
    func `the objects may be below a key of the text`(_ text: String) throws {
        var world = try world(["JSONRootKeyPath": "data.teams"])
        for size in [1, 100] {
            world.options.batchSize = size
            try world.take(text, "Team")
            #expect(try world.values("id", of: "Team") == ["a", "b", "c"])
        }
    }

    @Test func `below the key there may be a single object, or null`() throws {
        let world = try world(["JSONRootKeyPath": "team"])
        #expect(try world.take(#"{"team": {"id": "a"}, "n": 1}"#, "Team").recordCount == 1)
        #expect(try world.take(#"{"team": null}"#, "Team").recordCount == 0)
        #expect(try world.values("id", of: "Team") == ["a"])
    }

    @Test func `a text without the key is an error, not an empty text`() throws {
        let world = try world(["JSONRootKeyPath": "data.teams"])
        for text in [#"{"error": "no"}"#, #"{"data": []}"#, #"{"data": {"heroes": []}}"#, "{}"] {
            let error = try #require(world.refuse(text, "Team"))
            #expect(error.description.contains("the text has nothing under 'data.teams'"), "\(error)")
        }
        #expect(world.refuse(#"{"data": {"teams": 3}}"#, "Team")?.description.contains("an array of objects") == true)
        #expect(world.refuse(#"{"data": {"teams": []}} 5"#, "Team") != nil)
    }

    @Test(arguments: [nil, "all"])
    func `objects may stand under their identifiers`(_ root: String?) throws {
        var info = ["JSONCollectionForm": "keyed"]
        info["JSONRootKeyPath"] = root
        let world = try world(info)
        let objects = #"{"a": {"players": {"p": {}, "q": {"league": "Z"}}}, "b": {"id": "own"}, "c": null}"#
        let text = root == nil ? objects : #"{"n": 1, "all": \#(objects)}"#
        var options = world.options
        options.mapping["Player"].collectionForm = .keyed
        try world.stack.importJSON(text, "Team", options: options)
        #expect(try world.values("id", of: "Team") == ["a", "own"])
        #expect(try world.members("players", "id", of: "Team", "id", "a") == ["p", "q"])
        #expect(try world.value("number", of: "Player", "id", "q") == "1")
    }

    @Test func `a key can go to any attribute`() throws {
        let world = try ImportWorld { sketch in
            sketch.entity(
                "Word", info: ["JSONCollectionForm": "keyed"],
                [.attribute("language", json: "@key"), .attribute("text", json: "text")])
        }
        try world.take(#"{"de": {"text": "Wort"}, "en": {"text": "word"}}"#, "Word")
        #expect(try world.value("text", of: "Word", "language", "en") == "word")
    }

    @Test func `how the text is cut into pieces makes no difference`() throws {
        let text = """
            [{"players": [{"id": "a", "filler": "\(String(repeating: "x", count: 300))"}, {"id": "b"}], "place": {"city": "Bern"},
             "id": "t", "season": "\(String(repeating: "y", count: 500))"}]
            """
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("graft-\(UUID().uuidString).json")
        // Longer than the pieces in which a file is read.
        let many = "[" + String(repeating: text.dropFirst().dropLast() + ",", count: 200) + text.dropFirst()
        try Data(many.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let world = try world()
        try world.stack.container.importJSON(contentsOf: [file], entity: "Team")
        #expect(try world.value("city", of: "Player", "id", "a") == "Bern")
        #expect(try world.value("season", of: "Player", "id", "b").count == 500)
    }
}
