// One row that a transaction of a store's history has changed.

public import Foundation

/// What has happened to an object.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    /// It is new.
    case insert = 0
    /// Its values are others.
    case update = 1
    /// It is gone.
    case delete = 2
}

/// One object that a transaction has changed. Follows Core Data's `NSPersistentHistoryChange`.
open class NSPersistentHistoryChange: NSObject, NSCopying {
    /// Its number in the store.
    open private(set) var changeID: Int64
    /// The object.
    open private(set) var changedObjectID: NSManagedObjectID
    /// What has happened to it.
    open private(set) var changeType: NSPersistentHistoryChangeType
    /// The values of a deleted object's attributes that are preserved after deletion, by name, as `value(forKey:)` gives them;
    /// nil where there are none.
    ///
    /// - Note: Divergence 13: nil where another program deleted the object, or the store was opened without
    ///   `NSPersistentHistoryTrackingKey` then.
    open private(set) var tombstone: [AnyHashable: Any]?
    /// The properties that an update has changed; nil for an insertion or deletion.
    ///
    /// - Note: Divergence 13: nil where another program changed the object, or the store was opened without
    ///   `NSPersistentHistoryTrackingKey` then.
    open private(set) var updatedProperties: Set<NSPropertyDescription>?
    /// The transaction, without its changes.
    open private(set) var transaction: NSPersistentHistoryTransaction?

    init(_ change: StoreHistoryChange, of transaction: NSPersistentHistoryTransaction) {
        self.transaction = transaction
        changeID = change.number
        changedObjectID = change.objectID
        changeType = change.kind
        tombstone = change.tombstone
        updatedProperties = change.updatedProperties
        super.init()
    }

    /// Returns the change itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Choosing changes

    /// An entity with the keys that a predicate on changes can use.
    open class var entityDescription: NSEntityDescription? { HistoryEntity.change.description }

    /// ``entityDescription``, whatever the context.
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }

    /// A request for changes, to be given a predicate, an order and a limit.
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { HistoryEntity.change.request }
}

extension NSPersistentHistoryChange: KeyValueReadable {
    func readableValue(forKey key: String) -> Any? {
        switch key {
        case "changeID": NSNumber(value: changeID)
        case "changeType": NSNumber(value: changeType.rawValue)
        case "changedEntity": changedObjectID.entity.name
        case "changedObjectID": changedObjectID
        default: nil
        }
    }
}
