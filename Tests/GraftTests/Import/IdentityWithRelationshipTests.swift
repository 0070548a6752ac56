// Identities that include a relationship: an own key and the owner's.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct IdentityWithRelationshipTests {
    /// Orders with lines numbered from 1 in each, and notes on lines.
    private func orders(_ kind: StoreKind = .sqlite) throws -> ImportWorld {
        try ImportWorld(kind) { sketch in
            sketch.entity(
                "Order", info: ["identityAttributes": "id"],
                [
                    .attribute("id"),
                    .toMany("lines", "Line", inverse: "order", rule: .cascadeDeleteRule, isOrdered: true),
                ])
            sketch.entity(
                "Line", info: ["identityAttributes": "number, order"],
                [
                    .attribute("number", .integer32AttributeType), .attribute("text"),
                    .toOne("order", "Order", inverse: "lines"), .toMany("notes", "Note", inverse: "line"),
                ])
            sketch.entity(
                "Note", info: ["identityAttributes": "key line"],
                [.attribute("key"), .attribute("text"), .toOne("line", "Line", inverse: "notes")])
        }
    }

    private func texts(_ world: ImportWorld, _ order: String) throws -> [String] {
        try world.members("lines", "text", of: "Order", "id", order)
    }

    private let two = """
        [{"id": "A", "lines": [{"number": 1, "text": "a1"}, {"number": 2, "text": "a2"}]},
         {"id": "B", "lines": [{"number": 1, "text": "b1"}]}]
        """

    @Test(arguments: StoreKind.allCases)
    func `the same key under another owner is another object`(_ kind: StoreKind) throws {
        let world = try orders(kind)
        try world.take(two, "Order")
        #expect(try texts(world, "A") == ["a1", "a2"])
        #expect(try texts(world, "B") == ["b1"])
        #expect(try world.count("Line") == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `importing again finds the objects by key and owner`(_ kind: StoreKind) throws {
        let world = try orders(kind)
        try world.take(two, "Order")
        #expect(try !world.take(two, "Order").hasChanges)
        let report = try world.take(
            #"{"id": "B", "lines": [{"number": 2, "text": "b2"}, {"number": 1, "text": "changed"}]}"#, "Order")
        #expect(report["Line"].inserted == 1)
        #expect(report["Line"].updated == 1)
        #expect(try texts(world, "B") == ["b2", "changed"])
        #expect(try texts(world, "A") == ["a1", "a2"])
    }

    @Test(arguments: StoreKind.allCases)
    func `an identity may be the owner alone`(_ kind: StoreKind) throws {
        let world = try ImportWorld(kind) { sketch in
            sketch.entity(
                "User", info: ["identityAttributes": "id"],
                [.attribute("id"), .toOne("profile", "Profile", inverse: "user")])
            sketch.entity(
                "Profile", info: ["identityAttributes": "user"],
                [.attribute("text"), .toOne("user", "User", inverse: "profile")])
        }
        let both = #"[{"id": "1", "profile": {"text": "a"}}, {"id": "2", "profile": {"text": "b"}}]"#
        #expect(try world.take(both, "User")["Profile"].inserted == 2)
        #expect(try !world.take(both, "User").hasChanges)
        let changed = try world.take(
            #"[{"text": "c", "user": "1"}, {"text": "d", "user": "3"}, {"text": "e", "user": "3"}]"#, "Profile")
        #expect(changed["Profile"].updated == 1)
        #expect(changed["Profile"].inserted == 1)
        #expect(try world.values("text", of: "Profile") == ["b", "c", "e"])
        // Those of nobody aren't taken for one.
        #expect(try world.take(#"[{"text": "x"}, {"text": "y"}]"#, "Profile")["Profile"].inserted == 2)
        #expect(try world.count("Profile") == 5)
    }

    @Test func `the owner may be named from the other side, in any batch`() throws {
        var world = try orders()
        world.options.batchSize = 1
        let text = """
            [{"number": 1, "order": "A", "text": "x"}, {"order": {"id": "B"}, "number": 1, "text": "y"},
             {"number": 1, "order": "A", "text": "z"}, {"number": 2, "order": "A"}]
            """
        let report = try world.take(text, "Line")
        #expect(report["Line"].inserted == 3)
        #expect(try world.values("text", of: "Line") == ["nil", "y", "z"])
        #expect(try !world.take(#"[{"number": 1, "order": "A", "text": "z"}]"#, "Line").hasChanges)
        world.options.savesEachBatch = true
        #expect(try world.take(text, "Line")["Line"].inserted == 0)
        #expect(try world.count("Line") == 3)
    }

    @Test func `the same object twice in one payload is one`() throws {
        let world = try orders()
        let text = """
            [{"id": "A", "lines": [{"number": 1, "text": "first"}]}, {"id": "A", "lines": [{"number": 1, "text": "second"}]}]
            """
        #expect(try world.take(text, "Order")["Line"].inserted == 1)
        #expect(try texts(world, "A") == ["second"])
    }

    @Test func `an owner may itself be identified by its owner`() throws {
        let world = try orders()
        let text = """
            [{"id": "A", "lines": [{"number": 1, "notes": [{"key": "n", "text": "A1"}]}, {"number": 2, "notes": [{"key": "n", "text": "A2"}]}]},
             {"id": "B", "lines": [{"number": 1, "notes": [{"key": "n", "text": "B1"}]}]}]
            """
        try world.take(text, "Order")
        #expect(try world.values("text", of: "Note") == ["A1", "A2", "B1"])
        #expect(try !world.take(text, "Order").hasChanges)
        let changed = text.replacingOccurrences(of: "A2", with: "changed")
        let report = try world.take(changed, "Order")
        #expect(report["Note"].updated == 1)
        #expect(report["Note"].inserted == 0)
        #expect(try world.values("text", of: "Note") == ["A1", "B1", "changed"])
    }

    @Test func `unsaved objects are found, too`() throws {
        let world = try orders()
        try world.stack.perform { context throws in
            try context.importJSON(Data(two.utf8), entity: "Order")
            let again = try context.importJSON(Data(two.utf8), entity: "Order")
            #expect(!again.hasChanges)
            #expect(try context.all("Line").count == 3)
        }
    }

    private func folders(_ kind: StoreKind = .sqlite) throws -> ImportWorld {
        try ImportWorld(kind) { sketch in
            sketch.entity(
                "Folder", info: ["identityAttributes": "name, parent"],
                [
                    .attribute("name"), .attribute("note"), .toOne("parent", "Folder", inverse: "children"),
                    .toMany("children", "Folder", inverse: "parent", rule: .cascadeDeleteRule),
                ])
        }
    }

    /// Folders that hang on each other, two of the same names among them, and one below them; and a root that is its own parent.
    private let circles = """
        {"Folder": [
            {"$id": 1, "name": "a", "parent": {"$ref": 2}, "note": "1"}, {"$id": 2, "name": "b", "parent": {"$ref": 1}},
            {"$id": 3, "name": "a", "parent": {"$ref": 4}, "note": "2"}, {"$id": 4, "name": "b", "parent": {"$ref": 3}},
            {"$id": 5, "name": "c", "parent": {"$ref": 1}}, {"$id": 6, "name": "d", "parent": {"$ref": 5}},
            {"$id": 7, "name": "a", "parent": {"$ref": 7}, "note": "3"}
        ]}
        """

    @Test(arguments: StoreKind.allCases)
    func `objects that hang on each other by their identities are found again`(_ kind: StoreKind) throws {
        let world = try folders(kind)
        #expect(try world.take(circles)["Folder"].inserted == 7)
        let again = try world.take(circles)
        #expect(!again.hasChanges && again["Folder"].unchanged == 7, "\(again)")
        // One of another name is another one, and so is what hangs on it.
        let other = try world.take(circles.replacing("\"b\"", with: "\"x\""))
        #expect(other["Folder"].inserted == 6)
        #expect(try world.stack.count("Folder") == 13)
        let changed = try world.take(circles.replacing("\"note\": \"3\"", with: "\"note\": \"4\""))
        #expect(changed["Folder"].updated == 1 && changed["Folder"].inserted == 0, "\(changed)")
    }

    @Test func `so are those that are still unsaved`() throws {
        try folders().stack.perform { context throws in
            try context.importJSON(Data(circles.utf8))
            let again = try context.importJSON(Data(circles.utf8))
            #expect(!again.hasChanges)
            #expect(try context.all("Folder").count == 7)
        }
    }

    @Test(arguments: [DoorLawTests.Door.importing, .populating, .decoding])
    func `what lacks the key stands for no object that key and owner identify, and has its place in the list`(
        _ door: DoorLawTests.Door
    ) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [
                .attribute("id"),
                .toMany("lines", "Line", inverse: "team", rule: .cascadeDeleteRule, isOrdered: true),
            ])
        sketch.entity(
            "Line", info: ["identityAttributes": "number, team"],
            [
                .attribute("number", .integer32AttributeType), .attribute("text"),
                .toOne("team", "Team", inverse: "lines"),
            ])
        let model = sketch.model()
        model.entitiesByName["Team"]?.managedObjectClassName = NSStringFromClass(DoorTeam.self)
        let stack = try TestStack(model, .sqlite)
        for (last, number) in [("c", 3), ("d", 3), ("a1", 3)] {
            let text = """
                [{"id": "A", "lines": [{"number": 1, "text": "a1"}, {"number": 2, "text": "a2"}, {"text": "\(last)"}]}]
                """
            try stack.perform { context throws in
                try door.take(Data(text.utf8), into: context)
                try context.save()
                let team = try #require(try context.all("Team").first)
                #expect(team.texts("lines", "text") == ["a1", "a2", last])
            }
            // The one at its place is changed.
            #expect(try stack.count("Line") == number)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a record without the key is another object than one that has it, in batches of any size`(
        _ kind: StoreKind
    ) throws {
        let text = #"[{"number": 1, "text": "a", "order": "A"}, {"text": "a", "order": "A"}]"#
        for options in ImportOptions.sequences(batches: 1, 1000) {
            var world = try orders(kind)
            world.options = options
            world.options.format = .automatic
            for _ in 0..<2 {
                try world.take(text, "Line")
                #expect(try world.values("number", of: "Line") == ["1", "nil"])
            }
        }
    }

    @Test func `the root of a tree is one object for an import, an export, a restore and a difference`() throws {
        let (one, other) = (try folders(), try folders())
        try one.take(#"{"name": "usr", "note": "new", "children": [{"name": "lib"}]}"#, "Folder")
        try other.take(#"{"name": "usr", "note": "old", "children": [{"name": "lib"}]}"#, "Folder")
        #expect(try GraphDiff(from: other.stack.container, to: one.stack.container).changed.count == 1)
        // An identifier that says that there is no parent.
        var options = ExportOptions()
        (options.relationshipForm, options.sortsKeys) = (.identifier, true)
        let text = try one.stack.perform { context throws in
            let root = try #require(try context.one("Folder", "name", "usr"))
            return String(decoding: try context.json(of: root, options: options), as: UTF8.self)
        }
        #expect(text.contains(#""children":[{"name":"lib","parent":{"name":"usr","parent":null}}]"#), "\(text)")
        let restored = try other.stack.restore(one.stack.archive())
        #expect(restored.description == "Folder: 1 updated, 1 unchanged")
        #expect(try other.values("note", of: "Folder") == ["new", "nil"])
        #expect(try other.take(text, "Folder").total.inserted == 0)
        #expect(try other.stack.findings() == [])
    }

    @Test(arguments: ["null", #"{"$ref": 3}"#])
    func `two objects of a document that have one identity are an error`(_ parent: String) throws {
        let world = try folders()
        let error = world.refuse(
            """
            {"Folder": [{"$id": 1, "name": "a", "note": "1", "parent": \(parent)}, {"$id": 2, "name": "a", "parent": \(parent)},
             {"$id": 3, "name": "usr", "parent": null}]}
            """)
        let finding = "the $id 2 has the identity of the one with 1"
        #expect(error?.description.contains(finding) ?? false, "\(String(describing: error))")
        #expect(try world.stack.count("Folder") == 0)
    }

    @Test func `a tree by name and parent`() throws {
        let world = try folders()
        let text = """
            [{"name": "usr", "children": [{"name": "lib", "note": "1"}, {"name": "local", "children": [{"name": "lib", "note": "2"}]}]},
             {"name": "lib", "note": "0"}]
            """
        #expect(try world.take(text, "Folder")["Folder"].inserted == 5)
        #expect(try world.values("note", of: "Folder") == ["0", "1", "2", "nil", "nil"])
        #expect(try !world.take(text, "Folder").hasChanges)
        let report = try world.take(
            #"{"name": "lib", "parent": {"name": "local", "parent": {"name": "usr"}}, "note": "new"}"#, "Folder")
        #expect(report.description == "Folder: 1 updated, 2 unchanged")
        #expect(try world.values("note", of: "Folder") == ["0", "1", "new", "nil", "nil"])
    }

    @Test func `one fetch for each level, whatever the number of objects`() throws {
        let world = try orders()
        func text(_ count: Int) -> String {
            "["
                + (0..<count).map {
                    #"{"id": "\#($0)", "lines": [{"number": 1, "text": "\#($0)"}, {"number": 2}]}"#
                }.joined(separator: ",") + "]"
        }
        try world.take(text(300), "Order")
        let few = try world.take(text(3), "Order")
        let many = try world.take(text(300), "Order")
        #expect(!many.hasChanges)
        #expect(many["Line"].unchanged == 600)
        #expect(many.fetchCount == few.fetchCount)
    }
}
