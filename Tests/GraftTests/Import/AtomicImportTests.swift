// All or nothing: an import that fails leaves the context, and the store, as they were.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct AtomicImportTests {
    private let broken = """
        [{"id": 1, "name": "Changed", "publisher": {"id": 10, "name": "New"}, "powers": [{"id": 5, "name": "Five"}, 4]},
         {"id": 7, "name": "Seven", "powers": [9]},
         {"id": 8, "name": ["no", "text"]}]
        """

    /// Publisher 10 with characters 1 and 2, powers 4 and 9, saved.
    private func filledStack() throws -> TestStack {
        let stack = try TestStack(ComicModel.make(nameIsOptional: false), .sqlite)
        try stack.importJSON(
            """
            [{"id": 1, "name": "One", "publisher": {"id": 10, "name": "Old"}, "powers": [{"id": 4, "name": "Four"}]},
             {"id": 2, "name": "Two", "publisher": 10, "powers": [{"id": 9, "name": "Nine"}]}]
            """, "Character")
        return stack
    }

    /// What a context says of everything: values, relationships, and which objects have changes.
    private func describe(_ context: NSManagedObjectContext) throws -> [String] {
        context.processPendingChanges()
        var lines: [String] = []
        for entity in ["Character", "Power", "Publisher"] {
            for object in try context.all(entity) {
                var parts = ["\(entity) \(object.number("identifier") ?? -1) \(object.text("name") ?? "-")"]
                parts.append(object.isInserted ? "inserted" : object.isUpdated ? "updated" : "clean")
                parts += object.changedValues().keys.sorted()
                if entity == "Character" {
                    parts.append(object.object("publisher")?.text("name") ?? "-")
                    parts += object.texts("powers", "name")
                } else {
                    parts += object.texts("characters", "name")
                }
                lines.append(parts.joined(separator: " "))
            }
        }
        return lines.sorted() + ["deleted \(context.deletedObjects.count)"]
    }

    private func expectUntouched(_ context: NSManagedObjectContext, _ text: String) throws {
        let before = try describe(context)
        #expect(graftError { try context.importJSON(Data(text.utf8), entity: "Character") } != nil)
        let after = try describe(context)
        #expect(after == before)
        context.checkInvariants()
    }

    @Test func `a context without changes has none after a failed import`() throws {
        let stack = try filledStack()
        try stack.perform { context throws in
            try expectUntouched(context, broken)
            #expect(!context.hasChanges)
        }
        #expect(try stack.count("Character") == 2)
    }

    @Test func `unsaved changes of the user survive a failed import, and nothing else does`() throws {
        let stack = try filledStack()
        try stack.perform { context throws in
            let one = try #require(try context.one("Character", "identifier", 1))
            one.setValue("Unsaved", forKey: "name")
            let power = NSEntityDescription.insertNewObject(forEntityName: "Power", into: context)
            power.setValue(5, forKey: "identifier")
            power.setValue("Mine", forKey: "name")
            let two = try #require(try context.one("Character", "identifier", 2))
            two.setValue(NSSet(array: [power]), forKey: "powers")
            let extra = NSEntityDescription.insertNewObject(forEntityName: "Character", into: context)
            extra.setValue("Extra", forKey: "name")
            extra.setValue(one.object("publisher"), forKey: "publisher")
            context.delete(try #require(try context.one("Power", "identifier", 9)))

            try expectUntouched(context, broken)
            // The error of the last batch takes back the ones before it.
            var options = ImportOptions()
            options.batchSize = 1
            let before = try describe(context)
            #expect(
                graftError { try context.importJSON(Data(broken.utf8), entity: "Character", options: options) } != nil)
            #expect(try describe(context) == before)
            try context.save()
        }
        try stack.perform { context throws in
            #expect(try context.one("Character", "identifier", 1)?.text("name") == "Unsaved")
            #expect(try context.one("Character", "identifier", 2)?.texts("powers", "name") == ["Mine"])
            #expect(try context.all("Character").count == 3)
        }
    }

    @Test func `a value that the model's rules refuse takes the import back`() throws {
        let stack = try filledStack()
        try stack.perform { context throws in
            let text = #"[{"id": 3, "name": "Three"}, {"id": 4, "powers": [4]}]"#
            let error = try #require(graftError { try context.importJSON(Data(text.utf8), entity: "Character") })
            guard case .validation(1570, _) = error.problem else {
                Issue.record("\(error)")
                return
            }
            #expect(error.place.entity == "Character")
            #expect(error.place.property == "name")
            #expect(error.place.path == [.index(1)])
            #expect(!context.hasChanges)
            // Null clears a mandatory value, which the rules refuse as well.
            let null = #"[{"id": 1, "name": null}]"#
            #expect(graftError { try context.importJSON(Data(null.utf8), entity: "Character") } != nil)
            #expect(!context.hasChanges)
        }
        let error = graftError { try stack.importJSON(#"[{"id": 3, "name": "Three"}, {"id": 4}]"#, "Character") }
        #expect(error?.place.path == [.index(1)])
        #expect(try stack.count("Character") == 2)
    }

    @Test func `rules aren't asked of what an import has made and gives up again`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Owner", info: ["identityAttributes": "id"],
                [.attribute("id"), .toMany("notes", "Note", inverse: "owner", rule: .cascadeDeleteRule)])
            sketch.entity(
                "Note",
                [
                    .attribute("text"), .toOne("owner", "Owner", inverse: "notes", isOptional: false),
                    .toMany("parts", "Part", inverse: "note", rule: .cascadeDeleteRule),
                ])
            // What it owns goes with it.
            sketch.entity(
                "Part",
                [.attribute("name", isOptional: false), .toOne("note", "Note", inverse: "parts", isOptional: false)])
        }
        let text =
            #"[{"id": "1", "notes": [{"text": "a", "parts": [{"name": null}]}]}, {"id": "1", "notes": [{"text": "b"}]}]"#
        try world.stack.perform { context throws in
            try context.importJSON(Data(text.utf8), entity: "Owner")
            try context.save()
        }
        #expect(try world.values("text", of: "Note") == ["b"] && world.count("Part") == 0)
    }

    @Test func `saved batches begin only when all of the input has been read`() throws {
        let stack = try filledStack()
        var options = ImportOptions()
        options.batchSize = 1
        options.savesEachBatch = true
        let error = try #require(graftError { try stack.importJSON(broken, "Character", options: options) })
        #expect(error.place.path == [.index(2), .key("name")])
        #expect(try stack.count("Character") == 2)

        // What only the model's rules refuse comes later: the batches before it stay, and the error says so.
        let text = #"[{"id": 3, "name": "Three"}, {"id": 4}]"#
        let refused = try #require(graftError { try stack.importJSON(text, "Character", options: options) })
        #expect(refused.description.contains("1 batch before it had been saved"))
        #expect(refused.place.path == [.index(1)])
        #expect(try stack.count("Character") == 3)
    }

    @Test func `a dry run reports and keeps nothing`() throws {
        let stack = try filledStack()
        var options = ImportOptions()
        options.isDryRun = true
        let text =
            #"[{"id": 1, "name": "Changed"}, {"id": 3, "name": "Three", "powers": [4, 77]}, {"id": 2, "name": "Two"}]"#
        let report = try stack.importJSON(text, "Character", options: options)
        #expect(report.isDryRun)
        #expect(report["Character"].inserted == 1)
        #expect(report["Character"].updated == 1)
        #expect(report["Character"].unchanged == 1)
        #expect(report["Power"].stubs == 1)
        #expect(try stack.count("Character") == 2)
        try stack.perform { context throws in
            let inContext = try context.importJSON(Data(text.utf8), entity: "Character", options: options)
            #expect(inContext.entities == report.entities)
            #expect(!context.hasChanges)
        }
    }

    @Test func `a cancelled import changes nothing`() throws {
        let stack = try filledStack()
        let progress = Progress(totalUnitCount: 0)
        progress.cancel()
        let error = graftError {
            try stack.container.importJSON(
                from: [.data(Data(#"[{"id": 3, "name": "Three"}]"#.utf8))], entity: "Character", progress: progress)
        }
        #expect(error?.problem == .cancelled)
        #expect(try stack.count("Character") == 2)
    }

    @Test func `progress counts bytes and ends complete`() async throws {
        let stack = try filledStack()
        let progress = Progress(totalUnitCount: 0)
        let data = Data(ComicModel.batman.utf8)
        let report = try await stack.container.importJSON(from: [.data(data)], entity: "Character", progress: progress)
        #expect(report["Character"].inserted == 1)
        #expect(progress.totalUnitCount == Int64(data.count))
        #expect(progress.completedUnitCount == progress.totalUnitCount)
    }
}
