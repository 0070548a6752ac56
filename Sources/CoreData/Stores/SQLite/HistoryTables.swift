// The tables of the persistent history, as Core Data makes them, and reading them. HistoryWriter.swift appends to them.
//
//     ATRANSACTION         one row a save: when, and who by reference to ATRANSACTIONSTRING
//     ACHANGE              one row a changed row: its kind, the row's Z_ENT and Z_PK, the transaction's Z_PK
//     ATRANSACTIONSTRING   the names of authors, contexts, processes, each once

import Foundation
import GRDB

enum HistoryTables {
    /// What transactions have as `Z_ENT`.
    static let transactionEntity = 16002
    /// What the rows of the tables count as. A table has the name with an A in front.
    static let entities = [(16001, "CHANGE"), (transactionEntity, "TRANSACTION"), (16003, "TRANSACTIONSTRING")]

    static func exist(_ db: Database) throws -> Bool {
        try db.hasTable("ATRANSACTION") && db.hasTable("ACHANGE")
    }

    /// Makes the table of names where it is gone: transactions of before have none then.
    static func restoreNames(_ db: Database) throws {
        if try !db.hasTable("ATRANSACTIONSTRING") { try db.execute(sql: namesTable) }
    }

    private static let namesTable = "CREATE TABLE ATRANSACTIONSTRING ( \(head), ZNAME VARCHAR )"
    private static let head = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"

    /// Begins a history, unless the store has one. What is left of one that has lost a table says nothing any more, and all of its
    /// tokens expire.
    ///
    /// - Parameter tombstoneCount: The largest number of attributes of an entity whose values outlive a deletion.
    static func create(_ db: Database, tombstoneCount: Int) throws {
        if try exist(db) { return }
        for (_, name) in entities { try db.execute(sql: "DROP TABLE IF EXISTS A\(name)") }
        for statement in statements(tombstoneCount: tombstoneCount) { try db.execute(sql: statement) }
        for (number, name) in entities {
            try db.execute(
                sql: "INSERT OR IGNORE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, 0)",
                arguments: [number, name])
        }
        let last = try lastNumber(db)
        if last > 0, last < .max { try PrimaryKeys.raise(to: last + 1, rootNumber: transactionEntity, db) }
    }

    private static func statements(tombstoneCount: Int) -> [String] {
        let tombstones = (0..<tombstoneCount).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
        let references = ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"]
        return [
            "CREATE TABLE ACHANGE ( \(head), ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, "
                + "ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(tombstones) )",
            "CREATE TABLE ATRANSACTION ( \(head), \(references.map { "\($0) INTEGER" }.joined(separator: ", ")), "
                + "ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, "
                + "ZQUERYGEN BLOB )",
            namesTable,
            "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
        ]
            + references.map { "CREATE INDEX ATRANSACTION_\($0)_INDEX ON ATRANSACTION (\($0))" } + [
                "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
                "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION "
                    + "(ZTIMESTAMP COLLATE BINARY ASC)",
                "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING "
                    + "(ZNAME COLLATE BINARY ASC)",
            ]
    }

    /// The condition on `t`, ATRANSACTION.
    private static func condition(_ range: StoreHistoryRange) -> SQLFragment {
        switch range {
        case .all: SQLFragment(sql: "1")
        case .after(let number): SQLFragment(sql: "t.Z_PK > ?", arguments: [.integer(number)])
        case .before(let number): SQLFragment(sql: "t.Z_PK < ?", arguments: [.integer(number)])
        case .afterDate(let date):
            SQLFragment(
                sql: isBeforeUndated(date) ? "(t.ZTIMESTAMP > ? OR t.ZTIMESTAMP IS NULL)" : "t.ZTIMESTAMP > ?",
                arguments: [.real(date.timeIntervalSinceReferenceDate)])
        case .beforeDate(let date):
            // Up to the first one that isn't older: clocks are set back, and a hole would end the tokens before it.
            SQLFragment(
                sql: "t.Z_PK < IFNULL((SELECT MIN(Z_PK) FROM ATRANSACTION WHERE IFNULL(ZTIMESTAMP, 0) >= ?), "
                    + "9223372036854775807)",
                arguments: [.real(date.timeIntervalSinceReferenceDate)])
        case .among(let numbers):
            SQLFragment(
                sql: "t.Z_PK IN (\(numbers.map { _ in "?" }.joined(separator: ", ")))",
                arguments: numbers.map { .integer($0) })
        }
    }

    /// Whether a date comes before the one that a transaction without a date is read with: 0.
    private static func isBeforeUndated(_ date: Date) -> Bool { date.timeIntervalSinceReferenceDate < 0 }

    // MARK: Reading

    static func transactions(_ db: Database, in range: StoreHistoryRange) throws -> [StoreTransaction] {
        let columns = try db.columnNames(of: "ATRANSACTION")
        let hasNames = try db.hasTable("ATRANSACTIONSTRING")
        // Newer stores refer to a table of strings, older ones have the text itself.
        let texts = ["ZAUTHOR", "ZCONTEXTNAME", "ZBUNDLEID", "ZPROCESSID"].map { name in
            let text = columns.contains(name) ? "t.\(name)" : "NULL"
            guard hasNames, columns.contains("\(name)TS") else { return text }
            return "coalesce((SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = t.\(name)TS), \(text))"
        }
        var fragment = SQLFragment(
            sql: "SELECT t.Z_PK, t.ZTIMESTAMP, \(texts.joined(separator: ", ")) FROM ATRANSACTION AS t WHERE ")
        fragment += condition(range)
        fragment.sql += " ORDER BY t.Z_PK"
        let statement = try SQLiteStoreBackend.statement(db, fragment)
        func text(_ column: Int32) -> String? {
            statement.storage(at: column) == .null ? nil : statement.text(at: column)
        }
        var transactions: [StoreTransaction] = []
        while try statement.step() {
            let number = statement.integer(at: 0)
            guard [.real, .integer, .null].contains(statement.storage(at: 1)) else {
                throw RowError(
                    place: "ATRANSACTION.ZTIMESTAMP of row \(number)", found: statement.shown(at: 1),
                    expected: "a date (seconds since 2001)", owner: "Core Data has")
            }
            transactions.append(
                StoreTransaction(
                    number: number,
                    timestamp: Date(timeIntervalSinceReferenceDate: statement.double(at: 1)), author: text(2),
                    contextName: text(3), bundleID: text(4), processID: text(5)))
        }
        return transactions
    }

    /// The last number that was given to a transaction, whether or not that one is still there.
    static func lastNumber(_ db: Database) throws -> Int64 {
        var counted: Int64 = 0
        try db.readRows(of: "Z_PRIMARYKEY", ["Z_MAX"], "WHERE Z_ENT = \(transactionEntity)") { row in
            counted = try row.integer(0, ifNull: 0)
        }
        return max(counted, try db.number("SELECT IFNULL(MAX(Z_PK), 0) FROM ATRANSACTION"))
    }

    /// Whether a transaction after one has been deleted: there are fewer than numbers have been given since. Whoever writes one
    /// takes the next number.
    static func isExpired(_ db: Database, after number: Int64) throws -> Bool {
        let count = try db.number("SELECT COUNT(*) FROM ATRANSACTION WHERE Z_PK > ?", [.integer(number)])
        return try number < max(lastNumber(db), 0) - count
    }

    // MARK: Deleting

    static func delete(_ db: Database, in range: StoreHistoryRange) throws -> Int {
        var chosen = SQLFragment(sql: "(SELECT t.Z_PK FROM ATRANSACTION AS t WHERE ")
        chosen += condition(range)
        chosen.sql += ")"
        var changes = SQLFragment(sql: "DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN ")
        changes += chosen
        try SQLiteStoreBackend.statement(db, changes).run()
        var transactions = SQLFragment(sql: "DELETE FROM ATRANSACTION WHERE Z_PK IN ")
        transactions += chosen
        let statement = try SQLiteStoreBackend.statement(db, transactions)
        try statement.run()
        return statement.changes
    }
}

extension SQLiteStoreBackend {
    /// Begins a history where the options ask for one.
    func startHistory(_ model: NSManagedObjectModel) throws {
        let counts = model.entities.map { entity in
            entity.attributesByName.values.count { $0.preservesValueInHistoryOnDeletion }
        }
        try writing { db in
            try HistoryTables.create(db, tombstoneCount: counts.max() ?? 0)
            try HistoryDetails.create(db)
        }
    }

    /// Goes on behind the last transaction of the store whose place this one takes: tokens of that one have seen nothing of this one.
    func continueHistory(of other: SQLiteStoreBackend, _ model: NSManagedObjectModel) throws {
        guard let last = try other.lastTransactionNumber() else { return }
        if !keepsHistory { try startHistory(model) }
        try writing { try PrimaryKeys.raise(to: last, rootNumber: HistoryTables.transactionEntity, $0) }
    }

    var keepsHistory: Bool {
        // A store that can't be read shows that when it is.
        (try? database.read { try HistoryTables.exist($0) }) ?? false
    }

    func lastTransactionNumber() throws -> Int64? {
        try reading { try HistoryTables.exist($0) ? HistoryTables.lastNumber($0) : nil }
    }

    func transactions(in range: StoreHistoryRange) throws -> [StoreTransaction] {
        try reading { db in
            if case .after(let number) = range, try HistoryTables.isExpired(db, after: number) {
                throw CoreDataError.make(
                    .persistentHistoryTokenExpired,
                    "The store \(errors.path) has deleted transactions after the token. Fetch objects anew, then the history "
                        + "from currentPersistentHistoryToken(fromStores:) on.")
            }
            return try HistoryTables.transactions(db, in: range)
        }
    }

    func historyChanges(of transactions: [Int64]) throws -> [StoreHistoryChange] {
        try reading { db in
            var changes: [StoreHistoryChange] = []
            var kinds = KindLookup(self)
            for chunk in KeyChunks(transactions) {
                let statement = try RowStatement(
                    db,
                    "SELECT Z_PK, ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK FROM ACHANGE "
                        + "WHERE ZTRANSACTIONID \(chunk.test) ORDER BY ZTRANSACTIONID, Z_PK")
                try chunk.bind(to: statement)
                while try statement.step() {
                    // Entities of other configurations, and of models that the store once had, have no IDs here.
                    func integer(_ column: Int32, _ name: String) throws -> Int64 {
                        try statement.integer(at: column, of: "ACHANGE.\(name) of row \(statement.integer(at: 0))")
                    }
                    guard let objectKind = kinds.kind(ofEntity: try integer(3, "ZENTITY")),
                        let kind = NSPersistentHistoryChangeType(rawValue: Int(try integer(2, "ZCHANGETYPE")))
                    else { continue }
                    let id = NSManagedObjectID(objectKind, number: try integer(4, "ZENTITYPK"))
                    changes.append(
                        StoreHistoryChange(
                            number: statement.integer(at: 0), transactionNumber: statement.integer(at: 1), kind: kind,
                            objectID: id))
                }
            }
            try HistoryDetails.add(to: &changes, self, db)
            return changes
        }
    }

    func deleteTransactions(in range: StoreHistoryRange) throws -> Int {
        try requireWritable()
        return try writing { try HistoryTables.delete($0, in: range) }
    }
}
