// What a store has of the rows of a snapshot, before an object is made of any.

/// Rows of a store by the rows that they were found for.
struct StoredMatches {
    /// By entity and row.
    private var rows: [[StoredRow?]] = []
    private var keys: [[ObjectIDKey?]] = []

    init() {}

    init(_ snapshot: borrowing GraphSnapshot) {
        rows = snapshot.tables.map { [StoredRow?](repeating: nil, count: $0.count) }
        keys = snapshot.tables.map { [ObjectIDKey?](repeating: nil, count: $0.count) }
    }

    /// What was found for a row.
    subscript(reference: RowReference) -> StoredRow? { rows[reference.entity][reference.row] }

    /// What it is known by: a row would be copied.
    @inline(__always)
    func key(of reference: RowReference) -> ObjectIDKey? { keys[reference.entity][reference.row] }

    mutating func enter(_ row: StoredRow, for reference: RowReference) {
        rows[reference.entity][reference.row] = row
        keys[reference.entity][reference.row] = row.objectID.lookupKey
    }

    /// The rows for which something was found, in the order of the entities and rows.
    var references: [RowReference] {
        rows.indices.flatMap { entity in
            keys[entity].indices.compactMap { row in
                keys[entity][row] == nil ? nil : RowReference(entity: entity, row: row)
            }
        }
    }
}
