// The records of an archive in batches, each read while the one before is restored.

/// Reads an archive batch by batch.
struct RecordReading {
    /// Some records, and how far the archive has been read then.
    private typealias Batch = (records: [ArchiveRecord], offset: Int)

    private let reading: WorkAhead<Batch>

    /// How many values and relationships a batch has at most, those included that its objects don't have.
    private static let widestBatch = 1 << 21

    /// - Parameters:
    ///   - source: What the decoder reads.
    ///   - batchSize: How many records a batch has at most; nil where all of them are one.
    init(_ decoder: any ArchiveDecoder, of source: ImportSource, batchSize: Int?) throws {
        // Values that aren't there take a bit in an archive and a place in a record.
        let widths = try decoder.header.archiveEntities().map(\.items.count)
        // A pipe would be read further than the restoring gets.
        reading = WorkAhead(isAhead: source.canBeReadAhead) {
            var records: [ArchiveRecord] = []
            records.reserveCapacity(min(batchSize ?? 0, 1 << 16))
            var width = 0
            while let record = try decoder.next() {
                records.append(record)
                width += widths[record.entity]
                if let batchSize, records.count >= batchSize || width >= Self.widestBatch { break }
            }
            return (records, decoder.offset)
        }
    }

    /// Calls a closure with each batch, and how far the archive has been read then.
    func forEach(_ body: ([ArchiveRecord], Int) throws -> Void) throws {
        reading.begin()
        while case let (records, offset) = try reading.take(), !records.isEmpty {
            try reading.whileMaking { try body(records, offset) }
        }
    }
}
