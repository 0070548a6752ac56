// New rows without objects.

public import Foundation

/// What a batch insertion tells.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// Whether it succeeded.
    case statusOnly = 0
    /// The IDs of the rows.
    case objectIDs = 1
    /// The number of rows.
    case count = 2
}

/// Inserts rows in the store, past all contexts. Follows Core Data's `NSBatchInsertRequest`.
///
/// Rows get the model's defaults for what isn't given. What is mandatory must be there; nothing else is validated, and
/// relationships can't be set. Where a row is unique and there is one with the same values, the context's merge policy
/// decides: the error policy fails the request, `mergeByPropertyObjectTrump` writes the given values into the row that is
/// there, `overwrite` all of them, the others leave it alone.
///
/// Handlers run inside the store's transaction: they make values and don't use contexts.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    /// The entity's name.
    open private(set) var entityName: String
    /// The entity; nil where the request was made by name.
    open private(set) var entity: NSEntityDescription?
    /// The rows, values by the names of attributes; nil where a handler makes them.
    open var objectsToInsert: [[String: Any]]?
    /// Fills the next row's dictionary, or returns true if there is none.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
    /// Fills the next row's object, which belongs to no context, or returns true if there is none.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)?
    /// What the result shall tell.
    open var resultType = NSBatchInsertRequestResultType.statusOnly

    private init(entityName: String, entity: NSEntityDescription?) {
        self.entityName = entityName
        self.entity = entity
        super.init()
    }

    /// Rows of the entity of that name in the model of the context that executes the request.
    public convenience init(entityName: String, objects dictionaries: [[String: Any]]) {
        self.init(entityName: entityName, entity: nil)
        objectsToInsert = dictionaries
    }

    /// Rows of an entity.
    public convenience init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        self.init(entityName: entity.name ?? "", entity: entity)
        objectsToInsert = dictionaries
    }

    /// Rows from dictionaries that a closure fills, one at a time, until it returns true.
    public convenience init(entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        self.init(entityName: entityName, entity: nil)
        dictionaryHandler = handler
    }

    /// Rows from dictionaries that a closure fills, one at a time, until it returns true.
    public convenience init(
        entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
    ) {
        self.init(entityName: entity.name ?? "", entity: entity)
        dictionaryHandler = handler
    }

    /// Rows from objects that a closure fills, one at a time, until it returns true.
    public convenience init(entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        self.init(entityName: entityName, entity: nil)
        managedObjectHandler = handler
    }

    /// Rows from objects that a closure fills, one at a time, until it returns true.
    public convenience init(
        entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
    ) {
        self.init(entityName: entity.name ?? "", entity: entity)
        managedObjectHandler = handler
    }

    open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSBatchInsertRequest(entityName: entityName, entity: entity)
        copy.objectsToInsert = objectsToInsert
        copy.dictionaryHandler = dictionaryHandler
        copy.managedObjectHandler = managedObjectHandler
        copy.resultType = resultType
        copy.affectedStores = affectedStores
        return copy
    }
}

/// What a batch insertion has done.
open class NSBatchInsertResult: NSPersistentStoreResult {
    /// `Bool`, `[NSManagedObjectID]` or `Int`, as the request's result type says.
    open private(set) var result: Any?
    /// What the result is.
    open private(set) var resultType: NSBatchInsertRequestResultType

    /// The result of a request that nobody has made, for classes that say themselves what it is.
    public override init() {
        resultType = .statusOnly
        super.init()
    }

    init(_ outcome: StoreBatchOutcome, _ type: NSBatchInsertRequestResultType) {
        resultType = type
        switch type {
        case .statusOnly: result = NSNumber(value: outcome.isDone)
        case .objectIDs: result = outcome.ids
        case .count: result = outcome.count
        }
    }
}
