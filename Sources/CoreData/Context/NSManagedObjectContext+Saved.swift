// What becomes of a context once the store has written its changes: objects are what was written, and others are told.

import Foundation

/// The key of the history's token in the user info of a context's save. Core Data has no constant for it, but clients read it
/// under this name. Observed: macOS 15.
private let newChangeTokenKey = "newChangeToken"

extension NSManagedObjectContext {
    /// Lets all changes be saved.
    ///
    /// - Parameter saved: What is saved already; gets the rest.
    func settle(_ saved: inout ChangeDigest) {
        let digest = ChangeDigest(inserted: inserted.objects, updated: updated.objects, deleted: deleted.objects)
        settle(digest)
        saved.append(digest)
        inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        mergedDeletions.removeAll()
        assignedStores.removeAll()
        wantedRows.removeAll()
        watched = ToManyMembers()
        undoRecorder?.noteSave()
    }

    /// Lets the changes of some stores' objects be saved, where a later store has refused the others.
    func settle(_ saved: inout ChangeDigest, writtenBy stores: [NSPersistentStore]) {
        func isWritten(_ object: NSManagedObject) -> Bool { stores.contains { $0 === object.id.persistentStore } }
        let digest = ChangeDigest(
            inserted: inserted.objects.filter(isWritten), updated: updated.objects.filter(isWritten),
            deleted: deleted.objects.filter(isWritten))
        settle(digest)
        saved.append(digest)
        for object in digest.inserted { inserted.remove(object) }
        for object in digest.updated { updated.remove(object) }
        for object in digest.deleted { deleted.remove(object) }
        for object in digest.inserted + digest.updated + digest.deleted { undoRecorder?.noteLoss(of: object) }
    }

    private func settle(_ digest: ChangeDigest) {
        // A child's versions are those of the rows that its parent has read.
        let isPermanent = requiredSource.isPermanent
        for object in digest.inserted {
            if isPermanent { object.version = 1 }
            object.settle()
        }
        for object in digest.updated {
            if isPermanent,
                object.touched.contains(where: { !object.layout.slots[$0].isTransient && object.differs($0) })
            {
                object.version = RowVersion.after(object.version)
            }
            object.settle()
        }
        for object in digest.deleted { object.state.subtract([.updated, .inserted]) }
    }

    /// Tells of a save, also of one that had nothing to write.
    func announceSave(
        _ digest: ChangeDigest, _ generation: NSQueryGenerationToken?, _ token: NSPersistentHistoryToken?
    ) {
        for object in digest.inserted + digest.updated + digest.deleted where object.hasLifeCycle { object.didSave() }
        for object in digest.deleted { object.state.remove(.deleted) }
        var info = digest.userInfo
        if !info.isEmpty {
            // Of a save that has done something, each of the three is there, empty or not.
            for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] where info[key] == nil {
                info[key] = Set<NSManagedObject>()
            }
        }
        if isObserved {
            info[NSManagedObjectContextQueryGenerationKey] = generation
            info[newChangeTokenKey] = token
        }
        NotificationCenter.default.post(name: .NSManagedObjectContextDidSave, object: self, userInfo: info)
        if isObserved { announceIDs(digest) }
        forget(deleted: digest.deleted)
    }

    private func announceIDs(_ digest: ChangeDigest) {
        let ids: [AnyHashable: Any] = [
            NSInsertedObjectIDsKey: Set(digest.inserted.map(\.id)),
            NSUpdatedObjectIDsKey: Set(digest.updated.map(\.id)),
            NSDeletedObjectIDsKey: Set(digest.deleted.map(\.id)),
        ]
        NotificationCenter.default.post(name: .NSManagedObjectContextDidSaveObjectIDs, object: self, userInfo: ids)
    }
}

extension NSManagedObject {
    /// The current values are the committed ones from now on.
    fileprivate func settle() {
        state.subtract([.inserted, .updated, .primitive])
        for slot in layout.toManySlots where touched.contains(slot) {
            // What was added to an unread relationship is in the store now, where it will be read with the rest.
            if case .unread(.some) = values[slot] { values[slot] = .unread(nil) }
        }
        committed = values
        touched.removeAll()
    }
}
