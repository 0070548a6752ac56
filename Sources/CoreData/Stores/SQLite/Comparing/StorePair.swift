// Two stores of one model on one connection, so that SQLite can say which of their rows differ, and only those have to be read.
// What it says may be too much and is never too little: of two rows that aren't named, everything that was asked for is the same.

import Foundation
import GRDB

/// What is looked at in the rows of one entity.
package struct ComparedEntity {
    let name: String
    /// The slots of the attributes that tell its rows apart; empty where their numbers do.
    let identity: [Int]
    /// The largest number that tells rows apart.
    let lastRow: Int64
    /// The slots of the attributes and relationships that are compared; nil where the rows are only referred to.
    let slots: [Int]?

    package init(_ name: String, identity: [Int], lastRow: Int64, slots: [Int]?) {
        self.name = name
        self.identity = identity
        self.lastRow = lastRow
        self.slots = slots
    }
}

/// The rows of one entity that may differ, on both sides, in the order of what tells them apart.
package struct DifferingRows {
    /// Some of the rows of one side.
    package struct Side {
        let numbers: [Int64]
        let kind: ObjectKind

        /// The IDs of the rows from a place on.
        package func ids(from offset: Int, limit: Int) -> [NSManagedObjectID] {
            numbers.dropFirst(offset).prefix(limit).map { NSManagedObjectID(kind, number: $0) }
        }
    }

    package let old: Side
    package let new: Side
    /// How many rows there are on both sides that don't differ, and how many values they have in the attributes that are compared.
    package let sameCount: Int
    package let sameValueCount: Int
}

/// Two stores, each in one state.
package final class StorePair {
    private let old: SQLiteStoreBackend
    private let new: SQLiteStoreBackend
    private let database: ReadOnlyDatabase

    /// Pins both contexts to the latest states of their stores. Call it where both may be used.
    ///
    /// - Returns: Nil where one of them has another store than one SQLite file that keeps its states, or somebody was writing.
    package init?(_ old: NSManagedObjectContext, _ new: NSManagedObjectContext) throws {
        guard let (store, oldBackend) = try old.soleFile, let (otherStore, newBackend) = try new.soleFile else {
            return nil
        }
        (self.old, self.new) = (oldBackend, newBackend)
        let paths = [oldBackend.errors.path, newBackend.errors.path]
        let states = paths.map(DatabaseFilesState.init)
        guard try old.pin(store), try new.pin(otherStore) else { return nil }
        do {
            database = try ReadOnlyDatabase(
                path: paths[0], options: SQLiteStoreOptions(store.options ?? [:]), isPinned: true, other: paths[1])
        } catch is DatabaseError {
            return nil
        }
        // What was written between the three is in some of them alone.
        if paths.map(DatabaseFilesState.init) != states { return nil }
    }

    /// The rows that may differ, by entity.
    ///
    /// - Parameters:
    ///   - entities: Those whose rows can be told apart; rows of others differ.
    ///   - step: Is called now and then; its errors end the search.
    /// - Returns: Nil where the files are laid out differently, where rows can't be told apart after all, and where SQLite gives
    ///   up: then whoever reads the rows finds out why.
    package func differingRows(
        _ entities: [ComparedEntity], step: @escaping () throws -> Void
    ) throws -> [String: DifferingRows]? {
        guard let outline = ComparedTables(entities, old), outline == ComparedTables(entities, new) else { return nil }
        do {
            return try database.read { db in
                var search = RowSearch(db, outline, step)
                guard try search.run() else { return nil }
                return try Dictionary(
                    uniqueKeysWithValues: outline.entities.filter(\.isCompared).map { entity in
                        let rows = try search.rows(of: entity)
                        return (
                            entity.name,
                            DifferingRows(
                                old: try side(rows.old, entity.name, old), new: try side(rows.new, entity.name, new),
                                sameCount: rows.sameCount, sameValueCount: rows.sameValueCount)
                        )
                    })
            }
        } catch  where error is DatabaseError || error is CocoaError {
            return nil
        }
    }

    private func side(
        _ numbers: [Int64], _ name: String, _ backend: SQLiteStoreBackend
    ) throws -> DifferingRows.Side {
        guard let entity = backend.schema.entity(named: name) else {
            fatalError("The rows of '\(name)' were compared, and the store has no such entity.")
        }
        return .init(numbers: numbers, kind: ObjectKind(entity.description, backend.space(of: entity)))
    }
}

extension NSManagedObjectContext {
    /// The one store that the context reads, if that is a SQLite file.
    fileprivate var soleFile: (NSPersistentStore, SQLiteStoreBackend)? {
        get throws {
            guard parent == nil, let stores = persistentStoreCoordinator?.persistentStores, stores.count == 1,
                let backend = try stores[0].requiredBackend as? SQLiteStoreBackend, backend.fileDatabase != nil
            else { return nil }
            return (stores[0], backend)
        }
    }

    /// Goes on reading the state that the store has now, if it can keep that.
    fileprivate func pin(_ store: NSPersistentStore) throws -> Bool {
        try setQueryGenerationFrom(.current)
        return try readBackend(of: store) !== store.requiredBackend
    }
}
