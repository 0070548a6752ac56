// The law of what is repeated: rows that say what the store has need no object, and the outcome is that of an import which makes one
// for each. Most of the data stays as it was, some of it speaks of links from either side.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct SettlingLawTests {
    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Club", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .toMany("members", "Member", inverse: "club"), .toOne("chair", "Member", inverse: "chairs"),
                .toMany("guests", "Member", inverse: "visits", isOrdered: true),
                .toMany("notes", "Note", inverse: "club"),
            ])
        sketch.entity(
            "Member", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .attribute("born", .dateAttributeType), .attribute("weight", .decimalAttributeType),
                .toOne("club", "Club", inverse: "members"), .toOne("chairs", "Club", inverse: "chair"),
                .toMany("visits", "Club", inverse: "guests"), .toMany("friends", "Member", inverse: "friends"),
                .toOne("idol", "Member"),
            ])
        sketch.entity("Note", [.attribute("text"), .toOne("club", "Club", inverse: "notes")])
        return sketch.model()
    }

    /// Records with all that there is of them, by their numbers; some change from text to text.
    private struct Data {
        var random: SeededGenerator
        var clubs: [Int: [String]] = [:]
        var members: [Int: [String]] = [:]

        init(_ seed: Int) {
            random = SeededGenerator(seed: seed)
            for id in 0..<6 { clubs[id] = club() }
            for id in 0..<24 { members[id] = member() }
        }

        private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
        private mutating func chance(_ percent: Int) -> Bool { number(100) < percent }
        private mutating func some(_ limit: Int) -> String {
            let ids = (0..<limit).filter { _ in chance(20) }.shuffled(using: &random)
            return "[\(ids.map(String.init).joined(separator: ", "))]"
        }

        private mutating func club() -> [String] {
            var parts = ["\"name\": \"club \(number(9))\""]
            if chance(30) { parts.append("\"members\": \(some(24))") }
            if chance(30) { parts.append("\"chair\": \(chance(20) ? "null" : "\(number(24))")") }
            if chance(40) { parts.append("\"guests\": \(some(24))") }
            if chance(20) { parts.append("\"notes\": [{\"text\": \"note \(number(9))\"}]") }
            return parts
        }

        private mutating func member() -> [String] {
            var parts = ["\"name\": \"member \(number(9))\"", "\"weight\": \(number(900)).25"]
            if chance(50) { parts.append("\"born\": \"19\(10 + number(80))-01-02T03:04:05Z\"") }
            if chance(60) { parts.append("\"club\": \(chance(20) ? "null" : "\(number(6))")") }
            if chance(10) { parts.append("\"chairs\": \(number(6))") }
            if chance(30) { parts.append("\"visits\": \(some(6))") }
            if chance(30) { parts.append("\"friends\": \(some(24))") }
            if chance(30) { parts.append("\"idol\": {\"id\": \(number(24)), \"name\": \"member \(number(9))\"}") }
            return parts
        }

        /// The records of an entity, in any order.
        mutating func text(_ records: KeyPath<Data, [Int: [String]]>) -> String {
            self[keyPath: records].sorted { $0.key < $1.key }.shuffled(using: &random).map { id, parts in
                "{" + (["\"id\": \(id)"] + parts).joined(separator: ", ") + "}"
            }.joined(separator: "\n")
        }

        mutating func change() {
            for id in 0..<6 where chance(10) { clubs[id] = club() }
            for id in 0..<24 where chance(8) { members[id] = member() }
            if chance(30) { members[24 + number(4)] = member() }
        }
    }

    @Test(arguments: Laws.cases(1...300, oneOf: 60))
    func `what needs no object ends as what has one`(_ seed: Int) throws {
        var data = Data(seed)
        let texts = (0..<4).map { _ in
            defer { data.change() }
            return [("Club", data.text(\.clubs)), ("Member", data.text(\.members))]
        }
        var expected: [[String]] = []
        let plain = try TestStack(model(), .sqlite)
        for text in texts {
            for (entity, text) in text {
                try plain.perform { context throws in
                    var options = ImportOptions()
                    options.format = .sequence
                    _ = try context.objects(fromJSON: Foundation.Data(text.utf8), entity: entity, options: options)
                    try context.save()
                }
            }
            expected.append(try plain.perform { try picture($0) })
        }
        for options in ImportOptions.sequences(batches: 3, 1000) {
            let stack = try TestStack(model(), seed.isMultiple(of: 3) ? .inMemory : .sqlite)
            for (number, text) in texts.enumerated() {
                let sources = text.map { ImportSource.data(Foundation.Data($1.utf8), entity: $0) }
                try stack.container.importJSON(from: sources, options: options)
                let found = try stack.perform { try picture($0) }
                try #require(
                    found == expected[number],
                    "seed \(seed), batches of \(options.batchSize), \(options.savesEachBatch), text \(number):\n\(texts)"
                )
            }
        }
    }

    private func picture(_ context: NSManagedObjectContext) throws -> [String] {
        func name(_ object: NSManagedObject) -> String {
            "\(object.entity.name ?? "") \(object.value(forKey: object.entity.name == "Note" ? "text" : "id") ?? "-")"
        }
        context.checkInvariants()
        return try context.everything().map { object in
            let values = object.entity.attributesByName.keys.sorted().map { "\(object.value(forKey: $0) ?? "-")" }
            return "\(name(object)) \(values) " + object.linksToRead(name)
        }.sorted()
    }
}
