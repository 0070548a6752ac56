// Looks into a store's file with SQLite alone, so that the tool isn't its own witness.

import Foundation
import GRDB

/// A store's file.
struct StoreFile {
    var path: String

    /// Every row of every table, in a defined order.
    var content: [String: [String]] {
        get throws {
            try read { database in
                let tables = try String.fetchAll(
                    database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
                return try Dictionary(
                    uniqueKeysWithValues: tables.map { ($0, try rows("SELECT * FROM \"\($0)\"", in: database)) })
            }
        }
    }

    /// The same without the largest key that was ever reserved for each entity.
    var contentWithoutKeyCounters: [String: [String]] {
        get throws {
            var content = try content
            content["Z_PRIMARYKEY"] = try read { try rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY", in: $0) }
            return content
        }
    }

    /// SQLite's own check, after it has taken back what a killed process left half done; `ok` where all is well.
    var integrity: [String] {
        get throws { try DatabaseQueue(path: path).read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } }
    }

    /// How many times the tables and indexes have been changed: SQLite counts also what is taken back.
    var schemaVersion: Int? {
        get throws { try read { try Int.fetchOne($0, sql: "PRAGMA schema_version") } }
    }

    /// The store's bytes, and those of its log if there is one.
    var bytes: [Data] {
        get throws {
            try [path, path + "-wal"].filter(FileManager.default.fileExists).map {
                try Data(contentsOf: URL(fileURLWithPath: $0))
            }
        }
    }

    /// The number of rows that a condition of SQL holds for.
    func count(_ table: String, where condition: String = "1") throws -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM \(table) WHERE \(condition)") ?? 0 }
    }

    /// The numbers of the pages, from 1, at which a table and its indexes begin.
    func pages(ofTable table: String) throws -> [Int] {
        try read {
            try Int.fetchAll(
                $0, sql: "SELECT rootpage FROM sqlite_master WHERE tbl_name = ? ORDER BY rootpage", arguments: [table])
        }
    }

    func read<T>(_ body: (Database) throws -> T) throws -> T {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration).read(body)
    }

    private func rows(_ sql: String, in database: Database) throws -> [String] {
        try Row.fetchAll(database, sql: sql).map { "\($0.databaseValues)" }.sorted()
    }
}

/// Runs SQL on a database, which is made if there is none.
func changeDatabase(at path: String, _ sql: String) throws {
    try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
}
