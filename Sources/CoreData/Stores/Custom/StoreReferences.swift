// How a store that an application writes itself names its rows: a numbering for each root entity, in which numbers stand for the
// store's own references. Stores/Custom/ObjectReferences.swift keeps one of them.

import Foundation

/// A store whose rows are named by references of its own.
protocol ReferencingStore: NSPersistentStore {
    var references: StoreReferences { get }
}

/// The numberings of one store.
final class StoreReferences {
    // Shared by the threads that ask the store: the table is behind the lock.
    private let lock = NSLock()
    private var spaces: [ObjectIdentifier: RowSpace] = [:]

    func objectID(for entity: NSEntityDescription, reference: Any, in store: NSPersistentStore) -> NSManagedObjectID {
        let space = space(of: entity, store)
        return NSManagedObjectID(entity: entity, space: space, number: space.references?.number(for: reference) ?? 0)
    }

    /// The ID that a URI names.
    func objectID(for entity: NSEntityDescription, text: String, in store: NSPersistentStore) -> NSManagedObjectID {
        let space = space(of: entity, store)
        return NSManagedObjectID(entity: entity, space: space, number: space.references?.number(forText: text) ?? 0)
    }

    /// The reference that an ID was made with. Stops for an ID of another store.
    func reference(for objectID: NSManagedObjectID, in store: NSPersistentStore) -> Any {
        guard let references = objectID.space.references, objectID.persistentStore === store else {
            fatalError("\(objectID) isn't an ID of this store.")
        }
        return references.reference(for: objectID.number)
    }

    /// Calls the store by another UUID in the IDs that there are.
    func rename(to identifier: String) {
        lock.withLock { for space in spaces.values { space.storeIdentifier = identifier } }
    }

    /// A root entity and its sub-entities share their references.
    private func space(of entity: NSEntityDescription, _ store: NSPersistentStore) -> RowSpace {
        let key = ObjectIdentifier(entity.rootEntity), identifier = store.identifier ?? ""
        return lock.withLock {
            if let space = spaces[key] { return space }
            let space = RowSpace(storeIdentifier: identifier, store: store, references: ObjectReferences())
            spaces[key] = space
            return space
        }
    }
}
