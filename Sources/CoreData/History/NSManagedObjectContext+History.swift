// Executing requests for the history. Stores find transactions by number or date; what a fetch request says beyond that is
// applied to what they found.

import Foundation

extension NSManagedObjectContext {
    /// - Throws: `CocoaError`: `.persistentHistoryTokenExpired` where transactions after the token have been deleted,
    ///   `.persistentStoreUnsupportedRequestType` where no store keeps a history.
    func execute(_ request: NSPersistentHistoryChangeRequest) throws -> NSPersistentHistoryResult {
        let all = requiredCoordinator.persistentStores
        let stores = (request.affectedStores ?? all).filter { $0.backend?.keepsHistory ?? false }
        guard !stores.isEmpty else {
            throw CoreDataError.make(
                .persistentStoreUnsupportedRequestType,
                "No store keeps a history. Open a SQLite store with NSPersistentHistoryTrackingKey.")
        }
        if request.isDeletion {
            var count = 0
            for store in stores {
                guard let range = request.range(inStoreWithID: store.identifier ?? "") else { continue }
                count += try requiredCoordinator.performAndWait {
                    try store.requiredBackend.deleteTransactions(in: range)
                }
            }
            return NSPersistentHistoryResult(
                request.resultType == .count ? count as Any : true, request.resultType)
        }
        var found: [NSPersistentHistoryTransaction] = []
        for store in stores { found += try transactions(of: store, request) }
        return NSPersistentHistoryResult(try result(of: found, request), request.resultType)
    }

    private func transactions(
        of store: NSPersistentStore, _ request: NSPersistentHistoryChangeRequest
    ) throws -> [NSPersistentHistoryTransaction] {
        let id = store.identifier ?? ""
        guard let range = request.range(inStoreWithID: id) else { return [] }
        var transactions = try store.requiredBackend.transactions(in: range).map {
            NSPersistentHistoryTransaction($0, storeID: id)
        }
        if let fetch = request.fetchRequest, fetch.entityName != HistoryEntity.change.rawValue {
            transactions = Self.chosen(transactions, fetch.state)
        }
        guard ![.transactionsOnly, .count, .statusOnly].contains(request.resultType) else { return transactions }
        let changes = try store.requiredBackend.historyChanges(of: transactions.map(\.transactionNumber))
        var byTransaction: [Int64: [NSPersistentHistoryChange]] = [:]
        for change in changes {
            byTransaction[change.transactionNumber, default: []].append(NSPersistentHistoryChange(change))
        }
        for transaction in transactions {
            var changes = byTransaction[transaction.transactionNumber] ?? []
            if let fetch = request.fetchRequest, fetch.entityName == HistoryEntity.change.rawValue {
                changes = Self.chosen(changes, fetch.state)
            }
            for change in changes { change.transaction = transaction }
            transaction.changes = changes
        }
        return transactions
    }

    /// What a fetch request leaves of transactions or changes, in its order.
    private static func chosen<T>(_ elements: [T], _ request: FetchRequestState) -> [T] {
        var chosen = elements
        if let predicate = request.predicate { chosen = chosen.filter { predicate.evaluate(with: $0) } }
        if let descriptors = request.sortDescriptors { chosen = NSSortDescriptor.sorted(chosen, by: descriptors) }
        if request.fetchOffset > 0 { chosen.removeFirst(min(request.fetchOffset, chosen.count)) }
        if request.fetchLimit > 0, chosen.count > request.fetchLimit { chosen.removeSubrange(request.fetchLimit...) }
        return chosen
    }

    private func result(
        of transactions: [NSPersistentHistoryTransaction], _ request: NSPersistentHistoryChangeRequest
    ) throws -> Any {
        switch request.resultType {
        case .statusOnly: return true
        case .count: return transactions.count
        case .transactionsOnly, .transactionsAndChanges: return transactions
        case .changesOnly: return transactions.flatMap { $0.changes ?? [] }
        case .objectIDs:
            var seen: Set<NSManagedObjectID> = []
            return transactions.flatMap { $0.changes ?? [] }.map(\.changedObjectID).filter { seen.insert($0).inserted }
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// The place behind the last transaction of each store that keeps a history; nil where none does.
    ///
    /// - Parameter stores: The stores; nil for all of the coordinator's.
    public func currentPersistentHistoryToken(fromStores stores: [NSPersistentStore]?) -> NSPersistentHistoryToken? {
        var numbers: [String: Int64] = [:]
        for store in stores ?? persistentStores {
            // A store that can't be read has no place to tell; whoever reads its history gets the error.
            guard let id = store.identifier, let number = try? store.backend?.lastTransactionNumber() else { continue }
            numbers[id] = number
        }
        return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers: numbers)
    }
}
