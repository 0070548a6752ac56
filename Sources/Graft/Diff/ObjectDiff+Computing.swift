// The differences that RowComparison finds, as trees along what objects own. Which object is which, and what differs, is the same as
// in a GraphDiff. Only the two objects that the caller names are shown as one although they may be two, even of different entities:
// what one of them doesn't have counts as null.

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
    /// - Throws: ``GraftError``: `invalidMapping` or `missingIdentity` for objects that nothing tells apart, `tooDeep`.
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
        var pair: (RowReference, RowReference)?
        if let old, let new { pair = (old.reference, new.reference) }
        var tree = try DiffTree(
            old?.snapshot ?? GraphSnapshot(schema), new?.snapshot ?? GraphSnapshot(schema), options, includesReferences,
            pairing: pair)
        guard let diff = try tree.diff(old?.reference, new?.reference, 0) else { return nil }
        self = diff
    }

    /// Makes the differences between two sets of objects, told apart as in a ``GraphDiff``, by key.
    ///
    /// - Throws: As ``init(from:to:options:includesReferences:)-(NSManagedObject?,_,_,_)``.
    public static func differences(
        from old: [NSManagedObject], to new: [NSManagedObject], options: DiffOptions = DiffOptions(),
        includesReferences: Bool = false
    ) throws -> [ObjectDiff] {
        let before = old.isEmpty ? nil : try GraphSnapshot(of: old, options: options)
        let after = new.isEmpty ? nil : try GraphSnapshot(of: new, options: options)
        guard let schema = (before ?? after)?.schema else { return [] }
        var tree = try DiffTree(
            before ?? GraphSnapshot(schema), after ?? GraphSnapshot(schema), options, includesReferences)
        return try tree.differences(
            tree.old.rootReferences, tree.new.rootReferences, isOrdered: false, isChanged: false, depth: 0)
    }

    /// Makes the differences between all objects of two snapshots that no other object owns, by key.
    ///
    /// - Throws: As ``init(from:to:options:includesReferences:)-(NSManagedObject?,_,_,_)``, and `modelMismatch`.
    public static func differences(
        from old: GraphSnapshot, to new: GraphSnapshot, options: DiffOptions = DiffOptions(),
        includesReferences: Bool = false
    ) throws -> [ObjectDiff] {
        var tree = try DiffTree(old, new, options, includesReferences)
        return try tree.topDifferences()
    }
}

/// A walk along what objects own.
private struct DiffTree {
    private struct Pair: Hashable {
        var old: RowReference?
        var new: RowReference?
    }

    private let comparison: RowComparison
    private let includesReferences: Bool
    private var visited: Set<Pair> = []
    private let ownedBefore: Set<RowReference>
    private let ownedNow: Set<RowReference>

    var old: GraphSnapshot { comparison.old }
    var new: GraphSnapshot { comparison.new }
    private var scope: DiffScope { comparison.scope }

    init(
        _ old: GraphSnapshot, _ new: GraphSnapshot, _ options: DiffOptions, _ includesReferences: Bool,
        pairing pair: (old: RowReference, new: RowReference)? = nil
    ) throws {
        let new = try new.inOrder(of: old.schema, orFailAs: "the two objects are of different models")
        let identification = try IdentityDecision(old.schema, options, [old, new]).identification
        comparison = try RowComparison(old, new, options, identifiedBy: identification, pairing: pair)
        self.includesReferences = includesReferences
        ownedBefore = Self.owned(in: comparison.old, comparison.scope)
        ownedNow = Self.owned(in: comparison.new, comparison.scope)
    }

    /// The rows that another row owns.
    private static func owned(in snapshot: GraphSnapshot, _ scope: DiffScope) -> Set<RowReference> {
        var owned: Set<RowReference> = []
        for row in snapshot.allRows {
            for (number, property) in snapshot.schema.entities[row.entity].properties.enumerated()
            where scope.entities[row.entity].follows[number] {
                owned.formUnion(snapshot.destinations(of: row, property).filter { $0 != row })
            }
        }
        return owned
    }

    /// The differences of all objects. One that has lost its owner is with that; of those that own each other in a circle the first
    /// by key is at the top.
    mutating func topDifferences() throws -> [ObjectDiff] {
        let matching = comparison.matching
        let before = old.allRows.filter { !ownedBefore.contains($0) }
        let after = new.allRows.filter { row in
            !ownedNow.contains(row) && !ownedBefore.contains(matching.toOld[row.entity][row.row])
        }
        let diffs = try differences(before, after, isOrdered: false, isChanged: false, depth: 0)
        let gone = old.allRows.filter { row in
            matching.toNew[row.entity][row.row].isNone && !visited.contains(Pair(old: row, new: nil))
        }
        let rest = new.allRows.filter { row in
            let twin = matching.toOld[row.entity][row.row]
            return !visited.contains(Pair(old: twin.isNone ? nil : twin, new: row))
        }
        return try diffs + differences(gone, rest, isOrdered: false, isChanged: false, depth: 0)
    }

    // MARK: Two objects

    /// The difference between two objects; nil where there is none.
    ///
    /// - Parameter isMoved: Whether it has come to its owner, or lost it.
    mutating func diff(
        _ before: RowReference?, _ after: RowReference?, _ depth: Int, isMoved: Bool = false
    ) throws -> ObjectDiff? {
        guard let known = after ?? before, visited.insert(Pair(old: before, new: after)).inserted else { return nil }
        guard depth < ObjectDiff.maximumDepth else { throw GraftError(.tooDeep(limit: ObjectDiff.maximumDepth)) }
        let entity = scope.schema.entities[known.entity]
        let snapshot = after == nil ? old : new
        var diff = ObjectDiff(
            kind: before == nil ? .inserted : after == nil ? .deleted : .changed, entityName: entity.name,
            identity: entity.identityAttributes.map { number in
                ObjectDiff.Identity(
                    name: entity.properties[number].name, value: snapshot.value(entity.properties[number], of: known))
            }, attributes: [], relationships: [])
        // Of objects of which one isn't there, or is another one, all that either has is shown.
        var changed: Set<Int>?
        if let before, let after, before.entity == after.entity {
            changed = Set(comparison.changedProperties(before, after))
        }
        for name in names(before, after) {
            let (property, other) = (self.property(name, of: before), self.property(name, of: after))
            guard let either = other ?? property else { continue }
            let isChanged = changed?.contains(either.number)
            if either.property.isAttribute {
                if isChanged == false { continue }
                let value = before.flatMap { row in property.map { old.value($0.property, of: row) } } ?? .null
                let otherValue = after.flatMap { row in other.map { new.value($0.property, of: row) } } ?? .null
                if isChanged == nil, value.isSameValue(as: otherValue) { continue }
                diff.attributes.append(.init(name: name, old: value, new: otherValue))
            } else if let content = try content(before, property, after, other, isChanged, depth) {
                diff.relationships.append(.init(name: name, content: content))
            }
        }
        let isEmpty = diff.attributes.isEmpty && diff.relationships.isEmpty
        if diff.kind == .changed, isEmpty, !isMoved { return nil }
        return diff
    }

    private typealias Property = (number: Int, property: GraphSchema.Property, isFollowed: Bool)

    private func property(_ name: String, of row: RowReference?) -> Property? {
        guard let row, let number = scope.schema.entities[row.entity].number(ofProperty: name) else { return nil }
        return (
            number, scope.schema.entities[row.entity].properties[number], scope.entities[row.entity].follows[number]
        )
    }

    /// The names of the properties that one of the two objects has and that take part.
    private func names(_ before: RowReference?, _ after: RowReference?) -> [String] {
        let names = [before, after].compactMap(\.self).flatMap { row in
            scope.schema.entities[row.entity].properties.enumerated().compactMap { number, property in
                scope.entities[row.entity].contains[number] ? property.name : nil
            }
        }
        return Set(names).sorted { $0.precedesInBytes($1) }
    }

    // MARK: Relationships

    private mutating func content(
        _ before: RowReference?, _ property: Property?, _ after: RowReference?, _ other: Property?, _ isChanged: Bool?,
        _ depth: Int
    ) throws -> ObjectDiff.Relationship.Content? {
        guard let either = other ?? property else { return nil }
        let ends = before.flatMap { row in property.map { old.uniqueDestinations(of: row, $0.property) } } ?? []
        let otherEnds = after.flatMap { row in other.map { new.uniqueDestinations(of: row, $0.property) } } ?? []
        guard property?.isFollowed ?? false || other?.isFollowed ?? false else {
            guard includesReferences, isChanged ?? true else { return nil }
            let keys = try ends.map { try comparison.matching.oldKeys.key(of: $0, old) }
            let otherKeys = try otherEnds.map { try comparison.matching.newKeys.key(of: $0, new) }
            if isChanged == nil, keys.isEmpty, otherKeys.isEmpty { return nil }
            return .references(old: .links(keys, either.property), new: .links(otherKeys, either.property))
        }
        let diffs = try differences(
            ends, otherEnds, isOrdered: either.property.isOrdered, isChanged: isChanged ?? true, depth: depth + 1)
        if diffs.count == 1, !either.property.isToMany { return .object(diffs[0]) }
        return diffs.isEmpty ? nil : .objects(diffs)
    }

    /// The differences of two lists of objects.
    ///
    /// - Parameter isChanged: Whether these are the members of a relationship that differs.
    mutating func differences(
        _ before: [RowReference], _ after: [RowReference], isOrdered: Bool, isChanged: Bool, depth: Int
    ) throws -> [ObjectDiff] {
        let matching = comparison.matching
        let (wasHere, isHere) = (Set(before), Set(after))
        var pairs: [(old: RowReference?, new: RowReference?, isMoved: Bool)] = []
        for row in after {
            let twin = matching.toOld[row.entity][row.row]
            // What is only referred to, and be it as an object of a super-entity, isn't compared.
            if twin.isNone ? new.isReference(row.entity, row.row, scope) : twin.entity != row.entity { continue }
            pairs.append((twin.isNone ? nil : twin, row, isChanged && !twin.isNone && !wasHere.contains(twin)))
        }
        for row in before {
            let twin = matching.toNew[row.entity][row.row]
            if twin.isNone {
                if !old.isReference(row.entity, row.row, scope) { pairs.append((row, nil, false)) }
            } else if twin.entity == row.entity, !isHere.contains(twin), !ownedNow.contains(twin) {
                pairs.append((row, twin, isChanged))
            }
        }
        if !isOrdered {
            let keyed = try pairs.map { pair in
                let key =
                    try pair.new.map { try matching.newKeys.key(of: $0, new) }
                    ?? pair.old.map { try matching.oldKeys.key(of: $0, old) }
                return (key: key, pair: pair)
            }
            pairs = keyed.sorted { one, other in
                guard let key = one.key, let otherKey = other.key else { return false }
                return key < otherKey
            }.map(\.pair)
        }
        return try pairs.compactMap { try diff($0.old, $0.new, depth, isMoved: $0.isMoved) }
    }
}
