// Restoring into stores that have something already, or another model.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ArchiveRestoreTests {
    private func comics(_ kind: StoreKind = .sqlite) throws -> TestStack {
        let stack = try TestStack(ComicModel.make(), kind)
        try stack.importJSON(ComicModel.batman, "Character")
        return stack
    }

    @Test(arguments: GraphArchive.Encoding.allCases, StoreKind.allCases)
    func `objects that the store has by identity are updated, not made again`(
        _ encoding: GraphArchive.Encoding, _ kind: StoreKind
    ) throws {
        let archive = try comics().archive(encoding)
        let stack = try TestStack(ComicModel.make(), kind)
        try stack.fill { context in
            let other = context.add("Publisher", ["identifier": 11, "name": "Marvel"])
            context.add("Publisher", ["identifier": 10, "name": "Detective Comics"])
            let power = context.add("Power", ["identifier": 5, "name": "Flight"])
            context.add(
                "Character",
                [
                    "identifier": 1699, "name": "Bat-Man", "secret": "s", "publisher": other,
                    "powers": NSSet(object: power),
                ])
            context.add("Character", ["identifier": 1, "name": "Other", "publisher": other])
        }
        let report = try stack.restore(archive)
        #expect(report["Character"].updated == 1 && report["Character"].inserted == 0)
        #expect(report["Publisher"].updated == 1 && report["Power"].inserted == 2)
        try stack.perform { context in
            let batman = try #require(try context.one("Character", "identifier", 1699))
            #expect(batman.text("name") == "Batman" && batman.text("secret") == nil)
            #expect(batman.object("publisher")?.text("name") == "DC Comics")
            #expect(batman.texts("powers", "name") == ["Agility", "Insanely Rich"])
            // What the archive doesn't have stays as it was.
            let other = try #require(try context.one("Character", "identifier", 1))
            #expect(other.object("publisher")?.text("name") == "Marvel")
            #expect(try context.all("Publisher").count == 2 && context.all("Power").count == 3)
        }
        let again = try stack.restore(archive)
        #expect(again.total.unchanged == 4 && !again.hasChanges)
    }

    @Test(arguments: [true, false])
    func `objects that share a unique value are named when a store is restored`(_ isIntoNewOne: Bool) throws {
        var sketch = ModelSketch()
        sketch.entity("Person", unique: [["email"]], [.attribute("email"), .attribute("name")])
        let (original, stack) = (try TestStack(sketch.model(), .sqlite), try TestStack(sketch.model(), .sqlite))
        try original.fill { context in
            for name in ["a", "b"] { context.add("Person", ["email": "\(name)@x", "name": name]) }
        }
        let url = try #require(original.container.persistentStoreCoordinator.persistentStores[0].url)
        try StoreSQL.run("DROP INDEX Z_Person_UNIQUE_email; UPDATE ZPERSON SET ZEMAIL = 'a@x'", at: url)
        if !isIntoNewOne { try stack.fill { $0.add("Person", ["email": "c@x"]) } }
        let error = try #require(graftError { try stack.restore(original.archive()) })
        #expect(error.problem == .duplicateIdentity(#""a@x""#))
        #expect(error.place.entity == "Person" && error.place.property == "email")
        #expect(try stack.count("Person") == (isIntoNewOne ? 0 : 1))
    }

    @Test func `objects without identity are found by their contents, each once`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Owner", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .toMany("notes", "Note", inverse: "owner"),
            ])
        sketch.entity("Note", [.attribute("text"), .toOne("owner", "Owner", inverse: "notes")])
        let stack = try TestStack(sketch.model(), .sqlite)
        try stack.fill { context in
            for id in 0..<3 {
                let owner = context.add("Owner", ["id": id])
                for text in ["a", "a", "b"] { context.add("Note", ["text": text, "owner": owner]) }
            }
        }
        let archive = try stack.archive()
        #expect(try stack.restore(archive).total.unchanged == 12)
        #expect(try stack.count("Note") == 9)
        // One that is gone is made again, and only that one.
        try stack.fill { context in
            let note = try #require(try context.one("Note", "text", "a"))
            context.delete(note)
        }
        #expect(try stack.restore(archive)["Note"].inserted == 1)
        #expect(try stack.count("Note") == 9)
        let inserting = try stack.restore(archive) { $0.unidentifiedObjects = .insert }
        #expect(inserting["Note"].inserted == 9 && inserting["Owner"].unchanged == 3)
    }

    @Test func `an object that is of another entity in the store is an error`() throws {
        var sketch = ModelSketch()
        sketch.entity("Person", info: ["identityAttributes": "id"], [.attribute("id", .integer64AttributeType)])
        sketch.entity("Hero", parent: "Person", [])
        let model = sketch.model()
        let original = try TestStack(model)
        try original.fill { $0.add("Hero", ["id": 1]) }
        let stack = try TestStack(model)
        try stack.fill { $0.add("Person", ["id": 1]) }
        let error = try #require(graftError { try stack.restore(original.archive()) })
        #expect(
            error.description.contains("'Hero' in the archive") && error.description.contains("'Person' in the store"))
        #expect(try stack.count("Person") == 1)
    }

    @Test func `an identity that occurs twice comes back twice`() throws {
        let stack = try TestStack(ComicModel.make(), .sqlite)
        try stack.fill { context in
            for name in ["One", "Two"] {
                let publisher = context.add("Publisher", ["identifier": 7, "name": name])
                context.add("Character", ["identifier": 1, "name": "of \(name)", "publisher": publisher])
            }
        }
        for encoding in GraphArchive.Encoding.allCases {
            let archive = try stack.archive(encoding)
            #expect(try TestStack.restored(from: archive).labels() == stack.labels())
            #expect(try stack.restore(archive).total.inserted == 0)
            #expect(try stack.count("Publisher") == 2)
        }
    }

    // MARK: Models

    private func model(_ change: (inout [ModelSketch.Property]) -> Void) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        var properties: [ModelSketch.Property] = [
            .attribute("name"), .attribute("rank", .integer16AttributeType), .toOne("boss", "Agent"),
        ]
        change(&properties)
        sketch.entity("Agent", properties)
        return sketch.model()
    }

    private func agents() throws -> Data {
        let stack = try TestStack(model { _ in })
        try stack.fill { context in
            let m = context.add("Agent", ["name": "M", "rank": 1])
            context.add("Agent", ["name": "Bond", "rank": 7, "boss": m])
        }
        return try stack.archive()
    }

    @Test func `another model is refused with what is different`() throws {
        let stack = try TestStack(
            model { properties in
                properties[1] = .attribute("rank")
                properties[0] = .attribute("fullName")
            })
        let error = try #require(graftError { try stack.restore(agents()) })
        guard case .otherModel(let differences) = error.problem else {
            Issue.record("\(error)")
            return
        }
        #expect(
            differences == [
                "entity 'Agent' differs", "'Agent.name' isn't in the model",
                "'Agent.rank' is a String in the model and an Integer 16 in the archive",
            ])
        #expect(try stack.count("Agent") == 0)
    }

    @Test func `a model with more and wider properties is accepted when asked for`() throws {
        let stack = try TestStack(
            model { properties in
                properties[1] = .attribute("rank", .integer64AttributeType)
                properties.append(.attribute("added", default: "new"))
            })
        let archive = try agents()
        #expect(graftError { try stack.restore(archive) } != nil)
        try stack.restore(archive) { $0.fit = .compatible }
        try stack.perform { context in
            let bond = try #require(try context.one("Agent", "name", "Bond"))
            #expect(bond.number("rank") == 7 && bond.text("added") == "new" && bond.object("boss")?.text("name") == "M")
        }
    }

    @Test func `what the model has no place for is left out when asked for`() throws {
        let stack = try TestStack(
            model { properties in
                properties[1] = .attribute("rank")
                properties.removeLast()
            })
        let archive = try agents()
        #expect(graftError { try stack.restore(archive) { $0.fit = .compatible } } != nil)
        let report = try stack.restore(archive) { $0.fit = .partial }
        #expect(report.misfits.count == 2 && report.misfits.allSatisfy { $0.contains("'Agent.") }, "\(report)")
        try stack.perform { context throws in
            #expect(try context.all("Agent", by: "name").map { $0.text("name") } == ["Bond", "M"])
            #expect(try context.all("Agent").allSatisfy { $0.text("rank") == nil })
        }
    }

    @Test func `a whole entity can be left out, with the references to it`() throws {
        let archive = try comics().archive(.binary)
        var sketch = ModelSketch()
        sketch.entity(
            "Character", info: ["identityAttributes": "identifier"],
            [.attribute("identifier", .integer64AttributeType), .attribute("name")])
        let stack = try TestStack(sketch.model())
        #expect(try stack.restore(archive) { $0.fit = .partial }.total.inserted == 1)
    }

    // MARK: All or nothing

    @Test(.needsOurCoreData) func `what breaks the model's rules comes back, unless the rules are to be checked`()
        throws
    {
        let archive = try comics().archive()
        let stack = try TestStack(ComicModel.make(nameIsOptional: false), .sqlite)
        let original = try TestStack(ComicModel.make())
        try original.fill { $0.add("Character", ["identifier": 5]) }
        let broken = try original.archive()
        for isDryRun in [true, false] {
            let error = graftError {
                try stack.restore(broken) {
                    $0.fit = .compatible
                    $0.validates = true
                    $0.isDryRun = isDryRun
                }
            }
            #expect(error?.description.contains("name") ?? false, "\(error?.description ?? "none")")
            #expect(try stack.count("Character") == 0)
        }
        try stack.restore(archive) { $0.fit = .compatible }
        #expect(try stack.count("Character") == 1)
        for savesEachBatch in [false, true] {
            try stack.restore(broken) {
                $0.fit = .compatible
                $0.savesEachBatch = savesEachBatch
            }
        }
        #expect(try stack.count("Character") == 2)
        // Nobody else's save goes unchecked.
        try stack.perform { context in
            context.add("Character", ["identifier": 6])
            #expect(throws: (any Error).self) { try context.save() }
        }
    }

    @Test func `a context's other objects may be unfinished while an archive is restored`() throws {
        let archive = try comics().archive()
        let stack = try TestStack(ComicModel.make(nameIsOptional: false), .sqlite)
        try stack.perform { context in
            let unfinished = context.add("Character", ["identifier": 3])
            var options = GraphArchive.RestoringOptions()
            options.fit = .compatible
            try context.restore(GraphArchive(archive), options: options)
            #expect(context.insertedObjects.contains(unfinished) && context.insertedObjects.count == 5)
        }
    }

    @Test func `a dry run says what would be done and does nothing`() throws {
        let archive = try comics().archive()
        let stack = try TestStack(ComicModel.make(), .sqlite)
        let report = try stack.restore(archive) { $0.isDryRun = true }
        #expect(report.isDryRun && report.total.inserted == 4)
        #expect(try stack.count("Character") == 0)
        try stack.perform { context in
            var options = GraphArchive.RestoringOptions()
            options.isDryRun = true
            try context.restore(GraphArchive(archive), options: options)
            #expect(!context.hasChanges)
        }
    }

    @Test func `a cancelled restore changes nothing, and progress ends at the whole`() throws {
        let archive = try comics().archive(.binary)
        let stack = try TestStack(ComicModel.make(), .sqlite)
        let cancelled = Progress(totalUnitCount: 0)
        cancelled.cancel()
        let error = graftError { try stack.container.restore(GraphArchive(archive), progress: cancelled) }
        #expect(error?.problem == .cancelled)
        #expect(try stack.count("Character") == 0)
        let progress = Progress(totalUnitCount: 0)
        try stack.container.restore(GraphArchive(archive), progress: progress)
        #expect(progress.fractionCompleted == 1 && progress.totalUnitCount == Int64(archive.count))
        let writing = Progress(totalUnitCount: 0)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("graft-\(UUID().uuidString)")
        writing.cancel()
        #expect(graftError { try stack.container.writeArchive(to: .file(file), progress: writing) } != nil)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func `restoring without blocking gives the same`() async throws {
        let original = try comics()
        let archive = GraphArchive(try original.archive())
        let stack = try TestStack(ComicModel.make(), .sqlite)
        let report = try await stack.container.restore(archive)
        #expect(report.total.inserted == 4)
        #expect(try stack.labels() == original.labels())
    }
}
