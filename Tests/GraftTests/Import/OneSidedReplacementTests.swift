// FINDING: the policy replaceAndDelete deletes what a relationship to one object without inverse led to although another, stored object
// has it by the same relationship, and takes it from that one.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct OneSidedReplacementTests {
    @Test(arguments: [StoreKind.sqlite, .inMemory], [true, false])
    func `replace and delete: what another object has stays, also where nothing leads back`(
        _ kind: StoreKind, _ hasInverse: Bool
    ) throws {
        let world = try ImportWorld(kind) { sketch in
            sketch.entity(
                "Person", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType),
                    .toOne("boss", "Boss", inverse: hasInverse ? "staff" : nil)
                        .annotated(["JSONToManyPolicy": "replaceAndDelete"]),
                ])
            var properties: [ModelSketch.Property] = [.attribute("id", .integer64AttributeType), .attribute("name")]
            if hasInverse { properties.append(.toMany("staff", "Person", inverse: "boss")) }
            sketch.entity("Boss", info: ["identityAttributes": "id"], properties)
        }
        try world.take(#"[{"id": 1, "boss": {"id": 9, "name": "B"}}, {"id": 2, "boss": 9}]"#, "Person")
        let report = try world.take(#"[{"id": 1, "boss": 8}]"#, "Person")
        #expect(report["Boss"].deleted == 0)
        #expect(try world.values("id", of: "Boss") == ["8", "9"])
        #expect(try world.members("boss", "name", of: "Person", "id", 2) == ["B"])
        // When nobody has it any more, it goes.
        try world.take(#"[{"id": 2, "boss": 8}]"#, "Person")
        #expect(try world.values("id", of: "Boss") == ["8"])
    }
}
