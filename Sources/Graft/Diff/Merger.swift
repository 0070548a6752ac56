// The work of a three-way merge. It happens among keys, in the two diffs; the base is asked only for what they don't say.
//
//     +Deletions   which deleted objects stay after all, and which inserted ones go with an owner that is deleted
//     +Entities    two objects that can only be one: of one identity, or of one owner that can have one
//     +Released    objects that a side made others of, by deleting an owner that their identity names
//     +Implied     to-one relationships of which a diff says nothing itself, but what leads back to them
//     +Properties  attributes and to-one relationships; a to-one relationship decides about its link
//     +Rings       owners that only both sides together put below each other
//     +Members     to-many relationships: by element, and ordered ones by position
//     +Lists       in whose list an object is, where lists have no inverse
//     +Uniqueness  what the sides break together
//     +Rules       mandatory properties and numbers of members that only the combination breaks
//
// The result is one diff, made on the base by SnapshotPatcher, which keeps both sides of each link. It may name a link twice or
// leave a side out, but it never says two different things.
//
// Everything treats both sides alike, so that the merge is the same with the sides swapped.

/// Merges two diffs of one base.
struct Merger {
    /// What one side did, to be looked up.
    struct Side {
        var deleted: [ObjectKey: ObjectContents]
        var inserted: [ObjectKey: ObjectContents]
        var changed: [ObjectKey: ObjectChange]
        /// What it deleted before conflicts were settled.
        let deletedAtFirst: Set<ObjectKey>
        /// Where to-one relationships lead that it names at their other end alone.
        var implied: [End: ObjectKey?] = [:]

        init(_ diff: GraphDiff) {
            deleted = Dictionary(diff.deleted.map { ($0.key, $0) }) { first, _ in first }
            inserted = Dictionary(diff.inserted.map { ($0.key, $0) }) { first, _ in first }
            changed = Dictionary(diff.changed.map { ($0.key, $0) }) { first, _ in first }
            deletedAtFirst = Set(deleted.keys)
        }

        /// Takes other objects for some that the side inserted.
        mutating func replace(_ names: [ObjectKey: ObjectKey], in schema: GraphSchema) {
            for key in names.keys { inserted[key] = nil }
            implied = implied.filter { names[$0.key.key] == nil }
            rename(names, in: schema)
        }

        /// Gives objects other names.
        mutating func rename(_ names: [ObjectKey: ObjectKey], in schema: GraphSchema) {
            let diff = GraphDiff(
                deleted: Array(deleted.values), inserted: Array(inserted.values), changed: Array(changed.values))
            let side = Side(diff.renaming(names, in: schema))
            (deleted, inserted, changed) = (side.deleted, side.inserted, side.changed)
            let ends = implied.map { end, new in
                (End(key: end.key.renamed(names), name: end.name), new?.renamed(names))
            }
            implied = Dictionary(ends) { first, _ in first }
        }
    }

    /// A to-one relationship of an object.
    struct End: Hashable, Comparable {
        var key: ObjectKey
        var name: String

        static func < (one: End, other: End) -> Bool {
            one.key == other.key ? one.name.precedesInBytes(other.name) : one.key < other.key
        }
    }

    let base: GraphSnapshot
    /// The base with both ends of each link, where that matters.
    private(set) var linkedBase: GraphSnapshot
    let scope: DiffScope
    private let diffOptions: DiffOptions
    let baseKeys: RowKeys
    var ours: Side
    var theirs: Side
    private let decide: (GraphMerge.Conflict) -> GraphMerge.Choice?

    private(set) var conflicts: [GraphMerge.Conflict] = []
    private var answered: [(GraphMerge.Conflict, GraphMerge.Choice)] = []
    /// By place, the choice; nil where the conflict is left.
    private var choices: [GraphMerge.Conflict.Place: GraphMerge.Choice?] = [:]
    /// The properties about which conflicts are left.
    private(set) var leftEnds: Set<End> = []
    var settled: [(GraphMerge.Conflict, GraphMerge.Choice)] {
        answered.filter { choices[$0.0.place] != .some(nil) }
    }
    /// By the keys of objects without identity. A position may be one of several entities: objects may have equal contents.
    private var rowsByPosition: [ObjectKey: RowReference] = [:]
    private let related: RelatedIndex

    /// Objects that aren't in the merged graph: deleted, or inserted below one that is.
    var gone: Set<ObjectKey> = []
    /// Inserted objects that can't be as the model demands, and that a choice takes back.
    var withdrawn: Set<ObjectKey> = []
    /// Objects that one side deleted and that stay.
    var kept: Set<ObjectKey> = []
    /// Where to-one relationships lead in the merged graph, as far as a side changed or inserted them.
    var ends: [End: ObjectKey?] = [:]
    /// In whose lists objects are that both sides put into lists without inverse; nil for nobody's.
    var listOwners: [ListPlace: ObjectKey?] = [:]
    /// The lists of kept objects that have lost a member to another one's.
    var losingLists: [ObjectKey: Set<String>] = [:]
    /// Values that uniqueness constraints made necessary.
    var overrides: [End: GraphValue] = [:]
    /// The keys of the merged graph's objects that a side inserted.
    var insertedKeys: [RowReference: ObjectKey] = [:]

    init(
        _ base: GraphSnapshot, _ ours: GraphDiff, _ theirs: GraphDiff, _ options: DiffOptions,
        _ decide: @escaping (GraphMerge.Conflict) -> GraphMerge.Choice?
    ) throws {
        self.base = base
        linkedBase = base
        self.ours = Side(ours)
        self.theirs = Side(theirs)
        self.decide = decide
        diffOptions = options
        scope = try DiffScope(base.schema, options)
        let hasUnidentified = scope.schema.entities.indices.contains { entity in
            base.liveRows(of: entity).contains { !base.isIdentified(RowReference(entity: entity, row: $0)) }
        }
        baseKeys = RowKeys(
            base, scope, hasUnidentified: hasUnidentified, matchesRootsByPosition: options.matchesRootsByPosition)
        related = RelatedIndex(base)
        for (row, position) in baseKeys.positions {
            rowsByPosition[ObjectKey(scope.schema.entities[row.entity].name, at: position)] = row
        }
        self.ours.implied = try impliedEnds(self.ours)
        self.theirs.implied = try impliedEnds(self.theirs)
        let needsLinks = [self.ours, self.theirs].contains { !$0.implied.isEmpty || !$0.deleted.isEmpty }
        if needsLinks { linkedBase = try base.completingInverses() }
    }

    /// The merged graph.
    ///
    /// - Throws: ``GraftError`` for diffs of another model.
    mutating func merged() throws -> GraphSnapshot {
        try settleDeletions()
        while true {
            let start = self
            let snapshot = try combined()
            if withdrawn.isEmpty { return snapshot }
            // Whatever led to what is taken back has another end, or none.
            let (keys, reasons) = (withdrawn, settled.filter { $0.0.kind == .rule && withdrawn.contains($0.0.key) })
            self = start
            for (conflict, choice) in reasons { note(conflict, choice) }
            gone.formUnion(keys)
            try dropInsertionsBelowGone()
        }
    }

    /// The graph that both sides' changes lead to without what is gone.
    private mutating func combined() throws -> GraphSnapshot {
        try settleEnds()
        try settleListOwners()
        let combined = try combinedDiff()
        var result = try made(combined)
        // What an object takes back may be another one's by now.
        while true {
            let (known, asked) = (overrides, choices.count)
            try settleUniqueness(result.snapshot)
            if overrides == known, choices.count == asked { break }
            if overrides != known { result = try made(overriding(combined)) }
        }
        return try settleRules(result)
    }

    /// Makes the combined diff; the objects that it inserts are known by their keys then.
    private mutating func made(_ combined: GraphDiff) throws -> SnapshotPatcher {
        let result = try applied(combined, to: base)
        insertedKeys = Dictionary(result.insertedRows.map { ($1, $0) }) { first, _ in first }
        return result
    }

    func applied(_ diff: GraphDiff, to snapshot: GraphSnapshot) throws -> SnapshotPatcher {
        var patcher = SnapshotPatcher(
            snapshot, scope, GraphDiff.ApplyingOptions(conflicts: .force, diff: diffOptions), unknownIsMissing: false)
        try patcher.apply(diff)
        return patcher
    }

    /// Asks how a conflict is settled, and notes it.
    mutating func settle(_ conflict: GraphMerge.Conflict) -> GraphMerge.Choice? {
        let choice = decide(conflict)
        note(conflict, choice)
        return choice
    }

    private mutating func note(_ conflict: GraphMerge.Conflict, _ choice: GraphMerge.Choice?) {
        choices.updateValue(choice, forKey: conflict.place)
        if let choice { return answered.append((conflict, choice)) }
        conflicts.append(conflict)
        if let property = conflict.property { leftEnds.insert(End(key: conflict.key, name: property)) }
    }

    /// Asks how a conflict is settled, unless it was asked before, and returns whether it was.
    mutating func settleOnce(_ conflict: GraphMerge.Conflict) -> (choice: GraphMerge.Choice?, isAsked: Bool) {
        if let known = choices[conflict.place] { return (known, true) }
        return (settle(conflict), false)
    }

    /// Notes a conflict that the choice doesn't settle.
    mutating func leave(_ conflict: GraphMerge.Conflict) { note(conflict, nil) }

    // MARK: The combined diff

    private mutating func combinedDiff() throws -> GraphDiff {
        let deleted = ours.deleted.merging(theirs.deleted) { first, _ in first }
        let insertedKeys = Set(ours.inserted.keys).union(theirs.inserted.keys).subtracting(gone).sorted()
        let changedKeys = Set(ours.changed.keys).union(theirs.changed.keys).union(losingLists.keys).subtracting(gone)
            .subtracting(deleted.keys).sorted()
        return GraphDiff(
            deleted: Array(deleted.values), inserted: try insertedKeys.map { try insertion(of: $0) },
            changed: try changedKeys.map { try change(of: $0) })
    }

    private mutating func insertion(of key: ObjectKey) throws -> ObjectContents {
        let (our, their) = (ours.inserted[key], theirs.inserted[key])
        let names = Set((our?.properties ?? []).map(\.name)).union((their?.properties ?? []).map(\.name))
        var properties: [PropertyContents] = []
        for name in names.sorted(by: { $0.precedesInBytes($1) }) {
            switch our?[name] ?? their?[name] {
            case .attribute?:
                properties.append(.init(name, .attribute(try insertedValue(name, key, our, their))))
            case .toOne?:
                if case .some(.some(let end)) = ends[End(key: key, name: name)] {
                    properties.append(.init(name, .toOne(end)))
                }
            case .toMany(_, let isOrdered)?:
                let members = try members(of: key, name, isOrdered: isOrdered)
                if !members.isEmpty { properties.append(.init(name, .toMany(members, isOrdered: isOrdered))) }
            case nil: continue
            }
        }
        return ObjectContents(key, properties)
    }

    private mutating func change(of key: ObjectKey) throws -> ObjectChange {
        let (our, their) = (ours.changed[key], theirs.changed[key])
        let losing = losingLists[key] ?? []
        let names = Set(((our?.properties ?? []) + (their?.properties ?? [])).map(\.name)).union(losing)
        var properties: [PropertyChange] = []
        for name in names.sorted(by: { $0.precedesInBytes($1) }) {
            switch our?[name] ?? their?[name] {
            case .attribute(let old, _)?:
                let new = changedValue(name, key, old, our?[name], their?[name])
                properties.append(.init(name, .attribute(old: old, new: new)))
            case .toOne(let old, _)?:
                guard let end = ends[End(key: key, name: name)] else { continue }
                properties.append(.init(name, .toOne(old: old, new: end)))
            case nil where !losing.contains(name): continue
            case .toMany?, nil:
                let isOrdered = try property(name, of: key).isOrdered
                let old = baseMembers(of: key, name)
                let new = try members(of: key, name, isOrdered: isOrdered)
                let change = MembersChange(from: old, to: new, isOrdered: isOrdered)
                properties.append(.init(name, .toMany(change)))
            }
        }
        return ObjectChange(key, properties.filter { !$0.kind.isEmpty })
    }

    /// The combined diff with the values that uniqueness constraints made necessary.
    private func overriding(_ diff: GraphDiff) -> GraphDiff {
        func value(_ key: ObjectKey, _ name: String) -> GraphValue? { overrides[End(key: key, name: name)] }
        let inserted = diff.inserted.map { contents in
            ObjectContents(
                contents.key,
                contents.properties.map { property in
                    PropertyContents(
                        property.name, value(contents.key, property.name).map { .attribute($0) } ?? property.value)
                })
        }
        var changes = Dictionary(uniqueKeysWithValues: diff.changed.map { ($0.key, $0.properties) })
        let insertedKeys = Set(inserted.map(\.key))
        for (end, new) in overrides where !insertedKeys.contains(end.key) {
            guard let old = baseValue(of: end) else { continue }
            changes[end.key, default: []].removeAll { $0.name == end.name }
            changes[end.key, default: []].append(PropertyChange(end.name, .attribute(old: old, new: new)))
        }
        let changed = changes.keys.sorted().map { key in
            ObjectChange(key, (changes[key] ?? []).filter { !$0.kind.isEmpty })
        }
        return GraphDiff(deleted: diff.deleted, inserted: inserted, changed: changed)
    }

    private func baseValue(of end: End) -> GraphValue? {
        guard let row = baseRow(of: end.key), let property = scope.schema.entities[row.entity].property(end.name) else {
            return nil
        }
        return base.value(property, of: row)
    }

    // MARK: Looking up

    func property(_ name: String, of key: ObjectKey) throws -> GraphSchema.Property {
        let entity = try scope.schema.requiredNumber(ofEntity: key.entity)
        let number = try scope.schema.requiredNumber(ofProperty: name, in: entity)
        return scope.schema.entities[entity].properties[number]
    }

    func baseRow(of key: ObjectKey) -> RowReference? {
        key.position == nil ? related.row(of: key, in: base) : rowsByPosition[key]
    }

    func baseKey(of row: RowReference) -> ObjectKey {
        if let key = base.identityKey(of: row) { return key }
        let entity = scope.schema.entities[row.entity].name
        return baseKeys.positions[row].map { ObjectKey(entity, at: $0) } ?? ObjectKey(entity, [])
    }

    /// The members of a relationship before both sides' changes.
    func baseMembers(of key: ObjectKey, _ name: String) -> [ObjectKey] { members(of: key, name, in: base) }

    /// Where a to-one relationship led before, even if the base says so at the other end alone.
    func baseEnd(_ end: End) -> ObjectKey? { members(of: end.key, end.name, in: linkedBase).first }

    private func members(of key: ObjectKey, _ name: String, in snapshot: GraphSnapshot) -> [ObjectKey] {
        guard let row = baseRow(of: key), let property = scope.schema.entities[row.entity].property(name) else {
            return []
        }
        return snapshot.uniqueDestinations(of: row, property).map { baseKey(of: $0) }
    }
}
