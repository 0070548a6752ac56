// Importing JSON into the stores of a container: on a background context of its own, and saved.

public import CoreData
public import Foundation

extension NSPersistentContainer {
    /// Imports JSON into the container's stores and waits for it.
    ///
    /// By default the import is one save: it succeeds as a whole, or fails and leaves the stores as they were. For files that
    /// don't fit into memory, ``ImportOptions/savesEachBatch`` bounds it. Imports into the same stores wait for each other,
    /// so that two of the same data don't make everything twice. Into an empty store, rows are written without objects where
    /// nobody needs any: then the notification of the save has their IDs alone.
    ///
    /// - Parameters:
    ///   - sources: The texts, in any order: objects that one refers to may come in a later one.
    ///   - entity: The entity of their objects, where the sources don't name it themselves; may be left out where the
    ///     model has one entity to which no relationship leads, and for archives.
    ///   - options: How the import behaves.
    ///   - progress: Is told how far the import is, in bytes; cancelling it ends the import.
    /// - Returns: What was inserted, updated and left alone, per entity.
    /// - Throws: ``GraftError``.
    @discardableResult
    public func importJSON(
        from sources: [ImportSource], entity: String? = nil, options: ImportOptions = ImportOptions(),
        progress: Progress? = nil
    ) throws -> ImportReport {
        let context = newImportContext()
        defer { Self.letGo(of: context) }
        return try context.performAndWait {
            try context.withFaultsAsErrors { try Self.run(sources, context, entity, options, progress) }
        }
    }

    /// Imports JSON files and waits for it.
    ///
    /// - Throws: ``GraftError``.
    @discardableResult
    public func importJSON(
        contentsOf urls: [URL], entity: String? = nil, options: ImportOptions = ImportOptions(),
        progress: Progress? = nil
    ) throws -> ImportReport {
        try importJSON(from: urls.map { .file($0) }, entity: entity, options: options, progress: progress)
    }

    /// Imports JSON into the container's stores without blocking the caller. Cancelling the task, too, ends the import.
    ///
    /// - Parameters:
    ///   - sources: The texts, in any order: objects that one refers to may come in a later one.
    ///   - entity: The entity of their objects, where the sources don't name it themselves.
    ///   - options: How the import behaves.
    ///   - progress: Is told how far the import is, in bytes; cancelling it ends the import.
    /// - Returns: What was inserted, updated and left alone, per entity.
    /// - Throws: ``GraftError``.
    @discardableResult
    public func importJSON(
        from sources: [ImportSource], entity: String? = nil, options: ImportOptions = ImportOptions(),
        progress: Progress? = nil
    ) async throws -> ImportReport {
        let context = newImportContext()
        defer { Self.letGo(of: context) }
        let progress = progress ?? Progress(totalUnitCount: 0)
        return try await context.perform(cancelling: progress) {
            try context.withFaultsAsErrors { try Self.run(sources, context, entity, options, progress) }
        }
    }

    /// Imports JSON files without blocking the caller.
    ///
    /// - Throws: ``GraftError``.
    @discardableResult
    public func importJSON(
        contentsOf urls: [URL], entity: String? = nil, options: ImportOptions = ImportOptions(),
        progress: Progress? = nil
    ) async throws -> ImportReport {
        try await importJSON(from: urls.map { .file($0) }, entity: entity, options: options, progress: progress)
    }

    /// A context that nobody else will know.
    func newImportContext() -> NSManagedObjectContext {
        let context = newBackgroundContext()
        context.isObserved = false
        return context
    }

    /// Releases a context elsewhere: what it holds is no longer needed, and taking 100,000 objects apart takes a sixth of the
    /// time of their import.
    static func letGo(of context: NSManagedObjectContext) {
        DispatchQueue.global(qos: .utility).async { withExtendedLifetime(context) {} }
    }

    private static func run(
        _ sources: [ImportSource], _ context: NSManagedObjectContext, _ entity: String?, _ options: ImportOptions,
        _ progress: Progress?
    ) throws -> ImportReport {
        try ImportRun(
            sources, into: context, entityName: entity, options: options, progress: progress,
            mode: options.savesEachBatch ? .saveBatches : .saveAtEnd
        ).run()
    }
}

extension NSManagedObjectContext {
    /// Runs work on the context's queue. Where the task is cancelled, so is its progress.
    func perform<T>(cancelling progress: Progress, _ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withTaskCancellationHandler {
            try await perform { try work() }
        } onCancel: {
            progress.cancel()
        }
    }
}
