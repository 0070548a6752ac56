// Making many objects of one entity: the class is looked up once.

import CoreData

/// Inserts objects of one entity into a context. A class, so that no list of makers is being changed while an object is made:
/// its `awakeFromInsert()` may make others.
final class ObjectMaker {
    let entity: NSEntityDescription
    private unowned let context: NSManagedObjectContext
    private var objectClass: NSManagedObject.Type?

    init(_ entity: NSEntityDescription, in context: NSManagedObjectContext) {
        self.entity = entity
        self.context = context
    }

    /// Inserts a new object.
    func make() -> NSManagedObject {
        if let objectClass { return objectClass.init(entity: entity, insertInto: context) }
        let first = NSEntityDescription.insertNewObject(forEntityName: entity.name ?? "", into: context)
        objectClass = type(of: first)
        return first
    }
}
