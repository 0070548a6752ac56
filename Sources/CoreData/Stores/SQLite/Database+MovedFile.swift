// A file that is removed or renamed while it is open takes what is written to it along. Apple's SQLite notices, and refuses all that is
// done with the connection from then on, with an error of its own (SQLITE_IOERR_VNODE). Here what is written is refused.

import GRDB
import GRDBSQLite

extension Database {
    /// Looks whether the file is still where it was opened.
    ///
    /// Source: sqlite.org/c3ref/c_fcntl_begin_atomic_write.html, `SQLITE_FCNTL_HAS_MOVED`.
    ///
    /// - Throws: `DatabaseError` with the number that Apple's SQLite gives.
    func requireFileInPlace() throws {
        var hasMoved: CInt = 0
        // Safe: the connection is open, and SQLite writes the number during the call.
        let code = unsafe sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard code == SQLITE_OK, hasMoved != 0 else { return }
        throw DatabaseError(
            resultCode: ResultCode(rawValue: Self.movedFile),
            message: "the file was removed or renamed while it was open")
    }

    /// `SQLITE_IOERR_VNODE`, which only Apple's SQLite has.
    static let movedFile: CInt = SQLITE_IOERR | (27 << 8)
}
