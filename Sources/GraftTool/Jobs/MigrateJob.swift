// What `graft migrate` does.

import CoreData
import Foundation
import Graft

/// The migration of a store.
struct MigrateJob {
    var store: String
    var model: String
    var mapping: String?
    var isDryRun: Bool
    /// Where the store is copied to before it is changed.
    var backup: String?

    func run(on console: Console) throws {
        try FileKind.requireReadable(store)
        if FileKind(ofPath: store) == .file { try StoreAccess.requireStore(store) }
        let destination = try StoreAccess.model(at: model)
        let plan = try StoreAccess.migration(of: store, to: destination, mapping: mapping)
        if !plan.obstacles.isEmpty { throw refusal(plan) }
        if isDryRun {
            if !plan.isEmpty { try StoreAccess.tryMigration(plan, of: store) }
        } else {
            if let backup { try StoreAccess.backUp(store, to: backup) }
            if !plan.isEmpty { try StoreAccess.migrate(plan) }
            // Only then it is known that the store is one of the model.
            try StoreAccess.close(StoreAccess.openForWriting(store, model: destination))
        }
        let origin = plan.isEmpty ? nil : plan.mappingFile.map { "by the mapping model \($0)" }
        try console.report(
            plan.isEmpty ? ["Nothing to migrate."] : [origin].compactMap(\.self) + plan.differences,
            after: isDryRun || plan.isEmpty ? nil : "the store is migrated")
    }

    private func refusal(_ plan: MigrationPlan) -> GraftError {
        GraftError(
            .other(
                finding: "the store can't be migrated to that model",
                // A remedy is never shortened.
                remedy:
                    "In the way: \(plan.obstacles.joined(separator: "; ")). Change that in the newer version, or make a "
                    + "mapping model and give it with --mapping."),
            at: GraftError.Place(source: store))
    }
}
