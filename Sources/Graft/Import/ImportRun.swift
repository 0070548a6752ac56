// One import from beginning to end: texts through readers, batch by batch, into a context.
//
//     caller's context     batches pile up unsaved; on an error all of it is taken back
//     own context          the same, then one save; or nothing at all in a dry run
//     own, saved batches   each batch is saved and let go; the texts are read once before, so that their errors come first

import CoreData
import Foundation

/// An import of some texts into one context. Runs on the context's queue.
struct ImportRun {
    /// What becomes of the objects.
    enum Mode {
        /// They stay unsaved.
        case keep
        /// They are saved at the end.
        case saveAtEnd
        /// They are saved batch by batch.
        case saveBatches
        /// They are let go at the end.
        case discard
    }

    let context: NSManagedObjectContext
    let sources: [ImportSource]
    let entityName: String?
    let options: ImportOptions
    let progress: ImportProgress
    let mode: Mode
    private let mapping: GraphMapping
    private let archiveMapping: GraphMapping
    private let model: NSManagedObjectModel

    init(
        _ sources: [ImportSource], into context: NSManagedObjectContext, entityName: String?, options: ImportOptions,
        progress: Progress?, mode: Mode
    ) throws {
        guard let model = context.graftModel else {
            throw GraftError(
                .missingModel(reason: "the context '\(context.name ?? "unnamed")' has no persistent store coordinator"))
        }
        self.context = context
        self.entityName = entityName
        self.options = options
        self.mode = mode
        self.model = model
        mapping = try GraphMapping(model)
        archiveMapping = try GraphMapping(model, isArchive: true)
        let isReadTwice = mode == .saveBatches && options.checksInputFirst
        self.sources = isReadTwice ? try sources.map { try $0.rereadable() } : sources
        self.progress = ImportProgress(progress, sources: self.sources, isReadTwice: isReadTwice)
    }

    /// Runs the import.
    ///
    /// - Parameter roots: Collects the objects that the texts are about, in their order.
    /// - Throws: ``GraftError``. The context is then as it was before; saved batches stay.
    func run(roots: ((NSManagedObject) -> Void)? = nil) throws -> ImportReport {
        defer { for source in sources { source.removeTemporaryFile() } }
        if mode == .saveBatches, options.checksInputFirst { try check() }
        let importer = try BatchImporter(
            mapping.schema, context: context, entities: model.entitiesByName, options: options,
            keepsObjects: mode != .saveBatches)
        var report = ImportReport()
        report.isDryRun = mode == .discard
        do {
            for (number, source) in sources.enumerated() {
                importer.sourceNumber = number
                try run(source, importer, &report, roots)
            }
            try finish(importer)
        } catch {
            let located = located(error, importer, report)
            try importer.undo.undo()
            throw located
        }
        report.fetchCount = importer.fetchCount
        report.entities = mapping.schema.entities.indices.filter { !importer.counts[$0].isEmpty }
            .map { ImportReport.Entity(name: mapping.schema.entities[$0].name, counts: importer.counts[$0]) }
            .sorted { $0.name < $1.name }
        progress.finish()
        return report
    }

    private func run(
        _ source: ImportSource, _ importer: BatchImporter, _ report: inout ImportReport,
        _ roots: ((NSManagedObject) -> Void)?
    ) throws {
        var reader = try snapshotReader(source)
        var hasMore = true
        while hasMore {
            try progress.checkCancellation()
            reader.startBatch()
            hasMore = try reader.readBatch(rowLimit: max(1, options.batchSize))
            if reader.snapshot.rowCount == 0 { continue }
            try importer.importBatch(reader.snapshot)
            if let roots { importer.forEachRoot(reader.snapshot, roots) }
            if mode == .saveBatches { try save(importer, reader.snapshot) }
            report.batchCount += 1
            progress.advance(to: reader.reader.tokenOffset)
        }
        report.recordCount += reader.recordCount
        progress.finishSource(source)
    }

    private func snapshotReader(_ source: ImportSource) throws -> SnapshotReader {
        SnapshotReader(
            try source.makeReader(options), mapping: mapping, archiveMapping: archiveMapping,
            entityName: source.entity ?? entityName)
    }

    /// Reads everything and keeps nothing.
    private func check() throws {
        for source in sources {
            var reader = try snapshotReader(source)
            var hasMore = true
            while hasMore {
                try progress.checkCancellation()
                reader.startBatch()
                hasMore = try reader.readBatch(rowLimit: max(1, options.batchSize))
                // An archive is one batch, so nothing is saved before all of it has been read.
                if reader.isArchive { hasMore = false }
                progress.advance(to: reader.reader.tokenOffset)
            }
            progress.finishSource(source)
        }
        progress.finishCheck()
    }

    // MARK: Ends

    private func save(_ importer: BatchImporter, _ snapshot: borrowing GraphSnapshot) throws {
        importer.deleteOrphans()
        if context.hasChanges { try context.save() }
        importer.batchWasSaved(snapshot)
        // Lets go of the objects, and of the cycles between them.
        context.reset()
    }

    private func finish(_ importer: BatchImporter) throws {
        switch mode {
        case .saveBatches: break
        case .keep:
            try importer.validateChanges(mapping)
            importer.deleteOrphans()
        case .discard:
            try importer.validateChanges(mapping)
            importer.deleteOrphans()
            context.reset()
        case .saveAtEnd:
            importer.deleteOrphans()
            if context.hasChanges { try context.save() }
        }
    }

    /// The error with the place in the text that it came from, as far as that is known.
    private func located(_ error: any Error, _ importer: BatchImporter, _ report: ImportReport) -> GraftError {
        var located = ImportErrors.graftError(error)
        if let object = ImportErrors.object(of: error), let origin = importer.origin(of: object) {
            located = located.located(in: sources[origin.source].place(ofOffset: origin.offset, options))
        } else if let offset = located.place.byteOffset, located.place.line == nil {
            located.place.byteOffset = nil
            located = located.located(in: sources[importer.sourceNumber].place(ofOffset: offset, options))
        }
        if mode == .saveBatches, report.batchCount > 0, located.underlying == nil {
            let batches = report.batchCount == 1 ? "1 batch" : "\(report.batchCount) batches"
            located.underlying = "\(batches) before it had been saved and stay"
        }
        return located
    }
}

extension NSManagedObjectContext {
    /// The model of the context's coordinator; nil where it has none.
    var graftModel: NSManagedObjectModel? { persistentStoreCoordinator?.managedObjectModel }
}
