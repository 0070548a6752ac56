// The objects of a fetch, some at a time: first their IDs, then the objects of each batch with what will be needed of
// them, so that memory doesn't grow with the store.

import CoreData
import Foundation

/// Goes through the results of a fetch in batches.
struct ObjectBatches {
    let context: NSManagedObjectContext
    let request: NSFetchRequest<NSManagedObject>
    let batchSize: Int
    /// The relationships to be fetched with the objects.
    let relationships: [String]
    /// Whether the context forgets a batch before the next one. Only for contexts that nobody else uses.
    let releasesObjects: Bool
    /// Who may want unreadable objects to be left out.
    var damage: GraphDamage?

    /// Calls the closure with each batch, in the order of the request.
    func forEach(_ body: ([NSManagedObject]) throws -> Void) throws {
        // What is unsaved can't be asked for by ID.
        guard releasesObjects else {
            let all = copy(of: request)
            all.relationshipKeyPathsForPrefetching = relationships
            return try body(context.fetch(all))
        }
        let ids = try objectIDs()
        guard let damage, damage.isLeavingOut else { return try forEach(ids, objects, body) }
        for batch in ids.batches(of: batchSize) {
            try body(try readable(batch, damage))
            try context.resetInSameState()
        }
    }

    /// The objects that aren't damaged themselves.
    private func readable(_ batch: [NSManagedObjectID], _ damage: GraphDamage) throws -> [NSManagedObject] {
        do {
            return try objects(batch)
        } catch  where damage.isLeavingOut(error) {
            // Without what they lead to: that may be damaged, and they are not.
            let alone = ObjectBatches(
                context: context, request: request, batchSize: batchSize, relationships: [], releasesObjects: true)
            return try alone.objects(damage.readable(batch) { _ = try alone.objects($0) })
        }
    }

    /// Calls the closure with each batch as rows, in the order of the request. Makes no objects.
    func forEachRows(_ body: ([StoredRow]) throws -> Void) throws {
        try forEach(objectIDs(), rows, body)
    }

    /// Calls the closure with what is read of some IDs, batch by batch, and lets go of each. While it works on one batch, another
    /// thread reads the next one's rows.
    private func forEach<T>(
        _ ids: [NSManagedObjectID], _ read: ([NSManagedObjectID]) throws -> [T], _ body: ([T]) throws -> Void
    ) throws {
        var batches = ids.batches(of: batchSize).makeIterator()
        var next = batches.next()
        while let batch = next {
            let batch = try read(batch)
            next = batches.next()
            if let next { context.readAhead(next, members: relationships) }
            try body(batch)
            try context.resetInSameState()
        }
    }

    /// The IDs of the request's results.
    func objectIDs() throws -> [NSManagedObjectID] {
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: request.entityName ?? "")
        ids.resultType = .managedObjectIDResultType
        ids.predicate = request.predicate
        ids.sortDescriptors = request.sortDescriptors
        ids.fetchLimit = request.fetchLimit
        ids.fetchOffset = request.fetchOffset
        ids.includesSubentities = request.includesSubentities
        damage?.passOverStrayRows(ids)
        return try context.fetch(ids)
    }

    /// The objects of some of the IDs, in their order, those left out that were deleted meanwhile.
    func objects(_ ids: [NSManagedObjectID]) throws -> [NSManagedObject] {
        try context.readStored(ids, request.entityName ?? "", prefetching: relationships)
            .inOrder(of: ids, \.objectID)
    }

    private func rows(_ ids: [NSManagedObjectID]) throws -> [StoredRow] {
        try context.storedRows(ids, request.entityName ?? "").inOrder(of: ids, \.objectID)
    }

    private func copy(of request: NSFetchRequest<NSManagedObject>) -> NSFetchRequest<NSManagedObject> {
        let copy = NSFetchRequest<NSManagedObject>(entityName: request.entityName ?? "")
        copy.predicate = request.predicate
        copy.sortDescriptors = request.sortDescriptors
        copy.fetchLimit = request.fetchLimit
        copy.fetchOffset = request.fetchOffset
        copy.includesSubentities = request.includesSubentities
        copy.includesPendingChanges = request.includesPendingChanges
        return copy
    }
}

extension Array {
    /// The elements in arrays of some length, at least one; the last may be shorter.
    func batches(of size: Int) -> some Sequence<[Element]> {
        let size = Swift.max(1, size)
        return stride(from: 0, to: count, by: size).lazy.map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }

    /// What was read of the objects with some IDs, in the order of those; what wasn't found is left out.
    func inOrder(of ids: [NSManagedObjectID], _ id: (Element) -> NSManagedObjectID) -> [Element] {
        // As a rule both are in the order of their making.
        if count == ids.count, zip(self, ids).allSatisfy({ id($0).lookupKey == $1.lookupKey }) { return self }
        var elements: [ObjectIDKey: Element] = [:]
        for element in self { elements[id(element).lookupKey] = element }
        return ids.compactMap { elements[$0.lookupKey] }
    }
}
