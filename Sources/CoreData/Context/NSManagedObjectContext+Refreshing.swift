// Going back: refreshing objects, undoing all changes, forgetting everything.

import Foundation

extension NSManagedObjectContext {
    func reread(_ object: NSManagedObject, mergesChanges flag: Bool) {
        checkQueue()
        guard object.context === self else { return }
        if object.isInserted, flag || object.isDeleted { return }
        object.announcingChanges {
            if object.isInserted {
                startAnew(object)
            } else if flag, object.isUpdated || object.isDeleted {
                reload(object)
                object.awake(from: .refresh)
            } else {
                becomeFault(object, keepsTransient: flag)
            }
        }
        if isObserved { post(.NSManagedObjectContextObjectsDidChange, ChangeDigest(refreshed: [object])) }
    }

    /// Drops the values of an object that has no row yet: it is a fault with the model's defaults, which the next save inserts.
    private func startAnew(_ object: NSManagedObject) {
        undoRecorder?.willReload(object)
        for slot in object.layout.slots.indices where object.layout.slots[slot].isRelationship {
            object.setModelledValue(nil as Any?, forKey: object.layout.slots[slot].name)
        }
        object.startAnew()
        undoRecorder?.noteReload(object)
    }

    /// Drops an object's values and its unsaved changes; not those of others that concern it.
    private func becomeFault(_ object: NSManagedObject, keepsTransient: Bool) {
        let wasDeleted = object.isDeleted
        // A fault with changes has those of others alone.
        if object.isFault, !object.state.contains(.hasRow), !object.touched.isEmpty, !wasDeleted { return }
        let leadsToDeleted = object.layout.toOneSlots.filter {
            object.committed[$0].destination(in: self)?.isDeleted ?? false
        }
        let echoes = object.echoes()
        dropChanges(of: object)
        let left = object.forgetChanges(isRevived: wasDeleted)
        object.turnIntoFault(keepsTransient: keepsTransient)
        for (slot, value) in left { object.keep(value, slot) }
        if !left.isEmpty { object.state.insert(.echo) }
        for echo in echoes { settle(echo: echo) }
        for slot in leadsToDeleted {
            object.realize()
            if wasDeleted {
                object.followDeletion(slot)
            } else {
                // What the rule spared, or an undone insertion, stays without it.
                object.forgetDeleted(slot)
            }
        }
    }

    /// What an object repeated is another one now, or nothing.
    private func settle(echo: NSManagedObject) {
        if echo.touched.contains(where: echo.differs) {
            echo.state.insert(.echo)
        } else {
            dropChanges(of: echo)
            echo.touched.removeAll()
        }
    }

    /// Reads an object anew, now where it has unsaved changes, which stay on top, or else when it is asked for a value.
    func refresh(_ object: NSManagedObject) {
        object.announcingChanges {
            if object.isUpdated || object.isDeleted {
                reload(object)
                object.awake(from: .refresh)
            } else {
                object.turnIntoFault(keepsTransient: true)
            }
        }
    }

    func rereadAll() {
        checkQueue()
        processPendingChanges()
        var refreshed: [NSManagedObject] = []
        for object in orderedRegisteredObjects() where !object.isInserted && !object.state.contains(.gone) {
            refresh(object)
            refreshed.append(object)
        }
        post(.NSManagedObjectContextObjectsDidChange, ChangeDigest(refreshed: refreshed))
    }

    func dropChanges() {
        checkQueue()
        let inserted = inserted.objects
        let changed = updated.objects + deleted.objects
        let forgotten = event.objects.filter { $0.state.contains(.forgotten) }
        self.inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        undeclaredDeletions = ObjectList()
        mergedDeletions.removeAll()
        inaccessible.removeAll()
        for object in event.objects { object.state.remove(.inEvent) }
        event = ObjectList()
        revived.removeAll()
        formerEnds.removeAll()
        changingEnds.removeAll()
        undoRecorder?.noteReset()
        for object in changed {
            object.state.subtract([.updated, .deleted, .deletionPropagated])
            object.announcingChanges {
                object.values = object.committed
                object.touched.removeAll()
            }
            object.awake(from: .rollback)
        }
        let dropped = inserted + forgotten
        let digest = ChangeDigest(forgotten: dropped.filter { $0.state.contains(.announced) }, refreshed: changed)
        dropReferences(to: dropped)
        post(.NSManagedObjectContextObjectsDidChange, digest)
        for object in dropped { forget(object) }
        mend()
    }

    func forgetAll() {
        checkQueue()
        let objects = registry.objects
        inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        undeclaredDeletions = ObjectList()
        mergedDeletions.removeAll()
        inaccessible.removeAll()
        event = ObjectList()
        revived.removeAll()
        formerEnds.removeAll()
        changingEnds.removeAll()
        undoRecorder?.noteReset()
        registry.removeAll()
        retained = ObjectList()
        advanceGeneration()
        assignedStores.removeAll()
        wantedRows.removeAll()
        watched = ToManyMembers()
        let ids = isObserved ? objects.map(\.id) : []
        for object in objects { object.detach() }
        mend()
        if isObserved { post(.NSManagedObjectContextObjectsDidChange, ChangeDigest(invalidatedAll: ids)) }
    }

    /// Reads an object's row anew and puts its unsaved changes on top. One whose row is gone counts as deleted.
    func reload(_ object: NSManagedObject) {
        let rows = readOrStop("the object \(object.id.uriRepresentation().absoluteString)", of: nil) {
            try requiredSource.rows(withIDs: [object.id], for: self)
        }
        guard let rows else { return }
        guard let row = rows.first else {
            letGo(ofVanished: [object])
            return
        }
        reload(object, row)
    }

    /// Takes an object's row anew and puts its unsaved changes on top.
    func reload(_ object: NSManagedObject, _ row: StoreRow) {
        undoRecorder?.willReload(object)
        object.batch?.reopen(position: object.batchPosition)
        if object.isDeleted {
            deleteAgain(object, row)
            undoRecorder?.noteReload(object)
            return
        }
        if object.state.contains(.updated) { object.notePrimitiveChanges() }
        // What was set to the value that it had is no change, and mustn't become one.
        var changed = SlotSet()
        for slot in object.touched where object.differs(slot) { changed.insert(slot) }
        object.rebase(on: row, keeping: changed)
        undoRecorder?.noteReload(object)
    }

    func dropChanges(of object: NSManagedObject) {
        if object.hasChanges {
            updated.remove(object)
            deleted.remove(object)
            undeclaredDeletions.remove(object)
        }
        object.state.subtract([.updated, .deleted, .deletionPropagated])
        undoRecorder?.noteLoss(of: object)
        if object.state.contains(.inEvent) { event.remove(object) }
        object.state.remove(.inEvent)
        revived.remove(ObjectIdentifier(object))
    }

    /// The registered objects in an order that doesn't depend on hashing.
    private func orderedRegisteredObjects() -> [NSManagedObject] {
        registry.objects.sorted {
            ($0.entity.name ?? "", $0.id.number) < ($1.entity.name ?? "", $1.id.number)
        }
    }
}
