// Whether a context's unsaved changes are those that they were, without making sets of them. Core Data tells no more than how many
// objects are unsaved: there, one that takes the place of another, and a value that is set again, go unnoticed.

import CoreData

/// What a context's unsaved changes were at some time.
struct PendingChangeMark: Equatable {
    /// Which objects are unsaved.
    struct Objects: Equatable {
        #if canImport(Darwin) || GRAFT_PORTABLE
            var inserted: Int
            var updated: Int
            var deleted: Int
        #else
            var revision: Int
        #endif
    }

    var objects: Objects
    /// How often attributes have been set.
    var attributeChanges = 0
}

extension NSManagedObjectContext {
    /// What the unsaved changes are now.
    var pendingChangeMark: PendingChangeMark {
        #if canImport(Darwin) || GRAFT_PORTABLE
            PendingChangeMark(
                objects: .init(
                    inserted: insertedObjects.count, updated: updatedObjects.count, deleted: deletedObjects.count))
        #else
            PendingChangeMark(
                objects: .init(revision: changeListRevision), attributeChanges: attributeChangeCount)
        #endif
    }
}
