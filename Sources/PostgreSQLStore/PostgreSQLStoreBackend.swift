// A store in PostgreSQL. This file opens it and answers for identity and metadata; +Reading.swift and +Members.swift read,
// PostgreSQLSave.swift writes.

#if PostgreSQL

    import CoreData
    import Foundation
    import Synchronization

    /// A store in a schema of a PostgreSQL database.
    final class PostgreSQLStoreBackend: StoreBackend {
        let schema: SQLSchema
        let errors: PostgreSQLErrors
        let pool: PostgreSQLPool
        let constraints: [PostgreSQLTables.Constraint]
        let isReadOnly: Bool
        /// By entity number.
        private let plans: [Int: EntityPlan]
        /// By the number of the root entity.
        private let spaces: [Int: RowSpace]
        /// Counted up by migrations; a save of another version's rows is refused.
        let version: Int64
        /// What tells this backend's writing from others'.
        let identifier = UUID().uuidString
        private let metadataState: Mutex<MetadataState>
        /// The connection that has the turn at writing, with its transaction. Behind the coordinator's lock of saves.
        let turn = Mutex<PostgreSQLConnection?>(nil)

        private struct MetadataState: @unchecked Sendable {
            // Safe: property lists don't change.
            var metadata: StoreMetadata
            var isUnsaved = false
        }

        /// - Throws: `CocoaError` that names the store: `.persistentStoreIncompatibleVersionHash` for one of another model,
        ///   `.persistentStoreOpen` with the server's error underneath.
        init(url: URL, model: NSManagedObjectModel, configuration: String?, store: NSPersistentStore) throws {
            let address = try PostgreSQLAddress(url)
            let errors = PostgreSQLErrors(store: address.description)
            let configuration = configuration == "PF_DEFAULT_CONFIGURATION_NAME" ? nil : configuration
            func number(_ key: String) -> NSNumber? { store.options?[key] as? NSNumber }
            let schema: SQLSchema
            let constraints: [PostgreSQLTables.Constraint]
            let metadata: StoreMetadata
            let version: Int64
            let pool = PostgreSQLPool(
                address, size: number(NSPersistentStoreConnectionPoolMaxSizeKey)?.intValue ?? 8,
                timeout: number(NSPersistentStoreTimeoutOption)?.doubleValue ?? 60)
            do {
                schema = try SQLSchema(postgreSQL: model, configuration: configuration, namespace: address.schema)
                constraints = try PostgreSQLTables(schema: schema, address: address).constraints()
                let opening = PostgreSQLOpening(
                    address: address, model: model, configuration: configuration,
                    ignoresVersionHashes: number(NSIgnorePersistentStoreVersioningOption)?.boolValue ?? false,
                    isReadOnly: store.isReadOnly,
                    startsHistory: Self.flag(store.options?[NSPersistentHistoryTrackingKey]),
                    migrates: Self.flag(store.options?[NSMigratePersistentStoresAutomaticallyOption])
                        && Self.flag(store.options?[NSInferMappingModelAutomaticallyOption]),
                    url: address.withoutPassword, errors: errors)
                (metadata, version) = try opening.open(schema, pool)
            } catch {
                throw errors.translated(error, .opening)
            }
            self.schema = schema
            self.errors = errors
            self.pool = pool
            self.constraints = constraints
            self.version = version
            isReadOnly = store.isReadOnly
            metadataState = Mutex(MetadataState(metadata: metadata))
            var spaces: [Int: RowSpace] = [:]
            for entity in schema.entities where entity.isRoot {
                spaces[entity.number] = RowSpace(storeIdentifier: metadata.identifier, store: store)
            }
            self.spaces = spaces
            var plans: [Int: EntityPlan] = [:]
            for entity in schema.entities {
                plans[entity.number] = EntityPlan(entity: entity, schema: schema) { Self.space(of: $0, in: spaces) }
            }
            self.plans = plans
        }

        /// An option is a number, or a dictionary of finer ones.
        private static func flag(_ option: Any?) -> Bool {
            (option as? NSNumber)?.boolValue ?? (option is NSDictionary)
        }

        // MARK: Metadata

        var metadata: [String: Any] {
            get { metadataState.withLock { state in Transferred(state.metadata.dictionary) }.value }
            set {
                let new = Transferred(newValue)
                metadataState.withLock { state in
                    state.metadata.replaceEntries(by: new.value)
                    state.isUnsaved = true
                }
            }
        }

        private struct Transferred<Value>: @unchecked Sendable {
            // Safe: property lists don't change.
            let value: Value
            init(_ value: Value) { self.value = value }
        }

        /// The metadata that a save has to write, as a property list; nil where they are unchanged. What is set from now on is for the
        /// next one.
        func takeUnsavedMetadata() throws -> Data? {
            try metadataState.withLock { state in
                guard state.isUnsaved else { return nil }
                let list = try state.metadata.propertyList()
                state.isUnsaved = false
                return list
            }
        }

        /// The save that took the metadata failed.
        func metadataStayUnsaved() { metadataState.withLock { $0.isUnsaved = true } }

        // MARK: Identity

        private static func space(of entity: SQLEntity, in spaces: [Int: RowSpace]) -> RowSpace {
            guard let space = spaces[entity.rootNumber] else {
                fatalError("The entity '\(entity.name)' has no root among the store's entities.")
            }
            return space
        }

        func space(of entity: SQLEntity) -> RowSpace { Self.space(of: entity, in: spaces) }

        /// - Throws: `CocoaError` (`.persistentStoreOperation`) for an entity that the store doesn't keep.
        func sqlEntity(_ entity: NSEntityDescription) throws -> SQLEntity {
            if let found = schema.entity(for: entity) { return found }
            throw CoreDataError.make(
                .persistentStoreOperation,
                "The store \(errors.store) doesn't keep objects of entity '\(entity.name ?? "")'. It keeps: "
                    + "\(schema.entities.map(\.name).joined(separator: ", ")).")
        }

        func plan(of entity: SQLEntity) -> EntityPlan {
            guard let plan = plans[entity.number] else { fatalError("The entity '\(entity.name)' has no plan.") }
            return plan
        }

        func objectID(for entity: NSEntityDescription, primaryKey: Int64) -> NSManagedObjectID {
            guard let sqlEntity = schema.entity(for: entity) else {
                fatalError("The entity '\(entity.name ?? "")' isn't one of the store's model.")
            }
            var actual = entity
            if sqlEntity.hasSubentities {
                // A row knows its own entity. Where it can't be read, whoever uses the ID gets the error.
                let name = try? pool.retrying { connection in
                    let result = try connection.execute(
                        "SELECT _entity FROM \(sqlEntity.table) WHERE _id = $1", [.integer(primaryKey)])
                    return result.rowCount == 0 ? nil : try result.text(0, 0)
                }
                if let found = name.flatMap({ $0 }).flatMap({ schema.entity(named: $0) }),
                    found.rootNumber == sqlEntity.rootNumber
                {
                    actual = found.description
                }
            }
            return NSManagedObjectID(entity: actual, space: space(of: sqlEntity), number: primaryKey)
        }

        func permanentIDs(for entity: NSEntityDescription, count: Int) throws -> [NSManagedObjectID] {
            guard count > 0 else { return [] }
            try requireWritable()
            let sqlEntity = try sqlEntity(entity)
            return try reading { try reserve(count, entity, plan(of: sqlEntity), $0) }
        }

        /// New keys, which nobody else gets.
        func reserve(
            _ count: Int, _ entity: NSEntityDescription, _ plan: EntityPlan, _ connection: PostgreSQLConnection
        ) throws -> [NSManagedObjectID] {
            let result = try connection.execute(
                "SELECT nextval(pg_get_serial_sequence($1, '_id')) FROM generate_series(1, $2)",
                [.text(plan.entity.table), .integer(Int64(count))])
            return try (0..<result.rowCount).map { row in
                NSManagedObjectID(entity: entity, space: plan.space, number: try result.integer(row, 0) ?? 0)
            }
        }

        /// The rows of a result whose first columns are key and entity.
        func ids(_ result: PostgreSQLResult, of entity: SQLEntity) throws -> [NSManagedObjectID] {
            let space = space(of: entity)
            return try (0..<result.rowCount).compactMap { row in
                guard let key = try result.integer(row, 0),
                    let actual = try result.text(row, 1).flatMap({ schema.entity(named: $0) })
                else { return nil }
                return NSManagedObjectID(entity: actual.description, space: space, number: key)
            }
        }
    }

#endif
