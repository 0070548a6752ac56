// Taking over what another context of the same coordinator has saved. Only IDs cross from one context to the other.

import Foundation

extension NSManagedObjectContext {
    func merge(_ notification: Notification) {
        if let other = notification.object as? NSManagedObjectContext, other === self || other.parentContext === self {
            return
        }
        let saved = SavedIDs(notification.userInfo ?? [:], of: persistentStoreCoordinator)
        performAndWait { merge(saved) }
    }

    /// Takes over what somebody has changed in the stores, given as the IDs of objects: after a batch request, or from
    /// another process.
    ///
    /// - Parameters:
    ///   - changeNotificationData: Object IDs, their URIs or objects under `NSInsertedObjectsKey`, `NSUpdatedObjectsKey`,
    ///     `NSDeletedObjectsKey`, `NSRefreshedObjectsKey` or the keys for IDs, in arrays or sets. URIs of unknown stores are
    ///     passed over.
    ///   - contexts: The contexts; each takes the changes over on its queue before the call returns.
    public class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        for context in contexts {
            let saved = SavedIDs(changeNotificationData, of: context.persistentStoreCoordinator)
            context.performAndWait { context.merge(saved) }
        }
    }

    func observeOtherContexts() {
        if let otherContexts { NotificationCenter.default.removeObserver(otherContexts) }
        otherContexts = nil
        guard automaticallyMergesChangesFromParent else { return }
        otherContexts = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
        ) { [weak self] notification in
            guard let self, let other = notification.object as? NSManagedObjectContext, other !== self,
                let source, source === other || source === other.source,
                let coordinator = source.rootCoordinator
            else { return }
            let saved = SavedIDs(notification.userInfo ?? [:], of: coordinator)
            guard !saved.isEmpty else { return }
            perform { self.merge(saved) }
        }
    }

    private func merge(_ saved: SavedIDs) {
        advanceGeneration()
        var digest = ChangeDigest(isMerged: true)
        for id in saved.inserted where !id.isTemporaryID || parentContext != nil || registeredObject(for: id) != nil {
            digest.inserted.append(object(with: id))
        }
        // What this context has inserted has no row yet: the contexts between hand up what others have changed of it.
        func savedObject(_ id: NSManagedObjectID) -> NSManagedObject? {
            registeredObject(for: id).flatMap { $0.isInserted ? nil : $0 }
        }
        for id in saved.updated {
            guard let object = savedObject(id) else { continue }
            // Nobody has seen the values of a fault.
            if object.isFault, !object.hasChanges {
                if object.state.contains(.hasRow) { object.turnIntoFault(keepsTransient: true) }
                digest.unseen.append(object)
                continue
            }
            refresh(object)
            digest.refreshed.append(object)
        }
        for id in saved.deleted {
            guard let object = savedObject(id) else { continue }
            if object.state.contains(.hasRow) { object.realize() }
            digest.deleted.append(object)
        }
        let known = Set(digest.refreshed.map(ObjectIdentifier.init))
        mergedDeletions.append(digest.deleted)
        digest.refreshed += letGo(ofVanished: digest.deleted).filter { !known.contains(ObjectIdentifier($0)) }
        post(.NSManagedObjectContextObjectsDidChange, digest)
        if isObserved, !saved.isEmpty {
            var info = saved.userInfo
            if !digest.refreshed.isEmpty { info[NSRefreshedObjectIDsKey] = Set(digest.refreshed.map(\.id)) }
            NotificationCenter.default.post(
                name: .NSManagedObjectContextDidMergeChangesObjectIDs, object: self, userInfo: info)
        }
    }
}

extension NSManagedObjectContext {
    /// Whether there is something of the context's own to write.
    var hasOwnChanges: Bool { !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty }
}

/// Objects that have left the context because their rows are gone, and that still count as its deleted ones, as long as somebody
/// holds them: a context that never saves mustn't keep them all.
struct MergedDeletions {
    private struct Held { weak var object: NSManagedObject? }
    private var held: [Held] = []

    /// Those that nobody has inserted anew.
    var objects: [NSManagedObject] { held.compactMap(\.object).filter(\.isDeleted) }

    var isEmpty: Bool {
        mutating get {
            while let last = held.last {
                if let object = last.object { return !object.isDeleted && objects.isEmpty }
                held.removeLast()
            }
            return true
        }
    }

    mutating func append(_ objects: [NSManagedObject]) {
        held.removeAll { $0.object == nil }
        held += objects.map { Held(object: $0) }
    }

    mutating func removeAll() { held.removeAll() }
}

/// The IDs that a save's notification tells, in a defined order.
private struct SavedIDs: Sendable {
    let inserted: [NSManagedObjectID]
    let updated: [NSManagedObjectID]
    let deleted: [NSManagedObjectID]

    init(_ data: [AnyHashable: Any], of coordinator: NSPersistentStoreCoordinator?) {
        func ids(_ keys: String...) -> [NSManagedObjectID] {
            let found = keys.lazy.map { Self.elements(data[$0]) }.first { !$0.isEmpty } ?? []
            return Set(found.compactMap { Self.id($0, in: coordinator) }).sorted {
                ($0.entity.name ?? "", $0.number) < ($1.entity.name ?? "", $1.number)
            }
        }
        inserted = ids(NSInsertedObjectIDsKey, NSInsertedObjectsKey)
        let updated = ids(NSUpdatedObjectIDsKey, NSUpdatedObjectsKey)
        let known = Set(updated)
        self.updated =
            updated + ids(NSRefreshedObjectIDsKey, NSRefreshedObjectsKey).filter { !known.contains($0) }
        deleted = ids(NSDeletedObjectIDsKey, NSDeletedObjectsKey)
    }

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    var userInfo: [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [:]
        if !inserted.isEmpty { info[NSInsertedObjectIDsKey] = Set(inserted) }
        if !updated.isEmpty { info[NSUpdatedObjectIDsKey] = Set(updated) }
        if !deleted.isEmpty { info[NSDeletedObjectIDsKey] = Set(deleted) }
        return info
    }

    private static func elements(_ value: Any?) -> [Any] {
        switch value {
        case let ids as Set<NSManagedObjectID>: Array(ids)
        case let objects as Set<NSManagedObject>: Array(objects)
        case let urls as Set<URL>: Array(urls)
        case let array as [Any]: array
        case let array as NSArray: Array(array)
        case let set as NSSet: set.allObjects
        default: []
        }
    }

    private static func id(_ value: Any, in coordinator: NSPersistentStoreCoordinator?) -> NSManagedObjectID? {
        switch value {
        case let object as NSManagedObject: id(object.objectID, in: coordinator)
        // Only contexts with a parent know objects that no store has; others find none under such an ID.
        case let id as NSManagedObjectID where id.isTemporaryID: id
        // Another coordinator has other IDs for the same rows.
        case let id as NSManagedObjectID where id.persistentStore?.persistentStoreCoordinator !== coordinator:
            coordinator?.managedObjectID(forURIRepresentation: id.uriRepresentation())
        case let id as NSManagedObjectID: id
        case let url as URL: coordinator?.managedObjectID(forURIRepresentation: url)
        default: nil
        }
    }
}
