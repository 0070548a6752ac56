// How much of a context is unsaved, without making sets of it.

import CoreData

/// The numbers of a context's unsaved objects.
struct PendingChangeCounts: Equatable {
    var inserted: Int
    var updated: Int
    var deleted: Int
}

extension NSManagedObjectContext {
    /// The numbers of unsaved objects.
    var pendingChangeCounts: PendingChangeCounts {
        #if canImport(Darwin) || GRAFT_PORTABLE
            PendingChangeCounts(
                inserted: insertedObjects.count, updated: updatedObjects.count, deleted: deletedObjects.count)
        #else
            PendingChangeCounts(inserted: insertedCount, updated: updatedCount, deleted: deletedCount)
        #endif
    }
}
