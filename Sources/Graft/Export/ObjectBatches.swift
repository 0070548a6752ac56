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

    /// Calls the closure with each batch, in the order of the request.
    func forEach(_ body: ([NSManagedObject]) throws -> Void) throws {
        // What is unsaved can't be asked for by ID.
        guard releasesObjects else {
            let all = copy(of: request)
            all.relationshipKeyPathsForPrefetching = relationships
            return try body(context.fetch(all))
        }
        let ids = try objectIDs()
        for start in stride(from: 0, to: ids.count, by: max(1, batchSize)) {
            try body(try objects(Array(ids[start..<min(start + max(1, batchSize), ids.count)])))
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
        return try context.fetch(ids)
    }

    /// The objects of some of the IDs, in their order.
    func objects(_ ids: [NSManagedObjectID]) throws -> [NSManagedObject] {
        let batch = NSFetchRequest<NSManagedObject>(entityName: request.entityName ?? "")
        batch.predicate = NSPredicate(format: "self IN %@", argumentArray: [NSArray(array: ids)])
        batch.relationshipKeyPathsForPrefetching = relationships
        batch.includesSubentities = request.includesSubentities
        let fetched = try context.fetch(batch)
        // As a rule both are in the order of their making.
        if fetched.count == ids.count, zip(fetched, ids).allSatisfy({ $0.objectID === $1 || $0.objectID == $1 }) {
            return fetched
        }
        var byID: [NSManagedObjectID: NSManagedObject] = [:]
        for object in fetched { byID[object.objectID] = object }
        // One that was deleted meanwhile is missing.
        return ids.compactMap { byID[$0] }
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
