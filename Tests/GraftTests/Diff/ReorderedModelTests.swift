// A model that was made in code, and its copy from an archive, which has the properties in another order.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ReorderedModelTests {
    private let original: TestStack
    private let copy: TestStack

    init() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "number, id"], unique: [["number", "id"]],
            [
                .attribute("number", .integer64AttributeType), .attribute("title"), .attribute("id"),
                .toMany("persons", "Person", inverse: "team", rule: .cascadeDeleteRule, isOrdered: true),
                .toOne("boss", "Person", inverse: "bossOf"),
            ])
        sketch.entity(
            "Person",
            [
                .attribute("name"), .attribute("age", .integer16AttributeType),
                .toOne("team", "Team", inverse: "persons"),
                .toOne("bossOf", "Team", inverse: "boss"),
            ])
        original = try TestStack(sketch.model(), .sqlite)
        try original.fill { context in
            let team = context.add("Team", ["number": 7, "id": "t", "title": "T"])
            let persons = ["Eve", "Ann"].map { context.add("Person", ["name": $0, "age": 3]) }
            team.setValue(NSOrderedSet(array: persons), forKey: "persons")
            team.setValue(persons[1], forKey: "boss")
        }
        let archive = try original.perform { try $0.archive() }
        copy = try TestStack(try #require(try archive.model()), .sqlite)
        try copy.container.restore(archive)
    }

    private func snapshots() throws -> [GraphSnapshot] {
        try [original, copy].map { stack in try stack.perform { try GraphSnapshot(of: $0) } }
    }

    private func change() throws {
        try copy.perform { context in
            let team = try #require(try context.all("Team").first)
            let persons = try #require(team.value(forKey: "persons") as? NSOrderedSet)
            team.setValue(NSOrderedSet(array: persons.array.reversed()), forKey: "persons")
            team.setValue("U", forKey: "title")
            try context.save()
        }
    }

    @Test func `stores and snapshots of both are compared, and a diff leads from one to the other`() throws {
        let names = try [original, copy].map { stack in
            try #require(stack.container.managedObjectModel.entitiesByName["Team"]).properties.map(\.name)
        }
        #expect(names[0] != names[1], "The archive has another order.")
        #expect(try GraphDiff(from: original.container, to: copy.container).isEmpty)
        try change()
        let diff = try GraphDiff(from: original.container, to: copy.container)
        // Where rows don't tell persons apart, one in another's place is a change of its own.
        let team = diff.changed.first { $0.key.entity == "Team" }
        #expect(team?["title"] == .attribute(old: .string("T"), new: .string("U")))
        let sides = try snapshots()
        #expect(try GraphDiff(from: sides[0], to: sides[1]) == diff)
        #expect(try GraphDiff(from: sides[1], to: sides[0]) == diff.inverted)
        #expect(try ObjectDiff.differences(from: sides[0], to: sides[1]).map(\.entityName) == ["Team"])
        try original.container.apply(diff)
        #expect(try GraphDiff(from: copy.container, to: original.container).isEmpty)
    }

    @Test func `sides of both are merged, and a tracker takes the other's state`() throws {
        let base = try snapshots()[0]
        try change()
        let theirs = try snapshots()[1]
        #expect(try GraphDiff(from: GraphMerge(base: base, ours: base, theirs: theirs).snapshot, to: theirs).isEmpty)
        let store = try #require(original.container.persistentStoreCoordinator.persistentStores.first?.url)
        try original.perform { context in
            let tracker = try GraphTracker(file: GraphTracker.file(besideStoreAt: store), context: context)
            try tracker.markSent()
            try tracker.confirm()
            try tracker.receive(theirs)
            #expect(try tracker.pendingChange().isEmpty)
        }
        #expect(try GraphDiff(from: original.container, to: copy.container).isEmpty)
    }
}
