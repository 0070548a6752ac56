// Every operation of a store while the n-th operation of its disk fails, for every n, and while the power goes at the n-th.
// FAULTS=all tries each n and several outcomes of each crash; without it some of them are tried.

import FaultyFiles
import Foundation
import Testing

@testable import CoreData

@Suite(.serialized) struct StoreFaultTests {
    private static let isThorough = ProcessInfo.processInfo.environment["FAULTS"] == "all"

    /// Tries an operation with each kind of fault.
    private func expectSafe(_ trial: FaultTrial, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for fault in FaultyDisk.Fault.allCases {
            let report = try trial.run(fault: fault, isThorough: Self.isThorough, seeds: 0..<(Self.isThorough ? 3 : 1))
            #expect(report.faults > 0, sourceLocation: sourceLocation)
            #expect(report.problems == [], "of \(report.faults) faults", sourceLocation: sourceLocation)
            if Self.isThorough { print("\(fault): \(report.faults) faults, \(report.successes) without an error") }
        }
    }

    /// Tries an operation on a disk that synchronizes nothing from the n-th time on, for every n. A commit that fails then may be in
    /// the log all the same.
    private func expectSafeUnsynchronized(_ trial: FaultTrial, sourceLocation: SourceLocation = #_sourceLocation) throws
    {
        for fault in [FaultyDisk.Fault.fromThenOn, .crash] {
            let report = try trial.run(operations: .sync, fault: fault, isThorough: true, seeds: 0..<4)
            #expect(report.faults > 0, sourceLocation: sourceLocation)
            #expect(report.problems == [], "of \(report.faults) faults", sourceLocation: sourceLocation)
        }
    }

    /// An operation on objects that are there, which is a save.
    private func saving(
        pragmas: [String: String] = [:], count: Int = 12, _ change: @escaping (NSManagedObjectContext) throws -> Void
    ) -> FaultTrial {
        FaultTrial(
            setUp: { try FaultyHeroes.make($0, count: count) },
            begin: { folder in
                let (context, close) = try FaultyHeroes.open(folder, FaultyHeroes.model(), pragmas: pragmas)
                try change(context)
                return .init(run: { try context.save() }, close: close)
            }, state: FaultyHeroes.state)
    }

    /// An operation on a store that is open, without objects.
    private func executing(_ body: @escaping (NSManagedObjectContext) throws -> Void) -> FaultTrial {
        FaultTrial(
            setUp: { try FaultyHeroes.make($0) },
            begin: { folder in
                let (context, close) = try FaultyHeroes.open(folder, FaultyHeroes.model())
                return .init(run: { try body(context) }, close: close)
            }, state: FaultyHeroes.state)
    }

    private static let rollback = ["journal_mode": "DELETE"]

    @Test(arguments: [[:], rollback]) func `a new store`(_ pragmas: [String: String]) throws {
        try expectSafe(
            FaultTrial(
                begin: { folder in
                    .init(run: { try FaultyHeroes.open(folder, FaultyHeroes.model(), pragmas: pragmas).close() })
                }, state: FaultyHeroes.state))
    }

    @Test(arguments: [[:], rollback]) func `opening and reading`(_ pragmas: [String: String]) throws {
        try expectSafe(
            FaultTrial(
                setUp: { try FaultyHeroes.make($0) },
                begin: { folder in
                    .init(run: {
                        let (context, close) = try FaultyHeroes.open(folder, FaultyHeroes.model(), pragmas: pragmas)
                        defer { try? close() }
                        let request = NSFetchRequest<NSManagedObject>(entityName: "Hero")
                        request.returnsObjectsAsFaults = false
                        request.relationshipKeyPathsForPrefetching = ["teams", "powers"]
                        #expect(try context.fetch(request).count == 12)
                        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Power")) == 12)
                    })
                }, state: FaultyHeroes.state))
    }

    @Test func `reading without writing`() throws {
        try expectSafe(
            FaultTrial(
                setUp: { try FaultyHeroes.make($0) },
                begin: { folder in
                    .init(run: {
                        let (context, close) = try FaultyHeroes.open(
                            folder, FaultyHeroes.model(), more: [NSReadOnlyPersistentStoreOption: NSNumber(value: true)]
                        )
                        defer { try? close() }
                        let request = NSFetchRequest<NSManagedObject>(entityName: "Hero")
                        request.returnsObjectsAsFaults = false
                        #expect(try context.fetch(request).count == 12)
                    })
                }, state: FaultyHeroes.state))
    }

    @Test(arguments: [[:], rollback]) func `a save of new, changed and deleted objects`(_ pragmas: [String: String])
        throws
    {
        try expectSafe(
            saving(pragmas: pragmas) { context in
                let heroes = try context.all("Hero")
                // Read now: a fault that can't be read has no way to throw.
                for hero in heroes {
                    for key in ["teams", "powers", "pupils", "mentor"] { _ = hero.value(forKey: key) }
                }
                for power in try context.all("Power") { _ = power.value(forKey: "hero") }
                for team in try context.all("Team") { _ = (team.value(forKey: "members") as? NSSet)?.count }
                heroes[0].setValue(FaultyHeroes.photo(7), forKey: "photo")
                heroes[1].setValue(nil, forKey: "photo")
                heroes[2].setValue("another", forKey: "name")
                heroes[2].setValue(NSSet(), forKey: "teams")
                context.delete(heroes[3])
                let new = context.insert("Hero", ["name": "new", "photo": FaultyHeroes.photo(8), "mentor": heroes[2]])
                context.insert("Power", ["name": "new", "hero": new])
                context.processPendingChanges()
            })
    }

    /// A small cache: pages reach the disk before the transaction is committed.
    @Test(arguments: [[:], rollback]) func `a save that doesn't fit into memory`(_ pragmas: [String: String]) throws {
        try expectSafe(
            saving(pragmas: pragmas.merging(["cache_size": "10"]) { $1 }, count: 60) { context in
                for hero in try context.all("Hero") {
                    hero.setValue(String(repeating: "x", count: 1_000), forKey: "name")
                }
                for number in 0..<60 { context.insert("Team", ["name": String(repeating: "y", count: 500 + number)]) }
            })
    }

    @Test func `a batch of new rows`() throws {
        try expectSafe(
            executing { context in
                let rows = (0..<40).map { ["name": "row \($0)"] as [String: Any] }
                _ = try context.execute(NSBatchInsertRequest(entityName: "Team", objects: rows))
            })
    }

    @Test func `a batch of changes`() throws {
        try expectSafe(
            executing { context in
                let request = NSBatchUpdateRequest(entityName: "Hero")
                request.predicate = NSPredicate(format: "age > 4")
                request.propertiesToUpdate = ["name": "changed"]
                _ = try context.execute(request)
            })
    }

    @Test func `a batch of deletions`() throws {
        try expectSafe(
            executing { context in
                let heroes = NSFetchRequest<any NSFetchRequestResult>(entityName: "Hero")
                heroes.predicate = NSPredicate(format: "age > 0")
                _ = try context.execute(NSBatchDeleteRequest(fetchRequest: heroes))
            })
    }

    @Test func `reading and deleting the history`() throws {
        try expectSafe(
            executing { context in
                _ = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
                _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
            })
    }

    @Test func `a migration`() throws {
        try expectSafe(
            FaultTrial(
                setUp: { try FaultyHeroes.make($0) },
                begin: { folder in
                    .init(run: {
                        try FaultyHeroes.open(folder, FaultyHeroes.nextModel(), more: MigratingStore.automatic).close()
                    })
                }, state: FaultyHeroes.state))
    }

    /// A store that replaces one with large values by another one.
    private static var replacing: FaultTrial {
        FaultTrial(
            setUp: { folder in
                try FaultyHeroes.make(folder)
                let other = folder.appendingPathComponent("other")
                try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
                try FaultyHeroes.make(other, count: 5)
            },
            begin: { folder in
                .init(run: {
                    let source = FaultyHeroes.store(in: folder.appendingPathComponent("other"))
                    try SQLiteStoreFile.replace(at: FaultyHeroes.store(in: folder), withStoreAt: source)
                })
            }, state: FaultyHeroes.state)
    }

    @Test func `a store in another's place`() throws { try expectSafe(Self.replacing) }

    @Test func `a store in another's place whose commit can't be synchronized keeps the files of its values`() throws {
        try expectSafeUnsynchronized(Self.replacing)
    }

    @Test func `a save whose commit can't be synchronized keeps the files of its values`() throws {
        try expectSafeUnsynchronized(
            saving(pragmas: ["synchronous": "FULL"]) { context in
                context.insert("Hero", ["name": "new", "photo": FaultyHeroes.photo(8)])
            })
    }

    @Test func `a batch whose commit can't be synchronized keeps the files of its values`() throws {
        try expectSafeUnsynchronized(
            FaultTrial(
                setUp: { try FaultyHeroes.make($0) },
                begin: { folder in
                    let (context, close) = try FaultyHeroes.open(
                        folder, FaultyHeroes.model(), pragmas: ["synchronous": "FULL"])
                    let request = NSBatchInsertRequest(
                        entityName: "Hero", objects: [["name": "new", "photo": FaultyHeroes.photo(8)]])
                    return .init(run: { _ = try context.execute(request) }, close: close)
                }, state: FaultyHeroes.state))
    }
}
