// Answers of a server: those that say what changes in a list, those that can't be taken, and those about more than is tracked.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct TrackerAnswerTests {
    // MARK: Lists

    /// Teams whose members are added to, or changed by a list of what to add and to remove.
    private func teams(_ policy: String) throws -> TwoSides {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [
                .attribute("id"), .attribute("name"),
                .toMany("members", "Person", inverse: "teams", isOrdered: true).annotated([
                    "JSONToManyPolicy": policy
                ]),
            ])
        sketch.entity(
            "Person", info: ["identityAttributes": "id"],
            [.attribute("id"), .toMany("teams", "Team", inverse: "members")])
        return try TwoSides(sketch.model()) { context in
            let team = context.add("Team", ["id": "t", "name": "T"])
            team.setValue(
                NSOrderedSet(array: ["a", "b"].map { context.add("Person", ["id": $0]) }), forKey: "members")
        }
    }

    @Test(arguments: [
        ("add", #"["c"]"#, "abc"), ("add", "[]", "ab"), ("add", #"["b"]"#, "ab"), ("replace", #"["c"]"#, "c"),
        ("delta", #"{"add": ["c"], "remove": ["a"]}"#, "bc"), ("delta", #"{"remove": ["a", "x"]}"#, "b"),
        ("delta", #"["c"]"#, "c"),
    ])
    func `a list that adds to a relationship takes nobody out`(_ policy: String, _ list: String, _ expected: String)
        throws
    {
        let sides = try teams(policy)
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            let json = Data(#"{"id": "t", "members": \#(list)}"#.utf8)
            try tracker.receive(json: json, entity: "Team", isWhole: false)
            let team = try #require(try context.one("Team", "id", "t"))
            #expect(team.texts("members", "id").joined() == expected)
            #expect(team.text("name") == "T")
            #expect(try tracker.pendingChange().isEmpty)
        }
    }

    // MARK: What an answer doesn't say, or says twice

    @Test(arguments: [true, false])
    func `the default of an identifying attribute doesn't make one of several objects`(_ isWhole: Bool) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Root", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType),
                .toMany("own", "Own", inverse: "root", rule: .cascadeDeleteRule, isOrdered: true),
            ])
        sketch.entity(
            "Own", info: ["identityAttributes": "no, root"],
            [
                .attribute("no", .integer64AttributeType, default: 0), .attribute("name"),
                .toOne("root", "Root", inverse: "own"),
            ])
        let sides = try TwoSides(sketch.model()) { _ in }
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            let json = Data(#"[{"id": 1, "own": [{"name": "a"}, {"name": "b"}]}]"#.utf8)
            try tracker.receive(json: json, entity: "Root", isWhole: isWhole)
            let root = try #require(try context.one("Root", "id", 1))
            #expect(root.texts("own", "name") == ["a", "b"])
        }
    }

    /// Persons with a boss, and a card and notes that are known by their owner alone.
    private func persons() throws -> TwoSides {
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["identityAttributes": "id"],
            [
                .attribute("id"), .toOne("boss", "Person", inverse: "staff"),
                .toMany("staff", "Person", inverse: "boss"),
                .toOne("desk", "Desk", inverse: "person"),
                .toOne("card", "Card", inverse: "person", rule: .cascadeDeleteRule),
                .toMany("notes", "Note", inverse: "person", rule: .cascadeDeleteRule, isOrdered: true),
            ])
        sketch.entity(
            "Desk", info: ["identityAttributes": "id"], [.attribute("id"), .toOne("person", "Person", inverse: "desk")])
        sketch.entity("Card", [.attribute("text"), .toOne("person", "Person", inverse: "card")])
        sketch.entity("Note", [.attribute("text"), .toOne("person", "Person", inverse: "notes")])
        return try TwoSides(sketch.model()) { _ in }
    }

    @Test(
        arguments: [
            #"[{"id": "1", "staff": [{"id": "2"}]}, {"id": "3", "staff": [{"id": "2"}]}]"#,
            #"[{"id": "3", "staff": ["2", "4"]}, {"id": "1", "staff": ["2"]}, {"id": "2", "boss": "3"}]"#,
            #"[{"id": "2", "boss": "1"}, {"id": "1", "staff": []}]"#,
            #"[{"id": "1", "staff": []}, {"id": "2", "boss": "1"}]"#,
            #"[{"id": "3", "boss": null}, {"id": "1", "staff": [{"id": "2", "boss": "3"}]}]"#,
            #"[{"id": "2", "boss": null}, {"id": "1", "staff": ["2"]}, {"id": "3", "staff": ["2"]}, {"id": "3", "staff": []}]"#,
            #"[{"id": "1", "desk": {"id": "d"}}, {"id": "2", "desk": {"id": "d"}}]"#,
            #"[{"id": "1", "desk": {"id": "d", "person": "2"}}, {"id": "2", "desk": "e"}]"#,
        ], [true, false])
    func `what a text says of links and takes back is what an import makes of it`(
        _ text: String, _ isWhole: Bool
    ) throws {
        func links(_ context: NSManagedObjectContext) throws -> [String] {
            try context.all("Person", by: "id").map { person in
                "\(person.text("id") ?? "") of \(person.object("boss")?.text("id") ?? "-") over "
                    + "\(person.texts("staff", "id")) at \(person.object("desk")?.text("id") ?? "-")"
            }
        }
        let sides = try persons()
        try sides.server.importJSON(text, "Person")
        let expected = try sides.server.perform(links)
        try sides.client.perform { context in
            let tracker = try GraphTracker(file: sides.file, context: context)
            try tracker.receive(json: Data(text.utf8), entity: "Person", isWhole: isWhole)
            let found = try links(context)
            #expect(found == expected)
            #expect(try tracker.pendingChange().isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `an owned object of which a text says nothing is an object`(_ isWhole: Bool) throws {
        let sides = try persons()
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            let json = Data(#"[{"id": "1", "card": {}, "notes": [{}, {"text": "a"}]}]"#.utf8)
            try tracker.receive(json: json, entity: "Person", isWhole: isWhole)
            let person = try #require(try context.one("Person", "id", "1"))
            #expect(person.object("card") != nil && (person.value(forKey: "notes") as? NSOrderedSet)?.count == 2)
            #expect(try tracker.pendingChange().isEmpty)
        }
    }

    // MARK: Answers that can't be saved

    /// Characters; for the client, some names are invalid.
    private func comics() throws -> TwoSides {
        let model = ComicModel.make()
        model.entitiesByName["Character"]?.attributesByName["name"]?.setValidationPredicates(
            [NSPredicate(format: "NOT SELF BEGINSWITH 'The'")], withValidationWarnings: [])
        return try TwoSides(model, serverModel: ComicModel.make()) { context in
            let publisher = context.add("Publisher", ["identifier": 10, "name": "DC"])
            let power = context.add("Power", ["identifier": 4, "name": "Agility"])
            context.add(
                "Character",
                ["identifier": 1699, "name": "Batman", "publisher": publisher, "powers": NSSet(object: power)])
        }
    }

    private func rename(_ name: String) -> (NSManagedObjectContext) throws -> Void {
        { try $0.one("Character", "identifier", 1699)?.setValue(name, forKey: "name") }
    }

    @Test func `an answer that can't be saved changes nothing, and locks nothing`() throws {
        let sides = try comics()
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            let batman = try #require(try context.one("Character", "identifier", 1699))
            batman.setValue("mine", forKey: "secret")
            #expect(throws: (any Error).self) {
                try tracker.receive(sides.answer(rename("The Dark Knight")))
            }
            #expect(!context.hasChanges)
            #expect(batman.text("name") == "Batman" && batman.text("secret") == "mine")
            #expect(try tracker.pendingChange().changed.map { $0.properties.map(\.name) } == [["secret"]])

            let second = try GraphTracker(file: sides.file, context: context)
            #expect(second.resumeError != nil)
            #expect(!context.hasChanges && batman.text("name") == "Batman")
            try second.receive(sides.answer(rename("Bat")))
            #expect(batman.text("name") == "Bat" && second.resumeError == nil)
            #expect(try GraphTracker(file: sides.file, context: context).resumeError == nil)
        }
    }

    @Test func `a choice that can't be saved leaves the conflict waiting`() throws {
        let sides = try comics()
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try rename("Mine")(context)
            // Saved is our value: the server's waits.
            try tracker.receive(sides.answer(rename("The Dark Knight")))
            let conflict = try #require(tracker.conflicts.first)
            #expect(throws: (any Error).self) { try tracker.settle(conflict, .theirs) }
            #expect(!context.hasChanges && tracker.conflicts == [conflict])
            try tracker.settle(conflict, .value(.string("Bat")))
            #expect(try context.one("Character", "identifier", 1699)?.text("name") == "Bat")
        }
    }

    /// Lets an answer arrive that has to wait, because what the user is at can't be saved.
    private func receiveInVain(_ context: NSManagedObjectContext, _ receive: () throws -> Void) throws {
        try rename("The unsaved")(context)
        #expect(throws: (any Error).self) { try receive() }
        context.rollback()
    }

    private func publish(_ name: String) -> (NSManagedObjectContext) throws -> Void {
        { try $0.one("Publisher", "identifier", 10)?.setValue(name, forKey: "name") }
    }

    @Test(arguments: [true, false])
    func `an answer that waits takes back nothing that is confirmed meanwhile`(_ isBeforeMark: Bool) throws {
        let sides = try comics()
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            let answer = try sides.answer(publish("DC Comics"))
            if isBeforeMark { try receiveInVain(context) { try tracker.receive(answer) } }
            let batman = try #require(try context.one("Character", "identifier", 1699))
            batman.setValue("new", forKey: "secret")
            context.add("Power", ["identifier": 9, "name": "Flight"])
            let sent = try tracker.markSent()
            #expect(sent.count == 2)
            if !isBeforeMark { try receiveInVain(context) { try tracker.receive(answer) } }
            try tracker.confirm()
            #expect(!tracker.isWaiting)

            let second = try GraphTracker(file: sides.file, context: context)
            #expect(second.resumeError == nil)
            #expect(batman.text("secret") == "new" && batman.object("publisher")?.text("name") == "DC Comics")
            #expect(try context.all("Power", by: "identifier").map { $0.text("name") } == ["Agility", "Flight"])
            // An answer that came later says what the server made of it.
            let pending = try second.pendingChange()
            #expect(isBeforeMark ? pending.isEmpty : pending == sent)
        }
    }

    @Test(arguments: [true, false])
    func `an answer that isn't whole adds to one that waits`(_ isDiff: Bool) throws {
        let sides = try comics()
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            var last = try sides.answer()
            func receive(_ property: String, _ key: String, _ value: String) throws {
                let next = try sides.answer {
                    try $0.one("Character", "identifier", 1699)?.setValue(value, forKey: property)
                }
                defer { last = next }
                if isDiff {
                    try tracker.receive(GraphDiff(from: last, to: next))
                } else {
                    let json = Data(#"{"id": 1699, "\#(key)": "\#(value)"}"#.utf8)
                    try tracker.receive(json: json, entity: "Character", isWhole: false)
                }
            }
            try receiveInVain(context) { try receive("realName", "real_name", "Bruce") }
            try receive("name", "name", "Bat")
            let batman = try #require(try context.one("Character", "identifier", 1699))
            #expect(batman.text("realName") == "Bruce" && batman.text("name") == "Bat")
            #expect(try tracker.pendingChange().isEmpty)
            #expect(try GraphTracker(file: sides.file, context: context).pendingChange().isEmpty)
        }
    }

    // MARK: Tracked entities

    @Test func `answers are about the tracked entities alone`() throws {
        let sides = try comics()
        let options = GraphTracker.Options(entities: ["Character"])
        try sides.client.perform { context in
            let tracker = try sides.tracker(context, options)
            let answer = try sides.answer { server in
                try server.one("Power", "identifier", 4)?.setValue("Speed", forKey: "name")
                server.add("Publisher", ["identifier": 11, "name": "Marvel"])
                try rename("Bat")(server)
            }
            let change = try tracker.receive(answer)
            #expect(change.changed.map(\.key.entity) == ["Character"] && change.inserted.isEmpty)
            #expect(try context.one("Power", "identifier", 4)?.text("name") == "Agility")
            #expect(try tracker.pendingChange().isEmpty)

            // Links to others are told, and nothing of these.
            let batman = try #require(try context.one("Character", "identifier", 1699))
            batman.setValue(
                NSSet(object: context.add("Power", ["identifier": 5, "name": "Flight"])), forKey: "powers")
            let pending = try tracker.pendingChange()
            #expect(pending.changed.map(\.key.entity) == ["Character"] && pending.count == 1)
            batman.setValue(NSSet(object: try #require(try context.one("Power", "identifier", 4))), forKey: "powers")
            #expect(try tracker.pendingChange().isEmpty)

            // A diff of the server's, about everything.
            let diff = try GraphDiff(
                from: answer,
                to: sides.answer { server in
                    try server.one("Power", "identifier", 4)?.setValue("Strength", forKey: "name")
                    server.delete(try #require(try server.one("Publisher", "identifier", 11)))
                    try rename("Batman")(server)
                })
            #expect(try tracker.receive(diff).changed.map(\.key.entity) == ["Character"])
            #expect(try context.one("Character", "identifier", 1699)?.text("name") == "Batman")
            #expect(try context.one("Character", "identifier", 1699)?.texts("powers", "name") == ["Agility"])
            #expect(try tracker.pendingChange().isEmpty)

            // JSON, which nests the others.
            let json = Data(#"[{"id": 1699, "name": "B", "powers": [{"id": 4, "name": "X"}]}]"#.utf8)
            try tracker.receive(json: json, entity: "Character", isWhole: false)
            #expect(try context.one("Character", "identifier", 1699)?.text("name") == "B")
            #expect(try context.one("Power", "identifier", 4)?.text("name") == "Agility")
            #expect(try tracker.pendingChange().isEmpty)
        }
    }

    @Test func `what tracked objects own is tracked`() throws {
        let sides = try TwoSides(SyncModel.make()) { try SyncModel.fill($0) }
        try sides.client.perform { context in
            let tracker = try sides.tracker(context, GraphTracker.Options(entities: ["Person"]))
            let change = try tracker.receive(
                sides.answer { server in
                    server.add("Address", ["id": "beach", "person": try server.person("ann")])
                    server.add("Address", ["id": "nobody's"])
                    server.add("Task", ["id": "y"])
                })
            #expect(change.inserted.map(\.key) == [ObjectKey("Address", [.string("beach")])])
            #expect(try context.all("Task").count == 5)
            #expect(try tracker.pendingChange().isEmpty)
        }
    }

    // MARK: Sending

    @Test func `what is confirmed is what was marked last`() throws {
        let sides = try comics()
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try rename("One")(context)
            #expect(try tracker.markSent().changed.count == 1)
            try rename("Two")(context)
            // Nothing has been confirmed: the second change leads from the last known state, too.
            let second = try tracker.markSent()
            #expect(
                second.changed.first?["name"] == .attribute(old: .string("Batman"), new: .string("Two")))
            try tracker.confirm()
            #expect(try tracker.pendingChange().isEmpty)
        }
    }

    @Test func `objects without identity that a server's store has are the same after they were confirmed`() throws {
        var sketch = ModelSketch()
        sketch.entity("Note", [.attribute("text"), .attribute("stars", .integer32AttributeType)])
        let model = sketch.model()
        let server = try TestStack(model, .sqlite), client = try TestStack(model, .sqlite)
        try server.perform { context throws in
            for (text, stars) in [("gone", 0), ("a", 1), ("b", 2)] {
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValuesForKeys(["text": text, "stars": stars])
                try context.save()
            }
            context.delete(try #require(try context.one("Note", "text", "gone")))
            try context.save()
        }
        let store = try #require(client.container.persistentStoreCoordinator.persistentStores.first?.url)
        let state = try server.perform { try GraphSnapshot(of: $0) }
        try client.perform { context throws in
            let tracker = try GraphTracker(file: GraphTracker.file(besideStoreAt: store), context: context)
            _ = try tracker.receive(state)
            try context.save()
            #expect(try tracker.pendingChange().isEmpty)
            _ = try tracker.markSent()
            try tracker.confirm()
            #expect(try tracker.pendingChange().isEmpty)
            try #require(try context.one("Note", "text", "a")).setValue(5, forKey: "stars")
            try context.save()
            let pending = try tracker.pendingChange()
            #expect(pending.inserted.count + pending.deleted.count + pending.changed.count > 0)
        }
    }
}
