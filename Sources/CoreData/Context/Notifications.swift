// The names and keys of what contexts and coordinators post.

public import Foundation

/// Objects inserted: `Set<NSManagedObject>`.
public let NSInsertedObjectsKey = "inserted"
/// Objects updated: `Set<NSManagedObject>`.
public let NSUpdatedObjectsKey = "updated"
/// Objects deleted: `Set<NSManagedObject>`.
public let NSDeletedObjectsKey = "deleted"
/// Objects refreshed: `Set<NSManagedObject>`.
public let NSRefreshedObjectsKey = "refreshed"
/// Objects invalidated: `Set<NSManagedObject>`.
public let NSInvalidatedObjectsKey = "invalidated"
/// All objects were invalidated: their IDs.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// IDs of inserted objects: `Set<NSManagedObjectID>`.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// IDs of updated objects: `Set<NSManagedObjectID>`.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// IDs of deleted objects: `Set<NSManagedObjectID>`.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// IDs of refreshed objects: `Set<NSManagedObjectID>`.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// IDs of invalidated objects: `Set<NSManagedObjectID>`.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"
/// Stores added to a coordinator: `[NSPersistentStore]`.
public let NSAddedPersistentStoresKey = "added"
/// Stores removed from a coordinator: `[NSPersistentStore]`.
public let NSRemovedPersistentStoresKey = "removed"
/// The key of a store whose UUID has changed, in a coordinator's notification; an array of the old store, the new one and
/// the IDs of objects that have other ones, which is empty here: a copy keeps them.
public let NSUUIDChangedPersistentStoresKey = "uuidChanged"

/// The key of the query generation that a pinned context reads after its save, in the save's notification.
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"

extension Notification.Name {
    /// A context is about to save, also where it has no changes. Posted without user info.
    public static let NSManagedObjectContextWillSave = Notification.Name("NSManagingContextWillSaveChangesNotification")
    /// A context has saved; user info has the inserted, updated and deleted objects: none of them, where there were no
    /// changes. Where a store keeps a history, the save's token is under "newChangeToken".
    public static let NSManagedObjectContextDidSave = Notification.Name("NSManagingContextDidSaveChangesNotification")
    /// A context has saved; user info has the IDs of the inserted, updated and deleted objects.
    public static let NSManagedObjectContextDidSaveObjectIDs = Notification.Name(
        "NSManagedObjectContextDidSaveObjectIDsNotification")
    /// A context has taken over what somebody else has saved; user info has the IDs.
    public static let NSManagedObjectContextDidMergeChangesObjectIDs = Notification.Name(
        "NSManagedObjectContextDidMergeChangesObjectIDsNotification")
    /// Objects of a context have changed; posted once for all changes of a turn.
    public static let NSManagedObjectContextObjectsDidChange = Notification.Name(
        "NSObjectsChangedInManagingContextNotification")
    /// Not posted: Core Data does so only for the stores of its former iCloud support.
    public static let NSPersistentStoreCoordinatorStoresWillChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresWillChangeNotification")
    /// Not posted, for the same reason.
    public static let NSPersistentStoreDidImportUbiquitousContentChanges = Notification.Name(
        "com.apple.coredata.ubiquity.importer.didfinishimport")
    /// A coordinator's stores have changed.
    public static let NSPersistentStoreCoordinatorStoresDidChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresDidChangeNotification")
}

extension NSManagedObjectContext {
    /// The keys of the notifications' user info.
    public enum NotificationKey: String, Sendable {
        case insertedObjects = "inserted"
        case updatedObjects = "updated"
        case deletedObjects = "deleted"
        case refreshedObjects = "refreshed"
        case invalidatedObjects = "invalidated"
        case invalidatedAllObjects = "invalidatedAll"
        case insertedObjectIDs = "inserted_objectIDs"
        case updatedObjectIDs = "updated_objectIDs"
        case deletedObjectIDs = "deleted_objectIDs"
        case refreshedObjectIDs = "refreshed_objectIDs"
        case invalidatedObjectIDs = "invalidated_objectIDs"
        /// The context. It is the notification's object, and not in the user info.
        case sourceContext = "managedObjectContext"
        /// In the user info of a save: the token that a pinned context reads from then on.
        case queryGeneration = "newQueryGeneration"
    }

    /// ``Foundation/NSNotification/Name/NSManagedObjectContextWillSave`` by its newer name.
    public static var willSaveObjectsNotification: Notification.Name { .NSManagedObjectContextWillSave }
    /// ``Foundation/NSNotification/Name/NSManagedObjectContextDidSave`` by its newer name.
    public static var didSaveObjectsNotification: Notification.Name { .NSManagedObjectContextDidSave }
    /// ``Foundation/NSNotification/Name/NSManagedObjectContextDidSaveObjectIDs`` by its newer name.
    public static var didSaveObjectIDsNotification: Notification.Name { .NSManagedObjectContextDidSaveObjectIDs }
    /// ``Foundation/NSNotification/Name/NSManagedObjectContextDidMergeChangesObjectIDs`` by its newer name.
    public static var didMergeChangesObjectIDsNotification: Notification.Name {
        .NSManagedObjectContextDidMergeChangesObjectIDs
    }
    /// ``Foundation/NSNotification/Name/NSManagedObjectContextObjectsDidChange`` by its newer name.
    public static var didChangeObjectsNotification: Notification.Name { .NSManagedObjectContextObjectsDidChange }
}
