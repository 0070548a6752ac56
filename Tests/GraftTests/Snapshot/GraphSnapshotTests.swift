// Snapshots as values: made without a context, looked at, encoded, and imported.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct GraphSnapshotTests {
    private func snapshot(_ text: String, _ model: NSManagedObjectModel = ComicModel.make()) throws -> GraphSnapshot {
        try GraphSnapshot(json: Data(text.utf8), entity: "Character", model: model)
    }

    private let text = """
        [{"id": 1, "name": null, "powers": [{"id": 4, "name": "x"}, 5], "publisher": {"id": 10}},
         {"id": 2, "powers": [5, 4]}, {"id": 1, "real_name": "R"}]
        """

    @Test func `rows are found by entity, by identity and through each other`() throws {
        let snapshot = try snapshot(text)
        #expect(snapshot.entityNames == ["Character", "Power", "Publisher"])
        #expect(snapshot.rows(of: "Power").map { $0["identifier"] } == [.integer(4), .integer(5)])
        let one = try #require(snapshot.row(of: "Character", identity: [.integer(1)]))
        #expect(one["name"] == .null)
        #expect(one["realName"] == .string("R"))
        #expect(one["secret"] == nil)
        #expect(one.has("name") && !one.has("secret"))
        #expect(one.destination(of: "publisher")?["identifier"] == .integer(10))
        #expect(one.members(of: "powers")?.map { $0["identifier"] } == [.integer(4), .integer(5)])
        #expect(
            snapshot.rootRows.map(\.reference) == [
                one.reference, snapshot.rows(of: "Character")[1].reference, one.reference,
            ])
        #expect(snapshot.row(of: "Character", identity: [.integer(3)]) == nil)
        #expect(snapshot.row(of: "Character", identity: [.integer(10)]) == nil)
        #expect(snapshot.rows(of: "Nothing").isEmpty)
    }

    @Test func `a snapshot crosses threads and coders unchanged`() async throws {
        let snapshot = try snapshot(text)
        let data = try await Task.detached { try JSONEncoder().encode(snapshot) }.value
        let copy = try JSONDecoder().decode(GraphSnapshot.self, from: data)
        #expect(try JSONEncoder().encode(copy).count == data.count)
        #expect(copy.row(of: "Power", identity: [.integer(4)])?["name"] == .string("x"))
        #expect(copy.rootRows.count == 3)
        let stack = try TestStack(ComicModel.make())
        try stack.perform { context throws in
            let report = try context.importSnapshot(copy)
            #expect(report["Character"].inserted == 2)
            #expect(report["Power"].stubs == 1)
            #expect(report.recordCount == 3)
            let again = try context.importJSON(Data(text.utf8), entity: "Character")
            #expect(!again.hasChanges)
        }
    }

    /// Two stores: one has two albums with one tag and one photo, which nothing identifies; the other one has the first album already.
    private func imported(
        over stored: [String: Any], _ entity: String, _ check: (NSManagedObjectContext, ImportReport) throws -> Void
    ) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Album", info: ["identityAttributes": "id", "JSONVersionAttribute": "v"],
            [
                .attribute("id", .integer32AttributeType), .attribute("v", .integer32AttributeType),
                .toMany("tags", "Tag", inverse: "albums"),
            ])
        sketch.entity("Live", parent: "Album", [.toMany("photos", "Photo", inverse: "shows")])
        sketch.entity("Tag", [.attribute("name"), .toMany("albums", "Album", inverse: "tags")])
        sketch.entity("Photo", [.attribute("name"), .toMany("shows", "Live", inverse: "photos")])
        let model = sketch.model()
        let (source, target) = (try TestStack(model), try TestStack(model))
        let snapshot = try source.perform { context throws in
            let shared = ["Tag", "Photo"].map {
                NSEntityDescription.insertNewObject(forEntityName: $0, into: context)
            }
            for end in shared { end.setValue("shared", forKey: "name") }
            let albums = [1, 2].map { id in
                let album = NSEntityDescription.insertNewObject(forEntityName: "Live", into: context)
                album.setValuesForKeys(["id": id, "v": 3, "tags": Set([shared[0]]), "photos": Set([shared[1]])])
                return album
            }
            try context.save()
            return try GraphSnapshot(of: albums)
        }
        try target.perform { context throws in
            NSEntityDescription.insertNewObject(forEntityName: entity, into: context).setValuesForKeys(stored)
            try context.save()
            try check(context, try context.importSnapshot(snapshot))
        }
    }

    @Test func `what an outdated object shares with another one is that one's`() throws {
        try imported(over: ["id": 1, "v": 5], "Live") { context, report in
            #expect(report["Live"].skipped == 1 && report["Tag"].inserted == 1 && report["Photo"].inserted == 1)
            for name in ["tags", "photos"] {
                let counts = try context.all("Album", by: "id").map { ($0.value(forKey: name) as? NSSet)?.count }
                #expect(counts == [0, 1], "\(name)")
            }
        }
    }

    @Test func `what an object of a super-entity can't have is that of another one that can`() throws {
        try imported(over: ["id": 1, "v": 1], "Album") { context, report in
            #expect(report["Tag"].inserted == 1 && report["Photo"].inserted == 1)
            let albums = try context.all("Album", by: "id")
            #expect(albums.map { ($0.value(forKey: "tags") as? NSSet)?.count } == [1, 1])
            #expect((albums[1].value(forKey: "photos") as? NSSet)?.count == 1)
        }
    }

    @Test(arguments: 0..<10)
    func `any archive survives as a snapshot in a coder`(_ seed: Int) throws {
        var graph = RandomGraph(seed: seed)
        let stack = try TestStack(graph.model)
        let archive = try stack.perform { context throws in
            graph.fill(context, count: 30)
            try context.save()
            return try context.exportJSON()
        }
        let snapshot = try GraphSnapshot(json: archive, model: graph.model)
        let copy = try JSONDecoder().decode(GraphSnapshot.self, from: JSONEncoder().encode(snapshot))
        let second = try TestStack(graph.model)
        let again = try second.perform { context throws in
            try context.importSnapshot(copy)
            try context.save()
            return try context.exportJSON()
        }
        #expect(archive == again)
    }

    @Test func `damaged snapshots are refused`() throws {
        let good = String(decoding: try JSONEncoder().encode(try snapshot(text)), as: UTF8.self)
        for (part, other) in [
            (#""version":1"#, #""version":2"#), (#""flags":[1,1]"#, #""flags":[1]"#),
            (#""roots":["#, #""roots":[99999,"#),
            (#"{"integer":4}"#, #"{"string":"4"}"#), (#""identity":[0]"#, #""identity":[77]"#),
        ] {
            let bad = good.replacingOccurrences(of: part, with: other)
            #expect(bad != good, "\(part)")
            #expect(throws: DecodingError.self, "\(part)") {
                try JSONDecoder().decode(GraphSnapshot.self, from: Data(bad.utf8))
            }
        }
    }

    @Test func `a snapshot of another model isn't imported`() throws {
        var sketch = ModelSketch()
        sketch.entity("Character", [.attribute("name")])
        let stack = try TestStack(sketch.model())
        let snapshot = try snapshot(text)
        try stack.perform { context throws in
            let error = graftError { try context.importSnapshot(snapshot) }
            #expect(error?.problem == .modelMismatch(reason: "the snapshot was made with another model"))
        }
    }
}
