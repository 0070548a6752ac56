// What identifies an object: declarations, composite identities, inheritance; and what identifying costs.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct IdentityImportTests {
    private func cards(_ info: [String: String], unique: [[String]] = []) throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Card", info: info, unique: unique,
            [
                .attribute("turn", .integer32AttributeType), .attribute("suit"), .attribute("value"),
                .toOne("partner", "Card"),
            ])
        return try TestStack(sketch.model(), .sqlite)
    }

    struct Declaration: CustomTestStringConvertible, Sendable {
        let info: [String: String], unique: [[String]]
        var testDescription: String { "\(info) \(unique)" }
    }

    @Test(arguments: [
        Declaration(info: ["identityAttributes": "suit, turn"], unique: []),
        Declaration(info: ["identityAttributes": "suit turn"], unique: [["value"]]),
        Declaration(info: ["identityAttribute": "suit,turn", "id": "value"], unique: []),
        Declaration(info: ["id": "suit,turn"], unique: [["value"]]),
        Declaration(info: [:], unique: [["suit", "turn"], ["value"]]),
    ])
    func `several attributes identify together, however that is declared`(_ declaration: Declaration) throws {
        let stack = try cards(declaration.info, unique: declaration.unique)
        try stack.importJSON(
            """
            [{"suit": "hearts", "turn": 1, "value": "a"}, {"suit": "hearts", "turn": 2, "value": "b"},
             {"suit": "spades", "turn": 1, "value": "c", "partner": {"suit": "hearts", "turn": 2}}]
            """, "Card")
        let report = try stack.importJSON(
            #"[{"suit": "spades", "turn": "1", "value": "d"}, {"turn": 2, "value": "e", "suit": "spades"}]"#, "Card")
        #expect(report["Card"].updated == 1)
        #expect(report["Card"].inserted == 1)
        #expect(try stack.count("Card") == 4)
        try stack.perform { context throws in
            let card = try #require(try context.one("Card", "value", "d"))
            #expect(card.object("partner")?.text("value") == "b")
        }
        let bare = graftError {
            try stack.importJSON(#"[{"suit": "x", "turn": 9, "value": "y", "partner": 5}]"#, "Card")
        }
        #expect(bare?.description.contains("'suit', 'turn'") == true)
    }

    @Test(arguments: [StoreKind.inMemory, .sqlite])
    func `what has its identity by default is found again by its contents`(_ kind: StoreKind) throws {
        let world = try ImportWorld(kind) { sketch in
            sketch.entity(
                "Order", info: ["identityAttributes": "number"],
                [
                    .attribute("number", .integer64AttributeType, default: 0), .attribute("state"),
                    .toOne("customer", "Customer", inverse: "orders"),
                ])
            sketch.entity(
                "Customer", info: ["identityAttributes": "id"],
                [.attribute("id"), .toMany("orders", "Order", inverse: "customer")])
        }
        let orders = #"[{"state": "x"}, {"state": "y"}, {"number": 7, "state": "x"}]"#
        try world.take(orders, "Order")
        let again = try world.take(orders, "Order")
        #expect(!again.hasChanges && again.identification.isEmpty)
        let nested = #"[{"id": "a", "orders": [{"state": "p"}, {"state": "q"}]}]"#
        try world.take(nested, "Customer")
        #expect(try !world.take(nested, "Customer").hasChanges)
        #expect(try world.values("state", of: "Order") == ["p", "q", "x", "x", "y"])
        #expect(try world.members("orders", "state", of: "Customer", "id", "a") == ["p", "q"])
        let changed = try world.take(#"[{"state": "z"}]"#, "Order")
        #expect(changed["Order"].inserted == 1 && changed.identification.rules == ["Order": .contents])
        try world.stack.perform { context throws in
            for _ in 0..<2 { try context.importJSON(Data(#"[{"state": "unsaved"}]"#.utf8), entity: "Order") }
            #expect(try context.all("Order").count == 7)
        }
    }

    @Test(arguments: [StoreKind.inMemory, .sqlite])
    func `stored objects that share an identity are in the report`(_ kind: StoreKind) throws {
        let world = try ImportWorld(kind) { sketch in
            sketch.entity("Order", info: ["identityAttributes": "id"], [.attribute("id"), .attribute("state")])
        }
        try world.stack.fill { context in
            for (id, state) in [("a", "1"), ("a", "2"), ("a", "3"), ("b", "4")] {
                context.add("Order", ["id": id, "state": state])
            }
        }
        #expect(try world.take(#"[{"id": "b", "state": "5"}]"#, "Order").sharedIdentities.isEmpty)
        for _ in 0..<2 {
            let report = try world.take(#"[{"id": "a", "state": "6"}, {"id": "b"}]"#, "Order")
            #expect(
                report.sharedIdentities.map(\.description) == [
                    "Order: 2 stored objects passed over, because others have their identity"
                ])
        }
        #expect(try world.values("state", of: "Order").filter { $0 == "6" }.count == 1)
    }

    @Test func `an identity that names no attribute is an error with a suggestion`() throws {
        let stack = try cards(["identityAttributes": "suite"])
        let error = graftError { try stack.importJSON("[{}]", "Card") }
        #expect(error?.description.contains("'suite'") == true)
        #expect(error?.description.contains("Did you mean 'suit'?") == true)
        #expect(error?.place.entity == "Card")
    }

    private func zoo() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Animal", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .toOne("friend", "Animal", inverse: "friendOf"),
                .toMany("friendOf", "Animal", inverse: "friend"),
            ])
        sketch.entity("Bird", parent: "Animal", [.attribute("span", .doubleAttributeType)])
        sketch.entity("Fish", parent: "Animal", [.attribute("depth", .doubleAttributeType)])
        return try TestStack(sketch.model(), .sqlite)
    }

    @Test func `an object of a sub-entity is found as one of its super-entity`() throws {
        let stack = try zoo()
        try stack.importJSON(#"[{"id": 1, "name": "Robin", "span": 0.2}]"#, "Bird")
        let report = try stack.importJSON(
            #"[{"id": 1, "name": "Red", "friend": 2}, {"id": 2, "name": "Two"}]"#, "Animal")
        #expect(report["Bird"].updated == 1)
        #expect(report["Animal"].inserted == 1)
        #expect(try stack.count("Animal") == 2)
        #expect(try stack.count("Bird") == 1)
    }

    @Test func `a reference that comes first takes the entity of the object that follows`() throws {
        let stack = try zoo()
        var options = ImportOptions()
        options.batchSize = 10
        try stack.container.importJSON(
            from: [
                .data(Data(#"[{"id": 3, "depth": 5, "friend": {"id": 4, "name": "Four"}}]"#.utf8), entity: "Fish"),
                .data(Data(#"[{"id": 5, "name": "Five", "friend": 4}]"#.utf8), entity: "Animal"),
            ], options: options)
        #expect(try stack.count("Animal") == 3)
        #expect(try stack.count("Fish") == 1)
        // Two sub-entities share a number, but they are different objects.
        try stack.importJSON(#"[{"id": 3, "span": 1}]"#, "Bird")
        #expect(try stack.count("Animal") == 4)
        #expect(try !stack.importJSON(#"[{"id": 3, "span": 1}]"#, "Bird").hasChanges)
    }

    @Test(arguments: [1, 5000], [#"{}"#, #"{"rank": 2}"#])
    func `of equal objects, the one with the members that the data says is meant`(_ size: Int, _ member: String) throws
    {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Node",
                [
                    .attribute("rank", .integer32AttributeType),
                    .toMany("neighbours", "Node", inverse: "neighbours"),
                ])
        }
        (world.options.batchSize, world.options.savesEachBatch) = (size, true)
        let text = #"[{"neighbours": [\#(member)]}, {"neighbours": []}]"#
        for round in 0..<3 {
            #expect(try world.take(text, "Node").hasChanges == (round == 0))
            #expect(try world.count("Node") == 3)
        }
    }

    @Test(arguments: [10, 1000])
    func `a batch costs one fetch for each entity, whatever its size`(_ size: Int) throws {
        let stack = try TestStack(ComicModel.make(), .sqlite)
        let text = (0..<size).map {
            #"{"id": \#($0), "name": "\#($0)", "publisher": {"id": \#($0 % 7)}, "powers": [\#($0 % 5), \#($0 % 3)]}"#
        }.joined(separator: "\n")
        var options = ImportOptions()
        options.batchSize = 100_000
        try stack.importJSON(text, "Character", options: options)
        let whole = try stack.importJSON(text, "Character", options: options)
        #expect(whole.batchCount == 1)
        #expect(whole.fetchCount == 3)
        options.batchSize = size / 2
        options.savesEachBatch = true
        let halves = try stack.importJSON(text, "Character", options: options)
        #expect(halves.fetchCount == halves.batchCount * 3)
        #expect(!halves.hasChanges)
    }
}
