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
        for seed in 1...(kind == .sqlite ? 40 : 120) {
            let (old, new) = (try Self.stack(seed, kind, isChanged: false), try Self.stack(seed, kind, isChanged: true))
            var options = DiffOptions()
            options.takesAbsentAsNull = true
            let contexts = (old.container.newBackgroundContext(), new.container.newBackgroundContext())
            // A graph in which nothing tells two objects apart can't be compared either way.
            guard let expected = try? GraphDiff(from: contexts.0, to: contexts.1, options: options) else { continue }
            let diff = try GraphDiff(from: old.container, to: new.container)
            #expect(diff == expected, "seed \(seed)\n\(diff.text())\n\(expected.text())")
            #expect(try GraphDiff(from: new.container, to: old.container) == diff.inverted, "seed \(seed)")
            compared += 1
            let schema = try GraphSchema(old.container.managedObjectModel)
            if schema.entities.allSatisfy({ $0.isAbstract || !$0.identity.isEmpty }) { streamed += 1 }
        }
        #expect(compared > 10)
        #expect(streamed > 8)
    }

    /// A store with a random graph, and some of it changed.
    private static func stack(_ seed: Int, _ kind: StoreKind, isChanged: Bool) throws -> TestStack {
        var graph = RandomGraph(seed: seed)
        let stack = try TestStack(graph.model, kind)
        try stack.perform { context in
            graph.fill(context, count: 25)
            var random = SeededRandom(seed: seed)
            let objects = context.insertedObjects.sorted { suffix($0) < suffix($1) }
            identify(objects, from: 1000)
            try context.save()
            guard isChanged else { return }
            for object in objects where random.chance(10) { context.delete(object) }
            context.processPendingChanges()
            let rest = objects.filter { !$0.isDeleted }
            for object in rest { letGo(object) }
            for object in rest where random.chance(30) { change(object, rest, &random) }
            graph.fill(context, count: 2)
            identify(context.insertedObjects.sorted { suffix($0) < suffix($1) }, from: 2000)
            try context.save()
        }
        return stack
    }

    /// Clears relationships without inverse to deleted objects: nobody else does.
    private static func letGo(_ object: NSManagedObject) {
        for (name, relationship) in object.entity.relationshipsByName where relationship.inverseRelationship == nil {
            if object.object(name)?.isDeleted == true { object.setValue(nil, forKey: name) }
        }
    }

    /// Gives objects an identity that have none, or one that others have.
    private static func identify(_ objects: [NSManagedObject], from start: Int) {
        for (index, object) in objects.enumerated() {
            if object.value(forKey: "key") == nil || start == 2000 {
                object.setValue(NSNumber(value: start + index), forKey: "key")
            }
            if object.value(forKey: "part") == nil { object.setValue("p", forKey: "part") }
        }
    }

    /// What grows in the IDs of unsaved objects, in the order of their making.
    private static func suffix(_ object: NSManagedObject) -> Substring {
        object.objectID.uriRepresentation().absoluteString.suffix(12)
    }

    private static func change(_ object: NSManagedObject, _ objects: [NSManagedObject], _ random: inout SeededRandom) {
        for (name, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key }) {
            guard name != "key", name != "part", random.chance(30) else { continue }
            object.setValue(attribute.attributeType == .stringAttributeType ? "changed" : nil, forKey: name)
        }
        for (name, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key }) {
            guard random.chance(40), let destination = relationship.destinationEntity else { continue }
            let candidates = objects.filter { $0.entity.isKindOf(entity: destination) }
            let ends =
                candidates.isEmpty ? [] : (0..<random.below(4)).map { _ in candidates[random.below(candidates.count)] }
            if relationship.isToMany {
                object.setValue(relationship.isOrdered ? NSOrderedSet(array: ends) : NSSet(array: ends), forKey: name)
            } else {
                object.setValue(ends.first, forKey: name)
            }
        }
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

    @Test func `an object without its identity, and one that is there twice, are named`() throws {
        let model = ComicModel.make()
        let (old, new) = (try TestStack(model), try TestStack(model))
        try new.perform { context in
            for id in [1, 1] { context.make("Power", id: id) }
            try context.save()
        }
        let error = graftError { _ = try GraphDiff(from: old.container, to: new.container) }
        #expect(error?.problem == .duplicateIdentity("Power 1"))
        try old.perform { context in
            context.make("Power", id: nil)
            try context.save()
        }
        let missing = graftError { _ = try GraphDiff(from: old.container, to: new.container) }
        #expect(missing?.problem == .missingIdentity(attributes: ["identifier"]))
        #expect(missing?.place.entity == "Power")
    }

    @Test func `stores of different models aren't compared`() throws {
        let (old, new) = (try TestStack(ComicModel.make()), try TestStack(PersonModel.make()))
        let error = graftError { _ = try GraphDiff(from: old.container, to: new.container) }
        #expect(error?.problem == .modelMismatch(reason: "the two stores have different models"))
    }
}

extension NSManagedObjectContext {
    fileprivate func make(_ entity: String, id: Int?) {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        object.setValue(id.map { NSNumber(value: $0) }, forKey: "identifier")
    }
}
