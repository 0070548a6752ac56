// Laws of dictionaries over random models and graphs: with and without identity, with inheritance, cycles, links to itself,
// ordered and many-to-many relationships.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DictionaryLawTests {
    /// A context with a random graph, and its objects in a defined order.
    private func withGraph(
        _ seed: Int, _ body: (NSManagedObjectContext, [NSManagedObject], NSManagedObjectModel) throws -> Void
    ) throws {
        var graph = RandomGraph(seed: seed)
        let stack = try TestStack(graph.model)
        try stack.perform { context throws in
            graph.fill(context, count: 14)
            try context.save()
            let objects = try context.everything()
            try body(context, objects, graph.model)
        }
    }

    /// What an object leads to, by relationships of all kinds.
    private func reachable(from roots: [NSManagedObject]) -> [NSManagedObject] {
        var seen = Set(roots)
        var found = roots
        var next = 0
        while next < found.count {
            for name in found[next].entity.relationshipsByName.keys.sorted() {
                let value = found[next].value(forKey: name)
                let ends = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? value.map { [$0] } ?? []
                for case let end as NSManagedObject in ends where seen.insert(end).inserted { found.append(end) }
            }
            next += 1
        }
        return found
    }

    @Test(arguments: 1...60)
    func `an object's own dictionary changes nothing`(_ seed: Int) throws {
        try withGraph(seed) { context, objects, _ throws in
            for members in MappingOptions.MembersPolicy.allCases {
                let root = objects[seed % objects.count]
                var options = DictionaryOptions()
                options.valueForm = DictionaryOptions.ValueForm.allCases[seed % 3]
                options.maximumNesting = [200, 2, 1][seed % 3]
                let labels = try GraphFingerprint.labels(context)
                var populating = PopulateOptions()
                populating.membersPolicy = members
                let dictionary = try root.toDictionary(options: options)
                let report = try root.populate(fromDictionary: dictionary, options: populating)
                #expect(report.total.inserted == 0, "seed \(seed), \(members)")
                #expect(try GraphFingerprint.labels(context) == labels, "seed \(seed), \(members)")
                context.rollback()
            }
        }
    }

    @Test(arguments: 1...60)
    func `create makes an equal graph of what toDictionary returns`(_ seed: Int) throws {
        try withGraph(seed) { _, objects, model throws in
            let root = objects[(seed * 7) % objects.count]
            var options = DictionaryOptions()
            options.valueForm = DictionaryOptions.ValueForm.allCases[seed % 3]
            options.maximumNesting = [200, 2, 1][seed / 3 % 3]
            let expected = GraphFingerprint.labels(of: reachable(from: [root]))
            let dictionary = try root.toDictionary(options: options)
            try TestStack(model).perform { other throws in
                _ = try NSManagedObject.create(fromDictionary: dictionary, in: other)
                #expect(try GraphFingerprint.labels(other) == expected, "seed \(seed)")
                other.checkInvariants()
            }
        }
    }

    @Test(arguments: 1...40)
    func `the order of objects in an array doesn't matter`(_ seed: Int) throws {
        try withGraph(seed) { _, objects, model throws in
            let roots = Array(objects.shuffled(seed).prefix(3))
            let expected = GraphFingerprint.labels(of: reachable(from: roots))
            for roots in [roots, roots.reversed()] {
                let data = try roots.dictionaryData(DictionaryOptions.Format.allCases[seed % 3 == 1 ? 2 : seed % 3])
                try TestStack(model).perform { other throws in
                    let made = try other.populateObjects(fromDictionaryData: data).objects
                    #expect(made.map { $0.entity.name } == roots.map { $0.entity.name })
                    #expect(try GraphFingerprint.labels(other) == expected, "seed \(seed)")
                }
            }
        }
    }
}

extension Array {
    /// The elements in an order that follows from a seed.
    fileprivate func shuffled(_ seed: Int) -> [Element] {
        var random = SeededGenerator(seed: seed)
        return shuffled(using: &random)
    }
}
