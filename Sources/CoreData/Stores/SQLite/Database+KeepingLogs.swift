// SQLite deletes a write-ahead log that holds nothing more of use, even where it was opened for reading alone.

import GRDB
import GRDBSQLite

extension Database {
    /// Leaves a database's log where it is when the connection is closed: it may be all that is left to rescue.
    ///
    /// Source: sqlite.org/c3ref/c_fcntl_begin_atomic_write.html, `SQLITE_FCNTL_PERSIST_WAL`.
    func keepLog(of name: String) {
        var isKept: CInt = 1
        // Safe: the connection is open, and SQLite reads the number during the call.
        _ = unsafe sqlite3_file_control(sqliteConnection, name, SQLITE_FCNTL_PERSIST_WAL, &isKept)
    }
}
