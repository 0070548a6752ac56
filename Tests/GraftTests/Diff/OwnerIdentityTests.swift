// Diffs, patches and merges of objects that are told apart by an own number and their owner.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct OwnerIdentityTests {
    /// Orders with lines numbered from 1 in each, and notes on lines.
    private static func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Order", info: ["identityAttributes": "id"],
            [.attribute("id"), .toMany("lines", "Line", inverse: "order", rule: .cascadeDeleteRule)])
        sketch.entity(
            "Line", info: ["identityAttributes": "number, order"],
            [
                .attribute("number", .integer32AttributeType), .attribute("text"),
                .toOne("order", "Order", inverse: "lines").with("diff", "exclude"),
                .toMany("notes", "Note", inverse: "line", rule: .cascadeDeleteRule),
            ])
        sketch.entity(
            "Note", info: ["identityAttributes": "key line"],
            [.attribute("key"), .attribute("text"), .toOne("line", "Line", inverse: "notes")])
        return sketch.model()
    }

    private let old = """
        [{"id": "A", "lines": [{"number": 1, "text": "a1", "notes": [{"key": "n", "text": "x"}]}, {"number": 2, "text": "a2"}]},
         {"id": "B", "lines": [{"number": 1, "text": "b1"}]}]
        """
    private let new = """
        [{"id": "A", "lines": [{"number": 1, "text": "a1", "notes": [{"key": "n", "text": "y"}]}]},
         {"id": "B", "lines": [{"number": 1, "text": "changed"}, {"number": 2, "notes": [{"key": "n"}]}]}]
        """

    private func stack(_ json: String, _ kind: StoreKind = .inMemory) throws -> TestStack {
        let stack = try TestStack(Self.model(), kind)
        try stack.importJSON(json, "Order")
        return stack
    }

    private func line(_ number: Int, of order: String) -> ObjectKey {
        ObjectKey("Line", [.integer(Int64(number))], of: [ObjectKey("Order", [.string(order)])])
    }

    @Test(arguments: StoreKind.allCases)
    func `objects are named by number and owner`(_ kind: StoreKind) throws {
        let (one, other) = (try stack(old, kind), try stack(new, kind))
        let diff = try GraphDiff(from: one.container, to: other.container)
        #expect(diff.deleted.map(\.key.description) == [#"Line 2 of Order "A""#])
        #expect(
            diff.inserted.map(\.key.description) == [#"Line 2 of Order "B""#, #"Note "n" of Line 2 of Order "B""#])
        #expect(diff.changed.map(\.key).contains(line(1, of: "B")))
        #expect(
            diff.changed.first { $0.key.entity == "Note" }?["text"] == .attribute(old: .string("x"), new: .string("y")))
        #expect(try GraphDiff(from: other.container, to: one.container) == diff.inverted)
        let data = try JSONEncoder().encode(diff)
        #expect(try JSONDecoder().decode(GraphDiff.self, from: data) == diff)
    }

    @Test(arguments: StoreKind.allCases)
    func `a diff leads from one store to the other and back`(_ kind: StoreKind) throws {
        let (one, other, copy) = (try stack(old, kind), try stack(new, kind), try stack(old, kind))
        let diff = try GraphDiff(from: one.container, to: other.container)
        try one.container.apply(diff)
        #expect(try GraphDiff(from: one.container, to: other.container).isEmpty)
        let again = graftError { try one.container.apply(diff) }
        guard case .changesDoNotFit? = again?.problem else { throw try #require(again) }
        try one.container.apply(diff.inverted)
        #expect(try GraphDiff(from: one.container, to: copy.container).isEmpty)
    }

    @Test func `a diff finds what is unsaved, below owners that are unsaved, too`() throws {
        let (empty, one, other) = (try TestStack(Self.model()), try stack(old), try stack(new))
        let first = try GraphDiff(from: empty.container, to: one.container)
        let second = try GraphDiff(from: one.container, to: other.container)
        try empty.perform { context in
            try context.apply(first)
            try context.apply(second)
            try context.save()
        }
        #expect(try GraphDiff(from: empty.container, to: other.container).isEmpty)
    }

    @Test func `JSON and archives are compared by number and owner`() throws {
        let (one, other) = (try stack(old), try stack(new))
        let model = one.container.managedObjectModel
        let snapshot = try GraphSnapshot(json: Data(new.utf8), entity: "Order", model: model)
        let diff = try GraphDiff(from: GraphSnapshot(json: Data(old.utf8), entity: "Order", model: model), to: snapshot)
        #expect(diff.deleted.map(\.key) == [line(2, of: "A")])
        #expect(diff.inserted.contains { $0.key == line(2, of: "B") })
        let archive = try other.perform { try $0.exportJSON() }
        var whole = try GraphSnapshot(json: archive, model: model)
        whole.absence = .null
        let same = try GraphDiff(from: whole, to: other.perform { try GraphSnapshot(of: $0) })
        #expect(same.isEmpty, "\(same.text())")
    }

    @Test func `the tree of an order has its lines by number`() throws {
        let (one, other) = (try stack(old), try stack(new))
        try one.perform { before in
            try other.perform { after in
                let diff = try ObjectDiff(from: before.one("Order", "id", "B"), to: after.one("Order", "id", "B"))
                let lines = try #require(diff?.dictionary["relationships"] as? [String: Any])["lines"]
                let texts = try #require(lines as? [[String: Any]]).map { ($0["number"] as? Int) ?? 0 }
                #expect(texts == [1, 2])
            }
        }
    }

    @Test func `two identities that are one are refused by name`() throws {
        let stack = try stack(old)
        try stack.perform { context in
            let order = try #require(try context.one("Order", "id", "A"))
            for _ in 0..<2 {
                let line = context.make("Line", ["number": 7])
                line.setValue(order, forKey: "order")
            }
            let error = graftError { _ = try GraphSnapshot(of: context) }
            #expect(error?.description.contains(#"Line 7 of Order "A""#) == true)
        }
    }

    @Test func `two sides that give an order a line with one number merge property by property`() throws {
        let stack = try stack(old)
        func snapshot(_ change: (NSManagedObjectContext) throws -> Void) throws -> GraphSnapshot {
            try stack.perform { context in
                try change(context)
                return try GraphSnapshot(of: context)
            }
        }
        func add(_ text: String) throws -> GraphSnapshot {
            try snapshot { context in
                let line = context.make("Line", ["number": 9, "text": text])
                line.setValue(try context.one("Order", "id", "A"), forKey: "order")
            }
        }
        let base = try snapshot { _ in }
        var merge = try GraphMerge(base: base, ours: add("ours"), theirs: add("theirs"))
        #expect(merge.conflicts.map(\.key) == [line(9, of: "A")])
        try merge.settle(#require(merge.conflicts.first), .theirs)
        #expect(merge.conflicts.isEmpty)
        #expect(try merge.diff().inserted.first?["text"] == .attribute(.string("theirs")))
        // Who deletes the order stands against who gave it a line.
        let gone = try snapshot { context in context.delete(try #require(try context.one("Order", "id", "A"))) }
        let against = try GraphMerge(base: base, ours: add("ours"), theirs: gone)
        #expect(against.conflicts.map(\.key.description) == [#"Order "A""#])
    }

    // MARK: Owners that don't own

    private typealias Change = (NSManagedObjectContext) throws -> Void

    /// Orders 1, 2 and 9, whose lines lose them when they are deleted, and tags and seals of orders.
    private func graph(base: Change = { _ in }, _ change: Change) throws -> GraphSnapshot {
        var sketch = ModelSketch()
        sketch.entity(
            "Order", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer32AttributeType), .attribute("text"),
                .toMany("lines", "Line", inverse: "order"), .toMany("taggings", "Tagging", inverse: "order"),
                .toOne("seal", "Seal", inverse: "order"),
            ])
        sketch.entity(
            "Line", info: ["identityAttributes": "number, order"],
            [
                .attribute("number", .integer32AttributeType), .attribute("text"),
                .toOne("order", "Order", inverse: "lines"),
            ])
        sketch.entity(
            "Tag", info: ["identityAttributes": "id"],
            [.attribute("id", .integer32AttributeType), .toMany("taggings", "Tagging", inverse: "tag")])
        sketch.entity(
            "Tagging", info: ["identityAttributes": "order, tag"],
            [
                .attribute("text"), .toOne("order", "Order", inverse: "taggings"),
                .toOne("tag", "Tag", inverse: "taggings"),
            ])
        sketch.entity(
            "Seal", info: ["identityAttributes": "number, order"],
            [
                .attribute("number", .integer32AttributeType),
                .toOne("order", "Order", inverse: "seal", isOptional: false),
                .toMany("notes", "Note", inverse: "seal"),
            ])
        sketch.entity(
            "Note", info: ["identityAttributes": "id"], [.attribute("id"), .toOne("seal", "Seal", inverse: "notes")])
        return try TestStack(sketch.model()).perform { context in
            for id in [1, 2, 9] { _ = context.make("Order", ["id": id]) }
            _ = context.make("Tag", ["id": 1])
            try add(5, to: 1, context)
            try base(context)
            try context.save()
            try change(context)
            context.processPendingChanges()
            return try GraphSnapshot(of: context)
        }
    }

    private func add(_ number: Int, to order: Int, _ context: NSManagedObjectContext) throws {
        let line = context.make("Line", ["number": number])
        line.setValue(try context.one("Order", "id", order), forKey: "order")
    }

    private func delete(_ entity: String, _ ids: [Int], _ context: NSManagedObjectContext) throws {
        for id in ids { context.delete(try #require(try context.one(entity, "id", id))) }
    }

    /// The objects of a merge that has no conflicts, which is the same with the sides swapped.
    private func merged(
        _ policy: GraphMerge.Policy, base: Change = { _ in }, ours: Change, theirs: Change
    ) throws -> [String] {
        let (base, ours, theirs) = (
            try graph(base: base) { _ in }, try graph(base: base, ours), try graph(base: base, theirs)
        )
        let options = GraphMerge.Options(policy: policy)
        let merge = try GraphMerge(base: base, ours: ours, theirs: theirs, options: options)
        let swapped = try GraphMerge(base: base, ours: theirs, theirs: ours, options: options.mirrored)
        #expect(merge.conflicts.isEmpty)
        #expect(try merge.snapshot.contents() == swapped.snapshot.contents())
        _ = try merge.diffFromOurs()
        return try merge.snapshot.contents().map(\.key.description)
    }

    @Test func `what one side adds to owners that the other one deletes goes with them, whatever the rule`() throws {
        func merged(_ policy: GraphMerge.Policy) throws -> [String] {
            try self.merged(policy) { context in
                for order in [1, 2] { try add(3, to: order, context) }
            } theirs: { context in
                try delete("Order", [1, 2], context)
            }
        }
        #expect(try merged(.theirs) == ["Line 5 of nothing", "Order 9", "Tag 1"])
        let all = [
            "Line 3 of Order 1", "Line 5 of Order 1", "Line 3 of Order 2", "Order 1", "Order 2", "Order 9", "Tag 1",
        ]
        #expect(try merged(.ours) == all)
    }

    @Test func `an object of two owners goes where one side deletes both`() throws {
        let keys = try merged(.theirs) { context in
            let tagging = context.make("Tagging", [:])
            tagging.setValue(try context.one("Order", "id", 2), forKey: "order")
            tagging.setValue(try context.one("Tag", "id", 1), forKey: "tag")
        } theirs: { context in
            try delete("Order", [2], context)
            try delete("Tag", [1], context)
        }
        #expect(keys == ["Line 5 of Order 1", "Order 1", "Order 9"])
    }

    @Test func `an object whose owner stays after all has it`() throws {
        let keys = try merged(.ours) { context in
            try #require(try context.one("Line", "number", 5)).setValue("changed", forKey: "text")
        } theirs: { context in
            try delete("Order", [1], context)
        }
        #expect(keys == ["Line 5 of Order 1", "Order 1", "Order 2", "Order 9", "Tag 1"])
    }

    /// A tagging of order 2 with tag 1.
    private func tag(_ context: NSManagedObjectContext) throws {
        let tagging = context.make("Tagging", ["text": "old"])
        tagging.setValue(try context.one("Order", "id", 2), forKey: "order")
        tagging.setValue(try context.one("Tag", "id", 1), forKey: "tag")
    }

    @Test(arguments: [
        ("", "Tagging of Order 2 and Tag 1"), ("Order", "Tagging of nothing and Tag 1"),
        ("Tag", "Tagging of Order 2 and nothing"),
    ])
    func `an object of two owners that sides delete is one object, with the owner that stays`(
        _ deleted: String, _ tagging: String
    ) throws {
        let policy = GraphMerge.Policy.custom { conflict in
            conflict.key.entity == deleted ? (conflict.ours == .noObject ? .ours : .theirs) : .base
        }
        let keys = try merged(policy, base: tag) { context in
            try delete("Order", [2], context)
        } theirs: { context in
            try delete("Tag", [1], context)
        }
        #expect(keys.filter { $0.hasPrefix("Tagging") } == [tagging])
    }

    @Test func `what a side changed in an object stays with it where its owner stays after all`() throws {
        let base = try graph(base: tag) { _ in }
        let ours = try graph(base: tag) { context in
            try #require(try context.one("Tagging", "text", "old")).setValue("new", forKey: "text")
            try delete("Order", [2], context)
        }
        let theirs = try graph(base: tag) { try #require(try $0.one("Order", "id", 2)).setValue("x", forKey: "text") }
        let merge = try GraphMerge(base: base, ours: ours, theirs: theirs, options: .init(policy: .theirs))
        let taggings = try merge.snapshot.contents().filter { $0.key.entity == "Tagging" }
        #expect(taggings.map(\.key.description) == ["Tagging of Order 2 and Tag 1"])
        #expect(taggings.first?["text"] == .attribute(.string("new")))
    }

    @Test func `what one side deleted doesn't come back because the other one deleted its owner`() throws {
        func delete(_ context: NSManagedObjectContext) throws {
            context.delete(try #require(try context.one("Tagging", "text", "old")))
        }
        let keys = try merged(.leave, base: tag, ours: delete) { try self.delete("Order", [2], $0) }
        #expect(keys == ["Line 5 of Order 1", "Order 1", "Order 9", "Tag 1"])
        // Who changed it as well wants it to stay.
        func change(_ context: NSManagedObjectContext) throws {
            try #require(try context.one("Tagging", "text", "old")).setValue("new", forKey: "text")
            try self.delete("Order", [2], context)
        }
        let stays = try merged(.theirs, base: tag, ours: delete, theirs: change)
        #expect(stays.contains("Tagging of nothing and Tag 1"))
        #expect(try merged(.ours, base: tag, ours: delete, theirs: change) == keys)
    }

    @Test func `of two new objects that name one owner which can have only one, the chosen one stays`() throws {
        func seal(_ number: Int) -> Change {
            { context in
                let seal = context.make("Seal", ["number": number])
                seal.setValue(try context.one("Order", "id", 9), forKey: "order")
                context.make("Note", ["id": "n\(number)"]).setValue(seal, forKey: "seal")
            }
        }
        func seals(_ policy: GraphMerge.Policy) throws -> [String] {
            try merged(policy, ours: seal(1), theirs: seal(2)).filter { $0.hasPrefix("Seal") }
        }
        #expect(try seals(.ours) == ["Seal 1 of Order 9"])
        #expect(try seals(.theirs) == ["Seal 2 of Order 9"])
        #expect(try seals(.latest(attribute: "number")) == ["Seal 2 of Order 9"])
        #expect(try seals(.custom { _ in .base }) == [])
        let left = try GraphMerge(base: graph { _ in }, ours: graph(seal(1)), theirs: graph(seal(2)))
        #expect(left.conflicts.map(\.kind) == [.uniqueness])
        #expect(left.conflicts.first?.other?.description == "Seal 2 of Order 9")
    }
}
