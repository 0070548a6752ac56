// A custom store as a context asks it: questions in rows become requests, and objects and nodes become rows.

import Foundation

/// Asks a custom store for one context.
final class IncrementalStoreBackend: StoreBackend {
    private let store: NSIncrementalStore
    private let context: NSManagedObjectContext

    init(store: NSIncrementalStore, context: NSManagedObjectContext) {
        self.store = store
        self.context = context
    }

    var metadata: [String: Any] {
        get { store.metadata }
        set { store.metadata = newValue }
    }

    // MARK: Fetching

    /// The objects are read when they are needed.
    func rows(matching query: StoreQuery) throws -> [StoreRow] {
        try objectIDs(query, .managedObjectResultType).map(StoreRow.unread)
    }

    func objectIDs(matching query: StoreQuery) throws -> [NSManagedObjectID] {
        try objectIDs(query, .managedObjectIDResultType)
    }

    private func objectIDs(
        _ query: StoreQuery, _ resultType: NSFetchRequestResultType
    ) throws -> [NSManagedObjectID] {
        try results(of: request(query, resultType)).map { result in
            switch result {
            case let object as NSManagedObject: object.id
            case let id as NSManagedObjectID: id
            default: throw unexpected(result, "objects or IDs")
            }
        }
    }

    func count(matching query: StoreQuery) throws -> Int {
        let results = try results(of: request(query, .countResultType))
        guard let count = results.first as? Int ?? (results.first as? NSNumber)?.intValue else {
            throw unexpected(results, "one number")
        }
        return count
    }

    func dictionaries(matching query: StoreQuery, selection: StoreSelection) throws -> [[String: Any]] {
        let request = request(query, .dictionaryResultType)
        request.propertiesToFetch = selection.columns.map(property)
        request.propertiesToGroupBy = selection.isGrouped ? selection.groups.map(property) : nil
        request.havingPredicate = selection.having
        request.returnsDistinctResults = selection.isDistinct
        return try results(of: request).map { result in
            guard let dictionary = result as? [String: Any] else { throw unexpected(result, "dictionaries") }
            return dictionary
        }
    }

    private func property(_ column: StoreSelection.Column) -> Any {
        if let keyPath = column.keyPath, keyPath == column.name { return keyPath }
        let property = NSExpressionDescription()
        property.name = column.name
        property.expression = column.expression
        property.expressionResultType = column.type
        return property
    }

    private func request(
        _ query: StoreQuery, _ resultType: NSFetchRequestResultType
    ) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = query.entity
        request.includesSubentities = query.includesSubentities
        request.predicate = query.predicate
        request.sortDescriptors = query.sortDescriptors.isEmpty ? nil : query.sortDescriptors
        request.fetchLimit = query.limit ?? 0
        request.fetchOffset = query.offset
        request.resultType = resultType
        request.affectedStores = [store]
        return request
    }

    private func results(of request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
        let results = try store.execute(request, with: context)
        if let array = results as? [Any] { return array }
        if let array = results as? NSArray { return Array(array) }
        throw unexpected(results, "an array")
    }

    private func unexpected(_ found: Any, _ expected: String) -> CocoaError {
        CoreDataError.make(
            .coreData,
            "The store class \(type(of: store)) answers a fetch with \(type(of: found)) where \(expected) are expected. "
                + "Correct its execute(_:with:).")
    }

    // MARK: Objects

    func rows(withIDs ids: [NSManagedObjectID], slots: [Int]?) throws -> [StoreRow] {
        try ids.compactMap { id in
            do {
                return try row(store.newValuesForObject(with: id, with: context))
            } catch let error as CocoaError where error.code == .managedObjectReferentialIntegrity {
                return nil
            }
        }
    }

    private func row(_ node: NSIncrementalStoreNode) throws -> StoreRow {
        let values = try node.objectID.entity.layout.values { try value(of: node, $0, $1) }
        return StoreRow(objectID: node.objectID, version: Int64(truncatingIfNeeded: node.version), values: values)
    }

    private func value(
        of node: NSIncrementalStoreNode, _ slot: Int, _ definition: EntityLayout.Slot
    ) throws -> ManagedValue {
        if definition.isTransient { return node.objectID.entity.layout.defaults[slot] }
        let given = node.value(for: definition.property)
        switch definition.property {
        case is NSRelationshipDescription where definition.isToMany: return .unread(nil)
        case let relationship as NSRelationshipDescription:
            let found =
                try given
                ?? store.newValue(forRelationship: relationship, forObjectWith: node.objectID, with: context)
            if found is NSNull { return .null }
            if let id = found as? NSManagedObjectID { return .objectID(id) }
            if let object = found as? NSManagedObject { return .objectID(object.id) }
            throw wrong(found, relationship, node.objectID, "an object ID")
        case let attribute as NSAttributeDescription:
            guard let given, !(given is NSNull) else { return .null }
            if let value = ManagedValue(boxed: given, for: attribute) { return value }
            throw wrong(given, attribute, node.objectID, "a value of the attribute's type")
        default: return .null
        }
    }

    func members(
        of relationship: NSRelationshipDescription, owners: [NSManagedObjectID]
    ) throws -> [[NSManagedObjectID]] {
        try owners.map { owner in
            let found = try store.newValue(forRelationship: relationship, forObjectWith: owner, with: context)
            let elements: [Any]? =
                switch found {
                case let ids as [NSManagedObjectID]: ids
                case let array as NSArray: Array(array)
                case let set as NSSet: set.allObjects
                case let set as NSOrderedSet: set.array
                case let set as Set<NSManagedObjectID>: Array(set)
                default: nil
                }
            return try (elements ?? [found]).map { element in
                guard let id = element as? NSManagedObjectID else {
                    throw wrong(element, relationship, owner, "an array of object IDs")
                }
                return id
            }
        }
    }

    private func wrong(
        _ found: Any, _ property: NSPropertyDescription, _ id: NSManagedObjectID, _ expected: String
    ) -> CocoaError {
        CoreDataError.make(
            .coreData,
            "The store class \(type(of: store)) gives \(type(of: found)) for \(id.entity.name ?? "").\(property.name) of "
                + "\(id) where \(expected) is expected. Correct it there.")
    }

    // MARK: IDs

    func objectID(for entity: NSEntityDescription, primaryKey: Int64) -> NSManagedObjectID {
        store.newObjectID(for: entity, referenceObject: primaryKey)
    }

    func permanentIDs(forNew objects: [NSManagedObject]) throws -> [NSManagedObjectID] {
        let ids = try store.obtainPermanentIDs(for: objects)
        guard ids.count == objects.count else {
            throw CoreDataError.make(
                .persistentStoreSave,
                "The store class \(type(of: store)) gives \(ids.count) IDs for \(objects.count) objects. Give one for each."
            )
        }
        return ids
    }

    func permanentIDs(for entity: NSEntityDescription, count: Int) throws -> [NSManagedObjectID] {
        throw CoreDataError.make(
            .persistentStoreUnsupportedRequestType,
            "A store of the class \(type(of: store)) gives IDs for objects only.")
    }

    // MARK: Batches

    /// The store gets the request itself, and answers with what the request asks for.
    func execute(_ batch: StoreBatch) throws -> StoreBatchOutcome {
        guard let request = batch.resolvedRequest else { return StoreBatchOutcome(isDone: false) }
        let answer = Self.told(by: try store.execute(request, with: context))
        switch (answer, request.batchAnswer) {
        case (let ids as [NSManagedObjectID], .ids), (let ids as [NSManagedObjectID], .count):
            return StoreBatchOutcome(ids: ids, count: ids.count)
        case (let count as Int, .count): return StoreBatchOutcome(count: count)
        case (let isDone as Bool, .status): return StoreBatchOutcome(isDone: isDone)
        case (_, let wanted):
            throw CoreDataError.make(
                .coreData,
                "The store class \(type(of: store)) answers a \(type(of: request)) with \(type(of: answer)) where "
                    + "\(wanted.rawValue) is expected. Correct its execute(_:with:).")
        }
    }

    /// What an answer tells: stores of clients also answer with a result of their own class.
    private static func told(by answer: Any) -> Any {
        switch answer {
        case let result as NSBatchInsertResult: result.result ?? answer
        case let result as NSBatchUpdateResult: result.result ?? answer
        case let result as NSBatchDeleteResult: result.result ?? answer
        default: answer
        }
    }

    // MARK: Saving

    func save(_ changes: StoreChanges) throws -> Int64? {
        func objects(_ changed: [NSManagedObjectID], _ all: [NSManagedObject]) -> Set<NSManagedObject> {
            let ids = Set(changed.map(\.key))
            return Set(all.filter { ids.contains($0.id.key) })
        }
        let request = NSSaveChangesRequest(
            inserted: objects(changes.inserted.map(\.objectID), context.inserted.objects),
            updated: objects(changes.updated.map(\.objectID), context.updated.objects),
            deleted: objects(changes.deleted.map(\.objectID), context.deleted.objects),
            locked: changes.watched.isEmpty
                ? nil : Set(changes.watched.compactMap { context.registeredObject(for: $0.objectID) }))
        request.affectedStores = [store]
        _ = try store.execute(request, with: context)
        return nil
    }
}

extension StoreBatch {
    /// The request as it was made, but for functions of all rows in its predicate, which have been computed.
    fileprivate var resolvedRequest: NSPersistentStoreRequest? {
        switch (operation, request) {
        case (.update(let query, _), let update as NSBatchUpdateRequest) where query.predicate !== update.predicate:
            let copy = update.copy() as? NSBatchUpdateRequest
            copy?.predicate = query.predicate
            return copy
        case (.delete(let query), let deletion as NSBatchDeleteRequest)
        where query.predicate !== deletion.fetchRequest.state.predicate:
            let fetch = NSFetchRequest<any NSFetchRequestResult>(copying: deletion.fetchRequest.state)
            fetch.predicate = query.predicate
            let copy = NSBatchDeleteRequest(fetchRequest: fetch)
            copy.resultType = deletion.resultType
            copy.affectedStores = deletion.affectedStores
            return copy
        default: return request
        }
    }
}

extension NSPersistentStoreRequest {
    fileprivate enum BatchAnswer: String {
        case status = "a Bool"
        case ids = "an array of object IDs"
        case count = "a number"
    }

    /// What the result of a batch request shall tell.
    fileprivate var batchAnswer: BatchAnswer {
        switch self {
        case let insertion as NSBatchInsertRequest:
            insertion.resultType == .objectIDs ? .ids : insertion.resultType == .count ? .count : .status
        case let update as NSBatchUpdateRequest:
            update.resultType == .updatedObjectIDsResultType
                ? .ids : update.resultType == .updatedObjectsCountResultType ? .count : .status
        case let deletion as NSBatchDeleteRequest:
            deletion.resultType == .resultTypeObjectIDs
                ? .ids : deletion.resultType == .resultTypeCount ? .count : .status
        default: .status
        }
    }
}
