// Persistent history. A store that keeps one (its table ATRANSACTION says so) gets one transaction for each save, with
// one change for each row, so that other processes notice. HistoryDetails.swift keeps what an update changed and a deletion
// left.

import Foundation
import GRDB

/// Appends to the history of a store.
struct HistoryWriter {
    private let db: Database
    private let columns: Set<String>
    /// Whether there is a place for what changes have changed and left.
    let keepsDetails: Bool

    private enum Entity {
        static let change = (number: 16001, name: "CHANGE")
        static let transaction = (number: HistoryTables.transactionEntity, name: "TRANSACTION")
        static let string = (number: 16003, name: "TRANSACTIONSTRING")
    }

    /// Nil where the store keeps no history.
    init?(db: Database) throws {
        guard try HistoryTables.exist(db) else { return nil }
        self.db = db
        columns = try db.columnNames(of: "ATRANSACTION")
        if columns.contains("ZAUTHORTS") { try HistoryTables.restoreNames(db) }
        keepsDetails = try HistoryDetails.exist(db)
    }

    /// The rows of one entity to which the same has happened.
    struct Change {
        /// As `ZCHANGETYPE` has it.
        enum Kind: Int64 {
            case insertion = 0
            case update = 1
            case deletion = 2
        }

        let kind: Kind
        let entityNumber: Int
        let keys: [Int64]
        /// What is kept of the rows, parallel to the keys; empty for none.
        var details: [[HistoryDetail]] = []
    }

    /// The values to be kept of rows that are going to be deleted, parallel to their keys; empty for none.
    func tombstones(of plan: EntityPlan, keys: [Int64]) throws -> [[HistoryDetail]] {
        keepsDetails ? try HistoryDetails.tombstones(of: plan, keys: keys, db) : []
    }

    /// Appends one transaction, unless nothing has changed, and returns its number.
    func append(_ changes: [Change], origin: StoreOrigin) throws -> Int64? {
        let count = changes.reduce(0) { $0 + $1.keys.count }
        guard count > 0 else { return nil }
        let transaction = try appendTransaction(origin)
        var key = try reserve(count, Entity.change, "ACHANGE")
        let statement = try RowStatement(
            db,
            "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) "
                + "VALUES (?, \(Entity.change.number), ?, ?, ?, ?)")
        let insertion = keepsDetails ? try HistoryDetails.insertion(db) : nil
        if keepsDetails { try HistoryDetails.deleteLeftovers(from: key, db) }
        for change in changes {
            for (index, row) in change.keys.enumerated() {
                try statement.bind(key, at: 1)
                try statement.bind(change.kind.rawValue, at: 2)
                try statement.bind(Int64(change.entityNumber), at: 3)
                try statement.bind(row, at: 4)
                try statement.bind(transaction, at: 5)
                try statement.run()
                if let insertion, !change.details.isEmpty {
                    try HistoryDetails.write(change.details[index], of: key, insertion)
                }
                key += 1
            }
        }
        return transaction
    }

    private func appendTransaction(_ origin: StoreOrigin) throws -> Int64 {
        let key = try reserve(1, Entity.transaction, "ATRANSACTION")
        let process = ProcessInfo.processInfo.processName
        var values: [(column: String, value: any DatabaseValueConvertible)] = [
            ("Z_PK", key), ("Z_ENT", Entity.transaction.number),
            ("ZTIMESTAMP", Date().timeIntervalSinceReferenceDate),
        ]
        let texts: [(column: String, text: String?)] = [
            ("ZPROCESSID", process), ("ZBUNDLEID", process), ("ZAUTHOR", origin.author),
            ("ZCONTEXTNAME", origin.contextName),
        ]
        for (column, text) in texts {
            guard let text else { continue }
            // Newer stores refer to a table of strings, older ones have the text itself.
            if columns.contains("\(column)TS") {
                values.append(("\(column)TS", try stringKey(text)))
            } else if columns.contains(column) {
                values.append((column, text))
            }
        }
        let names = values.map(\.column).joined(separator: ", ")
        let marks = values.map { _ in "?" }.joined(separator: ", ")
        try db.execute(
            sql: "INSERT INTO ATRANSACTION (\(names)) VALUES (\(marks))",
            arguments: StatementArguments(values.map(\.value)))
        return key
    }

    private func stringKey(_ text: String) throws -> Int64 {
        var known: Int64?
        try db.readRows(of: "ATRANSACTIONSTRING", ["Z_PK"], "WHERE ZNAME = ?", [.text(text)]) { row in
            known = try row.integer(0)
        }
        if let known { return known }
        let key = try reserve(1, Entity.string, "ATRANSACTIONSTRING")
        try db.execute(
            sql: "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)",
            arguments: [key, Entity.string.number, text])
        return key
    }

    /// Takes keys from the counter; a store that never counted there begins behind its last row.
    private func reserve(_ count: Int, _ entity: (number: Int, name: String), _ table: String) throws -> Int64 {
        try db.execute(
            sql: """
                INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX)
                SELECT ?, ?, 0, IFNULL((SELECT MAX(Z_PK) FROM \(table)), 0)
                WHERE NOT EXISTS (SELECT 1 FROM Z_PRIMARYKEY WHERE Z_ENT = ?)
                """,
            arguments: [entity.number, entity.name, entity.number])
        return try PrimaryKeys.reserve(count, rootNumber: entity.number, table: table, db)
    }
}

extension SaveGroup {
    func historyChange(
        _ kind: HistoryWriter.Change.Kind, _ details: [[HistoryDetail]] = []
    ) -> HistoryWriter.Change {
        HistoryWriter.Change(kind: kind, entityNumber: plan.entity.number, keys: keys, details: details)
    }
}
