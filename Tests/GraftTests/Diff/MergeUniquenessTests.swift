// Uniqueness constraints that only the combination of two sides breaks, whatever each of them did, and whatever is chosen.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct MergeUniquenessTests {
    private static func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Item", info: ["id": "id"], unique: [["code"], ["a", "b"], ["a", "c"]],
            [
                .attribute("id"), .attribute("name"), .attribute("code"), .attribute("a"), .attribute("b"),
                .attribute("c"),
            ])
        return sketch.model()
    }

    private typealias Change = (NSManagedObjectContext) throws -> Void

    /// Merges what two sides make of two items, and requires the same with the sides swapped.
    private func merge(
        _ policy: GraphMerge.Policy = .leave, ours: Change, theirs: Change
    ) throws -> GraphMerge {
        let model = Self.model()
        func side(_ change: Change) throws -> GraphSnapshot {
            try TestStack(model).perform { context in
                context.add("Item", ["id": "x", "code": "1"])
                context.add("Item", ["id": "y", "code": "2"])
                try context.save()
                try change(context)
                context.processPendingChanges()
                return try GraphSnapshot(of: context)
            }
        }
        let (base, our, their) = (try side { _ in }, try side(ours), try side(theirs))
        let options = GraphMerge.Options(policy: policy)
        let merge = try GraphMerge(base: base, ours: our, theirs: their, options: options)
        let swapped = try GraphMerge(base: base, ours: their, theirs: our, options: options.mirrored)
        #expect(try merge.snapshot.contents() == swapped.snapshot.contents())
        #expect(merge.conflicts == swapped.conflicts.map(\.mirrored).sorted())
        return merge
    }

    private func set(_ id: String, _ values: [String: String]) -> Change {
        { try #require(try $0.one("Item", "id", id)).setValuesForKeys(values) }
    }

    private func values(_ merge: GraphMerge, _ name: String, _ ids: String...) -> [String] {
        ids.map { id in
            guard case .string(let text)? = merge.snapshot.row(of: "Item", identity: [.string(id)])?[name] else {
                return "-"
            }
            return text
        }
    }

    @Test(arguments: [GraphMerge.Choice.ours, .theirs, .base])
    func `where both sides touched both objects, the values say whose they are`(_ choice: GraphMerge.Choice) throws {
        // Of x, theirs is taken, of y, ours: both get 9, which neither side has twice.
        var merge = try merge(
            .custom { $0.kind == .values ? $0.key == ObjectKey("Item", [.string("x")]) ? .theirs : .ours : nil },
            ours: {
                try set("x", ["code": "7"])($0)
                try set("y", ["code": "9"])($0)
            },
            theirs: {
                try set("x", ["code": "9"])($0)
                try set("y", ["code": "8"])($0)
            })
        let conflict = try #require(merge.conflicts.first)
        #expect(merge.conflicts.count == 1 && conflict.kind == .uniqueness)
        #expect(conflict.key == ObjectKey("Item", [.string("y")]))
        #expect(conflict.other == ObjectKey("Item", [.string("x")]))
        try merge.settle(conflict, choice)
        let expected = choice == .ours ? ["1", "9"] : choice == .theirs ? ["9", "2"] : ["1", "2"]
        #expect(values(merge, "code", "x", "y") == expected)
        #expect(merge.conflicts.isEmpty)
    }

    @Test func `what is chosen and doesn't help isn't settled`() throws {
        // Deleted by us and kept for them, x has had its value all the time.
        var merge = try merge(
            .custom { $0.kind == .deletion ? ($0.ours == .noObject ? .theirs : .ours) : nil },
            ours: { context in
                context.delete(try #require(try context.one("Item", "id", "x")))
                try set("y", ["code": "1"])(context)
            },
            theirs: set("x", ["name": "New"]))
        let conflict = try #require(merge.conflicts.first)
        #expect(conflict.key == ObjectKey("Item", [.string("y")]))
        try merge.settle(conflict, .ours)
        #expect(merge.conflicts.map(\.kind) == [.uniqueness])
        #expect(!merge.settled.contains { $0.conflict.kind == .uniqueness })
        try merge.settle(try #require(merge.conflicts.first), .theirs)
        #expect(merge.conflicts.isEmpty)
        #expect(values(merge, "code", "x", "y") == ["1", "2"])
    }

    @Test func `a value is chosen for an object that neither side gave one`() throws {
        var merge = try merge(
            .custom { $0.kind == .deletion ? ($0.ours == .noObject ? .theirs : .ours) : nil },
            ours: set("x", ["name": "New"]),
            theirs: { context in
                context.delete(try #require(try context.one("Item", "id", "x")))
                try set("y", ["code": "1"])(context)
            })
        let conflict = try #require(merge.conflicts.first)
        #expect(conflict.key == ObjectKey("Item", [.string("x")]))
        try merge.settle(conflict, .value(.string("5")))
        #expect(merge.conflicts.isEmpty)
        #expect(values(merge, "code", "x", "y") == ["5", "1"])
        #expect(values(merge, "name", "x") == ["New"])
    }

    @Test func `an object that isn't unique with two others is two conflicts, each with its own choice`() throws {
        var merge = try merge(
            ours: { context in context.add("Item", ["id": "n", "a": "1", "b": "1", "c": "1"]) },
            theirs: { context in
                context.add("Item", ["id": "p", "a": "1", "b": "1", "c": "9"])
                context.add("Item", ["id": "q", "a": "1", "b": "9", "c": "1"])
            })
        #expect(merge.conflicts.map(\.key) == ["n", "n"].map { ObjectKey("Item", [.string($0)]) })
        #expect(merge.conflicts.map(\.other) == ["p", "q"].map { ObjectKey("Item", [.string($0)]) })
        try merge.settle(try #require(merge.conflicts.first), .ours)
        #expect(merge.conflicts.map(\.other) == [ObjectKey("Item", [.string("q")])])
        try merge.settle(try #require(merge.conflicts.first), .ours)
        #expect(merge.conflicts.isEmpty && merge.settled.count == 2)
        #expect(values(merge, "a", "n", "p", "q") == ["1", "-", "-"])
        let decoded = try JSONDecoder().decode(GraphMerge.self, from: JSONEncoder().encode(merge))
        #expect(decoded.conflicts.isEmpty)
        #expect(try decoded.snapshot.contents() == merge.snapshot.contents())
    }
}
