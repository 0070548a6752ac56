// Imports that go on when a record can't be taken. What is left out has to leave no trace, also where it was merged with other
// records or connected to them. So nothing is ever taken out of an import again: it begins anew without the records that
// failed.
//
//     1  The texts are read, and every value that can't be converted is noted with its record.
//     2  They are imported without those records, unsaved; links and objects that can't be made are noted, and what was made and changed is
//        validated.
//     3  If that finds more, all is taken back, and 2 begins again.
//
// Each round leaves out more records than the one before, so there is an end; as a rule after the first or second one.

import CoreData
import Foundation

extension ImportRun {
    /// Imports the texts without the records that can't be taken or, if failures are to be collected, finds all of them.
    ///
    /// - Throws: ``ImportFailures``; ``GraftError`` for what doesn't concern single records. The context is then as it was.
    func runNotingFailures(roots: ((NSManagedObject) throws -> Void)?) throws -> ImportReport {
        var failed = FailedRecords(sourceCount: sources.count, limit: options.failureLimit)
        try readNotingFailures(&failed)
        if savesBatches { return try importBatches(&failed) }
        while true {
            if let report = try attempt(&failed, roots) { return report }
        }
    }

    private func report(of failed: FailedRecords) -> ImportReport {
        var report = ImportReport()
        report.isDryRun = options.isDryRun
        report.failures = failed.failures(in: sources, options)
        return report
    }

    /// Reads every text once.
    private func readNotingFailures(_ failed: inout FailedRecords) throws {
        var isBroken = false
        for (number, source) in sources.enumerated() {
            var reader = try snapshotReader(source)
            reader.failures = FailureLog(limit: options.failureLimit - failed.count)
            var end: GraftError?
            do {
                var hasMore = true
                while hasMore {
                    try progress.checkCancellation()
                    reader.startBatch()
                    hasMore = try reader.readBatch(rowLimit: max(1, options.batchSize))
                    progress.advance(to: reader.reader.tokenOffset)
                }
            } catch let error as GraftError {
                guard options.failurePolicy == .collect, error.endsText else { throw error }
                end = error
            }
            if let log = reader.failures { failed.add(log, source: number) }
            if let end {
                failed.addEnd(end, source: number)
                isBroken = true
            }
            progress.finishSource(source)
        }
        progress.finishCheck()
        if isBroken { throw ImportFailures(report: report(of: failed)) }
    }

    // MARK: In one save

    /// Imports everything but the failed records; nil where more of them have turned up.
    private func attempt(
        _ failed: inout FailedRecords, _ roots: ((NSManagedObject) throws -> Void)?
    ) throws -> ImportReport? {
        let importer = try makeImporter()
        importer.findings = []
        defer { turns.end() }
        var report = ImportReport()
        report.isDryRun = options.isDryRun
        var objects: [NSManagedObject] = []
        do {
            try takeEarlierReferences(importer)
            for (number, source) in sources.enumerated() {
                importer.sourceNumber = number
                var reader = try snapshotReader(source)
                reader.skippedRecords = failed.records[number]
                try importAll(reader, of: source, importer, &report) { objects.append($0) }
            }
            importer.deletions.isInputComplete = failed.isEmpty
            // Without the records that couldn't be taken, others may wait in vain: that is no failure of theirs.
            if !importer.lacksObjects, failed.isEmpty || options.failurePolicy == .skip {
                try resolveReferences(importer, &report)
            }
            let found = importer.takeFindings()
            try note(found, &failed)
            var refused: [BatchImporter.Refusal] = []
            if found.isEmpty || options.failurePolicy == .collect {
                // As a save would validate it, if there is one.
                refused =
                    try importer.refused.isEmpty
                    ? importer.validationFailures(mode == .keep ? mapping : nil) : importer.refused
                // What has no link may lack what a rule wants.
                refused.removeAll { failed.hasRecord(atOffset: $0.touched.offset, source: $0.touched.source) }
                try note(refused.map { RecordFinding($0) }, &failed)
            }
            if options.failurePolicy == .collect, !failed.isEmpty {
                throw ImportFailures(report: self.report(of: failed))
            }
            if found.isEmpty, refused.isEmpty {
                if let roots { try objects.forEach(roots) }
                try end(importer, isValid: true)
                try context.requireReadable()
                complete(&report, importer)
                addSkipped(failed, to: &report)
                return report
            }
        } catch let failures as ImportFailures {
            try importer.editor.undo()
            throw failures
        } catch {
            let finding = finding(of: error, importer)
            try importer.editor.undo()
            try note(finding, report, &failed)
            return nil
        }
        try importer.editor.undo()
        return nil
    }

    // MARK: In saved batches

    /// Imports and saves batch by batch. A batch with failed records is read again without them.
    private func importBatches(_ failed: inout FailedRecords) throws -> ImportReport {
        let importer = try makeImporter()
        defer { turns.end() }
        var report = ImportReport()
        try takeEarlierReferences(importer)
        for (number, source) in sources.enumerated() {
            importer.sourceNumber = number
            var reader = try snapshotReader(source)
            reader.skippedRecords = failed.records[number]
            var hasMore = true
            while hasMore {
                try progress.checkCancellation()
                let (start, before) = (reader.checkpoint(), importer.state)
                importer.findings = []
                do {
                    reader.startBatch()
                    hasMore = try reader.readBatch(rowLimit: max(1, options.batchSize))
                    try beginTurn(importer)
                    try importer.readUnmappedObjects(&reader)
                    var found: [RecordFinding] = []
                    if reader.snapshot.rowCount > 0 || !reader.snapshot.skippedCounts.isEmpty {
                        found = try importAndSave(reader.snapshot, importer, &report)
                    }
                    if found.isEmpty {
                        reader.goOn(from: start)
                        progress.advance(to: reader.reader.tokenOffset)
                        continue
                    }
                    try note(found, &failed)
                } catch {
                    let finding = finding(of: error, importer)
                    try importer.editor.undo()
                    try note(finding, report, &failed)
                }
                try importer.editor.undo()
                importer.state = before
                reader.goBack(to: start)
                reader.skippedRecords = failed.records[number]
                hasMore = true
            }
            report.recordCount += reader.recordCount
            report.add(reader)
            progress.finishSource(source)
        }
        importer.deletions.isInputComplete = failed.isEmpty
        // Records that have been saved can't be left out any more.
        importer.findings = nil
        do { try finish(importer, &report, isValid: true) } catch { throw located(error, importer, report) }
        complete(&report, importer)
        addSkipped(failed, to: &report)
        return report
    }

    /// Imports and saves a batch; returns what can't be taken of it. Then nothing is saved.
    private func importAndSave(
        _ batch: borrowing GraphSnapshot, _ importer: BatchImporter, _ report: inout ImportReport
    ) throws -> [RecordFinding] {
        try importer.importBatch(batch)
        let found = importer.takeFindings()
        if !found.isEmpty { return found }
        // What a policy has replaced is still there when the batch is saved.
        importer.deletions.holdReplaced()
        let refused = try importer.validationFailures(nil)
        if !refused.isEmpty { return refused.map { RecordFinding($0) } }
        try save(importer, batch)
        report.batchCount += 1
        return []
    }

    // MARK: Noting

    /// Notes links and objects that can't be made, and what the model's rules refuse.
    ///
    /// - Throws: The first of the errors, where none of them belongs to a record.
    private func note(_ found: [RecordFinding], _ failed: inout FailedRecords) throws {
        // What follows from what the store can't read is nothing of the record's.
        try context.requireReadable()
        let before = failed.count
        for finding in found {
            guard let record = failed.record(of: finding) else { continue }
            guard failed.count < failed.limit else {
                let place = sources[finding.source].place(ofOffset: finding.offset, options)
                throw GraftError(.tooLarge(what: "the number of failures", limit: failed.limit), at: place)
            }
            failed.add(finding, record: record)
        }
        if failed.count == before, let first = found.first { throw first.error }
    }

    /// Notes an error that ended an attempt.
    ///
    /// - Throws: The error itself, where it isn't one of a record.
    private func note(_ finding: RecordFinding, _ report: ImportReport, _ failed: inout FailedRecords) throws {
        try context.requireReadable()
        guard finding.error.concernsOneRecord, let record = failed.record(of: finding),
            !failed.records[finding.source].contains(record), failed.count < failed.limit
        else { throw located(finding, report) }
        failed.add(finding, record: record)
    }

    private func addSkipped(_ failed: FailedRecords, to report: inout ImportReport) {
        report.failures = failed.failures(in: sources, options)
        for (number, records) in failed.records.enumerated() where !records.isEmpty {
            // Texts whose entity isn't known have no records.
            guard let entity = try? mapping.entity(named: sources[number].entity ?? entityName) else { continue }
            var counts = ImportReport.Counts()
            counts.skipped = records.count
            report.add(counts, entity: mapping.schema.entities[entity].name)
        }
    }

    // MARK: Places

    /// What ended an import, and where in the texts it comes from, as far as that is known.
    func finding(of error: any Error, _ importer: BatchImporter) -> RecordFinding {
        let located = CoreDataErrors.graftError(error)
        if let object = CoreDataErrors.object(of: error), let origin = importer.origin(of: object) {
            return RecordFinding(source: origin.source, offset: origin.offset, error: located)
        }
        return RecordFinding(
            source: importer.sourceNumber, offset: located.place.byteOffset ?? -1, error: located)
    }

    /// The error with its place.
    func located(_ finding: RecordFinding, _ report: ImportReport) -> GraftError {
        var finding = finding
        if sources.isEmpty {
            finding.error.place.byteOffset = nil
        } else if finding.offset >= 0, finding.error.place.line == nil {
            finding.locate(in: sources[finding.source].place(ofOffset: finding.offset, options))
        }
        if savesBatches, report.batchCount > 0, finding.error.underlying == nil {
            let batches = report.batchCount == 1 ? "1 batch" : "\(report.batchCount) batches"
            finding.error.underlying = "\(batches) before it had been saved and stay"
        }
        return finding.error
    }

    func located(_ error: any Error, _ importer: BatchImporter, _ report: ImportReport) -> GraftError {
        located(finding(of: error, importer), report)
    }
}

extension ImportReport {
    /// Adds to the numbers of an entity.
    fileprivate mutating func add(_ counts: Counts, entity name: String) {
        if let index = entities.firstIndex(where: { $0.name == name }) {
            entities[index].counts += counts
        } else {
            entities.append(Entity(name: name, counts: counts))
            entities.sort { $0.name < $1.name }
        }
    }
}

extension GraftError {
    /// Whether the error ends the reading of a text, and not the whole import.
    fileprivate var endsText: Bool {
        switch problem {
        case .invalidJSON, .tooDeep: true
        default: false
        }
    }
}
