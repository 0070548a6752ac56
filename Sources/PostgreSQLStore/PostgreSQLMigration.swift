// A lightweight migration: the tables are put aside under other names, those of the new version are made, filled and ruled, and the
// old ones dropped, in the transaction that opens the store. Until it is committed others see the old store; whoever has it
// open then gets an error from the next save. Of several processes that open it at once one migrates.

#if PostgreSQL

    import CoreData
    import Foundation

    /// The migration of one store.
    struct PostgreSQLMigration {
        let address: PostgreSQLAddress
        let matching: ModelMatching
        let configuration: String?
        let errors: MigrationErrors

        /// - Returns: The metadata of the migrated store.
        /// - Throws: `CocoaError` for what can't be inferred and for rows that can't be ones of the new version. The caller rolls back.
        func run(
            _ metadata: StoreMetadata, _ destination: SQLSchema, _ connection: PostgreSQLConnection
        ) throws -> StoreMetadata {
            do {
                _ = try NSMappingModel.inferredMappingModel(
                    forSourceModel: matching.source, destinationModel: matching.destination)
            } catch let error as CocoaError {
                throw errors.missingMapping(matching.source, matching.destination, underlying: error)
            }
            let named = configuration.flatMap { name in
                matching.source.entities(forConfigurationName: name) == nil ? nil : name
            }
            let source = try SQLSchema(
                postgreSQL: matching.source, configuration: named, namespace: address.schema)
            let configuration = matching.configuration(
                self.configuration, ofStoreWith: source.entities.map(\.description))
            let destination =
                configuration == self.configuration
                ? destination
                : try SQLSchema(
                    postgreSQL: matching.destination, configuration: configuration, namespace: address.schema)
            let schemas = MigrationSchemas(source: source, destination: destination) { "_aside_\($0)" }
            try setAside(schemas, connection)
            let (tables, rules) = try PostgreSQLTables(schema: destination, address: address).statementsOfModel()
            for statement in tables { try connection.execute(statement) }
            // Their names are found by the search path, which begins with the store's schema.
            try GraphMigration(schemas, matching, errors).run(connection)
            try continueKeys(schemas, connection)
            for name in schemas.aside.values.sorted() { try connection.execute("DROP TABLE \(name) CASCADE") }
            // What is still to be looked at of the new rows would be in the way of their indexes.
            try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
            let computation = try PostgreSQLDerivedAttributes(destination, address).computation
            for statement in rules + computation { try connection.execute(statement) }
            try PostgreSQLHistoryMigration(address: address, matching: matching).run(connection)
            return try describe(metadata, destination, configuration, connection)
        }

        private func setAside(_ schemas: MigrationSchemas, _ connection: PostgreSQLConnection) throws {
            try PostgreSQLDerivedAttributes.drop(address, connection)
            let tables = PostgreSQLTables(schema: schemas.source, address: address)
            for constraint in try tables.constraints() {
                try connection.execute(
                    "ALTER TABLE \(constraint.constraint.entity.table) DROP CONSTRAINT IF EXISTS \"\(constraint.name)\""
                )
            }
            for table in schemas.source.tables.map(\.name) + schemas.source.joinTables.map(\.name) {
                try connection.execute("ALTER TABLE \(table) RENAME TO \(schemas.old(table))")
            }
        }

        /// Keys that were given out aren't given out again.
        private func continueKeys(_ schemas: MigrationSchemas, _ connection: PostgreSQLConnection) throws {
            for root in schemas.destination.entities where root.isRoot {
                let before = root.hierarchyNumbers.compactMap { schemas.destination.entity(numbered: $0) }
                    .compactMap { matching.match(ofDestination: $0.description)?.source }
                    .compactMap { schemas.source.entity(for: $0)?.table }
                var last: Int64 = 0
                for table in Set(before) {
                    let sequence = try connection.execute(
                        "SELECT pg_get_serial_sequence($1, '_id')", [.text(schemas.old(table))]
                    ).text(0, 0)
                    guard let sequence else { continue }
                    let state = try connection.execute(
                        "SELECT last_value FROM \(sequence) WHERE is_called")
                    if state.rowCount == 1 { last = max(last, try state.integer(0, 0) ?? 0) }
                }
                let largest = try connection.execute("SELECT max(_id) FROM \(root.table)").integer(0, 0) ?? 0
                guard max(last, largest) > 0 else { continue }
                try connection.execute(
                    "SELECT setval(pg_get_serial_sequence($1, '_id'), $2)",
                    [.text(root.table), .integer(max(last, largest))])
            }
        }

        private func describe(
            _ metadata: StoreMetadata, _ destination: SQLSchema, _ configuration: String?,
            _ connection: PostgreSQLConnection
        ) throws -> StoreMetadata {
            var migrated = metadata.migrated(
                to: matching.destination, configuration: configuration, unchanged: [:])
            migrated.entries[NSStoreTypeKey] = NSPostgreSQLStoreType
            try connection.execute(
                "UPDATE \(address.qualified("_store")) SET metadata = $1, model = $2, version = version + 1",
                [.bytes(try migrated.propertyList()), .bytes(try matching.destination.modelCacheData())])
            for name in ["_entities", "_tables"] { try connection.execute("DELETE FROM \(address.qualified(name))") }
            try PostgreSQLOpening.describe(destination, address, connection)
            return migrated
        }
    }

    extension PostgreSQLConnection: MigrationDatabase {
        func run(_ fragment: SQLFragment) throws {
            let (sql, parameters) = try fragment.numbered()
            try execute(sql, parameters)
        }

        func number(_ sql: String) throws -> Int64 {
            let result = try execute(sql)
            return result.rowCount == 0 ? 0 : try result.integer(0, 0) ?? 0
        }
    }

#endif
