// Values that a store can have and JSON can't tell: infinite numbers, and dates beyond all years.

import CoreData
import Foundation
import Graft
import Synchronization
import Testing

@Suite struct FormlessValueTests {
    /// Three things, two of which have such a value, and what refers to one whose identity is such a value.
    private func makeStack() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Thing", info: ["identityAttributes": "id"],
            [.attribute("id"), .attribute("size", .doubleAttributeType), .attribute("when", .dateAttributeType)])
        sketch.entity(
            "Scale", info: ["identityAttributes": "weight"],
            [
                .attribute("weight", .doubleAttributeType), .toOne("next", "Scale", inverse: "last"),
                .toOne("last", "Scale", inverse: "next"),
            ])
        let stack = try TestStack(sketch.model(), .sqlite)
        try stack.fill { context in
            context.add("Thing", ["id": "a", "size": 1.5, "when": Date(timeIntervalSinceReferenceDate: 0.5)])
            context.add("Thing", ["id": "b", "size": Double.infinity, "when": Date(timeIntervalSinceReferenceDate: 1)])
            context.add("Thing", ["id": "c", "size": 2.5, "when": Date(timeIntervalSinceReferenceDate: 9e99)])
        }
        return stack
    }

    /// The ways to export things, with the options that they take.
    private static let ways: [@Sendable (TestStack, ExportOptions) throws -> String] = [
        { stack, options in
            let file = FileManager.default.temporaryDirectory.appending(path: "formless-\(UUID().uuidString).json")
            defer { try? FileManager.default.removeItem(at: file) }
            try stack.container.exportJSON(ExportRequest(entity: "Thing"), to: .file(file), options: options)
            return try String(contentsOf: file, encoding: .utf8)
        },
        { stack, options in
            try stack.perform { context in
                let things = try context.all("Thing", by: "id")
                return String(decoding: try context.json(of: things, options: options), as: UTF8.self)
            }
        },
        { stack, options in
            try stack.perform { String(decoding: try $0.exportJSON(options: options), as: UTF8.self) }
        },
    ]

    @Test(arguments: 0..<3)
    func `a value without a form in JSON is named with its row, or left out and listed`(_ way: Int) throws {
        let stack = try makeStack()
        let error = try #require(graftError { _ = try Self.ways[way](stack, ExportOptions()) })
        guard case .notRepresentable(let value, _) = error.problem else {
            Issue.record("\(error)")
            return
        }
        #expect(value.hasPrefix("inf in row "))
        #expect(error.place.entity == "Thing" && error.place.property == "size")

        var options = ExportOptions()
        let found = Mutex<[GraftError]>([])
        options.onDamage = { error in found.withLock { $0.append(error) } }
        let text = try Self.ways[way](stack, options)
        #expect(found.withLock { $0.map(\.place.property) } == ["size", "when"])
        #expect(found.withLock { $0.first } == error)
        #expect(text.contains(#""id":"b","size":null,"when":"2001-01-01T00:00:01Z""#), "\(text)")
        #expect(text.contains(#""id":"c","size":2.5,"when":null"#), "\(text)")

        // Where nulls aren't written, nothing is.
        if way == 2 { return }
        options.includesNulls = false
        #expect(try Self.ways[way](stack, options).contains(#""id":"c","size":2.5}"#))
    }

    @Test func `an object whose identity has no form in JSON has a number in a whole graph`() throws {
        let stack = try makeStack()
        try stack.fill { context in
            for thing in try context.all("Thing") { context.delete(thing) }
            let first = context.add("Scale", ["weight": 1])
            let second = context.add("Scale", ["weight": Double.infinity])
            first.setValue(second, forKey: "next")
        }
        var options = ExportOptions()
        let found = Mutex<[GraftError]>([])
        options.onDamage = { error in found.withLock { $0.append(error) } }
        let text = try stack.perform { [options] in try $0.exportJSON(options: options) }
        #expect(found.withLock { $0.map(\.place.property) } == ["weight"])
        let copy = try TestStack(stack.container.managedObjectModel)
        try copy.container.importJSON(from: [.data(text)])
        try copy.perform { context in
            let first = try #require(try context.one("Scale", "weight", 1))
            let second = try #require(first.object("next"))
            #expect(second.value(forKey: "weight") == nil)
        }
    }

    @Test func `such an object is met again as null, beside one that isn't met again too`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Scale", info: ["identityAttributes": "weight"],
            [
                .attribute("weight", .doubleAttributeType), .toMany("uses", "Scale", inverse: "users"),
                .toMany("users", "Scale", inverse: "uses"),
            ])
        let stack = try TestStack(sketch.model())
        var options = ExportOptions()
        options.relationshipForm = .nested
        options.onDamage = { _ in }
        let text = try stack.perform { [options] context in
            let scale = context.add("Scale", ["weight": Double.infinity])
            scale.setValue(NSSet(array: [scale, context.add("Scale", ["weight": 1])]), forKey: "uses")
            return String(decoding: try context.json(of: scale, options: options), as: UTF8.self)
        }
        #expect(text.contains(#""uses":[null,{"#), "\(text)")
    }
}
