// Walking two versions of an object side by side. Either may be missing, and both may be of different entities: what one of
// them doesn't have counts as null.

public import CoreData

extension ObjectDiff {
    /// Makes the difference between two versions of an object; nil where there is none.
    ///
    /// - Parameters:
    ///   - old: The object before; nil where it wasn't there.
    ///   - new: The object after; nil where it is no more. It may be of another context, and even of another entity.
    ///   - options: What takes part.
    ///   - includesReferences: Whether relationships to objects that aren't owned are shown, too, as old and new identity.
    ///     The article leaves them out.
    /// - Throws: ``GraftError``: `invalidMapping` for members of an unordered relationship that have no identity, `tooDeep`.
    public init?(
        from old: NSManagedObject?, to new: NSManagedObject?, options: DiffOptions = DiffOptions(),
        includesReferences: Bool = false
    ) throws {
        var options = options
        options.matchesRootsByPosition = true
        let before = try old.map { try GraphSnapshot(of: [$0], options: options) }
        let after = try new.map { try GraphSnapshot(of: [$0], options: options) }
        try self.init(
            from: before?.rootRows.first, to: after?.rootRows.first, options: options,
            includesReferences: includesReferences)
    }

    /// Makes the difference between two versions of an object in snapshots; nil where there is none.
    ///
    /// - Throws: As ``init(from:to:options:includesReferences:)-(NSManagedObject?,_,_,_)``, and `modelMismatch`.
    public init?(
        from old: GraphSnapshot.Row?, to new: GraphSnapshot.Row?, options: DiffOptions = DiffOptions(),
        includesReferences: Bool = false
    ) throws {
        guard let schema = (old ?? new)?.snapshot.schema else { return nil }
        var comparison = try ObjectComparison(
            old?.snapshot ?? GraphSnapshot(schema), new?.snapshot ?? GraphSnapshot(schema), options, includesReferences)
        guard let diff = try comparison.diff(old?.reference, new?.reference, 0) else { return nil }
        self = diff
    }

    /// Makes the differences between two sets of objects, matched by identity, by key.
    ///
    /// - Throws: As ``init(from:to:options:includesReferences:)-(NSManagedObject?,_,_,_)``.
    public static func differences(
        from old: [NSManagedObject], to new: [NSManagedObject], options: DiffOptions = DiffOptions(),
        includesReferences: Bool = false
    ) throws -> [ObjectDiff] {
        let before = old.isEmpty ? nil : try GraphSnapshot(of: old, options: options)
        let after = new.isEmpty ? nil : try GraphSnapshot(of: new, options: options)
        guard let schema = (before ?? after)?.schema else { return [] }
        var comparison = try ObjectComparison(
            before ?? GraphSnapshot(schema), after ?? GraphSnapshot(schema), options, includesReferences)
        return try comparison.rootDifferences()
    }

    /// Makes the differences between all objects of two snapshots that no other object owns, by key.
    ///
    /// - Throws: As ``init(from:to:options:includesReferences:)-(NSManagedObject?,_,_,_)``, and `modelMismatch`.
    public static func differences(
        from old: GraphSnapshot, to new: GraphSnapshot, options: DiffOptions = DiffOptions(),
        includesReferences: Bool = false
    ) throws -> [ObjectDiff] {
        var comparison = try ObjectComparison(old, new, options, includesReferences)
        return try comparison.topDifferences()
    }
}

private struct ObjectComparison {
    private struct Pair: Hashable {
        var old: RowReference?
        var new: RowReference?
    }

    private let old: GraphSnapshot
    private let new: GraphSnapshot
    private let scope: DiffScope
    private let includesReferences: Bool
    private let oldKeys: RowKeys
    private let newKeys: RowKeys
    private var visited: Set<Pair> = []

    init(_ old: GraphSnapshot, _ new: GraphSnapshot, _ options: DiffOptions, _ includesReferences: Bool) throws {
        guard old.schema == new.schema else {
            throw GraftError(.modelMismatch(reason: "the two objects are of different models"))
        }
        let identification = try IdentityDecision(old.schema, options, [old, new]).identification
        self.old = try old.identified(by: identification)
        self.new = try new.identified(by: identification)
        self.includesReferences = includesReferences
        scope = try DiffScope(self.old.schema, options)
        let byPosition = options.matchesRootsByPosition
        oldKeys = RowKeys(self.old, scope, hasUnidentified: true, matchesRootsByPosition: byPosition)
        newKeys = RowKeys(self.new, scope, hasUnidentified: true, matchesRootsByPosition: byPosition)
    }

    // MARK: Where to begin

    mutating func rootDifferences() throws -> [ObjectDiff] {
        try differences(old.roots.map(old.resolved), new.roots.map(new.resolved), isOrdered: false, depth: 0)
    }

    mutating func topDifferences() throws -> [ObjectDiff] {
        try differences(tops(of: old), tops(of: new), isOrdered: false, depth: 0)
    }

    /// The rows that no other row owns.
    private func tops(of snapshot: GraphSnapshot) -> [RowReference] {
        var owned: Set<RowReference> = []
        var rows: [RowReference] = []
        for entity in snapshot.tables.indices {
            let properties = snapshot.schema.entities[entity].properties
            for row in snapshot.liveRows(of: entity) {
                let reference = RowReference(entity: entity, row: row)
                if !snapshot.isReference(entity, row, scope) { rows.append(reference) }
                for number in properties.indices where scope.entities[entity].follows[number] {
                    for end in snapshot.destinations(of: reference, properties[number]) where end != reference {
                        owned.insert(end)
                    }
                }
            }
        }
        return rows.filter { !owned.contains($0) }
    }

    // MARK: Two objects

    mutating func diff(_ before: RowReference?, _ after: RowReference?, _ depth: Int) throws -> ObjectDiff? {
        guard let known = after ?? before, visited.insert(Pair(old: before, new: after)).inserted else { return nil }
        guard depth < ObjectDiff.maximumDepth else { throw GraftError(.tooDeep(limit: ObjectDiff.maximumDepth)) }
        let entity = scope.schema.entities[known.entity]
        let attributes = attributes(before, after)
        let relationships = try relationships(before, after, depth)
        let kind: ObjectDiff.Kind = before == nil ? .inserted : after == nil ? .deleted : .changed
        if kind == .changed, attributes.isEmpty, relationships.isEmpty { return nil }
        let identity = entity.identityAttributes.map { number in
            ObjectDiff.Identity(
                name: entity.properties[number].name,
                value: after.map { value(entity.properties[number].name, of: $0, new) }
                    ?? value(entity.properties[number].name, of: known, old))
        }
        return ObjectDiff(
            kind: kind, entityName: entity.name, identity: identity, attributes: attributes,
            relationships: relationships)
    }

    private func attributes(_ before: RowReference?, _ after: RowReference?) -> [ObjectDiff.Attribute] {
        names(before, after) { $0.isAttribute }.compactMap { name in
            let oldValue = before.map { value(name, of: $0, old) } ?? .null
            let newValue = after.map { value(name, of: $0, new) } ?? .null
            if oldValue.isSameValue(as: newValue) { return nil }
            return ObjectDiff.Attribute(name: name, old: oldValue, new: newValue)
        }
    }

    /// The names of the properties that one of the two objects has and that take part.
    private func names(
        _ before: RowReference?, _ after: RowReference?, where isWanted: (GraphSchema.Property) -> Bool
    ) -> [String] {
        var names: Set<String> = []
        for row in [before, after] {
            guard let row else { continue }
            for (number, property) in scope.schema.entities[row.entity].properties.enumerated()
            where scope.entities[row.entity].contains[number] && isWanted(property) {
                names.insert(property.name)
            }
        }
        return names.sorted { $0.precedesInBytes($1) }
    }

    private func value(_ name: String, of row: RowReference, _ snapshot: GraphSnapshot) -> GraphValue {
        let entity = scope.schema.entities[row.entity]
        guard let number = entity.number(ofProperty: name), entity.properties[number].isAttribute else { return .null }
        return snapshot.tables[row.entity].value(entity.properties[number].column, row: row.row)
    }

    // MARK: Relationships

    private mutating func relationships(
        _ before: RowReference?, _ after: RowReference?, _ depth: Int
    ) throws -> [ObjectDiff.Relationship] {
        var relationships: [ObjectDiff.Relationship] = []
        for name in names(before, after, where: { !$0.isAttribute }) {
            let (oldProperty, newProperty) = (property(name, of: before), property(name, of: after))
            let ends = end(before, oldProperty, old)
            let newEnds = end(after, newProperty, new)
            let follows = oldProperty?.follows ?? false || newProperty?.follows ?? false
            let isToMany = oldProperty?.property.isToMany ?? false || newProperty?.property.isToMany ?? false
            if !follows {
                guard includesReferences else { continue }
                let (old, new) = (
                    try reference(ends, oldProperty, isToMany, oldKeys, old),
                    try reference(newEnds, newProperty, isToMany, newKeys, new)
                )
                if old != new { relationships.append(.init(name: name, content: .references(old: old, new: new))) }
            } else if isToMany {
                let isOrdered = (newProperty ?? oldProperty)?.property.isOrdered ?? false
                let diffs = try differences(ends, newEnds, isOrdered: isOrdered, depth: depth + 1)
                if !diffs.isEmpty { relationships.append(.init(name: name, content: .objects(diffs))) }
            } else if let diff = try diff(ends.first, newEnds.first, depth + 1) {
                relationships.append(.init(name: name, content: .object(diff)))
            }
        }
        return relationships
    }

    private func property(
        _ name: String, of row: RowReference?
    ) -> (property: GraphSchema.Property, follows: Bool)? {
        guard let row, let number = scope.schema.entities[row.entity].number(ofProperty: name) else { return nil }
        return (scope.schema.entities[row.entity].properties[number], scope.entities[row.entity].follows[number])
    }

    private func end(
        _ row: RowReference?, _ property: (property: GraphSchema.Property, follows: Bool)?, _ snapshot: GraphSnapshot
    ) -> [RowReference] {
        guard let row, let property, !property.property.isAttribute else { return [] }
        return MembersComparison.unique(snapshot.destinations(of: row, property.property))
    }

    private func reference(
        _ ends: [RowReference], _ property: (property: GraphSchema.Property, follows: Bool)?, _ isToMany: Bool,
        _ keys: RowKeys, _ snapshot: GraphSnapshot
    ) throws -> PropertyValue {
        let found = try ends.map { try keys.key(of: $0, snapshot) }
        guard isToMany else { return .toOne(found.first) }
        let isOrdered = property?.property.isOrdered ?? false
        return .toMany(isOrdered ? found : found.sorted(), isOrdered: isOrdered)
    }

    /// The differences of members with the same identity, or, without one, in the same place.
    private mutating func differences(
        _ before: [RowReference], _ after: [RowReference], isOrdered: Bool, depth: Int
    ) throws -> [ObjectDiff] {
        let oldNames = try names(of: before, old, oldKeys, isOrdered)
        let newNames = try names(of: after, new, newKeys, isOrdered)
        var rows: [MemberName: RowReference] = [:]
        for (name, row) in zip(oldNames, before) { rows[name] = row }
        var pairs: [(name: MemberName, old: RowReference?, new: RowReference?)] = []
        for (name, row) in zip(newNames, after) { pairs.append((name, rows.removeValue(forKey: name), row)) }
        for (name, row) in zip(oldNames, before) where rows[name] != nil { pairs.append((name, row, nil)) }
        if !isOrdered { pairs.sort { $0.name < $1.name } }
        return try pairs.compactMap { try diff($0.old, $0.new, depth) }
    }

    private func names(
        of rows: [RowReference], _ snapshot: GraphSnapshot, _ keys: RowKeys, _ isOrdered: Bool
    ) throws -> [MemberName] {
        try rows.enumerated().map { index, row in
            if let key = snapshot.identityKey(of: row) {
                return MemberName(identity: key.identity, owners: key.owners, place: 0)
            }
            if isOrdered { return MemberName(identity: [], place: index) }
            if let root = snapshot.roots.firstIndex(of: row), keys.positions[row] != nil {
                return MemberName(identity: [], place: root)
            }
            throw keys.unidentified(row, snapshot)
        }
    }
}

/// What tells the members of a relationship apart: the identity, whatever the entity, or the place.
private struct MemberName: Hashable, Comparable {
    var identity: [GraphValue]
    var owners: [ObjectKey?] = []
    var place: Int

    static func == (one: MemberName, other: MemberName) -> Bool {
        one.place == other.place && one.identity.hasSameValues(as: other.identity) && one.owners == other.owners
    }

    func hash(into hasher: inout Hasher) {
        for value in identity { ExactValue(value).hash(into: &hasher) }
        hasher.combine(place)
        if !owners.isEmpty { hasher.combine(owners) }
    }

    static func < (one: MemberName, other: MemberName) -> Bool {
        if let isLess = one.identity.precedes(other.identity) { return isLess }
        if one.place != other.place { return one.place < other.place }
        return ObjectKey("", [], of: one.owners) < ObjectKey("", [], of: other.owners)
    }
}
