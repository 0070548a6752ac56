// What `graft migrate` does.

import CoreData
import Foundation
import Graft

/// The migration of a store.
struct MigrateJob {
    var store: String
    var model: String
    var isDryRun: Bool
    /// Where the store is copied to before it is changed.
    var backup: String?

    func run(on console: Console) throws {
        try FileKind.requireReadable(store)
        if FileKind(ofPath: store) == .file { try StoreAccess.requireStore(store) }
        let destination = try StoreAccess.model(at: model)
        let preview = try StoreAccess.migration(of: store, to: destination)
        if !preview.obstacles.isEmpty { throw refusal(preview) }
        if let backup, !isDryRun { try StoreAccess.backUp(store, to: backup) }
        // Also without differences: only then it is known that the store is one of the model.
        if !isDryRun { try StoreAccess.close(StoreAccess.openMigrating(store, model: destination)) }
        for difference in preview.differences { try console.print(difference) }
    }

    private func refusal(_ preview: MigrationPreview) -> GraftError {
        GraftError(
            .modelMismatch(reason: "the store can't be migrated. \(preview.obstacles.joined(separator: "; "))"),
            at: GraftError.Place(source: store))
    }
}
