// Fetching: what the store has, corrected by what this context has changed and not saved.

import Foundation

/// What subclasses override to have a say in every fetch. By this name alone they can be told from those for requests of a type.
private protocol UntypedFetching {
    func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any]
    func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int
}

extension NSManagedObjectContext: UntypedFetching {}

extension NSManagedObjectContext {
    /// Fetches what a request asks for.
    ///
    /// Objects deleted here are left out, changed ones are matched by their current values and inserted ones are added,
    /// unless `includesPendingChanges` is off. Dictionaries show the store only.
    ///
    /// - Throws: `CocoaError` for an unknown entity or a predicate that the store can't run; the store's errors.
    public func fetch<T: NSFetchRequestResult>(_ request: NSFetchRequest<T>) throws -> [T] {
        checkQueue()
        let found: any Collection = try overridable {
            try results(of: request.state, affectedStores: request.affectedStores)
        } overridden: {
            try $0.fetch(request.untyped)
        }
        return request.state.typed(found, as: T.self)
    }

    /// Answers by way of the method that subclasses override, which may come back here by calling super.
    private func overridable<R>(_ answer: () throws -> R, overridden: (any UntypedFetching) throws -> R) rethrows -> R {
        if type(of: self) == NSManagedObjectContext.self || isInOverride { return try answer() }
        isInOverride = true
        defer { isInOverride = false }
        return try overridden(self)
    }

    /// The number of objects that a request would fetch.
    ///
    /// - Throws: As ``fetch(_:)->[T]``.
    public func count<T: NSFetchRequestResult>(for request: NSFetchRequest<T>) throws -> Int {
        try overridable {
            try numberOfObjects(for: request.state, affectedStores: request.affectedStores)
        } overridden: {
            try $0.count(for: request.untyped)
        }
    }

    func numberOfObjects(for request: FetchRequestState, affectedStores: [NSPersistentStore]?) throws -> Int {
        checkQueue()
        return try collectingFaultFailures {
            if request.showsPendingChanges { propagateDeletions() }
            return try count(request, affectedStores: affectedStores)
        }
    }

    /// What a request asks for: an array of objects, IDs or dictionaries, or of one number.
    func results(of request: FetchRequestState, affectedStores: [NSPersistentStore]?) throws -> any Collection {
        try collectingFaultFailures { try readResults(of: request, affectedStores) }
    }

    private func readResults(
        of request: FetchRequestState, _ affectedStores: [NSPersistentStore]?
    ) throws -> any Collection {
        let entity = try entity(of: request)
        if request.includesPendingChanges { takePendingChangesIntoAccount() }
        if request.resultType == .countResultType {
            return [NSNumber(value: try count(request, affectedStores: affectedStores))]
        }
        let stores = requiredCoordinator.stores(for: entity, among: affectedStores)
        if request.resultType == .dictionaryResultType {
            return try dictionaries(request, entity, stores)
        }
        if request.resultType == .managedObjectIDResultType {
            return try fetchIDs(request, entity, stores)
        }
        let objects = try fetchObjects(request, entity, stores)
        if request.shouldRefreshRefetchedObjects { try refetch(objects) }
        try prefetch(request.relationshipKeyPathsForPrefetching ?? [], for: objects)
        if !request.returnsObjectsAsFaults { for object in objects { object.realize() } }
        return objects
    }

    /// Processes the pending changes before a fetch, so that whoever is shown the results has heard of them, and isn't told afterwards of
    /// what he has been given. Not while objects are told of a save, whose changes are processed round by round.
    private func takePendingChangesIntoAccount() {
        // What a deletion takes with it is gone for whoever asks.
        if isPreparingSave { propagateDeletions() } else { processEvent(isCutShort: true) }
    }

    /// The entity of a request in this context's model.
    func entity(of request: FetchRequestState) throws -> NSEntityDescription {
        let model = requiredCoordinator.managedObjectModel
        guard let name = request.entityName else {
            throw CoreDataError.make(.coreData, "A fetch request has no entity. Make it with an entity's name.")
        }
        if let entity = model.entitiesByName[name] {
            request.entity = entity
            return entity
        }
        throw CoreDataError.make(
            .coreData,
            "The model has no entity '\(name)'. It has: \(model.entitiesByName.keys.sorted().joined(separator: ", ")).")
    }

    // MARK: Objects and IDs

    func fetchObjects(
        _ request: FetchRequestState, _ entity: NSEntityDescription, _ stores: [NSPersistentStore]
    ) throws -> [NSManagedObject] {
        let includesPending = request.includesPendingChanges
        return try objects(
            matching: storeQuery(request, entity, in: stores, includesPending: includesPending), in: stores,
            includesPending: includesPending)
    }

    /// The objects that match, this context's unsaved changes included or not.
    func objects(
        matching query: StoreQuery, in stores: [NSPersistentStore], includesPending: Bool
    ) throws -> [NSManagedObject] {
        if let objects = try objects(matchingClosuresOf: query, in: stores, includesPending) { return objects }
        let includesPending = !isAnswered(bySource: query, includesPending: includesPending)
        let isPutTogether = includesPending || stores.count > 1
        let asked = isPutTogether ? widened(query, includesPending: includesPending) : query
        let lists = try requiredSource.rows(matching: asked, in: stores, for: self)
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(lists.reduce(0) { $0 + $1.count })
        for rows in lists { try append(rows, to: &objects) }
        guard isPutTogether else { return objects }
        let current = includesPending ? try overlaid(objects, query, in: stores) : nil
        objects = current ?? objects
        if current != nil || stores.count > 1, !query.sortDescriptors.isEmpty {
            objects = NSSortDescriptor.sorted(objects, by: query.sortDescriptors)
        }
        return Array(objects.dropFirst(query.offset).prefix(query.limit ?? .max))
    }

    /// The objects that match a predicate with closures in a store in memory: closures are shown objects of this context, and a store has
    /// none. Nil for any other query, and for one about what is stored alone where that isn't what the objects have.
    private func objects(
        matchingClosuresOf query: StoreQuery, in stores: [NSPersistentStore], _ includesPending: Bool
    ) throws -> [NSManagedObject]? {
        guard let predicate = query.predicate, predicate.hasClosures, includesPending || !hasUnsavedObjects,
            stores.allSatisfy({ $0.type == NSInMemoryStoreType })
        else { return nil }
        // What the store can do is left to it, which knows what can't be asked.
        let compound = predicate as? NSCompoundPredicate
        let parts = compound?.compoundPredicateType == .and ? compound?.subpredicates ?? [] : [predicate]
        let plain = parts.filter { !$0.hasClosures }
        var rest = query
        rest.predicate = plain.isEmpty ? nil : NSCompoundPredicate(andPredicateWithSubpredicates: plain)
        (rest.limit, rest.offset) = (nil, 0)
        let closures = parts.filter(\.hasClosures)
        let found = try objects(matching: rest, in: stores, includesPending: includesPending).filter { object in
            try closures.allSatisfy { try PredicateEvaluator.finds(object, $0) }
        }
        return Array(found.dropFirst(query.offset).prefix(query.limit ?? .max))
    }

    /// The query that leaves enough to cut the answer from, once what has been changed here is taken out and put in.
    private func widened(_ query: StoreQuery, includesPending: Bool) -> StoreQuery {
        var query = query
        let entities = entities(of: query)
        let changed = includesPending ? updated.count(of: entities) + deleted.count(of: entities) : 0
        query.limit = query.limit.flatMap { limit in
            let (cut, overflow) = limit.addingReportingOverflow(query.offset)
            let (count, isTooMuch) = cut.addingReportingOverflow(changed)
            return overflow || isTooMuch ? nil : count
        }
        query.offset = 0
        return query
    }

    /// Appends the objects for rows that came together.
    func append(_ rows: [StoreRow], to objects: inout [NSManagedObject]) throws {
        for start in stride(from: 0, to: rows.count, by: FetchBatch.limit) {
            let batch = FetchBatch(distance: 0)
            for row in rows[start..<min(start + FetchBatch.limit, rows.count)] {
                objects.append(try object(for: row, in: batch))
            }
        }
    }

    private func fetchIDs(
        _ request: FetchRequestState, _ entity: NSEntityDescription, _ stores: [NSPersistentStore]
    ) throws -> [NSManagedObjectID] {
        let includesPending = request.includesPendingChanges
        return try objectIDs(
            matching: storeQuery(request, entity, in: stores, includesPending: includesPending), in: stores,
            includesPending: includesPending)
    }

    /// The IDs of the objects that match.
    func objectIDs(
        matching query: StoreQuery, in stores: [NSPersistentStore], includesPending: Bool
    ) throws -> [NSManagedObjectID] {
        if stores.count == 1, isAnswered(bySource: query, includesPending: includesPending) {
            return try requiredSource.objectIDs(matching: query, in: stores, for: self).first ?? []
        }
        return try objects(matching: query, in: stores, includesPending: includesPending).map(\.id)
    }

    private func count(_ request: FetchRequestState, affectedStores: [NSPersistentStore]?) throws -> Int {
        let entity = try entity(of: request)
        let stores = requiredCoordinator.stores(for: entity, among: affectedStores)
        if request.resultType == .dictionaryResultType {
            // Rows that become one dictionary count once.
            let selection = try SelectionBuilder(entity: entity).selection(of: request)
            if selection.isGrouped || selection.isDistinct { return try dictionaries(request, entity, stores).count }
        }
        let includesPending = request.showsPendingChanges
        return try count(
            matching: storeQuery(request, entity, in: stores, includesPending: includesPending), in: stores,
            includesPending: includesPending)
    }

    /// The number of objects that match.
    func count(matching query: StoreQuery, in stores: [NSPersistentStore], includesPending: Bool) throws -> Int {
        if stores.count == 1, isAnswered(bySource: query, includesPending: includesPending) {
            return try requiredSource.counts(matching: query, in: stores, for: self).first ?? 0
        }
        return try objectIDs(matching: query, in: stores, includesPending: includesPending).count
    }

    /// - Parameter includesPending: Whether unsaved objects count among all rows, where the predicate has a function of these.
    func storeQuery(
        _ request: FetchRequestState, _ entity: NSEntityDescription, in stores: [NSPersistentStore],
        includesPending: Bool = false
    ) throws -> StoreQuery {
        let query = StoreQuery(
            entity: entity, includesSubentities: request.includesSubentities, predicate: request.predicate,
            sortDescriptors: request.sortDescriptors ?? [], limit: request.fetchLimit > 0 ? request.fetchLimit : nil,
            offset: max(0, request.fetchOffset))
        return try resolved(query, in: stores, includesPending: includesPending)
    }

    // MARK: Pending changes

    /// Whether the source's answer stands whatever has changed here.
    func isAnswered(bySource query: StoreQuery, includesPending: Bool) -> Bool {
        // Closures are shown objects of this context, as far as these have what is stored.
        if query.predicate?.hasClosures ?? false, includesPending || !hasUnsavedObjects { return false }
        if !includesPending || !hasUnsavedObjects { return true }
        let entities = entities(of: query)
        if updated.count(of: entities) + deleted.count(of: entities) > 0 { return false }
        if inserted.count(of: entities) == 0 { return true }
        return changes(in: \.inserted, of: entities, RequiredEquality(query.predicate, of: query.entity)).isEmpty
    }

    private var hasUnsavedObjects: Bool { hasAnyChanges || !undeclaredDeletions.isEmpty }

    private func entities(of query: StoreQuery) -> [NSEntityDescription] {
        query.includesSubentities ? query.entity.selfAndDescendants : [query.entity]
    }

    /// The changed objects among what the source found, and those that it could have found with their unsaved values.
    private func pendingObjects(of query: StoreQuery, among stored: [NSManagedObject]) -> [NSManagedObject] {
        let entities = entities(of: query)
        let equality = RequiredEquality(query.predicate, of: query.entity)
        let updated = changes(in: \.updated, of: entities, equality)
        let known = Set(updated.map(ObjectIdentifier.init))
        return changes(in: \.inserted, of: entities, equality) + updated
            + stored.filter { ($0.isUpdated || $0.isDeleted) && !known.contains(ObjectIdentifier($0)) }
    }

    /// The source's answer with the pending changes folded in, in no order; nil where it stands as it is.
    private func overlaid(
        _ stored: [NSManagedObject], _ query: StoreQuery, in stores: [NSPersistentStore]
    ) throws -> [NSManagedObject]? {
        var pending = pendingObjects(of: query, among: stored)
        if stores.count < requiredCoordinator.stores(for: query.entity, among: nil).count {
            pending.removeAll { !isKept($0, in: stores) }
        }
        guard !pending.isEmpty else { return nil }
        let changed = Set(pending.map(ObjectIdentifier.init))
        let result = stored.filter { !changed.contains(ObjectIdentifier($0)) }
        let matching = try pending.filter { object in
            try !object.isDeleted && (query.predicate.map { try PredicateEvaluator.finds(object, $0) } ?? true)
        }
        if matching.count + result.count == stored.count, query.sortDescriptors.isEmpty {
            let known = Set(stored.map(ObjectIdentifier.init))
            // Nobody left and nobody came: the store's order stands.
            if matching.allSatisfy({ known.contains(ObjectIdentifier($0)) }) { return nil }
        }
        return result + matching
    }

    /// Whether an object is in one of some stores, or will be when it is saved.
    func isKept(_ object: NSManagedObject, in stores: [NSPersistentStore]) -> Bool {
        let store = store(of: object)
        return stores.contains { $0 === store }
    }

    /// The store that has an object, or will have it when it is saved; nil where no store takes it, of which saving tells.
    func store(of object: NSManagedObject) -> NSPersistentStore? {
        guard object.id.isTemporaryID else { return object.id.persistentStore }
        var context: NSManagedObjectContext? = self
        while let current = context {
            if let store = current.assignedStores[object.id.key] { return store }
            context = current.parent
        }
        return try? requiredCoordinator.store(forNew: object.entity)
    }

    // MARK: Prefetching

    /// Reads relationships of all objects at once, path component by path component.
    func prefetch(_ keyPaths: [String], for objects: [NSManagedObject]) throws {
        for path in keyPaths {
            var level = objects
            for key in path.split(separator: ".") {
                guard !level.isEmpty else { break }
                level = try prefetch(String(key), for: level)
            }
        }
    }

    private func prefetch(_ key: String, for objects: [NSManagedObject]) throws -> [NSManagedObject] {
        // Many may lead to one, which is gone on from once.
        var destinations = ToManyMembers()
        // Sub-entities may each have a relationship of the name.
        var lists: [(relationship: NSRelationshipDescription, slot: Int, owners: [NSManagedObject])] = []
        for object in objects {
            guard let slot = object.layout.slot(named: key), let found = object.layout.slots[slot].relationship else {
                continue
            }
            object.realize()
            if !found.isToMany {
                if let destination = object.destination(slot) { destinations.append(destination) }
            } else if let list = lists.firstIndex(where: { $0.relationship === found }) {
                lists[list].owners.append(object)
            } else {
                lists.append((found, slot, [object]))
            }
        }
        for (relationship, slot, owners) in lists {
            let unread = owners.filter { $0.values[slot].isRelationshipFault }
            if !unread.isEmpty { try readMembers(of: unread, slot: slot, relationship: relationship) }
            for owner in owners {
                for member in owner.members(slot).objects { destinations.append(member) }
            }
        }
        try loadRows(of: destinations.objects)
        return destinations.objects
    }

    /// The objects with some IDs, in their order, with their rows, which take one question; the missing ones are faults.
    package func objects(with ids: [NSManagedObjectID]) throws -> [NSManagedObject] {
        let objects = ids.map(object(with:))
        try loadRows(of: objects)
        var batches = FaultBatches(distance: 0)
        for object in objects { batches.add(object) }
        return objects
    }

    /// Gets the rows of all faults among some objects, in one question; the missing ones stay faults.
    func loadRows(of objects: [NSManagedObject]) throws {
        var wanted: [NSManagedObjectID] = []
        var seen: Set<RowKey> = []
        for object in objects where object.isFault && !object.state.contains(.hasRow) {
            if seen.insert(object.id.key).inserted { wanted.append(object.id) }
        }
        guard !wanted.isEmpty else { return }
        for row in try requiredSource.rows(withIDs: wanted, for: self) {
            guard let object = registeredObject(for: row.objectID), object.isFault else { continue }
            try Self.requireEntity(of: row, object)
            object.take(row)
        }
    }

    /// Reads the rows of objects that were there before a fetch once more; their unsaved changes stay on top.
    func refetch(_ objects: [NSManagedObject]) throws {
        // What a parent hasn't saved has no version of its own, and perhaps no permanent ID.
        let isPermanent = requiredSource.isPermanent
        let stored = objects.filter {
            !($0.id.isTemporaryID && isPermanent) && !($0.isFault && !$0.state.contains(.hasRow))
        }
        var refreshed: [NSManagedObject] = []
        for row in try requiredSource.rows(withIDs: stored.map(\.id), for: self) {
            guard let object = registeredObject(for: row.objectID), row.version != object.version || !isPermanent
            else { continue }
            try Self.requireEntity(of: row, object)
            object.announcingChanges {
                reload(object, row)
                object.awake(from: .refresh)
            }
            refreshed.append(object)
        }
        post(.NSManagedObjectContextObjectsDidChange, ChangeDigest(refreshed: refreshed))
    }

    // MARK: Dictionaries

    private func dictionaries(
        _ request: FetchRequestState, _ entity: NSEntityDescription, _ stores: [NSPersistentStore]
    ) throws -> [NSDictionary] {
        let selection = try SelectionBuilder(entity: entity).selection(of: request)
        if selection.isGrouped, stores.count > 1 {
            throw CoreDataError.make(
                .persistentStoreUnsupportedRequestType,
                "'\(entity.name ?? "")' is in \(stores.count) stores, whose rows can't be grouped together. Set affectedStores "
                    + "to one of them.")
        }
        var query = try storeQuery(request, entity, in: stores)
        if selection.isGrouped, selection.groups.isEmpty { query.sortDescriptors = [] }
        let merge = stores.count > 1 ? DictionaryMerge(query, selection) : nil
        let found = try requiredSource.dictionaries(
            matching: merge?.partQuery ?? query, selection: merge?.partSelection ?? selection, in: stores, for: self)
        return (merge?.merged(found) ?? found).map { NSDictionary(dictionary: $0) }
    }
}
