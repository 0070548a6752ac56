// A client and a server that begin with the same objects.

import CoreData
import Foundation
import Graft
import Testing

struct TwoSides {
    let client: TestStack
    let server: TestStack
    let file: URL

    init(
        _ model: NSManagedObjectModel, serverModel: NSManagedObjectModel? = nil,
        _ fill: (NSManagedObjectContext) throws -> Void
    ) throws {
        client = try TestStack(model, .sqlite)
        server = try TestStack(serverModel ?? model)
        let store = try #require(client.container.persistentStoreCoordinator.persistentStores.first?.url)
        file = GraphTracker.file(besideStoreAt: store)
        for stack in [client, server] { try stack.fill(fill) }
    }

    /// The server's state, with changes that it makes now.
    func answer(_ change: (NSManagedObjectContext) throws -> Void = { _ in }) throws -> GraphSnapshot {
        try server.perform { context in
            try change(context)
            if context.hasChanges { try context.save() }
            return try GraphSnapshot(of: context)
        }
    }

    /// A tracker that knows what both begin with.
    func tracker(
        _ context: NSManagedObjectContext, _ options: GraphTracker.Options = GraphTracker.Options()
    ) throws -> GraphTracker {
        let tracker = try GraphTracker(file: file, context: context, options: options)
        try tracker.receive(answer())
        #expect(try tracker.pendingChange().isEmpty)
        return tracker
    }
}

/// Persons with unique e-mail addresses and unique pairs of names, what they own, and lists with an order.
enum SyncModel {
    static func make() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["id": "id"], unique: [["email"], ["first", "last"]],
            [
                .attribute("id"), .attribute("name"), .attribute("email"), .attribute("first"), .attribute("last"),
                .toMany("addresses", "Address", inverse: "person", rule: .cascadeDeleteRule),
                .toOne("boss", "Person", inverse: "staff"), .toMany("staff", "Person", inverse: "boss"),
                .toMany("tasks", "Task", inverse: "person", isOrdered: true),
            ])
        sketch.entity(
            "Address", info: ["id": "id"],
            [.attribute("id"), .attribute("city"), .toOne("person", "Person", inverse: "addresses")])
        sketch.entity("Task", info: ["id": "id"], [.attribute("id"), .toOne("person", "Person", inverse: "tasks")])
        return sketch.model()
    }

    /// Ann with two addresses, and Bob.
    static func fill(_ context: NSManagedObjectContext) throws {
        let ann = context.add("Person", ["id": "ann", "name": "Ann", "email": "a@x", "first": "A", "last": "N"])
        context.add("Person", ["id": "bob", "name": "Bob", "email": "b@x", "first": "B", "last": "B"])
        for id in ["home", "work"] { context.add("Address", ["id": id, "city": "Ur", "person": ann]) }
        for id in "abcdx" { context.add("Task", ["id": "\(id)"]) }
    }
}

extension NSManagedObjectContext {
    func person(_ id: String) throws -> NSManagedObject { try #require(try one("Person", "id", id)) }

    /// Gives Ann some tasks, in this order.
    func setTasks(_ ids: String) throws {
        let tasks = try ids.map { try #require(try one("Task", "id", "\($0)")) }
        try person("ann").setValue(NSOrderedSet(array: tasks), forKey: "tasks")
    }
}
