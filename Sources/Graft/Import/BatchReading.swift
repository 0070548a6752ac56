// The batches of a text, each read while the one before is imported: two snapshots take turns, so that no more than one batch waits.
//
//     reading      1  2  3  4
//     importing       1  2  3  4

import Dispatch

/// Reads a text batch by batch, on a queue of its own where nothing speaks against it.
final class BatchReading: @unchecked Sendable {
    // Safe to share: the reader is touched by one read on the queue, or by whoever has waited for its end and not begun another one.

    private var reader: JSONSnapshotReader
    private let rowLimit: Int
    private let readsAhead: Bool
    private let queue = DispatchQueue(label: "Graft.BatchReading")
    /// Whether there is more behind what was read last, or why that can't be read.
    private var outcome = Result<Bool, any Error>.success(true)

    /// - Parameter source: What the reader reads.
    init(_ reader: consuming JSONSnapshotReader, of source: ImportSource, rowLimit: Int) {
        // A pipe would be read further than the import gets, and code of others expects the context's queue.
        readsAhead = source.canBeReadAhead && !reader.runsCodeOfOthers
        self.reader = reader
        self.rowLimit = rowLimit
    }

    /// Calls a closure with each batch, and how far the text has been read then.
    ///
    /// - Parameter complete: Is called before with the reader, to read again what takes a look at the context.
    func forEach(
        completing complete: (inout JSONSnapshotReader) throws -> Void,
        _ body: (borrowing GraphSnapshot, Int) throws -> Void
    ) throws {
        var batch = reader.takeBatch()
        read()
        while true {
            let hasMore = try outcome.get()
            try complete(&reader)
            swap(&batch, &reader.snapshot)
            let offset = reader.reader.tokenOffset
            if hasMore, readsAhead { queue.async { [self] in read() } }
            do {
                try body(batch, offset)
            } catch {
                if hasMore, readsAhead { queue.sync {} }
                throw error
            }
            if !hasMore { return }
            if readsAhead { queue.sync {} } else { read() }
        }
    }

    /// Asks the reader, when all has been read.
    func finished<T>(_ body: (borrowing JSONSnapshotReader) throws -> T) rethrows -> T { try body(reader) }

    private func read() {
        reader.startBatch()
        outcome = Result { try reader.readBatch(rowLimit: rowLimit) }
    }
}
