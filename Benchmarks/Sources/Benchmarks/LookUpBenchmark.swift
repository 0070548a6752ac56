// Objects that are looked up by their identity one by one, as decoding and importing by hand does it: a fetch for each record, and nothing
// saved before the end. What it costs must not grow with what the context has changed by then.

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
    }

    func run() throws {
        let few = try passes(10_000), many = try passes(100_000)
        let parts: [(String, KeyPath<Passes, Cost>)] = [
            ("new objects", \.inserting), ("stored objects", \.updating), ("changed objects", \.updatingAgain),
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
        return Passes(inserting: inserting, updating: updating, updatingAgain: try pass("changed", second, "c"))
    }

    private func find(_ count: Int, in context: NSManagedObjectContext, _ text: String) throws {
        for number in 0..<count {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Power")
            request.predicate = NSPredicate(format: "identifier == %lld", Int64(number))
            request.fetchLimit = 1
            let object =
                try context.fetch(request).first
                ?? NSEntityDescription.insertNewObject(forEntityName: "Power", into: context)
            object.setValue(Int64(number), forKey: "identifier")
            object.setValue("\(text)\(number)", forKey: "name")
        }
    }
}
