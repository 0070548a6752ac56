// What a context asks of a store, in rows and slots. A store never sees a managed object's state, and a context never
// sees SQL. Stores/InMemory and Stores/SQLite implement `StoreBackend`; other modules make theirs known to `StoreProviders`.

import Foundation

/// A row as it stands in a store: the values in the entity's slot order (``EntityLayout``).
///
/// A to-one slot holds `.objectID` or `.null`, a to-many slot `.unread(nil)`, a transient one its default.
package struct StoreRow {
    /// A row that there is, but whose values the store hasn't read yet.
    package static func unread(_ id: NSManagedObjectID) -> StoreRow { StoreRow(objectID: id, version: 0, values: []) }

    /// Whether the values are known.
    package var isRead: Bool { !values.isEmpty || objectID.entity.layout.slots.isEmpty }

    package var objectID: NSManagedObjectID
    /// The row's version (`Z_OPT`).
    package var version: Int64
    package var values: SlotValues

    package init(objectID: NSManagedObjectID, version: Int64, values: SlotValues) {
        self.objectID = objectID
        self.version = version
        self.values = values
    }
}

/// Which rows are wanted, and in which order.
package struct StoreQuery {
    package var entity: NSEntityDescription
    package var includesSubentities = true
    package var predicate: NSPredicate?
    package var sortDescriptors: [NSSortDescriptor] = []
    /// The largest number of rows; nil for all.
    package var limit: Int?
    package var offset = 0
}

/// One row's part of a save.
package struct RowChange {
    /// Permanent, also for an insertion; in a child context's save it may be temporary.
    package var objectID: NSManagedObjectID
    /// The version that the context read; 0 for an insertion. A store that finds another one reports a conflict.
    package var version: Int64
    /// All slots as they shall be. To-one slots may hold `.object`.
    package var values: SlotValues
    /// The slots whose columns have to be written; all of them for an insertion, but in a child context's save those that were set.
    package var changed: SlotSet
    /// The changed to-many slots of an update. An insertion's members are in `values`, as objects or as IDs.
    package var relations: [RelationChange] = []

    package init(
        objectID: NSManagedObjectID, version: Int64, values: SlotValues, changed: SlotSet,
        relations: [RelationChange] = []
    ) {
        self.objectID = objectID
        self.version = version
        self.values = values
        self.changed = changed
        self.relations = relations
    }
}

/// What became of one to-many relationship of one row.
package struct RelationChange {
    package var slot: Int
    package var added: [NSManagedObjectID]
    package var removed: [NSManagedObjectID]
    /// All members in order, for an ordered relationship.
    package var order: [NSManagedObjectID]?
    /// The places in that order before and behind which all members are as the context read them.
    package var moved: Range<Int>

    package init(
        slot: Int, added: [NSManagedObjectID], removed: [NSManagedObjectID], order: [NSManagedObjectID]? = nil,
        moved: Range<Int>? = nil
    ) {
        self.slot = slot
        self.added = added
        self.removed = removed
        self.order = order
        self.moved = moved ?? 0..<(order?.count ?? 0)
    }
}

/// A row that a save doesn't change, but that nobody else may have changed either.
package struct WatchedRow {
    package var objectID: NSManagedObjectID
    /// The version that the context read.
    package var version: Int64
}

/// Who changes a store; for its history.
package struct StoreOrigin {
    /// `transactionAuthor` of the context.
    package var author: String?
    /// The context's name.
    package var contextName: String?
}

/// A save: written in one transaction, or not at all.
package struct StoreChanges {
    package var inserted: [RowChange] = []
    package var updated: [RowChange] = []
    /// `values` are the last known ones; only ID and version matter.
    package var deleted: [RowChange] = []
    /// What new links lead to without being changed by the save itself, so that no version tells whether it is still there.
    package var linked: [NSManagedObjectID] = []
    /// Unchanged rows that have to be as the context read them, because somebody has asked for that.
    package var watched: [WatchedRow] = []
    package var origin = StoreOrigin()
    /// In which stores new objects shall be, by their temporary IDs, where somebody has said so.
    package var assignedStores: [RowKey: NSPersistentStore] = [:]

    package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// Thrown by a save when rows were changed or deleted by somebody else; nothing has been written then.
package struct StoreConflict: Error, @unchecked Sendable {
    // Never leaves the save that it is thrown in.

    package struct Row {
        package var objectID: NSManagedObjectID
        package var expectedVersion: Int64
        /// The row as it stands now; nil when it is gone.
        package var found: StoreRow?

        package init(objectID: NSManagedObjectID, expectedVersion: Int64, found: StoreRow?) {
            self.objectID = objectID
            self.expectedVersion = expectedVersion
            self.found = found
        }

        /// A row that is gone to which a link leads.
        init(missing id: NSManagedObjectID) { self.init(objectID: id, expectedVersion: 0, found: nil) }
    }
    package var rows: [Row]

    package init(rows: [Row]) { self.rows = rows }
}

/// A uniqueness constraint that a save would violate; nothing has been written then.
package struct StoreUniquenessConflict: Error, @unchecked Sendable {
    // Never leaves the save that it is thrown in.

    package var entity: NSEntityDescription
    package var constraint: [String]
    /// The rows of this save and of the store that share the values.
    package var inserted: [NSManagedObjectID]
    package var existing: NSManagedObjectID?

    package init(
        entity: NSEntityDescription, constraint: [String], inserted: [NSManagedObjectID], existing: NSManagedObjectID?
    ) {
        self.entity = entity
        self.constraint = constraint
        self.inserted = inserted
        self.existing = existing
    }
}

/// The operations of a store. The coordinator serialises saves; reads may come from several threads at once.
package protocol StoreBackend: AnyObject {
    /// Type, UUID (`NSStoreUUIDKey`), version hashes and the application's own entries. A new value is written with the
    /// next save.
    var metadata: [String: Any] { get set }

    /// The rows that match, in the order asked for; without sort descriptors in primary-key order.
    func rows(matching query: StoreQuery) throws -> [StoreRow]

    /// Like ``rows(matching:)``, the IDs alone.
    func objectIDs(matching query: StoreQuery) throws -> [NSManagedObjectID]

    func count(matching query: StoreQuery) throws -> Int

    /// One dictionary a row or group: values boxed as `value(forKey:)` would, IDs for objects, absent where nil.
    func dictionaries(matching query: StoreQuery, selection: StoreSelection) throws -> [[String: Any]]

    /// The rows with these IDs, in any order; the missing ones are left out.
    ///
    /// - Parameter slots: The slots whose values are wanted, of IDs of one entity; nil for all.
    func rows(withIDs ids: [NSManagedObjectID], slots: [Int]?) throws -> [StoreRow]

    /// The members of a to-many relationship for each owner, parallel to `owners`; ordered ones in their order, others
    /// in primary-key order. One query for all owners (in chunks of the store's choice).
    func members(of relationship: NSRelationshipDescription, owners: [NSManagedObjectID]) throws
        -> [[NSManagedObjectID]]

    /// The rows of which no object can be made, and the links that no object has.
    ///
    /// - Parameter roots: Only those of these root entities and of their sub-entities; nil for all.
    func strayRows(below roots: Set<String>?) throws -> [StrayRow]

    /// The same store, for reading alone, in the state that it has now; nil where that can't be kept.
    func pinned() throws -> (any StoreBackend)?

    /// The ID of a row, whether or not there is one.
    func objectID(for entity: NSEntityDescription, primaryKey: Int64) -> NSManagedObjectID

    /// Reserves primary keys for new rows of an entity and returns permanent IDs.
    func permanentIDs(for entity: NSEntityDescription, count: Int) throws -> [NSManagedObjectID]

    /// Permanent IDs for new rows of an entity, with the numbers that are wished for as far as no other row has them.
    func permanentIDs(for entity: NSEntityDescription, wishes: [Int64?]) throws -> [NSManagedObjectID]

    /// Permanent IDs for new objects of one entity, in their order.
    func permanentIDs(forNew objects: [NSManagedObject]) throws -> [NSManagedObjectID]

    /// Writes everything in one transaction.
    ///
    /// - Returns: The number of the transaction in the store's history; nil where that has none of it.
    /// - Throws: ``StoreConflict``, ``StoreUniquenessConflict``, or the database's error; then nothing has changed.
    @discardableResult
    func save(_ changes: StoreChanges) throws -> Int64?

    /// Looks for what other processes, and other coordinators of this one, write, until the result goes.
    ///
    /// - Parameter announce: Called on a thread of its own after others' changes, once for several.
    /// - Returns: Nil where nobody else can write.
    func watch(_ announce: @escaping @Sendable () -> Void) -> AnyObject?

    /// Waits for the right to write, and keeps it for the next save or batch.
    ///
    /// - Returns: A number that others' changes to the store change.
    func beginWriting() throws -> Int64

    /// Gives the right to write back where nothing has been saved.
    func endWriting()

    /// Changes rows directly, in one transaction.
    ///
    /// - Throws: ``StoreUniquenessConflict``, `CocoaError` for what the store can't do, or the database's error; then
    ///   nothing has changed.
    func execute(_ batch: StoreBatch) throws -> StoreBatchOutcome

    // The history; see StoreHistory.swift for what a store without one answers.

    var keepsHistory: Bool { get }

    /// The number of the last transaction, whether or not that one is still there; nil without a history.
    func lastTransactionNumber() throws -> Int64?

    /// Transactions in the order of their numbers.
    ///
    /// - Throws: `CocoaError` (`.persistentHistoryTokenExpired`) where some after a number have been deleted.
    func transactions(in range: StoreHistoryRange) throws -> [StoreTransaction]

    /// What transactions have changed, in their order.
    func historyChanges(of transactions: [Int64]) throws -> [StoreHistoryChange]

    /// Deletes transactions and returns their number.
    func deleteTransactions(in range: StoreHistoryRange) throws -> Int
}

extension StoreBackend {
    package func rows(withIDs ids: [NSManagedObjectID]) throws -> [StoreRow] { try rows(withIDs: ids, slots: nil) }

    /// Makes sure that rows are as they were read, without a save.
    ///
    /// - Throws: ``StoreConflict`` for those that others have changed or deleted.
    func checkUnchanged(_ watched: [WatchedRow]) throws {
        if watched.isEmpty { return }
        var found: [RowKey: StoreRow] = [:]
        for row in try rows(withIDs: watched.map(\.objectID)) { found[row.objectID.key] = row }
        let changed = watched.filter { found[$0.objectID.key]?.version != $0.version }
        if changed.isEmpty { return }
        throw StoreConflict(
            rows: changed.map {
                StoreConflict.Row(
                    objectID: $0.objectID, expectedVersion: $0.version, found: found[$0.objectID.key])
            })
    }

    package func pinned() throws -> (any StoreBackend)? { nil }

    // Only a file may hold anything.
    package func strayRows(below roots: Set<String>?) throws -> [StrayRow] { [] }

    // What nobody else can open has nobody to watch or to keep out.
    package func watch(_ announce: @escaping @Sendable () -> Void) -> AnyObject? { nil }
    package func beginWriting() throws -> Int64 { 0 }
    package func endWriting() {}

    package func permanentIDs(for entity: NSEntityDescription, wishes: [Int64?]) throws -> [NSManagedObjectID] {
        try permanentIDs(for: entity, count: wishes.count)
    }

    /// Stores give out numbers; what the objects hold doesn't matter to them.
    package func permanentIDs(forNew objects: [NSManagedObject]) throws -> [NSManagedObjectID] {
        try objects.first.map { try permanentIDs(for: $0.entity, count: objects.count) } ?? []
    }
}
