// What Graft reads of objects whose rows are damaged further down than anything was read ahead: an error, whichever door it comes by.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

final class UnreadNode: NSManagedObject, ManagedCodable {}

// Apple's Core Data raises an exception where a fault can't be read.
@Suite(.needsOurCoreData) struct UnreadableFaultTests {
    /// A tree of three levels in a file, of whose last row a number is a text.
    private static func stack(damage: String? = "'x'") throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Node", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType),
                .toMany("children", "Node", inverse: "parent", rule: .cascadeDeleteRule),
                .toOne("parent", "Node", inverse: "children"),
            ])
        let model = sketch.model()
        model.entitiesByName["Node"]?.managedObjectClassName = NSStringFromClass(UnreadNode.self)
        let stack = try TestStack(model, .sqlite)
        try stack.fill { context in
            var parent: NSManagedObject?
            for id in 1...3 {
                let node = context.add("Node", ["id": id])
                node.setValue(parent, forKey: "parent")
                parent = node
            }
        }
        let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first?.url)
        if let damage { try StoreSQL.run("UPDATE ZNODE SET ZID = \(damage) WHERE ZID = 3", at: store) }
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

    /// Calls that let go of the member that can't be read, or give it values.
    private static let writingDoors: [(name: String, write: @Sendable (NSManagedObject) throws -> Void)] = [
        ("import", { try $0.managedObjectContext?.importJSON(Data(withoutLast.utf8), entity: "Node") }),
        (
            "import that leaves out",
            {
                var options = ImportOptions()
                options.failurePolicy = .skip
                try $0.managedObjectContext?.importJSON(Data(withoutLast.utf8), entity: "Node", options: options)
            }
        ),
        (
            "populate",
            {
                var options = PopulateOptions()
                options.membersPolicy = .replace
                let child: [String: Any] = ["id": 2, "children": [[String: Any]]()]
                try $0.populate(fromDictionary: ["id": 1, "children": [child]], options: options)
            }
        ),
        (
            "values",
            {
                let child = ($0.value(forKey: "children") as? Set<NSManagedObject>)?.first
                let last = (child?.value(forKey: "children") as? Set<NSManagedObject>)?.first
                try last?.safeSetValues(forKeysWith: ["id": 4])
            }
        ),
        (
            "validation",
            {
                let child = ($0.value(forKey: "children") as? Set<NSManagedObject>)?.first
                let last = (child?.value(forKey: "children") as? Set<NSManagedObject>)?.first
                do { try last?.validateForUpdate() } catch {
                    throw GraftError(.other(finding: error.localizedDescription, remedy: ""))
                }
            }
        ),
        (
            "decoder",
            {
                _ = try $0.managedObjectContext?.decode(
                    [UnreadNode].self, from: Data("[\(withoutLast)]".utf8), with: JSONDecoder())
            }
        ),
        (
            "one decoder after the other",
            {
                let decoder = JSONDecoder()
                decoder.managedObjectContext = $0.managedObjectContext
                _ = try decoder.decode(UnreadNode.self, from: Data(withoutLast.utf8))
            }
        ),
        (
            "difference",
            { node in
                let other = try stack(damage: nil)
                let old = try other.perform { try GraphSnapshot(of: [try #require(try $0.one("Node", "id", 2))]) }
                try other.importJSON(withoutLast, "Node")
                let new = try other.perform { try GraphSnapshot(of: [try #require(try $0.one("Node", "id", 2))]) }
                try node.managedObjectContext?.apply(GraphDiff(from: old, to: new))
            }
        ),
    ]

    private static let withoutLast = #"{"id": 1, "children": [{"id": 2, "children": []}]}"#

    @Test(arguments: writingDoors.indices, [false, true])
    func `an object that can't be read is an error of what changes it, which leaves all as it was`(
        _ index: Int, _ hasOther: Bool
    ) throws {
        let (name, write) = Self.writingDoors[index]
        let stack = try Self.stack()
        try stack.perform { context in
            let root = try #require(try context.one("Node", "id", 1))
            // With changes that the call knows nothing of, what it has done is undone step by step.
            if hasOther { _ = context.add("Node", ["id": 7]) }
            let error = graftError { try write(root) }
            #expect(error?.description.contains("ZNODE.ZID of row") ?? false, "\(name): \(String(describing: error))")
            #expect(context.insertedObjects.count == (hasOther ? 1 : 0), "\(name): \(context.insertedObjects)")
            #expect(context.updatedObjects.isEmpty && context.deletedObjects.isEmpty, "\(name)")
            // With the damage gone, nothing is left of the attempt.
            try StoreSQL.run(
                "UPDATE ZNODE SET ZID = 3 WHERE ZID = 'x'", at: try #require(root.objectID.persistentStore?.url))
            let child = try #require((root.value(forKey: "children") as? Set<NSManagedObject>)?.first)
            let last = try #require((child.value(forKey: "children") as? Set<NSManagedObject>)?.first)
            #expect(last.value(forKey: "id") as? Int == 3, "\(name)")
            root.setValue(9, forKey: "id")
            try context.save()
        }
    }
}
