// What `graft copy` does: an archive, and a store that is restored from it.

import CoreData
import Foundation
import Graft

/// The copying of a store into a new one.
struct CopyJob {
    var store: String
    var copy: String
    var model: String?
    /// After how many objects to save; nil for what restoring takes.
    var batchSize: Int?

    /// Copies, and reports what the new store has.
    ///
    /// - Throws: What went wrong. A file isn't there then; on a server there is what was saved.
    func run(on console: Console) throws {
        guard try StoreAccess.isMissing(copy) else {
            throw GraftError(
                .other(
                    finding: "there is something already, and copy makes a new store",
                    remedy: "Name another file; graft archive and graft restore bring a store up to another."),
                at: .init(source: copy))
        }
        let container = try StoreAccess.openForReading(store, modelPath: model)
        let archive = FileManager.default.temporaryDirectory.appendingPathComponent("graft-copy-\(UUID().uuidString)")
        // What can't be removed is the system's folder for such files.
        defer { try? FileManager.default.removeItem(at: archive) }
        // What replaces it has its rights.
        try FileHandle.makePrivateFile(at: archive).close()
        var options = GraphArchive.RestoringOptions()
        if let batchSize {
            options.batchSize = batchSize
            options.savesEachBatch = true
        }
        do {
            try console.working(nil) { progress in
                var options = GraphArchive.WritingOptions()
                options.encoding = .binary
                try container.writeArchive(to: .file(archive), options: options, progress: progress)
            }
            try RestoreJob(file: archive.path, store: copy, model: nil, options: options, original: store).run(
                on: console)
        } catch var error as GraftError where error.place.source == archive.lastPathComponent {
            // What is in the archive is in the store, and nobody has asked for an archive.
            error.place.source = StoreAccess.shown(store)
            throw error
        }
    }
}
