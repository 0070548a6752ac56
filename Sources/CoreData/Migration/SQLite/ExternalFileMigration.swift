// The files of values that are stored beside a store. They stay where they are and keep their names; those that no row
// refers to any more are deleted when the migration has succeeded, and not before.

import Foundation
import GRDB

/// The files of one store's values.
struct ExternalFileMigration {
    let folder: ExternalDataFolder

    /// Makes the function that brings values back into their columns.
    func registerInlining(on db: Database) {
        let folder = folder
        db.add(
            function: DatabaseFunction(RowMigration.inlining, argumentCount: 1, pure: false) { arguments in
                // What is no bytes stays what it is; so do none.
                guard case .blob(let stored) = arguments[0].storage, let prefix = stored.first else {
                    return arguments[0]
                }
                switch ExternalDataFolder.Form(prefix: prefix, byteCount: stored.count) {
                case .inline: return Data(stored.dropFirst())
                case .unprefixed: return stored
                case .file:
                    // As when it is read: a missing file is a missing value.
                    return folder.contents(reference: stored)
                }
            })
    }

    /// The files that the rows of a schema refer to.
    ///
    /// - Parameter table: What a table is called now.
    func files(of schema: SQLSchema, _ db: Database, table: (String) -> String) throws -> Set<URL> {
        var files: Set<URL> = []
        var seen: Set<String> = []
        for entity in schema.entities {
            for case .attribute(let attribute) in entity.properties.values
            where attribute.description.allowsExternalBinaryDataStorage {
                guard seen.insert("\(entity.table).\(attribute.column)").inserted else { continue }
                let references = try RowStatement(
                    db,
                    "SELECT \(attribute.column) FROM \(table(entity.table)) "
                        + "WHERE LENGTH(\(attribute.column)) = \(ExternalDataFolder.referenceLength)")
                while try references.step() {
                    if let file = folder.file(of: references.data(at: 0)) { files.insert(file) }
                }
            }
        }
        return files
    }

    /// Deletes files that nothing refers to any more.
    func remove(_ files: Set<URL>) {
        for file in files.sorted(by: { $0.path < $1.path }) {
            // A file that can't be deleted costs space and nothing else; the migration has succeeded.
            try? FileManager.default.removeItem(at: file)
        }
    }
}
