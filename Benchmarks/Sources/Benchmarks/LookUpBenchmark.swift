// Objects that are looked up by their identity one by one, as decoding and importing by hand does it: a fetch for each record, and nothing
// saved before the end. What it costs must not grow with what the context has changed by then. Decoding is done as apps have it: by hand,
// with Foundation's JSONDecoder, beside its decoding of the same text into structs.

import CoreData
import Foundation
import Graft

struct LookUpBenchmark {
    let table: Table
    let folder: URL

    /// What each object of a run took.
    private struct Passes {
        /// Nothing is there.
        var inserting: Cost
        /// All are stored, and each is changed.
        var updating: Cost
        /// All are stored and have been changed.
        var updatingAgain: Cost
        /// They are decoded, which changes each once more.
        var decoding: Cost
    }

    private struct Record: Decodable {
        var identifier: Int64
        var name: String
    }

    /// Decodes into the object with its identity, or a new one.
    private struct Decoded: Decodable {
        private enum CodingKeys: String, CodingKey { case identifier, name }

        let object: NSManagedObject

        init(from decoder: any Decoder) throws {
            guard let context = decoder.userInfo[.lookUpContext] as? NSManagedObjectContext else {
                throw CocoaError(.coderValueNotFound)
            }
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let identifier = try container.decode(Int64.self, forKey: .identifier)
            object = try LookUpBenchmark.power(identifier, in: context)
            object.setValue(identifier, forKey: "identifier")
            object.setValue(try container.decode(String.self, forKey: .name), forKey: "name")
        }
    }

    func run() throws {
        let few = try passes(10_000), many = try passes(100_000)
        let parts: [(String, KeyPath<Passes, Cost>)] = [
            ("new objects", \.inserting), ("stored objects", \.updating), ("changed objects", \.updatingAgain),
            ("decoded objects", \.decoding),
        ]
        for (name, part) in parts {
            table.goal(
                "looking up \(name), each of 100,000 / of 10,000", many[keyPath: part], to: few[keyPath: part],
                "at most 1.5"
            ) { $0 <= 1.5 }
        }
    }

    private func passes(_ count: Int) throws -> Passes {
        table.title("Looking up \(count) objects by identity, a fetch each")
        let container = try NSPersistentContainer.loaded(
            HeroModel.make(isIndexed: true), at: folder.appending(path: "lookup-\(count).sqlite"))
        func pass(_ name: String, _ context: NSManagedObjectContext, _ text: String) throws -> Cost {
            let cost = try context.performAndWait { try Cost.of { try find(count, in: context, text) }.cost }
            table.add(name, cost, peer: nil)
            return cost.each(of: count)
        }
        let first = container.newBackgroundContext(), second = container.newBackgroundContext()
        let inserting = try pass("new", first, "a")
        try first.performAndWait { try first.save() }
        let updating = try pass("stored", second, "b")
        let updatingAgain = try pass("changed", second, "c")
        let records = (0..<count).map { #"{"identifier": \#($0), "name": "d\#($0)"}"# }
        let text = Data("[\(records.joined(separator: ","))]".utf8)
        let structs = try Cost.of { try JSONDecoder().decode([Record].self, from: text).count }.cost
        let decoding = try second.performAndWait {
            let decoder = JSONDecoder()
            decoder.userInfo[.lookUpContext] = second
            return try Cost.of { try decoder.decode([Decoded].self, from: text).count }.cost
        }
        table.add("decoded by hand, to structs", decoding, peer: structs)
        return Passes(
            inserting: inserting, updating: updating, updatingAgain: updatingAgain, decoding: decoding.each(of: count))
    }

    private func find(_ count: Int, in context: NSManagedObjectContext, _ text: String) throws {
        for number in 0..<count {
            let object = try Self.power(Int64(number), in: context)
            object.setValue(Int64(number), forKey: "identifier")
            object.setValue("\(text)\(number)", forKey: "name")
        }
    }

    private static func power(_ identifier: Int64, in context: NSManagedObjectContext) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Power")
        request.predicate = NSPredicate(format: "identifier == %lld", identifier)
        request.fetchLimit = 1
        return try context.fetch(request).first
            ?? NSEntityDescription.insertNewObject(forEntityName: "Power", into: context)
    }
}

extension CodingUserInfoKey {
    fileprivate static let lookUpContext = CodingUserInfoKey(rawValue: "context")!
}
