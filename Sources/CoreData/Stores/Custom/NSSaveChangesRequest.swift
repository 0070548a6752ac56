// What a custom store is asked at a save.

/// The changes of a save, as a custom store gets them. Follows Core Data's `NSSaveChangesRequest`.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    /// Objects for which the store has to make rows. They have their permanent IDs.
    open private(set) var insertedObjects: Set<NSManagedObject>?
    /// Objects whose rows have to be changed; `changedValues()` says in what.
    open private(set) var updatedObjects: Set<NSManagedObject>?
    /// Objects whose rows have to go.
    open private(set) var deletedObjects: Set<NSManagedObject>?
    /// Objects whose versions have to be checked without a change.
    open private(set) var lockedObjects: Set<NSManagedObject>?

    /// A request with these objects.
    public init(
        inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
        deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
    ) {
        self.insertedObjects = insertedObjects
        self.updatedObjects = updatedObjects
        self.deletedObjects = deletedObjects
        self.lockedObjects = lockedObjects
        super.init()
    }

    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }
}
