// Functions of ours that SQL calls. GRDB's own way ends texts at U+0000 and makes NULL of empty bytes.

import Foundation
import GRDB
import GRDBSQLite

extension PredicateSQLFunction {
    /// Makes the function known to a connection.
    func register(on db: Database) {
        let definition = unsafe Unmanaged.passRetained(SQLFunctionDefinition(value: value)).toOpaque()
        let encoding = SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0)
        // Safe: SQLite keeps the definition, and gives it back when the connection is closed or the function replaced.
        let code = unsafe sqlite3_create_function_v2(
            db.sqliteConnection, name, argumentCount.map(Int32.init) ?? -1, encoding, definition,
            { context, count, values in
                let definition = unsafe Unmanaged<SQLFunctionDefinition>.fromOpaque(sqlite3_user_data(context))
                unsafe definition.takeUnretainedValue().run(context, count, values)
            }, nil, nil, { unsafe $0.map { unsafe Unmanaged<SQLFunctionDefinition>.fromOpaque($0).release() } })
        if code != SQLITE_OK { fatalError("SQLite doesn't take the function '\(name)': error \(code).") }
    }
}

/// What a function computes.
private final class SQLFunctionDefinition {
    private let value: @Sendable ([SQLValue]) throws -> SQLValue

    init(value: @escaping @Sendable ([SQLValue]) throws -> SQLValue) { self.value = value }

    func run(_ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
        let arguments = unsafe UnsafeBufferPointer(start: values, count: Int(count)).map { unsafe Self.argument($0) }
        do {
            unsafe Self.answer(try value(arguments), context)
        } catch {
            let code = (error as? DatabaseError)?.extendedResultCode ?? .SQLITE_ERROR
            let message = (error as? DatabaseError)?.message ?? error.localizedDescription
            unsafe sqlite3_result_error(context, message, -1)
            unsafe sqlite3_result_error_code(context, code.rawValue)
        }
    }

    /// - Note: SQLite keeps texts and bytes until the function returns; they are copied here.
    private static func argument(_ value: OpaquePointer?) -> SQLValue {
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_value_int64(value))
        case SQLITE_FLOAT: return .real(unsafe sqlite3_value_double(value))
        case SQLITE_TEXT:
            guard let start = unsafe sqlite3_value_text(value) else { return .null }
            let count = Int(unsafe sqlite3_value_bytes(value))
            return .text(unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            guard let start = unsafe sqlite3_value_blob(value) else { return .blob(Data()) }
            return .blob(unsafe Data(bytes: start, count: Int(sqlite3_value_bytes(value))))
        default: return .null
        }
    }

    private static func answer(_ value: SQLValue, _ context: OpaquePointer?) {
        switch value {
        case .null: unsafe sqlite3_result_null(context)
        case .integer(let integer): unsafe sqlite3_result_int64(context, integer)
        case .real(let real): unsafe sqlite3_result_double(context, real)
        case .text(var text):
            text.withUTF8 { bytes in
                // An empty buffer may have no address, which SQLite would take for NULL.
                guard let start = bytes.baseAddress else {
                    return unsafe sqlite3_result_text(context, "", 0, RowStatement.copying)
                }
                unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                    unsafe sqlite3_result_text64(
                        context, $0, UInt64(bytes.count), RowStatement.copying, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let data):
            unsafe data.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress, unsafe !bytes.isEmpty else {
                    return unsafe sqlite3_result_zeroblob(context, 0)
                }
                unsafe sqlite3_result_blob64(context, start, UInt64(bytes.count), RowStatement.copying)
            }
        }
    }
}
