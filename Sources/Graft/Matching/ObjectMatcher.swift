// Which object is which: the rows of a snapshot find their objects in a context. Import and dictionaries ask here.
//
//     +Identities   rows with an identity, with one fetch per identity space
//     +Stored       the same by a list of all stored identities, where a store without an index would read itself over and over
//     +Related      the same for identities that include a relationship
//     +Circles      and for those that lead round by it
//     +Owners       and for those whose owner only its contents tell, where it stands below them
//     +Contents     rows without one: by their contents, where they stand for themselves
//     +Members      and among the members of the object that they are nested in
//
// `objects` is parallel to the snapshot's tables. A row that has none in the end is new.

import CoreData

/// Finds the objects of rows.
final class ObjectMatcher {
    /// What is known of the batches so far.
    struct Memory {
        /// The hashes of the identities that were made, where there were none before; where objects are kept, `unsaved` tells.
        /// By identity space; nil where they have become too many.
        var made: [Set<UInt64>?]
        /// Objects without identity that already stand for a row, or were made for one, and those that hang on such an owner. Grows with
        /// their number.
        var taken: Set<ObjectIDKey> = []
        /// The entities of which rows without identity are new although the store has objects that they may mean: those of entities
        /// without identity, or with one that new objects have by default.
        var doubtful: Set<Int> = []
        /// Stored objects that share their identity with another one, which the data went to. By entity.
        var passedOver: [Int: Set<ObjectIDKey>] = [:]
        /// The unsaved objects whose identity includes relationships; only where objects are kept.
        var relatedObjects: [RelatedObjectKey: NSManagedObject] = [:]
        /// The objects that have taken the place of others, which are there until the end. By the old ones.
        var successors: [ObjectIdentifier: NSManagedObject] = [:]
    }

    // Decoding keeps this with the context, which mustn't own itself.
    unowned let context: NSManagedObjectContext
    let mapping: GraphMapping
    let schema: GraphSchema
    let plans: [ImportPlan]
    let known: ContextObjects
    let unidentifiedObjects: ImportOptions.UnidentifiedObjects
    /// Whether all batches end up in one save (or none), so that objects of earlier ones are still unsaved.
    let keepsObjects: Bool

    /// By entity and row of the current batch.
    var objects: [[NSManagedObject?]] = []
    var memory: Memory
    /// The unsaved objects of each identity space; only where objects are kept.
    var unsaved: [HashIndex<NSManagedObject>]
    /// Those of them that the data has said are gone, in an earlier batch: what has their identity now is another object.
    var ended: Set<ObjectIdentifier> = []
    /// The objects of each entity that were unsaved before the first batch, and have no identity of their own; only where objects are kept.
    var unsavedContents: [[NSManagedObject]]
    /// The same by the value of an attribute, as far as they were looked for by it.
    var unsavedByValue: [Column: [ExactValue: [NSManagedObject]]] = [:]

    /// An attribute of an entity; none for all objects together.
    struct Column: Hashable {
        var entity: Int
        var property: Int?
    }

    /// How many fetches by identity there have been, and what is stored where they became too many. By identity space.
    var identityFetches: [Int]
    /// How many batches there will be, as far as that is known.
    var expectedBatches = 0
    /// The identity spaces of which the table is asked, because there is no room for what it has.
    var asksTable: Set<Int> = []
    /// How many identities of stored objects are kept in memory.
    var keptIdentities = StoredIdentities.limit
    var stored: [StoredIdentities?]

    init(
        _ mapping: GraphMapping, _ context: NSManagedObjectContext, _ model: NSManagedObjectModel,
        _ unidentifiedObjects: ImportOptions.UnidentifiedObjects, keepsObjects: Bool
    ) throws {
        let schema = mapping.schema
        self.context = context
        self.mapping = mapping
        self.schema = schema
        self.keepsObjects = keepsObjects
        self.unidentifiedObjects = unidentifiedObjects
        plans = schema.entities.indices.map { ImportPlan($0, in: mapping) }
        known = try ContextObjects(context, schema, model)
        memory = Memory(made: schema.entities.map { _ in [] })
        unsaved = schema.entities.map { _ in HashIndex() }
        unsavedContents = schema.entities.map { _ in [] }
        identityFetches = schema.entities.map { _ in 0 }
        stored = schema.entities.map { _ in nil }
        guard keepsObjects else { return }
        for object in known.pendingObjects {
            guard let number = number(of: object) else { continue }
            enter(object, plans[number])
            if !plans[number].relatedIdentity.isEmpty { enterRelated(object, plans[number]) }
            if try !hasKey(object) { unsavedContents[number].append(object) }
        }
    }

    /// Makes room for the objects of a batch.
    func begin(_ snapshot: borrowing GraphSnapshot) {
        objects = snapshot.tables.map { [NSManagedObject?](repeating: nil, count: $0.count) }
    }

    /// Forgets what the store didn't have: somebody else has written since.
    func storeHasChanged() {
        known.forgetEmpty()
        stored = stored.map { _ in nil }
        identityFetches = identityFetches.map { _ in 0 }
        // Others may go on writing, and what is read be in vain again.
        expectedBatches = 0
    }

    /// The number of an object's entity; nil for one of another model.
    @inline(__always)
    func number(of object: NSManagedObject) -> Int? { known.number(of: object) }

    /// How many of the properties of a row's entity an object has: not all where it was found as one of another entity.
    func propertyCount(of object: NSManagedObject, _ plan: ImportPlan) -> Int {
        guard let entity = number(of: object), entity != plan.number else { return plan.properties.count }
        return schema.commonPropertyCount(entity, plan.number)
    }

    @inline(__always)
    func object(_ reference: RowReference) -> NSManagedObject? { objects[reference.entity][reference.row] }

    /// The object of a row; nil for one that doesn't have a property of the row, because it was found as one of another entity.
    func object(_ reference: RowReference, having property: Int) -> NSManagedObject? {
        object(reference).flatMap { property < propertyCount(of: $0, plans[reference.entity]) ? $0 : nil }
    }

    /// Whether an object that is remembered hasn't been deleted since.
    func isThere(_ object: NSManagedObject) -> Bool { !object.isDeleted && object.managedObjectContext != nil }

    /// Whether a row has a complete identity.
    func isIdentified(_ entity: Int, _ row: Int, _ snapshot: borrowing GraphSnapshot) -> Bool {
        let columns = plans[entity].identityColumns
        if columns.isEmpty { return hasRelatedIdentity(plans[entity], row, snapshot) }
        for column in columns where snapshot.tables[entity].value(column, row: row).isNull { return false }
        return true
    }

    /// Whether an object has a complete identity of its own.
    func hasIdentity(_ object: NSManagedObject) throws -> Bool {
        guard let number = number(of: object) else { return false }
        return try object.isIdentified(by: schema.entities[number])
    }

    /// Whether data may have given an object the attributes that identify it, alone or with its owner. What has a part of them as the
    /// model's default may come of data without.
    func hasKey(_ object: NSManagedObject) throws -> Bool {
        guard let number = number(of: object) else { return false }
        let (attributes, properties) = (schema.entities[number].identityAttributes, plans[number].properties)
        return try !attributes.isEmpty && attributes.allSatisfy { try !object.holds(.null, $0, properties[$0]) }
            && known.identityDefaults(number).allSatisfy { try !object.holds($1, $0, properties[$0]) }
    }

    /// Notes a stored object with the identity of a row that has another object already.
    func notePassedOver(_ id: NSManagedObjectID, _ entity: Int, _ other: NSManagedObjectID) {
        // What the import has made isn't in the store beside it: it takes the place of what is.
        guard other != id, !other.isTemporaryID else { return }
        memory.passedOver[entity, default: []].insert(id.lookupKey)
    }

    /// Enters an unsaved object under its identity.
    func enter(_ object: NSManagedObject, _ plan: ImportPlan) {
        guard !plan.identity.isEmpty else { return }
        var hash = IdentityHash()
        for number in plan.identity {
            // An identity that can't be read isn't one.
            guard let value = try? object.graphValue(number, plan.properties[number]), !value.isNull else { return }
            hash.combine(value)
        }
        unsaved[plan.space].insert(object, hash: hash.value)
    }

    /// Finds objects from now on where others were found, whose place they have taken. By the old ones.
    func take(_ successors: [ObjectIdentifier: NSManagedObject]) {
        memory.successors = memory.successors.mapValues { successors[ObjectIdentifier($0)] ?? $0 }
        memory.successors.merge(successors) { $1 }
        guard keepsObjects else { return }
        for object in successors.values {
            guard let number = number(of: object) else { continue }
            enter(object, plans[number])
            if !plans[number].relatedIdentity.isEmpty { enterRelated(object, plans[number]) }
            // What hangs on it can't be found by it in the store.
            for owned in schema.ownedRelationships[number] {
                for part in object.relatedObjects(owned.number, plans[number].properties[owned.number]) {
                    if let number = self.number(of: part) { enterRelated(part, plans[number]) }
                }
            }
        }
    }

    /// Remembers a new object of this batch, which has been saved.
    func wasSaved(_ object: NSManagedObject, _ entity: Int, _ row: Int, _ snapshot: borrowing GraphSnapshot) {
        if let hash = snapshot.identityHash(entity: entity, row: row, columns: plans[entity].identityColumns) {
            do {
                try stored[plans[entity].space]?.insert(object.objectID, hash: hash)
            } catch {
                // Where they don't fit, the table is asked.
                stored[plans[entity].space] = nil
                asksTable.insert(plans[entity].space)
            }
        }
        let reference = RowReference(entity: entity, row: row)
        if !isIdentified(entity, row, snapshot) || hangsOnContents(reference, snapshot) {
            memory.taken.insert(object.objectID.lookupKey)
        }
    }
}
