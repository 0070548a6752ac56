// The connections of one store: a pool for a file in WAL mode (one writer, several readers at once), a single
// connection for everything else, one that goes on reading the same state, and one for files that are only read
// (ReadOnlyDatabase.swift). Which one it is, nobody above sees.

import Foundation
import GRDB

/// An open database.
final class SQLiteDatabase: Sendable {
    private let connections: Connections
    /// Says that this process has the file open; nil in memory, and where the connections say so themselves.
    private let token: LockedFiles.Token?

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
    func write<T>(_ body: (Database) throws -> T) throws -> T {
        try writer.writeWithoutTransaction { db in
            var result: T?
            try db.inTransaction(.immediate) {
                result = try body(db)
                return .commit
            }
            guard let result else { fatalError("A transaction ended without running its body.") }
            return result
        }
    }

    /// Runs statements that can't be part of a transaction, or that begin their own.
    func withoutTransaction<T>(_ body: (Database) throws -> T) throws -> T {
        try writer.writeWithoutTransaction(body)
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
