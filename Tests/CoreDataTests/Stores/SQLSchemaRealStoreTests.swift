// The schema of a new store against the schemas that Core Data made of the same models.

import Foundation
import GRDB
import Testing

@testable import CoreData

@Suite(.needsReferenceData) struct SQLSchemaRealStoreTests {
    /// The CREATE statements of a file, sorted; SQLite's own and the history's tables left out.
    private func statements(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name NOT LIKE 'sqlite_%'
                AND tbl_name NOT IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING') ORDER BY sql
                """)
    }

    /// Whether a file's schema was made at once and never altered since.
    private func isFresh(_ db: Database) throws -> Bool {
        let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master WHERE sql IS NOT NULL")
        return try Int.fetchOne(db, sql: "PRAGMA schema_version") == count
    }

    /// Systems before 2017 named the index of an `indexed` attribute after its column:
    /// `ZBOT_ZNAME_INDEX ON ZBOT (ZNAME)`, now `Z_Bot_name ON ZBOT (ZNAME COLLATE BINARY ASC)`.
    private func asBefore2017(_ statement: String) throws -> String {
        let index = /CREATE INDEX Z_[A-Za-z]+_[A-Za-z]+ ON (?<table>\w+) \((?<column>\w+) COLLATE BINARY ASC\)/
        guard let match = try index.wholeMatch(in: statement) else { return statement }
        return "CREATE INDEX \(match.table)_\(match.column)_INDEX ON \(match.table) (\(match.column))"
    }

    @Test(arguments: RealStore.all)
    func `a new store has the statements that Core Data ran for the same model`(_ real: RealStore) throws {
        // This one was migrated in place: its columns stand in the order of their addition. Next test.
        guard try real.read(isFresh) else {
            #expect(real.path.hasSuffix("SampleModel_V2.sqlite"))
            return
        }
        let model = try real.model()
        var made = try withExtendedLifetime(model) { try SQLSchema(model: model).createStatements() }
        let version = try SQLiteStoreFile.metadata(at: real.url)["NSPersistenceFrameworkVersion"] as? Int
        if let version, version <= 754 { made = try made.map(asBefore2017) }
        let found = try real.read(statements)
        #expect(made.sorted() == found)
    }

    @Test(arguments: RealStore.all)
    func `a new store's tables have the columns and types of the real one`(_ real: RealStore) throws {
        let folder = try TemporaryFolder()
        let store = try TestStore(try real.model(), at: folder.url.appendingPathComponent("New.sqlite"))
        let sql = """
            SELECT m.name || '.' || c.name || ' ' || c.type || ' ' || c.pk FROM sqlite_master AS m
            JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name LIKE 'Z%' ORDER BY 1
            """
        let made = try store.sql { try String.fetchAll($0, sql: sql) }
        let found = try real.read { try String.fetchAll($0, sql: sql) }
        #expect(made == found)
    }

    @Test(arguments: RealStore.all)
    func `a new store numbers its entities as the real one`(_ real: RealStore) throws {
        let folder = try TemporaryFolder()
        let store = try TestStore(try real.model(), at: folder.url.appendingPathComponent("New.sqlite"))
        let sql = "SELECT Z_ENT || ' ' || Z_NAME || ' ' || Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT"
        var made = try store.sql { try String.fetchAll($0, sql: sql) }
        // The migration that made this one renamed an entity and left its old name here.
        if real.path.hasSuffix("SampleModel_V2.sqlite") { made[2] = "3 ExpensiveSportCar 2" }
        let found = try real.read { try String.fetchAll($0, sql: sql) }
        #expect(made == found)
    }

    @Test(arguments: RealStore.all)
    func `a new store's metadata have the hashes, digest and checksum of the real one`(_ real: RealStore) throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("New.sqlite")
        try TestStore(try real.model(), at: url).backend.close()
        let made = try SQLiteStoreFile.metadata(at: url)
        let found = try SQLiteStoreFile.metadata(at: real.url)
        #expect(
            made["NSStoreModelVersionHashes"] as? [String: Data] == found["NSStoreModelVersionHashes"]
                as? [String: Data])
        #expect(made["NSStoreModelVersionHashesVersion"] as? Int == found["NSStoreModelVersionHashesVersion"] as? Int)
        // Identifiers aren't hashed: these two were saved by a build of the model with another one.
        if !["CareKit/SampleStore2.0.sqlite", "CoreDataPlus-SampleModel3/history-SampleModel3V1.sqlite"].contains(
            real.path)
        {
            let key = "NSStoreModelVersionIdentifiers"
            #expect(made[key] as? [String] == found[key] as? [String])
        }
        #expect(made["_NSAutoVacuumLevel"] as? String == "2")
        #expect(made["NSStoreType"] as? String == "SQLite")
        // Systems before 2019 and 2023 don't write these two.
        for key in ["NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey"] {
            if let value = found[key] as? String { #expect(made[key] as? String == value) }
        }
    }

    @Test(arguments: RealStore.all)
    func `the real store's tables fit its model, and every row can be read`(_ real: RealStore) throws {
        var options = SQLiteStoreOptions()
        options.isReadOnly = true
        let store = try TestStore(try real.model(), at: real.url, options: options)
        for entity in store.model.entities {
            let rows = try store.backend.rows(matching: StoreQuery(entity: entity, includesSubentities: false))
            let number = try #require(store.backend.schema.entity(for: entity)).number
            let table = try #require(store.backend.schema.entity(for: entity)).table
            let count = try store.sql { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table) WHERE Z_ENT = \(number)")
            }
            #expect(rows.count == count)
            for relationship in entity.relationshipsByName.values where relationship.isToMany {
                _ = try store.backend.members(of: relationship, owners: rows.map(\.objectID))
            }
        }
    }

    @Test(arguments: RealStore.all)
    func `a store can be read with the model that it carries itself`(_ real: RealStore) throws {
        guard let cache = try SQLiteStoreFile.modelCache(at: real.url) else { return }
        let model = try NSManagedObjectModel(modelCache: cache)
        var options = SQLiteStoreOptions()
        options.isReadOnly = true
        let store = try TestStore(model, at: real.url, options: options)
        #expect(store.backend.schema.entities.count == model.entities.count)
    }
}
