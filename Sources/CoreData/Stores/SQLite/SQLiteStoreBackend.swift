// The SQLite store: Core Data's own layout, on GRDB. This file opens and creates it and answers for identity and
// metadata; SQLiteStoreBackend+Reading.swift and +Members.swift read, SQLiteSave.swift writes.

import Foundation
import GRDB
import Synchronization

/// A store in a SQLite file, or at `/dev/null` in memory.
final class SQLiteStoreBackend: StoreBackend {
    /// Where the model's entities and properties stand in this file.
    let schema: SQLSchema
    let errors: SQLiteErrors
    let database: SQLiteDatabase
    let isReadOnly: Bool
    /// Where large values lie; nil in memory, where all of them are inline.
    let external: ExternalDataFolder?
    /// By entity number.
    let plans: [Int: EntityPlan]
    /// `Z_ENT` by entity description.
    let numbers: [ObjectIdentifier: Int64]
    /// The derived attributes that this connection keeps.
    let computed: ComputedAttributes

    private let spaces: [Int: RowSpace]
    private let selectPlans = Mutex<[SelectKey: SelectPlan]>([:])
    private let metadataLock = NSLock()
    private var storedMetadata: StoreMetadata
    private var hasUnsavedMetadata = false
    /// Files of values that no row refers to any more.
    let superfluousFiles = Mutex<[URL]>([])

    private struct SelectKey: Hashable {
        let number: Int
        let includesSubentities: Bool
        let slots: [Int]?
    }

    /// Opens a store, or makes a new one where the file is missing or empty.
    ///
    /// - Parameters:
    ///   - url: The file; `/dev/null` for a private store in memory.
    ///   - configuration: The configuration of the model whose entities the store holds; nil for all entities.
    ///   - store: What the IDs of the store's objects refer to; not retained.
    /// - Throws: `CocoaError` naming the path: `.persistentStoreIncompatibleVersionHash` with the entities that differ,
    ///   `.persistentStoreIncompatibleSchema` with the tables and columns that are missing,
    ///   `.persistentStoreTypeMismatch` for what is no store, `.fileReadCorruptFile` for what is no database.
    init(
        url: URL, model: NSManagedObjectModel, configuration: String?, options: SQLiteStoreOptions,
        store: NSPersistentStore
    ) throws {
        let configuration = configuration == "PF_DEFAULT_CONFIGURATION_NAME" ? nil : configuration
        let errors = SQLiteErrors(path: url.path)
        let opened: SQLiteStoreOpening.Opened
        let computed: ComputedAttributes
        do {
            let opening = SQLiteStoreOpening(
                url: url, model: model, configuration: configuration, options: options, errors: errors)
            opened = try opening.open()
            let database = opened.database
            computed =
                options.isReadOnly
                ? ComputedAttributes()
                : try database.withoutTransaction { try ComputedAttributes(opened.schema, $0) }
        } catch {
            throw errors.translated(error, .opening)
        }
        self.errors = errors
        self.computed = computed
        database = opened.database
        schema = opened.schema
        storedMetadata = opened.metadata
        isReadOnly = options.isReadOnly
        external = opened.isInMemory ? nil : ExternalDataFolder(storeURL: url)
        var spaces: [Int: RowSpace] = [:]
        for entity in schema.entities where entity.isRoot {
            spaces[entity.number] = RowSpace(storeIdentifier: opened.metadata.identifier, store: store)
        }
        self.spaces = spaces
        var plans: [Int: EntityPlan] = [:]
        var numbers: [ObjectIdentifier: Int64] = [:]
        for entity in schema.entities {
            numbers[ObjectIdentifier(entity.description)] = Int64(entity.number)
            plans[entity.number] = EntityPlan(entity: entity, schema: schema) { Self.space(of: $0, in: spaces) }
        }
        self.plans = plans
        self.numbers = numbers
        if options.tracksHistory, !isReadOnly { try startHistory(model) }
    }

    private init(reading database: SQLiteDatabase, of other: SQLiteStoreBackend) {
        self.database = database
        errors = other.errors
        schema = other.schema
        storedMetadata = other.metadataLock.withLock { other.storedMetadata }
        computed = ComputedAttributes()
        isReadOnly = true
        external = other.external
        spaces = other.spaces
        plans = other.plans
        numbers = other.numbers
    }

    /// The store as it is now. Its IDs are this store's.
    func pinned() throws -> (any StoreBackend)? {
        do {
            return try database.snapshot().map { SQLiteStoreBackend(reading: $0, of: self) }
        } catch {
            throw errors.translated(error, .reading)
        }
    }

    /// The database, if others can get at it.
    var fileDatabase: SQLiteDatabase? { external == nil ? nil : database }

    func watch(_ announce: @escaping @Sendable () -> Void) -> AnyObject? {
        fileDatabase.map { RemoteChangeWatch($0, announce) }
    }

    // Nobody is left to do it after the next save.
    deinit { removeSuperfluous([]) }

    /// Closes the file. Nothing may use the store any more; without this call it happens when the backend goes.
    func close() throws {
        removeSuperfluous([])
        do {
            try database.close()
        } catch {
            throw errors.translated(error, .saving)
        }
    }

    // MARK: Metadata

    var metadata: [String: Any] {
        get { metadataLock.withLock { storedMetadata.dictionary } }
        set {
            metadataLock.withLock {
                storedMetadata.replaceEntries(by: newValue)
                hasUnsavedMetadata = true
            }
        }
    }

    /// The metadata that a save has to write; nil where they are unchanged. What is set from now on is for the next one.
    func takeUnsavedMetadata() -> StoreMetadata? {
        metadataLock.withLock {
            defer { hasUnsavedMetadata = false }
            return hasUnsavedMetadata ? storedMetadata : nil
        }
    }

    /// The save that took the metadata failed.
    func metadataStayUnsaved() { metadataLock.withLock { hasUnsavedMetadata = true } }

    /// Takes another store's UUID and counters: what is in here are that one's rows, under their numbers.
    func adopt(_ identifier: String, largestKeys: [String: Int64], entries: [String: Any]) throws {
        try requireWritable()
        var adopted = metadataLock.withLock { storedMetadata }
        adopted.identifier = identifier
        adopted.entries.merge(entries) { $1 }
        try writing { db in
            try adopted.update(db)
            for entity in schema.entities where entity.isRoot {
                guard let key = largestKeys[entity.name] else { continue }
                try PrimaryKeys.raise(to: key, rootNumber: entity.rootNumber, db)
            }
        }
        metadataLock.withLock { storedMetadata = adopted }
        for space in spaces.values { space.storeIdentifier = identifier }
    }

    // MARK: Identity

    private static func space(of entity: SQLEntity, in spaces: [Int: RowSpace]) -> RowSpace {
        guard let space = spaces[entity.rootNumber] else {
            fatalError("The entity '\(entity.name)' has no root among the store's entities.")
        }
        return space
    }

    func space(of entity: SQLEntity) -> RowSpace { Self.space(of: entity, in: spaces) }

    /// The entity's place in the store.
    ///
    /// - Throws: `CocoaError` (`.persistentStoreOperation`) for an entity that the store doesn't keep.
    func sqlEntity(_ entity: NSEntityDescription) throws -> SQLEntity {
        if let found = schema.entity(for: entity) { return found }
        throw CoreDataError.make(
            .persistentStoreOperation,
            "The store \(errors.path) doesn't keep objects of entity '\(entity.name ?? "")'. It keeps: "
                + "\(schema.entities.map(\.name).joined(separator: ", ")).")
    }

    func plan(of entity: NSEntityDescription) throws -> EntityPlan {
        let number = try sqlEntity(entity).number
        guard let plan = plans[number] else { fatalError("The entity number \(number) has no plan.") }
        return plan
    }

    /// - Parameter slots: Those whose values are wanted; nil for all.
    func selectPlan(_ entity: SQLEntity, includesSubentities: Bool, slots: [Int]? = nil) -> SelectPlan {
        selectPlans.withLock { known in
            let key = SelectKey(number: entity.number, includesSubentities: includesSubentities, slots: slots)
            if let plan = known[key] { return plan }
            let numbers = includesSubentities ? entity.hierarchyNumbers : [entity.number]
            let plan = SelectPlan(plans: numbers.compactMap { plans[$0] }, slots: slots)
            known[key] = plan
            return plan
        }
    }

    func objectID(for entity: NSEntityDescription, primaryKey: Int64) -> NSManagedObjectID {
        guard let sqlEntity = schema.entity(for: entity) else {
            fatalError("The entity '\(entity.name ?? "")' isn't one of the store's model.")
        }
        if sqlEntity.hasSubentities {
            // A row knows its own entity. Where it can't be read, whoever uses the ID gets the error.
            let number = try? database.read { db in
                try db.number("SELECT Z_ENT FROM \(sqlEntity.table) WHERE Z_PK = ?", [.integer(primaryKey)])
            }
            var kinds = KindLookup(self, table: sqlEntity)
            if let kind = number.flatMap({ kinds.kind(ofEntity: $0) }) {
                return NSManagedObjectID(kind, number: primaryKey)
            }
        }
        return NSManagedObjectID(entity: entity, space: space(of: sqlEntity), number: primaryKey)
    }
}
