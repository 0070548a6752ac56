// The law of snapshots that are imported: what comes of a text's snapshot is what comes of the text, also where the text says of the
// same objects again who they are with, and only the other end says in which order a list is.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct SnapshotImportLawTests {
    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType),
                .toMany("players", "Player", inverse: "team", isOrdered: true),
                .toMany("guests", "Player", inverse: "visits", isOrdered: true), .toMany("seen", "Player"),
            ])
        sketch.entity(
            "Player", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .toOne("team", "Team", inverse: "players"),
                .toMany("visits", "Team", inverse: "guests"),
            ])
        return sketch.model()
    }

    /// Records of few teams, in which players say where they are, or teams whom they have.
    private struct Payload {
        var random: SeededGenerator

        private mutating func player(_ id: Int) -> String {
            var parts = ["\"id\": \(id)"]
            if random.chance(60) { parts.append("\"team\": \(random.chance(10) ? "null" : "\(random.below(3))")") }
            if random.chance(40) {
                let teams = (0..<3).filter { _ in random.chance(50) }.map(String.init)
                parts.append("\"visits\": [\(teams.joined(separator: ", "))]")
            }
            return "{\(parts.joined(separator: ", "))}"
        }

        private mutating func players() -> String {
            let ids = (0..<5).filter { _ in random.chance(40) }.shuffled(using: &random)
            return "[\(ids.map { random.chance(60) ? "\($0)" : player($0) }.joined(separator: ", "))]"
        }

        mutating func text() -> String {
            let records = (0..<(2 + random.below(4))).map { _ in
                var parts = ["\"id\": \(random.below(3))"]
                for name in ["players", "guests", "seen"] where random.chance(50) {
                    parts.append("\"\(name)\": \(players())")
                }
                return "{\(parts.joined(separator: ", "))}"
            }
            return "[\(records.joined(separator: ",\n "))]"
        }
    }

    @Test(arguments: Laws.cases(1...300, oneOf: 10))
    func `the snapshot of a text is imported as the text is`(_ seed: Int) throws {
        let model = model()
        var payload = Payload(random: SeededGenerator(seed: seed))
        let text = payload.text()
        let stack = try TestStack(model)
        try stack.importJSON(text, "Team")
        let snapshot = try GraphSnapshot(json: Data(text.utf8), entity: "Team", model: model)
        let other = try TestStack(model)
        try other.perform { context in
            try context.importSnapshot(snapshot)
            try context.save()
        }
        #expect(try picture(other) == picture(stack), "seed \(seed):\n\(text)")
    }

    @Test func `an ordered list that only its members speak of has the order of the text`() throws {
        let text = """
            [{"id": 1, "seen": [7, 8, 9]},
             {"id": 2, "seen": [{"id": 9, "team": 2}, {"id": 7, "team": 2},
                                {"id": 8, "team": 2}]}]
            """
        let model = model()
        let stack = try TestStack(model)
        try stack.perform { context in
            try context.importSnapshot(GraphSnapshot(json: Data(text.utf8), entity: "Team", model: model))
            try context.save()
            let team = try #require(try context.one("Team", "id", 2))
            let players = try #require(team.value(forKey: "players") as? NSOrderedSet)
            #expect(players.array.map { ($0 as? NSManagedObject)?.number("id") } == [9, 7, 8])
        }
    }

    private func picture(_ stack: TestStack) throws -> [String] {
        try stack.perform { context in
            func name(_ object: NSManagedObject) -> String {
                "\(object.entity.name ?? "") \(object.number("id") ?? -1)"
            }
            context.checkInvariants()
            return try context.everything().map { "\(name($0)) \($0.linksToRead(name))" }.sorted()
        }
    }
}
