// The law of coders: what a coder makes of a tree, it makes an equal tree of, by identity and as new objects.

import CoreData
import Foundation
import Graft
import Testing
import Yams

class CodedTree: NSManagedObject, ManagedCodable {}
final class CodedBranch: CodedTree {}

@Suite struct CodedTreeTests {
    /// Every attribute type, inheritance, relationships of all kinds; objects with an even number have an identity.
    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Tree", info: ["identityAttributes": "number"],
            ValueModel.types.map { .attribute($0.0, $0.1) } + [
                .attribute("number", .integer64AttributeType), .toOne("parent", "Tree", inverse: "children"),
                .toMany("children", "Tree", inverse: "parent"), .toOne("owner", "Tree", inverse: "ordered"),
                .toMany("ordered", "Tree", inverse: "owner", isOrdered: true),
                .toOne("single", "Tree", inverse: "holder"), .toOne("holder", "Tree", inverse: "single"),
            ])
        sketch.entity(
            "Branch", parent: "Tree", info: ["identityAttributes": "number"],
            [.attribute("extra", .integer32AttributeType)])
        let model = sketch.model()
        model.entitiesByName["Tree"]?.managedObjectClassName = NSStringFromClass(CodedTree.self)
        model.entitiesByName["Branch"]?.managedObjectClassName = NSStringFromClass(CodedBranch.self)
        return model
    }

    private func makeTree(
        _ random: inout SeededGenerator, _ context: NSManagedObjectContext, _ coder: CoderTests.Coder,
        _ count: inout Int
    ) -> NSManagedObject {
        count += 1
        let isBranch = random.chance(40)
        let object = context.add(isBranch ? "Branch" : "Tree")
        if count % 2 == 0 { object.setValue(count, forKey: "number") }
        for (name, value) in ValueModel.values(&random) where random.chance(60) { object.setValue(value, forKey: name) }
        // A property list has no nulls.
        object.setValue(["k": ["x", random.below(9)]] as [String: Any], forKey: "tree")
        if coder == .yaml {
            // Yams writes fifteen digits and no bytes as nothing at all, which is null, and reads a number as a text where
            // nobody says what it should be.
            object.setValue(Data([1]), forKey: "binary")
            object.setValue(0.125 * Double(random.below(1000)), forKey: "double")
            object.setValue(0.5, forKey: "float")
            object.setValue(["k": ["x", "y"]] as [String: Any], forKey: "tree")
            object.setValue(["$json": "x"], forKey: "lookalike")
        }
        if isBranch { object.setValue(random.below(1000), forKey: "extra") }
        for _ in 0..<random.below(4) where count < 25 {
            let child = makeTree(&random, context, coder, &count)
            let key = ["parent", "owner", "holder"][random.below(object.object("single") == nil ? 3 : 2)]
            child.setValue(object, forKey: key)
        }
        return object
    }

    private func expectEqual(_ tree: CodedTree, _ expected: String, _ comment: String) throws {
        let found = try sortedJSON(tree)
        guard found != expected else { return }
        let start = zip(found, expected).prefix { $0 == $1 }.count
        let places = [found, expected].map { $0.dropFirst(max(0, start - 60)).prefix(160) }
        Issue.record("\(comment): …\(places[0])… instead of …\(places[1])…")
    }

    @Test(arguments: CoderTests.Coder.allCases, 1...5)
    func `a tree comes back through every coder`(_ coder: CoderTests.Coder, seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        let stack = try TestStack(model())
        let (data, expected, count) = try stack.perform { context throws in
            var count = 0
            let tree = try #require(makeTree(&random, context, coder, &count) as? CodedTree)
            return (try coder.encode([tree]), try sortedJSON(tree), count)
        }
        for existing in [ManagedCodingOptions.ExistingObjects.updateOrInsert, .insert] {
            let copyStack = try TestStack(model())
            try copyStack.perform { context throws in
                var options = ManagedCodingOptions()
                options.existingObjects = existing
                let copies = try coder.decode([CodedTree].self, data, context, options)
                try expectEqual(copies[0], expected, "\(existing)")
                #expect(context.insertedObjects.count == count)
                context.checkInvariants()
                // A second time: what has an identity is there already, or everything is new.
                let again = try coder.decode([CodedTree].self, data, context, options)
                try expectEqual(again[0], expected, "\(existing), again")
                let identified = try context.all("Tree").filter { $0.number("number") != nil }.count
                #expect(identified == (existing == .insert ? 2 * (count / 2) : count / 2))
                context.checkInvariants()
            }
        }
    }
}
