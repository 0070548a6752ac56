// A batch's rows become objects of a context: find or make each object, then fill it. Each step is an extension:
//
//     +Resolving    rows with an identity find their objects, with one fetch per identity space
//     +Related      the same for identities that include a relationship
//     +Types        objects of another sub-entity than their data's
//     +Matching     rows without one find theirs among their owner's members, or by their contents
//     +Filling      what is left gets new objects; values and relationships are set where they differ
//     +Connecting   relationships, by the policies that they have
//     +Unresolved   references to objects that aren't there, at the end
//     +Deleting     objects that nobody has any more, at the very end
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
        /// An older version than the object's; it was left alone.
        static let skipped = RowState(rawValue: 4)
    }

    /// What an object has been counted as.
    enum CountedState: UInt8 { case inserted = 1, updated, unchanged }

    /// An object that was made or changed, with where it comes from.
    struct TouchedObject {
        var object: NSManagedObject
        /// Whether only its identity was set.
        var isStub: Bool
        var source: Int
        var offset: Int
    }

    /// An object that an owner gave up, with the relationship by which it had it.
    struct GivenUp {
        var object: NSManagedObject
        /// The number of the relationship back to the owner, where the object is to go because the relationship says so;
        /// nil where it goes because nobody could find it again.
        var inverse: Int?
        var isReplaced = false
    }

    let context: NSManagedObjectContext
    let mapping: GraphMapping
    let schema: GraphSchema
    let plans: [ImportPlan]
    let unidentifiedObjects: ImportOptions.UnidentifiedObjects
    /// Whether all batches end up in one save (or none), so that objects of earlier ones are still unsaved.
    let keepsObjects: Bool
    let editor: ObjectEditor
    var makers: [ObjectMaker]
    let numbers: [ObjectIdentifier: Int]
    /// Whether some references don't make objects, some objects may be deleted, some may change their entity: each tested
    /// once a batch, so that other imports don't pay.
    let hasReferencePolicies: Bool
    let deletes: Bool
    let changesEntities: Bool
    /// The object that the first record fills, whatever its identity.
    var target: NSManagedObject?

    /// By entity and row of the current batch.
    var objects: [[NSManagedObject?]] = []
    var states: [[RowState]] = []

    /// The rows of the current batch that references with the policy stub lead to. By entity; empty without policies.
    var wanted: [[Bool]] = []
    /// The unsaved objects whose identity includes relationships; only where objects are kept.
    var relatedObjects: [RelatedObjectKey: NSManagedObject] = [:]
    /// References to objects that weren't there.
    var pending: [PendingReference] = []
    /// The objects that the data mentions, as far as it matters.
    var mentioned: Set<ObjectIDKey> = []
    /// By entity: whether the data had an object of it, not only references.
    var hasData: [Bool]
    /// Whether everything that was to be imported has been: otherwise nothing is deleted because it isn't mentioned.
    var isInputComplete = true
    /// Objects to delete in any case: the data says that they are gone, or a new one of another entity has taken their place.
    var doomed: [NSManagedObject] = []
    /// The unsaved objects of each identity space; only where objects are kept.
    var unsaved: [HashIndex<NSManagedObject>]
    /// Whether the store had no object of an entity, sub-entities included, when the import first asked. By entity.
    var wasEmpty: [Bool?]
    /// The hashes of the identities that this import has made, where there were none before; where objects are kept,
    /// `unsaved` tells. By identity space.
    var made: [Set<UInt64>]
    /// How many fetches by identity there have been, and what is stored where they became too many. By identity space.
    var identityFetches: [Int]
    var stored: [StoredIdentities?]
    /// Stored objects without identity that already stand for a row, or were made for one. Grows with their number.
    var taken: Set<ObjectIDKey> = []
    /// The objects that this import made as stubs and that are still no more than that, up to a limit.
    var stubs: Set<ObjectIDKey> = []
    /// Objects that their owners gave up.
    var orphans: [GivenUp] = []
    /// By entity.
    var counts: [ImportReport.Counts]
    /// By entity: how many objects the store had when some were first to be deleted.
    var storedCounts: [Int: Int] = [:]
    /// What a dry run would delete beyond the limits.
    var exceededLimits: [ExceededDeletionLimit] = []
    /// What each object has been counted as in the batches before, so that it counts once; and in this one.
    var counted = ObjectMarks()
    var countedNow: [ObjectIDKey: CountedState] = [:]
    /// How many fetches there have been.
    var fetchCount = 0
    /// The number of the text that is being imported.
    var sourceNumber = 0
    /// What was made or changed, in order; where batches are saved, only that of the current one.
    var touched: [TouchedObject] = []

    init(
        _ mapping: GraphMapping, context: NSManagedObjectContext, entities: [String: NSEntityDescription],
        options: ImportOptions, keepsObjects: Bool
    ) throws {
        let schema = mapping.schema
        self.mapping = mapping
        self.schema = schema
        self.context = context
        self.keepsObjects = keepsObjects
        unidentifiedObjects = options.unidentifiedObjects
        plans = schema.entities.indices.map { ImportPlan($0, in: mapping) }
        hasReferencePolicies = plans.contains(where: \.hasReferencePolicies)
        deletes = plans.contains(where: \.deletes)
        changesEntities = plans.contains { $0.entityChangePolicy != .keep }
        hasData = schema.entities.map { _ in false }
        let descriptions = try schema.entities.map { entity in
            guard let description = entities[entity.name] else {
                throw GraftError(.unknownEntity(entity.name, closest: nil))
            }
            return description
        }
        makers = descriptions.map { ObjectMaker($0, in: context) }
        numbers = Dictionary(descriptions.enumerated().map { (ObjectIdentifier($1), $0) }) { first, _ in first }
        unsaved = schema.entities.map { _ in HashIndex() }
        wasEmpty = schema.entities.map { _ in nil }
        made = schema.entities.map { _ in [] }
        identityFetches = schema.entities.map { _ in 0 }
        stored = schema.entities.map { _ in nil }
        counts = schema.entities.map { _ in ImportReport.Counts() }
        editor = ObjectEditor(context, schema)
        if keepsObjects { indexUnsavedObjects() }
    }

    /// What the importer knows of the batches so far.
    struct State {
        fileprivate var wasEmpty: [Bool?]
        fileprivate var made: [Set<UInt64>]
        fileprivate var taken: Set<ObjectIDKey>
        fileprivate var stubs: Set<ObjectIDKey>
        fileprivate var orphans: [GivenUp]
        fileprivate var pending: [PendingReference]
        fileprivate var mentioned: Set<ObjectIDKey>
        fileprivate var hasData: [Bool]
        fileprivate var doomed: [NSManagedObject]
        fileprivate var relatedObjects: [RelatedObjectKey: NSManagedObject]
        fileprivate var counts: [ImportReport.Counts]
        fileprivate var touched: [TouchedObject]
    }

    /// What the importer knows of the batches so far; set, it forgets those since. Their changes have to be undone.
    var state: State {
        get {
            State(
                wasEmpty: wasEmpty, made: made, taken: taken, stubs: stubs, orphans: orphans, pending: pending,
                mentioned: mentioned, hasData: hasData, doomed: doomed, relatedObjects: relatedObjects,
                counts: counts, touched: touched)
        }
        set {
            wasEmpty = newValue.wasEmpty
            made = newValue.made
            taken = newValue.taken
            stubs = newValue.stubs
            orphans = newValue.orphans
            pending = newValue.pending
            mentioned = newValue.mentioned
            hasData = newValue.hasData
            doomed = newValue.doomed
            relatedObjects = newValue.relatedObjects
            counts = newValue.counts
            touched = newValue.touched
        }
    }

    /// Takes over one batch.
    ///
    /// - Throws: ``GraftError``, located by the row's offset; the errors of fetches. Call ``ObjectEditor/undo()`` then.
    func importBatch(_ snapshot: borrowing GraphSnapshot) throws {
        prepare(snapshot)
        if let target { try take(target, snapshot) }
        try resolveIdentities(snapshot)
        if !snapshot.relatedRows.isEmpty { try resolveRelatedIdentities(snapshot) }
        takeGone(snapshot)
        if changesEntities { try changeEntities(snapshot) }
        try matchNestedObjects(of: knownRows(snapshot), snapshot)
        try matchNestedObjects(of: matchContents(snapshot), snapshot)
        wanted = hasReferencePolicies ? wantedRows(snapshot) : []
        try makeObjects(snapshot)
        try fillObjects(snapshot)
        if keepsObjects, !snapshot.relatedRows.isEmpty { try enterRelatedObjects(snapshot) }
        count(snapshot)
        if deletes { noteMentioned(snapshot) }
    }

    /// Makes room for the objects of a batch.
    func prepare(_ snapshot: borrowing GraphSnapshot) {
        objects = snapshot.tables.map { [NSManagedObject?](repeating: nil, count: $0.count) }
        states = snapshot.tables.map { [RowState](repeating: [], count: $0.count) }
        // What is left of a batch that had to be taken back.
        if !keepsObjects { countedNow.removeAll(keepingCapacity: true) }
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
                if let hash = snapshot.identityHash(entity: entity, row: row, columns: plan.identityColumns) {
                    stored[plan.space]?.insert(object.objectID, hash: hash)
                }
                if !isIdentified(entity, row, snapshot) { taken.insert(object.objectID.lookupKey) }
                if isReference(plan, row, snapshot), stubs.count < 1_000_000 {
                    stubs.insert(object.objectID.lookupKey)
                }
                if deletes { mentioned.insert(object.objectID.lookupKey) }
            }
        }
        noteCounted()
        for index in pending.indices { pending[index].letGoOfOwner() }
        objects.removeAll()
        states.removeAll()
        touched.removeAll(keepingCapacity: true)
    }

    /// Keeps what this batch's objects have been counted as. Saving has given new ones another ID.
    private func noteCounted() {
        for (entity, list) in objects.enumerated() {
            for (row, object) in list.enumerated() where states[entity][row].contains(.new) {
                if let object { counted[object.objectID.lookupKey] = CountedState.inserted.rawValue }
            }
        }
        for (key, state) in countedNow { counted[key] = state.rawValue }
        countedNow.removeAll(keepingCapacity: true)
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
        if columns.isEmpty { return hasRelatedIdentity(plans[entity], row, snapshot) }
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
}
