// Objects that only their contents tell apart, and whose they are: restoring takes nothing away from an owner that isn't in the
// archive.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ArchiveOwnerTests {
    /// - Parameter isCircle: Whether orders refer to lines, too, so that these come first in an archive.
    private static func model(isKeyed: Bool = false, isCircle: Bool = false) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Order", info: ["identityAttributes": "number"],
            [
                .attribute("number", .integer64AttributeType),
                .toMany("lines", "Line", inverse: "order", rule: .cascadeDeleteRule),
            ] + (isCircle ? [.toOne("first", "Line")] : []))
        sketch.entity(
            "Line", info: isKeyed ? ["identityAttributes": "key, order"] : [:],
            [
                .attribute("key", .integer64AttributeType), .attribute("quantity", .integer64AttributeType),
                .toOne("order", "Order", inverse: "lines"), .toMany("notes", "Note", inverse: "line"),
            ])
        sketch.entity("Note", [.attribute("text"), .toOne("line", "Line", inverse: "notes")])
        return sketch.model()
    }

    /// The model with identities that have an owner, and orders of a kind that some models have.
    private static func model(withRushOrders: Bool) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Order", info: ["identityAttributes": "number"],
            [.attribute("number", .integer64AttributeType), .toMany("lines", "Line", inverse: "order")])
        if withRushOrders { sketch.entity("RushOrder", parent: "Order", []) }
        sketch.entity(
            "Line", info: ["identityAttributes": "key, order"],
            [
                .attribute("key", .integer64AttributeType), .attribute("quantity", .integer64AttributeType),
                .toOne("order", "Order", inverse: "lines"),
            ])
        return sketch.model()
    }

    @Test func `whose owner the model has no place for is nobody else's object`() throws {
        let from = try TestStack(Self.model(withRushOrders: true), .sqlite)
        try from.fill { context in
            let order = context.add("RushOrder", ["number": 2])
            context.add("Line", ["key": 1, "quantity": 7, "order": order])
        }
        let stack = try TestStack(Self.model(withRushOrders: false), .sqlite)
        try stack.fill { context in
            let order = context.add("Order", ["number": 1])
            context.add("Line", ["key": 1, "quantity": 1, "order": order])
        }
        let report = try stack.restore(from.archive()) { $0.fit = .partial }
        #expect(report["Line"].inserted == 1)
        try stack.perform { context in
            let order = try #require(try context.one("Order", "number", 1))
            let lines = try #require(order.value(forKey: "lines") as? Set<NSManagedObject>)
            #expect(lines.map { $0.value(forKey: "quantity") as? Int } == [1])
        }
    }

    @Test func `many objects of equal contents are found, each with its owner`() throws {
        let model = Self.model()
        let stack = try orders(Array(1...400), model)
        let report = try stack.restore(stack.archive())
        #expect(report["Line"].unchanged == 400 && report["Note"].unchanged == 400)
        #expect(report["Line"].updated == 0 && report["Note"].inserted == 0)
    }

    /// A store with orders, each with a line that has a note.
    private func orders(_ numbers: [Int], _ model: NSManagedObjectModel) throws -> TestStack {
        let stack = try TestStack(model, .sqlite)
        try stack.fill { context in
            for number in numbers {
                let order = context.add("Order", ["number": number])
                let line = context.add("Line", ["key": 1, "quantity": 1, "order": order])
                context.add("Note", ["text": "n", "line": line])
            }
        }
        return stack
    }

    @Test func `what its owner identifies is found, whatever else the archive says of it`() throws {
        let model = Self.model(isKeyed: true)
        let (stack, other) = (try orders([1, 2], model), try orders([1], model))
        try other.fill { context in
            let lines = try #require(
                try context.one("Order", "number", 1)?.value(forKey: "lines") as? Set<NSManagedObject>)
            lines.first?.setValue(7, forKey: "quantity")
        }
        for _ in 0..<2 {
            let report = try stack.restore(other.archive())
            #expect(report["Line"].inserted == 0 && report["Order"].unchanged == 1)
            #expect(try stack.count("Line") == 2 && stack.findings() == [])
        }
        try stack.perform { context in
            let quantities = try [1, 2].map { number in
                let lines = try context.one("Order", "number", number)?.value(forKey: "lines") as? Set<NSManagedObject>
                return lines?.first?.value(forKey: "quantity") as? Int
            }
            #expect(quantities == [7, 1])
        }
    }

    /// Heroes with suits, which their numbers and their wearers identify.
    private static func suits(isMandatory: Bool) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Hero", info: ["identityAttributes": "name"],
            [
                .attribute("name"),
                .toOne(
                    "armour", "Suit", inverse: "wearer", isOptional: !isMandatory, rule: .cascadeDeleteRule),
            ])
        sketch.entity(
            "Suit", info: ["identityAttributes": "no, wearer"],
            [
                .attribute("no", .integer64AttributeType), .attribute("colour"),
                .toOne("wearer", "Hero", inverse: "armour"),
            ])
        return sketch.model()
    }

    @Test(arguments: [true, false], GraphArchive.Encoding.allCases)
    func `the one object of an owner that identifies it is found again`(
        _ isMandatory: Bool, _ encoding: GraphArchive.Encoding
    ) throws {
        let model = Self.suits(isMandatory: isMandatory)
        let stack = try TestStack(model, .sqlite)
        let text = #"[{"name": "a", "armour": {"no": 1, "colour": "red"}}, {"name": "b", "armour": {"no": 1}}]"#
        try stack.importJSON(text, "Hero")
        let archive = try stack.archive(encoding)
        let copy = try TestStack(model, .sqlite)
        try copy.restore(archive)
        #expect(try copy.labels() == stack.labels())
        for stack in [stack, copy] { #expect(try !stack.restore(archive).hasChanges) }
        for batchSize in [1, 1000] {
            try stack.importJSON(text.replacingOccurrences(of: "red", with: "blue"), "Hero")
            let report = try stack.restore(archive) { $0.batchSize = batchSize }
            #expect(report["Suit"].updated == 1 && report.total.inserted == 0 && report["Hero"].updated == 0)
            #expect(try stack.labels() == copy.labels())
        }
    }

    @Test(arguments: [true, false], GraphArchive.Encoding.allCases)
    func `a new owner has an object of its own, whatever another one's has`(
        _ isMandatory: Bool, _ encoding: GraphArchive.Encoding
    ) throws {
        let model = Self.suits(isMandatory: isMandatory)
        let (stack, other) = (try TestStack(model, .sqlite), try TestStack(model, .sqlite))
        try stack.importJSON(#"[{"name": "a", "armour": {"no": 1}}]"#, "Hero")
        try other.importJSON(#"[{"name": "b", "armour": {"no": 1}}]"#, "Hero")
        let archive = try other.archive(encoding)
        #expect(try stack.restore(archive).total.inserted == 2)
        #expect(try !stack.restore(archive).hasChanges)
        try stack.perform { context in
            for hero in try context.all("Hero") { #expect(hero.object("armour") != nil) }
        }
    }

    @Test(arguments: [true, false], [(true, false), (false, false), (true, true), (false, true)])
    func `an order that is new gets lines of its own`(isKeyed: Bool, _ mode: (savesBatches: Bool, isCircle: Bool))
        throws
    {
        let savesBatches = mode.savesBatches
        let model = Self.model(isKeyed: isKeyed, isCircle: mode.isCircle)
        let archive = try orders([2], model).archive()
        for batchSize in [1, 2, 1000] {
            let stack = try orders([1], model)
            func restore() throws -> ImportReport {
                try stack.restore(archive) {
                    $0.batchSize = batchSize
                    $0.savesEachBatch = savesBatches
                }
            }
            #expect(try restore().total.inserted == 3, "batches of \(batchSize)")
            #expect(try !restore().hasChanges, "batches of \(batchSize)")
            try stack.perform { context in
                for number in [1, 2] {
                    let order = try #require(try context.one("Order", "number", number))
                    let lines = try #require(order.value(forKey: "lines") as? Set<NSManagedObject>)
                    #expect(lines.count == 1 && lines.first?.texts("notes", "text") == ["n"], "order \(number)")
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `one batch with orders that are there and orders that are new`(savesBatches: Bool) throws {
        let stack = try orders([1, 3], Self.model())
        let archive = try orders([1, 2, 3, 4], Self.model()).archive()
        let report = try stack.restore(archive) { $0.savesEachBatch = savesBatches }
        #expect(report["Order"].inserted == 2 && report["Line"].inserted == 2 && report["Note"].inserted == 2)
        #expect(report.total.unchanged == 6 && report.total.updated == 0)
        #expect(try !stack.restore(archive) { $0.savesEachBatch = savesBatches }.hasChanges)
    }

    @Test(arguments: [true, false])
    func `objects that refer to each other are all found, or none of them`(savesBatches: Bool) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Node",
            [
                .attribute("name"), .toOne("next", "Node", inverse: "previous"),
                .toMany("previous", "Node", inverse: "next"),
            ])
        func circle(_ names: [String], _ stack: TestStack) throws {
            try stack.fill { context in
                let nodes = names.map { context.add("Node", ["name": $0]) }
                for (index, node) in nodes.enumerated() {
                    node.setValue(nodes[(index + 1) % nodes.count], forKey: "next")
                }
            }
        }
        let model = sketch.model()
        let (stack, other) = (try TestStack(model, .sqlite), try TestStack(model, .sqlite))
        try circle(["a", "b", "c"], stack)
        try circle(["self"], stack)
        let own = try stack.archive()
        #expect(try !stack.restore(own) { $0.savesEachBatch = savesBatches }.hasChanges)
        // Another circle, which has two nodes that look the same.
        try circle(["a", "b", "d"], other)
        let report = try stack.restore(other.archive()) { $0.savesEachBatch = savesBatches }
        #expect(report["Node"].inserted == 3)
        try stack.perform { context in
            let node = try #require(try context.one("Node", "name", "c"))
            #expect(node.object("next")?.object("next")?.object("next") === node)
        }
    }
}
