// What a caller can say about the opening of a SQLite store, read once from Core Data's option dictionary.

import Foundation

/// How to open a SQLite store.
struct SQLiteStoreOptions: Sendable {
    /// Never write to the file, nor to anything beside it.
    var isReadOnly = false
    /// Open the store although its version hashes aren't the model's. Its tables have to fit all the same.
    var ignoresVersionHashes = false
    /// Give free space back on opening.
    var vacuums = false
    /// Gather statistics for SQLite's planner on opening.
    var analyzes = false
    /// Begin a persistent history in a store that keeps none.
    var tracksHistory = false
    /// Leave the journal mode as it is, which no other connection has to agree to, and write on one connection.
    var keepsJournalMode = false
    /// Pragmas to set on every connection, by name, in the order of the names.
    var pragmas: [(name: String, value: String)] = []
    /// How long to wait for another connection's lock, in seconds.
    var busyTimeout = Self.usualTimeout
    static let usualTimeout: TimeInterval = 240
    /// Shown every statement that a connection runs; for tests that count them.
    var onStatement: (@Sendable (String) -> Void)?

    init() {}

    /// - Parameter options: `NSReadOnlyPersistentStoreOption`, `NSIgnorePersistentStoreVersioningOption`,
    ///   `NSPersistentHistoryTrackingKey`, `NSSQLiteManualVacuumOption`, `NSSQLiteAnalyzeOption`, `NSSQLitePragmasOption` and
    ///   `NSPersistentStoreTimeoutOption`. Others mean nothing to the store.
    init(_ options: [AnyHashable: Any]) {
        isReadOnly = Self.flag(options[NSReadOnlyPersistentStoreOption])
        ignoresVersionHashes = Self.flag(options[NSIgnorePersistentStoreVersioningOption])
        tracksHistory = Self.flag(options[NSPersistentHistoryTrackingKey])
        vacuums = Self.flag(options[NSSQLiteManualVacuumOption])
        analyzes = Self.flag(options[NSSQLiteAnalyzeOption])
        if let timeout = options[NSPersistentStoreTimeoutOption] as? NSNumber { busyTimeout = timeout.doubleValue }
        let values = options[NSSQLitePragmasOption] as? [String: Any] ?? [:]
        pragmas = values.map { (name: $0.key, value: "\($0.value)") }.sorted { $0.name < $1.name }
    }

    func pragma(_ name: String) -> String? { pragmas.first { $0.name.lowercased() == name }?.value }

    /// Whether the file is to be in WAL mode, as Core Data's are unless told otherwise.
    var usesWriteAheadLog: Bool {
        !keepsJournalMode && pragma("journal_mode").map { $0.lowercased() == "wal" } ?? true
    }

    /// Whether an option is set.
    static func flag(_ value: Any?) -> Bool {
        (value as? NSNumber)?.boolValue ?? (value as? Bool) ?? false
    }

    /// The pragmas as statements, those left out that only have an effect at other times.
    ///
    /// - Throws: `CocoaError` for a name or value that isn't a word or a number.
    func pragmaStatements(excluding excluded: Set<String>) throws -> [String] {
        try pragmas.filter { !excluded.contains($0.name.lowercased()) }.map { pragma in
            guard Self.isWord(pragma.name), Self.isWord(pragma.value) else {
                throw CoreDataError.make(
                    .persistentStoreOpen,
                    "NSSQLitePragmasOption has '\(pragma.name)' = '\(pragma.value)', where a name and a word or number "
                        + "are expected.")
            }
            return "PRAGMA \(pragma.name) = \(pragma.value)"
        }
    }

    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x5F
                    || byte == 0x2D || byte == 0x2E
            }
    }
}
