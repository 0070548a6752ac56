// Reading a database without changing a byte of it or of anything beside it. SQLite by itself can't: to read a database in
// WAL mode it makes the shared index (`-shm`) of the write-ahead log, or writes into the one that is there, and in a read-only
// folder it gives up; `immutable` takes no locks and ignores the log. So the way depends on what is found:
//
//     rollback mode                       SQLite's own locks, which leave nothing behind
//     WAL mode, a log and a shared index  the shared index, opened for reading: SQLite respects everybody's locks in it,
//                                         and makes an index of its own in memory where nobody has the database open
//     WAL mode, a log alone               nobody has it open: an index of the log in this process's memory, no locks
//     WAL mode, no log                    the file as it is, no locks
//     open in this process already        SQLite's own way, whose locks the others would break
//
// Without locks nothing keeps a writer from coming. So the files' states are compared before and after each reading, and what
// was read while they changed is read again, in the way that fits then.

import Foundation
import GRDB
import Synchronization

/// A database that is only read.
final class ReadOnlyDatabase: Sendable {
    /// How the files are read.
    enum Way: Equatable {
        /// As SQLite does it, which may write into the shared index of the log.
        case shared
        /// The same, but the shared index is never written.
        case joined
        /// With an index of the log in memory, and no locks.
        case privateIndex
        /// The database file alone, without locks.
        case fileAlone

        var hasLocks: Bool { self == .shared || self == .joined }

        /// What of SQLite's parameters of file names makes it so (sqlite.org/uri.html).
        fileprivate var parameters: String {
            switch self {
            case .shared: "mode=ro"
            case .joined: "mode=ro&readonly_shm=1"
            case .privateIndex: "mode=ro&vfs=unix-none"
            case .fileAlone: "mode=ro&immutable=1"
            }
        }

        /// What has to be said before anything is read. With this lock, which `unix-none` doesn't take, SQLite keeps the index
        /// to itself.
        fileprivate var lockingMode: String { self == .privateIndex ? "EXCLUSIVE" : "NORMAL" }
    }

    /// A database as it is read.
    private struct Source {
        let path: String
        let way: Way
        /// What the files were before they were opened.
        let state: DatabaseFilesState
        let token: LockedFiles.Token?

        init(_ path: String, _ way: Way) {
            self.path = path
            self.way = way
            state = DatabaseFilesState(path)
            token = way.hasLocks ? LockedFiles.enter(path) : nil
        }
    }

    private struct Connection {
        let queue: DatabaseQueue
        let sources: [Source]

        /// Where SQLite takes its locks, it sees to that by itself.
        var isUpToDate: Bool { sources.allSatisfy { $0.way.hasLocks || DatabaseFilesState($0.path) == $0.state } }
        var isJoined: Bool { sources.contains { $0.way == .joined } }

        /// Keeps a connection without locks from being closed while its process has others with locks.
        func park() {
            for source in sources where !source.way.hasLocks { LockedFiles.park(queue, of: source.path) }
        }
    }

    let path: String
    /// A second database on the same connection, called `other` there.
    private let other: String?
    private let options: SQLiteStoreOptions
    /// Whether the state of the first reading is kept.
    private let isPinned: Bool
    private let connection = Mutex<Connection?>(nil)
    private static let attemptCount = 10

    /// - Parameter isPinned: Whether all readings show one state. In rollback mode that keeps writers from committing.
    init(path: String, options: SQLiteStoreOptions, isPinned: Bool = false, other: String? = nil) throws {
        self.path = path
        self.other = other
        self.options = options
        self.isPinned = isPinned
        let first = try connect()
        connection.withLock { $0 = first }
    }

    deinit { close() }

    /// The way that is in use.
    var way: Way? { connection.withLock { $0?.sources.first?.way } }

    // MARK: Reading

    /// Runs several reads on one state of the file.
    ///
    /// - Parameter body: Is run again where the file changed meanwhile.
    /// - Throws: What the body throws; `CocoaError` (`.persistentStoreTimeout`) where the file doesn't stay the same.
    func read<T>(_ body: (Database) throws -> T) throws -> T {
        for _ in 0..<Self.attemptCount {
            let current = try upToDate()
            do {
                let result = isPinned ? try current.queue.inDatabase(body) : try current.queue.read(body)
                if current.isUpToDate { return result }
            } catch {
                if current.isUpToDate {
                    guard current.isJoined, !isPinned, Self.needsMark(error) else { throw error }
                    try replace(current, by: makeConnection(marking: true))
                    continue
                }
            }
            if isPinned { break }
            try replace(current, by: connect())
        }
        throw SQLiteErrors(path: path).changedWhileRead()
    }

    /// The same database in the state that it has now; nil in rollback mode, where that would keep writers out.
    func pinned() throws -> ReadOnlyDatabase? {
        let mode = try read { try $0.texts("PRAGMA journal_mode").first }
        if way?.hasLocks == true, mode != "wal" { return nil }
        return try ReadOnlyDatabase(path: path, options: options, isPinned: true)
    }

    /// The connection itself.
    var queue: DatabaseQueue {
        get throws { try upToDate().queue }
    }

    /// Lets go of the file. Nothing may read any more.
    func close() {
        let last = connection.withLock { connection -> Connection? in
            defer { connection = nil }
            return connection
        }
        guard let last else { return }
        last.park()
        for source in last.sources { source.token?.end() }
    }

    // MARK: Connections

    /// How a database is to be read now.
    static func way(to path: String) throws -> Way {
        if LockedFiles.contains(path) { return .shared }
        guard SQLiteStoreFile.isInLogMode(try SQLiteStoreFile.firstBytes(of: path)) else { return .shared }
        let state = DatabaseFilesState(path)
        if state.log != nil, state.hasSharedIndex { return .joined }
        return state.hasLog ? .privateIndex : .fileAlone
    }

    private func connect() throws -> Connection {
        do {
            return try makeConnection(marking: false)
        } catch  where Self.needsMark(error) {
            return try makeConnection(marking: true)
        }
    }

    /// - Parameter isMarking: Whether the shared index of a log may be written.
    private func makeConnection(marking isMarking: Bool) throws -> Connection {
        let sources = try [path, other].compactMap(\.self).map { path in
            let way = try Self.way(to: path)
            return Source(path, isMarking && way == .joined ? .shared : way)
        }
        var configuration = try SQLiteDatabase.configuration(
            options, path, excluding: ["journal_mode", "auto_vacuum", "page_size"],
            preparing: ["PRAGMA locking_mode = \(sources[0].way.lockingMode)"])
        configuration.readonly = true
        configuration.allowsUnsafeTransactions = isPinned
        let queue = try DatabaseQueue(path: Self.address(of: path, sources[0].way), configuration: configuration)
        try queue.inDatabase { db in
            db.keepLog(of: "main")
            for source in sources.dropFirst() {
                // Who says nothing gets the first database's way of locking.
                let address = Self.address(of: source.path, source.way)
                let isAlike = source.way == .privateIndex || sources[0].way != .privateIndex
                try db.execute(
                    sql: "ATTACH DATABASE ? AS other", arguments: [isAlike ? address : address + "&vfs=unix"])
                try db.execute(sql: "PRAGMA other.locking_mode = \(source.way.lockingMode)")
                db.keepLog(of: "other")
            }
            guard isPinned, sources.contains(where: \.way.hasLocks) else { return }
            // A transaction that stays open keeps what it has seen first.
            try db.execute(sql: "BEGIN DEFERRED TRANSACTION")
            for name in ["main", "other"].prefix(sources.count) {
                _ = try db.number("SELECT COUNT(*) FROM \(name).sqlite_master")
            }
        }
        return Connection(queue: queue, sources: sources)
    }

    private static func address(of path: String, _ way: Way) -> String {
        let absolute = URL(fileURLWithPath: path).path
        let allowed = CharacterSet(charactersIn: "/._-~").union(.alphanumerics)
        let escaped = absolute.addingPercentEncoding(withAllowedCharacters: allowed) ?? absolute
        return "file://\(escaped)?\(way.parameters)"
    }

    /// The connection, a new one where the file has changed since it was opened.
    private func upToDate() throws -> Connection {
        guard let current = connection.withLock({ $0 }) else {
            fatalError("The store \(path) was closed and is read again.")
        }
        if current.isUpToDate { return current }
        if isPinned { throw SQLiteErrors(path: path).changedWhileRead() }
        try replace(current, by: connect())
        return try connection.withLock { $0 } ?? connect()
    }

    private func replace(_ old: Connection, by new: Connection) throws {
        let isReplaced = connection.withLock { connection in
            guard connection?.queue === old.queue else { return false }
            connection = new
            return true
        }
        (isReplaced ? old : new).park()
    }

    /// Whether an error says that the shared index of the log can't be used without writing into it.
    private static func needsMark(_ error: any Error) -> Bool {
        guard let code = (error as? DatabaseError)?.resultCode else { return false }
        return code == .SQLITE_READONLY || code == .SQLITE_CANTOPEN
    }
}
