// A store backend that counts the questions it is asked, in front of a real one.

import Foundation

@testable import CoreData

final class CountingBackend: StoreBackend {
    private let backend: any StoreBackend
    private(set) var questions: [String] = []

    init(_ backend: any StoreBackend) { self.backend = backend }

    /// Begins anew.
    func forget() { questions = [] }

    var metadata: [String: Any] {
        get { backend.metadata }
        set { backend.metadata = newValue }
    }

    func rows(matching query: StoreQuery) throws -> [StoreRow] {
        questions.append("fetch \(query.entity.name ?? "")")
        return try backend.rows(matching: query)
    }

    func objectIDs(matching query: StoreQuery) throws -> [NSManagedObjectID] { try backend.objectIDs(matching: query) }

    func count(matching query: StoreQuery) throws -> Int { try backend.count(matching: query) }

    func dictionaries(matching query: StoreQuery, selection: StoreSelection) throws -> [[String: Any]] {
        try backend.dictionaries(matching: query, selection: selection)
    }

    func rows(withIDs ids: [NSManagedObjectID], slots: [Int]?) throws -> [StoreRow] {
        questions.append("rows of \(ids.count)")
        return try backend.rows(withIDs: ids, slots: slots)
    }

    func members(
        of relationship: NSRelationshipDescription, owners: [NSManagedObjectID]
    ) throws -> [[NSManagedObjectID]] {
        questions.append("\(relationship.name) of \(owners.count)")
        return try backend.members(of: relationship, owners: owners)
    }

    func objectID(for entity: NSEntityDescription, primaryKey: Int64) -> NSManagedObjectID {
        backend.objectID(for: entity, primaryKey: primaryKey)
    }

    func permanentIDs(for entity: NSEntityDescription, count: Int) throws -> [NSManagedObjectID] {
        try backend.permanentIDs(for: entity, count: count)
    }

    func execute(_ batch: StoreBatch) throws -> StoreBatchOutcome { try backend.execute(batch) }

    func save(_ changes: StoreChanges) throws -> Int64? {
        questions.append(
            "save \(changes.inserted.count) \(changes.updated.count) \(changes.deleted.count)")
        return try backend.save(changes)
    }
}

extension Library {
    /// Puts a counter in front of the library's store.
    func counting() throws -> CountingBackend {
        let store = coordinator.persistentStores[0]
        let counting = CountingBackend(try store.requiredBackend)
        store.backend = counting
        return counting
    }
}
