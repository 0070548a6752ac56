// What the model demands, of snapshots that changes were applied to and of merges.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct SnapshotRuleTests {
    /// Teams with one to two members, who have a name and a locker that nobody else has.
    private static func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["id": "name"],
            [
                .attribute("name"), .attribute("code", isOptional: false),
                .toMany("members", "Player", inverse: "teams", isOptional: false),
            ])
        sketch.entity(
            "Player", info: ["id": "name"],
            [
                .attribute("name"), .toMany("teams", "Team", inverse: "members"),
                .toOne("locker", "Locker", inverse: "player", isOptional: false),
            ])
        sketch.entity(
            "Locker", info: ["id": "number"],
            [.attribute("number", .integer16AttributeType), .toOne("player", "Player", inverse: "locker")])
        let model = sketch.model()
        let members = model.entitiesByName["Team"]?.relationshipsByName["members"]
        members?.minCount = 1
        members?.maxCount = 2
        return model
    }

    private let stack: TestStack

    init() throws {
        stack = try TestStack(Self.model())
        try stack.perform { context in
            let team = context.make("Team", ["name": "T", "code": "t"])
            for (index, name) in ["A", "B", "C", "D"].enumerated() {
                let player = context.make("Player", ["name": name])
                player.setValue(context.make("Locker", ["number": index]), forKey: "locker")
                if index < 2 { player.mutableSetValue(forKey: "teams").add(team) }
            }
            _ = context.make("Locker", ["number": 9])
            try context.save()
        }
    }

    private func snapshot(_ change: (NSManagedObjectContext) throws -> Void = { _ in }) throws -> GraphSnapshot {
        try stack.perform { context in
            try change(context)
            return try GraphSnapshot(of: context)
        }
    }

    private func members(_ names: String...) throws -> GraphSnapshot {
        try snapshot { context in
            let players = try names.map { try #require(try context.one("Player", "name", $0)) }
            try #require(try context.one("Team", "name", "T")).setValue(NSSet(array: players), forKey: "members")
        }
    }

    private func names(_ value: PropertyValue?) -> [String] {
        guard case .toMany(let keys, _)? = value else { return [] }
        return keys.map(\.description)
    }

    private func team(_ snapshot: GraphSnapshot) throws -> ObjectContents {
        try #require(try snapshot.contents().first { $0.key.entity == "Team" })
    }

    @Test func `a change that takes a mandatory value away is refused, and changes nothing`() throws {
        let base = try snapshot()
        let key = ObjectKey("Team", [.string("T")])
        for kind in [
            PropertyChange("code", .attribute(old: .string("t"), new: .null)),
            PropertyChange(
                "members", .toMany(.init(removed: ["A", "B"].map { .init(ObjectKey("Player", [.string($0)])) }))),
        ] {
            var changed = base
            let error = graftError { try changed.apply(GraphDiff(changed: [ObjectChange(key, [kind])])) }
            guard case .validation? = error?.problem else { throw try #require(error) }
            #expect(error?.place.property == kind.name)
            #expect(error?.description.contains("Team \"T\"") == true)
            #expect(try changed.contents() == base.contents())
        }
        // Deleting what is mandatory for others, too.
        let locker = try #require(try base.contents().first { $0.key.description == "Locker 0" })
        let error = graftError { _ = try base.applying(GraphDiff(deleted: [locker])) }
        #expect(error?.place.property == "locker")
    }

    @Test func `more deletions than the options allow are refused, and change nothing`() throws {
        let base = try snapshot()
        let locker = try #require(try base.contents().first { $0.key.description == "Locker 9" })
        let diff = GraphDiff(deleted: [locker])
        var changed = base
        let error = graftError { try changed.apply(diff, options: .init(deletionLimit: .count(0))) }
        #expect(error?.problem == .tooManyDeletions(count: 1, of: 5, limit: 0))
        #expect(error?.place.entity == "Locker")
        #expect(try changed.contents() == base.contents())
        try changed.apply(diff, options: .init(deletionLimit: .percent(20)))
        #expect(changed.rows(of: "Locker").count == 4)
    }

    @Test func `what was invalid before may stay so`() throws {
        let invalid = try snapshot { try #require(try $0.one("Team", "name", "T")).setValue(nil, forKey: "code") }
        let other = try snapshot {
            let team = try #require(try $0.one("Team", "name", "T"))
            team.setValue(nil, forKey: "code")
            team.setValue(NSSet(array: [try #require(try $0.one("Player", "name", "C"))]), forKey: "members")
        }
        #expect(try invalid.applying(GraphDiff(from: invalid, to: other)).contents() == other.contents())
        let merge = try GraphMerge(base: snapshot(), ours: invalid, theirs: snapshot())
        #expect(merge.conflicts.isEmpty)
    }

    @Test func `sides that each take another member leave a conflict where one is mandatory`() throws {
        let base = try snapshot()
        let merge = try GraphMerge(base: base, ours: members("A"), theirs: members("B"))
        #expect(merge.conflicts.map(\.kind) == [.rule])
        let conflict = try #require(merge.conflicts.first)
        #expect(conflict.key.description == "Team \"T\"" && conflict.property == "members")
        #expect(conflict.description.contains("the model doesn't allow"))
        for (choice, expected) in [(GraphMerge.Choice.ours, ["Player \"A\""]), (.theirs, ["Player \"B\""])] {
            var settled = merge
            try settled.settle(conflict, choice)
            #expect(settled.conflicts.isEmpty)
            #expect(try names(team(settled.snapshot)["members"]) == expected)
            let stored = try JSONDecoder().decode(GraphMerge.self, from: JSONEncoder().encode(settled))
            #expect(try stored.snapshot.contents() == settled.snapshot.contents())
        }
        let swapped = try GraphMerge(base: base, ours: members("B"), theirs: members("A"))
        #expect(swapped.conflicts.map(\.mirrored) == merge.conflicts)
    }

    @Test func `too many members are a conflict that a policy settles`() throws {
        let base = try members("A")
        let (ours, theirs) = (try members("A", "B"), try members("A", "C"))
        #expect(try GraphMerge(base: base, ours: ours, theirs: theirs).conflicts.map(\.kind) == [.rule])
        let merge = try GraphMerge(base: base, ours: ours, theirs: theirs, options: .init(policy: .theirs))
        #expect(merge.conflicts.isEmpty)
        #expect(try names(team(merge.snapshot)["members"]) == ["Player \"A\"", "Player \"C\""])
    }

    @Test func `who loses a mandatory place in a one-to-one relationship is a conflict`() throws {
        func move(_ player: String) throws -> GraphSnapshot {
            try snapshot { context in
                let locker = try #require(try context.one("Locker", "number", 9))
                try #require(try context.one("Player", "name", player)).setValue(locker, forKey: "locker")
            }
        }
        var merge = try GraphMerge(base: snapshot(), ours: move("A"), theirs: move("B"))
        #expect(!merge.conflicts.isEmpty)
        var rounds = 0
        while let conflict = merge.conflicts.first, rounds < 9 {
            try merge.settle(conflict, .ours)
            rounds += 1
        }
        #expect(merge.conflicts.isEmpty)
        for player in try merge.snapshot.contents() where player.key.entity == "Player" {
            #expect(player["locker"] != nil, "\(player.key)")
        }
    }

    @Test func `a conflict stays where neither side's version is there any more`() throws {
        let base = try snapshot()
        func delete(_ name: String) throws -> GraphSnapshot {
            try snapshot { $0.delete(try #require(try $0.one("Player", "name", name))) }
        }
        let merge = try GraphMerge(base: base, ours: delete("A"), theirs: delete("B"), options: .init(policy: .ours))
        #expect(merge.conflicts.map(\.kind) == [.rule])
        #expect(names(try team(merge.snapshot)["members"]).isEmpty)
    }

    @Test func `a new object that loses what it must have is taken back for the side that doesn't have it`() throws {
        // Ours makes a team of C; theirs deletes C.
        let base = try snapshot()
        let ours = try snapshot { context in
            let team = context.make("Team", ["name": "U", "code": "u"])
            let member = try #require(try context.one("Player", "name", "C"))
            team.setValue(NSSet(object: member), forKey: "members")
        }
        let theirs = try snapshot { $0.delete(try #require(try $0.one("Player", "name", "C"))) }
        try expectPoliciesToDecide(between: ours, and: theirs, base: base)
        var merge = try GraphMerge(base: base, ours: ours, theirs: theirs)
        try merge.settle(try #require(merge.conflicts.first), .theirs)
        #expect(merge.conflicts.map(\.kind) == [.rule])
        for choice in [GraphMerge.Choice.theirs, .base] {
            var settled = merge
            try settled.settle(try #require(settled.conflicts.first), choice)
            #expect(settled.conflicts.isEmpty && settled.settled.count == 2)
            #expect(try settled.snapshot.contents() == theirs.contents())
            let stored = try JSONDecoder().decode(GraphMerge.self, from: JSONEncoder().encode(settled))
            #expect(stored.conflicts.isEmpty)
            #expect(try stored.snapshot.contents() == theirs.contents())
        }
    }
}
