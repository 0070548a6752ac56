// Null, absence and values, by the policies that annotations and code give a property.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct PolicyImportTests {
    private func world(_ annotations: [String: String]) throws -> ImportWorld {
        try ImportWorld { sketch in
            sketch.entity(
                "A", info: ["identityAttributes": "id"],
                [
                    .attribute("id", json: "id"),
                    .attribute("n", .integer32AttributeType, json: "n", default: 7).annotated(annotations),
                    .toOne("b", "B", json: "b").annotated(annotations),
                    .toMany("bs", "B", inverse: "as", json: "bs").annotated(annotations),
                ])
            sketch.entity(
                "B", info: ["identityAttributes": "id"],
                [.attribute("id", json: "id"), .toMany("as", "A", inverse: "bs")])
        }
    }

    private func state(_ world: ImportWorld) throws -> [String] {
        [
            try world.value("n", of: "A", "id", "a"), try world.members("b", "id", of: "A", "id", "a").joined(),
            try world.members("bs", "id", of: "A", "id", "a").joined(),
        ]
    }

    private let full = #"{"id": "a", "n": 1, "b": "x", "bs": ["y", "z"]}"#
    private let null = #"{"id": "a", "n": null, "b": null, "bs": null}"#
    private let absent = #"{"id": "a"}"#

    @Test func `null clears, and absence leaves alone`() throws {
        let world = try world([:])
        try world.take(full, "A")
        try world.take(absent, "A")
        #expect(try state(world) == ["1", "x", "yz"])
        try world.take(null, "A")
        #expect(try state(world) == ["nil", "", ""])
    }

    @Test func `null can be ignored`() throws {
        let world = try world(["JSONNullPolicy": "ignore"])
        try world.take(full, "A")
        try world.take(null, "A")
        #expect(try state(world) == ["1", "x", "yz"])
        try world.take(#"{"id": "a", "n": 2, "b": "q", "bs": []}"#, "A")
        #expect(try state(world) == ["2", "q", ""])
    }

    @Test func `null can stand for the model's default`() throws {
        let world = try world(["JSONNullPolicy": "default"])
        try world.take(full, "A")
        try world.take(null, "A")
        #expect(try state(world) == ["7", "", ""])
    }

    @Test func `absence can clear, and can stand for the default`() throws {
        let clearing = try world(["JSONMissingPolicy": "clear"])
        try clearing.take(full, "A")
        try clearing.take(absent, "A")
        #expect(try state(clearing) == ["nil", "", ""])

        let defaulting = try world(["JSONMissingPolicy": "default"])
        try defaulting.take(full, "A")
        try defaulting.take(absent, "A")
        #expect(try state(defaulting) == ["7", "x", "yz"])
    }

    @Test func `a reference is no object that lacks its values`() throws {
        let world = try ImportWorld { sketch in
            sketch.entity(
                "A", info: ["identityAttributes": "id"], [.attribute("id"), .toMany("bs", "B", inverse: "a")])
            sketch.entity(
                "B", info: ["identityAttributes": "id"],
                [
                    .attribute("id"), .attribute("n").annotated(["JSONMissingPolicy": "clear"]),
                    .toOne("a", "A", inverse: "bs").annotated(["JSONMissingPolicy": "clear"]),
                ])
        }
        try world.take(#"{"id": "a", "bs": [{"id": "b", "n": "x"}]}"#, "A")
        for reference in [#""b""#, #"{"id": "b"}"#, #"{"id": "b"}"#] {
            try world.take(#"{"id": "a", "bs": [\#(reference)]}"#, "A")
            #expect(try world.value("n", of: "B", "id", "b") == "x")
            #expect(try world.members("bs", "id", of: "A", "id", "a") == ["b"])
        }
        try world.take(#"{"id": "b"}"#, "B")
        #expect(try world.value("n", of: "B", "id", "b") == "nil")
    }

    @Test func `code sets a policy for everything, and annotations go before it`() throws {
        var world = try world(["JSONNullPolicy": "clear"])
        world.options.mapping.defaults.nullPolicy = .ignore
        try world.take(full, "A")
        try world.take(null, "A")
        #expect(try state(world) == ["nil", "", ""])
        world.options.mapping["A", "n"].nullPolicy = .ignore
        try world.take(full, "A")
        try world.take(null, "A")
        #expect(try state(world) == ["1", "", ""])
    }

    @Test func `a null on the way is treated by the policy of what lies behind it`() throws {
        let world = try ImportWorld { sketch in
            sketch.entity(
                "P", info: ["identityAttributes": "id"],
                [
                    .attribute("id", json: "id"), .attribute("a", json: "x.a", default: "d"),
                    .attribute("b", json: "x.b").annotated(["JSONNullPolicy": "ignore"]),
                    .attribute("c", json: "x.y.c", default: "d").annotated(["JSONNullPolicy": "default"]),
                ])
        }
        try world.take(#"{"id": 1, "x": {"a": "A", "b": "B", "y": {"c": "C"}}}"#, "P")
        try world.take(#"{"id": 1, "x": null}"#, "P")
        #expect(try world.value("a", of: "P", "id", "1") == "nil")
        #expect(try world.value("b", of: "P", "id", "1") == "B")
        #expect(try world.value("c", of: "P", "id", "1") == "d")
    }

    @Test func `a property is read, written, both or neither`() throws {
        let world = try ImportWorld { sketch in
            sketch.entity(
                "A", info: ["identityAttributes": "id"],
                [
                    .attribute("id", json: "id"), .attribute("in", json: "in").annotated(["JSONDirection": "import"]),
                    .attribute("out", json: "out").annotated(["JSONDirection": "export"]),
                    .attribute("not", json: "not").annotated(["JSONDirection": "neither"]),
                ])
        }
        try world.take(#"{"id": "a", "in": "1", "out": "2", "not": "3"}"#, "A")
        #expect(try world.value("in", of: "A", "id", "a") == "1")
        #expect(try world.value("out", of: "A", "id", "a") == "nil")
        #expect(try world.value("not", of: "A", "id", "a") == "nil")
        let text = try world.stack.perform { context in
            String(decoding: try context.json(of: context.all("A")), as: UTF8.self)
        }
        #expect(text == #"[{"id":"a","out":null}]"#)
    }
}
