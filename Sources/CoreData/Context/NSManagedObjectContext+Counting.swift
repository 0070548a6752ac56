// The numbers of pending changes, for callers that compare them often and don't want the sets.

extension NSManagedObjectContext {
    /// The number of ``insertedObjects``.
    package var insertedCount: Int { inserted.count }
    /// The number of ``updatedObjects``.
    package var updatedCount: Int { updated.count }
    /// The number of ``deletedObjects``.
    package var deletedCount: Int { deleted.count }
}
