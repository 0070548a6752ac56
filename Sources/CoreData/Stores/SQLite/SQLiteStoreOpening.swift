// Opening a store: look at the file, make it if there is none, compare hashes, fit the schema to the tables. Nothing is
// written to a file before it is known to be a store of this model, or empty.

import Foundation
import GRDB

/// The opening of one store.
struct SQLiteStoreOpening {
    struct Opened {
        let database: SQLiteDatabase
        let schema: SQLSchema
        let metadata: StoreMetadata
        let isInMemory: Bool
    }

    let url: URL
    let model: NSManagedObjectModel
    let configuration: String?
    let options: SQLiteStoreOptions
    let errors: SQLiteErrors

    func open() throws -> Opened {
        if url.path == "/dev/null" { return try openInMemory() }
        let path = url.path
        let exists = FileManager.default.fileExists(atPath: path)
        if exists {
            let start = try SQLiteStoreFile.firstBytes(of: path)
            // Beside a journal the first page may be one that never reached the disk; SQLite takes that back.
            guard start.isEmpty || SQLiteStoreFile.isDatabase(start) || SQLiteStoreFile.hasJournal(path) else {
                throw errors.notADatabase(start: start)
            }
        }
        if options.isReadOnly {
            guard exists else { throw errors.missing() }
            let database = try SQLiteDatabase.readOnlyFile(at: path, options: options)
            let (schema, metadata) = try database.read { try examine($0) }
            return Opened(database: database, schema: schema, metadata: metadata, isInMemory: false)
        }
        let schema = exists ? nil : try SQLSchema(model: model, configuration: configuration)
        // Before there is a file: a model without tables must not leave one.
        _ = try schema?.createStatements()
        do {
            let (database, found) = try SQLiteDatabase.file(at: path, options: options) { db in
                try isEmpty(db) ? try create(db) : try examine(db)
            }
            if exists, options.vacuums { try database.withoutTransaction { try $0.execute(sql: "VACUUM") } }
            if exists, options.analyzes { try database.withoutTransaction { try $0.execute(sql: "ANALYZE") } }
            return Opened(database: database, schema: found.0, metadata: found.1, isInMemory: false)
        } catch  where !exists {
            removeUnfinishedFile(path)
            throw error
        }
    }

    /// The connections to a file that is there; nobody has looked into it yet.
    func existing() throws -> SQLiteDatabase {
        guard FileManager.default.fileExists(atPath: url.path) else { throw errors.missing() }
        let start = try SQLiteStoreFile.firstBytes(of: url.path)
        guard SQLiteStoreFile.isDatabase(start) else { throw errors.notADatabase(start: start) }
        if options.isReadOnly { return try SQLiteDatabase.readOnlyFile(at: url.path, options: options) }
        return try SQLiteDatabase.file(at: url.path, options: options) { _ in }.database
    }

    private func openInMemory() throws -> Opened {
        let database = try SQLiteDatabase.inMemory(options: options)
        let (schema, metadata) = try database.withoutTransaction { try create($0) }
        return Opened(database: database, schema: schema, metadata: metadata, isInMemory: true)
    }

    /// Removes a file that was to become a store, unless something is in it: somebody else may have made theirs there.
    private func removeUnfinishedFile(_ path: String) {
        // Best effort: the error that is thrown is the one that made the file unusable.
        guard let start = try? SQLiteStoreFile.firstBytes(of: path), start.isEmpty else { return }
        for item in [path, path + "-journal"] { try? FileManager.default.removeItem(atPath: item) }
    }

    // MARK: A file that is there

    private func isEmpty(_ db: Database) throws -> Bool {
        try db.number("SELECT COUNT(*) FROM sqlite_master") == 0
    }

    /// The schema and the metadata of a file that has to be a store of this model.
    func examine(_ db: Database) throws -> (SQLSchema, StoreMetadata) {
        guard try db.hasTable("Z_METADATA"), try db.hasTable("Z_PRIMARYKEY") else {
            throw errors.notAStore(tables: try SQLiteStoreFile.tableNames(db))
        }
        let metadata = try StoreMetadata.read(db, errors: errors)
        if !options.ignoresVersionHashes {
            let differences = try SQLiteStoreFile.differences(
                of: model, configuration: configuration, from: metadata, db)
            if !differences.isEmpty { throw errors.incompatible(differences, metadata: metadata.dictionary) }
        }
        let schema = try SQLSchema(model: model, configuration: configuration, file: try Self.contents(db))
        return (schema, metadata)
    }

    /// What the file has, for fitting the schema to it: generated columns, too, and no virtual tables, whose modules may be
    /// missing here.
    static func contents(_ db: Database) throws -> SQLFileContents {
        var tables: [String: [String]] = [:]
        let columns = try RowStatement(
            db,
            """
            SELECT m.name, c.name FROM sqlite_master AS m JOIN pragma_table_xinfo(m.name) AS c
            WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL %' ORDER BY m.name, c.cid
            """)
        while try columns.step() { tables[columns.text(at: 0), default: []].append(columns.text(at: 1)) }
        var entities: [SQLFileContents.EntityRow] = []
        try db.readRows(of: "Z_PRIMARYKEY", ["Z_ENT", "Z_NAME", "Z_SUPER"], "ORDER BY Z_ENT") { row in
            let number = Int(try row.integer(0))
            // They are ascending, so that one that is there twice follows itself.
            guard number > entities.last?.number ?? 0 else {
                throw row.error(0, expected: "a number above 0 for each entity")
            }
            entities.append(
                SQLFileContents.EntityRow(
                    number: number, name: try row.text(1) ?? "", superNumber: Int(try row.integer(2, ifNull: 0))))
        }
        return SQLFileContents(tables: tables, entityRows: entities)
    }

    // MARK: A new file

    private func create(_ db: Database) throws -> (SQLSchema, StoreMetadata) {
        let schema = try SQLSchema(model: model, configuration: configuration)
        let statements = try schema.createStatements()
        let modelCache = try model.modelCacheData()
        // These two only count before the first table.
        try db.execute(sql: "PRAGMA page_size = \(options.pragma("page_size").flatMap { Int($0) } ?? 4096)")
        try db.execute(sql: "PRAGMA auto_vacuum = 2")
        let metadata = StoreMetadata(newStoreOf: model, configuration: configuration)
        var existing: (SQLSchema, StoreMetadata)?
        try db.inTransaction(.exclusive) {
            // Somebody else may have been faster.
            guard try isEmpty(db) else {
                existing = try examine(db)
                return .commit
            }
            for statement in statements { try db.execute(sql: statement) }
            for entity in schema.entities {
                try db.execute(
                    sql: "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)",
                    arguments: [entity.number, entity.name, entity.superNumber])
            }
            try metadata.insert(db)
            try db.execute(sql: "INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", arguments: [modelCache])
            return .commit
        }
        return existing ?? (schema, metadata)
    }
}
