// A tracker's file after its store was migrated to a newer version of the model.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct TrackerModelTests {
    private let store: URL
    private var file: URL { GraphTracker.file(besideStoreAt: store) }

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("graft-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        store = folder.appendingPathComponent("Test.sqlite")
    }

    /// Persons with notes that nothing but their rows tells apart, and what is there no more in the second version.
    private func first() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["identityAttributes": "id"],
            [
                .attribute("id"), .attribute("name"), .attribute("rank", .integer16AttributeType), .attribute("old"),
                .toMany("notes", "Note", inverse: "person"), .toOne("car", "Car", inverse: "person"),
            ])
        sketch.entity("Note", [.attribute("text"), .toOne("person", "Person", inverse: "notes")])
        sketch.entity(
            "Car", info: ["identityAttributes": "id"], [.attribute("id"), .toOne("person", "Person", inverse: "car")])
        return sketch.model()
    }

    /// The same with other names, a wider number, and a new attribute.
    private func second() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity("Note", [.attribute("text"), .toOne("owner", "Human", inverse: "notes")])
        sketch.entity(
            "Human", info: ["identityAttributes": "id"],
            [
                .attribute("title", isOptional: false, default: "none"), .attribute("id"),
                .attribute("state", isOptional: false, default: "new"), .attribute("rank", .integer64AttributeType),
                .toMany("notes", "Note", inverse: "owner", isOrdered: true),
            ])
        let model = sketch.model()
        let human = model.entitiesByName["Human"]
        human?.renamingIdentifier = "Person"
        human?.attributesByName["title"]?.renamingIdentifier = "name"
        model.entitiesByName["Note"]?.relationshipsByName["owner"]?.renamingIdentifier = "person"
        return model
    }

    private func with<T>(
        _ model: NSManagedObjectModel, _ body: (NSManagedObjectContext) throws -> T
    ) throws -> T {
        let container = try NSPersistentContainer.opened(store, model)
        defer {
            let coordinator = container.persistentStoreCoordinator
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
        }
        let context = container.newBackgroundContext()
        return try context.performAndWait { try body(context) }
    }

    @Test func `the file of an older version is carried over, as the store is`() throws {
        try with(first()) { context in
            let ann = context.add("Person", ["id": "ann", "name": "Ann", "rank": 1, "old": "x"])
            context.add("Person", ["id": "bob", "rank": 2])
            for text in ["a", "b", "b"] { context.add("Note", ["text": text, "person": ann]) }
            context.add("Car", ["id": "car", "person": ann])
            let tracker = try GraphTracker(file: file, context: context)
            try tracker.markSent()
            try tracker.confirm()
            // Both sides give Ann another name; the rank is for the server to know, and so is a note.
            var answer = try GraphSnapshot(of: context)
            let key = ObjectKey("Person", [.string("ann")])
            try answer.apply(
                GraphDiff(changed: [
                    ObjectChange(
                        key, [PropertyChange("name", .attribute(old: .string("Ann"), new: .string("Anne")))])
                ]))
            ann.setValue("Anna", forKey: "name")
            ann.setValue(3, forKey: "rank")
            try tracker.receive(answer)
            #expect(tracker.conflicts.map(\.property) == ["name"])
            context.add("Note", ["text": "c", "person": ann])
            try context.save()
        }
        try with(second()) { context in
            let tracker = try GraphTracker(file: file, context: context)
            #expect(tracker.resumeError == nil)
            let pending = try tracker.pendingChange()
            let ann = ObjectKey("Human", [.string("ann")])
            #expect(pending.deleted.isEmpty && pending.inserted.map(\.key.entity) == ["Note"], "\(pending.text())")
            #expect(pending.changed.map(\.key) == [ann])
            #expect(pending.changed.first?["rank"] == .attribute(old: .integer(1), new: .integer(3)))
            #expect(pending.changed.first?.properties.map(\.name) == ["notes", "rank"])
            let conflict = try #require(tracker.conflicts.first)
            #expect(conflict.key == ann && conflict.property == "title")
            try tracker.settle(conflict, .theirs)
            #expect(try context.one("Human", "id", "ann")?.text("title") == "Anne")
            try tracker.markSent()
            try tracker.confirm()
            #expect(try tracker.pendingChange().isEmpty)
        }
        // The file is one of this version now.
        let left = try with(second()) { try GraphTracker(file: file, context: $0).pendingChange() }
        #expect(left.isEmpty)
    }

    @Test func `a conflict about a list without inverse is carried over with the list's new name`() throws {
        func model(_ owner: String, _ list: String) -> NSManagedObjectModel {
            var sketch = ModelSketch()
            sketch.entity(owner, info: ["identityAttributes": "id"], [.attribute("id"), .toMany(list, "Thing")])
            sketch.entity("Thing", info: ["identityAttributes": "id"], [.attribute("id")])
            return sketch.model()
        }
        let thing = ObjectKey("Thing", [.string("x")])
        func change(of box: String, _ members: MembersChange) -> ObjectChange {
            ObjectChange(ObjectKey("Box", [.string(box)]), [PropertyChange("things", .toMany(members))])
        }
        try with(model("Box", "things")) { context in
            let things = NSSet(object: context.add("Thing", ["id": "x"]))
            let boxes = ["a", "b", "c"].map { context.add("Box", ["id": $0]) }
            boxes[0].setValue(things, forKey: "things")
            let tracker = try GraphTracker(file: file, context: context)
            try tracker.markSent()
            try tracker.confirm()
            var answer = try GraphSnapshot(of: context)
            try answer.apply(
                GraphDiff(changed: [
                    change(of: "a", MembersChange(removed: [.init(thing)])),
                    change(of: "c", MembersChange(added: [.init(thing)])),
                ]))
            boxes[0].setValue(NSSet(), forKey: "things")
            boxes[1].setValue(things, forKey: "things")
            try tracker.receive(answer)
            #expect(tracker.conflicts.map(\.property) == ["Box.things"])
        }
        let second = model("Crate", "content")
        let crate = second.entitiesByName["Crate"]
        crate?.renamingIdentifier = "Box"
        crate?.relationshipsByName["content"]?.renamingIdentifier = "things"
        try with(second) { context in
            let tracker = try GraphTracker(file: file, context: context)
            let conflict = try #require(tracker.conflicts.first)
            #expect(conflict.property == "Crate.content")
            #expect(try tracker.pendingChange().isEmpty)
            try tracker.settle(conflict, .theirs)
            #expect(try context.one("Crate", "id", "c")?.texts("content", "id") == ["x"])
        }
    }

    @Test func `an identifier stays the same through several versions`() throws {
        func model(_ name: String, _ identifier: String?) -> NSManagedObjectModel {
            var sketch = ModelSketch()
            sketch.entity("Task", info: ["identityAttributes": "id"], [.attribute("id"), .attribute(name)])
            let model = sketch.model()
            model.entitiesByName["Task"]?.attributesByName[name]?.renamingIdentifier = identifier
            return model
        }
        try with(model("title", nil)) { context in
            context.add("Task", ["id": "a", "title": "A"])
            let tracker = try GraphTracker(file: file, context: context)
            try tracker.markSent()
            try tracker.confirm()
        }
        for name in ["name", "label"] {
            try with(model(name, "title")) { context in
                let tracker = try GraphTracker(file: file, context: context)
                #expect(try tracker.pendingChange().isEmpty)
                #expect(try context.one("Task", "id", "a")?.text(name) == "A")
                try tracker.forgetSent()
            }
        }
    }

    @Test func `a relationship that has the name of a former attribute is a new one`() throws {
        func model(_ car: ModelSketch.Property, _ other: [ModelSketch.Property]) -> NSManagedObjectModel {
            var sketch = ModelSketch()
            sketch.entity("Person", info: ["identityAttributes": "id"], [.attribute("id"), car])
            sketch.entity("Car", info: ["identityAttributes": "id"], [.attribute("id")] + other)
            return sketch.model()
        }
        try with(model(.attribute("car"), [])) { context in
            context.add("Person", ["id": "ann", "car": "red"])
            context.add("Car", ["id": "1"])
            let tracker = try GraphTracker(file: file, context: context)
            try tracker.markSent()
            try tracker.confirm()
        }
        let newer = model(.toOne("car", "Car", inverse: "person"), [.toOne("person", "Person", inverse: "car")])
        try with(newer) { context in
            let tracker = try GraphTracker(file: file, context: context)
            #expect(try tracker.pendingChange().isEmpty)
        }
    }

    @Test func `a file with values that the new version can't hold is refused by name`() throws {
        func model(_ type: NSAttributeType) -> NSManagedObjectModel {
            var sketch = ModelSketch()
            sketch.entity("Task", info: ["identityAttributes": "id"], [.attribute("id"), .attribute("rank", type)])
            return sketch.model()
        }
        let before = try TestStack(model(.stringAttributeType))
        try before.perform { context in
            context.add("Task", ["id": "a", "rank": "1"])
            let tracker = try GraphTracker(file: file, context: context)
            try tracker.markSent()
        }
        try TestStack(model(.integer16AttributeType)).perform { context in
            let error = graftError { _ = try GraphTracker(file: file, context: context) }
            let words = error?.description ?? ""
            #expect(words.contains("'Task.rank' is of another type") && words.contains("delete the file"), "\(words)")
        }
    }
}
