// Reserving keys, and the frame of a save: one transaction, and the files of external values kept in step with it.

import Foundation
import GRDB

extension SQLiteStoreBackend {
    /// Keys are taken from `Z_PRIMARYKEY` in a transaction of their own, so that no two processes ever get the same
    /// ones; those of a save that fails stay unused.
    func permanentIDs(for entity: NSEntityDescription, count: Int) throws -> [NSManagedObjectID] {
        guard count > 0 else { return [] }
        try requireWritable()
        let sqlEntity = try sqlEntity(entity)
        let kind = try plan(of: entity).kind
        let first = try writing(endsTurn: false) { db in
            try PrimaryKeys.reserve(count, rootNumber: sqlEntity.rootNumber, table: sqlEntity.table, db)
        }
        return (0..<Int64(count)).map { NSManagedObjectID(kind, number: first + $0) }
    }

    func permanentIDs(for entity: NSEntityDescription, wishes: [Int64?]) throws -> [NSManagedObjectID] {
        guard wishes.contains(where: { $0 != nil }) else { return try permanentIDs(for: entity, count: wishes.count) }
        try requireWritable()
        let sqlEntity = try sqlEntity(entity)
        let kind = try plan(of: entity).kind
        let keys = try writing(endsTurn: false) { db in
            try PrimaryKeys.reserve(wishes, rootNumber: sqlEntity.rootNumber, table: sqlEntity.table, db)
        }
        return keys.map { NSManagedObjectID(kind, number: $0) }
    }

    /// New rows get the numbers that were wished for them, as far as no other row has them.
    func permanentIDs(forNew objects: [NSManagedObject]) throws -> [NSManagedObjectID] {
        guard let first = objects.first else { return [] }
        return try permanentIDs(
            for: first.entity, wishes: objects.map { object in object.context?.wantedRows[object.id.key] })
    }

    /// The largest number that was ever given to a row, by the name of the root entity.
    func largestKeys() throws -> [String: Int64] {
        try reading { db in
            var keys: [String: Int64] = [:]
            for entity in schema.entities where entity.isRoot {
                keys[entity.name] = try PrimaryKeys.largest(rootNumber: entity.rootNumber, table: entity.table, db)
            }
            return keys
        }
    }

    @discardableResult
    func save(_ changes: StoreChanges) throws -> Int64? {
        let metadata = takeUnsavedMetadata()
        if changes.isEmpty, metadata == nil { return nil }
        let files = ExternalFiles(folder: external)
        let transaction: Int64?
        do {
            try requireWritable()
            transaction = try writing { db in
                let transaction = try SQLiteSave(changes, store: self, db: db, files: files).write()
                try metadata?.update(db)
                try files.synchronizeFolder()
                return transaction
            }
        } catch {
            files.discardNew()
            if metadata != nil { metadataStayUnsaved() }
            throw error
        }
        removeSuperfluous(files.replaced)
        return transaction
    }

    /// Removes files that no row refers to any more. They stay until the commit that says so is on the disk: were it undone by a
    /// loss of power, rows would be back whose values are gone.
    func removeSuperfluous(_ files: [URL]) {
        superfluousFiles.withLock { $0 += files }
        guard let external, !superfluousFiles.withLock({ $0.isEmpty }), database.settle() else { return }
        let files = superfluousFiles.withLock { files in
            defer { files = [] }
            return files
        }
        // Rows that SQL has copied refer to one file. Where they can't be read, any may be needed.
        guard let needed = try? reading({ try external.files(of: schema, $0) }) else { return }
        external.remove(files.filter { !needed.contains($0) })
    }

    func requireWritable() throws {
        if isReadOnly { throw errors.readOnly() }
    }

    func beginWriting() throws -> Int64 {
        do {
            return try database.beginWriting()
        } catch {
            throw errors.translated(error, .saving)
        }
    }

    func endWriting() { database.endWriting() }

    /// - Parameter endsTurn: Whether what is written is to stand at once where the connection holds the lock already.
    func writing<T>(endsTurn: Bool = true, _ body: (Database) throws -> T) throws -> T {
        do {
            return try database.write(endsTurn: endsTurn) { db in
                let result = try body(db)
                try computed.settle(db)
                return result
            }
        } catch {
            throw errors.translated(error, .saving)
        }
    }
}

/// The counters of `Z_PRIMARYKEY`.
enum PrimaryKeys {
    /// Takes the next keys of a table, and returns the first of them.
    static func reserve(_ count: Int, rootNumber: Int, table: String, _ db: Database) throws -> Int64 {
        let last = try largest(rootNumber: rootNumber, table: table, db)
        let (next, overflow) = last.addingReportingOverflow(Int64(count))
        // Whoever counts on behind the last key must be able to.
        guard last >= 0, !overflow, next < .max else {
            let isInTable = try db.number("SELECT \(largestKey(of: table))") == last
            throw RowError(
                place: isInTable ? "\(table).Z_PK" : "Z_PRIMARYKEY.Z_MAX of entity number \(rootNumber)",
                found: "\(last)",
                expected: "a key from 0 to \(Int64.max - Int64(count) - 1)", owner: "Core Data has")
        }
        try raise(to: next, rootNumber: rootNumber, db)
        return last + 1
    }

    /// Takes the keys that are wished for, as far as no row has them, and the next ones for the others.
    static func reserve(_ wishes: [Int64?], rootNumber: Int, table: String, _ db: Database) throws -> [Int64] {
        var taken: Set<Int64> = []
        var keys: [Int64?] = []
        // Behind the last row there is none, so that an empty table isn't asked again and again.
        let last = try db.number("SELECT \(largestKey(of: table))")
        for wish in wishes {
            guard let wish, wish > 0, wish < Int64.max / 2, !taken.contains(wish),
                try wish > last || db.number("SELECT 1 FROM \(table) WHERE Z_PK = ?", [.integer(wish)]) == 0
            else {
                keys.append(nil)
                continue
            }
            taken.insert(wish)
            keys.append(wish)
        }
        if let largest = taken.max() { try raise(to: largest, rootNumber: rootNumber, db) }
        let rest = keys.count { $0 == nil }
        var next = rest > 0 ? try reserve(rest, rootNumber: rootNumber, table: table, db) : 0
        return keys.map { key in
            if let key { return key }
            defer { next += 1 }
            return next
        }
    }

    /// The largest key that was ever taken. A counter may lag behind its table: some apps ship stores like that.
    static func largest(rootNumber: Int, table: String, _ db: Database) throws -> Int64 {
        let largest = largestKey(of: table)
        var found: Int64?
        try db.readRows(
            of: "Z_PRIMARYKEY", ["Z_MAX", largest], "WHERE Z_ENT = ?", [.integer(Int64(rootNumber))]
        ) { row in
            found = max(try row.integer(0, ifNull: 0), try row.integer(1))
        }
        guard let found else {
            throw RowError(
                place: "Z_PRIMARYKEY", found: "no row for entity number \(rootNumber)",
                expected: "the counter of table \(table)", owner: "Core Data has")
        }
        return found
    }

    /// The SQL of the largest key that is a number; 0 where there is none. SQLite looks at the last row alone.
    static func largestKey(of table: String) -> String {
        "IFNULL((SELECT Z_PK FROM \(table) WHERE typeof(Z_PK) = 'integer' ORDER BY Z_PK DESC LIMIT 1), 0)"
    }

    /// Lets a counter say that keys up to one were taken.
    static func raise(to key: Int64, rootNumber: Int, _ db: Database) throws {
        let write = try RowStatement(db, "UPDATE Z_PRIMARYKEY SET Z_MAX = MAX(IFNULL(Z_MAX, 0), ?) WHERE Z_ENT = ?")
        try write.bind(key, at: 1)
        try write.bind(Int64(rootNumber), at: 2)
        try write.run()
    }
}

/// The files that a save writes and makes superfluous.
final class ExternalFiles {
    let folder: ExternalDataFolder?
    private var new: [URL] = []
    /// What becomes superfluous with the save.
    private(set) var replaced: [URL] = []

    init(folder: ExternalDataFolder?) { self.folder = folder }

    /// What a column that allows external storage has to hold for a value.
    func stored(_ data: Data) throws -> Data {
        guard let folder, data.count >= ExternalDataFolder.threshold else { return ExternalDataFolder.inline(data) }
        let (reference, file) = try folder.write(data)
        new.append(file)
        return reference
    }

    /// Notes that the value that a column holds until now goes.
    func release(_ reference: Data) {
        if let file = folder?.file(of: reference) { replaced.append(file) }
    }

    /// Sees to it that the new files are still there when the rows that refer to them are.
    func synchronizeFolder() throws {
        if !new.isEmpty { try folder?.synchronize() }
    }

    func discardNew() {
        // A file that can't be removed takes up space and does no other harm: no row names it.
        for file in new { try? FileManager.default.removeItem(at: file) }
    }
}
