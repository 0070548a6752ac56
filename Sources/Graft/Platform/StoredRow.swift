// What a store has of an object: on Linux a row, of which an object is made only where somebody needs it. Apple's Core Data gives out
// objects alone, so there a row is the object.

import CoreData
import Foundation

#if canImport(Darwin) || GRAFT_PORTABLE
    typealias StoredRow = NSManagedObject

    extension NSManagedObject {
        /// Whether rows are there without their objects, so that looking at them saves anything.
        static let isWithoutObject = false

        /// The key of the ID at the other end of a to-one relationship.
        func destinationKey(_ number: Int, _ property: GraphSchema.Property) -> ObjectIDKey? {
            destinationID(number, property)?.lookupKey
        }
    }

    extension NSManagedObjectContext {
        /// The rows that match a request, as far as they aren't deleted here.
        func storedRows(_ request: NSFetchRequest<NSManagedObject>) throws -> [StoredRow] {
            try fetch(request).filter { !$0.isDeleted }
        }

        /// The rows with some IDs, of one entity and its sub-entities, in any order.
        func storedRows(_ ids: [NSManagedObjectID], _ entity: String) throws -> [StoredRow] {
            try readStored(ids, entity, prefetching: []).filter { !$0.isDeleted }
        }

        /// The objects of rows that have just been read.
        func objects(of rows: [StoredRow]) -> [NSManagedObject] { rows }

        /// Whether the context may know better what is in a row.
        func hasObject(of row: StoredRow) -> Bool { true }

        /// The members of a to-many relationship of some rows of one entity.
        func storedMembers(
            _ number: Int, _ property: GraphSchema.Property, of rows: [StoredRow]
        ) throws -> [[NSManagedObjectID]] {
            try readMemberIDs(number, property, of: rows)
            return rows.map { $0.memberIDs(number, property) }
        }
    }
#else
    typealias StoredRow = StoreRow

    extension StoreRow {
        /// Whether rows are there without their objects, so that looking at them saves anything.
        static let isWithoutObject = true

        var entity: NSEntityDescription { objectID.entity }

        /// The value of an attribute.
        func graphValue(_ number: Int, _ property: GraphSchema.Property) throws -> GraphValue {
            try GraphValue(values[number])
        }

        /// Whether an attribute has a value already.
        @inline(__always)
        func holds(_ wanted: GraphValue, _ number: Int, _ property: GraphSchema.Property) throws -> Bool {
            try values[number].holds(wanted)
        }

        /// The key of the ID at the other end of a to-one relationship.
        @inline(__always)
        func destinationKey(_ number: Int, _ property: GraphSchema.Property) -> ObjectIDKey? {
            if case .objectID(let id) = values[number] { id.lookupKey } else { nil }
        }
    }

    extension NSManagedObjectContext {
        /// The rows that match a request.
        func storedRows(_ request: NSFetchRequest<NSManagedObject>) throws -> [StoredRow] {
            try storedRows(matching: request)
        }

        /// The rows with some IDs, of one entity and its sub-entities, in any order.
        func storedRows(_ ids: [NSManagedObjectID], _ entity: String) throws -> [StoredRow] {
            try storedRows(with: ids)
        }

        /// Whether the context may know better what is in a row: it has the object already, or its parent hasn't read the row.
        func hasObject(of row: StoredRow) -> Bool { !row.isRead || registeredObject(for: row.objectID) != nil }

        /// The members of a to-many relationship of some rows of one entity.
        func storedMembers(
            _ number: Int, _ property: GraphSchema.Property, of rows: [StoredRow]
        ) throws -> [[NSManagedObjectID]] {
            try storedMembers(number, of: rows.map(\.objectID))
        }
    }
#endif
