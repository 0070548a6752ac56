// The files of values that are stored beside a store. They stay where they are and keep their names; those that no row
// refers to any more are deleted when the migration has succeeded, and not before.

import Foundation
import GRDB
import Synchronization

/// The files of one store's values.
final class ExternalFileMigration: Sendable {
    let folder: ExternalDataFolder
    private let state = Mutex(State())

    private struct State {
        /// The value that can't be read.
        var damage: RowError?
        /// How many values have lost their files, and the first of them.
        var missingCount = 0
        var firstMissing = ""
    }

    init(folder: ExternalDataFolder) { self.folder = folder }

    /// The value that can't be read, for which a statement has failed.
    var damage: RowError? { state.withLock(\.damage) }

    /// How many values that were to come into their rows have no file, and the first of them.
    var missing: (count: Int, first: String) { state.withLock { ($0.missingCount, $0.firstMissing) } }

    /// Makes the function that brings values back into their columns.
    func registerInlining(on db: Database) {
        let function = PredicateSQLFunction(name: RowMigration.inlining, argumentCount: 3, isDeterministic: false) {
            // What is no bytes stays what it is; so do none.
            guard case .blob(let stored) = $0[0], let prefix = stored.first else { return $0[0] }
            return switch ExternalDataFolder.Form(prefix: prefix, byteCount: stored.count) {
            case .inline: .blob(Data(stored.dropFirst()))
            case .unprefixed: .blob(stored)
            case .file: try self.contents(stored, row: $0[1], of: $0[2])
            }
        }
        function.register(on: db)
    }

    private func contents(_ reference: Data, row: SQLValue, of attribute: SQLValue) throws -> SQLValue {
        guard case .integer(let row) = row, case .text(let attribute) = attribute else { return .blob(reference) }
        let place = "\(attribute) of row \(row)"
        do {
            if let data = try folder.contents(reference: reference, of: { place }) { return .blob(data) }
        } catch let error as RowError {
            state.withLock { $0.damage = error }
            throw error
        }
        state.withLock { state in
            state.missingCount += 1
            if state.missingCount == 1 {
                state.firstMissing = "\(place), \(folder.file(of: reference)?.path ?? "whose name is damaged")"
            }
        }
        return .null
    }
}
