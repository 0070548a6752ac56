// What Graft reads of objects whose rows are damaged further down than anything was read ahead: an error, whichever door it comes by.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct UnreadableFaultTests {
    /// A tree of three levels in a file, of whose last row a number is a text.
    private static func stack() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Node", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType),
                .toMany("children", "Node", inverse: "parent", rule: .cascadeDeleteRule),
                .toOne("parent", "Node", inverse: "children"),
            ])
        let stack = try TestStack(sketch.model(), .sqlite)
        try stack.fill { context in
            var parent: NSManagedObject?
            for id in 1...3 {
                let node = context.add("Node", ["id": id])
                node.setValue(parent, forKey: "parent")
                parent = node
            }
        }
        let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first?.url)
        try StoreSQL.run("UPDATE ZNODE SET ZID = 'x' WHERE ZID = 3", at: store)
        return stack
    }

    private static let doors: [(name: String, read: @Sendable (NSManagedObject) throws -> Void)] = [
        ("snapshot", { _ = try GraphSnapshot(of: [$0]) }), ("difference", { _ = try GraphDiff(from: nil, to: $0) }),
        ("unsaved changes", { _ = try GraphDiff(unsavedChangesOf: $0) }),
        ("dictionary", { _ = try $0.toDictionary() }),
        ("encoder", { _ = try JSONEncoder().encode(EncodableGraph($0)) }),
        ("JSON", { _ = try $0.managedObjectContext?.json(of: $0) }),
        ("archive", { _ = try $0.managedObjectContext?.archive(of: [$0]) }),
    ]

    @Test(arguments: doors.indices)
    func `a damaged row at the end of a graph is an error`(_ index: Int) throws {
        let (name, read) = Self.doors[index]
        try Self.stack().perform { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
            request.predicate = NSPredicate(format: "id == 1")
            let root = try #require(try context.fetch(request).first)
            let error = graftError { try read(root) }
            #expect(error?.description.contains("ZNODE.ZID of row") ?? false, "\(name): \(String(describing: error))")
            #expect(root.value(forKey: "id") as? Int == 1)
        }
    }
}
