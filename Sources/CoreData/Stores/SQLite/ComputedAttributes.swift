// Keeps the derived attributes of SQL/SQLComputedAttribute.swift: makes the temporary triggers that note rows, and computes what
// they have noted before a transaction ends.

import GRDB

/// The computed attributes of one store, on its writing connection.
struct ComputedAttributes {
    private var attributes: [SQLComputedAttribute] = []
    /// Parallel to them.
    private var computations: [String] = []
    /// Values that depend on each other go from row to row: as many times as a chain of rows is long.
    private static let roundLimit = 100_000

    /// None, for a store that is only read.
    init() {}

    /// Makes the triggers. What the file has triggers for is left to those.
    init(_ schema: SQLSchema, _ db: Database) throws {
        let computed = schema.computedAttributes()
        if computed.isEmpty { return }
        let names = try db.texts("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        attributes = computed.filter { !names.contains(where: $0.isKept(byTrigger:)) }
        if attributes.isEmpty { return }
        computations = try attributes.map { try $0.computation() }
        for table in SQLComputedAttribute.tables { try db.execute(sql: table) }
        for (number, attribute) in attributes.enumerated() {
            for trigger in attribute.triggers(number) { try db.execute(sql: trigger) }
        }
    }

    /// Computes what the transaction has touched, and whatever is computed from that.
    ///
    /// - Throws: `CocoaError` where values depend on each other in a circle and never come to rest.
    func settle(_ db: Database) throws {
        if attributes.isEmpty { return }
        for _ in 0..<Self.roundLimit {
            guard try db.number("SELECT EXISTS (SELECT 1 FROM graft_computed)") == 1 else { return }
            for (number, computation) in computations.enumerated() {
                try RowStatement(db, "DELETE FROM graft_settling").run()
                try run("INSERT INTO graft_settling SELECT Z_PK FROM graft_computed WHERE attribute = ?", number, db)
                try run("DELETE FROM graft_computed WHERE attribute = ?", number, db)
                try RowStatement(db, computation).run()
            }
        }
        throw CoreDataError.make(
            .persistentStoreSave,
            "The derived attributes \(attributes.map(\.description).joined(separator: ", ")) depend on each other in a circle "
                + "and never come to rest. Nothing has been saved. Change the expressions, or the relationships that close it."
        )
    }

    /// Computes the values of all rows; a moment only where there is none.
    func computeAll(_ db: Database) throws {
        for (number, attribute) in attributes.enumerated() { try db.execute(sql: attribute.notingAll(number)) }
        try settle(db)
    }

    private func run(_ sql: String, _ number: Int, _ db: Database) throws {
        let statement = try RowStatement(db, sql)
        try statement.bind(Int64(number), at: 1)
        try statement.run()
    }
}
