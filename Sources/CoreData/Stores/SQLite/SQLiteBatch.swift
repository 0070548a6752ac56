// Batches in the SQLite store: one transaction each, with their entry in the history. What they insert, update and delete
// is in SQLiteBatchInsert.swift, SQLiteBatchUpdate.swift and SQLiteBatchDelete.swift.

import Foundation
import GRDB

extension SQLiteStoreBackend {
    func execute(_ batch: StoreBatch) throws -> StoreBatchOutcome {
        try requireWritable()
        let files = ExternalFiles(folder: external)
        let outcome: StoreBatchOutcome
        do {
            outcome = try writing { db in
                let history = try HistoryWriter(db: db)
                let done = try SQLiteBatch(store: self, db: db, files: files, history: history).run(batch.operation)
                let transaction = try history?.append(done.history, origin: batch.origin)
                try files.synchronizeFolder()
                return StoreBatchOutcome(
                    ids: batch.wantsIDs ? done.ids : [], count: done.ids.count, transaction: transaction)
            }
        } catch {
            files.discardNew()
            throw error
        }
        removeSuperfluous(files.replaced)
        return outcome
    }
}

/// One batch inside its transaction.
struct SQLiteBatch {
    /// What a batch has done.
    struct Done {
        /// The rows that the request names.
        var ids: [NSManagedObjectID] = []
        var history: [HistoryWriter.Change] = []
    }

    let store: SQLiteStoreBackend
    let db: Database
    let files: ExternalFiles
    /// Nil where the store keeps none.
    let history: HistoryWriter?

    func run(_ operation: StoreBatch.Operation) throws -> Done {
        switch operation {
        case .insert(let insertion): try SQLiteBatchInsert(insertion, batch: self).run()
        case .update(let query, let assignments): try update(query, assignments)
        case .delete(let query): try SQLiteBatchDelete(batch: self).run(try ids(matching: query))
        case .deleteObjects(let ids):
            try SQLiteBatchDelete(batch: self).run(
                try store.rows(withIDs: ids, db).map(\.objectID).sorted(by: Self.order))
        }
    }

    private static func order(_ a: NSManagedObjectID, _ b: NSManagedObjectID) -> Bool {
        (a.entity.name ?? "", a.number) < (b.entity.name ?? "", b.number)
    }

    /// The rows that match, read in the batch's own transaction.
    func ids(matching query: StoreQuery) throws -> [NSManagedObjectID] {
        let entity = try store.sqlEntity(query.entity)
        var select = try store.select(query)
        select.addKeyOrder()
        let statement = try SQLiteStoreBackend.statement(db, select.statement(columns: "t0.Z_PK, t0.Z_ENT"))
        var kinds = KindLookup(store, table: entity)
        var ids: [NSManagedObjectID] = []
        while try statement.step() {
            let number = try statement.integer(at: 0, of: "\(entity.table).Z_PK")
            let entityNumber = try statement.integer(at: 1, of: "\(entity.table).Z_ENT of row \(number)")
            guard let kind = kinds.kind(ofEntity: entityNumber) else {
                throw SQLiteStoreBackend.unknownEntity(entityNumber, in: entity.table, row: number)
            }
            // They come in the order of their keys.
            if ids.last?.number == number { throw SQLiteStoreBackend.keyTwice(number, in: entity.table) }
            ids.append(NSManagedObjectID(kind, number: number))
        }
        return ids
    }

    /// One entry for the updated rows of each entity, in the order of the entities' numbers.
    ///
    /// - Parameter rows: The rows with the names of the properties that were set.
    func updates(_ rows: [NSManagedObjectID: Set<String>]) -> [HistoryWriter.Change] {
        if history == nil { return [] }
        let groups = Dictionary(grouping: rows) { store.numbers[ObjectIdentifier($0.key.entity)] ?? 0 }
        return groups.keys.sorted().map { number in
            let rows = (groups[number] ?? []).sorted { $0.key.number < $1.key.number }
            return HistoryWriter.Change(
                kind: .update, entityNumber: Int(number), keys: rows.map(\.key.number),
                details: rows.map { $0.value.sorted().map { HistoryDetail(property: $0) } })
        }
    }

    /// Notes the files of a column's values in some rows, which will be replaced or deleted.
    func release(_ plan: EntityPlan, _ fields: [EntityPlan.Field], keys: [Int64]) throws {
        guard files.folder != nil else { return }
        for field in fields where field.kind.isExternal {
            for chunk in KeyChunks(keys) {
                let statement = try RowStatement(
                    db,
                    "SELECT \(field.column) FROM \(plan.entity.table) WHERE Z_PK \(chunk.test) "
                        + "AND LENGTH(\(field.column)) = \(ExternalDataFolder.referenceLength)")
                try chunk.bind(to: statement)
                while try statement.step() { files.release(statement.data(at: 0)) }
            }
        }
    }
}
