// The work of the benchmark of objects, each in a process of its own (Step.swift): once by managed objects, once by records.

import CoreData
import Foundation
import GRDB

/// Work on a store of items.
enum ObjectWork {
    private static let lookups = 10_000

    static func run(_ step: Step, _ store: URL, _ context: NSManagedObjectContext) throws -> (Int, Cost) {
        switch step {
        case .creatingObjects: try Cost.of { try create(context) }
        case .fetchingObjects:
            try Cost.of { try context.fetch(request()).reduce(0) { $0 &+ $1.sum } }
        case .findingObjects: try Cost.of { try find(context) }
        case .walkingObjects:
            try Cost.of {
                try context.fetch(groups())[0].items.reduce(0) { $0 &+ Int($1.number) }
            }
        case .holdingObjects: try Cost.of { try bytesOfObject(context) }
        default: try Cost.of { try runRecords(step, store) }
        }
    }

    // MARK: Objects

    private static func request() -> NSFetchRequest<ItemObject> { NSFetchRequest(entityName: "Item") }

    private static func groups() -> NSFetchRequest<GroupObject> {
        let request = NSFetchRequest<GroupObject>(entityName: "Group")
        request.predicate = NSPredicate(format: "name == '1'")
        return request
    }

    private static func create(_ context: NSManagedObjectContext) throws -> Int {
        let groups = (1...ItemValues.groupCount).map { number in
            let group = GroupObject(context: context)
            group.name = "\(number)"
            return group
        }
        for number in 0..<ItemValues.count {
            let values = ItemValues(number: number)
            let item = ItemObject(context: context)
            item.fill(values)
            item.group = groups[values.group - 1]
        }
        try context.save()
        return ItemValues.count
    }

    private static func find(_ context: NSManagedObjectContext) throws -> Int {
        var sum = 0
        for number in 0..<lookups {
            let request = request()
            request.predicate = NSPredicate(format: "code == %@", "C\(number)")
            request.fetchLimit = 1
            sum &+= try context.fetch(request).first.map { Int($0.number) } ?? 0
        }
        return sum
    }

    /// What an object takes of the heap once its values are there, with its place in the context.
    private static func bytesOfObject(_ context: NSManagedObjectContext) throws -> Int {
        let request = request()
        request.fetchLimit = 1
        _ = try context.fetch(request).map(\.sum)
        let before = try residentSize()
        let items = try context.fetch(Self.request())
        let sum = items.reduce(0) { $0 &+ $1.sum }
        let bytes = (try residentSize() - before) / items.count
        return withExtendedLifetime(items) { sum == 0 ? 0 : bytes }
    }

    /// The memory that the process has, in bytes, without what was needed for a while and is free again.
    private static func residentSize() throws -> Int {
        typealias Trim = @convention(c) (Int) -> Int32
        if let symbol = unsafe dlsym(nil, "malloc_trim") { _ = unsafe unsafeBitCast(symbol, to: Trim.self)(0) }
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").compactMap { Int($0) }.first ?? 0) * 1024
    }

    // MARK: Records

    private static func runRecords(_ step: Step, _ store: URL) throws -> Int {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768")
        }
        let queue = try DatabaseQueue(path: store.path, configuration: configuration)
        switch step {
        case .creatingRecords:
            return try queue.write { database in
                for number in 1...ItemValues.groupCount {
                    try database.execute(
                        sql: "INSERT INTO ZGROUP (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (?, 1, 1, ?)",
                        arguments: [number, "\(number)"])
                }
                for number in 0..<ItemValues.count { try ItemRecord(ItemValues(number: number)).insert(database) }
                return ItemValues.count
            }
        case .fetchingRecords:
            return try queue.read { try ItemRecord.fetchAll($0).reduce(0) { $0 &+ $1.sum } }
        case .findingRecords:
            return try queue.read { database in
                var sum = 0
                for number in 0..<lookups {
                    let record = try ItemRecord.filter(Column("ZCODE") == "C\(number)").limit(1).fetchOne(database)
                    sum &+= record.map { Int($0.number) } ?? 0
                }
                return sum
            }
        default:
            return try queue.read { database in
                try ItemRecord.filter(Column("ZGROUP") == 1).fetchAll(database).reduce(0) { $0 &+ Int($1.number) }
            }
        }
    }
}
