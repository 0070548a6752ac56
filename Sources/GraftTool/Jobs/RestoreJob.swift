// What `graft restore` does. A new store is made as a draft, in batches: all or nothing, with bounded memory.

import CoreData
import Foundation
import Graft

/// The restoring of an archive.
struct RestoreJob {
    var file: String
    var store: String
    var model: String?
    var options: GraphArchive.RestoringOptions
    /// Where a store that exists is copied to before it is changed.
    var backup: String?
    /// The store that the archive was made of just now, as a copy of which the new one is made.
    var original: String?

    /// Restores, and reports what was done.
    ///
    /// - Throws: What went wrong. The store is then as it was, or isn't there if it wasn't, except for saved batches.
    func run(on console: Console) throws {
        try FileKind.requireReadable(file)
        // Before anything is made of the store.
        let archive = GraphArchive(contentsOf: URL(fileURLWithPath: file))
        let isNew = try StoreAccess.isMissing(store)
        let report: ImportReport
        if !isNew {
            let container = try openExisting(archive)
            report = try restore(archive, into: container, options, console)
            try StoreAccess.close(container)
        } else if options.isDryRun {
            report = try restore(archive, into: StoreAccess.temporaryStore(newModel(archive)), options, console)
        } else {
            report = try make(archive, console)
        }
        try console.report(ImportReportText.lines(report), after: options.isDryRun ? nil : "the archive is restored")
    }

    private func openExisting(_ archive: GraphArchive) throws -> NSPersistentContainer {
        // A broken archive is to be told before a store that doesn't fit.
        _ = try archive.header()
        if options.isDryRun { return try StoreAccess.openForReading(store, modelPath: model) }
        let model = try StoreAccess.model(at: model, forStore: store)
        if let backup { try StoreAccess.backUp(store, to: backup) }
        if StoreAccess.server(path: store) == nil { Draft.removeLeftovers(of: store) }
        return try StoreAccess.openForWriting(store, model: model)
    }

    /// The model of a new store: the one given, else that of the archive.
    private func newModel(_ archive: GraphArchive) throws -> NSManagedObjectModel {
        if let model { return try StoreAccess.model(at: model) }
        if let model = try archive.model() { return model }
        throw GraftError(
            .missingModel(reason: "the archive was written without one, and there is no --model"),
            at: .init(source: file))
    }

    private func make(_ archive: GraphArchive, _ console: Console) throws -> ImportReport {
        let model = try newModel(archive)
        var options = options
        options.savesEachBatch = true
        return try StoreAccess.makeStore(at: store, model, copyOf: original) {
            try restore(archive, into: $0, options, console)
        }
    }

    private func restore(
        _ archive: GraphArchive, into container: NSPersistentContainer, _ options: GraphArchive.RestoringOptions,
        _ console: Console
    ) throws -> ImportReport {
        try console.working(URL(fileURLWithPath: file).lastPathComponent) { progress in
            try container.restore(archive, options: options, progress: progress)
        }
    }
}
