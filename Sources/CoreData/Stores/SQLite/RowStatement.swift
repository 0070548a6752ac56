// A prepared statement of GRDB's on SQLite's own functions: what the loops over many rows bind, step and read with. All
// of the store's unsafe code is here. GRDB keeps the statement (in its cache) and checks the thread; this file only
// skips the dictionaries and boxes between a row and a slot.

import Foundation
import GRDB
import GRDBSQLite

/// A statement with typed parameters (counted from 1) and columns (counted from 0).
///
/// Belongs to one connection and may only be used inside that connection's `read` or `write`. Two users of the same SQL
/// on one connection share the statement, so a user reads to the end or resets before another one begins.
@safe final class RowStatement {
    private let statement: Statement
    // Safe: `statement` finalizes the handle when it goes, and it is kept as long as this object.
    private let handle: OpaquePointer
    /// Whether it stands on a row. Left there, it would keep the connection in the state of now, whatever is written meanwhile.
    private var isOnRow = false

    /// Takes the statement from the connection's cache, compiling it at its first use.
    init(_ db: Database, _ sql: String) throws {
        statement = try db.cachedStatement(sql: sql)
        unsafe handle = statement.sqliteStatement
        reset()
    }

    /// Whoever stops in the middle, because of an error or as he knows enough, need not think of it.
    deinit { if isOnRow { unsafe sqlite3_reset(handle) } }

    // MARK: Running

    /// Goes on to the next row.
    ///
    /// - Returns: False when there is none; the statement is reset then.
    func step() throws -> Bool {
        let code = unsafe sqlite3_step(handle)
        isOnRow = code == SQLITE_ROW
        if isOnRow { return true }
        if code == SQLITE_DONE {
            unsafe sqlite3_reset(handle)
            return false
        }
        throw failure(code)
    }

    /// Runs a statement that gives no rows, and makes it ready for the next parameters.
    func run() throws {
        while try step() {}
    }

    /// The number of rows that the connection's last INSERT, UPDATE or DELETE touched, triggers left out.
    var changes: Int { Int(unsafe sqlite3_changes(sqlite3_db_handle(handle))) }

    func reset() {
        unsafe sqlite3_reset(handle)
        isOnRow = false
    }

    private func failure(_ code: Int32) -> DatabaseError {
        let connection = unsafe sqlite3_db_handle(handle)
        let message = unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) }
        unsafe sqlite3_reset(handle)
        return DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
    }

    @inline(__always)
    private func check(_ code: Int32) throws {
        if code != SQLITE_OK { throw failure(code) }
    }

    // MARK: Parameters

    /// Tells SQLite to copy the bytes before the call returns (`SQLITE_TRANSIENT`, which the importer can't express).
    static let copying = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    func bindNull(at index: Int32) throws {
        try check(unsafe sqlite3_bind_null(handle, index))
    }

    func bind(_ value: Int64, at index: Int32) throws {
        try check(unsafe sqlite3_bind_int64(handle, index, value))
    }

    func bind(_ value: Double, at index: Int32) throws {
        try check(unsafe sqlite3_bind_double(handle, index, value))
    }

    func bind(_ value: String, at index: Int32) throws {
        var value = value
        let code = value.withUTF8 { bytes in
            // An empty buffer may have no address, which SQLite would take for NULL.
            guard let start = bytes.baseAddress else {
                return unsafe sqlite3_bind_text(handle, index, "", 0, Self.copying)
            }
            return unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                unsafe sqlite3_bind_text64(
                    handle, index, $0, UInt64(bytes.count), Self.copying, UInt8(SQLITE_UTF8))
            }
        }
        try check(code)
    }

    func bind(_ value: Data, at index: Int32) throws {
        let code = unsafe value.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, unsafe !bytes.isEmpty else {
                return unsafe sqlite3_bind_zeroblob(handle, index, 0)
            }
            return unsafe sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), Self.copying)
        }
        try check(code)
    }

    /// Binds the 16 bytes in the order in which a UUID is printed.
    func bind(_ value: UUID, at index: Int32) throws {
        let code = unsafe withUnsafeBytes(of: value.uuid) { bytes in
            unsafe sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), Self.copying)
        }
        try check(code)
    }

    func bind(_ value: SQLValue, at index: Int32) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let integer): try bind(integer, at: index)
        case .real(let real): try bind(real, at: index)
        case .text(let text): try bind(text, at: index)
        case .blob(let data): try bind(data, at: index)
        }
    }

    // MARK: Columns

    /// What SQLite has in a column.
    enum Storage {
        case integer, real, text, blob, null
    }

    func storage(at column: Int32) -> Storage {
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    /// What is in a column, as it is.
    func value(at column: Int32) -> SQLValue {
        switch storage(at: column) {
        case .null: .null
        case .integer: .integer(integer(at: column))
        case .real: .real(double(at: column))
        case .text: .text(text(at: column))
        case .blob: .blob(data(at: column))
        }
    }

    func integer(at column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func double(at column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }

    /// The text; ill-formed UTF-8 is repaired with replacement characters.
    func text(at column: Int32) -> String {
        guard let start = unsafe sqlite3_column_text(handle, column) else { return "" }
        // Safe: SQLite keeps the text until the next step or conversion, and `String` copies it here.
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The text; nil where it is ill-formed.
    func wellFormedText(at column: Int32) -> String? {
        guard let start = unsafe sqlite3_column_text(handle, column) else { return "" }
        // Safe: as in `text(at:)`; behind the text, SQLite has a zero.
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        let text = unsafe String(validatingCString: UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self))
        if let text, text.utf8.count == count { return text }
        // A text with a zero in it, or none. This looks up generic types for each text, which takes five times as long.
        return unsafe String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func data(at column: Int32, droppingFirst dropped: Int = 0) -> Data {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return Data() }
        // Safe: as in `text(at:)`; `Data` copies.
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe Data(bytes: start + min(dropped, count), count: max(count - dropped, 0))
    }

    /// The number of bytes of a text or blob.
    func byteCount(at column: Int32) -> Int { Int(unsafe sqlite3_column_bytes(handle, column)) }

    /// The first byte of a blob; nil for an empty one.
    func firstByte(at column: Int32) -> UInt8? {
        guard byteCount(at: column) > 0, let start = unsafe sqlite3_column_blob(handle, column) else { return nil }
        // Safe: there is at least one byte.
        return unsafe start.load(as: UInt8.self)
    }

    /// A blob of 16 bytes; nil for another length.
    func uuid(at column: Int32) -> UUID? {
        guard let start = unsafe sqlite3_column_blob(handle, column),
            byteCount(at: column) == MemoryLayout<uuid_t>.size
        else { return nil }
        // Safe: the length has just been compared, and `uuid_t` is sixteen bytes without padding.
        return UUID(uuid: unsafe start.loadUnaligned(as: uuid_t.self))
    }
}
