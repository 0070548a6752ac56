// Restoring an archive from beginning to end.
//
//     caller's context     objects stay unsaved; on an error all of it is taken back
//     own context          one save at the end, or nothing at all in a dry run
//     own, saved batches   the whole archive is verified, then each batch is saved and let go

import CoreData
import Foundation

/// The restoring of one archive into one context. Runs on the context's queue.
struct RestoreRun {
    private let context: NSManagedObjectContext
    private let archive: GraphArchive
    private let options: GraphArchive.RestoringOptions
    private let progress: ByteProgress
    /// Whether the context is the caller's, who saves it.
    private let isCallers: Bool
    private let savesBatches: Bool
    /// How many values and relationships a batch has at most, those included that its objects don't have.
    private static let widestBatch = 1 << 21

    init(
        _ archive: GraphArchive, into context: NSManagedObjectContext, isCallers: Bool,
        options: GraphArchive.RestoringOptions, progress: Progress?
    ) throws {
        self.context = context
        self.options = options
        self.isCallers = isCallers
        savesBatches = !isCallers && options.savesEachBatch && !options.isDryRun
        let source = savesBatches ? try archive.source.rereadable() : archive.source
        self.archive = GraphArchive(source)
        self.progress = ByteProgress(progress, sources: [source], isReadTwice: savesBatches)
    }

    /// Restores the archive.
    ///
    /// - Throws: ``GraftError``. The context is then as it was before; saved batches stay.
    func run() throws -> ImportReport {
        defer { archive.source.removeTemporaryFile() }
        let model = try context.requiredModel()
        let decoder = try archive.decoder()
        let match = try ArchiveModelMatch(decoder.header, try GraphSchema(model), model, fit: options.fit)
        if savesBatches {
            _ = try archive.verify(progress)
            progress.finishCheck()
        }
        let editor = ObjectEditor(context, match.schema)
        var report = ImportReport()
        do {
            let restorer = try ArchiveRestorer(match, model, context, options, editor, savesBatches: savesBatches)
            let lineage = decoder.header.lineage
            let own = isCallers || lineage == nil ? nil : try context.lineage()
            let isNew = own.map { $0.rows.values.allSatisfy { $0 == 0 } } ?? false
            restorer.keepsRows = own != nil && (isNew || own?.store == lineage?.store)
            try restore(decoder, restorer, &report)
            try end(restorer)
            if isNew, !options.isDryRun, let lineage { try context.adopt(lineage) }
            report.take(restorer)
        } catch {
            try editor.undo()
            var error = CoreDataErrors.graftError(error)
            if savesBatches, report.batchCount > 0, error.underlying == nil {
                error.underlying = "\(report.batchCount) batches before it had been saved and stay"
            }
            throw error.located(in: .init(source: archive.source.name))
        }
        report.isDryRun = options.isDryRun
        progress.finish()
        return report
    }

    private func restore(
        _ decoder: any ArchiveDecoder, _ restorer: ArchiveRestorer, _ report: inout ImportReport
    ) throws {
        let batchSize = max(1, options.batchSize)
        // Values that aren't there take a bit in an archive and a place in a record.
        let widths = try decoder.header.archiveEntities().map(\.items.count)
        var width = 0
        var records: [ArchiveRecord] = []
        records.reserveCapacity(min(batchSize, 1 << 16))
        func take() throws {
            try progress.checkCancellation()
            try restorer.restore(records)
            report.recordCount += records.count
            records.removeAll(keepingCapacity: true)
            width = 0
            if savesBatches, restorer.canSave {
                try restorer.save()
                report.batchCount += 1
            }
            progress.advance(to: decoder.offset)
        }
        while let record = try decoder.next() {
            records.append(record)
            width += widths[record.entity]
            if records.count >= batchSize || width >= Self.widestBatch { try take() }
        }
        if !records.isEmpty { try take() }
    }

    private func end(_ restorer: ArchiveRestorer) throws {
        try restorer.finish {
            try progress.checkCancellation()
            if savesBatches { try restorer.save() }
        }
        guard restorer.canSave else {
            throw GraftError(
                .damagedArchive(found: "a mandatory reference to an object that isn't in it", expected: "an object"))
        }
        if isCallers {
            try validate(restorer)
            if options.isDryRun { try restorer.editor.undo() }
        } else if !options.isDryRun {
            try restorer.saveChanges()
        } else if options.validates {
            try validate(restorer)
        }
    }

    /// Says now what the model refuses of the archive's objects, and not when the caller saves.
    private func validate(_ restorer: ArchiveRestorer) throws {
        context.processPendingChanges()
        for object in restorer.live.present {
            if object.isInserted {
                try object.validateForInsert()
            } else if object.isUpdated {
                try object.validateForUpdate()
            }
        }
    }
}

extension ImportReport {
    /// Takes over what was counted.
    fileprivate mutating func take(_ restorer: ArchiveRestorer) {
        fetchCount = restorer.known.fetchCount
        entities = restorer.schema.entities.indices.filter { !restorer.counts[$0].isEmpty }
            .map { Entity(name: restorer.schema.entities[$0].name, counts: restorer.counts[$0]) }
            .sorted { $0.name < $1.name }
    }
}
