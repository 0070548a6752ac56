// Patches of an export in which objects are of sub-entities, and have keys that the entity of the export doesn't know.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct SubEntityPatchTests {
    private func animals() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Animal", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType, json: "id"), .attribute("name", json: "name"),
                .toOne("owner", "Owner", inverse: "pets"),
            ])
        sketch.entity(
            "Dog", parent: "Animal", [.attribute("breed", json: "kind.breed"), .attribute("size", json: "kind.size")])
        sketch.entity(
            "Owner", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .toMany("pets", "Animal", inverse: "owner")])
        let model = sketch.model()
        model.entitiesByName["Owner"]?.relationshipsByName["pets"]?.userInfo = ["JSONExportForm": "nested"]
        model.entitiesByName["Animal"]?.relationshipsByName["owner"]?.userInfo = ["JSONExportForm": "identifier"]
        let stack = try TestStack(model)
        try stack.fill { context in
            let owner = context.add("Owner", ["id": 7])
            context.add("Dog", ["id": 1, "name": "Rex", "breed": "beagle", "owner": owner])
            context.add("Animal", ["id": 2, "name": "Tom"])
        }
        return stack
    }

    /// The diff of operations onto an export. `DOG` stands for the place of the dog.
    private func diff(
        _ operations: String, of entity: String, in context: NSManagedObjectContext
    ) throws -> GraphDiff {
        let export = try context.exportJSON(NSFetchRequest<NSManagedObject>(entityName: entity))
        let list = try #require(try JSONSerialization.jsonObject(with: export) as? [[String: Any]])
        let index = list.firstIndex { $0["id"] as? Int == 1 } ?? 0
        let dog = entity == "Owner" ? "/0/pets/0" : "/\(index)"
        let patch = try JSONPatch(parsing: operations.replacingOccurrences(of: "DOG", with: dog))
        var conflicts: [GraphDiff.Conflict] = []
        return try GraphDiff(changing: context, entity: entity, conflicts: &conflicts) { try patch.applying(to: $0) }
    }

    @Test(
        arguments: ["Animal", "Owner"],
        [
            #"[{"op": "replace", "path": "DOG/kind/breed", "value": "collie"}]"#,
            #"[{"op": "remove", "path": "DOG/kind/breed"}]"#, #"[{"op": "remove", "path": "DOG/kind"}]"#,
        ])
    func `what a sub-entity alone has isn't changed by a patch of a super-entity's export, and that is said`(
        _ entity: String, _ operations: String
    ) throws {
        try animals().perform { context in
            let error = try #require(graftError { _ = try diff(operations, of: entity, in: context) })
            #expect(error.description.contains("kind") && error.description.contains("--entity Dog"), "\(error)")
        }
    }

    @Test(arguments: ["Animal", "Owner"])
    func `the rest of such an object is changed, and taken away with it`(_ entity: String) throws {
        try animals().perform { context in
            let rename = #"[{"op": "replace", "path": "DOG/name", "value": "Max"}]"#
            try context.apply(diff(rename, of: entity, in: context))
            let dog = try #require(try context.one("Dog", "id", 1))
            #expect(dog.text("name") == "Max" && dog.text("breed") == "beagle")
            try context.apply(diff(#"[{"op": "remove", "path": "DOG"}]"#, of: entity, in: context))
            #expect(try context.all("Dog").count == (entity == "Owner" ? 1 : 0))
        }
    }

    @Test func `the entity's own export has a place for it`() throws {
        try animals().perform { context in
            let change = #"[{"op": "replace", "path": "DOG/kind/breed", "value": "collie"}]"#
            try context.apply(diff(change, of: "Dog", in: context))
            #expect(try context.one("Dog", "id", 1)?.text("breed") == "collie")
        }
    }
}
