// The law of batches where objects come late: sub-entities of which the data has spoken as ones of the super-entity, lists without
// inverse, and references that don't make objects. Any size of batches gives the same store, and the same again changes nothing.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct LateEntityLawTests {
    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Item", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("title"),
                .toOne("liker", "Person", inverse: "likes"), .toMany("wishers", "Person", inverse: "wish"),
                .toMany("shelves", "Person", inverse: "shelf"),
            ])
        sketch.entity("Book", parent: "Item", [.attribute("pages", .integer32AttributeType), .toOne("sequel", "Book")])
        sketch.entity("Comic", parent: "Book", [.attribute("artist")])
        sketch.entity(
            "Person", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .toOne("item", "Item"), .toOne("comic", "Comic"),
                .toMany("owns", "Item"), .toMany("books", "Book"),
                .toMany("shelf", "Item", inverse: "shelves", isOrdered: true),
                .toMany("likes", "Item", inverse: "liker").annotated(["JSONReferencePolicy": "link"]),
                .toOne("wish", "Item", inverse: "wishers").annotated(["JSONReferencePolicy": "link"]),
                .toMany("plans", "Item").annotated(["JSONReferencePolicy": "defer"]),
            ])
        return sketch.model()
    }

    /// Records of few persons and items. Where an item is nested tells its entity.
    private struct Payload {
        var random: SeededGenerator

        private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

        private mutating func item(_ entity: String, _ id: Int, onlyNamed: Bool) -> String {
            if onlyNamed || chance(60) { return "\(id)" }
            var members = ["\"id\": \(id)"]
            if chance(50) { members.append("\"title\": \"title \(number(3))\"") }
            if chance(25) { members.append("\"liker\": \(chance(20) ? "null" : "\(number(3))")") }
            if entity != "Item", chance(50) { members.append("\"pages\": \(number(3))") }
            if entity != "Item", chance(20) { members.append("\"sequel\": \(number(6))") }
            if entity == "Comic", chance(60) { members.append("\"artist\": \"artist \(number(3))\"") }
            return "{\(members.joined(separator: ", "))}"
        }

        private mutating func items(_ entity: String, onlyNamed: Bool) -> String {
            let ids = (0..<6).filter { _ in chance(30) }.shuffled(using: &random)
            return "[" + ids.map { item(entity, $0, onlyNamed: onlyNamed) }.joined(separator: ", ") + "]"
        }

        private mutating func record(onlyNamed: Bool) -> String {
            var members = ["\"id\": \(number(3))"]
            let ends = [("item", "Item"), ("comic", "Comic"), ("wish", "Item")]
            for (name, entity) in ends where chance(25) {
                members.append("\"\(name)\": \(chance(10) ? "null" : item(entity, number(6), onlyNamed: onlyNamed))")
            }
            let lists = [("owns", "Item"), ("books", "Book"), ("shelf", "Item"), ("likes", "Item"), ("plans", "Item")]
            for (name, entity) in lists where chance(25) {
                members.append("\"\(name)\": \(items(entity, onlyNamed: onlyNamed))")
            }
            return "{\(members.shuffled(using: &random).joined(separator: ", "))}"
        }

        mutating func text(onlyNamed: Bool = false) -> String {
            (0..<(1 + number(6))).map { _ in record(onlyNamed: onlyNamed) }.joined(separator: "\n")
        }
    }

    @Test(arguments: Laws.cases(1...400, oneOf: 30))
    func `any size of batches gives the same store, and the same again changes nothing`(_ seed: Int) throws {
        let model = model()
        var payload = Payload(random: SeededGenerator(seed: seed))
        // Of what the first import leaves, nothing has values: it may become anything.
        let imports = [[payload.text(onlyNamed: true)], (0..<3).map { _ in payload.text() }]
        var expected: [[String]] = []
        for options in ImportOptions.sequences(batches: 1, 3, 1000) {
            let stack = try TestStack(model, seed.isMultiple(of: 3) ? .inMemory : .sqlite)
            for (index, texts) in imports.enumerated() {
                let words: Comment =
                    "seed \(seed), batches of \(options.batchSize), \(options.savesEachBatch), import \(index):\n\(texts.joined(separator: "\n--\n"))"
                let sources = texts.map { ImportSource.data(Data($0.utf8), entity: "Person") }
                let report = try stack.container.importJSON(from: sources, options: options)
                let labels = try picture(stack) + report.unresolvedReferences.map(\.description).sorted()
                if expected.count == index { expected.append(labels) }
                try #require(
                    labels == expected[index], "\(labels.difference(from: expected[index]).map { "\($0)" })\n\(words)")
                guard options.batchSize == 1000 else { continue }
                // Said as one text, what is taken in between is given back before anything is counted.
                let whole = ImportSource.data(Data(texts.joined(separator: "\n").utf8), entity: "Person")
                let again = try stack.container.importJSON(from: [whole], options: options)
                let after = try picture(stack) + again.unresolvedReferences.map(\.description).sorted()
                try #require(after == labels, "\(after.difference(from: labels).map { "\($0)" })\n\(words)")
                try #require(!again.hasChanges, "\(again)\n\(words)")
            }
        }
    }

    private func picture(_ stack: TestStack) throws -> [String] {
        try stack.perform { context throws in
            func name(_ object: NSManagedObject) -> String {
                "\(object.entity.name ?? "") \(object.value(forKey: "id") ?? "-")"
            }
            context.checkInvariants()
            return try context.everything().map { object in
                let values = ["title", "pages", "artist"].filter { object.entity.attributesByName[$0] != nil }
                    .map { "\(object.value(forKey: $0) ?? "-")" }
                return "\(name(object)) \(values.joined(separator: ",")) \(object.linksToRead(name))"
            }.sorted()
        }
    }
}
