// Objects that become ones of another entity under one identity: one is deleted, and one is made.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct EntityChangeDiffTests {
    static let names = ["Animal", "Dog", "Cat", "Puppy"]

    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        let info = ["identityAttributes": "id"]
        sketch.entity(
            "Animal", info: info,
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .toOne("friend", "Animal", inverse: "friendOf"), .toMany("friendOf", "Animal", inverse: "friend"),
                .toMany("pack", "Animal", inverse: "pack"),
            ])
        sketch.entity("Dog", parent: "Animal", info: info, [.attribute("breed")])
        sketch.entity("Cat", parent: "Animal", info: info, [.attribute("lives", .integer16AttributeType)])
        sketch.entity("Puppy", parent: "Dog", info: info, [])
        return sketch.model()
    }

    private func document(_ entity: String) -> String {
        let own = #"{"id": 2, "name": "Rex", "friend": 1, "pack": [1]}"#
        return entity == "Animal"
            ? #"{"Animal": [{"id": 1}, \#(own)]}"# : #"{"Animal": [{"id": 1}], "\#(entity)": [\#(own)]}"#
    }

    @Test(arguments: names, names)
    func `an object of another entity takes the place of the one before`(_ old: String, _ new: String) throws {
        let model = model()
        let before = try GraphSnapshot(json: Data(document(old).utf8), model: model)
        let after = try GraphSnapshot(json: Data(document(new).utf8), model: model)
        let diff = try GraphDiff(from: before, to: after)
        #expect(try GraphDiff(from: before.applying(diff), to: after).isEmpty)
        #expect(try GraphDiff(from: after.applying(diff.inverted), to: before).isEmpty)
        let stack = try TestStack(model, .sqlite)
        try stack.importJSON(document(old))
        try stack.perform { context throws in
            try context.apply(diff)
            try context.save()
        }
        try stack.perform { context throws in
            let rex = try #require(try context.all("Animal", by: "id").last)
            #expect(try context.all("Animal").count == 2)
            #expect(rex.entity.name == new)
            #expect((rex.value(forKey: "friend") as? NSManagedObject)?.value(forKey: "id") as? Int == 1)
        }
        try stack.perform { context throws in
            try context.apply(diff.inverted)
            try context.save()
            #expect(try GraphDiff(from: GraphSnapshot(of: context), to: before).isEmpty)
        }
        for (ours, theirs) in [(after, before), (before, after)] {
            let merge = try GraphMerge(base: before, ours: ours, theirs: theirs)
            #expect(merge.conflicts.isEmpty)
            #expect(try GraphDiff(from: merge.snapshot, to: after).isEmpty)
        }
    }

    private static let policies: [(policy: GraphMerge.Policy, result: String)] = [
        (.ours, "Animal Eve"), (.theirs, "Dog Rex"),
    ]

    @Test(arguments: policies.indices, [true, false])
    func `one object comes of what the sides make of it as objects of different entities`(
        _ index: Int, _ isInBase: Bool
    ) throws {
        let model = model()
        func snapshot(_ text: String) throws -> GraphSnapshot {
            let stack = try TestStack(model)
            try stack.importJSON(text)
            return try stack.perform { try GraphSnapshot(of: $0) }
        }
        let base = try snapshot(
            isInBase
                ? #"{"Animal": [{"id": 1, "friend": 2, "pack": [2]}, {"id": 2}]}"# : #"{"Animal": [{"id": 1}]}"#)
        let animal = try snapshot(
            #"{"Animal": [{"id": 1, "friend": 2, "pack": [2]}, {"id": 2, "name": "Eve"}]}"#)
        let dog = try snapshot(
            #"{"Animal": [{"id": 1, "friend": 2, "pack": [2]}], "Dog": [{"id": 2, "name": "Rex", "breed": "x"}]}"#)
        let (policy, result) = Self.policies[index]
        let options = GraphMerge.Options(policy: policy)
        let merges = [
            try GraphMerge(base: base, ours: animal, theirs: dog, options: options),
            try GraphMerge(base: base, ours: dog, theirs: animal, options: options.mirrored),
        ]
        for merge in merges {
            #expect(merge.conflicts.isEmpty)
            let contents = try merge.snapshot.contents().map { "\($0)" }.joined(separator: "\n")
            let stack = try TestStack(model, .sqlite)
            try stack.perform { context in
                _ = try context.apply(GraphDiff(from: GraphSnapshot(of: context), to: merge.snapshot))
                try context.save()
                let twos = try context.all("Animal").filter { $0.value(forKey: "id") as? Int == 2 }
                #expect(twos.map { "\($0.entity.name ?? "") \($0.value(forKey: "name") ?? "")" } == [result])
                let one = try #require(try context.one("Animal", "id", 1))
                #expect(one.value(forKey: "friend") as? NSManagedObject === twos.first, "\(contents)")
                #expect(one.value(forKey: "pack") as? Set<NSManagedObject> == Set(twos))
            }
        }
        let left = try GraphMerge(base: base, ours: animal, theirs: dog)
        #expect(left.conflicts.map(\.kind).contains(isInBase ? .deletion : .uniqueness))
    }

    @Test(arguments: [
        #"{"Animal": [{"id": 1}]}"#, #"{"Animal": [{"id": 1}, {"id": 2, "name": "Max"}]}"#,
        #"{"Animal": [{"id": 1}], "Dog": [{"id": 2, "name": "Rex", "breed": "Pug"}]}"#,
    ])
    func `what a diff says of an object isn't done to one of a sub-entity`(_ after: String) throws {
        let model = model()
        func snapshot(_ text: String) throws -> GraphSnapshot { try GraphSnapshot(json: Data(text.utf8), model: model) }
        let text = #"{"Animal": [{"id": 1}], "Dog": [{"id": 2, "name": "Rex", "breed": "Pug"}]}"#
        let diff = try GraphDiff(
            from: snapshot(#"{"Animal": [{"id": 1}, {"id": 2, "name": "Rex"}]}"#), to: snapshot(after))
        let conflict = GraphDiff.Conflict(ObjectKey("Animal", [.integer(2)]), expected: .object, found: .noObject)
        let stack = try TestStack(model, .sqlite)
        try stack.importJSON(text)
        for policy in [GraphDiff.ConflictPolicy.skip, .force] {
            let options = GraphDiff.ApplyingOptions(conflicts: policy)
            var here = try snapshot(text)
            #expect(try here.apply(diff, options: options).conflicts.contains(conflict))
            #expect(try GraphDiff(from: here, to: snapshot(text)).isEmpty)
            #expect(try stack.container.apply(diff, options: options).conflicts.contains(conflict))
            #expect(try stack.perform { try GraphDiff(from: GraphSnapshot(of: $0), to: snapshot(text)) }.isEmpty)
        }
        #expect(throws: GraftError.self) { try stack.container.apply(diff) }
    }

    // The names of the entities say which of them a diff has first.
    @Test(arguments: ["Aid", "Tag"])
    func `what an object that becomes one of another entity identifies becomes another object, too`(
        _ name: String
    ) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Animal", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .toMany("tags", name, inverse: "animal")])
        sketch.entity("Dog", parent: "Animal", [])
        sketch.entity(
            "Owner", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .toMany("tags", name, inverse: "owner")])
        sketch.entity(
            name, info: ["identityAttributes": "key, animal, owner"],
            [
                .attribute("key", .integer64AttributeType), .toOne("animal", "Animal", inverse: "tags"),
                .toOne("owner", "Owner", inverse: "tags"),
            ])
        let model = sketch.model()
        func stack(_ entity: String) throws -> TestStack {
            let stack = try TestStack(model, .sqlite)
            try stack.fill { context in
                let owner = context.add("Owner", ["id": 1])
                for id in 0..<12 {
                    let animal = context.add(entity, ["id": id])
                    context.add(name, ["key": id % 2, "animal": animal, "owner": owner])
                }
            }
            return stack
        }
        let (stack, other) = (try stack("Animal"), try stack("Dog"))
        let (before, after) = (
            try stack.perform { try GraphSnapshot(of: $0) }, try other.perform { try GraphSnapshot(of: $0) }
        )
        let diff = try GraphDiff(from: before, to: after)
        #expect(diff.deleted.count == 24 && diff.inserted.count == 24)
        for (diff, result) in [(diff, after), (diff.inverted, before)] {
            try stack.container.apply(diff)
            #expect(try stack.perform { try GraphDiff(from: GraphSnapshot(of: $0), to: result) }.isEmpty)
        }
        #expect(try GraphDiff(from: before.applying(diff), to: after).isEmpty)
        #expect(try GraphDiff(from: after.applying(diff.inverted), to: before).isEmpty)
    }

    /// An animal and a kennel, where a dog can live.
    private func kennel(_ animal: String, name: String) throws -> GraphSnapshot {
        var sketch = ModelSketch()
        let info = ["identityAttributes": "id"]
        sketch.entity("Animal", info: info, [.attribute("id", .integer64AttributeType), .attribute("name")])
        sketch.entity("Dog", parent: "Animal", info: info, [.toOne("kennel", "Kennel", inverse: "dog")])
        sketch.entity(
            "Kennel", info: info,
            [
                .attribute("id", .integer64AttributeType), .toOne("dog", "Dog", inverse: "kennel"),
                .toMany("past", "Dog"),
            ])
        return try TestStack(sketch.model()).perform { context in
            let kennel = context.make("Kennel", ["id": 1])
            if animal.isEmpty { return try GraphSnapshot(of: context) }
            let object = context.make(animal, ["id": 3, "name": name])
            if animal == "Dog" {
                object.setValue(kennel, forKey: "kennel")
                kennel.setValue(NSSet(object: object), forKey: "past")
            }
            return try GraphSnapshot(of: context)
        }
    }

    @Test(arguments: ["Animal", ""])
    func `a link that only the losing side's object can have isn't in the merged graph`(_ before: String) throws {
        // Theirs makes a dog of the animal and gives it a kennel; ours, which wins, changes the animal.
        let base = try kennel(before, name: "Rex")
        let (ours, theirs) = (try kennel("Animal", name: "Max"), try kennel("Dog", name: "Rex"))
        try expectPoliciesToDecide(between: ours, and: theirs, base: base)
        let left = try GraphMerge(base: base, ours: ours, theirs: theirs)
        #expect(left.conflicts.map(\.kind).contains(before.isEmpty ? .uniqueness : .deletion))
    }
}
