// Where a context reads from and saves to: the stores of a coordinator (Stores/NSPersistentStoreCoordinator+Source.swift) or
// its parent context (NSManagedObjectContext+Answering.swift, +Receiving.swift). A context never asks which of the two it is;
// what differs is said here.

import Foundation

/// What a context asks of the place that its objects come from, in rows and IDs.
protocol ObjectSource: AnyObject {
    /// The coordinator at the root; nil for a parent that has none yet.
    var rootCoordinator: NSPersistentStoreCoordinator? { get }

    /// Whether what is saved here is in a store then: IDs become permanent, versions count. A parent keeps it for its own
    /// next save.
    var isPermanent: Bool { get }

    /// The rows that match, a list for each store, in the order asked for. A row may be one that hasn't been read.
    ///
    /// - Parameters:
    ///   - stores: The stores to look in.
    ///   - context: Who asks.
    func rows(
        matching query: StoreQuery, in stores: [NSPersistentStore], for context: NSManagedObjectContext
    ) throws -> [[StoreRow]]

    /// Like ``rows(matching:in:for:)``, the IDs alone.
    func objectIDs(
        matching query: StoreQuery, in stores: [NSPersistentStore], for context: NSManagedObjectContext
    ) throws -> [[NSManagedObjectID]]

    /// The number of rows that match, for each store.
    func counts(
        matching query: StoreQuery, in stores: [NSPersistentStore], for context: NSManagedObjectContext
    ) throws -> [Int]

    /// What the stores have, without anybody's unsaved changes.
    func dictionaries(
        matching query: StoreQuery, selection: StoreSelection, in stores: [NSPersistentStore],
        for context: NSManagedObjectContext
    ) throws -> [[String: Any]]

    /// The rows with these IDs, in any order; the missing ones are left out.
    ///
    /// - Parameter slots: The slots whose values are wanted, of IDs of one entity; nil for all.
    func rows(
        withIDs ids: [NSManagedObjectID], slots: [Int]?, for context: NSManagedObjectContext
    ) throws -> [StoreRow]

    /// The members of a to-many relationship for each owner, parallel to `owners`.
    func members(
        of relationship: NSRelationshipDescription, owners: [NSManagedObjectID], for context: NSManagedObjectContext
    ) throws -> [[NSManagedObjectID]]

    /// Permanent IDs for new objects, parallel to theirs.
    func permanentIDs(
        for objects: [NSManagedObject], assigned stores: [RowKey: NSPersistentStore],
        for context: NSManagedObjectContext
    ) throws -> [NSManagedObjectID]

    /// Takes over the changes of a save, all or none of a store.
    ///
    /// - Parameter partly: Called before an error is thrown, with the stores that were written before the one that refused.
    /// - Returns: The place behind the save in the histories that its stores keep; nil where none does.
    /// - Throws: ``StoreConflict``, ``StoreUniquenessConflict``, or the store's error; then nothing has changed in that store.
    func save(
        _ changes: StoreChanges, for context: NSManagedObjectContext, partly: ([NSPersistentStore]) -> Void
    ) throws -> NSPersistentHistoryToken?

    /// Hears of a save without changes.
    func saveNothing(for context: NSManagedObjectContext) throws
}

extension ObjectSource {
    func saveNothing(for context: NSManagedObjectContext) throws {}

    func rows(withIDs ids: [NSManagedObjectID], for context: NSManagedObjectContext) throws -> [StoreRow] {
        try rows(withIDs: ids, slots: nil, for: context)
    }
}
