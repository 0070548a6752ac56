// What has to hold for the tables of the persistent history: that they are there, can be read, and that saves can add to them.

import Foundation
import GRDB

/// The rules for the history of a store.
enum HistoryRules {
    /// All rules; none where the store keeps no history.
    static func all(_ db: Database) throws -> [StoreRule] {
        var rules = try HistoryTables.entities.filter { try !db.hasTable("A\($1)") }.map { missing($0, "A\($1)") }
        guard try HistoryTables.exist(db) else { return rules }
        rules += [
            unreadable("ATRANSACTION", "ZTIMESTAMP", ["integer", "real", "null"], "a date (seconds since 2001)"),
            unreadable("ACHANGE", "ZCHANGETYPE", ["integer"], "an integer"),
            unreadable("ACHANGE", "ZENTITY", ["integer"], "an integer"),
            unreadable("ACHANGE", "ZENTITYPK", ["integer"], "an integer"),
        ]
        for (number, name) in HistoryTables.entities where try db.hasTable("A\(name)") {
            rules += [spentKey("A\(name)"), spentCounter(number, "A\(name)")]
        }
        return rules
    }

    /// A table that had rows.
    private static func missing(_ number: Int, _ table: String) -> StoreRule {
        StoreRule(
            kind: .unreadableTable, entity: table, property: nil,
            select: "SELECT NULL, NULL, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number) AND Z_MAX > 0",
            words: {
                "this table of the history isn't there, and keys up to \($0.shown(at: 2)) of it have been given (Z_PRIMARYKEY)"
            },
            mend: .impossible(
                table == "ATRANSACTIONSTRING"
                    ? "Restore the store from a copy, if the authors of its transactions are needed: the next save makes the table anew."
                    : "Restore the store from a copy, if its history is needed: opened with a history, the store begins a new one, "
                        + "and tokens of the lost one have expired."))
    }

    private static func unreadable(
        _ table: String, _ column: String, _ types: [String], _ expected: String
    ) -> StoreRule {
        let allowed = types.map { "'\($0)'" }.joined(separator: ", ")
        return StoreRule(
            kind: .unreadableValue, entity: table, property: column,
            select: "SELECT Z_PK, NULL, \(column) FROM \(table) WHERE typeof(\(column)) NOT IN (\(allowed))",
            words: { "found \($0.shown(at: 2)) where Core Data has \(expected)" },
            mend: .impossible("Correct it, or delete the history up to there: nothing reads it as it is."))
    }

    /// Each save takes the next keys.
    private static func spentKey(_ table: String) -> StoreRule {
        StoreRule(
            kind: .spentKeyCounter, entity: table, property: nil,
            select: "SELECT Z_PK, NULL FROM \(table) WHERE Z_PK >= \(Int64.max - 1)",
            words: { "its key is \($0.integer(at: 0)), so that no save can add to the history" },
            mend: .impossible("Which key it had can't be told: give it another one, or delete it."))
    }

    private static func spentCounter(_ number: Int, _ table: String) -> StoreRule {
        StoreRule(
            kind: .spentKeyCounter, entity: table, property: nil,
            select: "SELECT NULL, NULL, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number) "
                + "AND (typeof(Z_MAX) NOT IN ('integer', 'null') OR Z_MAX >= \(Int64.max - 1))",
            words: {
                "the counter of keys (Z_PRIMARYKEY.Z_MAX) is \($0.shown(at: 2)), so that no save can add to the history"
            },
            mend: .impossible("Set it to the largest key of \(table)."))
    }
}
