// Snapshots and diffs: what a snapshot holds in the form of a diff, and what a diff makes of a snapshot.

public import CoreData

extension GraphSnapshot {
    /// Makes a snapshot without objects.
    ///
    /// - Throws: ``GraftError`` for a model that contradicts itself.
    public init(model: NSManagedObjectModel) throws { self.init(try GraphSchema(model)) }

    /// Applies a diff.
    ///
    /// Each change fits only where the snapshot still has what the diff knows as old. Both sides of a relationship are kept
    /// consistent. Deleted objects obey the delete rules in what the diff doesn't know of them.
    ///
    /// - Parameters:
    ///   - diff: The changes. To take them back, apply ``GraphDiff/inverted``.
    ///   - options: What becomes of changes that don't fit, and what takes part.
    /// - Returns: What was done and what didn't fit.
    /// - Throws: ``GraftError`` with `changesDoNotFit`, where the policy is to fail; `tooManyDeletions` for more than the
    ///   options allow; `validation` for a mandatory property that loses its value and a relationship with too few or too many
    ///   members; `unknownEntity`, `unknownProperty` and `wrongType` for a diff of another model. The snapshot is then as it
    ///   was.
    /// - Complexity: O(*c*) for *c* changes and the members of the relationships that they change, plus one copy of each
    ///   table that they touch.
    @discardableResult
    public mutating func apply(_ diff: GraphDiff, options: GraphDiff.ApplyingOptions = GraphDiff.ApplyingOptions())
        throws -> GraphDiff.ApplyingReport
    {
        try apply(diff, options, checksRules: true)
    }

    /// Applies a diff; whether the model allows what has become of it may be left to others.
    @discardableResult
    mutating func apply(_ diff: GraphDiff, _ options: GraphDiff.ApplyingOptions, checksRules: Bool) throws
        -> GraphDiff.ApplyingReport
    {
        try diff.identification.requireLineage(lineage)
        let identified = try identified(by: diff.identification)
        var patcher = try SnapshotPatcher(identified, options)
        try patcher.apply(diff.kept(rounding))
        let exceeded = patcher.exceededLimits(options) { identified.objectCount(of: $0, patcher.scope) }
        if let first = exceeded.first { throw first.error }
        if checksRules { try patcher.checkRules(since: identified) }
        self = try patcher.snapshot.identified(schema)
        return patcher.report
    }

    /// How many objects of an entity and its sub-entities there are, without those that are only referred to.
    private func objectCount(of entity: Int, _ scope: DiffScope) -> Int {
        (entity..<schema.entities[entity].end).reduce(0) { count, number in
            count + liveRows(of: number).count { !isReference(number, $0, scope) }
        }
    }

    /// Returns the snapshot that a diff leads to, whatever the model says of it.
    func applyingUnchecked(_ diff: GraphDiff, options: GraphDiff.ApplyingOptions) throws -> GraphSnapshot {
        var result = self
        try result.apply(diff, options, checksRules: false)
        return result
    }

    /// Returns the snapshot that a diff leads to.
    ///
    /// - Throws: As ``apply(_:options:)``.
    public func applying(_ diff: GraphDiff, options: GraphDiff.ApplyingOptions = GraphDiff.ApplyingOptions()) throws
        -> GraphSnapshot
    {
        var result = self
        try result.apply(diff, options: options)
        return result
    }

    /// What the snapshot has of each object, by key; objects that it only refers to are left out.
    ///
    /// - Throws: ``GraftError`` with `invalidMapping` or `missingIdentity` for objects that nothing identifies.
    public func contents(options: DiffOptions = DiffOptions()) throws -> [ObjectContents] {
        try GraphDiff(from: GraphSnapshot(schema), to: self, options: options).inserted
    }

    /// What the snapshot has of each object, by keys as a diff has them that tells objects apart in some way.
    func contents(
        _ options: DiffOptions, identifiedBy identification: GraphDiff.Identification
    ) throws -> [ObjectContents] {
        try GraphDiff(from: GraphSnapshot(schema), to: self, options, identifiedBy: identification).inserted
    }
}
