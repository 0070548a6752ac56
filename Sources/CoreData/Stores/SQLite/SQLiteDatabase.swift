// The connections of one store: a pool for a file in WAL mode (one writer, several readers at once), a single
// connection for everything else, one that goes on reading the same state, and one for files that are only read
// (ReadOnlyDatabase.swift). Which one it is, nobody above sees.

import Foundation
import GRDB
import Synchronization

/// An open database.
final class SQLiteDatabase: Sendable {
    private let connections: Connections
    /// Says that this process has the file open; nil in memory, and where the connections say so themselves.
    private let token: LockedFiles.Token?
    /// Behind it is whoever writes, or has a turn at writing.
    private let writeLock = NSRecursiveLock()
    /// Whether the writing connection has begun a transaction in advance; behind the lock.
    private let hasTurn = Mutex(false)

    private enum Connections {
        case pool(DatabasePool)
        case queue(DatabaseQueue)
        case snapshot(DatabaseSnapshot)
        case readOnly(ReadOnlyDatabase)
    }

    private init(_ connections: Connections, token: LockedFiles.Token? = nil) {
        self.connections = connections
        self.token = token
    }

    /// Runs several reads on one state of the file.
    func read<T>(_ body: (Database) throws -> T) throws -> T {
        switch connections {
        case .pool(let pool): try pool.read(body)
        case .queue(let queue): try queue.read(body)
        case .snapshot(let snapshot): try snapshot.read(body)
        case .readOnly(let database): try database.read(body)
        }
    }

    /// The database in the state that it has now, for reading; nil where its file isn't in WAL mode.
    func snapshot() throws -> SQLiteDatabase? {
        switch connections {
        case .pool(let pool): SQLiteDatabase(.snapshot(try pool.makeSnapshot()), token: token)
        case .readOnly(let database): try database.pinned().map { SQLiteDatabase(.readOnly($0)) }
        case .queue, .snapshot: nil
        }
    }

    private var writer: any DatabaseWriter {
        get throws {
            switch connections {
            case .pool(let pool): pool
            case .queue(let queue): queue
            case .readOnly(let database): try database.queue
            case .snapshot: fatalError("A snapshot was asked to write.")
            }
        }
    }

    /// Runs a transaction that takes the write lock at its beginning; rolled back if `body` throws.
    ///
    /// - Parameter endsTurn: Whether the transaction that a turn has begun is committed with it.
    func write<T>(endsTurn: Bool = true, _ body: (Database) throws -> T) throws -> T {
        writeLock.lock()
        defer { writeLock.unlock() }
        let isTurn = hasTurn.withLock { $0 }
        let result = try writer.writeWithoutTransaction { db in
            var result: T?
            func run() throws -> Database.TransactionCompletion {
                try db.requireFileInPlace()
                result = try body(db)
                return .commit
            }
            if isTurn { try db.inSavepoint(run) } else { try db.inTransaction(.immediate, run) }
            // Some errors, such as that of a full disk, have ended the transaction of the turn already.
            if isTurn, endsTurn, db.isInsideTransaction { try db.commit() }
            return result
        }
        if isTurn, endsTurn { finishTurn() }
        guard let result else { fatalError("A transaction ended without running its body.") }
        return result
    }

    // MARK: Turns

    /// Takes the write lock for this thread, and keeps it until something is written or ``endWriting()``.
    ///
    /// - Returns: A number that changes with what other connections write.
    func beginWriting() throws -> Int64 {
        writeLock.lock()
        do {
            let version = try writer.writeWithoutTransaction { db in
                try db.beginTransaction(.immediate)
                do {
                    return try db.number("PRAGMA data_version")
                } catch {
                    try db.rollback()
                    throw error
                }
            }
            hasTurn.withLock { $0 = true }
            return version
        } catch {
            writeLock.unlock()
            throw error
        }
    }

    /// Gives the write lock back, if this thread has it by ``beginWriting()``.
    func endWriting() {
        writeLock.lock()
        defer { writeLock.unlock() }
        guard hasTurn.withLock({ $0 }) else { return }
        // A transaction that has only read ends without an error that matters: closing it is all there is to do.
        try? writer.writeWithoutTransaction { db in if db.isInsideTransaction { try db.rollback() } }
        finishTurn()
    }

    private func finishTurn() {
        hasTurn.withLock { $0 = false }
        writeLock.unlock()
    }

    /// Runs statements that can't be part of a transaction, or that begin their own.
    func withoutTransaction<T>(_ body: (Database) throws -> T) throws -> T {
        try writer.writeWithoutTransaction(body)
    }

    /// Says what others' changes to the file change, as soon as nothing of this process's is being written.
    /// Nil where that can't be told now, because the connection is closed or the file locked.
    func tellVersion(_ answer: @escaping @Sendable (DatabaseVersion?) -> Void) {
        let ask: @Sendable (Database) -> Void = { db in
            answer((try? db.number("PRAGMA data_version")).map { .number($0) })
        }
        switch connections {
        case .pool(let pool): pool.asyncWriteWithoutTransaction(ask)
        case .queue(let queue): queue.asyncWriteWithoutTransaction(ask)
        case .readOnly(let database): answer(.files(DatabaseFilesState(database.path)))
        case .snapshot: break
        }
    }

    /// Brings what is committed to the disk. A commit that is only in the log may be gone when the power was.
    ///
    /// - Returns: Whether all of it is there. It isn't as long as somebody reads an earlier state.
    func settle() -> Bool {
        guard case .pool(let pool) = connections else { return true }
        do {
            return try pool.writeWithoutTransaction { db in
                let log = try db.checkpoint(.passive)
                return log.walFrameCount == log.checkpointedFrameCount
            }
        } catch {
            // The commit itself has succeeded, and the next one tries again.
            return false
        }
    }

    /// Closes all connections. Nothing may use the database any more.
    func close() throws {
        switch connections {
        case .pool(let pool): try pool.close()
        case .queue(let queue): try queue.close()
        case .snapshot(let snapshot): try snapshot.close()
        case .readOnly(let database): database.close()
        }
        token?.end()
    }

    // MARK: Opening

    /// A private database that is gone when it is closed.
    static func inMemory(options: SQLiteStoreOptions) throws -> SQLiteDatabase {
        SQLiteDatabase(
            .queue(try DatabaseQueue(configuration: configuration(options, "memory", excluding: ["journal_mode"]))))
    }

    /// A file for reading and writing.
    ///
    /// - Parameter prepare: Looks at what is in the file, and fills a new one, before anything else happens to it. The
    ///   file is still in the mode that it was left in, or in rollback mode if it is new.
    static func file<T>(
        at path: String, options: SQLiteStoreOptions, prepare: (Database) throws -> T
    ) throws -> (database: SQLiteDatabase, prepared: T) {
        let first = try DatabaseQueue(
            path: path, configuration: configuration(options, path, excluding: ["journal_mode"]))
        let prepared = try first.writeWithoutTransaction(prepare)
        guard options.usesWriteAheadLog else {
            if let mode = options.pragma("journal_mode") {
                try first.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = \(mode)") }
            }
            return (SQLiteDatabase(.queue(first), token: LockedFiles.enter(path)), prepared)
        }
        try first.writeWithoutTransaction { try startWriteAheadLog($0, path) }
        let pool = try DatabasePool(
            path: path, configuration: configuration(options, path, excluding: ["journal_mode"]))
        // GRDB's pool sets it to NORMAL, whatever was said before.
        if let level = options.pragma("synchronous") {
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = \(level)") }
        }
        // Only now may the first connection go: the last one to close removes the log.
        try first.close()
        return (SQLiteDatabase(.pool(pool), token: LockedFiles.enter(path)), prepared)
    }

    /// A file that is only read; neither it nor its folder is changed.
    static func readOnlyFile(at path: String, options: SQLiteStoreOptions) throws -> SQLiteDatabase {
        SQLiteDatabase(.readOnly(try ReadOnlyDatabase(path: path, options: options)))
    }

    /// Goes over to WAL mode and sees to it that the log isn't empty.
    ///
    /// GRDB's pool needs a log with something in it, and where there is none makes one by creating and dropping a
    /// table, which counts up the file's schema cookie. Writing the UUID over with as many characters and then back,
    /// in one transaction, puts a page into the log that leaves every byte of the file as it is.
    private static func startWriteAheadLog(_ db: Database, _ path: String) throws {
        try db.execute(sql: "PRAGMA journal_mode = WAL")
        if DatabaseFilesState(path).hasLog { return }
        try db.inTransaction(.immediate) {
            var found: (version: Int64, identifier: String)?
            try db.readRows(of: "Z_METADATA", ["Z_VERSION", "Z_UUID"], "LIMIT 1") { row in
                if let identifier = try row.text(1) { found = (try row.integer(0), identifier) }
            }
            guard let found else { return .rollback }
            let update = "UPDATE Z_METADATA SET Z_UUID = ? WHERE Z_VERSION = ?"
            let other = String(repeating: "-", count: found.identifier.utf8.count)
            try db.execute(sql: update, arguments: [other, found.version])
            try db.execute(sql: update, arguments: [found.identifier, found.version])
            return .commit
        }
    }

    /// - Parameter preparing: Statements that come before anything is read.
    static func configuration(
        _ options: SQLiteStoreOptions, _ path: String, excluding excluded: Set<String>, preparing: [String] = []
    ) throws -> Configuration {
        let statements = try options.pragmaStatements(excluding: excluded)
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.acceptsDoubleQuotedStringLiterals = true
        // A turn's transaction begins in one access and ends in another; no other thread comes between.
        configuration.allowsUnsafeTransactions = true
        configuration.busyMode = StoreLock.busyMode(path: path, timeout: options.busyTimeout)
        configuration.prepareDatabase { db in
            for statement in preparing { try db.execute(sql: statement) }
            if let onStatement = options.onStatement { db.trace { onStatement($0.description) } }
            for name in SQLDerivedAttributes.functionNames {
                db.add(function: DatabaseFunction(name, argumentCount: 5) { _ in nil })
            }
            PredicateSQLFunctions.register(on: db)
            // Large saves touch more pages than fit the default 2 MB, and spilling them writes them twice; importing in
            // batches touches the same index pages again and again, so the log may grow to 16 MB before they are moved.
            try db.execute(sql: "PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 4000")
            for statement in statements { try db.execute(sql: statement) }
        }
        return configuration
    }
}
