// Dictionaries of whole graphs and back, at three sizes: the time per object must not grow with the graph. There are two
// shapes: a tree in which every object also refers to another one anywhere, so that nearly everything is met several times
// and on the way to itself; and a chain, in which each object is nested in the one before.

import CoreData
import Foundation
import Graft

/// The benchmark of dictionaries.
struct DictionaryBenchmark {
    let table: Table

    func run() throws {
        for shape in DictionaryGraph.Shape.allCases {
            for step in [Step.writingDictionaries, .readingDictionaries] { try run(step, shape) }
        }
        try runData()
    }

    /// The JSON of a deep graph beside its dictionary alone.
    private func runData() throws {
        let count = 50_000
        table.title("JSON of a chain of \(count) objects in memory")
        var costs = [Cost.infinite, .infinite]
        // By turns, so that whatever else the machine does meets both.
        for _ in 0..<5 {
            for (index, step) in [Step.writingDictionaries, .writingDictionaryData].enumerated() {
                let outcome = try step.run(URL(filePath: "/chain/\(count)"))
                guard outcome.count == count else {
                    throw GraftError(
                        .other(finding: "\(outcome.count) objects where \(count) should be", remedy: "Repair the code.")
                    )
                }
                costs[index] = costs[index].best(outcome.cost)
            }
        }
        table.add("toDictionary()", costs[0], peer: costs[0])
        table.add("dictionaryData(.json)", costs[1], peer: costs[0])
        table.goal("dictionaryData(.json) / toDictionary()", costs[1], to: costs[0], "at most 2") { $0 <= 2 }
    }

    private func run(_ step: Step, _ shape: DictionaryGraph.Shape) throws {
        let call = step == .writingDictionaries ? "toDictionary()" : "create(fromDictionary:in:)"
        table.title("\(call), a \(shape) of objects in memory")
        var times: [Double] = []
        for count in [10_000, 100_000, 1_000_000] {
            var best: Step.Outcome?
            // Short runs are disturbed more easily.
            for _ in 0..<(count > 100_000 ? 2 : 5) {
                let outcome = try step.run(URL(filePath: "/\(shape)/\(count)"))
                guard outcome.count == count else {
                    throw GraftError(
                        .other(finding: "\(outcome.count) objects where \(count) should be", remedy: "Repair the code.")
                    )
                }
                if best.map({ outcome.cost.processor < $0.cost.processor }) ?? true { best = outcome }
            }
            guard let best else { continue }
            times.append(best.cost.processor / Double(count) * 1e6)
            let name = String(
                format: "%d objects: %.1f µs each of processor time, at most %d MB", count, times[times.count - 1],
                best.peakMemory / 1024)
            table.add(name, best.cost, peer: nil)
        }
        let ratio = times[times.count - 1] / times[0]
        table.goal(
            "\(call), \(shape): time per object, largest / smallest", String(format: "%.2f", ratio), "at most 1.5",
            isMet: ratio <= 1.5)
    }
}

/// A graph in memory.
struct DictionaryGraph {
    enum Shape: String, CaseIterable {
        case tree
        case chain
    }

    let shape: Shape
    let count: Int

    /// - Parameter url: Its last two components are the shape and the number of objects; there is no such file.
    init(_ url: URL) throws {
        let parts = url.pathComponents.suffix(2)
        guard let shape = parts.first.flatMap(Shape.init), let count = parts.last.flatMap(Int.init), count > 0 else {
            throw GraftError(.other(finding: "'\(url.path)' is no graph", remedy: "Name one as /tree/1000."))
        }
        (self.shape, self.count) = (shape, count)
    }

    /// Measures `toDictionary()`; returns how many dictionaries it made.
    func write() throws -> (Int, Cost) {
        try inContext { context in
            let root = try fill(context)
            let (dictionary, cost) = try Cost.of { try root.toDictionary(options: options) }
            return (Self.count(dictionary), cost)
        }
    }

    /// Measures `dictionaryData(.json)`; returns how many dictionaries it made.
    ///
    /// What would be nested deeper than JSON may be is listed beside it (``DictionaryOptions/maximumNesting``).
    func writeData() throws -> (Int, Cost) {
        try inContext { context in
            let root = try fill(context)
            let (data, cost) = try Cost.of { try root.dictionaryData(.json, options: options) }
            let marks = data.ranges(of: Data(#""class":"#.utf8)).count
            return (marks, cost)
        }
    }

    /// Measures `create(fromDictionary:in:)`; returns how many objects it made.
    func read() throws -> (Int, Cost) {
        let dictionary = try inContext { context in
            defer { context.reset() }
            return try fill(context).toDictionary(options: options)
        }
        return try inContext { context in
            let (_, cost) = try Cost.of { try NSManagedObject.create(fromDictionary: dictionary, in: context) }
            return (context.insertedObjects.count, cost)
        }
    }

    private var options: DictionaryOptions {
        var options = DictionaryOptions()
        options.repeatedObjects = shape == .tree ? .referenced : .leftOut
        return options
    }

    // MARK: Objects

    private static func model() -> NSManagedObjectModel {
        let node = NSEntityDescription()
        node.name = "Node"
        node.userInfo = ["identityAttributes": "identifier"]
        let (parent, children) = HeroModel.relationship(
            from: node, "parent", isToMany: false, json: "parent", to: node, "children")
        let (friend, friendOf) = HeroModel.relationship(
            from: node, "friend", isToMany: false, json: "friend", to: node, "friendOf")
        node.properties = [
            HeroModel.attribute("identifier", .integer64AttributeType, json: "identifier"),
            HeroModel.attribute("name", .stringAttributeType, json: "name"),
            HeroModel.attribute("created", .dateAttributeType, json: "created"),
            HeroModel.attribute("weight", .doubleAttributeType, json: "weight"),
            parent, children, friend, friendOf,
        ]
        let model = NSManagedObjectModel()
        model.entities = [node]
        return model
    }

    private func inContext<R>(_ body: (NSManagedObjectContext) throws -> R) throws -> R {
        let context = try NSPersistentContainer.loaded(Self.model()).newBackgroundContext()
        return try context.performAndWait { try body(context) }
    }

    /// Makes the objects and returns the one that leads to all.
    private func fill(_ context: NSManagedObjectContext) throws -> NSManagedObject {
        var nodes: [NSManagedObject] = []
        nodes.reserveCapacity(count)
        for number in 0..<count {
            let node = NSEntityDescription.insertNewObject(forEntityName: "Node", into: context)
            node.setValue(number, forKey: "identifier")
            node.setValue("Node \(number)", forKey: "name")
            node.setValue(Date(timeIntervalSince1970: Double(number)), forKey: "created")
            node.setValue(Double(number) / 7, forKey: "weight")
            if number > 0 { node.setValue(nodes[shape == .tree ? (number - 1) / 8 : number - 1], forKey: "parent") }
            nodes.append(node)
        }
        if shape == .tree {
            // By a prime step, so that every object is somebody's friend.
            for number in 0..<count { nodes[number].setValue(nodes[number * 7919 % count], forKey: "friend") }
        }
        return nodes[0]
    }

    /// How many dictionaries stand for objects, without a level of the stack for each level of nesting.
    private static func count(_ dictionary: [String: Any]) -> Int {
        var count = 0
        var pending: [Any] = [dictionary]
        while let next = pending.popLast() {
            if let dictionary = next as? [String: Any] {
                if dictionary["class"] != nil { count += 1 }
                for value in dictionary.values where value is [String: Any] || value is [Any] { pending.append(value) }
            } else if let list = next as? [Any] {
                pending += list
            }
        }
        return count
    }
}
