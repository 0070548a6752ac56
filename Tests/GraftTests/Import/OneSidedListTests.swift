// Lists without inverse: an object is in the list of one owner, the last one that the data names.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct OneSidedListTests {
    private func world(_ kind: StoreKind) throws -> ImportWorld {
        try ImportWorld(kind) { sketch in
            sketch.entity(
                "Box", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType), .toMany("things", "Thing"),
                    .toMany("others", "Thing", isOrdered: true).annotated(["JSONToManyPolicy": "add"]),
                    .toMany("added", "Thing").annotated(["JSONToManyPolicy": "add"]),
                    .toMany("changed", "Thing").annotated(["JSONToManyPolicy": "delta"]),
                ])
            sketch.entity("Crate", parent: "Box", [])
            sketch.entity("Thing", info: ["identityAttributes": "id"], [.attribute("id", .integer64AttributeType)])
        }
    }

    @Test(arguments: ["note", "notes", "ordered"])
    func `what an owner has again, or another one has, isn't deleted`(_ name: String) throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Sheet", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType), .toOne("note", "Note", rule: .cascadeDeleteRule),
                    .toMany("notes", "Note", rule: .cascadeDeleteRule),
                    .toMany("ordered", "Note", rule: .cascadeDeleteRule, isOrdered: true),
                    .toMany("own", "Note", inverse: "sheet", rule: .cascadeDeleteRule, isOrdered: true),
                ])
            sketch.entity("Note", [.attribute("text"), .toOne("sheet", "Sheet", inverse: "own")])
        }
        let note = name == "note" ? #"{"text": "a"}"# : #"[{"text": "a"}]"#
        for _ in 0..<3 {
            let report = try world.take(#"[{"id": 1, "\#(name)": \#(note)}, {"id": 1, "\#(name)": \#(note)}]"#, "Sheet")
            #expect(report["Note"].deleted == 0)
            #expect(try world.members(name, "text", of: "Sheet", "id", 1) == ["a"])
            #expect(try world.count("Note") == 1)
        }
        try world.take(#"[{"id": 2, "own": [{"text": "b"}]}]"#, "Sheet")
        let reference = name == "note" ? #"{"$ref": 1}"# : #"[{"$ref": 1}]"#
        try world.take(
            #"{"Sheet": [{"id": 2, "own": []}, {"id": 3, "\#(name)": \#(reference)}], "Note": [{"$id": 1, "text": "b"}]}"#
        )
        #expect(try world.members(name, "text", of: "Sheet", "id", 3) == ["b"])
        // What nobody has any more goes.
        let none = name == "note" ? "null" : "[]"
        try world.take(#"[{"id": 1, "\#(name)": \#(none)}, {"id": 3, "\#(name)": \#(none)}]"#, "Sheet")
        #expect(try world.count("Note") == 0)
    }

    @Test(arguments: [1, 2, 1000], [StoreKind.sqlite, .inMemory])
    func `the last list that names an object has it, in batches of any size`(_ size: Int, _ kind: StoreKind) throws {
        for saves in [false, true] {
            var world = try world(kind)
            (world.options.batchSize, world.options.savesEachBatch) = (size, saves)
            let text = """
                [{"id": 1, "things": [9, 8], "added": [9], "changed": {"add": [9]}},
                 {"id": 2, "things": [9], "added": [9], "changed": {"add": [9]}},
                 {"id": 3, "things": [7, 8], "others": [9, 8]},
                 {"id": 1, "others": [9], "added": [8], "changed": {"add": [8]}}, {"id": 3, "others": []}]
                """
            for _ in 0..<3 {
                try world.take(text, "Box")
                #expect(try world.members("things", "id", of: "Box", "id", 1) == [])
                #expect(try world.members("things", "id", of: "Box", "id", 2) == ["9"])
                #expect(try world.members("things", "id", of: "Box", "id", 3) == ["7", "8"])
                #expect(try world.members("others", "id", of: "Box", "id", 3) == ["8"])
                #expect(try world.members("others", "id", of: "Box", "id", 1) == ["9"])
                for list in ["added", "changed"] {
                    #expect(try world.members(list, "id", of: "Box", "id", 1) == ["8"])
                    #expect(try world.members(list, "id", of: "Box", "id", 2) == ["9"])
                }
            }
        }
    }

    @Test func `the snapshot of a text says what an import of it does`() throws {
        let world = try world(.sqlite)
        let text = """
            [{"id": 1, "things": [9], "others": [9], "added": [9], "changed": {"add": [9]}},
             {"id": 2, "things": [9], "others": [9], "added": [9], "changed": {"add": [9]}},
             {"id": 1, "others": [8], "added": [8], "changed": {"add": [8]}}]
            """
        try world.take(text, "Box")
        let model = world.stack.container.managedObjectModel
        let said = try GraphSnapshot(json: Data(text.utf8), entity: "Box", model: model)
        let stored = try world.stack.perform { try GraphSnapshot(of: $0) }
        #expect(try GraphDiff(from: stored, to: said).isEmpty)
        // Without the store, too, it is the last one that has it.
        let nothing = #"[{"id": 1, "things": []}, {"id": 2, "things": []}]"#
        let empty = try GraphSnapshot(json: Data(nothing.utf8), entity: "Box", model: model)
        let diff = try GraphDiff(from: empty, to: said)
        #expect(diff.changed.filter { $0["things"] != nil }.map(\.key.identity) == [[.integer(2)]])
    }

    @Test(arguments: [StoreKind.sqlite, .inMemory])
    func `an owner that the data doesn't mention loses what another one gets`(_ kind: StoreKind) throws {
        let world = try world(kind)
        try world.take(#"[{"id": 1, "things": [9, 8]}]"#, "Crate")
        try world.take(#"[{"id": 2, "things": [9]}]"#, "Box")
        #expect(try world.members("things", "id", of: "Box", "id", 1) == ["8"])
        #expect(try world.members("things", "id", of: "Box", "id", 2) == ["9"])
        try world.stack.perform { context throws in
            try context.populateObjects(fromDictionaries: [["id": 1, "things": [["id": 9]]]], entity: "Box")
            try context.save()
        }
        #expect(try world.members("things", "id", of: "Box", "id", 1).contains("9"))
        #expect(try world.members("things", "id", of: "Box", "id", 2) == [])
    }
}
