// Which records of an import can't be taken, and why.

import Foundation

/// The failures of an import, by text and record.
struct FailedRecords {
    /// The numbers of the records, by text.
    private(set) var records: [Set<Int>]
    /// Where each record begins, by text.
    private(set) var offsets: [[Int]]
    private var found: [(source: Int, offset: Int, failure: ImportReport.Failure)] = []
    let limit: Int

    init(sourceCount: Int, limit: Int) {
        records = Array(repeating: [], count: sourceCount)
        offsets = Array(repeating: [], count: sourceCount)
        self.limit = limit
    }

    var isEmpty: Bool { found.isEmpty }
    var count: Int { found.count }

    /// The failures in the order of the data.
    var failures: [ImportReport.Failure] {
        found.enumerated().sorted { one, other in
            (one.element.source, one.element.offset, one.offset)
                < (other.element.source, other.element.offset, other.offset)
        }.map(\.element.failure)
    }

    /// Takes over what a reader has noted.
    mutating func add(_ log: FailureLog, source: Int) {
        offsets[source] = log.offsets
        for entry in log.entries { add(entry.error, source: source, record: entry.record) }
    }

    /// Adds what ended the reading of a text.
    mutating func addEnd(_ error: GraftError, source: Int) {
        found.append((source, error.place.byteOffset ?? .max, ImportReport.Failure(error, record: nil)))
    }

    /// Adds a failure of a record.
    mutating func add(_ error: GraftError, source: Int, record: Int, value: String? = nil) {
        records[source].insert(record)
        var failure = ImportReport.Failure(error, record: record)
        if let value { failure.value = value }
        let start = offsets[source].indices.contains(record) ? offsets[source][record] : 0
        found.append((source, error.place.byteOffset ?? start, failure))
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
