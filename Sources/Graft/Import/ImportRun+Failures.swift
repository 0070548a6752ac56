// Imports that go on when a record can't be taken. What is left out has to leave no trace, also where it was merged with other
// records or connected to them. So nothing is ever taken out of an import again: it begins anew without the records that
// failed.
//
//     1  The texts are read, and every value that can't be converted is noted with its record.
//     2  They are imported without those records, unsaved, and what was made and changed is validated.
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
        report.failures = failed.failures
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
        defer { turns.end() }
        var report = ImportReport()
        report.isDryRun = options.isDryRun
        var objects: [NSManagedObject] = []
        do {
            for (number, source) in sources.enumerated() {
                importer.sourceNumber = number
                var reader = try snapshotReader(source)
                reader.skippedRecords = failed.records[number]
                try importAll(reader, of: source, importer, &report) { objects.append($0) }
            }
            importer.deletions.isInputComplete = failed.isEmpty
            // As a save would validate it, if there is one.
            let found =
                try importer.refused.isEmpty
                ? importer.validationFailures(mode == .keep ? mapping : nil) : importer.refused
            if found.isEmpty {
                if options.failurePolicy == .collect, !failed.isEmpty {
                    throw ImportFailures(report: self.report(of: failed))
                }
                if let roots { try objects.forEach(roots) }
                try finish(importer, &report, isValid: true)
                try context.requireReadable()
                complete(&report, importer)
                addSkipped(failed, to: &report)
                return report
            }
            try note(found, &failed)
            if options.failurePolicy == .collect { throw ImportFailures(report: self.report(of: failed)) }
        } catch let failures as ImportFailures {
            try importer.editor.undo()
            throw failures
        } catch {
            let located = located(error, importer, report)
            try importer.editor.undo()
            try note(located, importer, &failed)
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
        for (number, source) in sources.enumerated() {
            importer.sourceNumber = number
            var reader = try snapshotReader(source)
            reader.skippedRecords = failed.records[number]
            var hasMore = true
            while hasMore {
                try progress.checkCancellation()
                let (start, findings) = (reader.recordCount, reader.findings)
                let before = importer.state
                do {
                    reader.startBatch()
                    hasMore = try reader.readBatch(rowLimit: max(1, options.batchSize))
                    try beginTurn(importer)
                    try importer.readUnmappedObjects(&reader)
                    if reader.snapshot.rowCount == 0 { continue }
                    try importer.importBatch(reader.snapshot)
                    // What a policy has replaced is still there when the batch is saved.
                    importer.deletions.holdReplaced()
                    let found = try importer.validationFailures(nil)
                    if found.isEmpty {
                        try save(importer, reader.snapshot)
                        report.batchCount += 1
                        progress.advance(to: reader.reader.tokenOffset)
                        continue
                    }
                    try note(found, &failed)
                } catch {
                    let located = located(error, importer, report)
                    try importer.editor.undo()
                    try note(located, importer, &failed)
                }
                try importer.editor.undo()
                importer.state = before
                reader = try snapshotReader(source)
                _ = try reader.skipRecords(start)
                reader.findings = findings
                reader.skippedRecords = failed.records[number]
                hasMore = true
            }
            report.recordCount += reader.recordCount
            report.add(reader)
            progress.finishSource(source)
        }
        importer.deletions.isInputComplete = failed.isEmpty
        try finish(importer, &report, isValid: true)
        complete(&report, importer)
        addSkipped(failed, to: &report)
        return report
    }

    // MARK: Noting

    /// Notes what the model's rules refuse.
    ///
    /// - Throws: The first of the errors, where none of them belongs to a record.
    private func note(_ found: [BatchImporter.Refusal], _ failed: inout FailedRecords) throws {
        // What follows from what the store can't read is nothing of the record's.
        try context.requireReadable()
        let before = failed.records
        for source in sources.indices {
            let here = found.filter { $0.touched.source == source && $0.touched.offset >= 0 }
                .sorted { $0.touched.offset < $1.touched.offset }
            if here.isEmpty { continue }
            let places = sources[source].places(ofOffsets: here.map(\.touched.offset), options)
            for (one, place) in zip(here, places) {
                guard let record = failed.record(atOffset: one.touched.offset, source: source) else { continue }
                guard failed.count < failed.limit else {
                    throw GraftError(.tooLarge(what: "the number of failures", limit: failed.limit), at: place)
                }
                failed.add(
                    CoreDataErrors.graftError(one.error).located(in: place), source: source, record: record,
                    value: CoreDataErrors.value(of: one.error))
            }
        }
        if failed.records == before, let first = found.first { throw CoreDataErrors.graftError(first.error) }
    }

    /// Notes an error that ended an attempt.
    ///
    /// - Throws: The error itself, where it isn't one of a record.
    private func note(_ error: GraftError, _ importer: BatchImporter, _ failed: inout FailedRecords) throws {
        try context.requireReadable()
        let source = importer.sourceNumber
        guard error.concernsOneRecord, let offset = error.place.byteOffset,
            let record = failed.record(atOffset: offset, source: source), !failed.records[source].contains(record),
            failed.count < failed.limit
        else { throw error }
        failed.add(error, source: source, record: record)
    }

    private func addSkipped(_ failed: FailedRecords, to report: inout ImportReport) {
        report.failures = failed.failures
        for (number, records) in failed.records.enumerated() where !records.isEmpty {
            // Texts whose entity isn't known have no records.
            guard let entity = try? mapping.entity(named: sources[number].entity ?? entityName) else { continue }
            var counts = ImportReport.Counts()
            counts.skipped = records.count
            report.add(counts, entity: mapping.schema.entities[entity].name)
        }
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
