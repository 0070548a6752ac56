// Filling a given object, client-made identifiers, versions, orphans, imports side by side.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ObjectImportTests {
    private func notes(_ info: [String: String] = [:], _ kind: StoreKind = .sqlite) throws -> ImportWorld {
        try ImportWorld(kind) { sketch in
            sketch.entity(
                "Note", info: info.merging(["identityAttributes": "id"]) { first, _ in first },
                [
                    .attribute("id", .UUIDAttributeType), .attribute("text"),
                    .attribute("version", .integer32AttributeType), .attribute("isLocal", .booleanAttributeType),
                    .toMany("tags", "Tag", inverse: "notes"),
                ])
            sketch.entity(
                "Tag", info: ["identityAttributes": "name"],
                [.attribute("name"), .toMany("notes", "Note", inverse: "tags")])
        }
    }

    private let one = "11111111-1111-1111-1111-111111111111"
    private let two = "22222222-2222-2222-2222-222222222222"
    private let three = "33333333-3333-3333-3333-333333333333"

    // MARK: A given object

    @Test func `an answer fills the object that was sent`() throws {
        let world = try notes()
        try world.stack.perform { context throws in
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue("mine", forKey: "text")
            let answer = #"{"id": "\#(one)", "version": 1, "tags": [{"name": "new"}]}"#
            let report = try context.importJSON(Data(answer.utf8), into: note)
            #expect(report["Note"].updated == 1)
            #expect((note.value(forKey: "id") as? UUID)?.uuidString == one)
            #expect(note.text("text") == "mine")
            #expect(note.texts("tags", "name") == ["new"])
            try context.save()
        }
        #expect(try world.count("Note") == 1)
        #expect(try world.take(#"{"id": "\#(one)", "text": "changed"}"#, "Note")["Note"].updated == 1)
    }

    @Test func `an identity that another object has already is refused`() throws {
        let world = try notes()
        try world.take(#"{"id": "\#(one)", "text": "first"}"#, "Note")
        try world.stack.perform { context throws in
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue("mine", forKey: "text")
            let error = try #require(
                graftError { try context.importJSON(Data(#"{"id": "\#(one)", "text": "x"}"#.utf8), into: note) })
            guard case .duplicateIdentity = error.problem else {
                Issue.record("\(error)")
                return
            }
            #expect(note.text("text") == "mine")
            #expect(note.value(forKey: "id") == nil)
            #expect(graftError { try context.importJSON(Data("[]".utf8), into: note) } != nil)
            #expect(graftError { try context.importJSON(Data("[{}, {}]".utf8), into: note) } != nil)
        }
    }

    @Test(arguments: [false, true])
    func `so is one with an owner, be it by an import or a dictionary`(_ isDictionary: Bool) throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Order", info: ["identityAttributes": "id"],
                [.attribute("id", .integer64AttributeType), .toMany("lines", "Line", inverse: "order")])
            sketch.entity(
                "Line", info: ["identityAttributes": "order number"],
                [.attribute("number", .integer64AttributeType), .toOne("order", "Order", inverse: "lines")])
        }
        try world.take(#"[{"id": 1, "lines": [{"number": 1}]}, {"id": 2}]"#, "Order")
        try world.stack.perform { context throws in
            func fill(_ line: NSManagedObject, _ order: Int) throws {
                if isDictionary {
                    try line.populate(fromDictionary: ["number": 1, "order": order])
                } else {
                    try context.importJSON(Data(#"{"number": 1, "order": \#(order)}"#.utf8), into: line)
                }
            }
            let line = NSEntityDescription.insertNewObject(forEntityName: "Line", into: context)
            let error = try #require(graftError { try fill(line, 1) })
            guard case .duplicateIdentity = error.problem else { throw error }
            #expect(line.object("order") == nil && line.number("number") == nil)
            // Under another owner it is another one, and itself it may fill again.
            for _ in 0..<2 {
                try fill(line, 2)
                try context.save()
            }
            #expect(line.object("order")?.number("id") == 2)
        }
        #expect(try world.count("Line") == 2 && world.count("Order") == 2)
    }

    @Test func `a sibling that can't be the same may have an identity, too`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity("Animal", info: ["identityAttributes": "id"], [.attribute("id", .integer64AttributeType)])
            sketch.entity("Cat", parent: "Animal", [])
            sketch.entity("Dog", parent: "Animal", [])
        }
        try world.take(#"{"id": 5}"#, "Dog")
        try world.stack.perform { context throws in
            let cat = NSEntityDescription.insertNewObject(forEntityName: "Cat", into: context)
            try context.importJSON(Data(#"{"id": 5}"#.utf8), into: cat)
            #expect(cat.number("id") == 5)
            try context.save()
            let other = NSEntityDescription.insertNewObject(forEntityName: "Cat", into: context)
            #expect(graftError { try context.importJSON(Data(#"{"id": 5}"#.utf8), into: other) } != nil)
        }
        #expect(try world.count("Cat") == 1 && world.count("Dog") == 1)
    }

    @Test func `an identifier made here finds the object again, saved or not`() throws {
        let world = try notes()
        let id = UUID()
        try world.stack.perform { context throws in
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(id, forKey: "id")
            note.setValue("mine", forKey: "text")
            let report = try context.importJSON(
                Data(#"{"id": "\#(id.uuidString.lowercased())", "version": 2}"#.utf8), entity: "Note")
            #expect(report["Note"].inserted == 0)
            #expect(note.number("version") == 2)
            try context.save()
        }
        let report = try world.take(#"{"id": "\#(id.uuidString)", "text": "theirs"}"#, "Note")
        #expect(report["Note"].updated == 1)
        #expect(try world.count("Note") == 1)
    }

    // MARK: Versions

    @Test func `an object of the same version or an older one is left alone`() throws {
        let world = try notes(["JSONVersionAttribute": "version"])
        try world.take(#"{"id": "\#(one)", "version": 5, "text": "five", "tags": ["a"]}"#, "Note")
        let same = try world.take(#"{"id": "\#(one)", "version": 5, "text": "other", "tags": []}"#, "Note")
        #expect(same["Note"].unchanged == 1)
        let older = try world.take(#"{"text": "four", "version": 4, "id": "\#(one)", "tags": ["b"]}"#, "Note")
        #expect(older["Note"].skipped == 1)
        #expect(try world.count("Tag") == 1)
        #expect(try world.values("text", of: "Note") == ["five"])
        #expect(try world.members("tags", "name", of: "Note", "text", "five") == ["a"])
        // Without a version nothing is known; with a later one it is.
        try world.take(#"{"id": "\#(one)", "text": "unknown"}"#, "Note")
        #expect(try world.values("text", of: "Note") == ["unknown"])
        try world.take(#"{"id": "\#(one)", "version": 6, "text": "six"}"#, "Note")
        #expect(try world.values("text", of: "Note") == ["six"])
    }

    @Test(arguments: [1, 2, 5000])
    func `of several versions of an object the highest counts, in batches of any size`(_ size: Int) throws {
        var world = try notes(["JSONVersionAttribute": "version"])
        world.options.batchSize = size
        let text = """
            [{"id": "\(one)", "version": 6, "text": "six", "tags": ["a"]},
             {"id": "\(one)", "version": 3, "text": "three", "tags": ["b"]},
             {"id": "\(one)", "version": 6, "text": "again"}]
            """
        for _ in 0..<2 {
            try world.take(text, "Note")
            #expect(try world.values("text", of: "Note") == ["six"])
            #expect(try world.members("tags", "name", of: "Note", "text", "six") == ["a"])
            #expect(try world.count("Tag") == 1)
        }
    }

    @Test func `what an older version takes from a list is taken from no other object`() throws {
        let world = try ImportWorld { sketch in
            sketch.entity(
                "A", info: ["identityAttributes": "id", "JSONVersionAttribute": "version"],
                [
                    .attribute("id"), .attribute("version", .integer32AttributeType),
                    .toMany("tags", "B", inverse: "owners").annotated(["JSONToManyPolicy": "delta"]),
                ])
            sketch.entity(
                "B", info: ["identityAttributes": "id"], [.attribute("id"), .toMany("owners", "A", inverse: "tags")])
        }
        try world.take(#"{"id": "2", "version": 1, "tags": ["d"]}"#, "A")
        let text = """
            [{"id": "1", "version": 6, "tags": ["a"]}, {"id": "1", "version": 3, "tags": {"remove": ["a"]}},
             {"id": "2", "version": 2, "tags": ["c"]}]
            """
        try world.take(text, "A")
        #expect(try world.members("tags", "id", of: "A", "id", "1") == ["a"])
        #expect(try world.members("tags", "id", of: "A", "id", "2") == ["c"])
    }

    @Test func `what is nested in an older version and has no identity isn't made`() throws {
        let world = try ImportWorld { sketch in
            sketch.entity(
                "A", info: ["identityAttributes": "id", "JSONVersionAttribute": "version"],
                [
                    .attribute("id"), .attribute("version", .integer32AttributeType),
                    .toMany("parts", "Part", inverse: "a"),
                ])
            sketch.entity(
                "Part", [.attribute("text"), .toOne("a", "A", inverse: "parts"), .toOne("inner", "Part")])
        }
        try world.take(#"{"id": "1", "version": 2, "parts": [{"text": "new"}]}"#, "A")
        let old = #"{"id": "1", "version": 1, "parts": [{"text": "old", "inner": {"text": "inner"}}]}"#
        #expect(try world.take(old, "A")["A"].skipped == 1)
        #expect(try world.values("text", of: "Part") == ["new"])
    }

    @Test func `a stub has no version, so that whatever comes fills it`() throws {
        let world = try ImportWorld { sketch in
            sketch.entity(
                "A", info: ["identityAttributes": "id", "JSONVersionAttribute": "updated"],
                [.attribute("id"), .attribute("updated", .dateAttributeType), .attribute("text"), .toOne("next", "A")])
        }
        try world.take(#"{"id": "1", "next": "2", "updated": "2024-01-01"}"#, "A")
        try world.take(#"{"id": "2", "text": "x", "updated": "2020-01-01"}"#, "A")
        #expect(try world.value("text", of: "A", "id", "2") == "x")
        #expect(try world.take(#"{"id": "2", "text": "y", "updated": "2019-12-31"}"#, "A")["A"].skipped == 1)
    }

    // MARK: Orphans

    private func three(_ info: [String: String]) throws -> ImportWorld {
        let world = try notes(info)
        try world.take(
            #"[{"id": "\#(one)", "text": "1"}, {"id": "\#(two)", "text": "2"}, {"id": "\#(three)", "text": "3", "isLocal": true}]"#,
            "Note")
        return world
    }

    @Test func `objects that the data doesn't mention stay, unless the policy says otherwise`() throws {
        let keep = try three([:])
        try keep.take(#"[{"id": "\#(one)"}]"#, "Note")
        #expect(try keep.count("Note") == 3)
        let delete = try three(["JSONOrphanPolicy": "delete"])
        let report = try delete.take(
            #"[{"id": "\#(one)"}, {"id": "44444444-4444-4444-4444-444444444444", "text": "4"}]"#, "Note")
        #expect(report["Note"].deleted == 2)
        #expect(try delete.values("text", of: "Note") == ["1", "4"])
    }

    @Test func `a predicate limits which objects may be orphans`() throws {
        let world = try three(["JSONOrphanPolicy": "delete", "JSONOrphanPredicate": "isLocal == nil OR isLocal == NO"])
        #expect(try world.take(#"[{"id": "\#(one)", "text": "1"}]"#, "Note")["Note"].deleted == 1)
        #expect(try world.values("text", of: "Note") == ["1", "3"])
        var wrong = try three([:])
        wrong.options.mapping["Note"].orphanPolicy = .delete
        wrong.options.mapping["Note"].orphanPredicate = "isLocal =="
        #expect(wrong.refuse(#"[{"id": "\#(one)"}]"#, "Note")?.description.contains("JSONOrphanPredicate") == true)
    }

    @Test(arguments: [
        (#"day != "2026-01-31""#, ["1", "2", "4"]), (#"day < "2026-02-01""#, ["1", "3"]),
        (#"key == "33333333-3333-3333-3333-333333333333""#, ["1", "2", "4"]),
        (#"SUBQUERY(notes, $n, $n.day == "2026-01-31").@count > 0"#, ["1", "2", "4"]),
        (#"NOT ("2026-01-31" BETWEEN {day, day})"#, ["1", "2", "4"]),
        (#""2026-01-31" IN {day, parent.day}"#, ["1", "3"]),
    ])
    func `a predicate for orphans compares texts as values of the attribute`(
        _ predicate: String, _ kept: [String]
    ) throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Note",
                info: [
                    "identityAttributes": "id", "JSONOrphanPolicy": "delete", "JSONOrphanPredicate": predicate,
                ],
                [
                    .attribute("id"), .attribute("day", .dateAttributeType), .attribute("key", .UUIDAttributeType),
                    .toMany("notes", "Note", inverse: "parent"), .toOne("parent", "Note", inverse: "notes"),
                ])
        }
        try world.take(
            #"""
            [{"id": "1"}, {"id": "2", "day": "2026-01-31", "key": "\#(two)"},
             {"id": "3", "day": "2026-02-01", "key": "\#(three)", "notes": [{"id": "4", "day": "2026-01-31"}]}]
            """#, "Note")
        try world.take(#"[{"id": "1"}]"#, "Note")
        #expect(try world.values("id", of: "Note") == kept)
    }

    @Test(arguments: ["dai == 1", "day == \"soon\"", "day CONTAINS \"2026\"", "day == $today"])
    func `a predicate for orphans that asks for what there isn't is an error of the model`(_ predicate: String) throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Note", info: ["identityAttributes": "id"], [.attribute("id"), .attribute("day", .dateAttributeType)])
        }
        world.options.mapping["Note"].orphanPolicy = .delete
        world.options.mapping["Note"].orphanPredicate = predicate
        let error = world.refuse(#"[{"id": "1"}]"#, "Note")?.description
        #expect(error?.contains("JSONOrphanPredicate") == true && error?.contains("Note") == true, "\(error ?? "")")
    }

    @Test func `a limit stops a mass deletion, and with it the import`() throws {
        let world = try three(["JSONOrphanPolicy": "delete", "JSONOrphanLimit": "1"])
        let error = try #require(world.refuse(#"[{"id": "\#(one)", "text": "changed"}]"#, "Note"))
        #expect(error.description.contains("2 of 3 objects would be deleted, and the limit is 1"))
        #expect(try world.values("text", of: "Note") == ["1", "2", "3"])
        try world.take(#"[{"id": "\#(one)", "text": "changed"}, {"id": "\#(two)"}]"#, "Note")
        #expect(try world.values("text", of: "Note") == ["2", "changed"])
    }

    @Test func `nothing is deleted after empty data or a failure, unless empty data is said to be all there is`() throws
    {
        var world = try three(["JSONOrphanPolicy": "delete"])
        for text in ["[]", "", "[null]"] {
            try world.take(text, "Note")
            #expect(try world.count("Note") == 3)
        }
        for text in [#"[{"id": "\#(one)"}"#, #"[{"id": "\#(one)"}, {"id": 5}]"#] {
            #expect(world.refuse(text, "Note") != nil)
            #expect(try world.count("Note") == 3)
        }
        // A record that is left out isn't a missing one.
        world.options.failurePolicy = .skip
        try world.take(#"[{"id": "\#(one)"}, {"id": "\#(two)", "version": "many"}]"#, "Note")
        #expect(try world.count("Note") == 3)
        world.options.failurePolicy = .fail
        world.options.deletesOrphansOfEmptyInput = true
        #expect(try world.take("[]", "Note")["Note"].deleted == 3)
        #expect(try world.count("Note") == 0)
    }

    @Test func `a dry run counts what would be deleted`() throws {
        var world = try three(["JSONOrphanPolicy": "delete"])
        world.options.isDryRun = true
        #expect(try world.take(#"[{"id": "\#(one)"}]"#, "Note")["Note"].deleted == 2)
        #expect(try world.count("Note") == 3)
    }

    @Test func `saved batches delete at the end, when all has been read`() throws {
        var world = try three(["JSONOrphanPolicy": "delete"])
        world.options.batchSize = 1
        world.options.savesEachBatch = true
        let text = #"[{"id": "44444444-4444-4444-4444-444444444444", "text": "4"}, {"id": "\#(two)", "text": "2"}]"#
        #expect(try world.take(text, "Note")["Note"].deleted == 2)
        #expect(try world.values("text", of: "Note") == ["2", "4"])
    }

    // Lesson 30 (RestKit#1908, #1585, #1669): what a deletion means was written down nowhere.
    @Test func `delete rules apply to orphans`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Order", info: ["identityAttributes": "id", "JSONOrphanPolicy": "delete"],
                [.attribute("id"), .toMany("lines", "Line", inverse: "order", rule: .cascadeDeleteRule)])
            sketch.entity("Line", [.attribute("text"), .toOne("order", "Order", inverse: "lines")])
        }
        try world.take(#"[{"id": "a", "lines": [{"text": "1"}]}, {"id": "b", "lines": [{"text": "2"}]}]"#, "Order")
        try world.take(#"[{"id": "b"}]"#, "Order")
        #expect(try world.values("text", of: "Line") == ["2"])
    }

    // MARK: Side by side

    @Test func `imports into one container at the same time don't double anything`() async throws {
        let world = try notes()
        let text =
            "["
            + (0..<200).map {
                #"{"id": "\#(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8($0))))", "tags": ["t\#($0 % 7)"]}"#
            }
            .joined(separator: ",") + "]"
        let container = world.stack.container
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await container.importJSON(from: [.data(Data(text.utf8))], entity: "Note")
                }
            }
            try await group.waitForAll()
        }
        #expect(try world.count("Note") == 200)
        #expect(try world.count("Tag") == 7)
    }
}
