// Exports of a container, which make no objects where rows tell all, beside those of a context's objects: the same text.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct StoredObjectWriterTests {
    /// Entities of which each leads only to later ones by what is nested; the ways back are identifiers.
    private func model(_ random: inout SeededGenerator) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        let names = ["A", "B", "C", "D"]
        var properties = names.indices.map { index in
            [
                ModelSketch.Property.attribute("key", .integer32AttributeType, json: "id"),
                .attribute("text", json: random.chance(30) ? "deep.text" : "text"),
            ]
        }
        for number in 0..<(2 + random.below(5)) {
            let from = random.below(3), to = from + 1 + random.below(3 - from)
            let forth = "r\(number)", back = random.chance(80) ? "s\(number)" : nil
            let isToMany = back != nil && random.chance(60)
            let json = random.chance(30) ? "links.\(forth)" : forth
            properties[from].append(
                isToMany
                    ? .toMany(forth, names[to], inverse: back, json: json, isOrdered: random.chance(30))
                    : .toOne(forth, names[to], inverse: back, json: json))
            guard let back else { continue }
            properties[to].append(
                random.chance(50)
                    ? .toMany(back, names[from], inverse: forth) : .toOne(back, names[from], inverse: forth))
        }
        for (index, name) in names.enumerated() {
            let identity = random.chance(80) ? ["identityAttributes": "key"] : [:]
            sketch.entity(name, info: identity, properties[index])
            if random.chance(40) {
                sketch.entity("\(name)Sub", parent: name, [.attribute("more\(name)", json: "more")])
            }
        }
        return sketch.model()
    }

    private func fill(_ context: NSManagedObjectContext, _ random: inout SeededGenerator) throws {
        let entities = try context.requiredEntities().sorted { ($0.name ?? "") < ($1.name ?? "") }
        let objects = (0..<30).map { number in
            let entity = entities[random.below(entities.count)]
            let object = NSManagedObject(entity: entity, insertInto: context)
            object.setValue(random.chance(90) ? NSNumber(value: number) : nil, forKey: "key")
            object.setValue(random.chance(70) ? "text \(number)" : nil, forKey: "text")
            return object
        }
        for object in objects {
            for (name, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key }) {
                guard let destination = relationship.destinationEntity, random.chance(70) else { continue }
                let ends = objects.filter { $0.entity.isKindOf(entity: destination) }
                guard let first = ends.randomElement(using: &random) else { continue }
                let members = [first] + (0..<random.below(4)).compactMap { _ in ends.randomElement(using: &random) }
                if !relationship.isToMany {
                    object.setValue(first, forKey: name)
                } else {
                    object.setValue(
                        relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members), forKey: name)
                }
            }
        }
        try context.save()
    }

    private func options(_ random: inout SeededGenerator) -> ExportOptions {
        var options = ExportOptions()
        options.relationshipForm =
            [nil, nil, .nested, .identifier, ExportOptions.RelationshipForm.none][random.below(5)]
        options.batchSize = [1, 4, 1000][random.below(3)]
        options.maximumNesting = random.chance(20) ? 2 : 32
        options.includesNulls = random.chance(50)
        options.isPretty = random.chance(20)
        options.sortsKeys = random.chance(30)
        options.repeatsObjects = random.chance(20)
        options.stableIdentifierKey = random.chance(30) ? "uri" : nil
        options.format = random.chance(30) ? .ndjson : .json
        return options
    }

    private func expectSame(
        _ stack: TestStack, _ options: ExportOptions, _ comment: Comment
    ) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("graft-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        for entity in stack.container.managedObjectModel.entities {
            let name = entity.name ?? ""
            let count = try stack.container.exportJSON(
                ExportRequest(entity: name), to: .file(file), options: options)
            let (expected, known) = try stack.perform { context throws in
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                return (try context.exportJSON(request, options: options), try context.count(for: request))
            }
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            #expect(
                text.trimmingCharacters(in: .newlines)
                    == String(decoding: expected, as: UTF8.self).trimmingCharacters(in: .newlines), comment)
            #expect(count == known, comment)
        }
    }

    @Test(arguments: Laws.cases(1...80), StoreKind.allCases)
    func `a container writes what its objects would`(_ seed: Int, _ kind: StoreKind) throws {
        var random = SeededGenerator(seed: seed)
        let stack = try TestStack(model(&random), kind)
        try stack.perform { try fill($0, &random) }
        for _ in 0..<2 {
            let options = options(&random)
            try expectSame(stack, options, "seed \(seed), \(options)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `so it does where owners that identify objects lead round`(_ kind: StoreKind) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Node", info: ["identityAttributes": "name, parent"],
            [
                .attribute("name"), .toOne("parent", "Node", inverse: "nodes"),
                .toMany("nodes", "Node", inverse: "parent"),
            ])
        sketch.entity(
            "Leaf", info: ["identityAttributes": "name, node"],
            [.attribute("name"), .toOne("node", "Node"), .toOne("next", "Leaf")])
        let stack = try TestStack(sketch.model(), kind)
        try stack.perform { context throws in
            func make(_ entity: String, _ name: String) -> NSManagedObject {
                let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                object.setValue(name, forKey: "name")
                return object
            }
            let nodes = (0..<300).map { make("Node", "\($0)") }
            for (node, parent) in zip(nodes[2...], nodes) { node.setValue(parent, forKey: "parent") }
            nodes[0].setValue(nodes[200], forKey: "parent")
            let leaves = (0..<300).map { make("Leaf", "\($0)") }
            for (leaf, node) in zip(leaves, nodes) { leaf.setValue(node, forKey: "node") }
            for (leaf, next) in zip(leaves, leaves.dropFirst()) { leaf.setValue(next, forKey: "next") }
            try context.save()
        }
        for sortsKeys in [false, true] {
            var options = ExportOptions()
            options.sortsKeys = sortsKeys
            try expectSame(stack, options, "sorted: \(sortsKeys)")
        }
    }

    @Test(arguments: Laws.cases(1...40))
    func `so it does for graphs with cycles`(_ seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        var graph = RandomGraph(plainSeed: seed)
        let stack = try TestStack(graph.model, .sqlite)
        try stack.perform { context throws in
            graph.fill(context, count: 15)
            try context.save()
        }
        let options = options(&random)
        try expectSame(stack, options, "seed \(seed), \(options)")
    }
}

extension NSManagedObjectContext {
    fileprivate func requiredEntities() throws -> [NSEntityDescription] {
        try #require(persistentStoreCoordinator).managedObjectModel.entities
    }
}
