// Reading for many objects at once what would otherwise be asked for one by one.

import CoreData
import Foundation

#if canImport(Darwin) || GRAFT_PORTABLE
    /// What IDs are looked up by.
    typealias ObjectIDKey = NSManagedObjectID

    extension NSManagedObjectID {
        var lookupKey: ObjectIDKey { self }
    }
#else
    /// What IDs are looked up by: a value, without the counting of references.
    typealias ObjectIDKey = RowKey

    extension NSManagedObjectID {
        var lookupKey: ObjectIDKey { key }
    }
#endif

extension NSManagedObjectContext {
    #if canImport(Darwin) || GRAFT_PORTABLE
        /// Runs work on objects of which a damaged store may have to read more; there, a fault that can't be read raises.
        package func withFaultsAsErrors<T>(_ work: () throws -> T) throws -> T { try work() }

        /// What couldn't be read in such work: nothing, as it would have raised.
        var unreadableFault: (any Error)? { nil }

        /// Reads the members of a to-many relationship of objects of one entity, so that asking each of them costs no more.
        func readMemberIDs(_ number: Int, _ property: GraphSchema.Property, of owners: [NSManagedObject]) throws {
            let unread = owners.filter { $0.hasFault(forRelationshipNamed: property.name) }
            guard let name = unread.first?.entity.name else { return }
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.predicate = NSPredicate(format: "self IN %@", unread)
            request.relationshipKeyPathsForPrefetching = [property.name]
            _ = try fetch(request)
        }

        /// Begins to read what will be asked for next. Core Data has no such thing.
        func readAhead(_ ids: [NSManagedObjectID], members names: [String]) {}

        /// The objects with some IDs, in their order, with their attributes; those that are gone are faults.
        func read(_ ids: [NSManagedObjectID]) throws -> [NSManagedObject] {
            let groups = Dictionary(grouping: ids) { $0.entity.name ?? "" }
            for (name, ids) in groups.sorted(by: { $0.key < $1.key }) {
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                request.predicate = NSPredicate(format: "self IN %@", ids)
                request.returnsObjectsAsFaults = false
                _ = try fetch(request)
            }
            return ids.map(object(with:))
        }

        /// The objects with some IDs, of one entity and its sub-entities, that the store has, in any order.
        ///
        /// - Parameter relationships: Those to be read for all at once.
        func readStored(
            _ ids: [NSManagedObjectID], _ entity: String, prefetching relationships: [String]
        ) throws -> [NSManagedObject] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: "self IN %@", ids)
            request.relationshipKeyPathsForPrefetching = relationships
            return try fetch(request)
        }

        /// The values that the store has of some attributes of the objects with some IDs, of one entity, in any order.
        func readValues(
            _ numbers: [Int], _ entity: GraphSchema.Entity, of ids: [NSManagedObjectID]
        ) throws -> [(id: NSManagedObjectID, values: [GraphValue])] {
            try readStored(ids, entity.name, prefetching: []).map { object in
                (object.objectID, try numbers.map { try object.graphValue($0, entity.properties[$0]) })
            }
        }
    #else
        /// Runs work on objects of which a damaged store may have to read more: what can't be read is the work's error.
        package func withFaultsAsErrors<T>(_ work: () throws -> T) throws -> T {
            do {
                return try collectingFaultFailures(work)
            } catch {
                // What an encoder says is its own.
                guard (error as NSError).domain == NSCocoaErrorDomain, !(error is EncodingError) else { throw error }
                throw CoreDataErrors.graftError(error)
            }
        }

        /// What couldn't be read in such work so far.
        var unreadableFault: (any Error)? { firstFaultFailure }

        /// Reads which members a to-many relationship of objects of one entity has, so that asking each of them costs no more.
        func readMemberIDs(_ number: Int, _ property: GraphSchema.Property, of owners: [NSManagedObject]) throws {
            try readMemberIDs(of: owners, slot: number)
        }

        /// The objects with some IDs, in their order, with their attributes; those that are gone are faults.
        func read(_ ids: [NSManagedObjectID]) throws -> [NSManagedObject] { try objects(with: ids) }

        /// The objects with some IDs, of one entity and its sub-entities, that the store has, in any order.
        ///
        /// - Parameter relationships: Those to be read for all at once.
        func readStored(
            _ ids: [NSManagedObjectID], _ entity: String, prefetching relationships: [String]
        ) throws -> [NSManagedObject] {
            try storedObjects(with: ids, prefetching: relationships)
        }

        /// The values that the store has of some attributes of the objects with some IDs, of one entity, in any order.
        func readValues(
            _ numbers: [Int], _ entity: GraphSchema.Entity, of ids: [NSManagedObjectID]
        ) throws -> [(id: NSManagedObjectID, values: [GraphValue])] {
            let attributes = numbers.map { ($0, kind: entity.properties[$0].attributeKind) }
            return try storedRows(with: ids, slots: numbers).map { row in
                (row.objectID, try attributes.map { try GraphValue(row.values[$0], $1) })
            }
        }
    #endif
}

extension NSManagedObject {
    /// Runs work that reads an object: what its store can't read is the work's error. See the context's.
    func withFaultsAsErrors<T>(_ work: () throws -> T) throws -> T {
        guard let context = managedObjectContext else { return try work() }
        return try context.withFaultsAsErrors(work)
    }
}
