// What a server may send: JSON, NDJSON, an archive of either encoding, a store, as its whole state or as an answer about some
// objects; and what a tracker can't take, as an answer or as its file, with an error that names the right way.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct TrackerDoorTests {
    /// What comes from the server.
    enum Form: CaseIterable {
        case json, lines, export, archiveInLines, archiveInBlocks
    }

    private static func sides() throws -> TwoSides {
        var sketch = ModelSketch()
        sketch.entity(
            "Hero", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .attribute("name"), .toOne("team", "Team", inverse: "heroes")])
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .toMany("heroes", "Hero", inverse: "team")])
        return try TwoSides(sketch.model()) { context in
            let team = context.add("Team", ["id": 7])
            for id in 1...3 { context.add("Hero", ["id": id, "name": "Hero \(id)", "team": team]) }
        }
    }

    /// Renames the first hero, deletes the third and adds a fourth.
    private static func change(_ context: NSManagedObjectContext) throws {
        try #require(try context.one("Hero", "id", 1)).setValue("Changed", forKey: "name")
        context.delete(try #require(try context.one("Hero", "id", 3)))
        context.add("Hero", ["id": 4, "name": "New", "team": try #require(try context.one("Team", "id", 7))])
        try context.save()
    }

    private static func bytes(_ form: Form, of server: TestStack) throws -> Data {
        switch form {
        case .archiveInLines: return try server.archive(.json)
        case .archiveInBlocks: return try server.archive(.binary)
        case .export: return try server.perform { try $0.exportJSON() }
        case .json, .lines:
            var options = ExportOptions()
            options.format = form == .lines ? .ndjson : .json
            options.relationshipForm = .identifier
            return try server.perform {
                try $0.exportJSON(NSFetchRequest<NSManagedObject>(entityName: "Hero"), options: options)
            }
        }
    }

    private func heroes(_ context: NSManagedObjectContext) throws -> [String] {
        try context.all("Hero", by: "id").map {
            "\($0.number("id") ?? -1) \($0.text("name") ?? "-") \($0.object("team")?.number("id") ?? -1)"
        }
    }

    @Test(arguments: Form.allCases, [true, false])
    func `the server's state comes in any form, and is what the client has then`(
        _ form: Form, _ isWhole: Bool
    ) throws {
        let sides = try Self.sides()
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try sides.server.perform(Self.change)
            let entity = [.json, .lines].contains(form) ? "Hero" : nil
            try tracker.receive(json: Self.bytes(form, of: sides.server), entity: entity, isWhole: isWhole)
            // What an answer about some objects doesn't mention stays; an archive has the team's list, in which it isn't.
            let listsMembers = [.archiveInLines, .archiveInBlocks].contains(form)
            let third = isWhole ? [] : [listsMembers ? "3 Hero 3 -1" : "3 Hero 3 7"]
            #expect(try heroes(context) == ["1 Changed 7", "2 Hero 2 7"] + third + ["4 New 7"])
            #expect(try tracker.pendingChange().isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `what an answer leaves out is the default, however often it comes`(_ isWhole: Bool) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Hero", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .attribute("motto", isOptional: false, default: "Onward"), .attribute("home", default: "Ur"),
            ])
        let sides = try TwoSides(sketch.model()) { _ in }
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            for name in ["Ann", "Ann", "Bea"] {
                let text = Data("[{\"id\": 1, \"name\": \"\(name)\"}]".utf8)
                try tracker.receive(json: text, entity: "Hero", isWhole: isWhole)
                let hero = try #require(try context.one("Hero", "id", 1))
                #expect(["name", "motto", "home"].map { hero.text($0) } == [name, "Onward", "Ur"])
                #expect(try tracker.pendingChange().isEmpty)
            }
        }
    }

    @Test func `an answer in lines tells of single objects`() throws {
        let sides = try Self.sides()
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            let lines = "{\"id\": 2, \"name\": \"Two\"}\n{\"id\": 9, \"name\": \"Nine\", \"team\": 7}\n"
            let diff = try tracker.receive(json: Data(lines.utf8), entity: "Hero", isWhole: false)
            #expect(diff.changed.count == 2 && diff.inserted.count == 1 && diff.deleted.isEmpty, "\(diff)")
            #expect(try heroes(context) == ["1 Hero 1 7", "2 Two 7", "3 Hero 3 7", "9 Nine 7"])
        }
    }

    @Test func `a store is read as a snapshot, and taken as the server's whole state`() throws {
        let sides = try Self.sides()
        let server = try TestStack(sides.server.container.managedObjectModel, .sqlite)
        try server.restore(sides.server.archive())
        try server.perform(Self.change)
        let store = try #require(server.container.persistentStoreCoordinator.persistentStores.first?.url)
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            let model = sides.client.container.managedObjectModel
            try tracker.receive(GraphSnapshot(reading: .file(store), model: model))
            #expect(try heroes(context) == ["1 Changed 7", "2 Hero 2 7", "4 New 7"])
            #expect(try tracker.pendingChange().isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `what is no state of a server is refused, and nothing changes`(_ isWhole: Bool) throws {
        let sides = try Self.sides()
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            let file = try Data(contentsOf: sides.file)
            let store = try #require(sides.client.container.persistentStoreCoordinator.persistentStores.first?.url)
            let refused: [(Data, String)] = [
                (try Data(contentsOf: store), "ImportSource.file(_:)"), (file, "GraphTracker(file:context:)"),
                (Data(#"[{"op": "remove", "path": "/1"}]"#.utf8), "apply(_:)"), (Data([0, 1, 2, 0xFF]), "Name JSON"),
                // A download that failed says nothing of what the server has.
                (Data(), "JSON says so: []"), (Data(" \n".utf8), "JSON says so: []"),
            ]
            for (bytes, words) in refused {
                let error = try #require(
                    graftError { try tracker.receive(json: bytes, entity: "Hero", isWhole: isWhole) }, "\(words)")
                #expect(error.description.contains(words), "\(error)")
            }
            #expect(try heroes(context).count == 3 && tracker.pendingChange().isEmpty)
            #expect(try Data(contentsOf: sides.file) == file)
        }
    }

    @Test func `a child context is refused, because saving it saves nothing in the store`() throws {
        let sides = try Self.sides()
        try sides.client.perform { context in
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = context
            let error: GraftError? = child.performAndWait {
                graftError { _ = try GraphTracker(file: sides.file, context: child) }
            }
            #expect(error?.description.contains("has a parent") ?? false, "\(error?.description ?? "no error")")
            #expect(!FileManager.default.fileExists(atPath: sides.file.path))
        }
    }

    @Test func `a server that has nothing says so with an empty list`() throws {
        let sides = try Self.sides()
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try tracker.receive(json: Data("[]".utf8), entity: "Hero", isWhole: false)
            #expect(try heroes(context).count == 3)
            try tracker.receive(json: Data("[]".utf8), entity: "Hero", isWhole: true)
            #expect(try heroes(context).isEmpty && tracker.pendingChange().isEmpty)
        }
    }

    @Test func `a file that isn't a tracker's is refused as one, and stays as it is`() throws {
        let sides = try Self.sides()
        let store = try TestStack(sides.client.container.managedObjectModel, .sqlite)
        let url = try #require(store.container.persistentStoreCoordinator.persistentStores.first?.url)
        let others: [(Data, String)] = [
            (try Data(contentsOf: url), "graft export"),
            (try Self.bytes(.lines, of: sides.server), "Check that the path is right"),
            (try Self.bytes(.archiveInBlocks, of: sides.server), "restore(_:)"),
        ]
        for (bytes, words) in others {
            try bytes.write(to: sides.file)
            try sides.client.perform { context in
                let error = graftError { _ = try GraphTracker(file: sides.file, context: context) }
                #expect(error?.description.contains(words) ?? false, "\(words): \(error?.description ?? "no error")")
                #expect(error?.place.source == sides.file.path)
            }
            #expect(try Data(contentsOf: sides.file) == bytes)
        }
    }
}
