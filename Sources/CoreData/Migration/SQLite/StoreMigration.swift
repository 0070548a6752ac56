// A lightweight migration of a SQLite store: in one transaction the store's tables are put aside, those of the new
// version are made as a new store has them, the rows are copied, and the old tables dropped. Until the transaction is
// committed the file is the old store, for everybody else and after a crash. Core Data changes tables in place where it can
// (columns added at the end, join tables renamed); this leaves the same rows under the same keys in tables without such
// traces.

import Foundation
import GRDB

/// The migration of one store's file.
struct StoreMigration {
    /// What has just been done, for tests that look at the file or fail meanwhile.
    enum Step: CaseIterable, Sendable {
        case setAside, made, copied, linked, indexed, described
    }

    let url: URL
    let matching: ModelMatching
    let configuration: String?
    let options: SQLiteStoreOptions
    let errors: MigrationErrors
    var onStep: (@Sendable (Step) throws -> Void)?

    /// What there is to do when the migration is committed.
    private struct Remains {
        /// The files that no row refers to any more.
        var orphans: Set<URL> = []
        /// What has been left out, in lines for standard error.
        var warnings: [String] = []
    }

    /// - Parameter configuration: The configuration that the store is opened by; nil for all entities.
    init(
        url: URL, source: NSManagedObjectModel, destination: NSManagedObjectModel, configuration: String? = nil,
        options: SQLiteStoreOptions = SQLiteStoreOptions(), errors: MigrationErrors? = nil
    ) {
        self.url = url
        self.configuration = configuration
        self.options = options
        self.errors = errors ?? MigrationErrors(store: url)
        matching = ModelMatching(source: source, destination: destination)
    }

    /// Migrates the store. Does nothing where somebody else has done it meanwhile.
    ///
    /// - Throws: `CocoaError` that names the path and the cause; the store is then as it was.
    func run() throws {
        let files = ExternalFileMigration(folder: ExternalDataFolder(storeURL: url))
        do {
            let (database, remains) = try SQLiteDatabase.file(at: url.path, options: options) { db in
                try migrate(db, files)
            }
            files.folder.remove(remains.orphans)
            for line in remains.warnings { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
            try database.close()
        } catch {
            throw errors.failed(files.damage ?? error)
        }
    }

    private func migrate(_ db: Database, _ files: ExternalFileMigration) throws -> Remains {
        files.registerInlining(on: db)
        // Renaming a table shall not touch views or triggers that speak of it.
        try db.execute(sql: "PRAGMA legacy_alter_table = ON")
        var remains = Remains()
        try db.inTransaction(.exclusive) {
            remains = try rewrite(db, files)
            return .commit
        }
        // The store is migrated. That the space of the old tables can't be given back is no reason to report an error.
        try? db.execute(sql: "PRAGMA incremental_vacuum")
        return remains
    }

    private func rewrite(_ db: Database, _ files: ExternalFileMigration) throws -> Remains {
        let storeErrors = SQLiteErrors(path: url.path)
        let metadata = try StoreMetadata.read(db, errors: storeErrors)
        if try isMigrated(metadata, db) { return Remains() }
        let old = try SQLSchema(
            model: matching.source, configuration: configuration(of: matching.source, metadata),
            file: SQLiteStoreOpening.contents(db))
        let links = try linksOfNoObject(old, db)
        let configuration = matching.configuration(self.configuration, ofStoreWith: old.entities.map(\.description))
        var tables = try MigrationTables(
            source: old, destination: SQLSchema(model: matching.destination, configuration: configuration))
        let before = try files.folder.files(of: old, db)

        try tables.setAside(db)
        try onStep?(.setAside)
        try tables.makeTables(db)
        try onStep?(.made)
        try GraphMigration(tables.schemas, matching, errors).run(db) { step in
            try onStep?(step == .copied ? .copied : .linked)
        }
        try index(tables, db)
        try ComputedAttributes(tables.schemas.destination, db).computeAll(db)
        let leftOut = try tables.dropOld(db)
        let description = StoreDescriptionMigration(
            tables: tables, matching: matching, metadata: metadata, configuration: configuration)
        _ = try description.write(db)
        try onStep?(.described)
        let after = try files.folder.files(of: tables.schemas.destination, db)
        return Remains(
            orphans: before.subtracting(after),
            warnings: [links, errors.missingFiles(files.missing), errors.leftOut(leftOut)].compactMap(\.self))
    }

    /// The line about links that are of no object: there is nothing that could carry them over.
    private func linksOfNoObject(_ schema: SQLSchema, _ db: Database) throws -> String? {
        var count = 0
        var first = ""
        for rule in StoreRules(schema: schema, identities: [:]).linksOfNoObject {
            try rule.find(db, schema) { link in
                count += 1
                if count == 1 { first = [link.place, link.finding].compactMap(\.self).joined(separator: ": ") }
            }
        }
        return errors.linksOfNoObject(count, first: first)
    }

    private func isMigrated(_ metadata: StoreMetadata, _ db: Database) throws -> Bool {
        let differences = try SQLiteStoreFile.differences(
            of: matching.destination, configuration: configuration, from: metadata, db)
        guard differences.isEmpty else { return false }
        do {
            _ = try SQLSchema(
                model: matching.destination, configuration: configuration, file: SQLiteStoreOpening.contents(db))
            return true
        } catch is SQLSchemaError {
            // Hashes that can't be computed fit any store; its tables say whether it is of that version.
            return false
        }
    }

    /// The older version may lack the configuration, and a store of a part may have been saved as one of the whole.
    private func configuration(of model: NSManagedObjectModel, _ metadata: StoreMetadata) -> String? {
        guard let configuration, model.entities(forConfigurationName: configuration) != nil,
            model.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata.entries)
        else { return nil }
        return configuration
    }

    private func index(_ tables: MigrationTables, _ db: Database) throws {
        do {
            try tables.makeIndexes(db)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            throw try violatedConstraint(tables.schemas.destination, db) ?? error
        }
        try onStep?(.indexed)
    }

    /// What is behind the failure to make a unique index.
    private func violatedConstraint(_ destination: SQLSchema, _ db: Database) throws -> (any Error)? {
        for entity in destination.entities {
            for constraint in try entity.uniquenessConstraints() {
                let columns = constraint.columns.joined(separator: ", ")
                let present = constraint.columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
                var examples: [String] = []
                var count = 0
                let rest = "WHERE \(present) GROUP BY \(columns) HAVING COUNT(*) > 1 ORDER BY 2"
                try db.readRows(of: entity.table, ["MIN(Z_PK)", "MAX(Z_PK)"], rest) { row in
                    count += 1
                    if count == 1 { examples = try [row.integer(0), row.integer(1)].map { "\(entity.name)/p\($0)" } }
                }
                guard count > 0 else { continue }
                return errors.constraintViolated(constraint, examples: examples, count: count)
            }
        }
        return nil
    }
}
