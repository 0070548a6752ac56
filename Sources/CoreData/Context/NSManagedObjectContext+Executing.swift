// Requests that go to the stores as they are: fetches, batches, the history.

import Foundation

extension NSManagedObjectContext {
    func result(of request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        checkQueue()
        switch request {
        case let insertion as NSBatchInsertRequest: return try execute(insertion)
        case let update as NSBatchUpdateRequest: return try execute(update)
        case let deletion as NSBatchDeleteRequest: return try execute(deletion)
        case let history as NSPersistentHistoryChangeRequest: return try execute(history)
        default:
            if let result = try fetch(request) { return result }
            throw CoreDataError.make(
                .persistentStoreUnsupportedRequestType,
                "A context can't execute a \(type(of: request)). It takes fetch requests, batch requests and requests for "
                    + "the persistent history.")
        }
    }

    private func fetch(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult? {
        guard let state = request.fetchState else { return nil }
        do {
            let results = try results(of: state, affectedStores: request.affectedStores)
            return request.finish(.success(results), in: self)
        } catch {
            // Whoever gave a closure learns of it there as well.
            _ = request.finish(.failure(error), in: self)
            throw error
        }
    }

    // MARK: Batches

    private func execute(_ request: NSBatchInsertRequest) throws -> NSBatchInsertResult {
        let entity = try entity(named: request.entityName)
        guard !entity.isAbstract else {
            throw CoreDataError.make(
                .coreData, "The entity '\(request.entityName)' is abstract. Insert rows of one of its sub-entities.")
        }
        let policy = (mergePolicy as? NSMergePolicy ?? .error).mergeType
        let rows = BatchRows(entity: entity, request: request)
        let insertion = StoreBatchInsertion(entity: entity, policy: policy, next: { try rows.next() })
        let outcome = try execute(
            .insert(insertion), request, wantsIDs: request.resultType == .objectIDs,
            in: [try store(forNew: entity, among: request.affectedStores)])
        return NSBatchInsertResult(outcome, request.resultType)
    }

    private func execute(_ request: NSBatchUpdateRequest) throws -> NSBatchUpdateResult {
        let entity = try entity(named: request.entityName)
        let stores = requiredCoordinator.stores(for: entity, among: request.affectedStores)
        let written = StoreQuery(
            entity: entity, includesSubentities: request.includesSubentities, predicate: request.predicate)
        let query = try resolved(written, in: stores, includesPending: false)
        let assignments = try BatchAssignments(entity: entity).assignments(of: request.propertiesToUpdate ?? [:])
        let outcome = try execute(
            .update(query, assignments), request, wantsIDs: request.resultType == .updatedObjectIDsResultType,
            in: stores)
        return NSBatchUpdateResult(outcome, request.resultType)
    }

    private func execute(_ request: NSBatchDeleteRequest) throws -> NSBatchDeleteResult {
        let state = request.fetchRequest.state
        let wantsIDs = request.resultType == .resultTypeObjectIDs
        let affected = request.affectedStores ?? request.fetchRequest.affectedStores
        if let ids = request.objectIDs {
            let rows = try storedIDs(ids)
            let stores = requiredCoordinator.persistentStores.filter { store in
                affected?.contains { $0 === store } ?? true
            }
            let parts = stores.map { store in
                (store: store, rows: rows.filter { $0.persistentStore === store })
            }
            let outcome = try execute(
                parts.filter { !$0.rows.isEmpty }.map { (store: $0.store, operation: .deleteObjects($0.rows)) },
                request, wantsIDs: wantsIDs)
            return NSBatchDeleteResult(outcome, request.resultType)
        }
        let entity = try entity(of: state)
        let stores = requiredCoordinator.stores(for: entity, among: affected)
        let outcome = try execute(
            .delete(storeQuery(state, entity, in: stores)), request, wantsIDs: wantsIDs, in: stores)
        return NSBatchDeleteResult(outcome, request.resultType)
    }

    /// The IDs by which the coordinator's stores know some rows, each once.
    ///
    /// - Throws: `CocoaError` for an object that none of the stores can have.
    private func storedIDs(_ ids: [NSManagedObjectID]) throws -> [NSManagedObjectID] {
        let coordinator = requiredCoordinator, stores = coordinator.persistentStores
        var seen: Set<RowKey> = []
        return try ids.compactMap { given in
            let id = permanentID(for: given) ?? given
            let isOwn = stores.contains { $0 === id.persistentStore }
            // Another coordinator has other IDs for the same rows, and so had this one before it has opened the store again.
            let own = isOwn ? id : coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
            guard let own else { throw Self.notStored(id) }
            return seen.insert(own.key).inserted ? own : nil
        }
    }

    private static func notStored(_ id: NSManagedObjectID) -> CocoaError {
        let reason =
            id.isTemporaryID
            ? "It hasn't been saved. Save its context first, or delete it there."
            : "No store of the coordinator has that UUID and the entity. Add the store, or leave the ID out."
        return CoreDataError.make(
            .managedObjectReferentialIntegrity,
            "A batch can't delete the object \(id.uriRepresentation().absoluteString). \(reason)",
            userInfo: [NSAffectedObjectsErrorKey: [id]])
    }

    private func execute(
        _ operation: StoreBatch.Operation, _ request: NSPersistentStoreRequest, wantsIDs: Bool,
        in stores: [NSPersistentStore]
    ) throws -> StoreBatchOutcome {
        try execute(stores.map { (store: $0, operation: operation) }, request, wantsIDs: wantsIDs)
    }

    private func execute(
        _ parts: [(store: NSPersistentStore, operation: StoreBatch.Operation)], _ request: NSPersistentStoreRequest,
        wantsIDs: Bool
    ) throws -> StoreBatchOutcome {
        let origin = batchOrigin
        let batches = parts.map { part in
            let batch = StoreBatch(
                operation: part.operation, wantsIDs: wantsIDs, origin: origin, request: request)
            return (store: part.store, batch: batch)
        }
        do {
            return try requiredCoordinator.execute(batches, for: self)
        } catch let conflict as StoreUniquenessConflict {
            throw NSMergePolicy.constraintError([constraintConflict(conflict)], of: conflict.entity)
        }
    }

    /// Who a batch is by: the root executes it, so the history names the author and the name that the context has, or else the nearest
    /// one above it that has them.
    private var batchOrigin: StoreOrigin {
        let own = origin
        guard let parentContext, own.author == nil || own.contextName == nil else { return own }
        let above = parentContext.onQueue { parentContext.batchOrigin }
        return StoreOrigin(author: own.author ?? above.author, contextName: own.contextName ?? above.contextName)
    }

    private func store(
        forNew entity: NSEntityDescription, among wanted: [NSPersistentStore]?
    ) throws -> NSPersistentStore {
        let coordinator = requiredCoordinator
        guard let wanted else { return try coordinator.store(forNew: entity) }
        let fitting = coordinator.stores(for: entity, among: wanted).first {
            !$0.isReadOnly && coordinator.isConfigured($0, for: entity)
        }
        if let fitting { return fitting }
        throw CoreDataError.make(
            .persistentStoreUnsupportedRequestType,
            "A batch insertion of '\(entity.name ?? "")' names affectedStores of which none has that entity in its configuration and can be "
                + "written. Name one that does, or none.")
    }

    private func entity(named name: String) throws -> NSEntityDescription {
        let state = FetchRequestState()
        state.name = name
        return try entity(of: state)
    }
}
