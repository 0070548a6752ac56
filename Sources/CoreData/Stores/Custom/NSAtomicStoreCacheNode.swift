// One object as an atomic store keeps it in memory.

public import Foundation

/// A record of an atomic store. Follows Core Data's `NSAtomicStoreCacheNode`.
open class NSAtomicStoreCacheNode: NSObject {
    /// The object's ID.
    open var objectID: NSManagedObjectID { id }
    private let id: NSManagedObjectID
    /// The values by the properties' names; a to-one relationship's is a node, a to-many one's a set of nodes (`NSSet`, `Set`, or an
    /// ordered set or array for an ordered one). Made when the first one is set.
    open var propertyCache: NSMutableDictionary?

    /// The node of an object; a store makes the ID with ``NSAtomicStore/objectID(for:withReferenceObject:)``.
    public init(objectID moid: NSManagedObjectID) { id = moid }

    /// The value of a property; nil where it has none.
    open func value(forKey key: String) -> Any? { propertyCache?.object(forKey: key) }

    /// Sets the value of a property.
    open func setValue(_ value: Any?, forKey key: String) {
        let cache = propertyCache ?? NSMutableDictionary()
        propertyCache = cache
        if let value { cache.setObject(value, forKey: key as NSString) } else { cache.removeObject(forKey: key) }
    }
}
