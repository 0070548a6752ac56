// A diff applied to a snapshot. Whatever else takes changes (objects, stores, merges) goes through here, so that there is one
// meaning of "fits" and of "applied".
//
//     +Checking    each change against what is there, before anything is touched
//     +Skipping    the other ends of links that don't fit and are left out
//     +Linking     links are taken away, then added, each on both sides; then ordered ones are put into order
//     +Deleting    what is left of deleted objects' links obeys the delete rules
//
// SnapshotRules.swift looks afterwards whether the model allows what has become of it.
//
// A link that both sides of a relationship name is one link. Tables are written last: until then they show the old state.

/// Applies one diff to a snapshot.
struct SnapshotPatcher {
    /// A change of one property that is made.
    struct Edit {
        var row: RowReference
        var number: Int
        var property: GraphSchema.Property
        var kind: PropertyChange.Kind
    }

    /// An object that is inserted, or overwritten.
    struct Insertion {
        var row: RowReference
        var contents: ObjectContents
        /// Parallel to the contents' properties.
        var numbers: [Int]
        var isNew = false
    }

    var snapshot: GraphSnapshot
    let scope: DiffScope
    let policy: GraphDiff.ConflictPolicy
    /// Whether an object that the snapshot doesn't know is none; otherwise it may be somewhere else and is referred to.
    let unknownIsMissing: Bool
    private let matchesRootsByPosition: Bool
    var report = GraphDiff.ApplyingReport()

    var edits: [Edit] = []
    var insertions: [Insertion] = []
    var deletions: [(row: RowReference, contents: ObjectContents)] = []
    /// The rows of the inserted objects.
    private(set) var insertedRows: [ObjectKey: RowReference] = [:]
    private var pendingInsertions: Set<ObjectKey> = []
    /// The ends of the relationships that have been touched.
    var links: [GraphSnapshot.Cell: LinkList] = [:]
    /// Attributes that were set, for whoever repeats the changes elsewhere.
    private(set) var assignments: [GraphSnapshot.Cell] = []
    private(set) var newRows: [RowReference] = []
    var deletedRows: [RowReference] = []
    /// Objects that would go, and that a delete rule keeps.
    var staying: Set<RowReference> = []

    private var related: RelatedIndex
    private var rowKeys: RowKeys?
    private var rowsByPosition: [ObjectKey: RowReference] = [:]

    init(_ snapshot: GraphSnapshot, _ options: GraphDiff.ApplyingOptions, unknownIsMissing: Bool = false) throws {
        self.init(
            snapshot, try DiffScope(snapshot.schema, options.diff), options, unknownIsMissing: unknownIsMissing)
    }

    init(_ snapshot: GraphSnapshot, _ scope: DiffScope, _ options: GraphDiff.ApplyingOptions, unknownIsMissing: Bool) {
        self.snapshot = snapshot
        self.scope = scope
        policy = options.conflicts
        matchesRootsByPosition = options.diff.matchesRootsByPosition
        self.unknownIsMissing = unknownIsMissing
        related = RelatedIndex(snapshot)
    }

    /// Applies the diff; the snapshot is then what it leads to.
    ///
    /// - Throws: ``GraftError``, with `changesDoNotFit` where the policy is to fail.
    mutating func apply(_ diff: GraphDiff) throws {
        try check(diff)
        try failIfNeeded()
        // Only where values needn't fit may some be there already.
        var effective = policy == .force ? [] : edits
        if policy == .force { for edit in edits where changesSomething(edit) { effective.append(edit) } }
        for index in insertions.indices { insertions[index] = try inserted(insertions[index]) }
        for edit in edits { assign(edit) }
        try changeAllowedLinks()
        try followDeleteRules()
        try failIfNeeded()
        try writeLinks()
        removeDeleted()
        // What the text said before, and when, is no longer true.
        (snapshot.earlier, snapshot.times) = ([], [:])
        report.inserted = newRows.count
        report.deleted = deletedRows.count - report.cascaded.count
        report.changed = Set(effective.map(\.row)).subtracting(newRows).count
    }

    private func failIfNeeded() throws {
        guard policy == .fail, let first = report.conflicts.first else { return }
        throw GraftError(
            .changesDoNotFit(report.conflicts), at: .init(entity: first.key.entity, property: first.property))
    }

    // MARK: Objects

    /// Takes an insertion that fits.
    mutating func accept(_ insertion: Insertion) {
        insertions.append(insertion)
        if insertion.row.isNone {
            pendingInsertions.insert(insertion.contents.key)
        } else {
            insertedRows[insertion.contents.key] = insertion.row
        }
    }

    private mutating func inserted(_ insertion: Insertion) throws -> Insertion {
        var insertion = insertion
        let entity = try scope.schema.requiredNumber(ofEntity: insertion.contents.key.entity)
        if insertion.row.isNone {
            insertion.row = makeRow(entity, insertion.contents.key)
            insertedRows[insertion.contents.key] = insertion.row
        }
        let row = insertion.row.row
        if !snapshot.tables[entity].flags[row].contains(.whole) {
            insertion.isNew = true
            newRows.append(insertion.row)
            snapshot.tables[entity].flags[row].insert(.whole)
            for member in scope.entities[entity].toOnes + scope.entities[entity].toManys {
                snapshot.tables[entity].markPresent(member.number, row: row)
            }
        }
        for (number, property) in zip(insertion.numbers, insertion.contents.properties) {
            guard case .attribute(let value) = property.value else { continue }
            let column = scope.schema.entities[entity].properties[number].column
            snapshot.tables[entity].markPresent(number, row: row)
            snapshot.tables[entity].setValue(value, column, row: row)
            assignments.append(GraphSnapshot.Cell(row: insertion.row, property: number))
        }
        return insertion
    }

    /// Makes a row that is known by its identity or its position alone.
    private mutating func makeRow(_ entity: Int, _ key: ObjectKey) -> RowReference {
        let owners = key.owners.map { owner in owner.flatMap { end(of: $0) } }
        let reference = snapshot.appendReference(to: key, entity, owners: owners)
        related.insert(reference, snapshot)
        if let position = key.position, position.entity == nil, position.steps.isEmpty, position.contents == nil {
            snapshot.roots.append(reference)
            snapshot.tables[entity].flags[reference.row].insert(.root)
        }
        return reference
    }

    private mutating func assign(_ edit: Edit) {
        guard case .attribute(_, let new) = edit.kind else { return }
        snapshot.tables[edit.row.entity].markPresent(edit.number, row: edit.row.row)
        snapshot.tables[edit.row.entity].setValue(new, edit.property.column, row: edit.row.row)
        assignments.append(GraphSnapshot.Cell(row: edit.row, property: edit.number))
    }

    // MARK: Keys

    /// The row of an object that is there, or was inserted.
    mutating func row(of key: ObjectKey) -> RowReference? {
        if let row = insertedRows[key] { return row }
        // One that is there is of a sub-entity, and goes.
        if pendingInsertions.contains(key) { return nil }
        guard key.position != nil else {
            if key.owners.isEmpty { return snapshot.row(of: key) }
            var owners: [ObjectKey: RowReference] = [:]
            for case let owner? in key.owners { owners[owner] = row(of: owner) }
            return related.row(of: key, in: snapshot) { owners[$0] }
        }
        _ = keys()
        return rowsByPosition[key]
    }

    /// The row of an object to refer to; one that is elsewhere gets a row with its identity alone.
    mutating func end(of key: ObjectKey) -> RowReference? {
        if let row = row(of: key) { return row }
        guard isKnown(key), let entity = scope.schema.number(ofEntity: key.entity) else { return nil }
        return makeRow(entity, key)
    }

    /// Whether an object can be referred to.
    mutating func isKnown(_ key: ObjectKey) -> Bool {
        if pendingInsertions.contains(key) || row(of: key) != nil { return true }
        guard !unknownIsMissing, key.position == nil, let entity = scope.schema.number(ofEntity: key.entity) else {
            return false
        }
        return scope.schema.entities[entity].isIdentity(key)
    }

    /// The key of a row that was there before.
    mutating func key(of row: RowReference) -> ObjectKey {
        if let key = snapshot.identityKey(of: row) { return key }
        let entity = scope.schema.entities[row.entity]
        // A row that nothing leads to has but its entity.
        return keys().positions[row].map { ObjectKey(entity.name, at: $0) } ?? ObjectKey(entity.name, [])
    }

    private mutating func keys() -> RowKeys {
        if let rowKeys { return rowKeys }
        let keys = RowKeys(
            snapshot, scope, hasUnidentified: true, matchesRootsByPosition: matchesRootsByPosition)
        for (row, position) in keys.positions {
            rowsByPosition[ObjectKey(scope.schema.entities[row.entity].name, at: position)] = row
        }
        rowKeys = keys
        return keys
    }
}

extension GraphSchema.Entity {
    /// Whether a key has as many parts as the identity.
    func isIdentity(_ key: ObjectKey) -> Bool {
        hasIdentity && key.isRow == (isByRow == true)
            && key.identity.count == (key.isRow ? 1 : identityAttributes.count)
            && key.owners.count == identityRelationships.count
    }
}

extension Array {
    /// The elements in their order, but those that hang on others after these.
    func sortedByOwners(_ key: (Element) -> ObjectKey) -> [Element] {
        func depth(_ key: ObjectKey) -> Int { key.owners.reduce(0) { Swift.max($0, $1.map { depth($0) + 1 } ?? 0) } }
        let depths = map { depth(key($0)) }
        guard depths.contains(where: { $0 > 0 }) else { return self }
        return indices.sorted { (depths[$0], $0) < (depths[$1], $1) }.map { self[$0] }
    }
}

extension GraphSnapshot {
    /// The row of an object of an entity or one of its sub-entities with an identity.
    func row(of key: ObjectKey) -> RowReference? {
        guard let entity = schema.number(ofEntity: key.entity),
            key.isRow == (schema.entities[entity].isByRow == true)
        else { return nil }
        return row(of: entity, identity: key.identity)
    }

    /// The row of an object of an entity, or else of one of its sub-entities, with an identity.
    func row(of entity: Int, identity: [GraphValue]) -> RowReference? {
        let columns = schema.entities[entity].identityColumns
        guard !columns.isEmpty, columns.count == identity.count else { return nil }
        var hash = IdentityHash()
        for value in identity { hash.combine(value) }
        var kind: RowReference?
        let exact = indexes[schema.entities[entity].identitySpace].first(hash.value) { candidate in
            for (column, value) in zip(columns, identity)
            where !tables[candidate.entity].value(column, row: candidate.row).isSameIdentity(as: value) {
                return false
            }
            if candidate.entity == entity { return true }
            if schema.isEntity(candidate.entity, kindOf: entity) { kind = candidate }
            return false
        }
        return (exact ?? kind).map(resolved)
    }
}
