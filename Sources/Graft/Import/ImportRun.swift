// One import from beginning to end: texts through readers, batch by batch, into a context.
//
//     caller's context     batches pile up unsaved; on an error all of it is taken back
//     own context          the same, then one save
//     own, saved batches   each batch is saved and let go; the texts are read once before, so that their errors come first
//
// A dry run of each does the same, asks what a save would refuse where there would be one, and takes all of it back.

import CoreData
import Foundation

/// An import of some texts into one context. Runs on the context's queue.
struct ImportRun {
    /// What becomes of the objects, or would without a dry run.
    enum Mode {
        /// They stay unsaved.
        case keep
        /// They are saved at the end.
        case saveAtEnd
        /// They are saved batch by batch.
        case saveBatches
    }

    let context: NSManagedObjectContext
    let sources: [ImportSource]
    let entityName: String?
    let options: ImportOptions
    let progress: ByteProgress
    let mode: Mode
    /// The object that the text's only record fills.
    let target: NSManagedObject?
    let mapping: GraphMapping
    /// The turns at writing of an import that saves.
    let turns: ImportTurns
    /// What was guessed of identities.
    private let identification: GraphDiff.Identification
    private let model: NSManagedObjectModel

    init(
        _ sources: [ImportSource], into context: NSManagedObjectContext, entityName: String?, options: ImportOptions,
        progress: Progress?, mode: Mode, target: NSManagedObject? = nil
    ) throws {
        self.target = target
        let model = try context.requiredModel()
        self.context = context
        self.entityName = entityName
        // What keeps nothing where anything fails is one save.
        self.mode = options.failurePolicy == .collect && mode == .saveBatches ? .saveAtEnd : mode
        self.model = model
        let isReadTwice: Bool
        var options = options
        var sources = try sources.map { try $0.named(for: entityName, model) }
        do {
            // A snapshot has the identities that it was made with.
            if options.guessesKeys, !sources.isEmpty {
                sources = try sources.rereadable()
                identification = try options.guessKeys(of: sources, entityName, for: context, model)
            } else {
                identification = GraphDiff.Identification()
            }
            self.options = options
            mapping = try GraphMapping(model, options.mapping)
            // A misspelt name is one also where there is nothing to import.
            for name in sources.map({ $0.entity ?? entityName }) where name != nil {
                _ = try mapping.entity(named: name)
            }
            let isCheckedFirst = self.mode == .saveBatches && !options.isDryRun && options.checksInputFirst
            isReadTwice = isCheckedFirst || options.failurePolicy != .fail
            if isReadTwice { sources = try sources.rereadable() }
            try Self.addDeletedLists(to: &sources, entityName, mapping)
        } catch {
            for source in sources { source.removeTemporaryFile() }
            throw error
        }
        self.sources = sources
        self.progress = ByteProgress(progress, sources: self.sources, isReadTwice: isReadTwice)
        turns = ImportTurns(context, keepsWaiting: self.progress.keepsWaiting)
    }

    /// Adds, behind the sources, the lists of objects that are gone which the texts have beside their records.
    private static func addDeletedLists(
        to sources: inout [ImportSource], _ entityName: String?, _ mapping: GraphMapping
    ) throws {
        for (number, source) in sources.enumerated()
        where try source.hasDeletedList(source.entity ?? entityName, mapping) {
            sources[number] = try source.rereadable()
            sources.append(sources[number].deletedList())
        }
    }

    var savesBatches: Bool { mode == .saveBatches && !options.isDryRun }

    /// Imports the texts.
    ///
    /// - Parameter roots: Collects the objects that the texts are about, in their order. It may refuse one.
    /// - Throws: ``GraftError``. The context is then as it was before; saved batches stay.
    func run(roots: ((NSManagedObject) throws -> Void)? = nil) throws -> ImportReport {
        defer { for source in sources { source.removeTemporaryFile() } }
        if options.failurePolicy != .fail {
            return try context.withFaultsAsErrors { try runNotingFailures(roots: roots) }
        }
        var seen = ImportReport()
        var kept = savesBatches && options.checksInputFirst ? try check(&seen) : nil
        return try perform { importer, report in
            if kept != nil { report = seen }
            for (number, source) in sources.enumerated() {
                importer.sourceNumber = number
                if kept != nil {
                    let batches = kept?.removeFirst() ?? []
                    try run(source, batches: batches, isLast: number == sources.count - 1, importer, &report)
                } else {
                    try run(source, importer, &report, roots)
                }
            }
        }
    }

    /// Imports a snapshot.
    ///
    /// - Throws: ``GraftError``. The context is then as it was before.
    func run(_ snapshot: GraphSnapshot) throws -> ImportReport {
        guard snapshot.schema == mapping.schema else {
            throw GraftError(.modelMismatch(reason: "the snapshot was made with another model"))
        }
        return try perform { importer, report in
            var snapshot = snapshot
            report.addRounded(snapshot.round(context.rounding), mapping.schema)
            try take(snapshot, isLast: true, importer, &report, nil)
            report.recordCount = snapshot.roots.count
        }
    }

    /// Runs an import to its end, and takes it back if it fails.
    private func perform(_ body: (BatchImporter, inout ImportReport) throws -> Void) throws -> ImportReport {
        if mode == .saveAtEnd, !options.isDryRun, target == nil, options.unresolvedReferences.isEmpty,
            sources.allSatisfy(\.canBeReadAhead)
        {
            do { return try perform(takingRows: true, body) } catch is NeedsObjects { progress.begin() }
        }
        return try perform(takingRows: false, body)
    }

    /// - Parameter takesRows: Whether it begins without objects.
    /// - Throws: ``NeedsObjects`` where it can't go on without them.
    private func perform(
        takingRows takesRows: Bool, _ body: (BatchImporter, inout ImportReport) throws -> Void
    ) throws -> ImportReport {
        let importer = try makeImporter()
        importer.triesRows = takesRows
        var report = ImportReport()
        report.isDryRun = options.isDryRun
        defer { turns.end() }
        try importer.editor.atomically {
            do {
                try takeEarlierReferences(importer)
                try body(importer, &report)
                try finish(importer, &report)
            } catch is NeedsObjects {
                throw NeedsObjects()
            } catch {
                throw located(error, importer, report)
            }
        }
        complete(&report, importer)
        return report
    }

    func makeImporter() throws -> BatchImporter {
        let importer = try BatchImporter(
            mapping, context: context, model: model, options: options,
            keepsObjects: !savesBatches)
        importer.target = target
        return importer
    }

    /// Enters what an importer has counted.
    func complete(_ report: inout ImportReport, _ importer: BatchImporter) {
        report.fetchCount = importer.matcher.known.fetchCount
        report.exceededLimits = importer.deletions.exceededLimits.map(\.sentence)
        // References that waited may have come last.
        importer.tally.countLosses()
        report.enter(importer.tally.counts, mapping.schema)
        report.enter(importer.tally.losses, mapping.schema)
        report.sharedIdentities = importer.matcher.memory.passedOver.map {
            .init(entity: mapping.schema.entities[$0].name, count: $1.count)
        }.sorted { $0.entity < $1.entity }
        report.enter(importer.tally.leftOut, mapping.schema)
        report.identification = identification
        for entity in importer.matcher.memory.doubtful {
            report.identification.rules[mapping.schema.entities[entity].name] = .contents
        }
        progress.finish()
    }

    private func run(
        _ source: ImportSource, _ importer: BatchImporter, _ report: inout ImportReport,
        _ roots: ((NSManagedObject) throws -> Void)?
    ) throws {
        try importAll(snapshotReader(source), of: source, importer, &report, roots)
        progress.finishSource(source)
    }

    /// Imports batch by batch what a reader reads of a text.
    func importAll(
        _ reader: consuming JSONSnapshotReader, of source: ImportSource, _ importer: BatchImporter,
        _ report: inout ImportReport, _ roots: ((NSManagedObject) throws -> Void)?
    ) throws {
        let batches = BatchReading(reader, of: source, rowLimit: max(1, options.batchSize))
        try progress.checkCancellation()
        try batches.forEach { reader in
            try progress.checkCancellation()
            try beginTurn(importer)
            try importer.readUnmappedObjects(&reader)
        } _: { batch, offset in
            if report.batchCount == 0, offset > 0 { importer.matcher.expectedBatches = Int(source.size ?? 0) / offset }
            try take(batch, importer, &report, roots)
            progress.advance(to: offset)
        }
        batches.finished { reader in
            report.recordCount += reader.recordCount
            report.add(reader)
        }
    }

    /// Imports what the check has read and kept.
    private func run(
        _ source: ImportSource, batches: [CheckedBatch], isLast: Bool, _ importer: BatchImporter,
        _ report: inout ImportReport
    ) throws {
        importer.matcher.expectedBatches = batches.count
        var rest = Array(batches.reversed())
        // Each one is let go before the next one is taken.
        while let batch = rest.popLast() {
            try progress.checkCancellation()
            try take(batch.snapshot, isLast: isLast && rest.isEmpty, importer, &report, nil)
            report.recordCount += batch.recordCount
            progress.advance(to: batch.offset)
        }
        progress.finishSource(source)
    }

    /// Imports a batch.
    ///
    /// - Parameter isLast: Whether it is known that no other one comes.
    func take(
        _ batch: borrowing GraphSnapshot, isLast: Bool = false, _ importer: BatchImporter, _ report: inout ImportReport,
        _ roots: ((NSManagedObject) throws -> Void)?
    ) throws {
        if batch.rowCount == 0, batch.skippedCounts.isEmpty { return }
        try beginTurn(importer)
        if importer.triesRows {
            // Whether the store is empty is true from the turn on alone.
            importer.triesRows = false
            importer.newRows = try NewRows(importer)
        }
        importer.needsRoots = roots != nil
        if mode == .saveBatches, options.isDryRun { importer.noteTried() }
        let touchedBefore = importer.tally.touched.count
        try importer.importBatch(batch)
        if let roots { try importer.forEachRoot(batch, roots) }
        if mode == .saveBatches {
            if options.isDryRun {
                try deleteUnsaved(importer, touchedBefore)
            } else {
                try save(importer, batch, isLast: isLast)
            }
        }
        report.batchCount += 1
    }

    func snapshotReader(_ source: ImportSource) throws -> JSONSnapshotReader {
        var reader = try JSONSnapshotReader(
            source, model, mapping, entityName: source.entity ?? entityName, options, isForImport: true)
        reader.readsDeletions(of: source)
        reader.rounding = context.rounding
        return reader
    }

    /// Reads everything once. Keeps what was read as long as that is not much, so that it needn't be read again.
    ///
    /// - Returns: The batches of each text; nil where they were too many.
    ///
    /// - Parameter report: Gets what is counted of the data.
    private func check(_ report: inout ImportReport) throws -> [[CheckedBatch]]? {
        var kept: [[CheckedBatch]]? = []
        var total = 0
        for source in sources {
            var reader = try snapshotReader(source)
            var batches: [CheckedBatch] = []
            var hasMore = true
            while hasMore {
                try progress.checkCancellation()
                let start = (record: reader.recordCount, offset: reader.reader.tokenOffset)
                reader.startBatch()
                hasMore = try reader.readBatch(rowLimit: max(1, options.batchSize))
                progress.advance(to: reader.reader.tokenOffset)
                total += reader.reader.tokenOffset - start.offset
                // Of which entity an unmapped object is, only the store knows, and it may be one of an earlier batch.
                if total > Self.keptTextLimit || !reader.unmapped.isEmpty { kept = nil }
                guard kept != nil else { continue }
                batches.append(
                    CheckedBatch(
                        snapshot: reader.takeBatch(), recordCount: reader.recordCount - start.record,
                        offset: reader.reader.tokenOffset))
            }
            kept?.append(batches)
            report.add(reader)
            progress.finishSource(source)
        }
        progress.finishCheck()
        return kept
    }

    /// What the check has read.
    private struct CheckedBatch {
        var snapshot: GraphSnapshot
        var recordCount: Int
        /// How far the text has been read then.
        var offset: Int
    }

    /// How much text is read only once: what is read takes about as much memory as the text itself, and some more.
    private static let keptTextLimit = 8 << 20

    // MARK: Turns

    /// Takes the turn at writing before anything is looked up, where the import saves.
    func beginTurn(_ importer: BatchImporter) throws {
        guard mode != .keep, !options.isDryRun else { return }
        if try turns.begin() { importer.matcher.storeHasChanged() }
    }

    /// Lets the references of earlier imports wait for their objects.
    func takeEarlierReferences(_ importer: BatchImporter) throws {
        if options.unresolvedReferences.isEmpty { return }
        try beginTurn(importer)
        try importer.takeEarlier(options.unresolvedReferences)
    }

    // MARK: Ends

    func save(_ importer: BatchImporter, _ snapshot: borrowing GraphSnapshot, isLast: Bool = false) throws {
        // Another batch, or a reference that waits, may give what a policy has replaced to somebody else.
        if isLast, importer.pending.isEmpty {
            try importer.deletions.takeHeld()
        } else {
            importer.deletions.holdReplaced()
        }
        try importer.delete(try importer.decideDeletions())
        importer.forgetRestored()
        if context.hasChanges { try context.saveNamingRefused() }
        turns.end()
        importer.batchWasSaved(snapshot)
        importer.deletions.batchWasSaved()
        // Lets go of the objects, and of the cycles between them.
        context.reset()
    }

    /// Deletes what a save of the batch would delete, so that the next one finds nothing of it, and counts the same. Asks what
    /// the save would refuse, of what was touched since.
    private func deleteUnsaved(_ importer: BatchImporter, _ touchedBefore: Int) throws {
        importer.deletions.holdReplaced()
        try importer.delete(try importer.decideDeletions(isDryRun: true))
        context.processPendingChanges()
        importer.refused += try importer.validationFailures(nil, from: touchedBefore)
        if options.failurePolicy == .fail, let first = importer.refused.first { throw first.error }
    }

    /// Decides what the save of the last batch would delete, where it is known to be the last one.
    private func endUnsaved(_ importer: BatchImporter) throws {
        if importer.pending.isEmpty {
            try importer.deletions.takeHeld()
            try importer.delete(try importer.decideDeletions(isDryRun: true))
            context.processPendingChanges()
        }
        importer.noteTried()
    }

    /// Ends an import that has taken all batches.
    ///
    /// - Parameter isValid: Whether what it touched has been validated already.
    func finish(_ importer: BatchImporter, _ report: inout ImportReport, isValid: Bool = false) throws {
        try resolveReferences(importer, &report)
        try end(importer, isValid: isValid)
    }

    /// Links what waits for objects, now that all batches have been taken.
    func resolveReferences(_ importer: BatchImporter, _ report: inout ImportReport) throws {
        if let target = importer.target { throw CoreDataErrors.noObject(for: target) }
        try beginTurn(importer)
        try importer.newRows?.save(&importer.tally.counts)
        if !importer.pending.isEmpty || !importer.ownerless.isEmpty {
            report.unresolvedReferences = try importer.resolvePending()
        }
    }

    /// Deletes what goes, and saves, or takes all back in a dry run.
    ///
    /// - Parameter isValid: Whether what it touched has been validated already.
    func end(_ importer: BatchImporter, isValid: Bool) throws {
        defer { turns.end() }
        if mode == .saveBatches, options.isDryRun { try endUnsaved(importer) }
        try importer.deletions.takeHeld()
        let orphans = try importer.deletions.orphansOfData(allowsEmptyInput: options.deletesOrphansOfEmptyInput)
        if !isValid, mode == .keep { try importer.validateChanges(mapping) }
        let deleted = try importer.decideDeletions(orphans, isDryRun: options.isDryRun)
        if options.isDryRun {
            if mode == .keep {
                try importer.matcher.known.takeOut(deleted, importer.editor)
            } else {
                try importer.delete(deleted)
                context.processPendingChanges()
                if let first = try importer.validationFailures(nil).first { throw first.error }
                try context.validateAsSave()
            }
            return try importer.editor.undo()
        }
        try importer.delete(deleted)
        importer.forgetRestored()
        if mode != .keep, context.hasChanges { try context.saveNamingRefused() }
    }
}
