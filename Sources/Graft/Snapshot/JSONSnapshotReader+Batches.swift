// Batches of records. What a batch says of an object in several records is put together in its rows, so that the same comes of it as
// if each record were a batch. Of objects without identity that can't be told before the store has been asked: which of its members
// a list means is told by what these are then. So such a list is the end of a batch, where an earlier record has another one:
//
//     {"id": 1, "notes": [{"text": "a", "rank": 1}]}        one batch
//     {"id": 1, "notes": [{"text": "a"}]}                   the next one: the note with the text, and its rank
//
// or where one of an earlier record has put itself there:
//
//     {"id": 1, "best": {"text": "a", "readers": [2]}}      one batch
//     {"id": 2, "reads": [{"text": "a"}]}                   the next one: the same note
//
// So is a record of an object with versions that adds to what an earlier one said of it: the store's version tells whether that counts.
//
//     {"id": 1, "version": 2, "name": "old"}                one batch: the store may have a later version
//     {"id": 1, "version": 6}                               the next one
//
// And so is one that makes another kind of an object than an earlier one, where that replaces it:
//
//     {"id": 1, "type": "Cat", "lives": 9}                  one batch: a stored dog loses its tricks
//     {"id": 1, "type": "Dog", "name": "Rex"}               the next one

extension JSONSnapshotReader {
    /// Reads records until there are enough rows, or the next one needs what has come of those before, and returns whether there
    /// may be more. A document is read as a whole, because its objects refer to each other in any order.
    ///
    /// - Parameter rowLimit: The number of rows from which on no further record is begun; with `max` all are read.
    mutating func readBatch(rowLimit: Int) throws -> Bool {
        if let graph {
            self.graph = nil
            snapshot = graph
            roundedCounts = snapshot.round(rounding)
            recordCount = graph.roots.count
            return false
        }
        let hasMore = try readRecords(rowLimit)
        snapshot.mergeAddedMembers { mapping.entities[$0].properties[$1]?.defaultValue ?? .null }
        // Where only one side says who belongs to whom, in which order it was said makes no difference, unless the other one
        // keeps it, or only one owner can have a member, as in a list without inverse.
        try snapshot.addUpLists { column, property, snapshot in
            guard let inverse = property.inverse, let destination = property.destination else {
                return !snapshot.isContested(column)
            }
            let keepsOrder = snapshot.schema.inverse(of: property)?.isOrdered ?? false
            return !keepsOrder && !snapshot.schema.isExclusive(property)
                && !snapshot.saysSomething(of: inverse, destination)
        }
        settleRelatedRows()
        if isDocument { try checkDistinctNumbers() }
        snapshot.dropReplacedRows()
        return hasMore
    }

    private mutating func readRecords(_ rowLimit: Int) throws -> Bool {
        // What is said of the same objects again takes memory, too.
        func isFull(_ snapshot: borrowing GraphSnapshot) -> Bool {
            snapshot.rowCount + snapshot.earlier.count >= rowLimit
        }
        var hasMore = true
        guard !isDocument, rowLimit < .max else {
            while hasMore, isDocument || !isFull(snapshot) { hasMore = try readRecord() }
            return hasMore
        }
        let start = checkpoint()
        let begin = reader.tokenOffset
        var count = 0
        var claimed = snapshot.tables.map(\.count)
        // The text of the batch is held, also what of it is no value.
        while hasMore, !isFull(snapshot), reader.tokenOffset - begin < Self.heldTextLimit {
            let (offset, known) = (reader.tokenOffset, snapshot.earlier.count)
            let (mixes, replaced) = (snapshot.versionMixCount, snapshot.replacedSiblingCount)
            hasMore = try readRecord()
            count += 1
            let isRestating =
                snapshot.versionMixCount > mixes || snapshot.replacedSiblingCount > replaced || snapshot.namesClaimed
                || snapshot.earlier.count > known
                    && (snapshot.restatesMembers(saidBefore: offset, from: known)
                        || snapshot.restatesVersions(saidBefore: offset, from: known))
            if count > 1, isRestating {
                goBack(to: start)
                for _ in 1..<count { _ = try readRecord() }
                return true
            }
            snapshot.noteClaims(from: &claimed)
        }
        goOn(from: start)
        return hasMore
    }

    // MARK: Going back

    /// How much text a batch is made of, about.
    private static let heldTextLimit = 16 << 20

    /// What a reader has counted, and where it was.
    struct Checkpoint {
        fileprivate var mark: JSONReader.Mark
        fileprivate var recordState: JSONReader.RecordState
        fileprivate var envelope: Envelope?
        fileprivate var recordCount: Int
        fileprivate var nestedObjectCount: Int
        fileprivate var failures: FailureLog?
        fileprivate var emptyObjectCount: Int
        fileprivate var unknownKeys: UnknownKeys
        fileprivate var roundedCounts: [GraphSnapshot.Column: Int]
        fileprivate var overruledLinks: [GraphSnapshot.Column: Int]
    }

    /// Remembers what has been read, between two records. Each one has to be given up again with ``goBack(to:)`` or ``goOn(from:)``, the
    /// latest one first. Until then, the text behind it stays in memory.
    mutating func checkpoint() -> Checkpoint {
        Checkpoint(
            mark: reader.mark(), recordState: reader.recordState, envelope: envelope, recordCount: recordCount,
            nestedObjectCount: nestedObjectCount, failures: failures, emptyObjectCount: emptyObjectCount,
            unknownKeys: unknownKeys, roundedCounts: roundedCounts, overruledLinks: overruledLinks)
    }

    /// Gives up what was remembered, and stays where the reader is.
    mutating func goOn(from start: Checkpoint) { reader.release(start.mark) }

    /// Goes back to where the reader was, and begins a batch there.
    mutating func goBack(to start: Checkpoint) {
        reader.rewind(to: start.mark)
        reader.recordState = start.recordState
        envelope = start.envelope
        recordCount = start.recordCount
        nestedObjectCount = start.nestedObjectCount
        failures = start.failures
        emptyObjectCount = start.emptyObjectCount
        unknownKeys = start.unknownKeys
        roundedCounts = start.roundedCounts
        overruledLinks = start.overruledLinks
        // An error may have ended the reading of a record.
        nesting = 0
        openMembers.removeAll()
        startBatch()
    }
}

extension GraphSnapshot {
    /// Whether something else was said before of a relationship of an object that may have a version: whether that counted, only the
    /// store's version tells.
    fileprivate func restatesVersions(saidBefore offset: Int, from first: Int) -> Bool {
        if versions.isEmpty { return false }
        return earlier[first...].contains { statement in
            guard let statement = current(statement), versions[statement.cell.row.entity] != nil else { return false }
            return min(statement.time, self.statement(of: statement.cell).time) <= offset
        }
    }

    /// Whether something else was said before of the members without identity that a relationship has now.
    ///
    /// - Parameters:
    ///   - offset: Where the record begins that has been read last.
    ///   - first: The first statement that was replaced since.
    fileprivate func restatesMembers(saidBefore offset: Int, from first: Int) -> Bool {
        earlier[first...].contains { statement in
            guard let statement = current(statement) else { return false }
            let now = self.statement(of: statement.cell)
            guard min(statement.time, now.time) <= offset else { return false }
            let (old, new) = (rows(of: statement), rows(of: now))
            let property = schema.entities[now.cell.row.entity].properties[now.cell.property]
            guard (old + new).contains(where: { isToldByContents($0, in: property) }) else { return false }
            return old.count != new.count || statement.removals != nil || now.removals != nil
                || !zip(old, new).allSatisfy { haveSameContents($0, $1) }
        }
    }

    private func rows(of statement: LinkStatement) -> [RowReference] {
        ends(of: statement).map(resolved)
    }

    /// Whether nothing but its contents tells which of the members of a relationship a row stands for. Those whose identity includes
    /// who has them there are told by that.
    private func isToldByContents(_ row: RowReference, in property: GraphSchema.Property) -> Bool {
        isKnownByContents(row)
            && !(property.inverse.map(schema.entities[row.entity].relatedIdentity.contains) ?? false)
    }

    /// Notes where rows without identity put themselves.
    ///
    /// - Parameter counts: By entity, how many rows have been looked at.
    fileprivate mutating func noteClaims(from counts: inout [Int]) {
        for entity in tables.indices where counts[entity] < tables[entity].count {
            let unknown = (counts[entity]..<tables[entity].count).filter {
                lacksIdentity(RowReference(entity: entity, row: $0))
            }
            counts[entity] = tables[entity].count
            // Asked of each record: an entity of which all rows are known isn't looked at.
            if unknown.isEmpty { continue }
            for (number, property) in schema.entities[entity].properties.enumerated() {
                guard let inverse = property.inverse else { continue }
                for row in unknown where tables[entity].hasValue(number, row: row) {
                    let row = RowReference(entity: entity, row: row)
                    for end in rows(of: statement(of: Cell(row: row, property: number))) {
                        claims.insert(Cell(row: end, property: inverse))
                    }
                }
            }
        }
    }

    /// Notes whether a row that is merged into another one says who is where others have put themselves.
    mutating func noteNaming(_ new: RowReference, of old: RowReference) {
        for (number, property) in schema.entities[new.entity].properties.enumerated()
        where claims.contains(Cell(row: old, property: number)) && tables[new.entity].hasValue(number, row: new.row) {
            let named = rows(of: statement(of: Cell(row: new, property: number)))
            if named.contains(where: { isToldByContents($0, in: property) }) { namesClaimed = true }
        }
    }

    /// Whether two rows say the same: one and the same row, or two without identity.
    private func haveSameContents(_ one: RowReference, _ other: RowReference) -> Bool {
        if one == other { return true }
        guard one.entity == other.entity, isKnownByContents(one), isKnownByContents(other) else { return false }
        let table = tables[one.entity]
        return schema.entities[one.entity].properties.enumerated().allSatisfy { number, property in
            guard table.hasValue(number, row: one.row) == table.hasValue(number, row: other.row) else { return false }
            if property.isAttribute {
                return ExactValue(table.value(property.column, row: one.row))
                    == ExactValue(table.value(property.column, row: other.row))
            }
            let (ends, others) = (
                rows(of: statement(of: Cell(row: one, property: number))),
                rows(of: statement(of: Cell(row: other, property: number)))
            )
            return ends.count == others.count && zip(ends, others).allSatisfy { haveSameContents($0, $1) }
        }
    }
}
