// Objects that are gone: deleted and saved, deleted in the store by someone else, or left without their context. Core Data
// answers for them with nulls, which nobody may take for values.

import CoreData

/// Tells objects that are gone from those whose deletion hasn't been saved yet. For one call, on the queue of the objects.
final class PresenceCheck {
    /// The objects that contexts are about to delete, asked for once a context.
    private var deleted: [ObjectIdentifier: Set<NSManagedObject>] = [:]

    /// Whether nothing is left of an object. A fault is fired to find out.
    func isGone(_ object: NSManagedObject) -> Bool {
        if !object.isFault, !object.isDeleted { return false }
        guard let context = object.managedObjectContext else { return object.isFault }
        if object.isFault { object.willAccessValue(forKey: nil) }
        guard object.isDeleted, !object.isInserted else { return false }
        let key = ObjectIdentifier(context)
        if deleted[key] == nil { deleted[key] = context.deletedObjects }
        return deleted[key]?.contains(object) == false
    }

    /// Refuses an object that is gone.
    ///
    /// - Parameter owner: The object and the relationship that led to it; nil where it was asked for.
    /// - Throws: ``GraftError`` with `missingObject`; what can't be read of it.
    func require(_ object: NSManagedObject, from owner: (entity: String, property: String)? = nil) throws {
        guard try object.withFaultsAsErrors({ isGone(object) }) else { return }
        throw GraftError(
            .missingObject(object.objectID.uriRepresentation().absoluteString),
            at: .init(entity: owner?.entity ?? object.entity.name, property: owner?.property))
    }

    /// The objects without those whose deletion waits for a save: it reaches relationships only when the context processes
    /// its changes. One that is gone stays, to be refused.
    func remaining(_ objects: [NSManagedObject]) -> [NSManagedObject] {
        objects.contains(where: \.isDeleted) ? objects.filter { !$0.isDeleted || isGone($0) } : objects
    }
}
