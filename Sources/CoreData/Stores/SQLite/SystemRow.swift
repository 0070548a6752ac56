// Reading what no model describes: Core Data's own tables, the history's, and SQLite's list of tables. In a damaged file a
// column may hold anything. GRDB's rows and its look at the schema stop the process where a value has another type than the
// one asked for, so nothing in Stores and Migration asks them: it is asked here, or with `RowStatement.integer(at:of:)`.

import Foundation
import GRDB

/// The row that a statement stands on, each column as what it has to be.
struct SystemRow {
    fileprivate let statement: RowStatement
    fileprivate let table: String
    fileprivate let columns: [String]

    /// - Throws: ``RowError`` for anything but an integer or, where there is a value for it, NULL.
    func integer(_ column: Int, ifNull missing: Int64? = nil) throws -> Int64 {
        switch storage(column) {
        case .integer: return statement.integer(at: position(column))
        case .null: if let missing { return missing }
        default: break
        }
        throw error(column, expected: "an integer")
    }

    /// - Throws: ``RowError`` for anything but a text or NULL.
    func text(_ column: Int) throws -> String? {
        switch storage(column) {
        case .text: statement.text(at: position(column))
        case .null: nil
        default: throw error(column, expected: "a text")
        }
    }

    /// - Throws: ``RowError`` for anything but bytes or NULL.
    func data(_ column: Int) throws -> Data? {
        switch storage(column) {
        case .blob: statement.data(at: position(column))
        case .null: nil
        default: throw error(column, expected: "binary data")
        }
    }

    /// The error of a value that has the right type and still can't be.
    func error(_ column: Int, expected: String) -> RowError {
        let row = statement.storage(at: 0) == .integer ? " of row \(statement.integer(at: 0))" : ""
        return RowError(
            place: "\(table).\(columns[column])\(row)",
            found: statement.shown(at: position(column)), expected: expected, owner: "Core Data has")
    }

    private func storage(_ column: Int) -> RowStatement.Storage { statement.storage(at: position(column)) }

    /// The first column is the row's number.
    private func position(_ column: Int) -> Int32 { Int32(column + 1) }
}

extension Database {
    /// Reads rows of a table.
    ///
    /// - Parameters:
    ///   - columns: Their names, or expressions.
    ///   - rest: What follows the table in the SELECT.
    func readRows(
        of table: String, _ columns: [String], _ rest: String = "", _ arguments: [SQLValue] = [],
        _ body: (SystemRow) throws -> Void
    ) throws {
        let statement = try systemStatement(table, columns.joined(separator: ", "), rest)
        defer { statement.reset() }
        for (index, argument) in arguments.enumerated() { try statement.bind(argument, at: Int32(index + 1)) }
        let row = SystemRow(statement: statement, table: table, columns: columns)
        while try statement.step() { try body(row) }
    }

    /// A statement whose first column is the row's number, NULL in a table without such numbers.
    private func systemStatement(_ table: String, _ columns: String, _ rest: String) throws -> RowStatement {
        do {
            return try RowStatement(self, "SELECT rowid, \(columns) FROM \(table) \(rest)")
        } catch let error as DatabaseError where error.message == "no such column: rowid" {
            return try RowStatement(self, "SELECT NULL, \(columns) FROM \(table) \(rest)")
        }
    }

    /// The one value of a statement that gives an integer whatever the file holds, such as a count; 0 where there is none.
    func number(_ sql: String, _ arguments: [SQLValue] = []) throws -> Int64 {
        let statement = try RowStatement(self, sql)
        defer { statement.reset() }
        for (index, argument) in arguments.enumerated() { try statement.bind(argument, at: Int32(index + 1)) }
        return try statement.step() ? statement.integer(at: 0) : 0
    }

    /// The first column of a statement's rows, as texts.
    func texts(_ sql: String, _ arguments: [SQLValue] = []) throws -> [String] {
        let statement = try RowStatement(self, sql)
        defer { statement.reset() }
        for (index, argument) in arguments.enumerated() { try statement.bind(argument, at: Int32(index + 1)) }
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(at: 0)) }
        return texts
    }

    /// Whether there is a table of that name, whatever the case of its letters. SQLite knows without reading.
    func hasTable(_ name: String) throws -> Bool {
        let statement = try RowStatement(self, "PRAGMA table_info(\(SQLNaming.quoted(name)))")
        defer { statement.reset() }
        return try statement.step()
    }

    /// The names of a table's columns in upper case.
    func columnNames(of table: String) throws -> Set<String> {
        Set(try texts("SELECT name FROM pragma_table_info(?)", [.text(table)]).map { $0.uppercased() })
    }
}

extension RowStatement {
    /// The integer of a column.
    ///
    /// - Parameter place: What the column is, for the error: `ACHANGE.ZENTITY`.
    /// - Throws: ``RowError`` for anything else.
    @inline(__always)
    func integer(at column: Int32, of place: @autoclosure () -> String) throws -> Int64 {
        guard storage(at: column) == .integer else {
            throw RowError(place: place(), found: shown(at: column), expected: "an integer", owner: "Core Data has")
        }
        return integer(at: column)
    }

    /// What is in a column, for people.
    func shown(at column: Int32) -> String {
        let storage = storage(at: column)
        switch storage {
        case .null: return "nothing"
        case .blob: return "\(byteCount(at: column)) bytes"
        default: return "\(storage) '\(text(at: column).prefix(40))'"
        }
    }
}

/// SQL for counting up a row's version. The last version there is goes back to the first: a version is only ever compared.
enum RowVersion {
    static let countingUp = "Z_OPT = \(known) % 9223372036854775807 + 1"

    /// The version that a row is read with: rows that another program has written may have none.
    static let known = "IFNULL(Z_OPT, 0)"

    static func after(_ version: Int64) -> Int64 { version % .max + 1 }
}
