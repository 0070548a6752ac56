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
        // What a model has no place for is missing at the other end, too.
        let balance = options.fit == .exact ? LinkBalance(match) : nil
        var report = ImportReport()
        do {
            if savesBatches {
                _ = try archive.verify(progress) { try balance?.add($0) }
                try balance?.check()
                progress.finishCheck()
            }
            let own = isCallers || decoder.header.lineage == nil ? nil : try context.lineage()
            let isNew = own.map { $0.rows.values.allSatisfy { $0 == 0 } } ?? false
            let keepsRows = own != nil && (isNew || own?.store == decoder.header.lineage?.store)
            if try !restoreRows(decoder, match, model, keepsRows, balance, &report) {
                try restoreObjects(decoder, match, model, keepsRows, balance, &report)
            }
            if isNew, !options.isDryRun, let lineage = decoder.header.lineage { try context.adopt(lineage) }
        } catch {
            var error = CoreDataErrors.graftError(error)
            if savesBatches, report.batchCount > 0, error.underlying == nil {
                error.underlying = "\(report.batchCount) batches before it had been saved and stay"
            }
            throw error.located(in: .init(source: archive.source.name))
        }
        report.misfits = match.misfits
        report.isDryRun = options.isDryRun
        progress.finish()
        return report
    }

    /// Restores into an empty store without making objects; returns false where that can't be.
    private func restoreRows(
        _ decoder: any ArchiveDecoder, _ match: ArchiveModelMatch, _ model: NSManagedObjectModel, _ keepsRows: Bool,
        _ balance: LinkBalance?, _ report: inout ImportReport
    ) throws -> Bool {
        #if canImport(Darwin) || GRAFT_PORTABLE
            return false
        #else
            guard !isCallers,
                let restorer = try RowRestorer(match, model, context, options, keepsRows: keepsRows)
            else { return false }
            try forEachBatch(of: decoder, balance, &report) { records in
                try restorer.restore(records)
                if savesBatches { try restorer.save() }
                return savesBatches
            }
            try restorer.finish { try progress.checkCancellation() }
            report.enter(restorer.counts, match.schema)
            report.fetchCount = restorer.fetchCount
            return true
        #endif
    }

    private func restoreObjects(
        _ decoder: any ArchiveDecoder, _ match: ArchiveModelMatch, _ model: NSManagedObjectModel, _ keepsRows: Bool,
        _ balance: LinkBalance?, _ report: inout ImportReport
    ) throws {
        let editor = ObjectEditor(context, match.schema)
        try editor.atomically {
            let restorer = try ArchiveRestorer(match, model, context, options, editor, savesBatches: savesBatches)
            restorer.keepsRows = keepsRows
            try forEachBatch(of: decoder, balance, isOne: restorer.needsAllRecords, &report) { records in
                try restorer.restore(records)
                guard savesBatches, restorer.canSave else { return false }
                try CoreDataErrors.graftErrors { try restorer.save() }
                return true
            }
            // In words as long as the objects have the values that they are about: what fails is taken back.
            try CoreDataErrors.graftErrors { try end(restorer) }
            report.enter(restorer.counts, match.schema)
            report.fetchCount = restorer.known.fetchCount
        }
    }

    /// - Parameters:
    ///   - isOne: Whether all records are one batch.
    ///   - take: Takes over a batch of records; returns whether it has saved them.
    private func forEachBatch(
        of decoder: any ArchiveDecoder, _ balance: LinkBalance?, isOne: Bool = false, _ report: inout ImportReport,
        _ take: ([ArchiveRecord]) throws -> Bool
    ) throws {
        let batches = try RecordReading(
            decoder, of: archive.source, batchSize: isOne ? nil : max(1, options.batchSize))
        try batches.forEach { records, offset in
            try progress.checkCancellation()
            if !savesBatches, let balance { for record in records { try balance.add(record) } }
            if try take(records) { report.batchCount += 1 }
            report.recordCount += records.count
            progress.advance(to: offset)
        }
        if !savesBatches { try balance?.check() }
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
