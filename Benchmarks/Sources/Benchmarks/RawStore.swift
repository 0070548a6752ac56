// The baseline of an import: the rows of a finished store, written by a loop over SQLite's own C interface into the same
// tables with the same indexes, in one transaction, with the same settings. Nothing that writes these rows through
// SQLite can be much faster.

import Foundation
import GRDBSQLite

/// The tables and rows of a store, in memory.
struct RawStore {
    private enum Value {
        case null
        case integer(Int64)
        case double(Double)
        case text([UInt8])
        case blob([UInt8])
    }

    private struct Table {
        var name: String
        var columnCount = 0
        /// Row after row.
        var values: [Value] = []
    }

    private var definitions: [String] = []
    private var tables: [Table] = []

    var rowCount: Int { tables.reduce(0) { $0 + $1.values.count / max(1, $1.columnCount) } }

    /// Reads a store.
    init(path: String) throws {
        let database = try Connection(path)
        let master = try database.prepare(
            "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        while try master.step() {
            definitions.append(master.text(2))
            if master.text(0) == "table" { tables.append(Table(name: master.text(1))) }
        }
        for index in tables.indices {
            let rows = try database.prepare("SELECT * FROM \(tables[index].name) ORDER BY rowid")
            tables[index].columnCount = rows.columnCount
            while try rows.step() {
                for column in 0..<rows.columnCount { tables[index].values.append(rows.value(column)) }
            }
        }
    }

    /// Writes everything into a new file, and returns what the rows took, from the transaction's beginning to
    /// its end.
    func write(to path: String) throws -> Cost {
        let database = try Connection(path)
        // The settings of the store's connections.
        for setting in ["page_size = 4096", "auto_vacuum = 2", "journal_mode = WAL", "synchronous = NORMAL"] {
            try database.run("PRAGMA \(setting)")
        }
        try database.run("PRAGMA cache_size = -32768")
        for definition in definitions { try database.run(definition) }
        return try Cost.of {
            try database.run("BEGIN IMMEDIATE")
            for table in tables where table.columnCount > 0 { try Self.write(table, database) }
            try database.run("COMMIT")
        }.cost
    }

    private static func write(_ table: Table, _ database: Connection) throws {
        let places = repeatElement("?", count: table.columnCount).joined(separator: ",")
        let insertion = try database.prepare("INSERT INTO \(table.name) VALUES (\(places))")
        for first in stride(from: 0, to: table.values.count, by: table.columnCount) {
            for column in 0..<table.columnCount { insertion.bind(table.values[first + column], column) }
            _ = try insertion.step()
            insertion.reset()
        }
    }
}

// MARK: - SQLite

extension RawStore {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// An open database.
    @safe
    private final class Connection {
        private let handle: OpaquePointer

        init(_ path: String) throws {
            var opened: OpaquePointer?
            // As GRDB opens it: used by one thread at a time, so SQLite needs no locks.
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
            guard code == SQLITE_OK, let handle = unsafe opened else {
                throw Failure(description: "\(path) can't be opened: error \(code)")
            }
            unsafe self.handle = handle
        }

        deinit { unsafe sqlite3_close_v2(handle) }

        func run(_ sql: String) throws {
            let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
            guard code == SQLITE_OK else { throw Failure(description: "\(sql): error \(code)") }
        }

        func prepare(_ sql: String) throws -> Statement {
            var prepared: OpaquePointer?
            let code = unsafe sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
            guard code == SQLITE_OK, let statement = unsafe prepared else {
                throw Failure(description: "\(sql): error \(code)")
            }
            return unsafe Statement(statement, self)
        }
    }

    /// A prepared statement.
    @safe
    private final class Statement {
        private let handle: OpaquePointer
        /// Kept, because a statement needs its database.
        private let connection: Connection

        init(_ handle: OpaquePointer, _ connection: Connection) {
            unsafe self.handle = handle
            self.connection = connection
        }

        deinit { unsafe sqlite3_finalize(handle) }

        var columnCount: Int { Int(unsafe sqlite3_column_count(handle)) }

        /// Whether there is a row.
        func step() throws -> Bool {
            let code = unsafe sqlite3_step(handle)
            if code == SQLITE_ROW { return true }
            guard code == SQLITE_DONE else { throw Failure(description: "a statement failed: error \(code)") }
            return false
        }

        func reset() { unsafe sqlite3_reset(handle) }

        func text(_ column: Int) -> String {
            guard case .text(let bytes) = value(column) else { return "" }
            return String(decoding: bytes, as: UTF8.self)
        }

        func value(_ column: Int) -> Value {
            let index = Int32(column)
            switch unsafe sqlite3_column_type(handle, index) {
            case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(handle, index))
            case SQLITE_FLOAT: return .double(unsafe sqlite3_column_double(handle, index))
            case SQLITE_NULL: return .null
            case let type:
                let start = unsafe sqlite3_column_blob(handle, index)
                let count = Int(unsafe sqlite3_column_bytes(handle, index))
                let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
                return type == SQLITE_TEXT ? .text(bytes) : .blob(bytes)
            }
        }

        /// Binds a value, which has to stay as it is until the next step.
        @inline(__always)
        func bind(_ value: Value, _ column: Int) {
            let index = Int32(column + 1)
            switch value {
            case .null: unsafe sqlite3_bind_null(handle, index)
            case .integer(let value): unsafe sqlite3_bind_int64(handle, index, value)
            case .double(let value): unsafe sqlite3_bind_double(handle, index, value)
            case .text(let bytes):
                // Safe: the array is kept by the store, so its memory outlives the statement's use of it.
                unsafe bytes.withUnsafeBytes { buffer in
                    let start = unsafe buffer.assumingMemoryBound(to: CChar.self).baseAddress
                    _ = unsafe sqlite3_bind_text(handle, index, start, Int32(buffer.count), nil)
                }
            case .blob(let bytes):
                // Safe: as above.
                unsafe bytes.withUnsafeBytes { buffer in
                    _ = unsafe sqlite3_bind_blob(handle, index, buffer.baseAddress, Int32(buffer.count), nil)
                }
            }
        }
    }
}
