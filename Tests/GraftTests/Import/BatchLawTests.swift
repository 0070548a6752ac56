// The law of batches: data that speaks of the same objects again and again, and contradicts itself, gives the same store whatever
// the size of the batches. What was said later counts, as it does where each record is a batch.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct BatchLawTests {
    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id", "JSONDeletedKey": "gone"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .toMany("players", "Player", inverse: "team"),
                .toOne("captain", "Player", inverse: "leads"),
                .toMany("fans", "Player", inverse: "likes", isOrdered: true).annotated(["JSONToManyPolicy": "union"]),
                .toMany("guests", "Player", inverse: "visits", isOrdered: true)
                    .annotated(["JSONToManyPolicy": "delta"]),
                .toMany("notes", "Note", inverse: "team", rule: .cascadeDeleteRule).annotated([
                    "JSONToManyPolicy": "union"
                ]),
                .toMany("memos", "Note", inverse: "owner", rule: .cascadeDeleteRule),
                .toMany("lines", "Note", inverse: "page", rule: .cascadeDeleteRule, isOrdered: true),
                .toOne("badge", "Note", inverse: "bearer", rule: .cascadeDeleteRule), .toOne("motto", "Note"),
            ])
        sketch.entity(
            "Player", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .toOne("team", "Team", inverse: "players"), .toOne("leads", "Team", inverse: "captain"),
                .toMany("likes", "Team", inverse: "fans"), .toMany("visits", "Team", inverse: "guests"),
            ])
        sketch.entity(
            "Note",
            [
                .attribute("text"), .attribute("rank", .integer64AttributeType),
                .toOne("team", "Team", inverse: "notes"), .toOne("owner", "Team", inverse: "memos"),
                .toOne("page", "Team", inverse: "lines"), .toOne("bearer", "Team", inverse: "badge"),
                .toMany("parts", "Part", inverse: "note", rule: .cascadeDeleteRule),
            ])
        sketch.entity("Part", [.attribute("text"), .toOne("note", "Note", inverse: "parts")])
        return sketch.model()
    }

    /// Records of few teams and players, each said several times.
    private struct Payload {
        var random: SeededGenerator
        /// How many of a hundred records say that a team is gone.
        var goneCount = 0

        private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

        private mutating func players() -> String {
            let ids = (0..<4).filter { _ in chance(40) }.shuffled(using: &random)
            return "[" + ids.map { player($0) }.joined(separator: ", ") + "]"
        }

        /// A player by its number, with its team's, or with a team that says whom it has: few texts, so that they come again.
        private mutating func player(_ id: Int) -> String {
            if chance(75) { return "\(id)" }
            if chance(50) { return "{\"id\": \(id), \"team\": \(number(3))}" }
            let team = number(3)
            let other = chance(50) ? "\(number(2))" : "{\"id\": \(number(2)), \"leads\": \(number(3))}"
            return "{\"id\": \(id), \"team\": {\"id\": \(team), \"players\": [\(id), \(other)]}}"
        }

        /// What has no identity, in few forms, so that one says more than another.
        private mutating func note() -> String {
            var members = chance(80) ? ["\"text\": \"\(number(2))\""] : []
            if chance(40) { members.append("\"rank\": \(number(2))") }
            if chance(20) { members.append("\"parts\": [{\"text\": \"\(number(2))\"}]") }
            return "{\(members.joined(separator: ", "))}"
        }

        private mutating func record() -> String {
            var members = ["\"id\": \(number(3))"]
            if goneCount > 0, chance(goneCount) { return "{\(members[0]), \"gone\": true}" }
            if chance(30) { members.append("\"name\": \"name \(number(4))\"") }
            if chance(60) { members.append("\"players\": \(players())") }
            if chance(25) { members.append("\"captain\": \(chance(20) ? "null" : "\(number(4))")") }
            if chance(25) { members.append("\"fans\": \(players())") }
            if chance(30) {
                members.append(
                    "\"guests\": \(chance(30) ? players() : "{\"add\": \(players()), \"remove\": \(players())}")")
            }
            for list in ["notes", "memos", "lines"] where chance(20) {
                members.append("\"\(list)\": [\((0..<number(3)).map { _ in note() }.joined(separator: ", "))]")
            }
            for one in ["badge", "motto"] where chance(15) { members.append("\"\(one)\": \(note())") }
            return "{\(members.joined(separator: ", "))}"
        }

        mutating func text() -> String { (0..<(2 + number(9))).map { _ in record() }.joined(separator: "\n") }
    }

    @Test(arguments: Laws.cases(1...300, oneOf: 30))
    func `any size of batches gives the same store`(_ seed: Int) throws {
        let model = model()
        var payload = Payload(random: SeededGenerator(seed: seed))
        let texts = (0..<3).map { _ in payload.text() }
        var expected: [[String]] = []
        for options in ImportOptions.sequences(batches: 1, 4, 1000) {
            let stack = try TestStack(model, seed.isMultiple(of: 3) ? .inMemory : .sqlite)
            for (index, text) in texts.enumerated() {
                let source = ImportSource.data(Data(text.utf8), entity: "Team")
                try stack.container.importJSON(from: [source], options: options)
                let labels = try stack.perform { try picture($0) }
                if expected.count == index { expected.append(labels) }
                try #require(
                    labels == expected[index],
                    "seed \(seed), batches of \(options.batchSize), \(options.savesEachBatch), text \(index):\n\(texts.joined(separator: "\n--\n"))"
                )
            }
        }
    }

    @Test(arguments: Laws.cases(1...300, oneOf: 30))
    func `a dry run counts what the import does, in batches of any size`(_ seed: Int) throws {
        var payload = Payload(random: SeededGenerator(seed: seed), goneCount: 25)
        let texts = (0..<3).map { _ in payload.text() }
        for options in ImportOptions.sequences(batches: 1, 4, 1000) {
            let stack = try TestStack(model(), seed.isMultiple(of: 3) ? .inMemory : .sqlite)
            for (index, text) in texts.enumerated() {
                let source = ImportSource.data(Data(text.utf8), entity: "Team")
                var trial = options
                trial.isDryRun = true
                let before = try stack.perform { try picture($0) }
                let tried = try stack.container.importJSON(from: [source], options: trial)
                try #require(try stack.perform { try picture($0) } == before, "seed \(seed)")
                let done = try stack.container.importJSON(from: [source], options: options)
                try #require(
                    tried.entities.map(words) == done.entities.map(words),
                    "seed \(seed), batches of \(options.batchSize), \(options.savesEachBatch), text \(index):\n\(texts.joined(separator: "\n--\n"))"
                )
            }
        }
    }

    /// What became of an entity's objects. What is changed and changed back within a batch, and was changed before in another one,
    /// is told from what the store has, and so is changed in a dry run.
    private func words(_ entity: ImportReport.Entity) -> String {
        var counts = entity.counts
        (counts.updated, counts.unchanged) = (0, counts.updated + counts.unchanged)
        return "\(entity.name): \(counts)"
    }

    private func picture(_ context: NSManagedObjectContext) throws -> [String] {
        func name(_ object: NSManagedObject) -> String {
            switch object.entity.name ?? "" {
            case "Note": "Note \(object.value(forKey: "text") ?? "-") \(object.value(forKey: "rank") ?? "-")"
            case "Part": "Part \(object.value(forKey: "text") ?? "-")"
            case let entity: "\(entity) \(object.value(forKey: "id") ?? "-")"
            }
        }
        context.checkInvariants()
        return try context.everything().map { object in
            let title = object.entity.attributesByName["name"].map { _ in "\(object.value(forKey: "name") ?? "-")" }
            return "\(name(object)) \(title ?? "") " + object.linksToRead(name)
        }.sorted()
    }
}
