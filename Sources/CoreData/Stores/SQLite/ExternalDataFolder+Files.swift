// The files of large values as a whole: which of them rows refer to, copying them along with a store, and deleting them. Stores
// whose names differ in their extensions alone (`Heroes.sqlite`, `Heroes.bak`) have the same folder, and none of them may
// delete what another one refers to.

import Foundation
import GRDB

extension ExternalDataFolder {
    /// Whether something else is where the folder, or the one around it, would be.
    var isNoFolder: Bool {
        [supportFolder, url].contains { FileState($0.path).map { !$0.isFolder } ?? false }
    }

    /// - Throws: `CocoaError` where the folder is none. There need not be one.
    func requireFolder() throws {
        guard isNoFolder else { return }
        throw CoreDataError.make(
            .fileReadUnknown,
            "\(url.path), in which large values of \(store.path) lie, isn't a folder. Put the folder back from a copy.",
            userInfo: [
                NSFilePathErrorKey: url.path,
                NSUnderlyingErrorKey: CoreDataError.make(.fileReadUnknown, "the folder around it isn't a folder")
                    as NSError,
            ])
    }

    /// The names of the files that there are.
    ///
    /// - Throws: `CocoaError` where the folder is none, or can't be read.
    func names() throws -> Set<String> {
        try requireFolder()
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        return Set(try FileManager.default.contentsOfDirectory(atPath: url.path))
    }

    /// The names of the files that a database's rows refer to, whatever its model: some that nothing refers to may be among
    /// them, and none is missing.
    static func references(_ db: Database) throws -> Set<String> {
        var columns: [(table: String, column: String)] = []
        let statement = try RowStatement(
            db,
            """
            SELECT m.name, c.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
            WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite~_%' ESCAPE '~' AND m.sql NOT LIKE 'CREATE VIRTUAL %'
            AND UPPER(c.type) IN ('BLOB', '')
            ORDER BY m.name, c.cid
            """)
        while try statement.step() { columns.append((statement.text(at: 0), statement.text(at: 1))) }
        var names: Set<String> = []
        for (table, columns) in Dictionary(grouping: columns, by: \.table) {
            let quoted = columns.map { SQLNaming.quoted($0.column) }
            let conditions = quoted.map { "(LENGTH(\($0)) = \(referenceLength) AND typeof(\($0)) = 'blob')" }
            let rows = try RowStatement(
                db,
                "SELECT \(quoted.joined(separator: ", ")) FROM \(SQLNaming.quoted(table)) "
                    + "WHERE \(conditions.joined(separator: " OR "))")
            while try rows.step() {
                for column in quoted.indices {
                    if let name = name(in: rows.data(at: Int32(column))) { names.insert(name) }
                }
            }
        }
        return names
    }

    /// The files that the values of a schema's rows are in.
    func files(of schema: SQLSchema, _ db: Database) throws -> Set<URL> {
        var files: Set<URL> = []
        try forEachFile(of: schema, db) { files.insert($0) }
        return files
    }

    /// Calls a closure for each value of a schema's rows that is in a file.
    func forEachFile(of schema: SQLSchema, _ db: Database, _ body: (URL) -> Void) throws {
        var seen: Set<String> = []
        for entity in schema.entities {
            for case .attribute(let attribute) in entity.properties.values
            where attribute.description.allowsExternalBinaryDataStorage {
                guard seen.insert("\(entity.table).\(attribute.column)").inserted else { continue }
                let references = try RowStatement(
                    db,
                    "SELECT \(attribute.column) FROM \(entity.table) "
                        + "WHERE LENGTH(\(attribute.column)) = \(Self.referenceLength)")
                while try references.step() {
                    if let file = file(of: references.data(at: 0)) { body(file) }
                }
            }
        }
    }

    /// The names of the files that a copy of a database needs, in the state that is read from now on: those that its rows refer
    /// to, or all, where it is too damaged to tell.
    func needed(by db: Database) throws -> Set<String> {
        // The state is kept from here on, and with it the files.
        _ = try db.number("SELECT COUNT(*) FROM sqlite_master")
        let all = try names()
        do {
            return all.isEmpty ? [] : try Self.references(db)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return all
        }
    }

    /// The names of the files that a store's rows refer to.
    static func references(of store: URL) throws -> Set<String> {
        let database = try ReadOnlyDatabase(path: store.path, options: SQLiteStoreOptions())
        defer { database.close() }
        return try database.read(references)
    }

    /// The other databases that have this folder.
    func neighbours() throws -> [URL] {
        let parent = supportFolder.deletingLastPathComponent()
        let stem = store.deletingPathExtension().lastPathComponent
        guard FileManager.default.fileExists(atPath: parent.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: parent.path).filter { name in
            name.hasPrefix(stem) && name != store.lastPathComponent
        }
        .map(parent.appendingPathComponent)
        .filter { $0.deletingPathExtension().lastPathComponent == stem && SQLiteStoreFile.isDatabase(at: $0) }
    }

    /// The names of the files that the neighbours' rows refer to; nil where one of them can't be asked, which may need any.
    var neededByNeighbours: Set<String>? {
        try? neighbours().reduce(into: Set<String>()) { try $0.formUnion(Self.references(of: $1)) }
    }

    /// Copies files of another folder that aren't here yet: a file's name stands for its bytes.
    ///
    /// - Parameter added: Gets the names of those that have been copied, also where the call throws.
    func add(_ names: Set<String>, from other: ExternalDataFolder, added: inout Set<String>) throws {
        let manager = FileManager.default
        let missing = names.filter { name in
            // A value whose file is missing, or is none, is missing in the copy, too. To read a pipe takes forever.
            !manager.fileExists(atPath: url.appendingPathComponent(name).path)
                && FileState(other.url.appendingPathComponent(name).path)?.isRegular ?? false
        }
        if missing.isEmpty { return }
        if !manager.fileExists(atPath: supportFolder.path) {
            // Who may not look into the other folder may not look into this one.
            let rights = try manager.attributesOfItem(atPath: other.supportFolder.path)[.posixPermissions] as? NSNumber
            try manager.createDirectory(
                at: supportFolder, withIntermediateDirectories: true,
                attributes: rights.map { [.posixPermissions: $0.intValue | 0o700] })
        }
        try manager.createDirectory(at: url, withIntermediateDirectories: true)
        for name in missing.sorted() {
            added.insert(name)
            try copy(other.url.appendingPathComponent(name))
        }
        try synchronize()
    }

    /// Deletes files that the store's rows don't refer to any more, but for those that a neighbour's rows refer to.
    func remove(_ files: some Collection<URL>) {
        // A file that stays takes up space and does no other harm: no row names it.
        guard !files.isEmpty, let needed = neededByNeighbours else { return }
        for file in files where !needed.contains(file.lastPathComponent) {
            try? FileManager.default.removeItem(at: file)
        }
    }
}
