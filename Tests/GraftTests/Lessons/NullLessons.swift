// What users of other libraries reported, and what must not happen here: null, missing, defaults.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct NullLessons {
    private func hero(_ annotations: [String: String] = [:]) throws -> ImportWorld {
        try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Hero", info: ["identityAttributes": "id"],
                [
                    .attribute("id", json: "id"), .attribute("name", json: "name.full").annotated(annotations),
                    .attribute("rank", .integer16AttributeType, json: "rank", default: 1).annotated(annotations),
                    .toOne("publisher", "Publisher", inverse: "heroes", json: "publisher").annotated(annotations),
                    .toMany("powers", "Power", inverse: "heroes", json: "powers").annotated(annotations),
                ])
            sketch.entity(
                "Publisher", info: ["identityAttributes": "id"],
                [.attribute("id", json: "id"), .toMany("heroes", "Hero", inverse: "publisher")])
            sketch.entity(
                "Power", info: ["identityAttributes": "id"],
                [
                    .attribute("id", json: "id"), .attribute("name", json: "name"),
                    .toMany("heroes", "Hero", inverse: "powers"),
                ])
        }
    }

    private let whole = #"{"id": "h", "name": {"full": "N"}, "rank": 5, "publisher": "p", "powers": ["a", "b"]}"#

    private func state(_ world: ImportWorld) throws -> String {
        let parts = [
            try world.value("name", of: "Hero", "id", "h"), try world.value("rank", of: "Hero", "id", "h"),
            try world.members("publisher", "id", of: "Hero", "id", "h").joined(),
            try world.members("powers", "id", of: "Hero", "id", "h").joined(),
        ]
        return parts.joined(separator: " ")
    }

    // 12 RestKit#862, #906, #1948, #1819
    @Test func `12: absent, null and a value are three things`() throws {
        let world = try hero()
        try world.take(whole, "Hero")
        try world.take(#"{"id": "h"}"#, "Hero")
        #expect(try state(world) == "N 5 p ab")
        try world.take(#"{"id": "h", "name": {"full": null}, "rank": null, "publisher": null}"#, "Hero")
        #expect(try state(world) == "nil nil  ab")
        try world.take(#"{"id": "h", "name": {}, "publisher": "q"}"#, "Hero")
        #expect(try state(world) == "nil nil q ab")
    }

    // 12, the opposite wish: servers that omit nulls
    @Test func `12, 16: a missing key can mean that there is nothing`() throws {
        let world = try hero(["JSONMissingPolicy": "clear"])
        try world.take(whole, "Hero")
        try world.take(#"{"id": "h", "rank": 6}"#, "Hero")
        #expect(try state(world) == "nil 6  ")
    }

    // 14 MagicalRecord#727, PR#1053, PR#1371; 15 Mantle#799
    @Test func `14, 15: null clears a relationship, to one and to many`() throws {
        let world = try hero()
        try world.take(whole, "Hero")
        try world.take(#"{"id": "h", "publisher": null, "powers": null}"#, "Hero")
        #expect(try state(world) == "N 5  ")
    }

    // 17 RestKit#436, #2088; FEM#7, PR#41; MMRecord PR#28
    @Test(arguments: [
        (#"{"id": "h", "name": null}"#, "nil 5 p ab"),
        (#"{"id": "h", "powers": [null, "a", null]}"#, "N 5 p a"),
        (#"{"id": "h", "powers": [null]}"#, "N 5 p "),
        (#"{"id": "h", "powers": [{"id": null, "name": "x"}]}"#, "N 5 p nil"),
        (#"{"id": "h", "publisher": {"id": null}}"#, "N 5 nil ab"),
        (#"[null, {"id": "h", "rank": null}, null]"#, "N nil p ab"),
    ])
    func `17: null may stand in every position`(_ text: String, _ expected: String) throws {
        let world = try hero()
        try world.take(whole, "Hero")
        try world.take(text, "Hero")
        #expect(try state(world) == expected)
    }

    // Groot, section 5: a missing key wiped the model's default on insert
    @Test func `a missing key leaves a new object its default`() throws {
        let world = try hero()
        try world.take(#"{"id": "h"}"#, "Hero")
        #expect(try world.value("rank", of: "Hero", "id", "h") == "1")
    }
}
