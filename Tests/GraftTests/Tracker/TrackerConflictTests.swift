// Conflicts that wait in a tracker: nothing of them is sent, and each choice is all of it.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct TrackerConflictTests {
    private let sides: TwoSides

    init() throws { sides = try TwoSides(SyncModel.make()) { try SyncModel.fill($0) } }

    /// What is pending, in short.
    private func pending(_ tracker: GraphTracker) throws -> [String] {
        let diff = try tracker.pendingChange()
        let lines =
            diff.deleted.map { "-\($0.key)" } + diff.inserted.map { "+\($0.key)" }
            + diff.changed.map { "\($0.key) \($0.properties.map(\.name).joined(separator: " "))" }
        return lines.map { $0.filter { $0 != "\"" } }
    }

    // MARK: Objects

    @Test(arguments: [GraphMerge.Choice.ours, .theirs, .base])
    func `a deletion waits with all that the object owns, and it comes back with that`(
        _ choice: GraphMerge.Choice
    ) throws {
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            context.delete(try context.person("ann"))
            try context.save()
            #expect(try context.all("Address").isEmpty)
            try tracker.receive(sides.answer { try $0.person("ann").setValue("Anna", forKey: "name") })
            let conflict = try #require(tracker.conflicts.first)
            #expect(tracker.conflicts.map(\.kind) == [.deletion])
            #expect(try pending(tracker) == [])

            try tracker.settle(conflict, choice)
            #expect(tracker.conflicts.isEmpty)
            if choice == .ours {
                #expect(try pending(tracker) == ["-Address home", "-Address work", "-Person ann"])
                return
            }
            let ann = try context.person("ann")
            #expect(ann.text("name") == "Anna")
            #expect(ann.texts("addresses", "id") == ["home", "work"])
            #expect(try pending(tracker) == [])
        }
    }

    @Test(arguments: [GraphMerge.Choice.ours, .theirs])
    func `what the server deleted goes with all that it owns`(_ choice: GraphMerge.Choice) throws {
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try context.person("ann").setValue("Anna", forKey: "name")
            try tracker.receive(sides.answer { $0.delete(try $0.person("ann")) })
            let conflict = try #require(tracker.conflicts.first)
            #expect(try context.all("Address").count == 2)
            #expect(try pending(tracker) == [])

            try tracker.settle(conflict, choice)
            #expect(try context.all("Address").count == (choice == .ours ? 2 : 0))
            #expect(try pending(tracker) == (choice == .ours ? ["+Address home", "+Address work", "+Person ann"] : []))
        }
    }

    @Test(arguments: [[0, 1], [1, 0]])
    func `objects that wait and share what one of them owns come back in any order`(_ order: [Int]) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["id": "id"],
            [.attribute("id"), .attribute("name"), .toMany("tasks", "Task", inverse: "person")])
        sketch.entity(
            "Project", info: ["id": "id"],
            [
                .attribute("id"), .attribute("name"),
                .toMany("tasks", "Task", inverse: "project", rule: .cascadeDeleteRule),
            ])
        sketch.entity(
            "Task", info: ["id": "id"],
            [
                .attribute("id"), .toOne("person", "Person", inverse: "tasks"),
                .toOne("project", "Project", inverse: "tasks"),
            ])
        let sides = try TwoSides(sketch.model()) { context in
            let person = context.add("Person", ["id": "a"])
            context.add("Task", ["id": "t", "person": person, "project": context.add("Project", ["id": "p"])])
        }
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            for object in try context.all("Person") + context.all("Project") { context.delete(object) }
            try context.save()
            try tracker.receive(
                sides.answer {
                    for object in try $0.all("Person") + $0.all("Project") { object.setValue("new", forKey: "name") }
                })
            let conflicts = tracker.conflicts
            #expect(conflicts.map(\.kind) == [.deletion, .deletion])
            for index in order {
                try tracker.settle(conflicts[index], .theirs)
                #expect(try pending(tracker) == [])
            }
            let task = try #require(try context.one("Task", "id", "t"))
            #expect(task.object("person")?.text("name") == "new" && task.object("project")?.text("name") == "new")
        }
    }

    @Test func `a link that waits isn't sent by its other end either`() throws {
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try context.person("ann").setValue(context.person("bob"), forKey: "boss")
            context.add("Person", ["id": "cid", "staff": NSSet(object: try context.person("bob"))])
            try tracker.receive(
                sides.answer { try $0.person("ann").setValue($0.add("Person", ["id": "joe"]), forKey: "boss") })
            #expect(tracker.conflicts.map(\.property) == ["boss"])
            #expect(try context.person("ann").object("boss")?.text("id") == "bob")
            // Bob's staff has Ann for us alone; what is new of him, and Joe's staff, have nothing to do with it.
            #expect(try pending(tracker) == ["+Person cid", "Person bob boss"])

            try tracker.settle(try #require(tracker.conflicts.first), .theirs)
            #expect(try context.person("ann").object("boss")?.text("id") == "joe")
            #expect(try pending(tracker) == ["+Person cid", "Person bob boss"])
        }
    }

    @Test func `who moves to an object that waits isn't sent as one that left`() throws {
        for stack in [sides.client, sides.server] { try stack.fill { try $0.setTasks("a") } }
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try context.person("bob").setValue("Bobby", forKey: "name")
            try context.one("Task", "id", "a")?.setValue(context.person("bob"), forKey: "person")
            try tracker.receive(sides.answer { $0.delete(try $0.person("bob")) })
            #expect(tracker.conflicts.map(\.kind) == [.deletion])
            #expect(try pending(tracker) == [])

            try tracker.settle(try #require(tracker.conflicts.first), .ours)
            #expect(try pending(tracker) == ["+Person bob", "Person ann tasks", "Task a person"])
        }
    }

    // MARK: Later answers

    @Test(arguments: ["Anne", "Annika"])
    func `a conflict is none any more once both sides have the same`(_ name: String) throws {
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try context.person("ann").setValue("Anna", forKey: "name")
            try tracker.receive(sides.answer { try $0.person("ann").setValue("Anne", forKey: "name") })
            #expect(tracker.conflicts.map(\.property) == ["name"])
            // The user takes the server's value, or what the server takes as well.
            try context.person("ann").setValue(name, forKey: "name")
            try tracker.receive(sides.answer { try $0.person("ann").setValue("Annika", forKey: "name") })
            #expect(try context.person("ann").text("name") == "Annika")
            #expect(tracker.conflicts.isEmpty)
            #expect(try pending(tracker) == [])
        }
    }

    @Test func `what the server deletes after all doesn't come back`() throws {
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            context.delete(try context.person("ann"))
            try tracker.receive(sides.answer { try $0.person("ann").setValue("Anna", forKey: "name") })
            #expect(tracker.conflicts.map(\.kind) == [.deletion])
            try tracker.receive(sides.answer { $0.delete(try $0.person("ann")) })
            #expect(tracker.conflicts.isEmpty)
            #expect(try context.all("Person").count == 1)
            #expect(try pending(tracker) == [])
        }
    }

    @Test func `the server's value is the one that it has when the conflict is settled`() throws {
        for stack in [sides.client, sides.server] { try stack.fill { try $0.setTasks("abcd") } }
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try context.setTasks("dabc")
            try tracker.receive(sides.answer { try $0.setTasks("adbc") })
            let conflict = try #require(tracker.conflicts.first)
            // Nobody moves anything, and yet the list is another one.
            try tracker.receive(sides.answer { try $0.setTasks("adb") })
            let later = try #require(tracker.conflicts.first)
            #expect(conflict.kind == .order && later.kind == .order && conflict != later)
            try tracker.settle(later, .theirs)
            #expect(try context.person("ann").texts("tasks", "id").joined() == "adb")
            #expect(try pending(tracker) == [])
        }
    }

    // MARK: Uniqueness

    private func values(_ context: NSManagedObjectContext, _ id: String) throws -> [String?] {
        let person = try context.person(id)
        return ["email", "first", "last"].map { person.text($0) }
    }

    @Test(arguments: [GraphMerge.Choice.ours, .theirs, .base, .value(.string("c@x"))])
    func `a constraint that breaks only together waits for both objects, and is settled for both`(
        _ choice: GraphMerge.Choice
    ) throws {
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try context.person("ann").setValue("new@x", forKey: "email")
            try tracker.receive(sides.answer { try $0.person("bob").setValue("new@x", forKey: "email") })
            let conflict = try #require(tracker.conflicts.first)
            #expect(tracker.conflicts.map(\.kind) == [.uniqueness])
            #expect(try pending(tracker) == [])

            try tracker.settle(conflict, choice)
            func emails() throws -> [String?] { try ["ann", "bob"].map { try context.person($0).text("email") } }
            switch choice {
            case .ours:
                #expect(try emails() == ["new@x", "b@x"])
                #expect(try pending(tracker) == ["Person ann email", "Person bob email"])
            case .theirs:
                #expect(try emails() == ["a@x", "new@x"])
                #expect(try pending(tracker) == [])
            case .base:
                #expect(try emails() == ["a@x", "b@x"])
                #expect(try pending(tracker) == ["Person bob email"])
            case .value:
                #expect(try emails() == ["c@x", "new@x"])
                #expect(try pending(tracker) == ["Person ann email"])
            }
        }
    }

    @Test func `all attributes of a constraint wait, and are settled together`() throws {
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try context.person("bob").setValuesForKeys(["first": "J", "last": "D", "name": "Bobby"])
            try tracker.receive(
                sides.answer { try $0.person("ann").setValuesForKeys(["first": "J", "last": "D"]) })
            #expect(tracker.conflicts.map(\.property) == ["first"])
            #expect(try values(context, "bob") == ["b@x", "J", "D"])
            #expect(try values(context, "ann") == ["a@x", "A", "N"])
            #expect(try pending(tracker) == ["Person bob name"])

            try tracker.settle(try #require(tracker.conflicts.first), .theirs)
            #expect(try values(context, "bob") == ["b@x", "B", "B"])
            #expect(try values(context, "ann") == ["a@x", "J", "D"])
            #expect(try pending(tracker) == ["Person bob name"])
        }
    }

    @Test func `a new object is sent without the value that waits`() throws {
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            context.add("Person", ["id": "cid", "name": "Cid", "email": "new@x"])
            try tracker.receive(sides.answer { try $0.person("bob").setValue("new@x", forKey: "email") })
            let inserted = try #require(try tracker.pendingChange().inserted.first)
            #expect(inserted["email"] == nil && inserted["name"] == .attribute(.string("Cid")))
            #expect(try pending(tracker) == ["+Person cid"])
            try tracker.markSent()
            try tracker.confirm()
            #expect(try pending(tracker) == [])

            try tracker.settle(try #require(tracker.conflicts.first), .theirs)
            #expect(try context.person("cid").text("email") == nil)
            #expect(try context.person("bob").text("email") == "new@x")
            #expect(try pending(tracker) == [])
        }
    }

    // MARK: Order

    @Test func `the server's order is that of the members which are there`() throws {
        for stack in [sides.client, sides.server] { try stack.fill { try $0.setTasks("abcd") } }
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try context.setTasks("dabx")
            try tracker.receive(sides.answer { try $0.setTasks("adbc") })
            #expect(tracker.conflicts.map(\.kind) == [.order])
            #expect(try context.person("ann").texts("tasks", "id").joined() == "dabx")
            // Changed again while it waits.
            try context.setTasks("xdab")

            try tracker.settle(try #require(tracker.conflicts.first), .theirs)
            #expect(try context.person("ann").texts("tasks", "id").joined() == "xadb")
            #expect(try tracker.pendingChange().changed.first { $0.key.entity == "Person" }?.properties.count == 1)
        }
    }

    @Test func `a value that was changed again while it waited is settled, too`() throws {
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try context.person("ann").setValue("Anna", forKey: "name")
            try tracker.receive(sides.answer { try $0.person("ann").setValue("Anne", forKey: "name") })
            try context.person("ann").setValue("Annie", forKey: "name")
            try tracker.settle(try #require(tracker.conflicts.first), .theirs)
            #expect(try context.person("ann").text("name") == "Anne")
            #expect(try pending(tracker) == [])
        }
    }

    // MARK: Two objects of which only one can be

    /// A person who can have one seal, and animals that may be dogs.
    private func sealsAndDogs() throws -> TwoSides {
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["id": "id"],
            [.attribute("id"), .toOne("seal", "Seal", inverse: "person"), .toOne("pet", "Animal", inverse: "person")])
        sketch.entity(
            "Seal", info: ["identityAttributes": "number, person"],
            [
                .attribute("number", .integer32AttributeType),
                .toOne("person", "Person", inverse: "seal", isOptional: false),
            ])
        sketch.entity("Animal", info: ["id": "id"], [.attribute("id"), .toOne("person", "Person", inverse: "pet")])
        sketch.entity("Dog", parent: "Animal", [.attribute("breed")])
        return try TwoSides(sketch.model()) { $0.add("Person", ["id": "ann"]) }
    }

    @Test(arguments: [true, false], [GraphMerge.Choice.ours, .theirs, .base])
    func `two new objects of which only one can be wait both, and each choice is about both`(
        _ areSeals: Bool, _ choice: GraphMerge.Choice
    ) throws {
        let sides = try sealsAndDogs()
        func make(_ isOurs: Bool, _ context: NSManagedObjectContext) throws {
            let object =
                areSeals
                ? context.make("Seal", ["number": isOurs ? 1 : 2])
                : context.make(isOurs ? "Animal" : "Dog", ["id": "rex"])
            object.setValue(try context.person("ann"), forKey: "person")
        }
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try make(true, context)
            try tracker.receive(sides.answer { try make(false, $0) })
            let conflict = try #require(tracker.conflicts.first)
            #expect(tracker.conflicts.map(\.kind) == [.uniqueness])
            #expect(try pending(tracker) == [])

            try tracker.settle(conflict, choice)
            let names = areSeals ? ["Seal 1 of Person ann", "Seal 2 of Person ann"] : ["Animal rex", "Dog rex"]
            let lines = try pending(tracker).filter { !$0.hasPrefix("Person") }
            switch choice {
            case .ours: #expect(lines == ["-\(names[1])", "+\(names[0])"])
            case .theirs: #expect(lines == [])
            default: #expect(lines == ["-\(names[1])"])
            }
            let sent = try tracker.markSent()
            let server = try sides.answer { _ = try $0.apply(sent) }
            #expect(try GraphDiff(from: server, to: GraphSnapshot(of: context)).isEmpty)
        }
    }
}
