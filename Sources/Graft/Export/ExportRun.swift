// An export from beginning to end: objects in batches, through a writer.

import CoreData
import Foundation

/// An export from one context. Runs on the context's queue.
struct ExportRun {
    let context: NSManagedObjectContext
    let options: ExportOptions
    let progress: Progress?
    /// Whether nobody else uses the context, so that objects can be let go after each batch.
    let releasesObjects: Bool

    /// Writes the results of a request: an array, or one object per line.
    ///
    /// - Returns: How many there were.
    func write(_ request: NSFetchRequest<NSManagedObject>, to writer: inout JSONWriter) throws -> Int {
        guard let model = context.graftModel else {
            throw GraftError(.missingModel(reason: "the context has no persistent store coordinator"))
        }
        let name = request.entityName ?? ""
        guard model.entitiesByName[name] != nil else {
            let closest = NameSuggestion.closest(to: name, among: model.entitiesByName.keys.sorted())
            throw GraftError(.unknownEntity(name, closest: closest), at: .init(entity: name))
        }
        let progress = try ExportProgress(progress) { try context.count(for: request) }
        let objectWriter = try ObjectWriter(model, options)
        let batches = ObjectBatches(
            context: context, request: request, batchSize: options.batchSize,
            relationships: objectWriter.relationshipNames(of: name), releasesObjects: releasesObjects)
        var count = 0
        if options.format == .json { try writer.beginArray() }
        try batches.forEach { objects in
            try progress.checkCancellation()
            for object in objects where try objectWriter.write(object, to: &writer) { count += 1 }
            progress.advance(by: objects.count)
        }
        if options.format == .json { try writer.endArray() }
        progress.finish()
        return count
    }

    /// Writes an archive.
    ///
    /// - Returns: How many objects it has.
    func writeArchive(of entities: [String]?, to writer: inout JSONWriter) throws -> Int {
        var archive = try ArchiveWriter(
            context, entities: entities, options: options, releasesObjects: releasesObjects)
        let names = archive.entityNames()
        let progress = try ExportProgress(progress) {
            try names.reduce(0) { total, name in
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                request.includesSubentities = false
                return try total + context.count(for: request)
            }
        }
        let count = try archive.write(to: &writer, progress: progress)
        progress.finish()
        return count
    }

    /// Runs a closure with a writer into a place; errors come out as ``GraftError``.
    func write(
        to destination: ExportDestination, _ body: (inout JSONWriter) throws -> Int
    ) throws -> Int {
        try ImportErrors.graftErrors {
            try destination.write { handle in
                var writer = JSONWriter(handle, options: writerOptions)
                let count = try body(&writer)
                _ = try writer.finish()
                return count
            }
        }
    }

    /// Runs a closure with a writer into memory.
    func data(_ body: (inout JSONWriter) throws -> Void) throws -> Data {
        try ImportErrors.graftErrors {
            var writer = JSONWriter(options: writerOptions)
            try body(&writer)
            return try writer.finish()
        }
    }

    private var writerOptions: JSONWriter.Options {
        var writer = JSONWriter.Options()
        writer.isPretty = options.isPretty && options.format == .json
        writer.sortsKeys = options.sortsKeys
        return writer
    }
}
