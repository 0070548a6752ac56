// What a save does to members of relationships, and which conflicts it settles: what StoredGraph can't read from notifications.

import CoreData

/// What a save is about to do to the tags and chapters of books.
struct MemberChanges {
    /// The chapters of a book that the save may change.
    struct Order {
        let book: NSManagedObject
        let isNew: Bool
        /// The order that the context knows the store to have.
        let before: [NSManagedObjectID]
    }

    private typealias Pair = (NSManagedObject, NSManagedObject)

    private var pairs: (added: [Pair], removed: [Pair]) = ([], [])
    private(set) var orders: [Order] = []

    init(of context: NSManagedObjectContext) {
        context.processPendingChanges()
        let changed = context.insertedObjects.union(context.updatedObjects)
        for book in changed where book.entity.relationshipsByName["tags"] != nil {
            let new = book.many("tags"),
                old = book.committedValues(forKeys: ["tags"])["tags"] as? Set<NSManagedObject> ?? []
            pairs.added += new.subtracting(old).map { (book, $0) }
            pairs.removed += old.subtracting(new).map { (book, $0) }
        }
        var books = changed.filter { $0.entity.relationshipsByName["chapters"] != nil }
        for chapter in changed.union(context.deletedObjects) where chapter.entity.relationshipsByName["book"] != nil {
            let old = chapter.committedValues(forKeys: ["book"])["book"] as? NSManagedObject
            books.formUnion([old, chapter.isDeleted ? nil : chapter.one("book")].compactMap { $0 })
        }
        orders = books.filter { !$0.isDeleted }.map { book in
            let before = book.committedValues(forKeys: ["chapters"])["chapters"] as? NSOrderedSet
            let objects = book.isInserted ? [] : before?.array.compactMap { $0 as? NSManagedObject } ?? []
            return Order(book: book, isNew: book.isInserted, before: objects.map(\.objectID))
        }
    }

    /// Books with the tags that they get or lose. After the save, when all have their final IDs.
    var added: Set<[NSManagedObjectID]> { Set(pairs.added.map { [$0.0.objectID, $0.1.objectID] }) }
    var removed: Set<[NSManagedObjectID]> { Set(pairs.removed.map { [$0.0.objectID, $0.1.objectID] }) }
}

/// A merge policy that notes the objects of the conflicts that it settles.
final class NotingMergePolicy: NSMergePolicy, @unchecked Sendable {
    // Safe: each context has a policy of its own, and all of them work on one thread.
    var settled: Set<NSManagedObject> = []

    override func resolve(mergeConflicts list: [Any]) throws {
        for conflict in list {
            if let conflict = conflict as? NSMergeConflict { settled.insert(conflict.sourceObject) }
            guard let conflict = conflict as? NSConstraintConflict else { continue }
            settled.formUnion(conflict.conflictingObjects)
            if let stored = conflict.databaseObject { settled.insert(stored) }
        }
        try super.resolve(mergeConflicts: list)
    }
}
