// FINDING: a stub of an entity whose version attribute has a default value (0, as models have it for scalars) counts as an object of
// that version. A record of this version is left alone as outdated: what it says is dropped, and the stub is counted as inserted.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DefaultVersionTests {
    private func world() throws -> ImportWorld {
        try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "A", info: ["identityAttributes": "id", "JSONVersionAttribute": "version"],
                [
                    .attribute("id"), .attribute("version", .integer32AttributeType, default: 0), .attribute("text"),
                    .toOne("next", "A"),
                ])
        }
    }

    @Test(arguments: [1, 1000], [true, false])
    func `a stub has no version, also where new objects have one by default`(_ size: Int, _ savesEachBatch: Bool) throws
    {
        var world = try world()
        (world.options.batchSize, world.options.savesEachBatch) = (size, savesEachBatch)
        try world.take(
            #"[{"id": "1", "version": 1, "next": "2"}, {"id": "2", "version": 0, "text": "x"}]"#, "A")
        #expect(try world.value("text", of: "A", "id", "2") == "x")
    }

    @Test func `nor has one of an import before`() throws {
        let world = try world()
        try world.take(#"[{"id": "1", "version": 1, "next": "2"}]"#, "A")
        try world.take(#"[{"id": "2", "version": 0, "text": "x"}]"#, "A")
        #expect(try world.value("text", of: "A", "id", "2") == "x")
        // From then on it has.
        try world.take(#"[{"id": "2", "version": 0, "text": "y"}]"#, "A")
        #expect(try world.value("text", of: "A", "id", "2") == "x")
    }
}
