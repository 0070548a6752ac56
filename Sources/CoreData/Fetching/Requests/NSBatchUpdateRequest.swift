// Rows changed without objects.

public import Foundation

/// What a batch update tells.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// Whether it succeeded.
    case statusOnlyResultType = 0
    /// The IDs of the rows.
    case updatedObjectIDsResultType = 1
    /// The number of rows.
    case updatedObjectsCountResultType = 2
}

/// Changes attributes of rows in the store, past all contexts. Follows Core Data's `NSBatchUpdateRequest`.
///
/// Nothing is validated. The rows' versions go up, so that a context which has read them before gets a conflict when it saves
/// changes of its own.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    /// The entity's name.
    open private(set) var entityName: String
    private let knownEntity: NSEntityDescription?
    /// Which rows; nil for all.
    open var predicate: NSPredicate?
    /// Whether rows of sub-entities are changed too.
    open var includesSubentities = true
    /// What attributes become: by name or property description, a constant or an `NSExpression` of the row's properties,
    /// all of which it sees as they were before.
    open var propertiesToUpdate: [AnyHashable: Any]?
    /// What the result shall tell.
    open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType

    private init(entityName: String, entity: NSEntityDescription?) {
        self.entityName = entityName
        knownEntity = entity
        super.init()
    }

    /// Changes rows of the entity of that name in the model of the context that executes the request.
    public convenience init(entityName: String) { self.init(entityName: entityName, entity: nil) }

    /// Changes rows of an entity.
    public convenience init(entity: NSEntityDescription) { self.init(entityName: entity.name ?? "", entity: entity) }

    /// The entity.
    ///
    /// A request made by name finds it in the models that coordinators have loaded, and stops where none has it.
    open var entity: NSEntityDescription {
        if let knownEntity { return knownEntity }
        if let found = ManagedObjectClasses.entity(named: entityName) { return found }
        fatalError("No loaded model has an entity '\(entityName)'. Load the model with a coordinator first.")
    }

    open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSBatchUpdateRequest(entityName: entityName, entity: knownEntity)
        copy.predicate = predicate
        copy.includesSubentities = includesSubentities
        copy.propertiesToUpdate = propertiesToUpdate
        copy.resultType = resultType
        copy.affectedStores = affectedStores
        return copy
    }
}

/// What a batch update has done.
open class NSBatchUpdateResult: NSPersistentStoreResult {
    /// `Bool`, `[NSManagedObjectID]` or `Int`, as the request's result type says.
    open private(set) var result: Any?
    /// What the result is.
    open private(set) var resultType: NSBatchUpdateRequestResultType

    /// The result of a request that nobody has made, for classes that say themselves what it is.
    public override init() {
        resultType = .statusOnlyResultType
        super.init()
    }

    init(_ outcome: StoreBatchOutcome, _ type: NSBatchUpdateRequestResultType) {
        resultType = type
        switch type {
        case .statusOnlyResultType: result = NSNumber(value: outcome.isDone)
        case .updatedObjectIDsResultType: result = outcome.ids
        case .updatedObjectsCountResultType: result = outcome.count
        }
    }
}
