// Snapshots and values in coders: what is encoded is decoded again.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct SnapshotCodingTests {
    @Test func `decimals that are no number come back`() throws {
        let value = GraphValue.decimal(.nan)
        #expect(try JSONDecoder().decode(GraphValue.self, from: JSONEncoder().encode(value)) == value)
        var sketch = ModelSketch()
        sketch.entity(
            "Item", info: ["id": "id"], [.attribute("id"), .attribute("price", .decimalAttributeType)])
        let snapshot = try TestStack(sketch.model()).perform { context in
            context.add("Item", ["id": "a", "price": NSDecimalNumber.notANumber])
            return try GraphSnapshot(of: context)
        }
        let decoded = try JSONDecoder().decode(GraphSnapshot.self, from: JSONEncoder().encode(snapshot))
        #expect(try GraphDiff(from: snapshot, to: decoded).isEmpty)
        #expect(decoded.row(of: "Item", identity: [.string("a")])?["price"] == .decimal(.nan))
    }

    @Test func `the numbers of a tree come back as they are written`() throws {
        let text =
            #"{"a":1.0,"b":[0.0,-0.0,1000.0,0.5,7,-3],"c":12345678901234567890,"d":1e400,"e":3.14159265358979323846}"#
        for part in [text, #"{"a":1}"#, #"[1.0]"#, "0.5", "1e3"] {
            let value = GraphValue.json(try JSONValue(parsing: part))
            let decoded = try JSONDecoder().decode(GraphValue.self, from: JSONEncoder().encode(value))
            #expect(decoded.description == part)
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(GraphValue.self, from: Data(#"{"jsonText": "[1"}"#.utf8))
        }
    }

    private func teams() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [
                .attribute("id"),
                .toMany("members", "Person", inverse: "teams").annotated(["JSONToManyPolicy": "delta"]),
            ])
        sketch.entity(
            "Person", info: ["identityAttributes": "id"],
            [.attribute("id"), .attribute("name"), .toMany("teams", "Team", inverse: "members")])
        return sketch.model()
    }

    @Test func `what a list loses comes back, also where rows were merged`() throws {
        let text = """
            [{"id": "t", "members": {"add": ["a", "b"], "remove": ["c", "d"]}},
             {"id": "u", "members": {"add": [{"id": "c", "name": "C"}], "remove": ["a"]}},
             {"id": "t", "members": {"add": ["e"], "remove": ["d", "f"]}}]
            """
        let snapshot = try GraphSnapshot(json: Data(text.utf8), entity: "Team", model: teams())
        let decoded = try JSONDecoder().decode(GraphSnapshot.self, from: JSONEncoder().encode(snapshot))
        func removed(_ snapshot: GraphSnapshot) -> [String] {
            snapshot.removals.map { cell, range in
                let members = range.indices.map { "\(snapshot[snapshot.members[$0]].identity[0])" }
                return "\(snapshot[cell.row].identity[0]) \(members.joined())"
            }.sorted()
        }
        #expect(removed(decoded) == [#""t" "c""d""f""#, #""u" "a""#])
        #expect(removed(decoded) == removed(snapshot))
        #expect(try decoded.contents() == snapshot.contents())
    }

    @Test func `a part of an archive comes back`() throws {
        let stack = try TestStack(teams())
        try stack.fill { context in
            let persons = ["a", "b"].map { context.add("Person", ["id": $0]) }
            context.add("Team", ["id": "t", "members": NSSet(array: persons)])
            context.add("Team", ["id": "u", "members": NSSet(array: persons)])
        }
        let part = try GraphSnapshot(reading: .data(stack.archive()), entity: "Person", model: teams())
        let decoded = try JSONDecoder().decode(GraphSnapshot.self, from: JSONEncoder().encode(part))
        #expect(try decoded.contents() == part.contents())
        #expect(try part.contents().map(\.key) == ["a", "b"].map { ObjectKey("Person", [.string($0)]) })
    }
}
