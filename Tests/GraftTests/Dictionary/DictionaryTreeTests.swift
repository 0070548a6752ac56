// The law of trees: what toDictionary makes of a tree, create makes an equal one of.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DictionaryTreeTests {
    /// A model with every attribute type, inheritance, and children of all kinds that an object owns.
    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        let attributes = ValueModel.types.map { ModelSketch.Property.attribute($0.0, $0.1) }
        sketch.entity(
            "Tree",
            attributes + [
                .toOne("parent", "Tree", inverse: "children"),
                .toMany("children", "Tree", inverse: "parent", rule: .cascadeDeleteRule),
                .toOne("owner", "Tree", inverse: "ordered"),
                .toMany("ordered", "Tree", inverse: "owner", rule: .cascadeDeleteRule, isOrdered: true),
                .toOne("single", "Tree", inverse: "holder", rule: .cascadeDeleteRule),
                .toOne("holder", "Tree", inverse: "single"),
            ])
        sketch.entity("Branch", parent: "Tree", [.attribute("extra", .integer32AttributeType)])
        return sketch.model()
    }

    private func makeTree(
        _ random: inout SeededGenerator, _ context: NSManagedObjectContext, size: inout Int
    ) -> NSManagedObject {
        size -= 1
        let entity = random.chance(40) ? "Branch" : "Tree"
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        let full = ValueModel.values(&random)
        for (name, value) in full where random.chance(70) { object.setValue(value, forKey: name) }
        if entity == "Branch" { object.setValue(random.below(1000), forKey: "extra") }
        for _ in 0..<random.below(4) where size > 0 {
            let child = makeTree(&random, context, size: &size)
            switch random.below(3) {
            case 0: child.setValue(object, forKey: "parent")
            case 1: child.setValue(object, forKey: "owner")
            default:
                if object.object("single") == nil {
                    object.setValue(child, forKey: "single")
                } else {
                    context.delete(child)
                }
            }
        }
        return object
    }

    /// A tree as a text: attributes by name, children in order, unordered ones sorted by their texts.
    private func describe(_ object: NSManagedObject) throws -> String {
        var parts = [object.entity.name ?? ""]
        for (name, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key }) {
            guard let value = object.value(forKey: name) else { continue }
            switch value {
            case let date as Date: parts.append("\(name)=\(date.timeIntervalSinceReferenceDate.bitPattern)")
            case let data as Data: parts.append("\(name)=\(data.base64EncodedString())")
            case let number as NSNumber where attribute.attributeType == .doubleAttributeType:
                parts.append("\(name)=\(number.doubleValue.bitPattern)")
            case let tree as [String: Any]: parts.append("\(name)=\(tree.sorted { $0.key < $1.key })")
            default: parts.append("\(name)=\(value)")
            }
        }
        func members(_ key: String) throws -> [String] {
            let set = object.value(forKey: key)
            let list = (set as? NSOrderedSet)?.array ?? (set as? NSSet)?.allObjects ?? []
            let texts = try list.compactMap { $0 as? NSManagedObject }.map(describe)
            return set is NSOrderedSet ? texts : texts.sorted()
        }
        parts.append("children(\(try members("children").joined(separator: ";")))")
        parts.append("ordered(\(try members("ordered").joined(separator: ";")))")
        if let single = object.object("single") { parts.append("single(\(try describe(single)))") }
        return parts.joined(separator: ",")
    }

    private func expectEqual(_ object: NSManagedObject, _ expected: String, _ comment: String) throws {
        let found = try describe(object)
        guard found != expected else { return }
        let start = zip(found, expected).prefix { $0 == $1 }.count
        let places = [found, expected].map { $0.dropFirst(max(0, start - 60)).prefix(160) }
        Issue.record("\(comment): …\(places[0])… instead of …\(places[1])…")
    }

    @Test func `an object's own dictionary finds members that have sets again, whose bytes change`() throws {
        var sketch = ModelSketch()
        sketch.entity("Box", [.toMany("things", "Thing", inverse: "box", rule: .cascadeDeleteRule)])
        sketch.entity(
            "Thing", [.attribute("words", .transformableAttributeType), .toOne("box", "Box", inverse: "things")])
        let stack = try TestStack(sketch.model(), .sqlite)
        try stack.perform { context throws in
            let box = NSEntityDescription.insertNewObject(forEntityName: "Box", into: context)
            for words in [["a", "b"], ["c"]] {
                let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
                thing.setValue(NSSet(array: words), forKey: "words")
                thing.setValue(box, forKey: "box")
            }
            try context.save()
            for _ in 0..<20 { try box.populate(fromDictionary: box.toDictionary()) }
            #expect(try context.all("Thing").count == 2)
        }
    }

    @Test func `create makes an equal tree of what toDictionary returns, in each form and through each file`() throws {
        let forms = DictionaryOptions.ValueForm.allCases
        for seed in 1...40 {
            var random = SeededGenerator(seed: seed)
            let stack = try TestStack(model())
            try stack.perform { context throws in
                var size = 30
                let tree = makeTree(&random, context, size: &size)
                let expected = try describe(tree)
                var options = DictionaryOptions()
                options.valueForm = forms[seed % forms.count]
                options.repeatedObjects = random.chance(50) ? .leftOut : .referenced
                options.maximumNesting = [200, 3, 1][random.below(3)]
                if random.chance(20) { options.entityKey = "$kind" }
                var populate = PopulateOptions()
                populate.entityKey = options.entityKey
                let copy = try NSManagedObject.create(
                    fromDictionary: tree.toDictionary(options: options), in: context, options: populate)
                try expectEqual(copy, expected, "seed \(seed), \(options.valueForm)")
                let format = DictionaryOptions.Format.allCases[seed % 3]
                let data = try tree.dictionaryData(format, options: options)
                let objects = try context.populateObjects(fromDictionaryData: data, options: populate).objects
                try expectEqual(objects[0], expected, "seed \(seed), \(format)")
                context.checkInvariants()
            }
        }
    }
}

extension ValueModel {
    /// A random value for each attribute.
    static func values(_ random: inout SeededGenerator) -> [(String, Any)] {
        let texts = ["", "a", "é", "\"q\"", "line\nfeed", "🖌️", "\u{1}x", "<&>"]
        // A property list in XML can't hold control characters; JSON and binary ones can.
        let text = texts[random.below(texts.count)].replacing("\u{1}", with: "")
        return [
            ("int16", Int16(truncatingIfNeeded: random.next())), ("int32", Int32(truncatingIfNeeded: random.next())),
            ("int64", Int64(bitPattern: random.next())), ("boolean", random.chance(50)),
            ("double", Double.random(in: -1e12...1e12, using: &random)),
            ("float", Float.random(in: -1000...1000, using: &random)),
            ("decimal", NSDecimalNumber(string: "\(random.below(1_000_000)).\(random.below(1000))")),
            ("string", text), ("date", Date(timeIntervalSinceReferenceDate: Double(random.below(1_000_000_000)))),
            ("binary", Data((0..<random.below(20)).map { _ in UInt8(random.below(256)) })),
            ("uuid", UUID()), ("tree", ["k": text, "n": [random.below(9), NSNull()]] as [String: Any]),
            ("lookalike", ["$json": random.below(5)]),
        ]
    }
}
