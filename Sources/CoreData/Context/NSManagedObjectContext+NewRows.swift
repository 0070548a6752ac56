// New rows without objects, for whoever fills an empty store: no class sees them, no rule of the model is checked, and others hear
// of IDs.

import Foundation

extension NSManagedObjectContext {
    /// IDs for new rows of an entity, in the order of the wishes.
    ///
    /// - Parameter wishes: The numbers that the rows shall have, as far as no other row has them.
    package func newRowIDs(of entity: NSEntityDescription, wishes: [Int64?]) throws -> [NSManagedObjectID] {
        try requiredCoordinator.store(forNew: entity).backend(for: self).permanentIDs(for: entity, wishes: wishes)
    }

    /// Writes rows in one transaction, or none of them.
    ///
    /// - Throws: What a save throws; for rows that share unique values ``StoreUniquenessConflict``, as there are no objects to be told of.
    package func save(inserted: [RowChange], updated: [RowChange]) throws {
        checkQueue()
        if inserted.isEmpty, updated.isEmpty { return }
        do {
            _ = try requiredSource.save(
                StoreChanges(inserted: inserted, updated: updated, origin: origin), for: self, partly: { _ in })
        } catch let conflict as StoreConflict {
            throw NSMergePolicy.mergeError(conflict.rows.map(mergeConflict))
        }
        let ids: [AnyHashable: Any] = [
            NSInsertedObjectIDsKey: Set(inserted.map(\.objectID)), NSUpdatedObjectIDsKey: Set(updated.map(\.objectID)),
        ]
        NotificationCenter.default.post(name: .NSManagedObjectContextDidSave, object: self, userInfo: ids)
    }
}
