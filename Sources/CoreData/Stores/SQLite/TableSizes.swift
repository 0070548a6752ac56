// How many bytes of a store's file its tables take, by SQLite's virtual table `dbstat`, which not every SQLite has.

import Foundation
import GRDB

/// The sizes of a store's tables, each with its indexes.
package struct TableSizes: Sendable, Equatable {
    /// A table whose rows are objects.
    package struct Table: Sendable, Equatable {
        /// The entities that have their rows in it: a root entity and its sub-entities.
        package var entities: [String]
        package var bytes: Int
    }

    package var tables: [Table]
    /// All others: those of links, of the history, and Core Data's own.
    package var otherBytes: Int

    /// Reads the sizes from a store in a file, and changes nothing.
    ///
    /// - Returns: Nil where SQLite can't tell: it was built without `dbstat`, or the file is damaged.
    /// - Throws: `CocoaError` where the store can't be opened with the model.
    package init?(store url: URL, model: NSManagedObjectModel, timeout: TimeInterval? = nil) throws {
        let errors = SQLiteErrors(path: url.path)
        var options = SQLiteStoreOptions()
        options.isReadOnly = true
        if let timeout { options.busyTimeout = timeout }
        let opening = SQLiteStoreOpening(url: url, model: model, configuration: nil, options: options, errors: errors)
        do {
            let database = try opening.existing()
            let found = try database.read { db in (try opening.examine(db).0, try Self.bytes(db)) }
            try database.close()
            guard var bytes = found.1 else { return nil }
            tables = found.0.tables.map { table in
                let entities = found.0.entities.filter { $0.table == table.name }.map(\.name)
                return Table(entities: entities, bytes: bytes.removeValue(forKey: table.name.uppercased()) ?? 0)
            }
            otherBytes = bytes.values.reduce(0, +)
        } catch {
            throw errors.translated(error, .reading)
        }
    }

    /// The bytes of all tables, by their names in upper case; an index counts as its table's.
    private static func bytes(_ db: Database) throws -> [String: Int]? {
        do {
            let statement = try RowStatement(
                db,
                """
                SELECT IFNULL(m.tbl_name, s.name), SUM(s.pgsize) FROM dbstat AS s
                LEFT JOIN sqlite_master AS m ON m.name = s.name WHERE s.aggregate = 1 GROUP BY 1
                """)
            var bytes: [String: Int] = [:]
            while try statement.step() { bytes[statement.text(at: 0).uppercased()] = Int(statement.integer(at: 1)) }
            return bytes
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_ERROR || error.resultCode == .SQLITE_CORRUPT
        {
            return nil
        }
    }
}
