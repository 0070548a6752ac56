// Going back: refreshing objects, undoing all changes, forgetting everything.

import Foundation

extension NSManagedObjectContext {
    /// Drops an object's values, so that they are read anew; with `mergeChanges` its unsaved changes are kept on top.
    public func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        checkQueue()
        guard object.context === self, !object.isInserted else { return }
        object.announcingChanges {
            if flag, object.isUpdated || object.isDeleted {
                reload(object)
            } else {
                dropChanges(of: object)
                object.turnIntoFault()
            }
        }
        if isObserved { post(.NSManagedObjectContextObjectsDidChange, ChangeDigest(refreshed: [object])) }
    }

    /// Refreshes all objects, keeping unsaved changes.
    public func refreshAllObjects() {
        checkQueue()
        processPendingChanges()
        var refreshed: [NSManagedObject] = []
        for object in orderedRegisteredObjects() where !object.isInserted {
            object.announcingChanges {
                if object.isUpdated || object.isDeleted { reload(object) } else { object.turnIntoFault() }
            }
            refreshed.append(object)
        }
        post(.NSManagedObjectContextObjectsDidChange, ChangeDigest(refreshed: refreshed))
    }

    /// Undoes all changes since the last save: inserted objects are forgotten, deletions called off, values restored. The
    /// undo manager has nothing to undo afterwards.
    public func rollback() {
        checkQueue()
        let inserted = inserted.objects
        let changed = updated.objects + deleted.objects
        let forgotten = event.filter { $0.state.contains(.forgotten) }
        self.inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        undeclaredDeletions.removeAll()
        for object in event { object.state.remove(.inEvent) }
        event.removeAll()
        undoRecorder?.noteReset()
        for object in changed {
            object.state.subtract([.updated, .deleted, .deletionPropagated])
            object.announcingChanges {
                object.values = object.committed
                object.touched.removeAll()
            }
        }
        let dropped = inserted + forgotten
        let digest = ChangeDigest(forgotten: dropped.filter { $0.state.contains(.announced) }, refreshed: changed)
        post(.NSManagedObjectContextObjectsDidChange, digest)
        for object in dropped { forget(object) }
    }

    /// Forgets all objects and changes. Objects that somebody still holds are without a context from then on.
    public func reset() {
        checkQueue()
        let objects = registry.objects
        inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        undeclaredDeletions.removeAll()
        event.removeAll()
        undoRecorder?.noteReset()
        registry.removeAll()
        retained.removeAll()
        advanceGeneration()
        assignedStores.removeAll()
        let ids = isObserved ? objects.map(\.id) : []
        for object in objects { object.detach() }
        if isObserved { post(.NSManagedObjectContextObjectsDidChange, ChangeDigest(invalidatedAll: ids)) }
    }

    /// Reads an object's row anew and puts its unsaved changes on top.
    func reload(_ object: NSManagedObject) {
        let touched = object.touched
        let values = object.values
        guard let row = (try? requiredSource.rows(withIDs: [object.id], for: self))?.first else { return }
        object.batch?.reopen(position: object.batchPosition)
        object.committed = row.values
        object.version = row.version
        object.values = row.values
        for slot in touched { object.values[slot] = values[slot] }
        for slot in object.layout.toManySlots where touched.contains(slot) {
            // A changed relationship that had been read keeps the members it was compared with.
            if case .objects = values[slot] { readCommittedMembers(of: object, slot: slot, keeping: values[slot]) }
        }
        undoRecorder?.noteReload(object)
    }

    private func readCommittedMembers(of object: NSManagedObject, slot: Int, keeping current: ManagedValue) {
        object.values[slot] = .unread(nil)
        readMembers(of: object, slot: slot)
        object.values[slot] = current
    }

    func dropChanges(of object: NSManagedObject) {
        updated.remove(object)
        deleted.remove(object)
        object.state.subtract([.updated, .deleted, .deletionPropagated])
        undeclaredDeletions.removeAll { $0 === object }
        undoRecorder?.noteLoss(of: object)
        if object.state.contains(.inEvent) { event.removeAll { $0 === object } }
    }

    /// The registered objects in an order that doesn't depend on hashing.
    private func orderedRegisteredObjects() -> [NSManagedObject] {
        registry.objects.sorted {
            ($0.entity.name ?? "", $0.id.number) < ($1.entity.name ?? "", $1.id.number)
        }
    }
}
