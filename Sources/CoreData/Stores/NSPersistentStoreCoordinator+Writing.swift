// Changing the stores: by saves and by batches. Each store's part is one transaction, and there is none over several stores.

import Foundation
import Synchronization

/// How many batch requests have been executed in this process. No notification tells of them, and contexts don't know what they change.
package enum ExecutedBatches {
    private static let executed = Atomic<Int>(0)

    package static var count: Int { executed.load(ordering: .acquiring) }

    fileprivate static func note() { executed.add(1, ordering: .acquiringAndReleasing) }
}

extension NSPersistentStoreCoordinator {
    /// Writes the changes of one save. Each store's part is one transaction.
    ///
    /// - Parameters:
    ///   - watched: Rows of stores to which the save writes nothing. Before anything is written they have to be as the context read them;
    ///     the others' are looked at in the stores' transactions.
    ///   - partly: Called before an error is thrown, with the stores that were written before the one that refused.
    /// - Returns: The place behind the save in the stores' histories; nil where none of the coordinator's stores keeps one.
    func write(
        _ parts: [(store: NSPersistentStore, backend: any StoreBackend, changes: StoreChanges)],
        watching watched: [(backend: any StoreBackend, rows: [WatchedRow])], partly: ([NSPersistentStore]) -> Void
    ) throws -> NSPersistentHistoryToken? {
        let transactions = try change(parts.map(\.store), partly: partly) { index in
            if index == 0 { for (backend, rows) in watched { try backend.checkUnchanged(rows) } }
            let part = parts[index]
            // What is set while the store is written is for the next save.
            let isDescribed = part.store.hasUnsavedMetadata
            part.store.hasUnsavedMetadata = false
            do {
                return try part.backend.save(part.changes)
            } catch {
                if isDescribed { part.store.hasUnsavedMetadata = true }
                throw error
            }
        }
        return historyToken(of: persistentStores.filter(\.tracksHistory), behind: transactions)
    }

    /// Runs batches in some stores, one transaction a store.
    ///
    /// - Throws: The error of the first store that refuses. Those before it have done what was asked of them.
    func execute(
        _ parts: [(store: NSPersistentStore, batch: StoreBatch)], for context: NSManagedObjectContext
    ) throws -> StoreBatchOutcome {
        defer { ExecutedBatches.note() }
        var outcome = StoreBatchOutcome()
        _ = try change(parts.map(\.store), partly: { _ in }) { index in
            let part = try parts[index].store.backend(for: context).execute(parts[index].batch)
            outcome.ids += part.ids
            outcome.count += part.count
            outcome.isDone = outcome.isDone && part.isDone
            return part.transaction
        }
        return outcome
    }

    /// Changes stores one after the other, and tells of it; of those that have been changed also where a later one refuses.
    ///
    /// - Parameters:
    ///   - partly: Called before an error is thrown, with the stores that have been changed, if any.
    ///   - body: Changes the store at an index, in one transaction, and gives its number in the store's history.
    /// - Returns: These numbers, by the stores' UUIDs.
    private func change(
        _ stores: [NSPersistentStore], partly: ([NSPersistentStore]) -> Void, _ body: (Int) throws -> Int64?
    ) throws -> [String: Int64] {
        var transactions: [String: Int64] = [:]
        var changed: [NSPersistentStore] = []
        // Not under the lock.
        defer { announceChange(of: changed, transactions) }
        do {
            try saveLock.withLock {
                // Before another store has been written.
                for store in stores where store.isReadOnly { throw Self.readOnly(store) }
                do {
                    for (index, store) in stores.enumerated() {
                        transactions[store.identifier ?? ""] = try body(index)
                        changed.append(store)
                    }
                } catch {
                    if !changed.isEmpty { didWrite() }
                    throw error
                }
                didWrite()
            }
        } catch {
            if !changed.isEmpty { partly(changed) }
            throw error
        }
        return transactions
    }

    /// Observed (iOS 18.3): a save that would change a read-only store fails as writing a file without permission does.
    static func readOnly(_ store: NSPersistentStore) -> CocoaError {
        var info: [String: Any] = ["reason": "The store is read-only."]
        info["storeURL"] = store.url
        return CoreDataError.make(
            .fileWriteNoPermission,
            "The store \(store.url?.storeName ?? "in memory") was opened read-only. Open it without "
                + "NSReadOnlyPersistentStoreOption to change it.", userInfo: info)
    }
}
