// Diffs applied to contexts and stores.

public import CoreData

extension NSManagedObjectContext {
    /// Applies a diff to the context's objects, those included that it fetches for it. Nothing is saved. Call it on the
    /// context's queue.
    ///
    /// Each change fits only where the object still has what the diff knows as old. Deleted objects obey the delete rules in
    /// what the diff doesn't know of them.
    ///
    /// - Parameters:
    ///   - diff: The changes. To take them back, apply ``GraphDiff/inverted``.
    ///   - objects: The objects that the diff was made of, in its order, where they have no identity.
    ///   - options: What becomes of changes that don't fit, and what takes part.
    /// - Returns: What was done and what didn't fit.
    /// - Throws: ``GraftError`` with `changesDoNotFit`, where the policy is to fail; `unknownEntity`, `unknownProperty` and
    ///   `wrongType` for a diff of another model; the errors of fetches. The context is then as it was before.
    /// - Complexity: O(*c*) for *c* changes and the members of the relationships that they change, with a fetch for 500
    ///   objects of an entity.
    @discardableResult
    public func apply(
        _ diff: GraphDiff, to objects: [NSManagedObject] = [],
        options: GraphDiff.ApplyingOptions = GraphDiff.ApplyingOptions()
    ) throws -> GraphDiff.ApplyingReport {
        try patch(objects, with: diff, options, isDryRun: false)
    }

    fileprivate func patch(
        _ objects: [NSManagedObject], with diff: GraphDiff, _ options: GraphDiff.ApplyingOptions, isDryRun: Bool
    ) throws -> GraphDiff.ApplyingReport {
        var options = options
        if !objects.isEmpty { options.diff.matchesRootsByPosition = true }
        var patcher = try ObjectPatcher(self, roots: objects, options, diff.identification)
        try diff.identification.requireAgreement(options.diff, patcher.scope.schema)
        let report = try CoreDataErrors.graftErrors {
            try withFaultsAsErrors { try patcher.apply(diff, isDryRun: isDryRun) }
        }
        if !isDryRun { try patcher.part(after: diff) }
        return report
    }
}

extension NSPersistentContainer {
    /// Applies a diff to the container's stores, in one save of a context of its own.
    ///
    /// - Parameters:
    ///   - diff: The changes. To take them back, apply ``GraphDiff/inverted``.
    ///   - options: What becomes of changes that don't fit, and what takes part.
    ///   - isDryRun: Whether nothing is saved: what doesn't fit is found all the same, and what the model's rules
    ///     refuse; what exceeds a limit of deletions is in the report.
    /// - Returns: What was done and what didn't fit.
    /// - Throws: ``GraftError``; the stores are then as they were before.
    @discardableResult
    public func apply(
        _ diff: GraphDiff, options: GraphDiff.ApplyingOptions = GraphDiff.ApplyingOptions(), isDryRun: Bool = false
    ) throws -> GraphDiff.ApplyingReport {
        let context = newBackgroundContext()
        return try context.performAndWait {
            try context.withFaultsAsErrors { try context.applyAndSave(diff, options, isDryRun: isDryRun) }
        }
    }
}

extension NSManagedObjectContext {
    fileprivate func applyAndSave(
        _ diff: GraphDiff, _ options: GraphDiff.ApplyingOptions, isDryRun: Bool
    ) throws -> GraphDiff.ApplyingReport {
        let report = try patch([], with: diff, options, isDryRun: isDryRun)
        do {
            if isDryRun {
                try validateAsSave()
            } else if hasChanges {
                try saveNamingRefused()
            }
        } catch {
            throw CoreDataErrors.graftError(error)
        }
        return report
    }
}
