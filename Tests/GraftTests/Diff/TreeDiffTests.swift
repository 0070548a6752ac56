// The trees of transformable attributes: a difference is one of what JSON means, not of the order of keys or the form of numbers.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct TreeDiffTests {
    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Thing", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .attribute("tree", .transformableAttributeType)])
        return sketch.model()
    }

    private static let tree = #"{"b": {"z": 1, "y": [1.5, true]}, "a": null, "c": "é", "d": 100}"#

    private func thing(_ tree: String) -> String { #"{"id": 1, "tree": \#(tree)}"# }

    @Test(arguments: [
        #"{"a": null, "b": {"y": [1.50, true], "z": 1.0}, "d": 1e2, "c": "é"}"#,
        #"{"d": 100.00, "c": "é", "b": {"z": 10e-1, "y": [15e-1, true]}, "a": null}"#,
    ])
    func `what an import leaves as it is, a diff doesn't show`(_ other: String) throws {
        let stack = try TestStack(model(), .sqlite)
        try stack.importJSON(thing(Self.tree), "Thing")
        #expect(try stack.importJSON(thing(other), "Thing")["Thing"].unchanged == 1)
        let stored = try stack.perform { try GraphSnapshot(of: $0) }
        for text in [Self.tree, other] {
            let snapshot = try GraphSnapshot(json: Data(thing(text).utf8), entity: "Thing", model: model())
            #expect(try GraphDiff(from: snapshot, to: stored).isEmpty)
            #expect(try GraphDiff(from: stored, to: snapshot).isEmpty)
        }
    }

    @Test(arguments: [#"{"b": 1}"#, #"{"a": 1, "A": 2}"#, #""e\#u{301}""#, "[1, true]", "[true, 1]", "-1", #"[0]"#])
    func `another tree is a change`(_ other: String) throws {
        let snapshots = try [#"{"a": 1}"#, other].map {
            try GraphSnapshot(json: Data(thing($0).utf8), entity: "Thing", model: model())
        }
        #expect(try GraphDiff(from: snapshots[0], to: snapshots[1]).changed.count == 1)
    }

    @Test func `a diff that went through Foundation's coders fits what it was made of`() throws {
        let stack = try TestStack(model(), .sqlite)
        let keys = (0..<12).map { #""k\#($0)": {"x": \#($0), "y": 0.5}"# }.joined(separator: ", ")
        try stack.importJSON(thing("{\(keys)}"), "Thing")
        let old = try stack.perform { try GraphSnapshot(of: $0) }
        let new = try GraphSnapshot(json: Data(thing("[1]").utf8), entity: "Thing", model: model())
        let diff = try GraphDiff(from: old, to: new)
        let data = try JSONEncoder().encode(diff)
        let texts = try (0..<10).map { _ in
            let read = try JSONDecoder().decode(GraphDiff.self, from: data)
            #expect(read == diff)
            #expect(try stack.container.apply(read, isDryRun: true).changed == 1)
            return read.text(DiffRendering())
        }
        #expect(Set(texts).count == 1)
    }

    @Test func `trees have one order, whatever the order of their keys`() throws {
        let texts = [
            "null", "0", "-0", "1", "1.0", "10", "1e1", "1.5", "15e-1", "100", #""1""#, "[1]", "[1.0]",
            #"{"a":1,"b":2}"#,
            #"{"b":2.0,"a":1}"#, #"{"a":2,"b":1}"#, #"{"b":1,"a":2}"#, "123456789012345678901234567890123456789012",
            "123456789012345678901234567890123456789012.0", "0.1", #""é""#, #""e\#u{301}""#,
        ]
        let values = try texts.map { GraphValue.json(try JSONValue(parsing: $0)) }
        for one in values {
            for other in values {
                #expect((one.precedes(other) == nil) == (one == other), "\(one) \(other)")
                #expect(one.precedes(other) == other.precedes(one).map { !$0 }, "\(one) \(other)")
                for third in values where one.precedes(other) != false && other.precedes(third) != false {
                    #expect(one.precedes(third) != false, "\(one) \(other) \(third)")
                }
            }
        }
    }

    @Test func `keys and texts in two normal forms are two`() throws {
        let stack = try TestStack(model(), .sqlite)
        let (one, two) = ("\u{E9}", "e\u{301}")
        try stack.importJSON(thing(#"["\#(one)", "\#(two)", "\#(one)"]"#), "Thing")
        let texts = try stack.perform { try $0.one("Thing", "id", 1)?.value(forKey: "tree") as? [String] }
        #expect(texts?.map { Array($0.unicodeScalars).count } == [1, 2, 1])
        let error = graftError {
            try stack.importJSON(#"[{"id": 2}, {"id": 3, "tree": [0, {"\#(one)": 1, "x": 0, "\#(two)": 2}]}]"#, "Thing")
        }
        #expect(error?.description.contains("normal form") == true, "\(error?.description ?? "nothing")")
        #expect(error?.place.path == [.index(1), .key("tree"), .index(1), .key(two)])
        #expect(error?.place.line == 1)
        #expect(try stack.count("Thing") == 1)
        // A key that is simply repeated is no such: its last value counts.
        try stack.importJSON(#"{"id": 4, "tree": {"\#(one)": 1, "\#(one)": 2}}"#, "Thing")
        let repeated = try stack.perform { try $0.one("Thing", "id", 4)?.value(forKey: "tree") as? [String: Int] }
        #expect(repeated == [one: 2])
    }

    @Test(arguments: ["\"*\"", "[1, [\"*\"]]", "{\"a\": {\"*\": 1}}", "{\"a\": \"*\"}"])
    func `another normal form is a change that a save stores`(_ tree: String) throws {
        let stack = try TestStack(model(), .sqlite)
        func text(_ form: String) -> String { thing(tree.replacingOccurrences(of: "*", with: form)) }
        try stack.importJSON(text("\u{E9}"), "Thing")
        #expect(try stack.importJSON(text("e\u{301}"), "Thing")["Thing"].updated == 1)
        #expect(try stack.importJSON(text("e\u{301}"), "Thing")["Thing"].unchanged == 1)
        let stored = try stack.perform { String(decoding: try $0.exportJSON(), as: UTF8.self) }
        #expect(stored.unicodeScalars.contains("\u{301}"))
    }

    @Test func `a diff can't bring keys that a dictionary takes for one`() throws {
        let stack = try TestStack(model())
        try stack.importJSON(thing("0"), "Thing")
        let old = try stack.perform { try GraphSnapshot(of: $0) }
        var diff = try GraphDiff(
            from: old, to: GraphSnapshot(json: Data(thing("1").utf8), entity: "Thing", model: model()))
        let tree = JSONValue.object(JSONValue.Object([("\u{E9}", 1), ("e\u{301}", 2)]))
        diff.changed[0].properties[0].kind = .attribute(old: .json(0), new: .json(tree))
        let error = graftError { try stack.container.apply(diff) }
        #expect(error?.description.contains("normal form") == true, "\(error?.description ?? "nothing")")
    }
}
