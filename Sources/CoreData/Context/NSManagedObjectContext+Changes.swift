// Deleting, what a deletion does to related objects, and the digest of changes that `processPendingChanges()` posts.

import Foundation

extension NSManagedObjectContext {
    // MARK: Deleting

    func markDeleted(_ object: NSManagedObject) {
        checkQueue()
        // What has left its context, or never was in one, has nothing to be deleted from.
        guard let context = object.context else { return }
        guard context === self else {
            fatalError("\(object.objectID) doesn't belong to this context and can't be deleted in it.")
        }
        object.prepareForDeletion()
        guard !object.isDeleted else { return }
        object.realize()
        guard !object.isDeleted else { return }
        object.state.insert(.deleted)
        undeclaredDeletions.append(object)
        noteDeletion(of: object)
        if !propagatesDeletesAtEndOfEvent { propagateDeletions() }
    }

    /// Enters an object that is marked as deleted among the changes; one that was never saved is forgotten.
    func noteDeletion(of object: NSManagedObject) {
        if object.isInserted {
            inserted.remove(object)
            object.state.insert(.forgotten)
        } else {
            updated.remove(object)
            deleted.append(object)
        }
        if !object.state.contains(.inEvent) {
            object.touchedInEvent.removeAll()
            noteEvent(object)
        }
    }

    /// Follows the delete rules of everything deleted since the last time, and of what that deletes.
    func propagateDeletions() {
        while !undeclaredDeletions.isEmpty {
            let batch = undeclaredDeletions.objects
            undeclaredDeletions = ObjectList()
            for object in batch where !object.state.contains(.deletionPropagated) {
                object.state.insert(.deletionPropagated)
                let failures = faultFailures?.count
                defer { if faultFailures?.count != failures { faultFailures?.hasLostDeletions = true } }
                for slot in object.layout.slots.indices where object.layout.slots[slot].isRelationship {
                    propagateDeletion(of: object, slot: slot)
                }
            }
        }
    }

    private func propagateDeletion(of object: NSManagedObject, slot: Int) {
        switch object.layout.slots[slot].relationship?.deleteRule {
        case .nullifyDeleteRule where object.layout.inverses[slot] == nil: return
        case .nullifyDeleteRule, .cascadeDeleteRule:
            for other in related(object, slot) { propagateDeletion(of: object, slot: slot, to: other) }
        default: return
        }
    }

    /// What a deletion does to one related object. One that has been given to somebody else stays his.
    func propagateDeletion(of object: NSManagedObject, slot: Int, to other: NSManagedObject) {
        guard !other.isDeleted else { return }
        let inverse = object.layout.inverses[slot]
        switch object.layout.slots[slot].relationship?.deleteRule {
        case .nullifyDeleteRule: if let inverse { other.unlink(inverse, from: object) }
        case .cascadeDeleteRule:
            if let inverse, other.deniesBeing(in: object, inverse) { return }
            delete(other)
        default: return
        }
    }

    func related(_ object: NSManagedObject, _ slot: Int) -> [NSManagedObject] {
        if object.layout.slots[slot].isToMany { return object.members(slot).objects }
        return object.destination(slot).map { [$0] } ?? []
    }

    // MARK: The digest

    /// - Parameter isCutShort: Whether a fetch has the changes so far processed; what follows is of the same event for an undo manager.
    func processEvent(isCutShort: Bool = false) {
        checkQueue()
        undoRecorder?.isCutShort = isCutShort
        defer { if !isCutShort { undoRecorder?.finishEvent() } }
        propagateDeletions()
        forgetInaccessible()
        guard !event.isEmpty else { return }
        announce(takeEvent())
    }

    /// Posts the changes, and lets go of objects that never were in a store and have been deleted.
    private func announce(_ digest: ChangeDigest) {
        for object in digest.inserted where object.isInserted { object.state.insert(.announced) }
        if isObserved {
            // An observer's fetch announces what he has changed.
            let isWithin = isAnnouncing
            isAnnouncing = true
            post(.NSManagedObjectContextObjectsDidChange, digest)
            isAnnouncing = isWithin
        }
        forget(unsaved: digest.forgotten)
    }

    /// The changes since the last time, by kind, and a clean slate.
    private func takeEvent() -> ChangeDigest {
        let objects = event.objects
        undoRecorder?.record(objects)
        var digest = ChangeDigest()
        for object in objects {
            object.state.remove(.inEvent)
            if object.state.contains(.forgotten) {
                digest.forgotten.append(object)
            } else if object.isDeleted {
                digest.deleted.append(object)
            } else if isNew(object) {
                digest.inserted.append(object)
            } else if object.hasChanges {
                digest.updated.append(object)
            }
        }
        event = ObjectList()
        revived.removeAll()
        formerEnds.removeAll()
        changingEnds.removeAll()
        return digest
    }

    /// Whether somebody who keeps a list doesn't have an object yet, or has taken it out. An insertion is told once; what is changed
    /// afterwards counts as updated, saved or not.
    private func isNew(_ object: NSManagedObject) -> Bool {
        object.isInserted && !object.state.contains(.announced) || revived.contains(ObjectIdentifier(object))
    }

    /// The objects of the running event, for the rounds of `willSave()`.
    func takeChangedObjects() -> [NSManagedObject] {
        propagateDeletions()
        let digest = takeEvent()
        guard !digest.isEmpty else { return [] }
        announce(digest)
        return (digest.inserted + digest.updated + digest.deleted).filter(\.hasChanges)
    }

    func post(_ name: Notification.Name, _ digest: ChangeDigest) {
        guard !digest.isEmpty else {
            if !digest.unseen.isEmpty {
                NotificationCenter.default.post(name: .unseenObjectsDidChange, object: self, userInfo: digest.userInfo)
            }
            return
        }
        NotificationCenter.default.post(name: name, object: self, userInfo: digest.userInfo)
    }
}

/// What a notification tells: lists of objects by what happened to them.
struct ChangeDigest {
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []
    /// Deleted before any save.
    var forgotten: [NSManagedObject] = []
    var refreshed: [NSManagedObject] = []
    var invalidated: [NSManagedObject] = []
    /// The IDs of all objects, after a reset.
    var invalidatedAll: [NSManagedObjectID]?
    /// Whether another context, or somebody else, has made the changes.
    var isMerged = false
    /// Faults that somebody else has changed. Nobody has seen their values, and nobody is told but fetched results controllers,
    /// which were given them in an order and by a predicate.
    var unseen: [NSManagedObject] = []

    static let unseenKey = "GraftUnseenObjects"

    /// Adds what later objects have become by the same save.
    mutating func append(_ later: ChangeDigest) {
        inserted += later.inserted
        updated += later.updated
        deleted += later.deleted
    }

    /// Whether there is nothing to tell everybody.
    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && invalidated.isEmpty
            && invalidatedAll == nil && forgotten.isEmpty
    }

    var userInfo: [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [:]
        if !inserted.isEmpty { info[NSInsertedObjectsKey] = Set(inserted) }
        if !updated.isEmpty { info[NSUpdatedObjectsKey] = Set(updated) }
        if !deleted.isEmpty || !forgotten.isEmpty { info[NSDeletedObjectsKey] = Set(deleted + forgotten) }
        if !refreshed.isEmpty { info[NSRefreshedObjectsKey] = Set(refreshed) }
        if !invalidated.isEmpty { info[NSInvalidatedObjectsKey] = Set(invalidated) }
        if let invalidatedAll { info[NSInvalidatedAllObjectsKey] = invalidatedAll }
        // Core Data has no constant for it; clients tell merged changes from a context's own by it.
        if isMerged { info["NSObjectsChangedByMergeChangesKey"] = Set(inserted + deleted + refreshed) }
        if !unseen.isEmpty { info[Self.unseenKey] = Set(unseen) }
        return info
    }
}

extension Notification.Name {
    /// In place of `NSManagedObjectContextObjectsDidChange` where only faults have changed, which aren't announced.
    static let unseenObjectsDidChange = Notification.Name("GraftUnseenObjectsDidChange")
}
