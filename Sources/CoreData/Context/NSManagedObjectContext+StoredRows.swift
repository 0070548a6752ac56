// What the store has, as rows: for whoever looks at many objects and needs few of them. What a context has changed doesn't count.

import Foundation

extension NSManagedObjectContext {
    /// The rows that match a request's entity and predicate, in any order.
    ///
    /// - Throws: As ``fetch(_:)``.
    package func storedRows(matching request: NSFetchRequest<NSManagedObject>) throws -> [StoreRow] {
        checkQueue()
        let entity = try entity(of: request.state)
        let stores = requiredCoordinator.stores(for: entity, among: request.affectedStores)
        let query = try storeQuery(request.state, entity, in: stores)
        return try requiredSource.rows(matching: query, in: stores, for: self).flatMap(\.self)
    }

    /// The rows with some IDs, in any order; the missing ones are left out.
    package func storedRows(with ids: [NSManagedObjectID]) throws -> [StoreRow] {
        checkQueue()
        return try rows(withIDs: ids)
    }

    /// The same with some slots alone, of one entity.
    package func storedRows(with ids: [NSManagedObjectID], slots: [Int]) throws -> [StoreRow] {
        checkQueue()
        return try requiredSource.rows(withIDs: ids, slots: slots, for: self)
    }

    /// The objects of rows that have just been read, in their order.
    package func objects(of rows: [StoreRow]) throws -> [NSManagedObject] {
        checkQueue()
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(rows.count)
        try append(rows, to: &objects)
        return objects
    }

    /// The members of a to-many relationship of the objects with some IDs, of one entity, parallel to them.
    package func storedMembers(_ slot: Int, of owners: [NSManagedObjectID]) throws -> [[NSManagedObjectID]] {
        checkQueue()
        guard let relationship = owners.first?.entity.layout.slots[slot].relationship else { return [] }
        return try members(of: relationship, owners: owners)
    }

    /// The objects with some IDs that the store has, in any order, with their rows, which take one question. What this context
    /// has changed doesn't count.
    ///
    /// - Parameter relationships: Those to be read for all at once.
    package func storedObjects(
        with ids: [NSManagedObjectID], prefetching relationships: [String]
    ) throws -> [NSManagedObject] {
        checkQueue()
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(ids.count)
        try append(try rows(withIDs: ids), to: &objects)
        try prefetch(relationships, for: objects)
        return objects
    }
}
