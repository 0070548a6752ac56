// Initialisers that a class inherits whatever it overrides, and that generic code can call: on Apple's platforms those of
// Objective-C are like that. In a protocol they ask nothing of subclasses; those of a class would have to be `required`.

/// Every managed object.
public protocol ManagedObjectMaking: NSManagedObject {}

extension NSManagedObject: ManagedObjectMaking {}

extension ManagedObjectMaking {
    /// Inserts an object of the class's entity into a context.
    public init(context moc: NSManagedObjectContext) {
        self.init(making: ManagedObjectClasses.entity(for: Self.self, in: moc), in: moc)
    }

    /// As ``NSManagedObject/init(entity:insertInto:)``, for a class that is known at run time.
    @_disfavoredOverload
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        self.init(making: entity, in: context)
    }
}
