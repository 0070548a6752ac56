// The ways in which laws have an import take its batches.

import Graft

extension ImportOptions {
    /// The ways of taking records that follow each other in batches of some sizes: the first size first, saved and not.
    static func sequences(batches sizes: Int...) -> [ImportOptions] {
        sizes.flatMap { size in
            [true, false].map { savesEachBatch in
                var options = ImportOptions()
                options.format = .sequence
                options.batchSize = size
                options.savesEachBatch = savesEachBatch
                return options
            }
        }
    }
}
