// The law of nested JSON: a text that says each link at one end alone has a diff to the next such text that leads a store there and
// back, as it leads a snapshot. Random texts of teams with players and their pets, who move, come and go.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct NestedJSONLawTests {
    private func model(isOrdered: Bool) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .toMany("players", "Player", inverse: "team", isOrdered: isOrdered),
                .toOne("captain", "Player", inverse: "leads"),
            ])
        sketch.entity(
            "Player", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .toOne("team", "Team", inverse: "players"), .toOne("leads", "Team", inverse: "captain"),
                .toMany("pets", "Pet", inverse: "owners"),
            ])
        sketch.entity(
            "Pet", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .toMany("owners", "Player", inverse: "pets"),
            ])
        return sketch.model()
    }

    /// Texts in which each object says the same wherever it stands.
    private struct Texts {
        var random: SeededGenerator
        private var pets: [String] = []
        private var players: [String] = []

        init(seed: Int) { random = SeededGenerator(seed: seed) }

        mutating func text() -> String {
            pets = (0..<4).map { "{\"id\": \($0), \"name\": \"pet \(random.below(2))\"}" }
            players = (0..<6).map { id in
                let mine = pets.indices.filter { _ in random.chance(30) }.map { pets[$0] }
                return "{\"id\": \(id), \"name\": \"\(random.below(2))\", \"pets\": [\(mine.joined(separator: ", "))]}"
            }
            var free = Array(players.indices).shuffled(using: &random)
            let teams = (0..<3).filter { _ in random.chance(70) }.map { id in
                let mine = (0..<random.below(3)).map { _ in players[free.removeLast()] }
                let captain = random.chance(40) ? "null" : mine.first ?? "null"
                return "{\"id\": \(id), \"name\": \"\(random.below(2))\", \"captain\": \(captain), "
                    + "\"players\": [\(mine.joined(separator: ", "))]}"
            }
            return "[\(teams.joined(separator: ",\n "))]"
        }
    }

    @Test(arguments: Laws.cases(1...200, oneOf: 10))
    func `the diff of two nested texts leads a snapshot and a store there and back`(_ seed: Int) throws {
        let model = model(isOrdered: seed.isMultiple(of: 2))
        var texts = Texts(seed: seed)
        let (one, other) = (texts.text(), texts.text())
        let words: Comment = "seed \(seed)\n\(one)\n\(other)"
        let old = try GraphSnapshot(json: Data(one.utf8), entity: "Team", model: model)
        let new = try GraphSnapshot(json: Data(other.utf8), entity: "Team", model: model)
        let diff = try GraphDiff(from: old, to: new)
        let there = try old.applying(diff)
        try #require(try GraphDiff(from: there, to: new).isEmpty, words)
        try #require(try GraphDiff(from: there.applying(diff.inverted), to: old).isEmpty, words)

        let stack = try TestStack(model)
        try stack.importJSON(one, "Team")
        try stack.perform { context in
            let before = try GraphSnapshot(of: context)
            try context.apply(diff)
            try context.save()
            let after = try GraphDiff(from: GraphSnapshot(of: context), to: new)
            try #require(after.isEmpty, "\(after) \(words)")
            let exported = try GraphSnapshot(json: context.exportJSON(), model: model)
            let exportedAfter = try GraphDiff(from: exported, to: new)
            try #require(exportedAfter.isEmpty, "\(exportedAfter) \(words)")
            try context.apply(diff.inverted)
            try context.save()
            try #require(try GraphDiff(from: GraphSnapshot(of: context), to: before).isEmpty, words)
        }
    }
}
