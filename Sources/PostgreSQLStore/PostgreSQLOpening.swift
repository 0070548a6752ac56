// Opening a store: in one transaction and under a lock, so that of several processes that start at once one makes the tables and
// the others find them.

#if PostgreSQL

    import CoreData
    import Foundation

    /// The opening of one store.
    struct PostgreSQLOpening {
        let address: PostgreSQLAddress
        let model: NSManagedObjectModel
        let configuration: String?
        let ignoresVersionHashes: Bool
        let isReadOnly: Bool
        let startsHistory: Bool
        /// Whether a store of another version may be migrated by an inferred mapping.
        let migrates: Bool
        /// For errors; see ``PostgreSQLAddress/withoutPassword``.
        let url: URL
        let errors: PostgreSQLErrors

        /// The form of the tables that this version makes.
        private static let format: Int64 = 1

        /// The store's metadata and the number of its version, after making the store where there is none.
        func open(_ schema: SQLSchema, _ pool: PostgreSQLPool) throws -> (StoreMetadata, version: Int64) {
            try pool.retrying { connection in
                try connection.execute("BEGIN")
                try connection.execute("SELECT pg_advisory_xact_lock($1)", [.integer(address.lockKey)])
                let metadata: StoreMetadata
                if let found = try Self.read(address, connection, errors) {
                    let differences = try differences(from: found, connection)
                    metadata = differences.isEmpty ? found : try migrate(found, differences, schema, connection)
                } else if isReadOnly {
                    throw CoreDataError.make(
                        .fileReadNoSuchFile,
                        "There is no store at \(address.description). Check the URL, or open it for writing to create it."
                    )
                } else {
                    metadata = try create(schema, connection)
                }
                if !isReadOnly {
                    // What became of a save is asked at once, or never.
                    try connection.execute(
                        "DELETE FROM \(address.qualified("_commits")) WHERE at < now() - interval '1 day'")
                }
                if startsHistory, !isReadOnly {
                    try connection.execute(
                        "UPDATE \(address.qualified("_store")) SET keeps_history = true WHERE NOT keeps_history")
                }
                let version = try connection.execute("SELECT version FROM \(address.qualified("_store"))").integer(0, 0)
                try connection.execute("COMMIT")
                return (metadata, version ?? 0)
            }
        }

        /// In which entities the model isn't the one that the store was made with.
        private func differences(
            from metadata: StoreMetadata, _ connection: PostgreSQLConnection
        ) throws -> [String] {
            if ignoresVersionHashes { return [] }
            return try metadata.differences(from: model, configuration: configuration) {
                try Self.model(address, metadata, connection)
            }
        }

        /// Makes the store one of the model's version, where that is asked for.
        ///
        /// - Throws: `CocoaError` (`.persistentStoreIncompatibleVersionHash`) where it isn't.
        private func migrate(
            _ metadata: StoreMetadata, _ differences: [String], _ schema: SQLSchema, _ connection: PostgreSQLConnection
        ) throws -> StoreMetadata {
            guard migrates, !isReadOnly else { throw errors.incompatible(differences, metadata: metadata.dictionary) }
            guard let source = try Self.model(address, metadata, connection) else {
                throw errors.bad("\(address.schema)._store.model", found: "nothing", expected: "a model")
            }
            return try PostgreSQLMigration(
                address: address, matching: ModelMatching(source: source, destination: model),
                configuration: configuration, errors: MigrationErrors(store: url)
            ).run(metadata, schema, connection)
        }

        private func create(_ schema: SQLSchema, _ connection: PostgreSQLConnection) throws -> StoreMetadata {
            var metadata = StoreMetadata(newStoreOf: model, configuration: configuration)
            metadata.entries[NSStoreTypeKey] = NSPostgreSQLStoreType
            // Only where it's missing: a user who may not make schemas may still use one.
            let known = try connection.execute(
                "SELECT 1::bigint FROM pg_namespace WHERE nspname = $1", [.text(address.schema)])
            if known.rowCount == 0 { try connection.execute("CREATE SCHEMA \(address.quotedSchema)") }
            let encoding = try connection.execute("SHOW server_encoding").text(0, 0)
            guard encoding == "UTF8" else {
                throw CoreDataError.make(
                    .persistentStoreOpen,
                    "The database of \(address.description) is encoded in \(encoding ?? "nothing"), where UTF8 is needed. Give "
                        + "another one, made with CREATE DATABASE ... ENCODING 'UTF8'.")
            }
            let tables = try PostgreSQLTables(schema: schema, address: address).statements()
            for statement in PostgreSQLTextFunctions(address: address).statements + tables {
                try connection.execute(statement)
            }
            try connection.execute(
                "INSERT INTO \(address.qualified("_store")) (identifier, metadata, model, format) VALUES ($1, $2, $3, $4)",
                [
                    .text(metadata.identifier), .bytes(try metadata.propertyList()),
                    .bytes(try model.modelCacheData()), .integer(Self.format),
                ])
            try Self.describe(schema, address, connection)
            return metadata
        }

        /// Says which entities and tables there are.
        static func describe(
            _ schema: SQLSchema, _ address: PostgreSQLAddress, _ connection: PostgreSQLConnection
        ) throws {
            for entity in schema.entities {
                let parent = schema.entity(numbered: entity.superNumber)?.name
                try connection.execute(
                    "INSERT INTO \(address.qualified("_entities")) (name, super, \"table\", version_hash) "
                        + "VALUES ($1, $2, $3, $4)",
                    [
                        .text(entity.name), .optional(parent),
                        .text(entity.table), .bytes(entity.description.versionHash),
                    ])
            }
            for table in schema.tables.map(\.name) + schema.joinTables.map(\.name) {
                try connection.execute("INSERT INTO \(address.qualified("_tables")) (name) VALUES ($1)", [.text(table)])
            }
        }

        /// The metadata of the store at an address; nil where there is none.
        private static func read(
            _ address: PostgreSQLAddress, _ connection: PostgreSQLConnection, _ errors: PostgreSQLErrors
        ) throws -> StoreMetadata? {
            let table = address.qualified("_store")
            guard try connection.execute("SELECT to_regclass($1)::text", [.text(table)]).text(0, 0) != nil else {
                return nil
            }
            let result = try connection.execute("SELECT identifier, metadata, format FROM \(table)")
            guard result.rowCount == 1, let identifier = try result.text(0, 0),
                UUID(uuidString: identifier) != nil, case .bytes(let list) = try result.value(0, 1)
            else {
                throw errors.bad(
                    "\(address.schema)._store", found: "\(result.rowCount) rows", expected: "one, with a UUID")
            }
            guard try result.integer(0, 2) == format else {
                throw errors.bad(
                    "\(address.schema)._store.format", found: "\(try result.integer(0, 2) ?? 0)", expected: "\(format)")
            }
            let entries: Any
            do {
                entries = try PropertyListFile.object(of: list)
            } catch {
                throw errors.bad(
                    "\(address.schema)._store.metadata", found: "\(list.count) bytes", expected: "a property list")
            }
            guard let entries = entries as? [String: Any] else {
                throw errors.bad("\(address.schema)._store.metadata", found: "a list", expected: "a dictionary")
            }
            return StoreMetadata(identifier: identifier, entries: entries)
        }

        // MARK: Without opening

        static func metadata(of address: PostgreSQLAddress) throws -> [String: Any] {
            let errors = PostgreSQLErrors(store: address.description)
            do {
                let connection = try PostgreSQLConnection(address, statementTimeout: 60)
                return try existing(address, connection, errors).dictionary
            } catch {
                throw errors.translated(error, .opening)
            }
        }

        /// - Throws: `CocoaError` (`.fileReadNoSuchFile`) where there is no store.
        private static func existing(
            _ address: PostgreSQLAddress, _ connection: PostgreSQLConnection, _ errors: PostgreSQLErrors
        ) throws -> StoreMetadata {
            if let metadata = try read(address, connection, errors) { return metadata }
            throw CoreDataError.make(
                .fileReadNoSuchFile, "There is no store at \(address.description). Check the URL.")
        }

        /// Replaces the metadata, but for what the store says itself.
        static func setMetadata(_ entries: [String: Any], of address: PostgreSQLAddress) throws {
            let errors = PostgreSQLErrors(store: address.description)
            do {
                let connection = try PostgreSQLConnection(address, statementTimeout: 60)
                // Neither a migration nor a save may come between; closing the connection takes all back.
                try connection.execute("BEGIN")
                try connection.execute("SELECT pg_advisory_xact_lock($1)", [.integer(address.lockKey)])
                var metadata = try existing(address, connection, errors)
                metadata.replaceEntries(by: entries)
                try connection.execute(
                    "UPDATE \(address.qualified("_store")) SET metadata = $1", [.bytes(try metadata.propertyList())])
                try connection.execute("COMMIT")
            } catch {
                throw errors.translated(error, .saving)
            }
        }

        /// The model that a store was made with; nil where there is no store.
        static func model(of address: PostgreSQLAddress) throws -> NSManagedObjectModel? {
            let errors = PostgreSQLErrors(store: address.description)
            do {
                let connection = try PostgreSQLConnection(address, statementTimeout: 60)
                return try read(address, connection, errors).flatMap { try model(address, $0, connection) }
            } catch {
                throw errors.translated(error, .opening)
            }
        }

        private static func model(
            _ address: PostgreSQLAddress, _ metadata: StoreMetadata, _ connection: PostgreSQLConnection
        ) throws -> NSManagedObjectModel? {
            let result = try connection.execute("SELECT model FROM \(address.qualified("_store"))")
            guard case .bytes(let data) = try result.value(0, 0) else { return nil }
            let model = try NSManagedObjectModel(modelCache: data)
            model.adoptVersionHashes(fromStoreMetadata: metadata.dictionary)
            return model
        }

        /// Drops a store's tables, if there is one. The schema stays: others may have something there.
        static func destroy(_ address: PostgreSQLAddress) throws {
            let errors = PostgreSQLErrors(store: address.description)
            do {
                let connection = try PostgreSQLConnection(address, statementTimeout: 60)
                guard try read(address, connection, errors) != nil else { return }
                let tables = try connection.execute("SELECT name FROM \(address.qualified("_tables"))")
                try connection.execute("BEGIN")
                try PostgreSQLDerivedAttributes.drop(address, connection)
                for row in 0..<tables.rowCount {
                    try connection.execute("DROP TABLE IF EXISTS \(try tables.text(row, 0) ?? "") CASCADE")
                }
                for function in SQLTextFunction.allCases.map(\.rawValue) + [SQLTextFunction.length] {
                    try connection.execute("DROP FUNCTION IF EXISTS \(address.qualified(function))(text) CASCADE")
                }
                for name in SQLSchema.postgreSQLSystemTables {
                    try connection.execute("DROP TABLE IF EXISTS \(address.qualified(name))")
                }
                try connection.execute("COMMIT")
            } catch {
                throw errors.translated(error, .saving)
            }
        }
    }

#endif
