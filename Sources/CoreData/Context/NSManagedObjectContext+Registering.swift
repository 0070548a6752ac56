// Which object stands for which ID. One ID, one object: everything that makes objects comes through here.

import Dispatch
import Foundation

extension NSManagedObjectContext {
    // MARK: Objects by ID

    func knownObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        checkQueue()
        if let object = object(ofRow: objectID) { return object }
        guard let own = ownID(for: objectID), own !== objectID else { return nil }
        return registry.object(for: own.key)
    }

    /// The object, if the context has it, of a row that its own store has given.
    package func object(ofRow id: NSManagedObjectID) -> NSManagedObject? {
        if parentContext != nil { adoptPermanentIDs() }
        return registry.object(for: id.key)
    }

    func objectOrFault(with objectID: NSManagedObjectID) -> NSManagedObject {
        registeredObject(for: objectID) ?? makeObject(ownID(for: objectID) ?? objectID)
    }

    /// The ID by which the context knows an object: the permanent one of an object that was saved above, and its own store's for one
    /// that another coordinator has opened, or this one before. Nil for an object of a store that the coordinator doesn't have.
    private func ownID(for id: NSManagedObjectID) -> NSManagedObjectID? {
        if id.isTemporaryID { return permanentID(for: id) ?? id }
        // The store may have been removed since, and opened again as another one.
        if id.space === ownSpace, id.persistentStore?.persistentStoreCoordinator != nil { return id }
        guard let coordinator = source?.rootCoordinator else { return id }
        if let store = id.persistentStore, coordinator.persistentStores.contains(where: { $0 === store }) {
            ownSpace = id.space
            return id
        }
        return coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
    }

    func realisedObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        checkQueue()
        if let object = registeredObject(for: objectID), !object.isFault, !object.state.contains(.rowless) {
            return object
        }
        guard let ownID = ownID(for: objectID), let row = try requiredSource.rows(withIDs: [ownID], for: self).first
        else { throw Self.missing(objectID) }
        let object = object(takingRowOf: ownID)
        try Self.requireEntity(of: row, object)
        if object.isUnseen { object.take(row) }
        object.realize()
        return object
    }

    private static func missing(_ id: NSManagedObjectID) -> CocoaError {
        CoreDataError.make(
            .managedObjectReferentialIntegrity,
            "There is no object with the ID \(id.uriRepresentation().absoluteString). It was deleted or never saved.",
            userInfo: [NSAffectedObjectsErrorKey: [id], "objectID": id])
    }

    func adopt(_ object: NSManagedObject) {
        if let theirs = object.context {
            guard theirs === self else { fatalError("\(object.objectID) belongs to another context.") }
            if !object.state.isDisjoint(with: [.gone, .rowless]) {
                // There is nothing to be brought back: it has left the context, as after a saved deletion.
                if object.state.contains(.rowless) { letGo(ofVanished: [object]) }
                object.detach()
            } else {
                if object.isDeleted {
                    revive([object])
                } else if object.state.contains(.announced) {
                    announceAgain(object)
                }
                return
            }
        }
        register(inserted: object)
    }

    /// Announces an inserted object as inserted once more. Observed: INCoreData's tests insert an object that its context has.
    private func announceAgain(_ object: NSManagedObject) {
        guard object.isInserted else { return }
        if !object.state.contains(.inEvent) { noteEvent(object) }
        revived.insert(ObjectIdentifier(object))
    }

    /// Takes deletions back; where they have been announced, that, too, is announced.
    func revive(_ objects: [NSManagedObject]) {
        undelete(objects)
        for object in objects where !object.state.contains(.inEvent) {
            noteEvent(object)
            revived.insert(ObjectIdentifier(object))
        }
    }

    private func undelete(_ objects: [NSManagedObject]) {
        for object in objects {
            object.state.subtract([.deleted, .deletionPropagated])
            deleted.remove(object)
            undeclaredDeletions.remove(object)
            if object.state.contains(.updated) { updated.append(object) }
            // One that was never saved is new again.
            if object.state.remove(.forgotten) != nil { inserted.append(object) }
        }
    }

    // MARK: Making objects

    func register(inserted object: NSManagedObject) {
        checkQueue()
        if object.state.contains(.fault) { startAnew(object) }
        enter(inserted: object)
        object.awakeFromInsert()
    }

    /// An object that has left its context, by a deletion or a rollback, and its values with it.
    private func startAnew(_ object: NSManagedObject) {
        if !object.id.isTemporaryID || permanentID(for: object.id) != nil {
            object.id = TemporaryObjectIDs.make(for: object.entity)
        }
        object.values = object.layout.defaults
        object.committed = object.values
        object.state = []
    }

    /// Enters an object that the next save shall insert.
    func enter(inserted object: NSManagedObject) {
        object.registry = registry
        object.state.insert(.inserted)
        enter(object)
        inserted.append(object)
        noteEvent(object)
    }

    /// A fault for an ID that isn't registered.
    func makeObject(_ id: NSManagedObjectID) -> NSManagedObject {
        let object =
            makesPlainObjects
            ? NSManagedObject.plain(id.entity) : id.entity.layout.objectClass.init(making: id.entity, in: nil)
        object.id = id
        object.values = object.layout.blank
        object.committed = object.values
        object.state = .fault
        object.registry = registry
        enter(object)
        return object
    }

    /// The object for a row that was just read: an unregistered or unread one takes the row's values.
    ///
    /// - Throws: `CocoaError` for a row that a link has made an object of another entity.
    func object(for row: StoreRow, in batch: FetchBatch) throws -> NSManagedObject {
        let object = object(takingRowOf: row.objectID)
        try Self.requireEntity(of: row, object)
        let isNew = object.isFault && !object.state.contains(.hasRow)
        // What a parent hasn't saved has no version of its own.
        if row.isRead, isNew || object.isUnseen && (row.version != object.version || !requiredSource.isPermanent) {
            object.take(row)
        }
        batch.append(object, isItsBatch: isNew)
        return object
    }

    /// A damaged link may name another entity than the row that it leads to has. Its object can't be that of the row.
    ///
    /// - Throws: `CocoaError` (`.persistentStoreOperation`).
    static func requireEntity(of row: StoreRow, _ object: NSManagedObject) throws {
        let (entity, known) = (row.objectID.entity, object.id.entity)
        if entity === known || entity.name == known.name { return }
        throw CoreDataError.make(
            .persistentStoreOperation,
            "The row \(row.objectID.uriRepresentation().absoluteString) is one of '\(entity.name ?? "")', and a link to it says "
                + "'\(known.name ?? "")'. Check the store for damage, and correct the entity number of the one or the other.",
            userInfo: [NSAffectedObjectsErrorKey: [object]])
    }

    /// The object with an ID that there is a row for. One that had lost its row is a fault again: the parent has taken the deletion
    /// back.
    private func object(takingRowOf id: NSManagedObjectID) -> NSManagedObject {
        let object = object(with: id)
        if object.state.contains(.rowless) { object.turnIntoFault() }
        return object
    }

    private func enter(_ object: NSManagedObject) {
        registry.insert(object, for: object.id.key)
        if retainsRegisteredObjects { retained.append(object) }
        object.id.noteRegistration()
    }

    /// Enters an object under its new ID.
    func rekey(_ object: NSManagedObject, from old: NSManagedObjectID) {
        // A merge policy may have let go of it meanwhile.
        guard object.registry === registry else { return registry.remove(old.key) }
        registry.move(object, from: old.key, to: object.id.key)
        if old.isTemporaryID { settledIDs.note(old.key, object.id) }
        object.id.noteRegistration()
    }

    /// Lets go of an object for good.
    func forget(_ object: NSManagedObject) {
        registry.remove(object.id.key)
        if retainsRegisteredObjects { retained.remove(object) }
        object.detach()
    }

    // MARK: Notes from objects

    func note(updated object: NSManagedObject) { updated.append(object) }

    func noteEvent(_ object: NSManagedObject) {
        object.state.insert(.inEvent)
        if event.isEmpty { processLater() }
        event.append(object)
    }

    /// Changes on the main queue, and not in a block of `perform`, are processed when the main queue gets to it. What another thread
    /// does with the queue's context without asking isn't: it would go on meanwhile.
    private func processLater() {
        guard concurrencyType == .mainQueueConcurrencyType, !willProcess, CurrentContext.frame == nil,
            confinement.isCurrent
        else { return }
        willProcess = true
        DispatchQueue.main.async { [weak self] in
            self?.willProcess = false
            self?.processPendingChanges()
        }
    }
}
