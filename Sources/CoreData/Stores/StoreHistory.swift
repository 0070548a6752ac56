// A store's history as a context reads it: transactions and the rows that each has changed.

import Foundation

/// Which transactions.
enum StoreHistoryRange {
    case all
    /// By the number of a transaction, which isn't among them itself.
    case after(Int64)
    case afterDate(Date)
    case before(Int64)
    case beforeDate(Date)
}

/// One save or batch.
struct StoreTransaction {
    let number: Int64
    let timestamp: Date
    let author: String?
    let contextName: String?
    let bundleID: String?
    let processID: String?
}

/// What a transaction has done to one row.
struct StoreHistoryChange {
    let number: Int64
    let transactionNumber: Int64
    let kind: NSPersistentHistoryChangeType
    let objectID: NSManagedObjectID
    /// What an update changed, where that is known.
    var updatedProperties: Set<NSPropertyDescription>?
    /// The kept values of a deleted row by the names of their attributes, where there are any.
    var tombstone: [AnyHashable: Any]?
}

extension StoreBackend {
    /// Stores keep no history unless they say so.
    var keepsHistory: Bool { false }

    func lastTransactionNumber() throws -> Int64? { nil }

    func transactions(in range: StoreHistoryRange) throws -> [StoreTransaction] { [] }

    func historyChanges(of transactions: [Int64]) throws -> [StoreHistoryChange] { [] }

    func deleteTransactions(in range: StoreHistoryRange) throws -> Int { 0 }
}
