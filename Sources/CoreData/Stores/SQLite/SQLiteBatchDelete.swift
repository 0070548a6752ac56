// What a batch deletion does in SQLite.

import Foundation
import GRDB

/// The deletions of one batch, and what the history says of them.
final class SQLiteBatchDelete: BatchDeletionWriter {
    private let batch: SQLiteBatch
    private var store: SQLiteStoreBackend { batch.store }
    private var deletions: [HistoryWriter.Change] = []

    init(batch: SQLiteBatch) { self.batch = batch }

    func run(_ ids: [NSManagedObjectID]) throws -> SQLiteBatch.Done {
        let cleared = try BatchDeletion(self).run(ids)
        return SQLiteBatch.Done(ids: ids, history: batch.updates(cleared) + deletions)
    }

    let clearsFirst = false

    func plan(of entity: NSEntityDescription) throws -> EntityPlan { try store.plan(of: entity) }

    func destinations(
        of relationship: EntityPlan.Relationship, _ keys: [Int64], _ plan: EntityPlan
    ) throws -> [NSManagedObjectID] {
        var kinds = KindLookup(store)
        var ids: [NSManagedObjectID] = []
        for chunk in KeyChunks(keys) {
            let statement = try RowStatement(
                batch.db, relationship.destinations(of: plan.entity, keys: chunk.test))
            try chunk.bind(to: statement)
            while try statement.step() {
                // A row of an entity that the store's configuration doesn't have is nobody's here.
                guard let kind = kinds.kind(ofEntity: statement.integer(at: 1)) else { continue }
                ids.append(NSManagedObjectID(kind, number: statement.integer(at: 0)))
            }
        }
        return ids
    }

    func delete(_ group: BatchDeletion.Group) throws {
        let kept = try batch.history?.tombstones(of: group.plan, keys: group.keys) ?? []
        deletions.append(
            HistoryWriter.Change(
                kind: .deletion, entityNumber: group.plan.entity.number, keys: group.keys, details: kept))
        try batch.release(group.plan, group.plan.fields, keys: group.keys)
        for chunk in KeyChunks(group.keys) {
            try run("DELETE FROM \(group.plan.entity.table) WHERE Z_PK \(chunk.test)", chunk)
        }
    }

    private func run(_ sql: String, _ chunk: KeyChunks.Chunk) throws {
        let statement = try RowStatement(batch.db, sql)
        try chunk.bind(to: statement)
        try statement.run()
    }

    func deletePairs(_ join: SQLJoin, _ keys: [Int64]) throws {
        for chunk in KeyChunks(keys) {
            try run("DELETE FROM \(join.table) WHERE \(join.ownerColumn) \(chunk.test)", chunk)
            if join.isReflexive {
                try run("DELETE FROM \(join.table) WHERE \(join.memberColumn) \(chunk.test)", chunk)
            }
        }
    }

    func clear(
        _ columns: [String], of destination: SQLEntity, table: String, keys: [Int64]
    ) throws -> [NSManagedObjectID] {
        var kinds = KindLookup(store)
        let emptied = columns.map { "\($0) = NULL" }.joined(separator: ", ")
        var ids: [NSManagedObjectID] = []
        for chunk in KeyChunks(keys) {
            let statement = try RowStatement(
                batch.db,
                "UPDATE \(table) SET \(emptied), \(RowVersion.countingUp) WHERE \(columns[0]) \(chunk.test) "
                    + "RETURNING Z_PK, Z_ENT")
            try chunk.bind(to: statement)
            while try statement.step() {
                guard let kind = kinds.kind(ofEntity: statement.integer(at: 1)) else { continue }
                ids.append(NSManagedObjectID(kind, number: statement.integer(at: 0)))
            }
        }
        return ids
    }

    func remaining(_ ids: [NSManagedObjectID]) throws -> NSManagedObjectID? {
        try store.rows(withIDs: ids, batch.db).first?.objectID
    }
}
