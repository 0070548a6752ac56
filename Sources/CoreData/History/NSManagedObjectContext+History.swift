// Executing requests for the history. Stores find transactions by number or date; what a fetch request says beyond that is
// applied to what they found.

import Foundation

extension NSManagedObjectContext {
    /// - Throws: `CocoaError`: `.persistentHistoryTokenExpired` where transactions after the token have been deleted,
    ///   `.persistentStoreUnsupportedRequestType` where no store keeps a history, and where a deletion's fetch request is one of
    ///   changes.
    func execute(_ request: NSPersistentHistoryChangeRequest) throws -> NSPersistentHistoryResult {
        let all = requiredCoordinator.persistentStores
        let files = Self.byFile((request.affectedStores ?? all).filter { $0.backend?.keepsHistory ?? false })
        guard !files.isEmpty else {
            throw CoreDataError.make(
                .persistentStoreUnsupportedRequestType,
                "No store keeps a history. Open a SQLite store with NSPersistentHistoryTrackingKey.")
        }
        if request.isDeletion {
            let count = try delete(request, files)
            return NSPersistentHistoryResult(
                request.resultType == .count ? count as Any : true, request.resultType)
        }
        return NSPersistentHistoryResult(try result(of: request, files), request.resultType)
    }

    /// The stores by their files: one that is open under several configurations has one history.
    private static func byFile(_ stores: [NSPersistentStore]) -> [[NSPersistentStore]] {
        var files: [[NSPersistentStore]] = []
        for store in stores {
            // Copies of a file have its UUID, too.
            let file = files.firstIndex {
                $0[0].identifier == store.identifier && $0[0].url?.standardizedFileURL == store.url?.standardizedFileURL
            }
            if let file { files[file].append(store) } else { files.append([store]) }
        }
        return files
    }

    /// Deletes transactions: all that the request names, or those of them that its fetch request chooses. What is wrong with the
    /// request, and that a store can't be written, shows before any store has lost something.
    private func delete(_ request: NSPersistentHistoryChangeRequest, _ files: [[NSPersistentStore]]) throws -> Int {
        if let fetch = request.fetchRequest, fetch.entityName != HistoryEntity.transaction.rawValue {
            throw CoreDataError.make(
                .persistentStoreUnsupportedRequestType,
                "A history is deleted by transactions, and the request to delete it has a fetch request for "
                    + "'\(fetch.entityName ?? "")'. Use NSPersistentHistoryTransaction.fetchRequest.")
        }
        let parts = try files.map { file in
            let store = file.first { !$0.isReadOnly } ?? file[0]
            return (store: store, ranges: try rangesToDelete(request, store))
        }
        for (store, ranges) in parts where store.isReadOnly && !ranges.isEmpty {
            throw NSPersistentStoreCoordinator.readOnly(store)
        }
        var count = 0
        for (store, ranges) in parts {
            for range in ranges {
                count += try requiredCoordinator.performAndWait {
                    try store.requiredBackend.deleteTransactions(in: range)
                }
            }
        }
        return count
    }

    private func rangesToDelete(
        _ request: NSPersistentHistoryChangeRequest, _ store: NSPersistentStore
    ) throws -> [StoreHistoryRange] {
        guard let fetch = request.fetchRequest else {
            return request.range(inStoreWithID: store.identifier ?? "").map { [$0] } ?? []
        }
        if let predicate = fetch.predicate { try Self.checkTokens(of: predicate, [store]) }
        let numbers = try Self.chosen(try stored(in: store, request), fetch.state).map(\.transactionNumber)
        return stride(from: 0, to: numbers.count, by: 500).map {
            .among(Array(numbers[$0..<min($0 + 500, numbers.count)]))
        }
    }

    /// What a request finds in all stores together, where a fetch request's order and limit hold for the whole.
    private func result(of request: NSPersistentHistoryChangeRequest, _ files: [[NSPersistentStore]]) throws -> Any {
        if request.resultType == .statusOnly { return true }
        let choosesChanges = request.fetchRequest?.entityName == HistoryEntity.change.rawValue
        let stores = files.map { $0[0] }
        if let predicate = request.fetchRequest?.predicate { try Self.checkTokens(of: predicate, stores) }
        var transactions = try stores.flatMap { try stored(in: $0, request) }
        if let fetch = request.fetchRequest, !choosesChanges {
            transactions = try Self.chosen(transactions, fetch.state)
        }
        if !choosesChanges, request.resultType == .count { return transactions.count }
        if !choosesChanges, request.resultType == .transactionsOnly { return transactions }
        var changes = try storedChanges(of: transactions, files)
        if let fetch = request.fetchRequest, choosesChanges {
            changes = try Self.chosen(changes, fetch.state)
            // Those that have a chosen change, in the order of the changes.
            var seen: Set<NSPersistentHistoryTransaction> = []
            transactions = changes.compactMap(\.transaction).filter { seen.insert($0).inserted }
        }
        switch request.resultType {
        case .statusOnly: return true
        case .count: return transactions.count
        case .transactionsOnly: return transactions
        case .changesOnly: return changes
        // Observed: on macOS (FreeCoreData's tests), a request for changes gives these alone.
        case .transactionsAndChanges where choosesChanges: return changes
        case .objectIDs:
            var seen: Set<NSManagedObjectID> = []
            return changes.map(\.changedObjectID).filter { seen.insert($0).inserted }
        case .transactionsAndChanges:
            let byTransaction = Dictionary(grouping: changes) { $0.transaction }
            return transactions.map { $0.with(changes: byTransaction[$0] ?? []) }
        }
    }

    private func stored(
        in store: NSPersistentStore, _ request: NSPersistentHistoryChangeRequest
    ) throws -> [NSPersistentHistoryTransaction] {
        let id = store.identifier ?? ""
        guard let range = request.range(inStoreWithID: id) else { return [] }
        return try store.requiredBackend.transactions(in: range).map { NSPersistentHistoryTransaction($0, storeID: id) }
    }

    /// What transactions have changed, in their order.
    private func storedChanges(
        of transactions: [NSPersistentHistoryTransaction], _ files: [[NSPersistentStore]]
    ) throws -> [NSPersistentHistoryChange] {
        var found: [NSPersistentHistoryTransaction: [NSPersistentHistoryChange]] = [:]
        for file in files {
            let own = transactions.filter { $0.storeID == file[0].identifier }
            let byNumber = Dictionary(own.map { ($0.transactionNumber, $0) }) { first, _ in first }
            for change in try storedChanges(of: own.map(\.transactionNumber), in: file) {
                guard let transaction = byNumber[change.transactionNumber] else { continue }
                found[transaction, default: []].append(NSPersistentHistoryChange(change, of: transaction))
            }
        }
        return transactions.flatMap { found[$0] ?? [] }
    }

    /// What transactions of one file have changed, in their order. Each of the stores under which it is open knows its own entities.
    private func storedChanges(of numbers: [Int64], in file: [NSPersistentStore]) throws -> [StoreHistoryChange] {
        if file.count == 1 { return try file[0].requiredBackend.historyChanges(of: numbers) }
        let coordinator = requiredCoordinator
        return try file.flatMap { store in
            try store.requiredBackend.historyChanges(of: numbers).filter {
                coordinator.store(of: $0.objectID.entity, among: file) === store
            }
        }.sorted { ($0.transactionNumber, $0.number) < ($1.transactionNumber, $1.number) }
    }

    /// Refuses tokens in a predicate that are behind no transaction: that of a history's beginning, and those of deleted ones.
    ///
    /// Observed: macOS 15; earlier systems let the beginning be compared with.
    ///
    /// - Throws: `CocoaError` (`.persistentHistoryTokenExpired`).
    private static func checkTokens(of predicate: NSPredicate, _ stores: [NSPersistentStore]) throws {
        var tokens: [NSPersistentHistoryToken] = []
        _ = TreeRewriter { expression, _ in
            guard case .constant(let constant) = expression.node else { return nil }
            if let token = constant.value as? NSPersistentHistoryToken { tokens.append(token) }
            return nil
        }.apply(to: predicate)
        for store in stores {
            for number in tokens.compactMap({ $0.numbers[store.identifier ?? ""] }) {
                // What is behind the transaction before it begins with it, unless that is gone.
                _ = try store.requiredBackend.transactions(in: .after(max(number, .min + 1) - 1))
            }
        }
    }

    /// A change answers `changedEntity` with a name, since it may be asked with the entity of another model of that version.
    private static func namingEntities(_ predicate: NSPredicate) -> NSPredicate {
        func named(_ value: Any) -> Any { (value as? NSEntityDescription)?.name ?? value }
        return TreeRewriter { expression, _ in
            guard case .constant(let constant) = expression.node, let value = constant.value else { return nil }
            let entities = constant.collection?.members.elements.compactMap(\.boxed) ?? [value]
            guard entities.contains(where: { $0 is NSEntityDescription }) else { return nil }
            return NSExpression(forConstantValue: constant.collection == nil ? named(value) : entities.map(named))
        }.apply(to: predicate)
    }

    /// What a fetch request leaves of transactions or changes, in its order.
    private static func chosen<T>(_ elements: [T], _ request: FetchRequestState) throws -> [T] {
        var chosen = elements
        if let predicate = request.predicate.map(Self.namingEntities) {
            chosen = try chosen.filter { try PredicateEvaluator.finds($0, predicate) }
        }
        if let descriptors = request.sortDescriptors { chosen = NSSortDescriptor.sorted(chosen, by: descriptors) }
        if request.fetchOffset > 0 { chosen.removeFirst(min(request.fetchOffset, chosen.count)) }
        if request.fetchLimit > 0, chosen.count > request.fetchLimit { chosen.removeSubrange(request.fetchLimit...) }
        return chosen
    }
}

extension NSPersistentStoreCoordinator {
    /// The place behind some transactions, and behind the last one of each store that isn't among theirs: where others write, too,
    /// what they have written since must not be passed over.
    ///
    /// - Parameter transactions: The numbers by the stores' UUIDs.
    func historyToken(
        of stores: [NSPersistentStore], behind transactions: [String: Int64]
    ) -> NSPersistentHistoryToken? {
        var numbers: [String: Int64] = [:]
        for store in stores {
            guard let id = store.identifier else { continue }
            if let number = transactions[id] {
                numbers[id] = number
            } else if let number = try? store.backend?.lastTransactionNumber() {
                // A store that can't be read has no place to tell; whoever reads its history gets the error.
                numbers[id] = number
            }
        }
        return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers: numbers)
    }
}
