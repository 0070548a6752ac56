// What a store has of an object: on Linux a row, of which an object is made only where somebody needs it. Apple's Core Data gives out
// objects alone, so there a row is the object.

import CoreData
import Foundation

/// What records tell of an object: of a managed one, or of a row of a store.
protocol RecordedObject {
    var objectID: NSManagedObjectID { get }

    /// The value of an attribute.
    func graphValue(_ number: Int, _ property: GraphSchema.Property) throws -> GraphValue

    /// The value of an attribute; of a transformable one the bytes that a store keeps.
    func archivedValue(_ number: Int, _ property: GraphSchema.Property) throws -> GraphValue

    /// The ID of the object at the other end of a to-one relationship.
    func destinationID(_ number: Int, _ property: GraphSchema.Property) -> NSManagedObjectID?

    /// The IDs of the members of a to-many relationship, those of an unordered one in a defined order.
    func memberIDs(_ number: Int, _ property: GraphSchema.Property) -> [NSManagedObjectID]

    /// Whether an attribute has a value that isn't in the store yet.
    func hasUnsavedValue(_ attribute: String) -> Bool
}

extension NSManagedObject: RecordedObject {
    func hasUnsavedValue(_ attribute: String) -> Bool {
        isInserted || changedValues()[attribute.prefix { $0 != "." }.description] != nil
    }
}

#if canImport(Darwin) || GRAFT_PORTABLE
    typealias StoredRow = NSManagedObject
    typealias StoredObject = NSManagedObject

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
        func objects(of rows: [StoredRow]) throws -> [NSManagedObject] { rows }

        /// Whether the context may know better what is in a row.
        func hasObject(of row: StoredRow) -> Bool { true }

        /// The members of a to-many relationship of some rows of one entity.
        func storedMembers(
            _ number: Int, _ property: GraphSchema.Property, of rows: [StoredRow]
        ) throws -> [[NSManagedObjectID]] {
            try readMemberIDs(number, property, of: rows)
            return rows.map { $0.memberIDs(number, property) }
        }

        /// Rows with the members of some lists.
        func storedObjects(
            _ rows: [StoredRow], _ lists: [Int], _ properties: [GraphSchema.Property]
        ) throws -> [StoredObject] {
            for number in lists { try readMemberIDs(number, properties[number], of: rows) }
            return rows
        }
    }
#else
    typealias StoredRow = StoreRow

    extension StoreRow {
        /// Whether rows are there without their objects, so that looking at them saves anything.
        static let isWithoutObject = true

        /// The value of an attribute.
        func graphValue(_ number: Int, _ property: GraphSchema.Property) throws -> GraphValue {
            try GraphValue(values[number], property.attributeKind)
        }

        /// Whether an attribute has a value already.
        @inline(__always)
        func holds(_ wanted: GraphValue, _ number: Int, _ property: GraphSchema.Property) throws -> Bool {
            try values[number].holds(wanted, property.attributeKind)
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
        func hasObject(of row: StoredRow) -> Bool { !row.isRead || object(ofRow: row.objectID) != nil }

        /// The members of a to-many relationship of some rows of one entity.
        func storedMembers(
            _ number: Int, _ property: GraphSchema.Property, of rows: [StoredRow]
        ) throws -> [[NSManagedObjectID]] {
            try storedMembers(number, of: rows.map(\.objectID))
        }

        /// Rows with the members of some lists.
        func storedObjects(
            _ rows: [StoredRow], _ lists: [Int], _ properties: [GraphSchema.Property]
        ) throws -> [StoredObject] {
            var members = [[[NSManagedObjectID]]](repeating: [], count: properties.count)
            for number in lists { members[number] = try storedMembers(number, properties[number], of: rows) }
            return rows.enumerated().map { StoredObject(row: $1, members: members, index: $0) }
        }
    }

    /// A row with the members of its lists.
    struct StoredObject: RecordedObject, ExportedObject {
        fileprivate let row: StoredRow
        /// By property and row.
        fileprivate let members: [[[NSManagedObjectID]]]
        fileprivate let index: Int

        var objectID: NSManagedObjectID { row.objectID }

        func graphValue(_ number: Int, _ property: GraphSchema.Property) throws -> GraphValue {
            try row.graphValue(number, property)
        }

        func isNull(_ number: Int, _ property: GraphSchema.Property) throws -> Bool {
            property.isAttribute
                ? try row.holds(.null, number, property) : destinationID(number, property) == nil
        }

        func archivedValue(_ number: Int, _ property: GraphSchema.Property) throws -> GraphValue {
            try row.values[number].archivedValue
        }

        func destinationID(_ number: Int, _ property: GraphSchema.Property) -> NSManagedObjectID? {
            if case .objectID(let id) = row.values[number] { id } else { nil }
        }

        func memberIDs(_ number: Int, _ property: GraphSchema.Property) -> [NSManagedObjectID] {
            members[number][index]
        }

        func hasUnsavedValue(_ attribute: String) -> Bool { false }
    }
#endif
