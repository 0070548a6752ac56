// Trees in transformable attributes that an import changes: what could be changed in place still can.

import Foundation
import Graft
import Testing

@testable import CoreData

@Suite struct TreeClassTests {
    /// The archive of `{"list": [{"n": 1}, "text"], "fixed": [1, 2], "title": "t"}`, of mutable classes but for the list of numbers.
    private func archive() throws -> Data {
        var builder = KeyedArchiveBuilder()
        let inner = builder.dictionary([(builder.text("n"), builder.integer(1))], isMutable: true)
        let title = builder.add(
            classes: ["NSMutableString", "NSString", "NSObject"], [.init("NS.string", .string("t"))])
        let tree = builder.dictionary(
            [
                (builder.text("list"), builder.array([inner, builder.text("text")], isMutable: true)),
                (builder.text("fixed"), builder.array([builder.integer(1), builder.integer(2)])),
                (builder.text("title"), title),
            ], isMutable: true)
        guard case .uid(let root) = tree else { throw CocoaError(.coderInvalidValue) }
        return builder.archive(root: root)
    }

    private func stack() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Note", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .attribute("tree", .transformableAttributeType)])
        let stack = try TestStack(sketch.model(), .sqlite)
        let bytes = try archive()
        try stack.perform { context throws in
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(1, forKey: "id")
            let slot = try #require(note.entityLayout.slot(named: "tree"))
            note.setSlot(slot, to: .transformable(TransformableValue(stored: bytes, transformerName: nil)))
            try context.save()
        }
        return stack
    }

    /// The bytes that the store has.
    private func bytes(_ stack: TestStack) throws -> Data {
        try stack.perform { context throws in
            let note = try #require(try context.all("Note").first)
            _ = note.value(forKey: "id")
            let slot = try #require(note.entityLayout.slot(named: "tree"))
            guard case .transformable(let value) = note.slotValue(slot) else { return Data() }
            return try value.storedBytes()
        }
    }

    private func take(_ stack: TestStack, _ tree: String) throws -> ImportReport {
        try stack.importJSON(#"[{"id": 1, "tree": \#(tree)}]"#, "Note")
    }

    @Test func `a tree that changes keeps its classes, place by place`() throws {
        let stack = try stack()
        let report = try take(
            stack, #"{"list": [{"n": 5}, "text", {"n": 6}], "fixed": [1, 3], "title": "T", "more": {"a": []}}"#)
        #expect(report["Note"].updated == 1)
        let made = unsafe try PropertyListSerialization.propertyList(from: bytes(stack), format: nil)
        let objects = try #require((made as? [String: Any])?["$objects"] as? [Any])
        let names = objects.compactMap { ($0 as? [String: Any])?["$classname"] as? String }
        #if GRAFT_PORTABLE
            // Foundation on Linux doesn't say of what classes the parts are.
            #expect(names.contains("NSMutableDictionary"))
        #else
            #expect(
                names.sorted() == [
                    "NSArray", "NSDictionary", "NSMutableArray", "NSMutableDictionary", "NSMutableString",
                ])
            let shape = try #require(TransformableCoding.shape(of: bytes(stack)) as? MutableShape)
            let tree = try #require(shape.content as? [String: Any])
            let list = try #require((tree["list"] as? MutableShape)?.content as? [Any])
            #expect(list.count == 3 && list[1] as? String == "text")
            #expect(list[0] is MutableShape)
            #expect(tree["fixed"] as? [Int] == [1, 3] && (tree["title"] as? MutableShape)?.content as? String == "T")
            #expect(tree["more"] is [String: Any])
        #endif
        let context = stack.container.newBackgroundContext()
        try context.performAndWait {
            let note = try #require(try context.all("Note").first)
            #expect((note.value(forKey: "tree") as? NSMutableDictionary)?["title"] as? String == "T")
        }
    }

    @Test func `the same tree again leaves its bytes alone`() throws {
        let stack = try stack()
        let before = try bytes(stack)
        let report = try take(stack, #"{"title": "t", "fixed": [1, 2], "list": [{"n": 1}, "text"]}"#)
        #expect(report["Note"].unchanged == 1)
        #expect(try bytes(stack) == before)
    }
}
