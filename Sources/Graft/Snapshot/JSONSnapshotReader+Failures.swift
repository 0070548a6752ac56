// Reading on after a value that can't be read: what is wrong is noted, the rest of the value is skipped, and what was read of
// its record is worth nothing. Only a text that isn't JSON ends the reading.

/// What a reader has noted instead of throwing it.
struct FailureLog {
    struct Entry {
        /// The number of the record.
        var record: Int
        var error: GraftError
    }

    /// How many failures are noted before it is too many.
    let limit: Int
    private(set) var entries: [Entry] = []
    /// Where each record begins.
    var offsets: [Int] = []

    init(limit: Int) { self.limit = limit }

    /// Notes an error.
    ///
    /// - Throws: The error itself, where it isn't one of a single value, and `tooLarge` for one too many.
    mutating func note(_ error: any Error, record: Int) throws {
        guard let error = error as? GraftError, error.concernsOneRecord else { throw error }
        guard entries.count < limit else {
            throw GraftError(.tooLarge(what: "the number of failures", limit: limit), at: error.place)
        }
        entries.append(Entry(record: record, error: error))
    }

    /// Gives the entries from a position on other places.
    mutating func relocate(from first: Int, _ places: [GraftError.Place]) {
        for (offset, place) in places.enumerated() { entries[first + offset].error.place = place }
    }
}

extension GraftError {
    /// Whether other records may be read, or written, in spite of the error.
    var concernsOneRecord: Bool {
        switch problem {
        case .wrongType, .outOfRange, .notRepresentable, .unknownEntity, .unknownProperty, .missingIdentity,
            .duplicateIdentity, .unresolvedReference, .validation, .invalidMapping, .unknownKeys, .other:
            true
        default: false
        }
    }
}

extension JSONSnapshotReader {
    /// Reads the value of a key. If it can't be read, notes why and goes on behind it.
    mutating func readNotingFailure(_ target: KeyTree.Target, of plan: JSONEntityPlan, row: Int) throws {
        let depth = reader.depth
        let openCount = openMembers.count
        do {
            try readTarget(target, of: plan, row: row)
        } catch {
            try failures?.note(error, record: recordCount)
            openMembers.removeLast(openMembers.count - openCount)
            while reader.depth > depth { _ = try reader.next() }
        }
    }

    /// Reads a record. If it can't be read, notes why; the reader skips the rest when it goes on to the next one.
    ///
    /// - Parameter offset: Where the record begins.
    mutating func readNotingFailure(
        at offset: Int, _ body: (inout JSONSnapshotReader) throws -> Void
    ) throws {
        if failures == nil { return try body(&self) }
        failures?.offsets.append(offset)
        let nesting = nesting
        do {
            try body(&self)
        } catch {
            try failures?.note(error, record: recordCount)
            self.nesting = nesting
            openMembers.removeAll()
        }
    }
}
