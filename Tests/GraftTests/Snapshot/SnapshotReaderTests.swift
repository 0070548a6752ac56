// Reading JSON into rows, without any context.

import CoreData
import Foundation
@testable import Graft
import Testing

@Suite struct SnapshotReaderTests {
    /// Reads a text and describes each row: entity, values by name, references as `Entity/row`.
    private func rows(
        _ text: String, _ entity: String? = "Character", _ model: NSManagedObjectModel = ComicModel.make(),
        chunkSize: Int? = nil
    ) throws -> [String] {
        let mapping = try GraphMapping(model)
        let data = Data(text.utf8)
        var offset = 0
        let source: JSONReader.ByteSource = { _ in
            let end = min(data.count, offset + (chunkSize ?? data.count))
            defer { offset = end }
            return data[offset..<end]
        }
        var reader = JSONSnapshotReader(
            JSONReader(source: source, format: .automatic), mapping: mapping, entityName: entity
        )
        reader.startBatch()
        _ = try reader.readBatch(rowLimit: .max)
        return describe(reader.snapshot)
    }

    private func describe(_ snapshot: GraphSnapshot) -> [String] {
        var lines: [String] = []
        for (entity, table) in snapshot.tables.enumerated() {
            for row in 0..<table.count where !table.flags[row].contains(.dead) {
                lines.append(describe(entity, row, snapshot))
            }
        }
        return lines
    }

    private func describe(_ entity: Int, _ row: Int, _ snapshot: GraphSnapshot) -> String {
        let table = snapshot.tables[entity]
        func name(_ reference: RowReference) -> String {
            let end = snapshot.resolved(reference)
            return reference.isNone ? "none" : "\(snapshot.schema.entities[end.entity].name)/\(end.row)"
        }
        var parts = ["\(snapshot.schema.entities[entity].name)/\(row)"]
        for (number, property) in snapshot.schema.entities[entity].properties.enumerated()
        where table.hasValue(number, row: row) {
            switch property.kind {
            case .attribute: parts.append("\(property.name)=\(table.value(property.column, row: row))")
            case .toOne: parts.append("\(property.name)=\(name(table.toOne(property.column, row: row)))")
            case .toMany:
                let members = table.toMany(property.column, row: row).indices.map { name(snapshot.members[$0]) }
                parts.append("\(property.name)=[\(members.joined(separator: " "))]")
            }
        }
        return parts.joined(separator: " ")
    }

    @Test func `one object is one row, however often it appears and in whatever form`() throws {
        let text = """
            [{"name": "A", "id": 1, "powers": [{"id": "4", "name": "x"}, 5], "publisher": "10"},
             {"id": 2, "powers": [{"name": "y", "id": 5}, {"id": 4, "name": "x"}, 4, {"id": 4, "name": "x"}]},
             {"id": "1", "publisher": {"id": 10, "name": null}}]
            """
        #expect(
            try rows(text) == [
                #"Character/0 identifier=1 name="A" publisher=Publisher/0 powers=[Power/0 Power/1]"#,
                "Character/1 identifier=2 powers=[Power/1 Power/0 Power/0 Power/0]",
                #"Power/0 identifier=4 name="x""#, #"Power/1 identifier=5 name="y""#,
                "Publisher/0 identifier=10 name=null",
            ])
    }

    @Test func `absent, null and value are three things`() throws {
        #expect(
            try rows(
                #"[{"id": 1}, {"id": 2, "name": null, "powers": null, "publisher": null}, {"id": 3, "powers": []}]"#)
                == [
                    "Character/0 identifier=1", "Character/1 identifier=2 name=null publisher=none powers=[]",
                    "Character/2 identifier=3 powers=[]",
                ])
    }

    @Test func `an object without a complete identity is a row of its own`() throws {
        #expect(
            try rows(#"[{"name": "A"}, {"name": "A"}, {"name": "A", "id": null}]"#) == [
                #"Character/0 name="A""#, #"Character/1 name="A""#, #"Character/2 identifier=null name="A""#,
            ])
    }

    @Test func `later values win, also over an object that was read before and skipped since`() throws {
        let power = #"{"id": 4, "name": "first"}"#
        let text = """
            [{"id": 1, "powers": [\(power)]}, {"id": 2, "powers": [\(power)]}, {"id": 3, "powers": [{"id": 4, "name": "second"}]},
             {"id": 4, "powers": [\(power), {"id": 4, "name": "third"}, \(power)]}, {"id": 5, "powers": [{"id": 4, "name": null}, \(power)]}]
            """
        #expect(try rows(text).last == #"Power/0 identifier=4 name="first""#)
        #expect(
            try rows(text.replacingOccurrences(of: ", \(power)]}]", with: "]}]")).last
                == "Power/0 identifier=4 name=null")
    }

    @Test func `nested objects in a skipped object count as well`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "A", info: ["identityAttributes": "id"],
            [.attribute("id"), .attribute("x"), .toOne("b", "A"), .toMany("all", "A")])
        let outer = #"{"id": "o", "b": {"id": "i", "x": "1"}}"#
        let text = #"{"id": "r", "all": [\#(outer), \#(outer), {"id": "i", "x": "2"}, \#(outer)]}"#
        #expect(
            try rows(text, "A", sketch.model()) == [
                #"A/0 id="r" all=[A/1 A/1 A/2 A/1]"#, #"A/1 id="o" b=A/2"#, #"A/2 id="i" x="1""#,
            ])
    }

    @Test(arguments: [1, 2, 3, 7, 64, 1000])
    func `the size of the pieces in which a text comes makes no difference`(_ size: Int) throws {
        let repeated = (0..<40).map {
            #"{"id": \#($0 % 7), "name": "n\#($0)é", "powers": [{"id": \#($0 % 3), "name": "p\#($0 % 3)"}, \#($0 % 5)], "publisher": {"id": \#($0 % 2), "name": "\#($0 % 2)"}}"#
        }.joined(separator: "\n")
        #expect(try rows(repeated, chunkSize: size) == rows(repeated))
    }

    @Test func `a row becomes one of the sub-entity as soon as that is known`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Animal", info: ["identityAttributes": "id"],
            [.attribute("id"), .attribute("name"), .toOne("bird", "Bird"), .toOne("any", "Animal")])
        sketch.entity("Bird", parent: "Animal", [.attribute("span")])
        let text = """
            [{"id": "a", "any": {"id": "b", "name": "B"}, "bird": {"id": "b", "span": "1"}}, {"id": "b", "any": "b"}]
            """
        #expect(
            try rows(text, "Animal", sketch.model()) == [
                #"Animal/0 id="a" bird=Bird/0 any=Bird/0"#, #"Bird/0 id="b" name="B" any=Bird/0 span="1""#,
            ])
    }

    @Test func `nesting has a limit`() throws {
        var sketch = ModelSketch()
        sketch.entity("A", [.toOne("a", "A")])
        let text = String(repeating: #"{"a":"#, count: 600) + "null" + String(repeating: "}", count: 600)
        #expect(throws: GraftError.self) { try rows(text, "A", sketch.model()) }
        let shallow = String(repeating: #"{"a":"#, count: 400) + "null" + String(repeating: "}", count: 400)
        #expect(try rows(shallow, "A", sketch.model()).count == 400)
    }
}
