// Patches of an export in which objects are of sub-entities, and have keys that the entity of the export doesn't know.

import CoreData
import Foundation
import Graft
import Testing

extension ModelSketch {
    /// Persons with shapes without identity, some of which are circles.
    static func shapes() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .toMany("shapes", "Shape", inverse: "person", rule: .cascadeDeleteRule, isOrdered: true),
            ])
        sketch.entity("Shape", [.attribute("name"), .toOne("person", "Person", inverse: "shapes")])
        sketch.entity("Circle", parent: "Shape", [.attribute("radius", .integer64AttributeType)])
        return sketch.model()
    }
}

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

    @Test(arguments: ["Animal", "Owner"])
    func `an object of a sub-entity isn't made or renamed in a super-entity's export, and the error says that`(
        _ entity: String
    ) throws {
        try animals().perform { context in
            let rename = #"[{"op": "replace", "path": "DOG/id", "value": 9}]"#
            let error = try #require(graftError { _ = try diff(rename, of: entity, in: context) })
            #expect(error.description.contains("makes or renames an object of the entity Dog"), "\(error)")
            #expect(error.description.contains("--entity Dog") && !error.description.contains("kind"), "\(error)")
        }
    }

    // MARK: Objects without identity

    /// A person with the circles a (radius 1) and b (radius 2), and the shape s.
    private func shapes() throws -> TestStack {
        let stack = try TestStack(ModelSketch.shapes())
        try stack.fill { context in
            let shapes = [
                context.add("Circle", ["name": "a", "radius": 1]), context.add("Circle", ["name": "b", "radius": 2]),
                context.add("Shape", ["name": "s"]),
            ]
            context.add("Person", ["id": 1, "name": "p", "shapes": NSOrderedSet(array: shapes)])
        }
        return stack
    }

    @Test(arguments: [
        #"[{"op": "replace", "path": "/0/shapes/0/radius", "value": 7}]"#,
        // What another one has.
        #"[{"op": "replace", "path": "/0/shapes/0/radius", "value": 2}]"#,
        #"[{"op": "replace", "path": "/0/name", "value": "q"}, {"op": "replace", "path": "/0/shapes/1/radius", "value": 1}]"#,
        // As another one has none.
        #"[{"op": "remove", "path": "/0/shapes/0/radius"}]"#,
        #"[{"op": "remove", "path": "/0/shapes/0/radius"}, {"op": "replace", "path": "/0/shapes/2/name", "value": "t"}]"#,
        // Both have what the other one had.
        #"[{"op": "replace", "path": "/0/shapes/0/radius", "value": 2}, {"op": "replace", "path": "/0/shapes/1/radius", "value": 1}]"#,
        #"[{"op": "move", "from": "/0/shapes/0/radius", "path": "/0/shapes/2/radius"}]"#,
        // The one that has moved has another one's.
        #"[{"op": "move", "from": "/0/shapes/0", "path": "/0/shapes/1"}, {"op": "replace", "path": "/0/shapes/1/radius", "value": 2}]"#,
    ])
    func `of objects without identity, each keeps what a sub-entity alone has`(_ operations: String) throws {
        try shapes().perform { context in
            let error = try #require(graftError { _ = try diff(operations, of: "Person", in: context) })
            #expect(error.description.contains("the patch changes what is at /0/shapes/"), "\(error)")
            #expect(error.description.contains("without --entity"), "\(error)")
        }
    }

    @Test func `no object of a sub-entity is made without identity`() throws {
        try shapes().perform { context in
            let change = #"[{"op": "add", "path": "/0/shapes/-", "value": {"name": "c", "radius": 2}}]"#
            let error = try #require(graftError { _ = try diff(change, of: "Person", in: context) })
            #expect(error.description.contains("makes or renames an object of the entity Circle"), "\(error)")
        }
    }

    @Test(arguments: [
        #"[{"op": "remove", "path": "/0/shapes/0"}]"#, #"[{"op": "remove", "path": "/0/shapes"}]"#,
        #"[{"op": "move", "from": "/0/shapes/0", "path": "/0/shapes/1"}]"#,
        #"[{"op": "replace", "path": "/0/shapes/0/name", "value": "z"}]"#,
        #"[{"op": "add", "path": "/0/shapes/0", "value": {"name": "n"}}]"#,
    ])
    func `objects without identity leave, move and get other names with what a sub-entity alone has`(
        _ operations: String
    ) throws {
        try shapes().perform { context in
            let made = try diff(operations, of: "Person", in: context)
            #expect(!made.isEmpty)
        }
    }
}
