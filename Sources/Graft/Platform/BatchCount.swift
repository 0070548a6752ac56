// Batch requests write to stores past all contexts, and no notification tells of them. Apple's Core Data doesn't tell at all.

import CoreData

extension NSManagedObjectContext {
    /// How many batch requests have been executed in this process; nil where nobody tells.
    static var batchCount: Int? {
        #if canImport(Darwin) || GRAFT_PORTABLE
            nil
        #else
            ExecutedBatches.count
        #endif
    }
}
