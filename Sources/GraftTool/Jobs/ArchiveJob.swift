// What `graft archive` does.

import CoreData
import Foundation
import Graft
import Synchronization

/// The archiving of a store.
struct ArchiveJob {
    var store: String
    var model: String?
    var output: String?
    var options: GraphArchive.WritingOptions
    /// Whether what is damaged is left out and listed.
    var keepsGoing = false

    /// Archives to the file or to the console's output.
    ///
    /// - Returns: How many links were left out.
    /// - Throws: What went wrong. The output file is then as it was.
    func run(on console: Console) throws -> Int {
        var options = options
        let losses = Mutex<[String]>([])
        options.onLoss = { sentence in losses.withLock { $0.append(sentence) } }
        let container = try StoreAccess.openForReading(store, modelPath: model)
        return try OutputFile.write(output, of: store, model: model, console) { destination, onDamage, progress in
            if keepsGoing { options.onDamage = onDamage }
            try container.writeArchive(to: destination, options: options, progress: progress)
            for sentence in losses.withLock({ $0 }) { console.note("graft: \(sentence)") }
        }
    }
}
