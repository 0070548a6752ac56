// Managed objects beside GRDB's records on the same tables: saving, fetching, finding, walking, and the memory of objects.

import Foundation
import Graft

/// The benchmarks of the object graph itself.
struct ObjectBenchmark {
    let table: Table
    let folder: URL

    func run() throws {
        let store = try save()
        try compare(
            "Fetching \(ItemValues.count) objects and reading all attributes", .fetchingObjects, .fetchingRecords,
            store,
            goal: "at most 2", limit: 2)
        try compare(
            "10,000 fetches by an indexed attribute", .findingObjects, .findingRecords, store, goal: nil, limit: nil)
        try compare(
            "A to-many of \(ItemValues.groupSize) objects", .walkingObjects, .walkingRecords, store, goal: nil,
            limit: nil)
        let bytes = try Step.holdingObjects.run(store).count
        table.goal("memory of an object with ten attributes", "\(bytes) bytes", "below 500", isMet: bytes < 500)
    }

    /// Saves with both; the objects' store stays.
    private func save() throws -> URL {
        table.title("Creating and saving \(ItemValues.count) objects with ten attributes and a relationship")
        var objects = Cost.infinite, records = Cost.infinite
        for run in 0..<3 {
            let store = folder.appending(path: "objects-\(run).sqlite")
            objects = objects.best(try Step.creatingObjects.run(store).cost)
            let other = folder.appending(path: "records-\(run).sqlite")
            records = records.best(try Step.creatingRecords.run(other).cost)
        }
        show(objects, records, "save", goal: "at most 2", limit: 2)
        return folder.appending(path: "objects-0.sqlite")
    }

    private func compare(
        _ title: String, _ object: Step, _ record: Step, _ store: URL, goal: String?, limit: Double?
    ) throws {
        table.title(title)
        var objects = Cost.infinite, records = Cost.infinite
        for _ in 0..<3 {
            let ours = try object.run(store), theirs = try record.run(store)
            guard ours.count == theirs.count else {
                throw GraftError(
                    .other(
                        finding: "\(object) gave \(ours.count), \(record) \(theirs.count)", remedy: "Repair the code."))
            }
            (objects, records) = (objects.best(ours.cost), records.best(theirs.cost))
        }
        show(objects, records, "fetch", goal: goal, limit: limit)
    }

    private func show(_ objects: Cost, _ records: Cost, _ name: String, goal: String?, limit: Double?) {
        table.add("GRDB, records", records, peer: records)
        table.add("managed objects", objects, peer: records)
        guard let goal, let limit else { return }
        table.goal("\(name) / GRDB", objects, to: records, goal) { $0 <= limit }
    }
}
