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
        let damages = Mutex<[GraftError]>([])
        if keepsGoing { options.onDamage = { error in damages.withLock { $0.append(error) } } }
        let container = try StoreAccess.openForReading(store, modelPath: model)
        let progress = Progress(totalUnitCount: -1)
        let interruption = Interruption(cancelling: progress)
        let title = StoreAccess.title(of: store)
        // On a terminal the result itself shows how far the work is.
        let isShown = output != nil || isatty(console.output) == 0
        let bar = isShown ? ProgressBar(progress, title: title, console: console) : nil
        defer {
            bar?.end()
            interruption.end()
        }
        do {
            let destination = try OutputFile.destination(output, besides: [store, model], console)
            try container.writeArchive(to: destination, options: options, progress: progress)
            let leftOut = damages.withLock { $0 }
            for error in leftOut { console.note("left out: \(error.description)") }
            try OutputFile.report(output, console)
            return leftOut.count
        } catch  where output == nil && console.isOutputClosed {
            throw OutputClosed()
        } catch let error as GraftError {
            guard case .unwritableFile = error.problem else { throw error }
            throw error.located(in: GraftError.Place(source: output ?? "standard output"))
        }
    }
}
