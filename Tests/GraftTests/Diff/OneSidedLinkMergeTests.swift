// Links that a diff names at their to-many end alone, because the text says them once or because the other end is excluded: a child that both
// sides gave to different parents is a conflict nevertheless, and is never in two lists or silently where one side didn't put it.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct OneSidedLinkMergeTests {
    private func model(excludesTeam: Bool = false) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity("Team", info: ["id": "id"], [.attribute("id"), .toMany("players", "Player", inverse: "team")])
        let team = ModelSketch.Property.toOne("team", "Team", inverse: "players")
        sketch.entity(
            "Player", info: ["id": "id"],
            [.attribute("id"), excludesTeam ? team.annotated(["diff": "exclude"]) : team])
        return sketch.model()
    }

    /// Three teams as nested JSON, one of which has the player.
    private func text(_ holder: Int, _ model: NSManagedObjectModel) throws -> GraphSnapshot {
        let teams = (1...3).map { id in
            "{\"id\": \"\(id)\", \"players\": [\(id == holder ? "{\"id\": \"x\"}" : "")]}"
        }
        let text = "[\(teams.joined(separator: ", "))]"
        return try GraphSnapshot(json: Data(text.utf8), entity: "Team", model: model)
    }

    /// The same as objects.
    private func stored(_ holder: Int, _ model: NSManagedObjectModel) throws -> GraphSnapshot {
        try TestStack(model).perform { context in
            let player = context.make("Player", ["id": "x"])
            for id in 1...3 {
                let team = context.make("Team", ["id": "\(id)"])
                if id == holder { player.setValue(team, forKey: "team") }
            }
            return try GraphSnapshot(of: context)
        }
    }

    /// The teams that have the player in their list.
    private func holders(_ snapshot: GraphSnapshot) -> [String] {
        snapshot.rows(of: "Team").flatMap { team in
            (team.members(of: "players") ?? []).map { _ in "\(team["id"] ?? .null)".filter { $0 != "\"" } }
        }.sorted()
    }

    private func expectConflict(_ base: GraphSnapshot, _ ours: GraphSnapshot, _ theirs: GraphSnapshot) throws {
        let merge = try GraphMerge(base: base, ours: ours, theirs: theirs)
        #expect(merge.conflicts.map(\.kind) == [.values])
        #expect(holders(merge.snapshot) == ["1"])
        for (policy, team) in [(GraphMerge.Policy.ours, "2"), (.theirs, "3")] {
            let settled = try GraphMerge(base: base, ours: ours, theirs: theirs, options: .init(policy: policy))
            #expect(holders(settled.snapshot) == [team], "\(policy)")
        }
    }

    @Test func `of three nested texts`() throws {
        let model = model()
        try expectConflict(text(1, model), text(2, model), text(3, model))
    }

    @Test func `of two stores and a nested text`() throws {
        let model = model()
        try expectConflict(stored(1, model), stored(2, model), text(3, model))
    }

    @Test func `of stores, where the end that decides takes no part in diffs`() throws {
        let model = model(excludesTeam: true)
        try expectConflict(stored(1, model), stored(2, model), stored(3, model))
    }
}
