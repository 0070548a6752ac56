// Moving a store to another place or type, and the newer spellings of what is done to store files.

public import Foundation

extension NSPersistentStoreCoordinator {
    /// Copies a store to another place, perhaps as another type, and opens the copy instead of it.
    ///
    /// From SQLite to SQLite the file is copied, keys included, and has a new UUID. Otherwise the objects are copied, and so they are into
    /// a store that is at the destination, which keeps its own. All get new IDs. The old store is taken out of the coordinator, its
    /// objects can't be read any more; its file stays.
    ///
    /// `NSPersistentStoreCoordinatorStoresDidChange` tells of it under `NSUUIDChangedPersistentStoresKey`, with the old store,
    /// the new one, and the IDs of all objects, each followed by the new one.
    ///
    /// - Returns: The new store.
    /// - Throws: `CocoaError`, also where one of the coordinator's stores is at the destination. The old store is then still
    ///   there, what had been made of the new one is gone, and what was at the destination is as it was.
    @discardableResult
    public func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        try performAndWait {
            guard persistentStores.contains(where: { $0 === store }) else {
                throw CoreDataError.make(
                    .persistentStoreOperation, "The store isn't one of this coordinator's and can't be migrated by it.")
            }
            let isTaken = persistentStores.contains {
                $0.type != NSInMemoryStoreType && $0.url?.standardizedFileURL == URL.standardizedFileURL
            }
            if isTaken, URL.path != "/dev/null", storeType != NSInMemoryStoreType {
                throw CoreDataError.make(
                    .persistentStoreOperation,
                    "A store can't be migrated to \(URL.path), where one of this coordinator's stores is. Name another place, or "
                        + "remove that store first.",
                    userInfo: [NSFilePathErrorKey: URL.path])
            }
            let configuration =
                managedObjectModel.configurations.contains(store.configurationName) ? store.configurationName : nil
            if store.type == NSSQLiteStoreType, storeType == NSSQLiteStoreType, let file = store.url,
                file.path != "/dev/null", URL.path != "/dev/null", !SQLiteStoreFile.isDatabase(at: URL)
            {
                return try moveFile(file, of: store, configuration, to: URL, options)
            }
            return try copyObjects(of: store, configuration, to: URL, options, storeType)
        }
    }

    /// Does what a lightweight migration has left for later. Nothing is: a store is migrated when it is open.
    public func finishDeferredLightweightMigration() throws {}

    /// Does one part of what a lightweight migration has left for later. Nothing is left.
    public func finishDeferredLightweightMigrationTask() throws {}

    /// ``migratePersistentStore(_:to:options:withType:)`` as newer code spells it.
    @discardableResult
    public func migratePersistentStore(
        _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil,
        type storeType: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try migratePersistentStore(store, to: storeURL, options: options, withType: storeType.rawValue)
    }

    /// Copies a store's file, and opens the copy instead of it.
    private func moveFile(
        _ file: URL, of store: NSPersistentStore, _ configuration: String?, to url: URL,
        _ options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore {
        try copyFile(file, configuration, to: url, options)
        var copy: NSPersistentStore?
        do {
            let added = try addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: configuration, at: url, options: options)
            copy = added
            announce(NSUUIDChangedPersistentStoresKey, [store, added, try movedIDs(from: store, to: added)])
            try remove(store)
            return added
        } catch {
            if let copy { try? remove(copy) }
            // What can't be taken away now is a store that nobody has open.
            try? SQLiteStoreFile.destroy(at: url)
            throw error
        }
    }

    /// Puts a copy of a store in a place when it is known that it can be opened there.
    private func copyFile(_ file: URL, _ configuration: String?, to url: URL, _ options: [AnyHashable: Any]?) throws {
        let staging = StagingStore(destination: url)
        do {
            try SQLiteStoreFile.replace(at: staging.url, withStoreAt: file)
            let other = quietCoordinator()
            var options = options ?? [:]
            options[NSReadOnlyPersistentStoreOption] = nil
            let copy = try other.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: configuration, at: staging.url, options: options)
            try copy.adopt(identifier: UUID().uuidString, largestRowNumbers: [:], entries: [:])
            try (copy.backend as? SQLiteStoreBackend)?.close()
            try other.remove(copy)
            try staging.commit()
        } catch {
            staging.discard()
            throw error
        }
    }

    private func copyObjects(
        of store: NSPersistentStore, _ configuration: String?, to url: URL, _ options: [AnyHashable: Any]?,
        _ type: String
    ) throws -> NSPersistentStore {
        // The copy is filled in a coordinator of its own, so that nobody sees the objects twice.
        let other = quietCoordinator()
        let wasThere = SQLiteStoreFile.isDatabase(at: url)
        let copy = try other.addPersistentStore(
            ofType: type, configurationName: configuration, at: url, options: options)
        let moved: [NSManagedObjectID]
        do {
            moved = try StoreCopy(source: self, store: store, destination: other).run()
        } catch {
            try other.remove(copy)
            // A store that was there gets the objects in one transaction, or none of them.
            if type == NSSQLiteStoreType, url.path != "/dev/null", !wasThere { try SQLiteStoreFile.destroy(at: url) }
            throw error
        }
        try remove(store)
        other.handOver(copy, to: self)
        announce(NSUUIDChangedPersistentStoresKey, [store, copy, moved])
        return copy
    }

    /// A coordinator of the same model that nobody is told of.
    private func quietCoordinator() -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        coordinator.isAnnounced = false
        return coordinator
    }

    /// The IDs of a store's objects, each followed by the one in its copy.
    private func movedIDs(
        from store: NSPersistentStore, to copy: NSPersistentStore
    ) throws -> [NSManagedObjectID] {
        let old = try store.requiredBackend, new = try copy.requiredBackend
        let roots = managedObjectModel.entities.filter {
            $0.superentity == nil && !stores(for: $0, among: [store]).isEmpty
        }
        return try roots.flatMap { root in
            try old.objectIDs(matching: StoreQuery(entity: root)).flatMap { id in
                [id, new.objectID(for: id.entity, primaryKey: id.number)]
            }
        }
    }

    /// ``replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)`` as newer code
    /// spells it.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
        type storeType: NSPersistentStore.StoreType
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, ofType: storeType.rawValue)
    }

    /// ``metadataForPersistentStore(ofType:at:options:)`` as newer code spells it.
    public class func metadataForPersistentStore(
        type storeType: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: storeType.rawValue, at: url, options: options)
    }
}

/// The copying of all objects of one store.
private struct StoreCopy {
    let source: NSPersistentStoreCoordinator
    let store: NSPersistentStore
    let destination: NSPersistentStoreCoordinator

    /// - Returns: The IDs of the objects, each followed by its copy's.
    func run() throws -> [NSManagedObjectID] {
        let from = NSManagedObjectContext.plain(source), to = NSManagedObjectContext.plain(destination)
        let (originals, copies) = try from.collectingFaultFailures { try copyObjects(from, to) }
        if let new = destination.persistentStores.first {
            new.metadata = (store.metadata ?? [:]).merging(new.metadata ?? [:]) { _, own in own }
        }
        try to.save()
        return originals.flatMap { [$0.objectID, copies[$0.objectID]?.objectID ?? $0.objectID] }
    }

    private func copyObjects(
        _ from: NSManagedObjectContext, _ to: NSManagedObjectContext
    ) throws -> (originals: [NSManagedObject], copies: [NSManagedObjectID: NSManagedObject]) {
        var copies: [NSManagedObjectID: NSManagedObject] = [:]
        var originals: [NSManagedObject] = []
        for entity in source.managedObjectModel.entities where !entity.isAbstract && entity.name != nil {
            guard source.stores(for: entity, among: [store]).isEmpty == false else { continue }
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.includesSubentities = false
            request.affectedStores = [store]
            for original in try from.fetch(request) {
                let copy = NSManagedObject.plain(original.entity, insertedInto: to)
                // As they are: what can't be decoded here stays the bytes that it is.
                for (slot, info) in copy.layout.slots.enumerated() {
                    if case .attribute = info.kind {
                        copy.setSlot(slot, to: try original.slotValue(slot).detached(info))
                    }
                }
                copies[original.objectID] = copy
                originals.append(original)
            }
        }
        for original in originals {
            guard let copy = copies[original.objectID] else { continue }
            connect(copy, like: original) { copies[$0.objectID] }
        }
        return (originals, copies)
    }

    private func connect(
        _ copy: NSManagedObject, like original: NSManagedObject, counterpart: (NSManagedObject) -> NSManagedObject?
    ) {
        for relationship in original.entity.relationshipsByName.values where !relationship.isTransient {
            let objects = MigrationObjects.all(in: original.value(forKey: relationship.name)).compactMap(counterpart)
            if !relationship.isToMany {
                if let object = objects.first { copy.setValue(object, forKey: relationship.name) }
            } else if relationship.isOrdered {
                copy.setValue(NSOrderedSet(array: objects), forKey: relationship.name)
            } else if !(relationship.keptInverse?.isOrdered ?? false) {
                // An ordered inverse that is stored says it all, and in order.
                copy.setValue(NSSet(array: objects), forKey: relationship.name)
            }
        }
    }
}
