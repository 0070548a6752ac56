// The difference of two stores, read side by side, is the difference of the two graphs in memory.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct StoreDiffTests {
    @Test(arguments: StoreKind.allCases)
    func `stores read in the order of identities differ as the same graphs in memory do`(_ kind: StoreKind) throws {
        var compared = 0
        var streamed = 0
        for seed in Laws.cases(1...(kind == .sqlite ? 40 : 120), oneOf: 3) {
            let (old, new) = try ChangedStores.pair(seed, kind)
            let options = DiffOptions()
            let contexts = (old.container.newBackgroundContext(), new.container.newBackgroundContext())
            // A graph in which nothing tells two objects apart can't be compared either way.
            guard let expected = try? GraphDiff(from: contexts.0, to: contexts.1, options: options) else { continue }
            let diff = try GraphDiff(from: old.container, to: new.container)
            #expect(diff == expected, "seed \(seed)\n\(diff.text())\n\(expected.text())")
            #expect(try GraphDiff(from: new.container, to: old.container) == diff.inverted, "seed \(seed)")
            compared += 1
            let schema = try GraphSchema(old.container.managedObjectModel)
            let one = [schema.entities[seed % schema.entities.count].name]
            if let expected = try? GraphDiff(from: contexts.0, to: contexts.1, entities: one) {
                let diff = try GraphDiff(from: old.container, to: new.container, entities: one)
                #expect(diff == expected, "seed \(seed), \(one)\n\(diff.text())\n\(expected.text())")
            }
            if schema.entities.allSatisfy({ $0.isAbstract || !$0.identity.isEmpty }) { streamed += 1 }
        }
        #expect(compared > Laws.count(10, otherwise: 5))
        #expect(streamed > Laws.count(8, otherwise: 2))
    }

    @Test func `a publisher that a thousand heroes leave and join is one change`() throws {
        let model = ComicModel.make()
        let (old, new) = (try TestStack(model, .sqlite), try TestStack(model, .sqlite))
        func heroes(_ publisher: Int) -> String {
            let objects = (0..<1500).map {
                #"{"id":\#($0),"publisher":{"id":\#($0 % 3 == 0 ? publisher : 3),"name":"P"}}"#
            }
            return "[\(objects.joined(separator: ","))]"
        }
        try old.importJSON(heroes(1), "Character")
        try new.importJSON(heroes(2), "Character")
        let diff = try GraphDiff(from: old.container, to: new.container)
        #expect(diff.changed.count == 500)
        #expect(diff.inserted.map(\.key.description) == ["Publisher 2"])
        #expect(diff.deleted.map(\.key.description) == ["Publisher 1"])
        guard case .toMany(let members, false)? = diff.inserted.first?["characters"] else {
            Issue.record("no characters")
            return
        }
        #expect(members.count == 500)
    }

    @Test(arguments: StoreKind.allCases)
    func `what has another owner is neither new nor gone in the diff of one owner's entity`(_ kind: StoreKind) throws {
        var sketch = ModelSketch()
        let info = ["identityAttributes": "id"]
        func owner(_ name: String, _ property: String) {
            sketch.entity(
                name, info: info,
                [
                    .attribute("id", .integer64AttributeType),
                    .toMany("addresses", "Address", inverse: property, rule: .cascadeDeleteRule),
                ])
        }
        owner("Person", "person")
        owner("Company", "company")
        sketch.entity(
            "Address", info: info,
            [
                .attribute("id", .integer64AttributeType), .toOne("person", "Person", inverse: "addresses"),
                .toOne("company", "Company", inverse: "addresses"),
                .toMany("rooms", "Room", inverse: "address", rule: .cascadeDeleteRule),
            ])
        sketch.entity(
            "Room", info: info,
            [.attribute("id", .integer64AttributeType), .toOne("address", "Address", inverse: "rooms")])
        let model = sketch.model()
        let stacks = try ["person", "company"].map { owner in
            let stack = try TestStack(model, kind)
            try stack.importJSON(
                """
                {"Person": [{"id": 1}], "Company": [{"id": 1}], "Room": [{"id": 1, "address": 1}],
                 "Address": [{"id": 1, "\(owner)": 1}]}
                """)
            return stack
        }
        let (old, new) = (stacks[0].container, stacks[1].container)
        let diff = try GraphDiff(from: old, to: new, entities: ["Person"])
        #expect(diff.deleted.isEmpty && diff.inserted.isEmpty)
        #expect(diff.changed.map(\.key.description) == ["Address 1", "Person 1"])
        #expect(try GraphDiff(from: new, to: old, entities: ["Person"]) == diff.inverted)
        try old.apply(diff)
        #expect(try GraphDiff(from: old, to: new).isEmpty)
    }

    @Test(arguments: ["integer", "text", "uuid", "date", "decimal", "composite"])
    func `objects come in the order of their identities, page by page`(_ identity: String) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Thing", info: ["identityAttributes": identity == "composite" ? "text, integer" : identity],
            [
                .attribute("integer", .integer64AttributeType), .attribute("text"),
                .attribute("uuid", .UUIDAttributeType),
                .attribute("date", .dateAttributeType), .attribute("decimal", .decimalAttributeType),
            ])
        let stack = try TestStack(sketch.model(), .sqlite)
        try stack.perform { context in
            for index in 0..<100 {
                let object = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
                let number = (index * 37) % 100 - 50
                object.setValue(NSNumber(value: number), forKey: "integer")
                let isShared = identity == "composite"
                object.setValue(["Z", "a", "é", "", "正"][index % 5] + (isShared ? "" : "\(number)"), forKey: "text")
                object.setValue(UUID(), forKey: "uuid")
                object.setValue(Date(timeIntervalSinceReferenceDate: Double(number) * 1.1), forKey: "date")
                object.setValue(NSDecimalNumber(string: "\(number).25"), forKey: "decimal")
            }
            try context.save()
        }
        try stack.perform { context in
            let schema = try GraphSchema(stack.container.managedObjectModel)
            var stream = try IdentityStream(
                StoreSide(context, schema), entity: 0, relationships: [], pageSize: 7, batchSize: 3)
            var count = 0
            while stream.current != nil {
                count += 1
                try stream.advance()
            }
            #expect(count == 100)
        }
    }

    @Test func `an object without identity is known by its contents, and one that is there twice is named`() throws {
        let model = ComicModel.make()
        let (old, new) = (try TestStack(model), try TestStack(model))
        try new.perform { context in
            for id in [1, 1] { context.make("Power", id: id) }
            try context.save()
        }
        let error = graftError { _ = try GraphDiff(from: old.container, to: new.container) }
        #expect(error?.problem == .duplicateIdentity("Power 1"))
        let other = try TestStack(model)
        for stack in [old, other] {
            try stack.perform { context in
                context.make("Power", id: nil)
                try context.save()
            }
        }
        #expect(try GraphDiff(from: old.container, to: other.container).isEmpty)
        try other.perform { context in
            context.make("Power", id: nil, name: "Flight")
            context.make("Power", id: 2)
            try context.save()
        }
        let diff = try GraphDiff(from: old.container, to: other.container)
        #expect(diff.deleted.isEmpty && diff.changed.isEmpty && diff.inserted.count == 2)
        #expect(diff.identification.rules["Power"] == .contents)
        try old.container.apply(diff)
        #expect(try GraphDiff(from: old.container, to: other.container).isEmpty)
        try old.container.apply(diff.inverted)
        #expect(try old.perform { try $0.all("Power").count } == 1)
    }

    @Test func `stores that are compared in memory tell how far that is, and can be called off`() throws {
        var sketch = ModelSketch()
        sketch.entity("Note", [.attribute("text")])
        let stacks = [try TestStack(sketch.model()), try TestStack(sketch.model())]
        for (count, stack) in zip([3, 4], stacks) {
            try stack.fill { context in
                for number in 0..<count { context.add("Note", ["text": "\(number)"]) }
            }
        }
        let progress = Progress(totalUnitCount: 0)
        let diff = try GraphDiff(from: stacks[0].container, to: stacks[1].container, progress: progress)
        #expect(diff.inserted.count == 1 && diff.identification.rules["Note"] == .contents)
        #expect(progress.totalUnitCount == 7 && progress.completedUnitCount == 7)
        progress.cancel()
        let error = graftError {
            _ = try GraphDiff(from: stacks[0].container, to: stacks[1].container, progress: progress)
        }
        #expect(error?.problem == .cancelled)
    }

    @Test func `stores of different models aren't compared`() throws {
        let (old, new) = (try TestStack(ComicModel.make()), try TestStack(PersonModel.make()))
        let error = graftError { _ = try GraphDiff(from: old.container, to: new.container) }
        #expect(error?.problem == .modelMismatch(reason: "the two stores have different models"))
    }
}

extension NSManagedObjectContext {
    fileprivate func make(_ entity: String, id: Int?, name: String? = nil) {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        object.setValue(id.map { NSNumber(value: $0) }, forKey: "identifier")
        if let name { object.setValue(name, forKey: "name") }
    }
}
