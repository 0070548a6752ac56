// What `graft archive` does.

import CoreData
import Foundation
import Graft

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
        let container = try StoreAccess.openForReading(store, modelPath: model)
        return try OutputFile.write(output, of: store, model: model, console) { destination, onDamage, progress in
            var options = options
            if keepsGoing { options.onDamage = onDamage }
            try container.writeArchive(to: destination, options: options, progress: progress)
        }
    }
}
