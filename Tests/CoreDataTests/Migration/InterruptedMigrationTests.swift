// A migration that fails or is killed: the store is the old one, whatever has been done by then.

import Foundation
import GRDB
import Synchronization
import Testing

@testable import CoreData

@Suite struct InterruptedMigrationTests {
    private struct Interruption: Error {}

    /// Enough rows for more pages than fit the cache of a connection, so that unfinished work reaches the disk.
    private func store() throws -> MigratingStore {
        try MigratingStore(TestModel.heroes()) { context in
            let team = context.insert("Team", ["name": "first"])
            for number in 0..<300 {
                let hero = context.insert(
                    number.isMultiple(of: 3) ? "Sidekick" : "Hero",
                    ["name": "hero \(number) " + String(repeating: "x", count: 200), "age": number])
                hero.setValue(NSSet(array: [team]), forKey: "teams")
                context.insert("Power", ["name": "power \(number)", "hero": hero])
            }
        }
    }

    private func next() throws -> NSManagedObjectModel {
        try TestModel.heroes().next { model in
            try model.entity("Hero").attribute("name").name = "title"
            try model.entity("Hero").attribute("title").renamingIdentifier = "name"
            try model.entity("Power").relationship("hero").maxCount = 0
            try model.entity("Team").properties.append(TestModel.attribute("motto", .stringAttributeType))
        }
    }

    private func migration(_ store: MigratingStore) throws -> StoreMigration {
        var options = SQLiteStoreOptions()
        // A small cache makes SQLite write unfinished pages.
        options.pragmas = [(name: "cache_size", value: "10")]
        return StoreMigration(
            url: store.url, source: TestModel.heroes(), destination: try next(), options: options)
    }

    @Test(arguments: StoreMigration.Step.allCases)
    func `a migration that fails after a step leaves the store as it was`(_ failing: StoreMigration.Step) throws {
        let store = try store()
        let before = try ObjectTable(store.open(TestModel.heroes(), nil)).lines
        let statements = try store.statements()
        var migration = try migration(store)
        migration.onStep = { if $0 == failing { throw Interruption() } }
        #expect(throws: (any Error).self) { try migration.run() }
        #expect(try store.statements() == statements)
        #expect(try ObjectTable(store.open(TestModel.heroes(), nil)).lines == before)
        try store.close()
        #expect(try store.open(next()).all("Hero").count == 300)
    }

    /// What a process that is killed leaves on the disk: the files as they are at that moment, log or journal included.
    @Test(arguments: StoreMigration.Step.allCases, [true, false])
    func `what is on the disk after a step is the old store`(
        _ step: StoreMigration.Step, usesWriteAheadLog: Bool
    ) throws {
        let store = try store()
        let before = try ObjectTable(store.open(TestModel.heroes(), nil)).lines
        try store.close()
        if !usesWriteAheadLog {
            try DatabaseQueue(path: store.url.path).writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA journal_mode = DELETE")
            }
        }
        let killed = try MigratingStore()
        let (from, to) = (store.url.path, killed.url.path)
        var migration = try migration(store)
        migration.onStep = { done in
            guard done == step else { return }
            for suffix in ["", "-wal", "-shm", "-journal"] where FileManager.default.fileExists(atPath: from + suffix) {
                try FileManager.default.copyItem(atPath: from + suffix, toPath: to + suffix)
            }
        }
        try migration.run()
        #expect(try ObjectTable(killed.open(TestModel.heroes(), nil)).lines == before)
        try killed.close()
        #expect(try killed.sql { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        // Both can be migrated, the killed one again.
        let after = try ObjectTable(store.open(next(), nil)).lines
        #expect(try ObjectTable(killed.open(next())).lines == after)
    }

    @Test func `two processes that open a store at once migrate it once`() throws {
        let store = try store()
        let second = try migration(store)
        let first = try migration(store)
        try first.run()
        let bytes = try store.sql { try Data.fetchOne($0, sql: "SELECT Z_PLIST FROM Z_METADATA") }
        try second.run()
        #expect(try store.sql { try Data.fetchOne($0, sql: "SELECT Z_PLIST FROM Z_METADATA") } == bytes)
        #expect(try store.open(next(), nil).all("Hero").count == 300)
    }
}
