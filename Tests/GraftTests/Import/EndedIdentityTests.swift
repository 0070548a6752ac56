// FINDING: an object that this import has made (or that was unsaved before it), and that the data says is gone, stays in the index of
// unsaved identities in front of the one that comes after it. Each later batch finds the gone one first, lets go of it, and makes one
// more object with the same identity.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct EndedIdentityTests {
    private func world() throws -> ImportWorld {
        try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Player", info: ["identityAttributes": "id", "JSONDeletedKey": "gone"],
                [.attribute("id"), .attribute("name"), .attribute("age", .integer32AttributeType)])
        }
    }

    @Test(arguments: [1, 2, 1000], [true, false])
    func `what comes after the end of what the import has made is one object, however many batches speak of it`(
        _ size: Int, _ savesEachBatch: Bool
    ) throws {
        var world = try world()
        (world.options.batchSize, world.options.savesEachBatch) = (size, savesEachBatch)
        try world.take(
            """
            [{"id": "a", "name": "Old"}, {"id": "a", "gone": true}, {"id": "a", "name": "New"}, {"id": "a", "age": 5},
             {"id": "b"}, {"id": "a", "age": 6}]
            """, "Player")
        #expect(try world.values("id", of: "Player") == ["a", "b"])
        #expect(try world.value("name", of: "Player", "id", "a") == "New")
        #expect(try world.value("age", of: "Player", "id", "a") == "6")
    }

    @Test func `the same holds for what was unsaved before the import`() throws {
        let world = try world()
        var options = ImportOptions()
        options.batchSize = 1
        try world.stack.perform { context throws in
            try context.importJSON(Data(#"[{"id": "a", "name": "Old"}]"#.utf8), entity: "Player")
            try context.importJSON(
                Data(#"[{"id": "a", "gone": true}, {"id": "a", "name": "New"}, {"id": "a", "age": 5}]"#.utf8),
                entity: "Player", options: options)
            try context.save()
        }
        #expect(try world.values("id", of: "Player") == ["a"])
        #expect(try world.value("name", of: "Player", "id", "a") == "New")
    }
}
