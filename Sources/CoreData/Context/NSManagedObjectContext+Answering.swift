// A context as its children's source: what it has, unsaved changes included, as rows. Everything happens on its own queue,
// for which the child waits. Objects stay here; only IDs and values cross.

import Foundation

extension NSManagedObjectContext: ObjectSource {
    var rootCoordinator: NSPersistentStoreCoordinator? { source?.rootCoordinator }

    var isPermanent: Bool { false }

    func rows(
        matching query: StoreQuery, in stores: [NSPersistentStore], for child: NSManagedObjectContext
    ) throws -> [[StoreRow]] {
        try answer { [try rows(of: objects(matching: query, in: stores, includesPending: true))] }
    }

    func objectIDs(
        matching query: StoreQuery, in stores: [NSPersistentStore], for child: NSManagedObjectContext
    ) throws -> [[NSManagedObjectID]] {
        try answer { [try objectIDs(matching: query, in: stores, includesPending: true)] }
    }

    func counts(
        matching query: StoreQuery, in stores: [NSPersistentStore], for child: NSManagedObjectContext
    ) throws -> [Int] {
        try answer { [try count(matching: query, in: stores, includesPending: true)] }
    }

    func dictionaries(
        matching query: StoreQuery, selection: StoreSelection, in stores: [NSPersistentStore],
        for child: NSManagedObjectContext
    ) throws -> [[String: Any]] {
        try answer {
            try requiredSource.dictionaries(matching: query, selection: selection, in: stores, for: self)
        }
    }

    func rows(
        withIDs ids: [NSManagedObjectID], slots: [Int]?, for child: NSManagedObjectContext
    ) throws -> [StoreRow] {
        try answer { try rows(of: ids.map(object(with:))) }
    }

    func members(
        of relationship: NSRelationshipDescription, owners: [NSManagedObjectID], for child: NSManagedObjectContext
    ) throws -> [[NSManagedObjectID]] {
        try answer {
            let owners = owners.map(object(with:))
            guard let slot = owners.first?.layout.slot(named: relationship.name) else { return [] }
            try loadRows(of: owners)
            let there = owners.filter(isThere)
            let unread = there.filter { $0.values[slot].isRelationshipFault }
            if !unread.isEmpty { try readMembers(of: unread, slot: slot, relationship: relationship) }
            return owners.map { owner in
                guard isThere(owner) else { return [] }
                return owner.members(slot).objects.filter { !$0.isDeleted }.map(\.id)
            }
        }
    }

    func permanentIDs(
        for objects: [NSManagedObject], assigned stores: [RowKey: NSPersistentStore],
        for child: NSManagedObjectContext
    ) throws -> [NSManagedObjectID] {
        try answer {
            let own = objects.compactMap { registeredObject(for: $0.id) }
            try obtainPermanentIDs(for: own)
            // One that has been saved here may be known by its ID alone.
            var ids = objects.map { registeredObject(for: $0.id)?.id ?? permanentID(for: $0.id) ?? $0.id }
            // Those that haven't been saved to this context yet.
            let unknown = objects.indices.filter { ids[$0].isTemporaryID }
            let made = try requiredSource.permanentIDs(
                for: unknown.map { objects[$0] }, assigned: stores, for: self)
            for (position, id) in zip(unknown, made) { ids[position] = id }
            return ids
        }
    }

    /// Answers a child on this context's queue.
    private func answer<T>(_ body: () throws -> T) throws -> T {
        try onQueue {
            try collectingFaultFailures {
                // What has been deleted here shall not be seen in relationships either.
                propagateDeletions()
                return try body()
            }
        }
    }

    // MARK: Rows

    /// Whether an object that was tried to be read is one that a child may see.
    func isThere(_ object: NSManagedObject) -> Bool {
        !object.isDeleted && (!object.isFault || object.state.contains(.hasRow))
    }

    /// The objects as rows; deleted and missing ones are left out.
    private func rows(of objects: [NSManagedObject]) throws -> [StoreRow] {
        try loadRows(of: objects)
        return try objects.lazy.filter(isThere).map { object in
            StoreRow(objectID: object.id, version: object.version, values: try rowValues(of: object))
        }
    }

    /// The values as a store would give them. Transient ones stay here.
    private func rowValues(of object: NSManagedObject) throws -> SlotValues {
        var values = object.values
        for (slot, definition) in object.layout.slots.enumerated() {
            if definition.isTransient {
                values[slot] = object.layout.defaults[slot]
                continue
            }
            switch values[slot] {
            case .object(let other): values[slot] = other.isDeleted ? .null : .objectID(other.id)
            case .objects, .unread(.some), .memberIDs: values[slot] = .unread(nil)
            case .transformable: values[slot] = try values[slot].detached(definition)
            default: break
            }
        }
        return values
    }
}

extension ManagedValue {
    /// The value for another context: the object of a transformable attribute isn't shared, it goes through its bytes.
    func detached(_ slot: EntityLayout.Slot) throws -> ManagedValue {
        guard case .transformable(let value) = self, !slot.isTransient else { return self }
        let name = (slot.property as? NSAttributeDescription)?.valueTransformerName
        return .transformable(TransformableValue(stored: try value.storedBytes(), transformerName: name))
    }
}
