// A batch's rows become objects of a context. The steps hand values on:
//
//     reader       text -> rows of a snapshot, with their places
//     matcher      rows -> their objects, or none (Matching/ObjectMatcher.swift)
//     importer     makes and fills the objects where they differ, by the editor (Editing/ObjectEditor.swift)
//     tally        what became of each
//     deletions    objects that nobody has any more, at the very end
//
// Each part of the importer's own work is an extension:
//
//     +Settling     rows that say what the store has need no objects
//     +Unmapped     rows whose data doesn't tell their sub-entity
//     +Types        objects of another sub-entity than their data's
//     +Abandoned    rows that nothing is made of
//     +Filling      what is left gets new objects; values and relationships are set where they differ
//     +Connecting   relationships, by the policies that they have
//     +Unresolved   references to objects that aren't there, at the end
//     +Findings     what can't be taken of records

import CoreData
import Foundation

/// Imports batches of rows into a context.
final class BatchImporter {
    /// What became of a row.
    struct RowState: OptionSet {
        let rawValue: UInt8
        static let new = RowState(rawValue: 1)
        static let changed = RowState(rawValue: 2)
        /// An older version than the object's; it was left alone.
        static let skipped = RowState(rawValue: 4)
        /// An older version than the object's, or the same.
        static let outdated = RowState(rawValue: 8)
        /// It says what the store has; it has an object only where others need one.
        static let settled = RowState(rawValue: 16)
        /// It can't be taken, and that is noted.
        static let refused = RowState(rawValue: 32)
    }

    let context: NSManagedObjectContext
    let schema: GraphSchema
    let plans: [ImportPlan]
    let matcher: ObjectMatcher
    let editor: ObjectEditor
    /// Whether some references don't make objects, some objects may be found as others than their data says: each tested once a
    /// batch, so that other imports don't pay.
    let hasReferencePolicies: Bool
    let changesEntities: Bool
    /// The object that the first record fills, whatever its identity.
    var target: NSManagedObject?
    /// An object that somebody gave to be filled: it stays what it is.
    var given: NSManagedObject?
    /// The number of the text that is being imported.
    var sourceNumber = 0
    /// Whether the first batch is yet to show if rows do without objects.
    var triesRows = false
    /// Takes the batches as rows, where nobody needs objects.
    var newRows: NewRows?

    /// By entity and row of the current batch, as the matcher's objects.
    var states: [[RowState]] = []
    /// What the store has of the rows of the current batch that were looked up in it.
    var stored = StoredMatches()
    /// Whether rows may be settled, and what may change what they say of relationships.
    let settles: Bool
    var sides: RelationshipSides
    /// Whether each object that the data is about is asked for afterwards.
    var needsRoots = false
    /// The relationships of the current batch that were changed, before it is known whether they stay so.
    var relinked: [GraphSnapshot.Cell] = []
    /// Whether a version leaves objects of the current batch alone.
    var hasOutdated = false
    /// What can't be taken of records; nil where the first such thing ends the import.
    var findings: [RecordFinding]?
    /// Whether objects weren't made that the data has: what others refer to may be among them.
    var lacksObjects = false
    /// What the saves of a dry run's batches would have refused.
    var refused: [Refusal] = []
    /// Whether objects that were changed have again what they had.
    var hasRestored = false
    /// The rows of the current batch that references with the policy stub lead to. By entity; empty without policies.
    var wanted: [[Bool]] = []
    /// References to objects that weren't there.
    var pending = PendingReferences()
    /// Those of earlier imports whose owner isn't there either.
    var ownerless: [ImportReport.UnresolvedReference] = []
    /// Who has the members of relationships without inverse.
    var listOwners = ListOwners()
    let hasOneSidedLists: Bool
    var tally: ImportTally
    var deletions: ImportDeletions

    init(
        _ mapping: GraphMapping, context: NSManagedObjectContext, model: NSManagedObjectModel, options: ImportOptions,
        keepsObjects: Bool
    ) throws {
        self.context = context
        schema = mapping.schema
        matcher = try ObjectMatcher(
            mapping, context, model, options.unidentifiedObjects, keepsObjects: keepsObjects)
        matcher.keptIdentities = options.keptIdentities
        plans = matcher.plans
        editor = ObjectEditor(context, schema)
        hasReferencePolicies = plans.contains(where: \.hasReferencePolicies)
        changesEntities = plans.contains(where: \.mayFindOthers)
        hasOneSidedLists = plans.contains { !$0.oneSidedLists.isEmpty }
        settles = Self.canSettle(plans) && !editor.isRecording
        sides = RelationshipSides(schema)
        tally = ImportTally(entityCount: plans.count, keepsObjects: keepsObjects)
        deletions = ImportDeletions(matcher, ceiling: options.deletionCeiling)
        if hasOneSidedLists, context.hasChanges { listOwners.noteUnsaved(matcher.known) }
    }

    /// What the importer knows of the batches so far.
    struct State {
        fileprivate var memory: ObjectMatcher.Memory
        fileprivate var pending: PendingReferences
        fileprivate var tally: ImportTally.State
        fileprivate var deletions: ImportDeletions
        fileprivate var listOwners: ListOwners
        fileprivate var sides: RelationshipSides
    }

    /// What the importer knows of the batches so far; set, it forgets those since. Their changes have to be undone.
    var state: State {
        get {
            State(
                memory: matcher.memory, pending: pending, tally: tally.state, deletions: deletions,
                listOwners: listOwners, sides: sides)
        }
        set {
            (matcher.memory, pending) = (newValue.memory, newValue.pending)
            (tally.state, deletions, listOwners) = (newValue.tally, newValue.deletions, newValue.listOwners)
            sides = newValue.sides
        }
    }

    /// Remembers the new objects whose identity includes an owner, for the batches that follow.
    func enterRelated(_ snapshot: borrowing GraphSnapshot) {
        guard matcher.keepsObjects else { return }
        for row in snapshot.relatedRows where states[row.reference.entity][row.reference.row].contains(.new) {
            matcher.enterRelated(row.reference, snapshot)
        }
    }

    /// Takes over one batch.
    ///
    /// - Throws: ``GraftError``, located by the row's offset; the errors of fetches. Call ``ObjectEditor/undo()`` then.
    func importBatch(_ snapshot: borrowing GraphSnapshot) throws {
        if let newRows { return try newRows.take(snapshot) }
        begin(snapshot)
        if matcher.ended.count != deletions.ends.count { matcher.ended = Set(deletions.ends.keys) }
        if let target { try take(target, snapshot) }
        try matcher.findStored(&stored, snapshot)
        try makeStoredObjects(snapshot)
        var hanging = snapshot.relatedRows
        // What is said of an owner after its end is another one's, and so is what hangs on it.
        if !hanging.isEmpty { try endGone(snapshot) }
        try matcher.resolveRelatedIdentities(&hanging, snapshot)
        if let given { try refuseRelatedDouble(of: given, snapshot) }
        try settleFound(snapshot)
        try matcher.matchNestedObjects(of: matcher.knownRows(snapshot), snapshot)
        try matcher.matchNestedObjects(of: matcher.matchContents(snapshot), snapshot)
        // What hangs on objects that their contents tell.
        while case let found = try matcher.resolveHanging(&hanging, snapshot), !found.isEmpty {
            try settleFound(snapshot)
            try matcher.matchNestedObjects(of: found, snapshot)
        }
        for plan in plans where plan.version != nil { try noteOutdated(plan, snapshot) }
        wanted = hasReferencePolicies || hasOutdated || snapshot.hasOutdatedRows ? wantedRows(snapshot) : []
        try makeObjects(snapshot)
        try fillObjects(snapshot)
        enterRelated(snapshot)
        try noteRecords(snapshot)
        count(snapshot)
    }

    /// Notes which objects that others may own the data has by themselves.
    private func noteRecords(_ snapshot: borrowing GraphSnapshot) throws {
        for root in snapshot.roots {
            let row = snapshot.resolved(root)
            if schema.isOwned[row.entity], let object = object(row) { try deletions.references.noteRecord(object) }
        }
    }

    /// Lets the objects that have been found be what the data says that they are, or gone.
    func settleFound(_ snapshot: borrowing GraphSnapshot) throws {
        takeSuccessors(snapshot)
        try takeGone(snapshot)
        if changesEntities { try changeEntities(snapshot) }
    }

    /// Makes room for the objects of a batch.
    func begin(_ snapshot: borrowing GraphSnapshot) {
        matcher.begin(snapshot)
        stored = StoredMatches(snapshot)
        states = snapshot.tables.map { [RowState](repeating: [], count: $0.count) }
        // A batch that ended with an error has left some.
        relinked.removeAll(keepingCapacity: true)
        hasOutdated = false
    }

    /// Calls the closure with the objects that a batch is about, in its order.
    func forEachRoot(_ snapshot: borrowing GraphSnapshot, _ body: (NSManagedObject) throws -> Void) rethrows {
        for root in snapshot.roots {
            let row = snapshot.resolved(root)
            guard let object = object(row) else { continue }
            do {
                try body(object)
            } catch var error as GraftError where error.place.byteOffset == nil {
                error.place.byteOffset = snapshot.tables[row.entity].knownOffset(row.row)
                throw error
            }
        }
    }

    /// Where an object comes from.
    func origin(of object: NSManagedObject) -> (source: Int, offset: Int)? {
        guard let found = tally.touched.first(where: { $0.object === object }), found.offset >= 0 else { return nil }
        return (found.source, found.offset)
    }

    @inline(__always)
    func object(_ reference: RowReference) -> NSManagedObject? { matcher.object(reference) }

    @inline(__always)
    func number(of object: NSManagedObject) -> Int? { matcher.number(of: object) }

    /// Lets the rows of objects that the data says are gone stand for nothing.
    ///
    /// - Throws: ``GraftError`` for one whose identity lacks an owner.
    private func takeGone(_ snapshot: borrowing GraphSnapshot) throws {
        try endGone(snapshot)
        if deletions.ends.isEmpty { return }
        for entity in plans.indices {
            for row in 0..<snapshot.tables[entity].count where snapshot.tables[entity].flags[row].contains(.gone) {
                matcher.objects[entity][row] = nil
            }
        }
    }

    /// Notes the objects that the data says are gone. What it says of an object with that identity afterwards makes a new one.
    private func endGone(_ snapshot: borrowing GraphSnapshot) throws {
        for entity in plans.indices {
            for row in 0..<snapshot.tables[entity].count where snapshot.tables[entity].flags[row].contains(.gone) {
                if let error = missingOwners(row, plans[entity], snapshot) {
                    try refuse(RowReference(entity: entity, row: row), error)
                    continue
                }
                guard let object = matcher.objects[entity][row] else { continue }
                deletions.noteDoomed(object, at: (sourceNumber, snapshot.tables[entity].offsets[row]))
            }
        }
        if deletions.ends.isEmpty { return }
        for (entity, plan) in plans.enumerated() {
            for (row, object) in matcher.objects[entity].enumerated() {
                guard !snapshot.tables[entity].flags[row].contains(.gone), let object,
                    let end = deletions.ends[ObjectIdentifier(object)]
                else { continue }
                // Who has referred to it before has it until it goes.
                if (sourceNumber, snapshot.tables[entity].offsets[row]) >= end || !plan.isReference(row, snapshot) {
                    matcher.objects[entity][row] = nil
                }
            }
        }
    }

    /// What is wrong with a row whose identity lacks an owner.
    private func missingOwners(_ row: Int, _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot) -> GraftError? {
        let missing = snapshot.unsaidOwners(of: RowReference(entity: plan.number, row: row))
        if missing.isEmpty { return nil }
        return GraftError(
            .missingIdentity(attributes: missing.map { plan.properties[$0].name }),
            at: .init(byteOffset: snapshot.tables[plan.number].knownOffset(row), entity: plan.name))
    }

    // MARK: Ends

    /// Counts what became of the rows, and notes which objects the data mentions.
    func count(_ snapshot: borrowing GraphSnapshot) {
        tally.countLosses()
        for (entity, count) in snapshot.skippedCounts { tally.counts[entity].skipped += count }
        let made = snapshot.hasSiblings ? madeObjects() : []
        for (entity, plan) in plans.enumerated() {
            for row in 0..<snapshot.tables[entity].count {
                guard let object = matcher.objects[entity][row] else {
                    countSettled(entity, row, snapshot)
                    continue
                }
                let isReference = plan.isReference(row, snapshot)
                if deletions.needsMentions { deletions.noteMentioned(object, entity, isReference: isReference) }
                if snapshot.tables[entity].flags[row].contains(.dead) { continue }
                let state = states[entity][row]
                // Another sub-entity's row has made it, and counts.
                if !made.isEmpty, !state.contains(.new), made.contains(ObjectIdentifier(object)) { continue }
                tally.count(
                    .init(
                        object: object, isStub: isReference, isBare: plan.isBare(row, snapshot), source: sourceNumber,
                        offset: snapshot.tables[entity].offsets[row]),
                    state.contains(.new) && !pending.isWaiting ? entity : number(of: object) ?? entity, state)
            }
        }
    }

    /// The objects that the rows of the batch have made.
    private func madeObjects() -> Set<ObjectIdentifier> {
        var made: Set<ObjectIdentifier> = []
        for (objects, states) in zip(matcher.objects, states) {
            for (object, state) in zip(objects, states) where state.contains(.new) {
                if let object { made.insert(ObjectIdentifier(object)) }
            }
        }
        return made
    }

    /// Counts a row of which nobody needed the object.
    private func countSettled(_ entity: Int, _ row: Int, _ snapshot: borrowing GraphSnapshot) {
        let reference = RowReference(entity: entity, row: row)
        guard isSettled(reference), !plans[entity].isReference(row, snapshot) else { return }
        if let key = stored.key(of: reference) { tally.countKnown(key, entity, isChanged: false) }
    }

    /// Decides which objects go, with what they own, and counts them.
    ///
    /// - Throws: ``GraftError`` where they are more than the limit of an entity; nothing is deleted then.
    func decideDeletions(_ objects: [NSManagedObject] = [], isDryRun: Bool = false) throws -> [NSManagedObject] {
        try deletions.decide(objects, isDryRun: isDryRun, &tally.counts)
    }

    /// Deletes objects.
    ///
    /// - Throws: ``GraftError`` where others must refer to one of them.
    func delete(_ objects: [NSManagedObject]) throws {
        try matcher.known.takeOut(objects, editor)
        try editor.delete(objects)
    }

    /// Lets go of changes that have been taken back, so that nothing is saved of them.
    func forgetRestored() {
        if hasRestored { editor.forgetRestored() }
        hasRestored = false
    }

    /// Notes what the save of a dry run's batch would have put into the store.
    func noteTried() {
        for objects in matcher.objects {
            for case let object? in objects where matcher.isThere(object) { deletions.noteTried(object) }
        }
    }

    /// Forgets what belongs to a saved batch.
    func batchWasSaved(_ snapshot: borrowing GraphSnapshot) {
        let successors = Set(matcher.memory.successors.values.map(ObjectIdentifier.init))
        for (entity, plan) in plans.enumerated() {
            for (row, object) in matcher.objects[entity].enumerated() {
                guard let object else { continue }
                if successors.contains(ObjectIdentifier(object)) { matcher.wasSaved(object, entity, row, snapshot) }
                guard states[entity][row].contains(.new) else { continue }
                matcher.wasSaved(object, entity, row, snapshot)
                tally.wasSaved(object, isStub: plan.isReference(row, snapshot))
                if deletions.needsMentions { deletions.noteMentioned(object, entity, isReference: true) }
            }
        }
        tally.endBatch()
        sides.forget()
        stored = StoredMatches()
        pending.letGoOfOwners()
        listOwners.removeAll()
        matcher.objects.removeAll()
        matcher.memory.successors.removeAll()
        states.removeAll()
    }
}
