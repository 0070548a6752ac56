// Data that contradicts itself and comes again: what one record takes, another one gives back, and in the end nothing has changed.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct UnchangedImportTests {
    private func world(_ kind: StoreKind) throws -> ImportWorld {
        try ImportWorld(kind) { sketch in
            sketch.entity(
                "Node", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType), .attribute("name"),
                    .toMany("kids", "Node", inverse: "dad"), .toOne("dad", "Node", inverse: "kids"),
                    .toMany("friends", "Node", inverse: "friendOf", isOrdered: true),
                    .toMany("friendOf", "Node", inverse: "friends"),
                    .toOne("partner", "Node", inverse: "partnerOf"), .toOne("partnerOf", "Node", inverse: "partner"),
                    .toMany("notes", "Note"),
                ])
            sketch.entity("Note", info: ["identityAttributes": "id"], [.attribute("id", .integer64AttributeType)])
        }
    }

    @Test(
        arguments: [
            #"[{"id": 1, "kids": [2]}, {"id": 3, "kids": [2]}]"#,
            #"[{"id": 1, "friends": [2, 4]}, {"id": 1, "friends": [4, 2]}]"#,
            #"[{"id": 1, "partner": 2}, {"id": 3, "partner": 2}]"#,
            #"[{"id": 1, "notes": [2]}, {"id": 3, "notes": [2]}]"#,
            #"[{"id": 1, "kids": [2]}, {"id": 2, "dad": 3}]"#,
        ], [StoreKind.sqlite, .inMemory])
    func `what is given back in the same batch is no change, and isn't saved`(_ text: String, _ kind: StoreKind) throws
    {
        let world = try world(kind)
        try world.take(text, "Node")
        let saves = SaveLog(world.stack.container.persistentStoreCoordinator)
        let report = try world.take(text, "Node")
        #expect(report["Node"].updated == 0)
        #expect(!report.hasChanges)
        #expect(saves.updatedCount == 0)
        // Nor does a context of one's own have anything to save.
        try world.stack.perform { context throws in
            let report = try context.importJSON(from: .data(Data(text.utf8)), entity: "Node")
            #expect(!report.hasChanges)
            #expect(!context.hasChanges)
        }
        let changed = try world.take(#"[{"id": 1, "name": "x"}]"#, "Node")
        #expect(changed["Node"].updated == 1)
    }

    /// Counts the objects that saves into a store have updated. Shared safely: imports wait for their saves.
    private final class SaveLog: @unchecked Sendable {
        private(set) var updatedCount = 0
        private var observer: (any NSObjectProtocol)?

        init(_ coordinator: NSPersistentStoreCoordinator) {
            observer = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
            ) { [weak self] notification in
                guard let context = notification.object as? NSManagedObjectContext,
                    context.persistentStoreCoordinator === coordinator
                else { return }
                self?.updatedCount += (notification.userInfo?[NSUpdatedObjectsKey] as? NSSet)?.count ?? 0
            }
        }

        deinit { observer.map(NotificationCenter.default.removeObserver) }
    }

    @Test(
        arguments: ["{}", #"{"name": null}"#, #"{"name": null, "rank": null}"#, #"{"id": null}"#],
        [StoreKind.sqlite, .inMemory])
    func `records that name no value are again what they have made, with the model's defaults`(
        _ record: String, _ kind: StoreKind
    ) throws {
        let world = try ImportWorld(kind) { sketch in
            sketch.entity(
                "Tag", info: ["identityAttributes": "id"],
                [
                    .attribute("id"), .attribute("name"), .attribute("rank", .integer32AttributeType, default: 7),
                    .toMany("notes", "Note", inverse: "tag", rule: .cascadeDeleteRule),
                ])
            sketch.entity(
                "Note",
                [
                    .attribute("name"), .attribute("rank", .integer32AttributeType, default: 7),
                    .toOne("tag", "Tag", inverse: "notes"),
                ])
        }
        for _ in 0..<3 {
            try world.take("[\(record), \(record)]", "Tag")
            try world.take(
                #"{"id": "t", "notes": [\#(record.replacingOccurrences(of: "\"id\"", with: "\"name\""))]}"#, "Tag")
            #expect(try world.count("Tag") == 3)
            #expect(try world.count("Note") == 1)
        }
    }
}
