// FINDING: a reference of an earlier import that is resolved into a list without inverse doesn't take the object out of the list that
// has it: the list owners of what is resolved are never read. In a store in memory (and in the context) two lists have one object.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ResolvedListTests {
    @Test(arguments: [StoreKind.sqlite, .inMemory])
    func `what is resolved into a list without inverse is taken from the list that has it`(_ kind: StoreKind) throws {
        let world = try ImportWorld(kind) { sketch in
            sketch.entity(
                "Box", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType),
                    .toMany("things", "Thing").annotated(["JSONReferencePolicy": "defer"]),
                ])
            sketch.entity("Thing", info: ["identityAttributes": "id"], [.attribute("id", .integer64AttributeType)])
        }
        let waiting = try world.take(#"[{"id": 2, "things": [9]}]"#, "Box").unresolvedReferences
        #expect(waiting.count == 1)
        try world.take(#"[{"id": 9}]"#, "Thing")
        try world.take(#"[{"id": 1, "things": [9]}]"#, "Box")
        #expect(try world.members("things", "id", of: "Box", "id", 1) == ["9"])
        try world.stack.perform { context throws in
            let first = try #require(try context.one("Box", "id", 1))
            #expect(try context.resolve(waiting).isEmpty)
            let second = try #require(try context.one("Box", "id", 2))
            #expect((second.value(forKey: "things") as? NSSet)?.count == 1)
            #expect((first.value(forKey: "things") as? NSSet)?.count == 0)
            try context.save()
        }
        #expect(try world.members("things", "id", of: "Box", "id", 2) == ["9"])
        #expect(try world.members("things", "id", of: "Box", "id", 1) == [])
    }
}
