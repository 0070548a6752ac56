// Who goes through a store batch by batch says which one comes next. Another thread reads it while the one before is worked on;
// objects are made of it on the context's queue, when they are asked for.
//
//     store       1  2  3  4
//     context        1  2  3  4

import Dispatch
import Foundation

/// Rows, and members of to-many relationships, that are read before a context asks for them.
final class RowsAhead: @unchecked Sendable {
    // Safe to share: what is read is touched by the queue's one block alone, and after that by the context.

    private let ids: [NSManagedObjectID]
    private let relationships: [NSRelationshipDescription]
    private let backend: any StoreBackend
    /// The state that is read.
    private let state: PinnedStores
    private let queue = DispatchQueue(label: "CoreData.RowsAhead")
    private var rows: Result<[StoreRow], any Error>?
    private var members: [ObjectIdentifier: Result<[[NSManagedObjectID]], any Error>] = [:]

    init(
        _ ids: [NSManagedObjectID], _ relationships: [NSRelationshipDescription], _ backend: any StoreBackend,
        _ state: PinnedStores
    ) {
        self.ids = ids
        self.relationships = relationships
        self.backend = backend
        self.state = state
        queue.async { [self] in read() }
    }

    private func read() {
        rows = Result { try backend.rows(withIDs: ids) }
        for relationship in relationships {
            members[ObjectIdentifier(relationship)] = Result { try backend.members(of: relationship, owners: ids) }
        }
    }

    /// Whether the rows of these IDs, in their order, are read here.
    func isOf(_ ids: [NSManagedObjectID], in state: PinnedStores) -> Bool {
        self.state === state && self.ids.count == ids.count && zip(self.ids, ids).allSatisfy { $0.key == $1.key }
    }

    /// The rows, once.
    func takeRows() throws -> [StoreRow]? {
        queue.sync {}
        defer { rows = nil }
        return try rows?.get()
    }

    /// The members of each row, once.
    func takeMembers(_ relationship: NSRelationshipDescription) throws -> [[NSManagedObjectID]]? {
        queue.sync {}
        return try members.removeValue(forKey: ObjectIdentifier(relationship))?.get()
    }
}

extension NSManagedObjectContext {
    /// Begins to read what will be asked for next: the objects with some IDs of one entity, and the members of some of their to-many
    /// relationships. Nothing happens where the context reads the latest state: that may be another one by then.
    package func readAhead(_ ids: [NSManagedObjectID], members names: [String]) {
        // A store that can't be read tells so when it is asked.
        guard let state = generation?.state, let entity = ids.first?.entity, let store = ids.first?.persistentStore,
            ids.allSatisfy({ $0.entity === entity }), let live = try? store.requiredBackend,
            let backend = try? state.backend(of: store), backend !== live
        else { return }
        let relationships = names.compactMap { entity.relationshipsByName[$0] }.filter(\.isToMany)
        // The members of the batch before may not have been asked for yet.
        rowsAhead = rowsAhead.suffix(1) + [RowsAhead(ids, relationships, backend, state)]
    }

    /// The rows with some IDs, in any order; the missing ones are left out.
    func rows(withIDs ids: [NSManagedObjectID]) throws -> [StoreRow] {
        try readAhead(of: ids)?.takeRows() ?? requiredSource.rows(withIDs: ids, for: self)
    }

    /// The members of a to-many relationship for each owner.
    func members(
        of relationship: NSRelationshipDescription, owners: [NSManagedObjectID]
    ) throws -> [[NSManagedObjectID]] {
        try readAhead(of: owners)?.takeMembers(relationship)
            ?? requiredSource.members(of: relationship, owners: owners, for: self)
    }

    private func readAhead(of ids: [NSManagedObjectID]) -> RowsAhead? {
        guard !rowsAhead.isEmpty, let state = generation?.state else { return nil }
        return rowsAhead.first { $0.isOf(ids, in: state) }
    }
}
