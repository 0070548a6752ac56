// Depth and width: a chain of 100,000 objects, and graphs that lead everywhere.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DeepDictionaryTests {
    private static let length = Laws.count(100_000, otherwise: 20_000)

    /// A chain of nodes, first and last.
    private func makeChain(_ length: Int, _ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let entity = try #require(context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Node"])
        var nodes: [NSManagedObject] = []
        for number in 0..<length {
            let node = NSManagedObject(entity: entity, insertInto: context)
            node.setValue(number, forKey: "number")
            node.setValue(nodes.last, forKey: "previous")
            nodes.append(node)
        }
        return nodes
    }

    private func numbers(from first: NSManagedObject) -> [Int64] {
        var numbers: [Int64] = []
        var current: NSManagedObject? = first
        while let node = current {
            numbers.append(node.number("number") ?? -1)
            current = node.object("next")
        }
        return numbers
    }

    /// How deep dictionaries and arrays are nested.
    private func depth(_ value: Any) -> Int {
        if let dictionary = value as? [String: Any] { return 1 + (dictionary.values.map(depth).max() ?? 0) }
        if let array = value as? [Any] { return 1 + (array.map(depth).max() ?? 0) }
        return 0
    }

    @Test(arguments: [(DictionaryOptions.RepeatedObjects.leftOut, 5_000), (.referenced, length)])
    func `a chain of many objects goes out and in, and its dictionary can be released and printed`(
        _ repeatedObjects: DictionaryOptions.RepeatedObjects, _ length: Int
    ) throws {
        let stack = try TestStack(ArchiveArticleModel.chain())
        var options = DictionaryOptions()
        options.repeatedObjects = repeatedObjects
        try stack.perform { context throws in
            var first: NSManagedObject? = try makeChain(length, context)[0]
            var dictionary: [String: Any] = try first?.toDictionary(options: options) ?? [:]
            first = nil
            #expect(depth(dictionary) <= 203)
            #expect("\(dictionary)".utf8.count > length * 10)
            let copy = try NSManagedObject.create(fromDictionary: dictionary, in: context)
            dictionary = [:]
            #expect(numbers(from: copy) == (0..<Int64(length)).map { $0 })
            #expect(copy.object("previous") == nil)
            context.reset()
        }
    }

    @Test(arguments: DictionaryOptions.Format.allCases)
    func `a file is read as deep as it is written`(_ format: DictionaryOptions.Format) throws {
        let stack = try TestStack(ArchiveArticleModel.chain())
        try stack.perform { context throws in
            let data = try makeChain(500, context)[0].dictionaryData(format)
            context.reset()
            let copy = try context.populateObjects(fromDictionaryData: data).objects[0]
            #expect(numbers(from: copy) == (0..<500).map { $0 })
            context.reset()
        }
    }

    @Test(arguments: DictionaryOptions.Format.allCases)
    func `empty lists lead nowhere, however many there are`(_ format: DictionaryOptions.Format) throws {
        let stack = try TestStack(ArchiveArticleModel.make())
        try stack.perform { context throws in
            let people = (0..<600).map { ArchiveArticleModel.new("Person", ["firstName": "P\($0)"], context) }
            let data = try people.dictionaryData(format)
            context.reset()
            let copies = try context.populateObjects(fromDictionaryData: data).objects
            #expect(copies.map { $0.text("firstName") } == (0..<600).map { "P\($0)" })
        }
    }

    @Test func `a dictionary of someone else's is read however deep it is`() throws {
        let stack = try TestStack(ArchiveArticleModel.chain())
        try stack.perform { context throws in
            // A dictionary is released with all that is nested in it, level by level on the stack. Each level is held
            // here as well, so that they can be let go one by one, the outermost first.
            var levels: [[String: Any]] = []
            for number in (0..<Self.length).reversed() {
                var level: [String: Any] = ["class": "Node", "number": number]
                level["next"] = levels.last
                levels.append(level)
            }
            levels.reverse()
            let node = try NSManagedObject.create(fromDictionary: levels[0], in: context)
            #expect(numbers(from: node).count == Self.length)
            // Where no object belongs, it is refused and not walked.
            let error = graftError {
                _ = try NSManagedObject.create(fromDictionary: ["class": "Node", "number": levels[0]], in: context)
            }
            #expect(error?.place.property == "number")
            for index in levels.indices { levels[index] = [:] }
            context.reset()
        }
    }

    @Test func `objects that all know each other are expanded once each`() throws {
        let stack = try TestStack(ArchiveArticleModel.make())
        try stack.perform { context throws in
            let people = (0..<60).map { ArchiveArticleModel.new("Person", ["firstName": "P\($0)"], context) }
            for person in people {
                person.setValue(NSSet(array: people.filter { $0 !== person }), forKey: "friends")
            }
            var options = DictionaryOptions()
            let plain = try people[0].toDictionary(options: options)
            #expect(count(plain) <= 60 * 60)
            options.repeatedObjects = .referenced
            options.maximumNesting = 7
            let dictionary = try people[0].toDictionary(options: options)
            #expect(depth(dictionary) <= 7 * 2 + 5)
            try context.save()
            let copy = try NSManagedObject.create(fromDictionary: dictionary, in: context)
            #expect(copy.texts("friends", "firstName").count == 59)
            #expect(try context.all("Person").count == 120)
            context.checkInvariants()
        }
    }

    /// How many dictionaries there are.
    private func count(_ value: Any) -> Int {
        if let dictionary = value as? [String: Any] { return dictionary.values.reduce(1) { $0 + count($1) } }
        if let array = value as? [Any] { return array.reduce(0) { $0 + count($1) } }
        return 0
    }
}
