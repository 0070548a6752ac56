// The class of what `NSManagedObject(entity:insertInto:)` makes. Core Data's initialiser gives an object of the entity's class, which one of
// Swift's can't. Here the object becomes one of that class before anybody has seen it.

import Foundation

extension NSManagedObject {
    /// Makes a plain object one of its entity's class. It stays plain where the class has stored properties of its own: its objects are
    /// larger.
    func takeEntityClass() {
        guard type(of: self) == NSManagedObject.self, !layout.isWithoutClass else { return }
        become(layout.objectClass)
    }

    /// A new object of no class of its own, whatever its entity says: migrations run no code of classes.
    static func plain(_ entity: NSEntityDescription, insertedInto context: NSManagedObjectContext) -> NSManagedObject {
        let object = plain(entity)
        context.register(inserted: object)
        return object
    }

    /// The same in no context.
    static func plain(_ entity: NSEntityDescription) -> NSManagedObject {
        let object = NSManagedObject(entity: entity, insertInto: nil)
        object.become(NSManagedObject.self)
        return object
    }

    private func become(_ cls: NSManagedObject.Type) {
        guard Self.instanceSize(of: cls) == Self.instanceSize(of: type(of: self)) else { return }
        // Safe: an object begins with its class (Swift's ABI document "TypeMetadata"). Either class is a subclass of the other one and adds no
        // storage to it, so that the object's memory is that of an object of either, and nobody else knows the object yet.
        unsafe Unmanaged.passUnretained(self).toOpaque().assumingMemoryBound(to: NSManagedObject.Type.self).pointee =
            cls
    }

    private static func instanceSize(of cls: NSManagedObject.Type) -> UInt32 {
        // Safe: without Objective-C a class has its kind and its superclass, a word each, then its flags, the place where its objects begin and
        // their size, with 32 bits each.
        let place = 2 * MemoryLayout<Int>.size + 2 * MemoryLayout<UInt32>.size
        return unsafe unsafeBitCast(cls, to: UnsafeRawPointer.self).load(fromByteOffset: place, as: UInt32.self)
    }
}

extension NSManagedObjectContext {
    /// A context for a migration, whose objects are of no class. (Core Data's "Three-Stage Migration": the models' classes are all
    /// `NSManagedObject` there. A class is that of the newest version, and its code needn't suit an older one.)
    static func plain(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.makesPlainObjects = true
        return context
    }
}
