// An object that has no identity yet, and is known by its place, breaks a uniqueness constraint together with the other side like any
// other: a conflict, and not a graph that no store takes.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct UnidentifiedUniquenessTests {
    private static func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "List", info: ["id": "id"],
            [.attribute("id"), .toMany("items", "Item", inverse: "list", isOrdered: true)])
        sketch.entity(
            "Item", info: ["id": "id"], unique: [["code"]],
            [.attribute("id"), .attribute("code"), .toOne("list", "List", inverse: "items")])
        return sketch.model()
    }

    private func side(_ change: (NSManagedObjectContext) throws -> Void = { _ in }) throws -> GraphSnapshot {
        try TestStack(Self.model()).perform { context in
            let list = context.make("List", ["id": "l"])
            context.make("Item", ["id": "x", "code": "1"]).setValue(list, forKey: "list")
            try context.save()
            try change(context)
            context.processPendingChanges()
            return try GraphSnapshot(of: context)
        }
    }

    @Test(arguments: [true, false])
    func `a new object without identity and a changed one with the same unique value are a conflict`(
        _ isOurs: Bool
    ) throws {
        let inserted = try side { context in
            let list = try #require(try context.one("List", "id", "l"))
            context.make("Item", ["code": "5"]).setValue(list, forKey: "list")
        }
        let changed = try side { try #require(try $0.one("Item", "id", "x")).setValue("5", forKey: "code") }
        let merge = try GraphMerge(
            base: side(), ours: isOurs ? inserted : changed, theirs: isOurs ? changed : inserted)
        #expect(merge.conflicts.map(\.kind) == [.uniqueness])
        let codes = merge.snapshot.rows(of: "Item").compactMap { row -> String? in
            if case .string(let code)? = row["code"] { code } else { nil }
        }
        #expect(merge.snapshot.rows(of: "Item").count == 2)
        #expect(Set(codes).count == codes.count, "\(codes)")
    }
}
