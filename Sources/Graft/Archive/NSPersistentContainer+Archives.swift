// Archiving and restoring the stores of a container: on background contexts of its own.

public import CoreData
public import Foundation

extension NSPersistentContainer {
    /// Writes an archive of all objects of the container's stores, and waits for it.
    ///
    /// The same stores give the same bytes. Memory doesn't grow with the objects but for an ID, a number and, in JSON, a
    /// name of each.
    ///
    /// - Parameters:
    ///   - destination: The file, which is replaced when all has succeeded, or an open file.
    ///   - options: The encoding, and whether the model is included.
    ///   - progress: Is told how many objects have been written; cancelling it ends the work.
    /// - Returns: The archive's header.
    /// - Throws: ``GraftError``; a file is then as it was.
    @discardableResult
    public func writeArchive(
        to destination: ExportDestination, options: GraphArchive.WritingOptions = .init(), progress: Progress? = nil
    ) throws -> GraphArchive.Header {
        let context = newBackgroundContext()
        return try context.performAndWait {
            try context.readOneState()
            return try ArchiveRun(context: context, options: options, progress: progress, releasesObjects: true)
                .write(nil, to: destination)
        }
    }

    /// Writes an archive of all objects without blocking the caller. Cancelling the task ends the work.
    ///
    /// - Throws: As ``writeArchive(to:options:progress:)-(_,_,_)``.
    @discardableResult
    public func writeArchive(
        to destination: ExportDestination, options: GraphArchive.WritingOptions = .init(), progress: Progress? = nil
    ) async throws -> GraphArchive.Header {
        let context = newBackgroundContext()
        let progress = progress ?? Progress(totalUnitCount: 0)
        return try await context.perform(cancelling: progress) {
            try context.readOneState()
            return try ArchiveRun(context: context, options: options, progress: progress, releasesObjects: true)
                .write(nil, to: destination)
        }
    }

    /// Restores an archive into the container's stores, and waits for it.
    ///
    /// Objects that the stores have already, by identity, get the archive's values and relationships instead of being made
    /// a second time; objects without identity are found by their contents. What the archive doesn't have stays as it
    /// is. By default all is one save, which succeeds as a whole or changes nothing, whatever is wrong with the archive.
    ///
    /// - Parameters:
    ///   - archive: The archive.
    ///   - options: How much the models may differ, and how memory is bounded.
    ///   - progress: Is told how far it is, in bytes; cancelling it ends the work.
    /// - Returns: What was inserted, updated and left alone, per entity.
    /// - Throws: ``GraftError``: `damagedArchive` with the place, `otherModel` with the differences, or what the stores refuse.
    @discardableResult
    public func restore(
        _ archive: GraphArchive, options: GraphArchive.RestoringOptions = .init(), progress: Progress? = nil
    ) throws -> ImportReport {
        let context = newImportContext()
        defer { Self.letGo(of: context) }
        return try context.performAndWait {
            try context.withFaultsAsErrors {
                try RestoreRun(archive, into: context, isCallers: false, options: options, progress: progress).run()
            }
        }
    }

    /// Restores an archive without blocking the caller. Cancelling the task ends the work.
    ///
    /// - Throws: As ``restore(_:options:progress:)-(_,_,_)``.
    @discardableResult
    public func restore(
        _ archive: GraphArchive, options: GraphArchive.RestoringOptions = .init(), progress: Progress? = nil
    ) async throws -> ImportReport {
        let context = newImportContext()
        defer { Self.letGo(of: context) }
        let progress = progress ?? Progress(totalUnitCount: 0)
        return try await context.perform(cancelling: progress) {
            try context.withFaultsAsErrors {
                try RestoreRun(archive, into: context, isCallers: false, options: options, progress: progress).run()
            }
        }
    }
}
