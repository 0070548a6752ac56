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
        let function = PredicateSQLFunction(name: RowMigration.inlining, argumentCount: 1, isDeterministic: false) {
            // What is no bytes stays what it is; so do none.
            guard case .blob(let stored) = $0[0], let prefix = stored.first else { return $0[0] }
            switch ExternalDataFolder.Form(prefix: prefix, byteCount: stored.count) {
            case .inline: return .blob(Data(stored.dropFirst()))
            case .unprefixed: return .blob(stored)
            case .file:
                do {
                    return try folder.contents(reference: stored).map { .blob($0) } ?? .null
                } catch {
                    throw DatabaseError(resultCode: .SQLITE_IOERR_READ, message: error.localizedDescription)
                }
            }
        }
        function.register(on: db)
    }
}
