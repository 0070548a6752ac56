// Batch requests as a store gets them: changes of rows that no context has made objects of. Only stores in SQL have such
// a short cut (Stores/SQLite/SQLiteBatch.swift); stores of the application get the request itself.

import Foundation

/// A change of many rows, written in one transaction, or not at all.
package struct StoreBatch {
    package enum Operation {
        case insert(StoreBatchInsertion)
        case update(StoreQuery, [StoreBatchAssignment])
        case delete(StoreQuery)
        case deleteObjects([NSManagedObjectID])
    }

    package var operation: Operation
    /// Whether the outcome has to name the rows.
    package var wantsIDs = false
    package var origin = StoreOrigin()
    /// As it was asked for; nil where no context has asked.
    package var request: NSPersistentStoreRequest?
}

/// New rows of one entity.
package struct StoreBatchInsertion {
    /// A row: all slots, the model's defaults among them, and which of them were given.
    package struct Row {
        package var values: SlotValues
        package var given: SlotSet
    }

    package let entity: NSEntityDescription
    /// What becomes of a row that a uniqueness constraint has room for only once.
    package let policy: NSMergePolicyType
    /// The next row; nil behind the last one.
    package let next: () throws -> Row?
}

/// What an attribute becomes.
package struct StoreBatchAssignment {
    package enum Value {
        case constant(ManagedValue)
        /// Computed from the row as it was before.
        case expression(NSExpression)
    }

    /// The name of the slot: an element of a composite attribute has the path that leads to it.
    package let name: String
    package let attribute: NSAttributeDescription
    package let value: Value

    package init(name: String? = nil, attribute: NSAttributeDescription, value: Value) {
        self.name = name ?? attribute.name
        self.attribute = attribute
        self.value = value
    }
}

/// What a batch has done.
package struct StoreBatchOutcome {
    /// The rows that the request names: inserted (or, under a merge policy, updated instead), updated, deleted. What
    /// delete rules did beyond that isn't among them. Empty unless asked for.
    package var ids: [NSManagedObjectID] = []
    /// The number of those rows.
    package var count = 0
    /// Whether all stores say that they have done it.
    package var isDone = true
    /// The number of the transaction in the store's history; nil where that has none of it.
    package var transaction: Int64?

    package init(ids: [NSManagedObjectID] = [], count: Int = 0, isDone: Bool = true, transaction: Int64? = nil) {
        self.ids = ids
        self.count = count
        self.isDone = isDone
        self.transaction = transaction
    }
}

extension StoreBackend {
    /// As on Apple's platforms, a store without SQL has no batches.
    package func execute(_ batch: StoreBatch) throws -> StoreBatchOutcome {
        throw CoreDataError.make(
            .persistentStoreUnsupportedRequestType,
            "Batch requests need a SQLite store. Change the objects in a context and save it, or open a SQLite store (at "
                + "/dev/null for one in memory).")
    }
}
