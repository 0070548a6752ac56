// The tables of both versions while a migration runs: those of the source under other names, those of the destination as
// a new store has them.
//
//     ZHERO  ->  Z_SOURCE_0    Z_1TEAMS  ->  Z_SOURCE_1          then ZHERO and Z_1TEAMS are made anew

import Foundation
import GRDB

/// Puts the source's tables aside, and makes the destination's.
struct MigrationTables {
    let schemas: MigrationSchemas
    /// An index, a trigger or an R-tree of a table.
    private struct Attachment {
        let type: String
        let name: String
        let table: String
        let sql: String

        /// Whether it has a name of those that Core Data gives.
        var isCoreData: Bool {
            let name = name.uppercased()
            let isIndexOfColumn = name.hasPrefix("\(table.uppercased())_") && name.hasSuffix("_INDEX")
            return name.hasPrefix("Z_") || type == "index" && isIndexOfColumn
        }
    }

    /// The indexes and triggers that aren't Core Data's but somebody has put on its tables.
    private var foreign: [Attachment] = []
    private let statements: [String]

    init(source: SQLSchema, destination: SQLSchema) throws {
        schemas = MigrationSchemas(source: source, destination: destination) { "Z_SOURCE_\($0)" }
        statements = try destination.createStatements()
    }

    // MARK: Putting aside

    /// Renames the source's tables and drops what belongs to them, so that all names are free.
    mutating func setAside(_ db: Database) throws {
        try dropAttached(db)
        let source = schemas.source
        for table in source.tables {
            // No entity would take their rows along.
            let strangers = "WHERE typeof(Z_ENT) NOT IN ('integer', 'null') LIMIT 1"
            try db.readRows(of: table.name, ["Z_ENT"], strangers) { row in
                throw row.error(0, expected: "the number of an entity")
            }
        }
        for table in source.tables.map(\.name) + source.joinTables.map(\.name) {
            try db.execute(sql: "ALTER TABLE \(SQLNaming.quoted(table)) RENAME TO \(schemas.old(table))")
        }
    }

    /// Indexes, triggers and R-trees. Core Data's are made anew, whatever they were.
    private mutating func dropAttached(_ db: Database) throws {
        let statement = try RowStatement(
            db,
            """
            SELECT type, name, tbl_name, sql FROM sqlite_master
            WHERE sql IS NOT NULL AND type IN ('index', 'trigger')
            OR type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%' AND name LIKE 'Z_RT_%' ORDER BY rowid
            """)
        var attached: [Attachment] = []
        while try statement.step() {
            attached.append(
                Attachment(
                    type: statement.text(at: 0), name: statement.text(at: 1), table: statement.text(at: 2),
                    sql: statement.text(at: 3)))
        }
        // Triggers first: they may speak of R-trees.
        for item in attached.sorted(by: { $0.type > $1.type }) {
            guard item.type == "table" || schemas.aside[item.table.uppercased()] != nil else { continue }
            if !item.isCoreData { foreign.append(item) }
            try db.execute(sql: "DROP \(item.type) \(SQLNaming.quoted(item.name))")
        }
    }

    // MARK: Making

    /// Makes the tables and what has to be there while rows come in.
    ///
    /// Triggers compute derived attributes of the rows that are copied, and look rows up by the columns that are indexed;
    /// without triggers it is faster to make the indexes afterwards.
    func makeTables(_ db: Database) throws {
        for statement in statements where !isAttached(statement) && !isSystem(statement) {
            try db.execute(sql: statement)
        }
        for statement in Self.missingSystemTables where try !db.hasTable(statement.name) {
            try db.execute(sql: statement.sql)
        }
        guard hasTriggers else { return }
        for statement in statements where isPlainIndex(statement) { try db.execute(sql: statement) }
        for statement in statements where statement.hasPrefix("CREATE TRIGGER") { try db.execute(sql: statement) }
    }

    /// Makes the indexes, those of uniqueness constraints at last.
    func makeIndexes(_ db: Database) throws {
        if !hasTriggers {
            for statement in statements where isPlainIndex(statement) { try db.execute(sql: statement) }
        }
        for statement in statements where statement.hasPrefix("CREATE UNIQUE INDEX") { try db.execute(sql: statement) }
    }

    private var hasTriggers: Bool { statements.contains { $0.hasPrefix("CREATE TRIGGER") } }

    private func isPlainIndex(_ statement: String) -> Bool { statement.hasPrefix("CREATE INDEX") }

    private func isAttached(_ statement: String) -> Bool {
        ["CREATE INDEX", "CREATE UNIQUE INDEX", "CREATE TRIGGER"].contains { statement.hasPrefix($0) }
    }

    private func isSystem(_ statement: String) -> Bool { SQLSchema.systemTables.contains(statement) }

    /// Stores of the first years have no model cache.
    private static let missingSystemTables = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].compactMap { name in
        SQLSchema.systemTables.first { $0.hasPrefix("CREATE TABLE \(name) ") }.map { (name: name, sql: $0) }
    }

    // MARK: Cleaning up

    /// Drops the source's tables, and puts back what others had put on them where it still fits.
    ///
    /// - Returns: What doesn't: `trigger 'note_ai' (no such column: new.ZTEXT)`.
    func dropOld(_ db: Database) throws -> [String] {
        for table in schemas.aside.values.sorted() { try db.execute(sql: "DROP TABLE \(table)") }
        var leftOut: [String] = []
        for item in foreign {
            do {
                try db.inSavepoint {
                    try db.execute(sql: item.sql)
                    if item.type == "trigger" { try compileChanges(of: item.table, db) }
                    return .commit
                }
            } catch let error as DatabaseError {
                // It speaks of a table or column that the new version doesn't have.
                leftOut.append("\(item.type) '\(item.name)' (\(error.message ?? "\(error.resultCode)"))")
            }
        }
        return leftOut
    }

    /// Compiles what fires a table's triggers: SQLite doesn't look into a trigger before that, and then no row could be written.
    private func compileChanges(of table: String, _ db: Database) throws {
        let name = SQLNaming.quoted(table)
        let columns = try db.columnNames(of: table).sorted().map(SQLNaming.quoted)
        let assignments = columns.map { "\($0) = \($0)" }.joined(separator: ", ")
        let changes = [
            "INSERT INTO \(name) DEFAULT VALUES", "UPDATE \(name) SET \(assignments)", "DELETE FROM \(name)",
        ]
        do {
            for change in changes { _ = try db.makeStatement(sql: change) }
        } catch let error as DatabaseError where error.message?.hasPrefix("no such function") == true {
            // The program that made the trigger has it.
        }
    }
}

extension Database: MigrationDatabase {
    func run(_ fragment: SQLFragment) throws { try SQLiteStoreBackend.statement(self, fragment).run() }

    func number(_ sql: String) throws -> Int64 { try number(sql, []) }
}
