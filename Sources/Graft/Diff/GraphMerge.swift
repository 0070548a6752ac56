// Base, ours, theirs -> the merged graph and what is left to settle. The merge is kept as its three parts and the choices that
// were made, and done anew when there is another choice: so what is stored today can be settled tomorrow.

/// The merge of what two sides made of one graph.
///
/// Changes of different properties combine, equal changes are one, sets merge by element, and ordered relationships keep the
/// order of each side. What doesn't go together is a ``GraphMerge/Conflict``: it is settled by a policy, or left and settled
/// later; until then a property has its value of before, and an object that one side deleted is still there. A link between
/// two objects is decided where it is a to-one relationship. Nothing in the merged graph refers to an object that isn't there,
/// and where both sides respect what the model demands of relationships and mandatory properties, so does it, once no conflict
/// is left.
public struct GraphMerge: Sendable {
    /// The graph before both sides' changes.
    public let base: GraphSnapshot
    /// What our side did.
    public let ours: GraphDiff
    /// What the other side did.
    public let theirs: GraphDiff
    /// What takes part.
    private let diffOptions: DiffOptions
    private var choices: [GraphMerge.Conflict.Place: (conflict: GraphMerge.Conflict, choice: GraphMerge.Choice)] = [:]

    /// The merged graph.
    public private(set) var snapshot: GraphSnapshot
    /// What is left to settle, by key and property.
    public private(set) var conflicts: [GraphMerge.Conflict] = []

    /// Merges two versions of a graph.
    ///
    /// - Parameters:
    ///   - base: The graph that both come from.
    ///   - ours: Our version.
    ///   - theirs: The other one.
    ///   - options: How conflicts are settled, and what takes part.
    /// - Throws: ``GraftError``, as ``GraphDiff/init(from:to:options:)-(GraphSnapshot,_,_)``.
    /// - Complexity: As two diffs and one application; where there are uniqueness constraints, O(*n*) more.
    public init(
        base: GraphSnapshot, ours: GraphSnapshot, theirs: GraphSnapshot,
        options: GraphMerge.Options = GraphMerge.Options()
    ) throws {
        let rounding = base.rounding.union(ours.rounding).union(theirs.rounding)
        let reason = "the snapshots were made with different models"
        let (base, ours, theirs) = try (
            base.kept(rounding), ours.inOrder(of: base.schema, orFailAs: reason).kept(rounding),
            theirs.inOrder(of: base.schema, orFailAs: reason).kept(rounding)
        )
        var diff = options.diff
        // The base is there; what its rows are in the two others needs no guess.
        diff.base = diff.base ?? base.lineage
        let identification = try IdentityDecision(base.schema, diff, [base, ours, theirs]).identification
        let rows = RowAlignment(base: base, ours: ours, theirs: theirs, identification)
        try self.init(
            checked: rows.base, GraphDiff(from: rows.base, to: ours, diff, identifiedBy: rows.identification),
            GraphDiff(from: rows.base, to: rows.theirs, diff, identifiedBy: rows.identification), options)
    }

    /// Merges two diffs from the same graph.
    ///
    /// - Throws: ``GraftError``; with `changesDoNotFit` for a diff that isn't one from the base.
    public init(
        base: GraphSnapshot, ours: GraphDiff, theirs: GraphDiff, options: GraphMerge.Options = GraphMerge.Options()
    ) throws {
        try ours.identification.requireSame(as: theirs.identification)
        for diff in [ours, theirs] {
            _ = try base.applyingUnchecked(diff, options: GraphDiff.ApplyingOptions(diff: options.diff))
        }
        try self.init(checked: base, ours, theirs, options)
    }

    private init(
        checked base: GraphSnapshot, _ ours: GraphDiff, _ theirs: GraphDiff, _ options: GraphMerge.Options
    ) throws {
        self.base = base
        (self.ours, self.theirs) = ours.separatingAddedRows(from: theirs)
        diffOptions = options.diff
        snapshot = base
        try merge(options)
    }

    /// What leads from the base to the merged graph.
    ///
    /// - Throws: ``GraftError``, also where rows tell objects apart and have other numbers in the base than in ours.
    public func diff() throws -> GraphDiff {
        guard !identification.isBeyondFork(base) else {
            throw GraftError(
                .other(
                    finding: "the base has rows that our version has under other numbers",
                    remedy: "Take what leads from our version to the merged graph: diffFromOurs()."))
        }
        return try GraphDiff(from: base, to: snapshot, diffOptions, identifiedBy: identification)
    }

    /// What leads from our version to the merged graph.
    ///
    /// - Throws: ``GraftError``.
    public func diffFromOurs() throws -> GraphDiff {
        let ours = try base.applyingUnchecked(ours, options: GraphDiff.ApplyingOptions(diff: diffOptions))
        return try GraphDiff(from: ours, to: snapshot, diffOptions, identifiedBy: identification)
    }

    /// What tells objects apart on all sides, where the model doesn't say it.
    public var identification: GraphDiff.Identification {
        var identification = ours.identification
        identification.merge(theirs.identification)
        return identification
    }

    /// What was settled so far, by policies and choices.
    public var settled: [(conflict: GraphMerge.Conflict, choice: GraphMerge.Choice)] {
        let left = Set(conflicts.map(\.place))
        return choices.values.filter { !left.contains($0.conflict.place) }.sorted { $0.conflict < $1.conflict }
    }

    /// Settles a conflict of the list. What depends on it can become a conflict, or be none any more.
    ///
    /// - Throws: ``GraftError`` for a conflict that isn't in the list, for a value that the attribute can't hold, and for one where the
    ///   conflict isn't about an attribute.
    public mutating func settle(_ conflict: GraphMerge.Conflict, _ choice: GraphMerge.Choice) throws {
        guard conflicts.contains(conflict) else {
            throw GraftError(
                .other(
                    finding: "there is no such conflict of \(conflict.key)",
                    remedy: "Settle one of the merge's list of conflicts."),
                at: .init(entity: conflict.key.entity, property: conflict.property))
        }
        if case .value(let value) = choice { try conflict.check(value, base.schema) }
        choices[conflict.place] = (conflict, choice)
        try merge(nil)
    }

    /// Settles conflicts of the list in the same way, at once.
    ///
    /// - Returns: The places of those that there are, once the others are settled.
    mutating func settle(
        _ conflicts: [GraphMerge.Conflict], _ choice: GraphMerge.Choice
    ) throws -> Set<GraphMerge.Conflict.Place> {
        for conflict in conflicts { choices[conflict.place] = (conflict, choice) }
        return try merge(nil)
    }

    /// - Parameter options: With the policies; nil where choices alone settle.
    /// - Returns: The places of the conflicts that were settled.
    @discardableResult
    private mutating func merge(_ options: GraphMerge.Options?) throws -> Set<GraphMerge.Conflict.Place> {
        let identified = try base.identified(by: identification)
        let policies = options.map { MergePolicies($0, identified, ours, theirs) }
        var merger = try Merger(identified, ours, theirs, diffOptions) { [choices] conflict in
            choices[conflict.place]?.choice ?? policies?.choice(for: conflict)
        }
        snapshot = try merger.merged().identified(base.schema)
        conflicts = merger.conflicts.sorted()
        for (conflict, choice) in merger.settled { choices[conflict.place] = (conflict, choice) }
        return Set(merger.settled.map(\.0.place))
    }
}

extension GraphMerge: Codable {
    private static let version = 1

    private enum CodingKeys: String, CodingKey { case version, base, ours, theirs, options, settled }

    private struct Settled: Codable {
        var conflict: GraphMerge.Conflict
        var choice: GraphMerge.Choice
    }

    /// Encodes the three parts and what was settled. Policies aren't part of it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        try container.encode(base, forKey: .base)
        try container.encode(ours, forKey: .ours)
        try container.encode(theirs, forKey: .theirs)
        try container.encode(diffOptions, forKey: .options)
        try container.encode(settled.map { Settled(conflict: $0, choice: $1) }, forKey: .settled)
    }

    /// Decodes a merge and does it anew.
    ///
    /// - Throws: `DecodingError`, ``GraftError``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try container.requireVersion(Self.version, forKey: .version, of: "A merge")
        base = try container.decode(GraphSnapshot.self, forKey: .base)
        ours = try container.decode(GraphDiff.self, forKey: .ours)
        theirs = try container.decode(GraphDiff.self, forKey: .theirs)
        diffOptions = try container.decode(DiffOptions.self, forKey: .options)
        snapshot = base
        for settled in try container.decode([Settled].self, forKey: .settled) {
            choices[settled.conflict.place] = (settled.conflict, settled.choice)
        }
        for diff in [ours, theirs] {
            _ = try base.applyingUnchecked(diff, options: GraphDiff.ApplyingOptions(diff: diffOptions))
        }
        try merge(nil)
    }
}
