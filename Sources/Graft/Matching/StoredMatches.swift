// What a store has of the rows of a snapshot, before an object is made of any.

/// Rows of a store by the rows that they were found for.
struct StoredMatches {
    /// By entity and row.
    private var rows: [[StoredRow?]]

    init() { rows = [] }

    init(_ snapshot: borrowing GraphSnapshot) {
        rows = snapshot.tables.map { [StoredRow?](repeating: nil, count: $0.count) }
    }

    subscript(reference: RowReference) -> StoredRow? {
        @inline(__always)
        get { rows[reference.entity][reference.row] }
        set { rows[reference.entity][reference.row] = newValue }
    }

    /// The rows for which something was found, in the order of the entities and rows.
    var references: [RowReference] {
        rows.indices.flatMap { entity in
            rows[entity].indices.compactMap { row in
                rows[entity][row] == nil ? nil : RowReference(entity: entity, row: row)
            }
        }
    }
}
