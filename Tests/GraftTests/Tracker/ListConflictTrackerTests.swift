// A conflict about whose list an object is in, where nothing leads back (`Thing x Box.things`), waits in a tracker like any other: nothing of it
// is sent, and it can be settled for the server.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ListConflictTrackerTests {
    private func makeSides() throws -> TwoSides {
        var sketch = ModelSketch()
        sketch.entity("Box", info: ["id": "id"], [.attribute("id"), .toMany("things", "Thing")])
        sketch.entity("Thing", info: ["id": "id"], [.attribute("id")])
        return try TwoSides(sketch.model()) { context in
            let thing = context.add("Thing", ["id": "x"])
            context.add("Box", ["id": "a", "things": NSSet(object: thing)])
            for id in ["b", "c"] { context.add("Box", ["id": id]) }
        }
    }

    private func box(_ id: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        try #require(try context.one("Box", "id", id))
    }

    /// Takes the thing out of the first box, and puts it into another one.
    private func move(to id: String, _ context: NSManagedObjectContext) throws {
        let thing = try #require(try context.one("Thing", "id", "x"))
        try box("a", context).setValue(NSSet(), forKey: "things")
        try box(id, context).setValue(NSSet(object: thing), forKey: "things")
    }

    @Test func `a list that waits isn't sent`() throws {
        let sides = try makeSides()
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try move(to: "b", context)
            try tracker.receive(sides.answer { try move(to: "c", $0) })
            #expect(tracker.conflicts.map(\.property) == ["Box.things"])
            #expect(try box("b", context).texts("things", "id") == ["x"])
            // docs/sync.md: "A conflict that is left keeps the user's value in the objects; it isn't sent".
            let pending = try tracker.pendingChange()
            #expect(pending.isEmpty, "\(pending.changed.map(\.key))")
        }
    }

    @Test func `a list that waits can be settled for the server`() throws {
        let sides = try makeSides()
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try move(to: "b", context)
            try tracker.receive(sides.answer { try move(to: "c", $0) })
            let conflict = try #require(tracker.conflicts.first)
            #expect(throws: Never.self) { try tracker.settle(conflict, .theirs) }
            #expect(tracker.conflicts.isEmpty)
            #expect(try box("b", context).texts("things", "id") == [])
            #expect(try box("c", context).texts("things", "id") == ["x"])
            #expect(try tracker.pendingChange().isEmpty)
        }
    }

    @Test func `a list about which both sides say the same by now doesn't wait any more`() throws {
        let sides = try makeSides()
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try move(to: "b", context)
            try tracker.receive(sides.answer { try move(to: "c", $0) })
            #expect(tracker.conflicts.count == 1)
            try tracker.receive(
                sides.answer { server in
                    let thing = try #require(try server.one("Thing", "id", "x"))
                    try box("c", server).setValue(NSSet(), forKey: "things")
                    try box("b", server).setValue(NSSet(object: thing), forKey: "things")
                })
            #expect(tracker.conflicts.isEmpty)
        }
    }

    // MARK: A way back that is excluded

    /// Players know their team, but only the team's list takes part in diffs.
    private func makeTeams(isOrdered: Bool) throws -> TwoSides {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["id": "id"],
            [.attribute("id"), .toMany("players", "Player", inverse: "team", isOrdered: isOrdered)])
        sketch.entity(
            "Player", info: ["id": "id"],
            [.attribute("id"), .toOne("team", "Team", inverse: "players").annotated(["diff": "exclude"])])
        return try TwoSides(sketch.model()) { context in
            for id in ["1", "2", "3"] { context.add("Team", ["id": id]) }
            let team = try #require(try context.one("Team", "id", "1"))
            context.add("Player", ["id": "x", "team": team])
        }
    }

    private func transfer(to id: String, _ context: NSManagedObjectContext) throws {
        let team = try #require(try context.one("Team", "id", id))
        try #require(try context.one("Player", "id", "x")).setValue(team, forKey: "team")
    }

    @Test(arguments: [GraphMerge.Choice.ours, .theirs, .base], [false, true])
    func `an end that takes no part in diffs can be settled, by what leads to it`(
        _ choice: GraphMerge.Choice, _ isOrdered: Bool
    ) throws {
        let sides = try makeTeams(isOrdered: isOrdered)
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try transfer(to: "2", context)
            try tracker.receive(sides.answer { try transfer(to: "3", $0) })
            let conflict = try #require(tracker.conflicts.first)
            #expect(tracker.conflicts.map(\.property) == ["team"])
            #expect(try tracker.pendingChange().isEmpty)
            try tracker.settle(conflict, choice)
            #expect(tracker.conflicts.isEmpty)
            let player = try #require(try context.one("Player", "id", "x"))
            let team = choice == .ours ? "2" : choice == .theirs ? "3" : "1"
            #expect(player.object("team")?.text("id") == team)
            #expect(try tracker.pendingChange().isEmpty == (choice == .theirs))
        }
    }

    @Test func `an end that takes no part in diffs waits until both sides say the same of it`() throws {
        let sides = try makeTeams(isOrdered: false)
        try sides.client.perform { context in
            let tracker = try sides.tracker(context)
            try transfer(to: "2", context)
            try tracker.receive(sides.answer { try transfer(to: "3", $0) })
            try tracker.receive(sides.answer { $0.add("Team", ["id": "4"]) })
            #expect(tracker.conflicts.count == 1)
            try tracker.receive(sides.answer { try transfer(to: "2", $0) })
            #expect(tracker.conflicts.isEmpty)
        }
    }
}
