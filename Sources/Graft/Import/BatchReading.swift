// The batches of a text, each read while the one before is imported: two snapshots take turns, so that no more than one batch waits.

/// Reads a text batch by batch.
final class BatchReading {
    private var reader: JSONSnapshotReader
    private let rowLimit: Int
    private let readsAhead: Bool
    /// Whether there is more behind what was read last.
    private lazy var reading = WorkAhead(isAhead: readsAhead) { [unowned self] in
        reader.startBatch()
        return try reader.readBatch(rowLimit: rowLimit)
    }

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
        var hasMore = true
        reading.begin()
        while hasMore {
            hasMore = try reading.take()
            try complete(&reader)
            swap(&batch, &reader.snapshot)
            let offset = reader.reader.tokenOffset
            try reading.whileMaking(if: hasMore) { try body(batch, offset) }
        }
    }

    /// Asks the reader, when all has been read.
    func finished<T>(_ body: (borrowing JSONSnapshotReader) throws -> T) rethrows -> T { try body(reader) }
}
