// Which records of an import can't be taken, and why. Line, column and path of all are found at the end, in one go.

import Foundation

/// The failures of an import, by text and record.
struct FailedRecords {
    /// The numbers of the records, by text.
    private(set) var records: [Set<Int>]
    /// Where each record begins, by text.
    private(set) var offsets: [[Int]]
    private var found: [(finding: RecordFinding, record: Int?)] = []
    let limit: Int

    init(sourceCount: Int, limit: Int) {
        records = Array(repeating: [], count: sourceCount)
        offsets = Array(repeating: [], count: sourceCount)
        self.limit = limit
    }

    var isEmpty: Bool { found.isEmpty }
    var count: Int { found.count }

    /// The failures in the order of the data, each with its place. Each text is read once for that.
    func failures(in sources: [ImportSource], _ options: ImportOptions) -> [ImportReport.Failure] {
        var sorted = found.enumerated().sorted { one, other in
            (one.element.finding.source, one.element.finding.offset, one.offset)
                < (other.element.finding.source, other.element.finding.offset, other.offset)
        }.map(\.element)
        for (number, source) in sources.enumerated() {
            let here = sorted.indices.filter {
                sorted[$0].record != nil && sorted[$0].finding.source == number
                    && sorted[$0].finding.error.place.line == nil
            }
            if here.isEmpty { continue }
            let places = source.places(ofOffsets: here.map { sorted[$0].finding.offset }, options)
            for (index, place) in zip(here, places) { sorted[index].finding.locate(in: place) }
        }
        return sorted.map { one in
            var failure = ImportReport.Failure(one.finding.error, record: one.record)
            if let value = one.finding.value { failure.value = value }
            return failure
        }
    }

    /// Takes over what a reader has noted.
    mutating func add(_ log: FailureLog, source: Int) {
        offsets[source] = log.offsets
        for entry in log.entries {
            let start = log.offsets.indices.contains(entry.record) ? log.offsets[entry.record] : 0
            let offset = entry.error.place.byteOffset ?? start
            add(RecordFinding(source: source, offset: offset, error: entry.error), record: entry.record)
        }
    }

    /// Adds what ended the reading of a text.
    mutating func addEnd(_ error: GraftError, source: Int) {
        found.append((RecordFinding(source: source, offset: error.place.byteOffset ?? .max, error: error), nil))
    }

    /// Adds a failure of a record.
    mutating func add(_ finding: RecordFinding, record: Int) {
        records[finding.source].insert(record)
        found.append((finding, record))
    }

    /// The record that something was found of; nil where there is none.
    func record(of finding: RecordFinding) -> Int? {
        finding.offset < 0 ? nil : record(atOffset: finding.offset, source: finding.source)
    }

    /// Whether the record that a byte of a text belongs to can't be taken.
    func hasRecord(atOffset offset: Int, source: Int) -> Bool {
        record(atOffset: offset, source: source).map(records[source].contains) ?? false
    }

    /// The record that a byte of a text belongs to; nil where there is none.
    func record(atOffset offset: Int, source: Int) -> Int? {
        let starts = offsets[source]
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? low - 1 : nil
    }
}

/// What can't be taken of a record.
struct RecordFinding {
    /// The number of the text.
    var source: Int
    /// Where in the text; -1 where that isn't known.
    var offset: Int
    var error: GraftError
    /// The value that is wrong, where the error doesn't have it.
    var value: String?

    init(source: Int, offset: Int, error: GraftError) {
        self.source = source
        self.offset = offset
        self.error = error
    }

    init(_ refusal: BatchImporter.Refusal) {
        self.init(
            source: refusal.touched.source, offset: refusal.touched.offset,
            error: CoreDataErrors.graftError(refusal.error))
        value = CoreDataErrors.value(of: refusal.error)
    }

    /// Takes the place of its offset.
    mutating func locate(in place: GraftError.Place) {
        error.place.byteOffset = nil
        error = error.located(in: place)
    }
}
