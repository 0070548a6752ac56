// What broke in the exports of other libraries, under the numbers of the lessons. Others are in ExportOptionTests: 10 stable
// names, 13 nulls, 26 identifiers, 27 direction, 43 sub-entities, 44 cycles.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ExportLessonTests {
    private func export(_ stack: TestStack, _ entity: String) throws -> String {
        try stack.perform { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            return String(decoding: try context.exportJSON(request), as: UTF8.self)
        }
    }

    // Lesson 40: 64-bit identifiers went through a double, and 0.7689993 came back as 0.7689993000000001.
    @Test(arguments: StoreKind.allCases)
    func `lesson 40: numbers leave as they came`(_ kind: StoreKind) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Number", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType, json: "id"),
                .attribute("double", .doubleAttributeType, json: "double"),
                .attribute("float", .floatAttributeType, json: "float"),
                .attribute("decimal", .decimalAttributeType, json: "decimal"),
                .attribute("tree", .transformableAttributeType, json: "tree"),
            ])
        let stack = try TestStack(sketch.model(), kind)
        let text =
            #"[{"id":9007199254740993,"decimal":12345.98765,"double":0.7689993,"float":0.7689993,"#
            + #""tree":{"a":9007199254740993,"b":0.7689993}}]"#
        try stack.importJSON(text, "Number")
        #expect(try export(stack, "Number") == text)
    }

    // Lesson 41: keys with dots, and keys that begin with @.
    @Test func `lesson 41: keys with dots and at signs are written as they are read`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Thing",
            [
                .attribute("a", json: #"a\.b"#), .attribute("b", json: #"x.y\.z"#), .attribute("c", json: #"\@count"#),
                .attribute("d", json: #"back\\slash"#),
            ])
        let stack = try TestStack(sketch.model())
        let text = #"[{"@count":"3","a.b":"1","back\\slash":"4","x":{"y.z":"2"}}]"#
        try stack.importJSON(text, "Thing")
        try stack.perform { context throws in
            let thing = try #require(try context.all("Thing").first)
            #expect(["a", "b", "c", "d"].map { thing.text($0) } == ["1", "2", "3", "4"])
        }
        #expect(try export(stack, "Thing") == text)
    }

    // Lesson 44, of many-to-many models with both sides annotated: Sync, HYPMapper and Mantle overflowed the stack.
    @Test func `lesson 44: both sides of a many-to-many relationship can be written`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Tag", info: ["identityAttributes": "id"],
            [.attribute("id", json: "id"), .toMany("notes", "Note", inverse: "tags", json: "notes")])
        sketch.entity(
            "Note", info: ["identityAttributes": "id"],
            [.attribute("id", json: "id"), .toMany("tags", "Tag", inverse: "notes", json: "tags")])
        let stack = try TestStack(sketch.model())
        try stack.importJSON(
            #"[{"id": "n1", "tags": ["t1", "t2"]}, {"id": "n2", "tags": ["t1", "t2"]}]"#, "Note")
        // As in Groot, the side that leads back is left out where an object is nested.
        #expect(
            try export(stack, "Note")
                == #"[{"id":"n1","tags":[{"id":"t1"},{"id":"t2"}]},{"id":"n2","tags":[{"id":"t1"},{"id":"t2"}]}]"#)
        #expect(
            try export(stack, "Tag")
                == #"[{"id":"t1","notes":[{"id":"n1"},{"id":"n2"}]},{"id":"t2","notes":[{"id":"n1"},{"id":"n2"}]}]"#)
    }

    @Test func `lesson 44: a chain as long as you like neither overflows nor loses an object`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Link", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer32AttributeType, json: "id"),
                .toOne("next", "Link", inverse: "previous", json: "next"),
                .toOne("previous", "Link", inverse: "next", json: "previous"),
            ])
        let model = sketch.model()
        let stack = try TestStack(model)
        let count = Laws.count(20_000, otherwise: 5000)
        try stack.importJSON(
            (0..<count).map { #"{"id": \#($0), "next": \#(($0 + 1) % count)}"# }.joined(separator: "\n"), "Link")
        let copy = try TestStack(model)
        try copy.importJSON(try export(stack, "Link"), "Link")
        #expect(try copy.count("Link") == count)
        let texts = try [stack, copy].map { stack in
            try stack.perform { context throws in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Link")
                request.sortDescriptors = [NSSortDescriptor(key: "id", ascending: true)]
                var options = ExportOptions()
                options.relationshipForm = .identifier
                return try context.exportJSON(request, options: options)
            }
        }
        #expect(texts[0] == texts[1])
    }
}
