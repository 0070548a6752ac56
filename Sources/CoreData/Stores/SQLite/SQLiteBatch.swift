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
                let done = try SQLiteBatch(store: self, db: db, files: files).run(batch.operation)
                try HistoryWriter(db: db)?.append(done.history, origin: batch.origin)
                return StoreBatchOutcome(ids: batch.wantsIDs ? done.ids : [], count: done.ids.count)
            }
        } catch {
            files.discardNew()
            throw error
        }
        files.removeReplaced()
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
        let space = store.space(of: entity)
        var select = try store.select(query)
        select.addKeyOrder()
        let statement = try SQLiteStoreBackend.statement(db, select.statement(columns: "t0.Z_PK, t0.Z_ENT"))
        var entities = EntityLookup(schema: store.schema)
        var ids: [NSManagedObjectID] = []
        while try statement.step() {
            let number = statement.integer(at: 0)
            guard let description = entities.entity(numbered: statement.integer(at: 1)) else {
                throw SQLiteStoreBackend.unknownEntity(statement.integer(at: 1), in: entity.table, row: number)
            }
            ids.append(NSManagedObjectID(entity: description, space: space, number: number))
        }
        return ids
    }

    /// One entry for the rows of each entity, in the order of the entities' numbers.
    func history(_ kind: HistoryWriter.Change.Kind, _ ids: [NSManagedObjectID]) -> [HistoryWriter.Change] {
        let groups = Dictionary(grouping: ids) { store.numbers[ObjectIdentifier($0.entity)] ?? 0 }
        return groups.keys.sorted().map { number in
            HistoryWriter.Change(
                kind: kind, entityNumber: Int(number), keys: (groups[number] ?? []).map(\.number).sorted())
        }
    }

    /// Notes the files of a column's values in some rows, which will be replaced or deleted.
    func release(_ plan: EntityPlan, _ fields: [EntityPlan.Field], keys: [Int64]) throws {
        guard files.folder != nil else { return }
        for field in fields where field.kind.isExternal {
            for chunk in KeyChunks(keys) {
                let statement = try RowStatement(
                    db,
                    "SELECT \(field.column) FROM \(plan.entity.table) WHERE Z_PK IN (\(chunk.marks)) "
                        + "AND LENGTH(\(field.column)) = \(ExternalDataFolder.referenceLength)")
                try chunk.bind(to: statement)
                while try statement.step() { files.release(statement.data(at: 0)) }
            }
        }
    }
}
