// Taking over what another context of the same coordinator has saved. Only IDs cross from one context to the other.

import Foundation

extension NSManagedObjectContext {
    /// Takes over what another context of the same coordinator has saved: changed objects are read anew (keeping unsaved
    /// changes), deleted ones are marked as deleted. May be called on any thread.
    public func mergeChanges(fromContextDidSave notification: Notification) {
        let saved = SavedIDs(notification)
        performAndWait { merge(saved) }
    }

    func observeOtherContexts() {
        if let otherContexts { NotificationCenter.default.removeObserver(otherContexts) }
        otherContexts = nil
        guard automaticallyMergesChangesFromParent else { return }
        otherContexts = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
        ) { [weak self] notification in
            guard let self, let other = notification.object as? NSManagedObjectContext, other !== self,
                let coordinator = persistentStoreCoordinator, other.persistentStoreCoordinator === coordinator
            else { return }
            let saved = SavedIDs(notification)
            perform { self.merge(saved) }
        }
    }

    private func merge(_ saved: SavedIDs) {
        var digest = ChangeDigest()
        digest.inserted = saved.inserted.map(object(with:))
        for id in saved.updated {
            guard let object = registeredObject(for: id) else { continue }
            if object.isUpdated || object.isDeleted {
                reload(object)
            } else if !object.isFault || object.state.contains(.hasRow) {
                object.turnIntoFault()
            }
            digest.refreshed.append(object)
        }
        for id in saved.deleted {
            guard let object = registeredObject(for: id) else { continue }
            object.realize()
            dropChanges(of: object)
            object.state.insert([.deleted, .deletionPropagated])
            digest.deleted.append(object)
        }
        post(.NSManagedObjectContextObjectsDidChange, digest)
        for object in digest.deleted { registry.remove(object.id.key) }
    }
}

/// The IDs that a save's notification tells, in a defined order.
private struct SavedIDs: Sendable {
    let inserted: [NSManagedObjectID]
    let updated: [NSManagedObjectID]
    let deleted: [NSManagedObjectID]

    init(_ notification: Notification) {
        func ids(_ key: String, _ idKey: String) -> [NSManagedObjectID] {
            let found =
                notification.userInfo?[idKey] as? Set<NSManagedObjectID>
                ?? Set((notification.userInfo?[key] as? Set<NSManagedObject> ?? []).map(\.objectID))
            return found.sorted { ($0.entity.name ?? "", $0.number) < ($1.entity.name ?? "", $1.number) }
        }
        inserted = ids(NSInsertedObjectsKey, NSInsertedObjectIDsKey)
        updated = ids(NSUpdatedObjectsKey, NSUpdatedObjectIDsKey)
        deleted = ids(NSDeletedObjectsKey, NSDeletedObjectIDsKey)
    }
}
