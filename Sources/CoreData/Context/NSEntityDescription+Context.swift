// Finding an entity by name in a context's model, and making an object of it.

import Foundation

extension NSEntityDescription {
    /// The entity of that name in the context's model; nil where there is none.
    public class func entity(
        forEntityName entityName: String, in context: NSManagedObjectContext
    ) -> NSEntityDescription? {
        context.requiredCoordinator.managedObjectModel.entitiesByName[entityName]
    }

    /// Inserts a new object of the entity's class. Stops for an unknown name, as Core Data raises.
    public class func insertNewObject(
        forEntityName entityName: String, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        guard let entity = entity(forEntityName: entityName, in: context) else {
            let known = context.requiredCoordinator.managedObjectModel.entitiesByName.keys.sorted()
            fatalError("The model has no entity '\(entityName)'. It has: \(known.joined(separator: ", ")).")
        }
        return entity.layout.objectClass.init(making: entity, in: context)
    }
}

extension NSEntityDescription {
    /// The entity and all that inherit from it.
    var selfAndDescendants: [NSEntityDescription] { [self] + subentities.flatMap(\.selfAndDescendants) }
}
