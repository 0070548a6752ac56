// Store files as wholes: what can be asked of and done to one that no coordinator has open, and without its model.

import Foundation
import GRDB

/// Operations on the file of a store, and on what belongs to it beside it.
package enum SQLiteStoreFile {
    /// The metadata of a store.
    ///
    /// - Throws: `CocoaError` naming the path where there is no file, no database, or no store.
    package static func metadata(at url: URL) throws -> [String: Any] {
        try reading(url) { db, errors in try StoreMetadata.read(db, errors: errors).dictionary }
    }

    /// Replaces the entries of a store's metadata that don't describe the file itself.
    static func setMetadata(_ entries: [String: Any], at url: URL) throws {
        let errors = SQLiteErrors(path: url.path)
        _ = try metadata(at: url)
        do {
            let writer = try writer(url)
            try writer.write { db in
                var metadata = try StoreMetadata.read(db, errors: errors)
                metadata.replaceEntries(by: entries)
                try metadata.update(db)
            }
            try writer.close()
        } catch {
            throw errors.translated(error, .saving)
        }
    }

    /// A connection that writes pages or metadata as they are, without what a store needs.
    private static func writer(_ url: URL) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        return try DatabaseQueue(path: url.path, configuration: configuration)
    }

    /// The archive of the model that a store was last opened with (`Z_MODELCACHE`); nil where it has none.
    ///
    /// - Throws: ``ModelError`` where it is no bytes, else as ``metadata(at:)``.
    package static func modelCache(at url: URL) throws -> Data? {
        try reading(url) { db, _ in try modelCache(db) }
    }

    private static func modelCache(_ db: Database) throws -> Data? {
        guard try db.hasTable("Z_MODELCACHE") else { return nil }
        var content: Data?
        do {
            try db.readRows(of: "Z_MODELCACHE", ["Z_CONTENT"], "WHERE Z_CONTENT IS NOT NULL LIMIT 1") { row in
                content = try row.data(0)
            }
        } catch let error as RowError {
            let reason = "\(error.place) is \(error.found) where \(error.owner) \(error.expected)"
            throw ModelError(.badArchive(reason: reason))
        }
        return content
    }

    /// What is wrong with the model that a store carries; nil where nothing is, or there is none.
    static func damageOfModelCache(_ db: Database) throws -> String? {
        do {
            _ = try modelCache(db).map(NSManagedObjectModel.init(modelCache:))
            return nil
        } catch let error as ModelError {
            return error.reasons
        }
    }

    /// One phrase for each entity that a configuration of a model has otherwise than the store.
    static func differences(
        of model: NSManagedObjectModel, configuration: String?, from metadata: StoreMetadata, _ db: Database
    ) throws -> [String] {
        try metadata.differences(from: model, configuration: configuration) {
            do {
                return try modelCache(db).map(NSManagedObjectModel.init(modelCache:))
            } catch is ModelError {
                // A cache that is damaged is as good as none.
                return nil
            }
        }
    }

    /// One phrase for each entity that a configuration of a model has otherwise than the store at a URL.
    static func differences(
        of model: NSManagedObjectModel, configuration: String?, fromStoreAt url: URL
    ) throws -> [String] {
        try reading(url) { db, errors in
            let metadata = try StoreMetadata.read(db, errors: errors)
            return try differences(of: model, configuration: configuration, from: metadata, db)
        }
    }

    /// The model that a store was last opened with; nil where it carries none. Version hashes that can't be computed are
    /// the store's.
    ///
    /// - Throws: ``ModelError`` for a damaged model, else as ``metadata(at:)``.
    package static func model(at url: URL) throws -> NSManagedObjectModel? {
        guard let cache = try modelCache(at: url) else { return nil }
        let model = try NSManagedObjectModel(modelCache: cache)
        model.adoptVersionHashes(fromStoreMetadata: try metadata(at: url))
        return model
    }

    private static func reading<T>(_ url: URL, _ body: (Database, SQLiteErrors) throws -> T) throws -> T {
        let path = url.path
        let errors = SQLiteErrors(path: path)
        guard FileManager.default.fileExists(atPath: path) else { throw errors.missing() }
        do {
            let start = try firstBytes(of: path)
            guard isDatabase(start) else { throw errors.notADatabase(start: start) }
            let database = try SQLiteDatabase.readOnlyFile(at: path, options: SQLiteStoreOptions())
            let result = try database.read { db in
                guard try db.hasTable("Z_METADATA") else { throw errors.notAStore(tables: try tableNames(db)) }
                return try body(db, errors)
            }
            try database.close()
            return result
        } catch {
            throw errors.translated(error, .reading)
        }
    }

    // MARK: The file's beginning

    /// SQLite's first sixteen bytes.
    private static let magic = Data("SQLite format 3\0".utf8)

    static func isDatabase(_ start: Data) -> Bool { start.starts(with: magic) }

    /// Whether a transaction may have been broken off, in rollback mode.
    static func hasJournal(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: FileState.real(path) + "-journal")
    }

    /// Whether there is a database.
    static func isDatabase(at url: URL) -> Bool {
        // What can't be read is none; opening it says why.
        (try? firstBytes(of: url.path)).map(isDatabase) ?? false
    }

    /// Whether this process has a database open with locks. To open its file besides and close that again would take them away.
    package static func isOpen(at url: URL) -> Bool { LockedFiles.contains(url.path) }

    /// Whether a database's header says that it is written through a log (sqlite.org/fileformat2.html, 1.3.3).
    static func isInLogMode(_ start: Data) -> Bool { start.count > 19 && (start[18] == 2 || start[19] == 2) }

    /// Up to 100 bytes, the size of SQLite's header; of a database that this process has open, what all begin with.
    ///
    /// - Throws: `CocoaError` for a folder, a pipe, a device and the like, which are never waited for; the file system's error.
    static func firstBytes(of path: String) throws -> Data {
        if LockedFiles.contains(path) { return magic }
        if let state = FileState(path), !state.isRegular { throw SQLiteErrors(path: path).noFile() }
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer {
            // Closing a file that was only read can't lose anything.
            try? handle.close()
        }
        return try handle.read(upToCount: 100) ?? Data()
    }

    static func tableNames(_ db: Database) throws -> [String] {
        try db.texts("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    }

    // MARK: Destroying and replacing

    /// Deletes a store with everything that belongs to it, and to no other store beside it. There need not be one.
    ///
    /// The database is emptied first, so that a process which still has it open finds an empty one instead of a file
    /// that has vanished under it.
    ///
    /// - Throws: `CocoaError` where the file isn't a database, or is locked; then it stays.
    package static func destroy(at url: URL) throws {
        let path = url.path
        let errors = SQLiteErrors(path: path)
        let manager = FileManager.default
        let external = ExternalDataFolder(storeURL: url)
        do {
            let isShared = try !external.neighbours().isEmpty
            // What can't be found out of a damaged store stays: a file that nothing refers to.
            let own = isShared ? (try? ExternalDataFolder.references(of: url)) ?? [] : []
            if manager.fileExists(atPath: path) {
                let start = try firstBytes(of: path)
                guard isDatabase(start) || start.isEmpty else { throw errors.notADatabase(start: start) }
                if !start.isEmpty {
                    var configuration = Configuration()
                    configuration.busyMode = .timeout(5)
                    let queue = try DatabaseQueue(path: path, configuration: configuration)
                    try queue.erase()
                    try queue.close()
                }
            }
            let real = FileState.real(path)
            var items = [path, real, real + "-wal", real + "-shm", real + "-journal"]
            if !isShared { items.append(external.supportFolder.path) }
            for item in items where manager.fileExists(atPath: item) { try manager.removeItem(atPath: item) }
            external.remove(own.map(external.url.appendingPathComponent))
        } catch {
            throw errors.translated(error, .saving)
        }
    }

    /// Makes a store a copy of another one, UUID included. What the destination held is gone.
    ///
    /// Whatever ends the process meanwhile: the destination is what it was, or the copy. A store that is there is
    /// overwritten in one transaction; otherwise the copy is made beside its place and moved there when it is complete.
    package static func replace(at destination: URL, withStoreAt source: URL) throws {
        let errors = SQLiteErrors(path: source.path)
        _ = try metadata(at: source)
        do {
            if isDatabase(at: destination) {
                try overwrite(destination, withStoreAt: source)
            } else {
                try makeCopy(of: source, at: destination)
            }
        } catch {
            throw errors.translated(error, .saving)
        }
    }

    private static func overwrite(_ destination: URL, withStoreAt source: URL) throws {
        let to = ExternalDataFolder(storeURL: destination)
        let before = try to.names()
        let needed = try transfer(source, to: destination)
        if ExternalDataFolder(storeURL: source).url == to.url { return }
        to.remove(before.subtracting(needed).map(to.url.appendingPathComponent))
    }

    /// Copies a store's pages, those that are still in its write-ahead log included, and before them the files that its rows
    /// refer to. The source's state is held meanwhile, so that a writer deletes none of them.
    ///
    /// - Returns: The names of the files.
    /// - Throws: What went wrong; the destination's pages are what they were, or those of the source. Files stay added only where
    ///   its rows may refer to them by then.
    @discardableResult
    private static func transfer(_ source: URL, to destination: URL) throws -> Set<String> {
        let from = ExternalDataFolder(storeURL: source), to = ExternalDataFolder(storeURL: destination)
        let isDraft = !FileManager.default.fileExists(atPath: destination.path)
        var added: Set<String> = []
        var hasBegun = false
        do {
            let reader = try ReadOnlyDatabase(path: source.path, options: SQLiteStoreOptions())
            defer { reader.close() }
            // Before a page is in it: who may not read the source may not read the copy.
            try FileState.makeFile(destination.path, like: source.path)
            let writer = try writer(destination)
            let needed = try reader.read { original in
                let needed = try from.needed(by: original)
                if from.url != to.url { try to.add(needed, from: from, added: &added) }
                hasBegun = true
                try writer.writeWithoutTransaction { try original.backup(to: $0) }
                return needed
            }
            try writer.close()
            return needed
        } catch {
            // A commit that fails may be in the log all the same, and the next who opens the store takes it in: what its rows
            // refer to has to be there. If it isn't, what is left is a file that nothing refers to; `check` names it.
            let isRefused = [.SQLITE_BUSY, .SQLITE_LOCKED].contains((error as? DatabaseError)?.resultCode)
            if hasBegun, !isDraft, !isRefused { throw error }
            for name in added { try? FileManager.default.removeItem(at: to.url.appendingPathComponent(name)) }
            throw error
        }
    }

    private static func makeCopy(of source: URL, at destination: URL) throws {
        let copy = destination.deletingLastPathComponent()
            .appendingPathComponent(".\(UUID().uuidString)-\(destination.lastPathComponent)")
        try Self.copy(storeAt: source, to: copy)
        do {
            try destroy(at: destination)
            try move(from: copy, to: destination)
        } catch {
            remove(copyAt: copy)
            throw error
        }
    }

    /// Copies a store, with everything that lies beside it, to where there is nothing. A process that is killed meanwhile
    /// leaves a part of it there, so the place has to be one that nobody takes for a store yet.
    ///
    /// - Throws: `CocoaError`; then there is nothing.
    package static func copy(storeAt source: URL, to copy: URL) throws {
        do {
            try transfer(source, to: copy)
        } catch {
            remove(copyAt: copy)
            throw SQLiteErrors(path: source.path).translated(error, .saving)
        }
    }

    /// What is left of a copy is useless, and the error that is thrown says what went wrong.
    private static func remove(copyAt copy: URL) {
        let external = ExternalDataFolder(storeURL: copy)
        for item in [copy.path, copy.path + "-journal"] { try? FileManager.default.removeItem(atPath: item) }
        // The folder may be a neighbour's.
        guard let isShared = try? !external.neighbours().isEmpty, !isShared else { return }
        try? FileManager.default.removeItem(at: external.supportFolder)
    }

    /// Moves a store that nobody has open to where there is none. Its file comes last, so that there is a store only when
    /// all of it is there. The logs of a store that was there once go: SQLite would take them for the new one's.
    ///
    /// - Throws: `CocoaError` where there is one, or the files can't be moved.
    package static func move(from source: URL, to destination: URL) throws {
        let manager = FileManager.default
        let from = ExternalDataFolder(storeURL: source), to = ExternalDataFolder(storeURL: destination)
        if manager.fileExists(atPath: to.supportFolder.path) {
            // That of a store with the same name and another extension.
            var added: Set<String> = []
            try to.add(try from.names(), from: from, added: &added)
            if manager.fileExists(atPath: from.supportFolder.path) { try manager.removeItem(at: from.supportFolder) }
        } else if manager.fileExists(atPath: from.supportFolder.path) {
            try manager.moveItem(at: from.supportFolder, to: to.supportFolder)
            try to.synchronize()
        }
        if !manager.fileExists(atPath: destination.path) {
            for log in ["-wal", "-shm", "-journal"].map({ destination.path + $0 }) where manager.fileExists(atPath: log)
            {
                try manager.removeItem(atPath: log)
            }
        }
        for suffix in ["-wal", "-shm", ""] where manager.fileExists(atPath: source.path + suffix) {
            try manager.moveItem(atPath: source.path + suffix, toPath: destination.path + suffix)
        }
    }
}
