// A store's history as a context reads it: transactions and the rows that each has changed.

import Foundation

/// Which transactions.
package enum StoreHistoryRange {
    case all
    /// By the number of a transaction, which isn't among them itself.
    case after(Int64)
    case afterDate(Date)
    case before(Int64)
    case beforeDate(Date)
    /// By their numbers; not more than a statement has parameters for.
    case among([Int64])
}

/// One save or batch.
package struct StoreTransaction {
    package let number: Int64
    package let timestamp: Date
    package let author: String?
    package let contextName: String?
    package let bundleID: String?
    package let processID: String?

    package init(
        number: Int64, timestamp: Date, author: String?, contextName: String?, bundleID: String?, processID: String?
    ) {
        self.number = number
        self.timestamp = timestamp
        self.author = author
        self.contextName = contextName
        self.bundleID = bundleID
        self.processID = processID
    }
}

/// What a transaction has done to one row.
package struct StoreHistoryChange {
    package let number: Int64
    package let transactionNumber: Int64
    package let kind: NSPersistentHistoryChangeType
    package let objectID: NSManagedObjectID
    /// What an update changed, where that is known.
    package var updatedProperties: Set<NSPropertyDescription>?
    /// The kept values of a deleted row by the names of their attributes, where there are any.
    package var tombstone: [AnyHashable: Any]?

    package init(
        number: Int64, transactionNumber: Int64, kind: NSPersistentHistoryChangeType, objectID: NSManagedObjectID,
        updatedProperties: Set<NSPropertyDescription>? = nil, tombstone: [AnyHashable: Any]? = nil
    ) {
        self.number = number
        self.transactionNumber = transactionNumber
        self.kind = kind
        self.objectID = objectID
        self.updatedProperties = updatedProperties
        self.tombstone = tombstone
    }
}

extension StoreBackend {
    /// Stores keep no history unless they say so.
    package var keepsHistory: Bool { false }

    package func lastTransactionNumber() throws -> Int64? { nil }

    package func transactions(in range: StoreHistoryRange) throws -> [StoreTransaction] { [] }

    package func historyChanges(of transactions: [Int64]) throws -> [StoreHistoryChange] { [] }

    package func deleteTransactions(in range: StoreHistoryRange) throws -> Int { 0 }
}
