// A batch's rows become objects of a context: find or make each object, then fill it. Each step is an extension:
//
//     +Resolving    rows with an identity find their objects, with one fetch per identity space
//     +Matching     rows without one find theirs among their owner's members, or by their contents
//     +Filling      what is left gets new objects; values and relationships are set where they differ
//
// What has to agree between them: `objects` and `states` are parallel to the snapshot's tables, and a row whose object is
// nil after the first two steps is new.

import CoreData
import Foundation

/// Imports batches of rows into a context.
final class BatchImporter {
    struct RowState: OptionSet {
        let rawValue: UInt8
        static let new = RowState(rawValue: 1)
        static let changed = RowState(rawValue: 2)
    }

    /// An object that was made or changed, with where it comes from.
    struct TouchedObject {
        var object: NSManagedObject
        /// Whether only its identity was set.
        var isStub: Bool
        var source: Int
        var offset: Int
    }

    let context: NSManagedObjectContext
    let schema: GraphSchema
    let plans: [ImportPlan]
    let unidentifiedObjects: ImportOptions.UnidentifiedObjects
    /// Whether all batches end up in one save (or none), so that objects of earlier ones are still unsaved.
    let keepsObjects: Bool
    let undo: ImportUndo
    var makers: [ObjectMaker]
    private let numbers: [ObjectIdentifier: Int]

    /// By entity and row of the current batch.
    var objects: [[NSManagedObject?]] = []
    var states: [[RowState]] = []

    /// The unsaved objects of each identity space; only where objects are kept.
    var unsaved: [ObjectIndex]
    /// Whether the store had no object of an entity, sub-entities included, when the import first asked. By entity.
    var wasEmpty: [Bool?]
    /// The hashes of the identities that this import has made, where there were none before; where objects are kept,
    /// `unsaved` tells. By identity space.
    var made: [Set<UInt64>]
    /// Stored objects without identity that already stand for a row, or were made for one. Grows with their number.
    var taken: Set<NSManagedObjectID> = []
    /// The objects that this import made as stubs and that are still no more than that, up to a limit.
    var stubs: Set<NSManagedObjectID> = []
    /// Objects without identity that their owners gave up.
    var orphans: [NSManagedObject] = []
    /// By entity.
    var counts: [ImportReport.Counts]
    /// How many fetches there have been.
    private(set) var fetchCount = 0
    /// The number of the text that is being imported.
    var sourceNumber = 0
    /// What was made or changed, in order; where batches are saved, only that of the current one.
    var touched: [TouchedObject] = []

    init(
        _ schema: GraphSchema, context: NSManagedObjectContext, entities: [String: NSEntityDescription],
        options: ImportOptions, keepsObjects: Bool
    ) throws {
        self.schema = schema
        self.context = context
        self.keepsObjects = keepsObjects
        unidentifiedObjects = options.unidentifiedObjects
        plans = schema.entities.indices.map { ImportPlan($0, in: schema) }
        let descriptions = try schema.entities.map { entity in
            guard let description = entities[entity.name] else {
                throw GraftError(.unknownEntity(entity.name, closest: nil))
            }
            return description
        }
        makers = descriptions.map { ObjectMaker($0, in: context) }
        numbers = Dictionary(descriptions.enumerated().map { (ObjectIdentifier($1), $0) }) { first, _ in first }
        unsaved = schema.entities.map { _ in ObjectIndex() }
        wasEmpty = schema.entities.map { _ in nil }
        made = schema.entities.map { _ in [] }
        counts = schema.entities.map { _ in ImportReport.Counts() }
        undo = ImportUndo(context)
        if keepsObjects { indexUnsavedObjects() }
    }

    /// What the importer knows of the batches so far.
    struct Progress {
        fileprivate var wasEmpty: [Bool?]
        fileprivate var made: [Set<UInt64>]
        fileprivate var taken: Set<NSManagedObjectID>
        fileprivate var stubs: Set<NSManagedObjectID>
        fileprivate var orphans: [NSManagedObject]
        fileprivate var counts: [ImportReport.Counts]
        fileprivate var touched: [TouchedObject]
    }

    /// What the importer knows of the batches so far; set, it forgets those since. Their changes have to be undone.
    var progress: Progress {
        get {
            Progress(
                wasEmpty: wasEmpty, made: made, taken: taken, stubs: stubs, orphans: orphans, counts: counts,
                touched: touched)
        }
        set {
            wasEmpty = newValue.wasEmpty
            made = newValue.made
            taken = newValue.taken
            stubs = newValue.stubs
            orphans = newValue.orphans
            counts = newValue.counts
            touched = newValue.touched
        }
    }

    /// Takes over one batch.
    ///
    /// - Throws: ``GraftError``, located by the row's offset; the errors of fetches. Call ``ImportUndo/undo()`` then.
    func importBatch(_ snapshot: borrowing GraphSnapshot) throws {
        prepare(snapshot)
        try resolveIdentities(snapshot)
        try matchNestedObjects(of: knownRows(snapshot), snapshot)
        try matchNestedObjects(of: matchContents(snapshot), snapshot)
        try makeObjects(snapshot)
        try fillObjects(snapshot)
        count(snapshot)
    }

    /// Makes room for the objects of a batch.
    func prepare(_ snapshot: borrowing GraphSnapshot) {
        objects = snapshot.tables.map { [NSManagedObject?](repeating: nil, count: $0.count) }
        states = snapshot.tables.map { [RowState](repeating: [], count: $0.count) }
    }

    /// Deletes the objects without identity that nobody owns any more. The last step, because it isn't undone.
    func deleteOrphans() {
        for object in countOrphans() { context.delete(object) }
        orphans.removeAll()
    }

    /// Counts the objects that ``deleteOrphans()`` would delete, and returns them.
    @discardableResult
    func countOrphans() -> [NSManagedObject] {
        var seen: Set<ObjectIdentifier> = []
        return orphans.filter { object in
            guard !object.isDeleted, object.managedObjectContext != nil, let number = number(of: object),
                seen.insert(ObjectIdentifier(object)).inserted, isOrphaned(object, plans[number])
            else { return false }
            counts[number].deleted += 1
            return true
        }
    }

    /// Calls the closure with the objects that a batch is about, in its order.
    func forEachRoot(_ snapshot: borrowing GraphSnapshot, _ body: (NSManagedObject) -> Void) {
        for root in snapshot.roots { if let object = object(snapshot.resolved(root)) { body(object) } }
    }

    /// Where an object comes from.
    func origin(of object: NSManagedObject) -> (source: Int, offset: Int)? {
        guard let found = touched.first(where: { $0.object === object }), found.offset >= 0 else { return nil }
        return (found.source, found.offset)
    }

    /// Forgets what belongs to a saved batch.
    func batchWasSaved(_ snapshot: borrowing GraphSnapshot) {
        for (entity, plan) in plans.enumerated() {
            for (row, object) in objects[entity].enumerated() {
                guard let object, states[entity][row].contains(.new) else { continue }
                if !isIdentified(entity, row, snapshot), wasEmpty[entity] == false { taken.insert(object.objectID) }
                if isReference(plan, row, snapshot), stubs.count < 1_000_000 { stubs.insert(object.objectID) }
            }
        }
        objects.removeAll()
        states.removeAll()
        touched.removeAll(keepingCapacity: true)
    }

    /// Fetches objects.
    func fetch(_ request: NSFetchRequest<NSManagedObject>) throws -> [NSManagedObject] {
        fetchCount += 1
        return try context.fetch(request)
    }

    /// The number of an object's entity; nil for one of another model.
    @inline(__always)
    func number(of object: NSManagedObject) -> Int? { numbers[ObjectIdentifier(object.entity)] }

    @inline(__always)
    func object(_ reference: RowReference) -> NSManagedObject? { objects[reference.entity][reference.row] }

    /// Whether a row has a complete identity.
    func isIdentified(_ entity: Int, _ row: Int, _ snapshot: borrowing GraphSnapshot) -> Bool {
        let columns = plans[entity].identityColumns
        if columns.isEmpty { return false }
        for column in columns where snapshot.tables[entity].value(column, row: row).isNull { return false }
        return true
    }

    /// Whether a row says nothing of its object but which it is.
    func isReference(_ plan: ImportPlan, _ row: Int, _ snapshot: borrowing GraphSnapshot) -> Bool {
        if plan.identity.isEmpty || snapshot.tables[plan.number].flags[row].contains(.root) { return false }
        let words = snapshot.tables[plan.number].wordCount
        for word in 0..<words
        where snapshot.tables[plan.number].presence[row * words + word] != plan.identityPresence[word] { return false }
        return true
    }

    /// Whether no relationship that owns objects of this kind leads to an object.
    private func isOrphaned(_ object: NSManagedObject, _ plan: ImportPlan) -> Bool {
        for number in plan.relationships {
            let property = plan.properties[number]
            guard let destination = property.destination, let inverse = property.inverse,
                schema.entities[destination].properties[inverse].isOwning
            else { continue }
            if property.isToMany
                ? !object.members(number, property).isEmpty : object.destination(number, property) != nil
            {
                return false
            }
        }
        return true
    }
}
