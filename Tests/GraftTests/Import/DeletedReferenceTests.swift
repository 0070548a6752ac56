// What refers to a deleted object through a relationship without inverse, which no delete rule follows: it leads nowhere afterwards.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DeletedReferenceTests {
    private func world(isOptional: Bool = true) throws -> ImportWorld {
        try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Tag", info: ["identityAttributes": "id"],
                [.attribute("id"), .toMany("parts", "Part", inverse: "tag", rule: .cascadeDeleteRule)])
            sketch.entity(
                "Part", info: ["identityAttributes": "id"], [.attribute("id"), .toOne("tag", "Tag", inverse: "parts")])
            sketch.entity(
                "Item", info: ["identityAttributes": "id"],
                [.attribute("id"), .toOne("free", "Tag", isOptional: isOptional), .toOne("part", "Part")])
        }
    }

    private static let data = #"[{"id": "i", "free": {"id": "t", "parts": [{"id": "p"}]}, "part": "p"}]"#

    private func deleteTag(_ world: ImportWorld) throws {
        let source = ImportSource.data(Data(#"[{"id": "t"}]"#.utf8)).deleting()
        try world.stack.container.importJSON(from: [source], entity: "Tag", options: world.options)
    }

    @Test func `an import that deletes leads what referred to the objects nowhere`() throws {
        let world = try world()
        try world.take(Self.data, "Item")
        try deleteTag(world)
        #expect(try world.count("Tag") == 0 && world.count("Part") == 0)
        #expect(try world.value("free", of: "Item", "id", "i") == "nil")
        #expect(try world.value("part", of: "Item", "id", "i") == "nil")
        #expect(try world.stack.findings() == [])
    }

    @Test(arguments: [false, true])
    func `a deletion of what another object must have is refused, and nothing is changed`(_ isDryRun: Bool) throws {
        var world = try world(isOptional: false)
        try world.take(Self.data, "Item")
        world.options.isDryRun = isDryRun
        let error = graftError { try deleteTag(world) }
        #expect(error?.place.entity == "Item" && error?.place.property == "free", "\(String(describing: error))")
        #expect(error?.description.contains(#"Item "i" must have one"#) == true, "\(String(describing: error))")
        #expect(try world.count("Tag") == 1 && world.count("Part") == 1)
        #expect(try world.members("free", "id", of: "Item", "id", "i") == ["t"])
    }

    /// Two stores with the tag, one of which has an item that refers to it, too.
    private func worlds() throws -> (small: ImportWorld, large: ImportWorld) {
        let (small, large) = (try world(), try world())
        try small.take(#"[{"id": "t", "parts": [{"id": "p"}]}]"#, "Tag")
        try large.take(Self.data, "Item")
        return (small, large)
    }

    private func expectNoTag(_ world: ImportWorld) throws {
        #expect(try world.count("Tag") == 0)
        #expect(try world.value("free", of: "Item", "id", "i") == "nil")
        #expect(try world.stack.findings() == [])
    }

    @Test func `a diff that deletes leads what referred to the objects nowhere, whoever they are`() throws {
        let (small, large) = try worlds()
        let diff = try small.stack.perform { context throws in
            let before = try GraphSnapshot(of: context)
            for tag in try context.all("Tag") { context.delete(tag) }
            return try GraphDiff(from: before, to: GraphSnapshot(of: context))
        }
        #expect(diff.deleted.count == 2)
        try large.stack.perform { context throws in
            try context.apply(diff)
            try context.save()
        }
        try expectNoTag(large)
    }

    @Test func `so does a patch that takes an object out of the JSON of the whole graph`() throws {
        let (_, large) = try worlds()
        try large.stack.perform { context throws in
            let patch = try JSONPatch(parsing: #"[{"op": "remove", "path": "/Tag/0"}]"#)
            var conflicts: [GraphDiff.Conflict] = []
            let diff = try GraphDiff(changing: context, entity: nil, conflicts: &conflicts) {
                try patch.applying(to: $0)
            }
            try context.apply(diff)
            try context.save()
        }
        try expectNoTag(large)
    }
}
