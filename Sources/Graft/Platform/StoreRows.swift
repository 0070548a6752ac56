// The numbers of rows in a SQLite store: which one an object has, which ones were given out, and wishes for new ones. Apple's Core
// Data tells the first alone; what it doesn't tell follows from the rows that are there.

package import CoreData
import Foundation

extension NSManagedObject {
    /// The number of the object's row; nil for one that isn't saved yet, and for stores without such numbers.
    var rowNumber: Int64? { objectID.row }
}

extension NSManagedObjectID {
    /// The number of the row; nil for an object that isn't saved yet, and for stores without such numbers.
    var row: Int64? {
        #if canImport(Darwin) || GRAFT_PORTABLE
            isTemporaryID ? nil : Int64(uriRepresentation().lastPathComponent.dropFirst())
        #else
            rowNumber
        #endif
    }
}

#if canImport(Darwin) || GRAFT_PORTABLE
    extension NSManagedObjectID {
        /// Whether both are of one entity and store.
        func isOfKind(of other: NSManagedObjectID) -> Bool {
            entity === other.entity && persistentStore === other.persistentStore
        }

        /// Which entity it is.
        var entityIdentifier: ObjectIdentifier { ObjectIdentifier(entity) }
    }
#endif

extension NSManagedObjectContext {
    /// The one SQLite store whose objects the context has; nil where there are other stores.
    var soleStore: NSPersistentStore? {
        var context = self
        while let parent = context.parent { context = parent }
        guard let stores = context.persistentStoreCoordinator?.persistentStores, stores.count == 1,
            stores[0].type == NSSQLiteStoreType
        else { return nil }
        return stores[0]
    }

    /// Whose rows the context's objects are; nil where a number doesn't tell one from another.
    package func lineage() throws -> GraphSnapshot.Lineage? {
        guard let store = soleStore, let identifier = store.identifier, UUID(uuidString: identifier) != nil else {
            return nil
        }
        #if canImport(Darwin) || GRAFT_PORTABLE
            let rows = try largestRows()
        #else
            guard let rows = try store.largestRowNumbers() else { return nil }
        #endif
        return GraphSnapshot.Lineage(store: identifier, rows: rows, metadata: store.metadata)
    }

    #if canImport(Darwin) || GRAFT_PORTABLE
        private func largestRows() throws -> [String: Int64] {
            var rows: [String: Int64] = [:]
            for entity in graftModel?.entities ?? [] where entity.superentity == nil {
                let name = entity.name ?? ""
                rows[name] =
                    try rowIDs(of: name, includingSubentities: true, offset: 0, limit: .max)
                    .compactMap { Int64($0.uriRepresentation().lastPathComponent.dropFirst()) }.max() ?? 0
            }
            return rows
        }
    #endif

    /// The IDs of an entity's objects in the order of their rows, some at a time.
    func rowIDs(
        of entity: String, includingSubentities: Bool = false, includingPendingChanges: Bool = true, offset: Int,
        limit: Int
    ) throws -> [NSManagedObjectID] {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: entity)
        request.resultType = .managedObjectIDResultType
        request.includesSubentities = includingSubentities
        request.includesPendingChanges = includingPendingChanges
        #if canImport(Darwin) || GRAFT_PORTABLE
            // No order is promised without one, and rows are none to sort by.
            let all = try fetch(request).map { id in
                (Int64(id.uriRepresentation().lastPathComponent.dropFirst()) ?? 0, id)
            }
            return all.sorted { $0.0 < $1.0 }.dropFirst(offset).prefix(limit).map(\.1)
        #else
            request.fetchOffset = offset
            if limit < .max { request.fetchLimit = limit }
            return try fetch(request)
        #endif
    }

    /// Wishes for the number that the row of a new object shall get. Apple's Core Data gives out its own.
    func wish(forRow number: Int64, of object: NSManagedObject) {
        #if !canImport(Darwin) && !GRAFT_PORTABLE
            want(row: number, for: object)
        #endif
    }

    /// Lets an empty store that has taken a copy's rows be that copy: of the same lineage, with the same numbers to come.
    func adopt(_ lineage: GraphSnapshot.Lineage) throws {
        #if !canImport(Darwin) && !GRAFT_PORTABLE
            guard let store = soleStore, lineage.store != store.identifier else { return }
            try store.adopt(
                identifier: lineage.store, largestRowNumbers: lineage.rows,
                entries: GraphSnapshot.Lineage.metadata(of: lineage.parting(at: [:])))
        #endif
    }

    /// Notes that the store's rows beyond some numbers are no copy's any more: a diff of others is inserted, which have these numbers
    /// elsewhere. It is saved with the objects.
    ///
    /// - Parameters:
    ///   - limits: Up to which row the diff knows the store's, by the name of the topmost entity.
    ///   - mixed: Those of which it has rows of several copies.
    func part(at limits: [String: Int64], mixed: Set<String>) throws {
        guard let store = soleStore, let lineage = try lineage() else { return }
        #if canImport(Darwin) || GRAFT_PORTABLE
            let passed = limits
        #else
            // Where there is no other row beyond it, the new ones get the numbers that they have elsewhere.
            let passed = limits.filter { lineage.rows[$0.key] ?? 0 > $0.value || mixed.contains($0.key) }
        #endif
        if passed.isEmpty { return }
        let entries = GraphSnapshot.Lineage.metadata(of: lineage.parting(at: passed))
        store.metadata = store.metadata.merging(entries) { $1 }
    }
}
