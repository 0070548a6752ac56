// What an owner gives up and the data has elsewhere: it isn't deleted, through each door.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

final class PinningTeam: NSManagedObject, ManagedCodable {}

@Suite struct ReferredOrphanTests {
    enum Door: CaseIterable {
        case batch, batches, savedBatches, replacing, deleting, decoding

        func take(_ text: String, into stack: TestStack) throws {
            var options = ImportOptions()
            options.batchSize = self == .batch ? 100 : 1
            options.savesEachBatch = self == .savedBatches
            var populating = PopulateOptions()
            populating.membersPolicy = self == .replacing ? .replace : .replaceAndDelete
            switch self {
            case .batch, .batches, .savedBatches: try stack.importJSON(text, "Team", options: options)
            case .replacing, .deleting:
                try stack.perform { context throws in
                    try context.populateObjects(
                        fromDictionaryData: Data(text.utf8), entity: "Team", options: populating)
                    try context.save()
                }
            case .decoding:
                try stack.perform { context throws in
                    _ = try context.decode([PinningTeam].self, from: Data(text.utf8), with: JSONDecoder())
                    try context.save()
                }
            }
        }
    }

    private func stack() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType),
                .toMany("notes", "Note", inverse: "team", rule: .cascadeDeleteRule, isOrdered: true),
                .toOne("pinned", "Note", inverse: "pinnedBy"), .toOne("free", "Note"),
            ])
        sketch.entity(
            "Note",
            [
                .attribute("text"), .toOne("team", "Team", inverse: "notes"),
                .toMany("pinnedBy", "Team", inverse: "pinned"), .toOne("next", "Note", inverse: "previous"),
                .toOne("previous", "Note", inverse: "next"),
            ])
        let model = sketch.model()
        model.entitiesByName["Team"]?.managedObjectClassName = NSStringFromClass(PinningTeam.self)
        return try TestStack(model, .sqlite)
    }

    private func text(_ key: String, _ stack: TestStack) throws -> String? {
        try stack.perform { context throws in
            context.checkInvariants()
            return try context.one("Team", "id", 2)?.object(key)?.text("text")
        }
    }

    @Test(arguments: Door.allCases, ["pinned", "free"])
    func `what an owner gives up and another object has stays`(_ door: Door, _ key: String) throws {
        let stack = try stack()
        let graph = #"{"Team": [{"id": 1, "notes": [{"$id": 1, "text": "a"}]}, {"id": 2, "KEY": {"$ref": 1}}]}"#
        try stack.importJSON(graph.replacingOccurrences(of: "KEY", with: key))
        for order in [#"[{"id": 2, "KEY": {"text": "a"}}, {"id": 1, "notes": []}]"#, #"[{"id": 1, "notes": []}]"#] {
            try door.take(order.replacingOccurrences(of: "KEY", with: key), into: stack)
            #expect(try text(key, stack) == "a")
            #expect(try stack.count("Note") == 1)
        }
    }

    @Test(arguments: [1, 100])
    func `contradictory data is taken as it is said last, and again changes nothing`(_ size: Int) throws {
        let stack = try stack()
        var options = ImportOptions()
        options.batchSize = size
        let text = """
            {"Team": [{"id": 1, "notes": [{"$id": 1, "text": "a"}]}, {"id": 2, "free": {"$ref": 1}},
                      {"id": 1, "notes": [{"text": "b"}]}]}
            """
        #expect(try stack.importJSON(text, options: options).total.deleted == 0)
        #expect(try !stack.importJSON(text, options: options).hasChanges)
        #expect(try self.text("free", stack) == "a")
    }

    @Test func `a link that the data takes back keeps nobody, whichever batch says so`() throws {
        for size in [1, 100] {
            let stack = try stack()
            var options = ImportOptions()
            (options.batchSize, options.savesEachBatch) = (size, size == 1)
            try stack.importJSON(
                #"{"Team": [{"id": 1, "notes": [{"$id": 1, "text": "a"}]}, {"id": 2, "free": {"$ref": 1}}]}"#)
            let report = try stack.importJSON(
                #"[{"id": 2, "free": {"text": "a"}}, {"id": 1, "notes": []}, {"id": 2, "free": null}]"#, "Team",
                options: options)
            #expect(report.total.deleted == 1)
            #expect(try stack.count("Note") == 0)
        }
    }

    @Test(arguments: [
        #"{"Team": [{"id": 1, "notes": []}], "Note": [{"text": "a"}]}"#,
        #"{"Note": [{"text": "a"}], "Team": [{"id": 1, "notes": []}]}"#,
    ])
    func `what an owner gives up stays where the data has a record about it`(_ text: String) throws {
        for (size, savesEachBatch) in [(100, false), (1, false), (1, true)] {
            let stack = try stack()
            var options = ImportOptions()
            (options.batchSize, options.savesEachBatch) = (size, savesEachBatch)
            try stack.importJSON(#"[{"id": 1, "notes": [{"text": "a"}, {"text": "b"}]}]"#, "Team")
            try stack.importJSON(text, options: options)
            #expect(try stack.perform { try $0.all("Note").map { $0.text("text") } } == ["a"])
            #expect(try !stack.importJSON(text, options: options).hasChanges)
        }
    }

    @Test func `objects that an owner gives up don't keep each other`() throws {
        let stack = try stack()
        try stack.importJSON(
            """
            {"Team": [{"id": 1, "notes": [{"$id": 1, "text": "a", "next": {"$ref": 2}}, {"$id": 2, "text": "b"}]},
                      {"id": 1, "notes": []}]}
            """)
        #expect(try stack.count("Note") == 0)
        try stack.importJSON(
            """
            {"Team": [{"id": 1, "notes": [{"$id": 1, "text": "a", "next": {"$ref": 2}}, {"$id": 2, "text": "b"}]},
                      {"id": 1, "notes": []}, {"id": 2, "pinned": {"$ref": 1}}]}
            """)
        #expect(try stack.count("Note") == 2)
    }

    @Test func `what nothing in the data leads to is deleted, as before`() throws {
        let stack = try stack()
        try stack.importJSON(#"[{"id": 1, "notes": [{"text": "a"}, {"text": "b"}]}]"#, "Team")
        #expect(try stack.importJSON(#"[{"id": 1, "notes": [{"text": "b"}]}]"#, "Team").total.deleted == 1)
    }
}
