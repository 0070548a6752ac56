// The store in memory: rows by primary key, predicates by evaluation. Stores/SQLite answers the same questions in SQL; the
// two must agree, which the store suite and the random predicates in the tests hold them to.

import Foundation

final class InMemoryStoreBackend: StoreBackend {
    /// The rows of a root entity and its sub-entities.
    private final class Table {
        let space: RowSpace
        var rows: [Int64: StoredRow] = [:]
        var lastKey: Int64 = 0

        init(space: RowSpace) { self.space = space }

        var sortedRows: [StoredRow] { rows.keys.sorted().compactMap { rows[$0] } }
    }

    private let lock = NSRecursiveLock()
    private var tables: [ObjectIdentifier: Table] = [:]
    private var storedMetadata: [String: Any]
    private let model: NSManagedObjectModel
    private weak var store: NSPersistentStore?
    private let derived: DerivedAttributes
    /// For the constraints under which rows have been written.
    var uniqueRows: [UniqueRows] = []

    init(model: NSManagedObjectModel, store: NSPersistentStore) {
        self.model = model
        self.store = store
        derived = DerivedAttributes(model)
        let identifier = UUID().uuidString
        storedMetadata = [
            NSStoreTypeKey: NSInMemoryStoreType, NSStoreUUIDKey: identifier,
            NSStoreModelVersionHashesKey: model.entityVersionHashesByName,
        ]
        for entity in model.entities where entity.superentity == nil {
            tables[ObjectIdentifier(entity)] = Table(space: RowSpace(storeIdentifier: identifier, store: store))
        }
    }

    var metadata: [String: Any] {
        get { lock.withLock { storedMetadata } }
        set { lock.withLock { describe(newValue) } }
    }

    /// Replaces the metadata, but for what describes the store itself. A UUID that they have is the store's from then on.
    private func describe(_ metadata: [String: Any]) {
        var described = metadata
        for key in [NSStoreTypeKey, NSStoreModelVersionHashesKey] { described[key] = storedMetadata[key] }
        if let identifier = metadata[NSStoreUUIDKey] as? String, !identifier.isEmpty {
            for table in tables.values { table.space.storeIdentifier = identifier }
        } else {
            described[NSStoreUUIDKey] = storedMetadata[NSStoreUUIDKey]
        }
        storedMetadata = described
    }

    // MARK: Reading

    func rows(matching query: StoreQuery) throws -> [StoreRow] {
        try checkKeys(of: query)
        return try evaluating { matches(query, $0).map(\.row) }
    }

    func objectIDs(matching query: StoreQuery) throws -> [NSManagedObjectID] {
        try checkKeys(of: query)
        return try evaluating { matches(query, $0).map(\.id) }
    }

    func count(matching query: StoreQuery) throws -> Int {
        try checkKeys(of: query)
        return try evaluating { matches(query, $0).count }
    }

    func dictionaries(matching query: StoreQuery, selection: StoreSelection) throws -> [[String: Any]] {
        try checkKeys(of: query, selection: selection)
        return try evaluating { failure in
            DictionaryRows(query: query, selection: selection, failure: failure)
                .dictionaries(of: matches(unordered(query), failure))
        }
    }

    /// The same rows, all of them, in the order of their keys.
    private func unordered(_ query: StoreQuery) -> StoreQuery {
        StoreQuery(
            entity: query.entity, includesSubentities: query.includesSubentities, predicate: query.predicate)
    }

    func rows(withIDs ids: [NSManagedObjectID], slots: [Int]?) throws -> [StoreRow] {
        lock.withLock { ids.compactMap { storedRow($0)?.row } }
    }

    func members(
        of relationship: NSRelationshipDescription, owners: [NSManagedObjectID]
    ) throws -> [[NSManagedObjectID]] {
        lock.withLock {
            owners.map { id in
                guard let row = storedRow(id), let slot = row.layout.slot(named: relationship.name) else { return [] }
                let members = row.orderedMembers(slot)
                // Without an inverse nothing takes a deleted member out.
                return row.layout.keptInverses[slot] == nil ? members.filter { storedRow($0) != nil } : members
            }
        }
    }

    func storedRow(_ id: NSManagedObjectID) -> StoredRow? { table(id.entity)?.rows[id.number] }

    private func table(_ entity: NSEntityDescription) -> Table? { tables[ObjectIdentifier(entity.rootEntity)] }

    /// - Throws: `CocoaError` (`.persistentStoreOperation`) for what can't be evaluated, as a SQLite store does.
    private func evaluating<T>(_ body: (EvaluationFailure) -> T) throws -> T {
        let failure = EvaluationFailure()
        let result = lock.withLock { body(failure) }
        do {
            try failure.check()
        } catch {
            throw CoreDataError.make(.persistentStoreOperation, "\(error)")
        }
        return result
    }

    private func matches(_ query: StoreQuery, _ failure: EvaluationFailure? = nil) -> [StoredRow] {
        var rows = (table(query.entity)?.sortedRows ?? []).filter { row in
            query.includesSubentities ? row.id.entity.isKindOf(entity: query.entity) : row.id.entity === query.entity
        }
        if let predicate = query.predicate {
            rows = rows.filter {
                PredicateEvaluator.matches(predicate, in: EvaluationScope(object: $0, isFetch: true, failure: failure))
            }
        }
        if !query.sortDescriptors.isEmpty { rows = NSSortDescriptor.sorted(rows, by: query.sortDescriptors) }
        if query.offset > 0 { rows.removeFirst(min(query.offset, rows.count)) }
        if let limit = query.limit, rows.count > limit { rows.removeSubrange(limit...) }
        return rows
    }

    // MARK: Identity

    func objectID(for entity: NSEntityDescription, primaryKey: Int64) -> NSManagedObjectID {
        guard let table = table(entity) else {
            fatalError("The entity '\(entity.name ?? "")' isn't one of the store's model.")
        }
        // An existing row knows its own entity, which may be a sub-entity of the one asked for.
        return lock.withLock { table.rows[primaryKey]?.id }
            ?? NSManagedObjectID(entity: entity, space: table.space, number: primaryKey)
    }

    func permanentIDs(for entity: NSEntityDescription, count: Int) throws -> [NSManagedObjectID] {
        lock.withLock {
            guard let table = table(entity) else { return [] }
            let first = table.lastKey + 1
            table.lastKey += Int64(count)
            let kind = ObjectKind(entity, table.space)
            return (0..<Int64(count)).map { NSManagedObjectID(kind, number: first + $0) }
        }
    }

    // MARK: Writing

    @discardableResult
    func save(_ changes: StoreChanges) throws -> Int64? {
        try lock.withLock {
            try checkVersions(changes)
            let inserted = try changes.inserted.map { ($0, try stored($0.values, $0.objectID)) }
            let updated = try changes.updated.map { ($0, try stored($0.values, $0.objectID)) }
            try checkUniqueness(changes)
            let before = (changes.deleted + changes.updated).compactMap { storedRow($0.objectID) }
            let followers = derived.followers(of: before)
            for rows in uniqueRows { for row in before { rows.remove(row.id, row.values) } }
            for change in changes.deleted { delete(change.objectID) }
            for (change, values) in inserted { insert(change, values) }
            for (change, values) in updated { update(change, values) }
            for change in changes.inserted { linkDestinations(change.objectID) }
            for change in changes.inserted { linkMembers(change) }
            for change in changes.updated { for relation in change.relations { apply(relation, to: change.objectID) } }
            if derived.isEmpty, uniqueRows.isEmpty { return nil }
            let written = (changes.inserted + changes.updated).compactMap { storedRow($0.objectID) }
            for rows in uniqueRows { for row in written { rows.add(row.id, row.values) } }
            derived.compute(written: written, followers: followers.union(derived.followers(of: written))) {
                matches(StoreQuery(entity: $0))
            }
            return nil
        }
    }

    private func checkVersions(_ changes: StoreChanges) throws {
        let expected = (changes.updated + changes.deleted).map { ($0.objectID, $0.version) }
        let watched = changes.watched.map { ($0.objectID, $0.version) }
        let conflicts =
            (expected + watched).compactMap { id, version -> StoreConflict.Row? in
                let row = storedRow(id)
                if row?.version == version { return nil }
                return StoreConflict.Row(objectID: id, expectedVersion: version, found: row?.row)
            } + changes.linked.filter { storedRow($0) == nil }.map(StoreConflict.Row.init(missing:))
        if !conflicts.isEmpty { throw StoreConflict(rows: conflicts) }
    }

    /// A row from elsewhere.
    struct LoadedRow {
        let objectID: NSManagedObjectID
        var version: Int64 = 1
        let values: SlotValues
        /// The members of the to-many relationships of which they are known.
        let members: [Int: [NSManagedObjectID]]
    }

    /// Puts other rows into the place of all that there are. A to-many relationship has what is loaded, and what leads to its owner.
    func load(_ rows: [LoadedRow]) throws {
        let loaded = try rows.map { ($0, try stored($0.values, $0.objectID)) }
        lock.withLock {
            for table in tables.values { table.rows.removeAll() }
            uniqueRows = []
            for (loaded, values) in loaded {
                let row = StoredRow(id: loaded.objectID, version: loaded.version, values: values, backend: self)
                row.members = loaded.members.mapValues { StoredMembers($0) }
                table(row.id.entity)?.rows[row.id.number] = row
            }
            for row in rows { linkDestinations(row.objectID) }
            for row in rows { noteOwner(row.objectID) }
        }
    }

    /// Notes where the members of relationships without inverse are.
    private func noteOwner(_ id: NSManagedObjectID) {
        guard let row = storedRow(id) else { return }
        for slot in row.layout.toManySlots where row.layout.keptInverses[slot] == nil {
            let relationship = ObjectIdentifier(row.layout.slots[slot].property)
            for member in row.members[slot]?.ids ?? [] { storedRow(member)?.owners[relationship] = id }
        }
    }

    /// The values as the store keeps them: IDs for objects, bytes for transformables, no members.
    private func stored(_ values: SlotValues, _ id: NSManagedObjectID) throws -> SlotValues {
        let layout = id.entity.layout
        return try layout.values { slot, definition in
            if definition.isTransient { return layout.defaults[slot] }
            switch values[slot] {
            case .object(let object): return .objectID(object.objectID)
            case .objects, .unread, .memberIDs: return .unread(nil)
            case .transformable(let value):
                let name = (definition.property as? NSAttributeDescription)?.valueTransformerName
                return .transformable(TransformableValue(stored: try value.storedBytes(), transformerName: name))
            default: return values[slot]
            }
        }
    }

    private func insert(_ change: RowChange, _ values: SlotValues) {
        let row = StoredRow(id: change.objectID, version: 1, values: values, backend: self)
        table(change.objectID.entity)?.rows[change.objectID.number] = row
    }

    private func update(_ change: RowChange, _ values: SlotValues) {
        guard let row = storedRow(change.objectID) else { return }
        for slot in change.changed where !(row.layout.slots[slot].property is NSDerivedAttributeDescription) {
            if row.layout.slots[slot].kind == .toOne { relink(row, slot, to: values[slot].referencedID) }
            row.values[slot] = values[slot]
        }
        row.version = RowVersion.after(row.version)
    }

    private func linkDestinations(_ id: NSManagedObjectID) {
        guard let row = storedRow(id) else { return }
        for slot in row.layout.toOneSlots {
            guard let id = row.values[slot].referencedID, let inverse = row.layout.keptInverses[slot],
                let owner = storedRow(id), owner.layout.slots[inverse].isToMany
            else { continue }
            owner.members[inverse, default: StoredMembers()].insert(row.id)
        }
    }

    private func linkMembers(_ change: RowChange) {
        guard let row = storedRow(change.objectID) else { return }
        for slot in row.layout.toManySlots where !row.layout.slots[slot].isTransient {
            guard case .objects(let members) = change.values[slot] else { continue }
            let ids = members.objects.map(\.objectID)
            apply(RelationChange(slot: slot, added: ids, removed: [], order: ids), to: row.id)
        }
    }

    private func relink(_ row: StoredRow, _ slot: Int, to new: NSManagedObjectID?) {
        guard let inverse = row.layout.keptInverses[slot] else { return }
        if let old = row.values[slot].referencedID, let owner = storedRow(old), owner.layout.slots[inverse].isToMany {
            owner.members[inverse]?.remove(row.id)
        }
        if let new, let owner = storedRow(new), owner.layout.slots[inverse].isToMany {
            owner.members[inverse, default: StoredMembers()].insert(row.id)
        }
    }

    /// Both sides of a many-to-many relationship may report the same change; entering it twice makes no difference. Where the members'
    /// own rows say whose they are, the owner brings them into an order.
    private func apply(_ change: RelationChange, to id: NSManagedObjectID) {
        guard let row = storedRow(id) else { return }
        var members = row.members[change.slot] ?? StoredMembers()
        if row.layout.slots[change.slot].isDecidedByMembers {
            guard let order = change.order else { return }
            let wanted = order.filter(members.contains), known = Set(wanted)
            row.members[change.slot] = StoredMembers(wanted + members.ids.filter { !known.contains($0) })
            return
        }
        for removed in change.removed { members.remove(removed) }
        for added in change.added { members.insert(added) }
        guard let inverse = row.layout.keptInverses[change.slot] else {
            row.members[change.slot] = change.order.map { StoredMembers($0.filter(members.contains)) } ?? members
            return take(change.added, for: row, change.slot)
        }
        row.members[change.slot] = change.order.map { StoredMembers($0) } ?? members
        for other in change.removed where isToMany(other, inverse) { storedRow(other)?.members[inverse]?.remove(id) }
        for other in change.added where isToMany(other, inverse) {
            storedRow(other)?.members[inverse, default: StoredMembers()].insert(id)
        }
    }

    /// Takes the members of a relationship without inverse from the owners that they have had.
    private func take(_ members: [NSManagedObjectID], for owner: StoredRow, _ slot: Int) {
        let relationship = ObjectIdentifier(owner.layout.slots[slot].property)
        for member in members {
            let former = storedRow(member)?.owners.updateValue(owner.id, forKey: relationship)
            if let former, former != owner.id { storedRow(former)?.members[slot]?.remove(member) }
        }
    }

    private func isToMany(_ id: NSManagedObjectID, _ slot: Int) -> Bool { id.entity.layout.slots[slot].isToMany }

    private func delete(_ id: NSManagedObjectID) {
        guard let row = storedRow(id) else { return }
        for slot in row.layout.toOneSlots { relink(row, slot, to: nil) }
        for slot in row.layout.toManySlots {
            guard let inverse = row.layout.keptInverses[slot] else { continue }
            for member in row.members[slot]?.ids ?? [] where isToMany(member, inverse) {
                storedRow(member)?.members[inverse]?.remove(id)
            }
        }
        table(id.entity)?.rows[id.number] = nil
    }
}
