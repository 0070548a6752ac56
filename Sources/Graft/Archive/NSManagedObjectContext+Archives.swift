// Archiving from a context and restoring into one, as its owner calls it, unsaved changes included. Nothing here saves.

public import CoreData
public import Foundation

extension NSManagedObjectContext {
    /// Writes an archive: of some objects and everything that they reach, or of all, unsaved changes included.
    ///
    /// Call it on the context's queue. All relationships are followed, in both directions. The objects stay in memory.
    ///
    /// - Parameters:
    ///   - objects: The objects to begin with; nil for all that the context and its stores have.
    ///   - destination: The file, which is replaced when all has succeeded, or an open file.
    ///   - options: The encoding, and whether the model is included.
    ///   - progress: Is told how many objects have been written; cancelling it ends the work.
    /// - Returns: The archive's header.
    /// - Throws: ``GraftError``; a file is then as it was.
    @discardableResult
    public func writeArchive(
        of objects: [NSManagedObject]? = nil, to destination: ExportDestination,
        options: GraphArchive.WritingOptions = .init(), progress: Progress? = nil
    ) throws -> GraphArchive.Header {
        try ArchiveRun(context: self, options: options, progress: progress, releasesObjects: false)
            .write(objects, to: destination)
    }

    /// Returns an archive of some objects and everything that they reach, or of all.
    ///
    /// - Throws: As ``writeArchive(of:to:options:progress:)``.
    public func archive(
        of objects: [NSManagedObject]? = nil, options: GraphArchive.WritingOptions = .init()
    ) throws -> GraphArchive {
        GraphArchive(
            try ArchiveRun(context: self, options: options, progress: nil, releasesObjects: false).data(objects))
    }

    /// Restores an archive into the context, as ``CoreData/NSPersistentContainer`` does into its stores, and doesn't save.
    ///
    /// Call it on the context's queue. ``GraphArchive/RestoringOptions/savesEachBatch`` has no effect here.
    ///
    /// - Returns: What was inserted, updated and left alone, per entity.
    /// - Throws: ``GraftError``. Then the context is as it was before, other unsaved changes included.
    @discardableResult
    public func restore(
        _ archive: GraphArchive, options: GraphArchive.RestoringOptions = .init(), progress: Progress? = nil
    ) throws -> ImportReport {
        try RestoreRun(archive, into: self, isCallers: true, options: options, progress: progress).run()
    }
}
