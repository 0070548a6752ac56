// The contents of a fetch request without its generic parameter: contexts, coordinators and stores read these.

package import Foundation

/// What a fetch request asks for, whatever its result type is.
package final class FetchRequestState {
    package var entity: NSEntityDescription?
    /// As given to `init(entityName:)`; a context finds the entity when it executes the request.
    package var name: String?
    package var predicate: NSPredicate?
    package var sortDescriptors: [NSSortDescriptor]?
    package var fetchLimit = 0
    package var fetchOffset = 0
    package var fetchBatchSize = 0
    package var resultType: NSFetchRequestResultType = .managedObjectResultType
    package var includesSubentities = true
    package var includesPropertyValues = true
    package var includesPendingChanges = true
    /// Whether it counts what isn't saved: dictionaries show the store alone.
    package var showsPendingChanges: Bool { includesPendingChanges && resultType != .dictionaryResultType }
    package var returnsObjectsAsFaults = true
    package var returnsDistinctResults = false
    package var shouldRefreshRefetchedObjects = false
    package var relationshipKeyPathsForPrefetching: [String]?
    package var propertiesToFetch: [Any]?
    package var propertiesToGroupBy: [Any]?
    package var havingPredicate: NSPredicate?
    /// Whether it is a class's own `fetchRequest()`: one for objects of that class that is shown as one of any results.
    var isOfClass = false

    package init() {}

    package convenience init(copying other: FetchRequestState) {
        self.init()
        take(other)
    }

    /// Asks for what another one asks for.
    func take(_ other: FetchRequestState) {
        entity = other.entity
        isOfClass = other.isOfClass
        name = other.name
        predicate = other.predicate
        sortDescriptors = other.sortDescriptors
        fetchLimit = other.fetchLimit
        fetchOffset = other.fetchOffset
        fetchBatchSize = other.fetchBatchSize
        resultType = other.resultType
        includesSubentities = other.includesSubentities
        includesPropertyValues = other.includesPropertyValues
        includesPendingChanges = other.includesPendingChanges
        returnsObjectsAsFaults = other.returnsObjectsAsFaults
        returnsDistinctResults = other.returnsDistinctResults
        shouldRefreshRefetchedObjects = other.shouldRefreshRefetchedObjects
        relationshipKeyPathsForPrefetching = other.relationshipKeyPathsForPrefetching
        propertiesToFetch = other.propertiesToFetch
        propertiesToGroupBy = other.propertiesToGroupBy
        havingPredicate = other.havingPredicate
    }

    /// Whether another request asks for the same.
    func isEqual(to other: FetchRequestState) -> Bool {
        entityName == other.entityName && Self.areEqual(sortDescriptors, other.sortDescriptors)
            && Self.areEqual(predicate, other.predicate) && Self.areEqual(havingPredicate, other.havingPredicate)
            && fetchLimit == other.fetchLimit && fetchOffset == other.fetchOffset
            && fetchBatchSize == other.fetchBatchSize && resultType == other.resultType
            && flags == other.flags
            && relationshipKeyPathsForPrefetching == other.relationshipKeyPathsForPrefetching
            && Self.areEqual(propertiesToFetch, other.propertiesToFetch)
            && Self.areEqual(propertiesToGroupBy, other.propertiesToGroupBy)
    }

    /// By what they say: compounds of Foundation's are all equal by themselves.
    private static func areEqual(_ a: NSPredicate?, _ b: NSPredicate?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return PredicateStructure.areEqual(a, b)
    }

    /// By what they say: those that Foundation makes of Swift key paths are equal to none by themselves.
    private static func areEqual(_ a: [NSSortDescriptor]?, _ b: [NSSortDescriptor]?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return a.count == b.count
            && zip(a, b).allSatisfy { a, b in
                a == b
                    || a.key != nil && a.key == b.key && a.ascending == b.ascending && a.selector == b.selector
                        && a.selector != nil
            }
    }

    private var flags: [Bool] {
        [
            includesSubentities, includesPropertyValues, includesPendingChanges, returnsObjectsAsFaults,
            returnsDistinctResults, shouldRefreshRefetchedObjects,
        ]
    }

    /// Names and descriptions of properties.
    private static func areEqual(_ a: [Any]?, _ b: [Any]?) -> Bool {
        a.map { NSArray(array: $0) } == b.map { NSArray(array: $0) }
    }

    /// The entity's name, whether or not the entity has been found yet.
    package var entityName: String? { entity?.name ?? name }
}
