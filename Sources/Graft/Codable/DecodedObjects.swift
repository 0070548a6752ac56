// Finding objects by identity while a decoder asks for one after the other. A fetch for each would cost several times the
// decoding, so what is known is kept with the context:
//
//     objects       those that decoding has made or found, and the unsaved ones, by identity
//     wasEmpty      whether the store had no object of an entity at all: then what isn't among the objects is new
//
// Both hold until somebody else could have changed them. Any save or batch request in this process ends them (another context's rows may be
// in the store, our own have other IDs; where nobody tells of batch requests, the second holds for one decoding), and so does an object that
// is inserted, changed for the first time or deleted by others than decoding. Where others set attributes of objects that had been changed
// before, what isn't among the objects is looked for with a fetch: one of them may have that identity by now (PendingChangeMark.swift says
// how all this is noticed). A row that another process adds between the first look and the save is not seen: no find-or-create sees it, and
// the entity's uniqueness constraint is there for it.

import CoreData
import Foundation

/// The objects of a context by identity, as far as decoding knows them.
final class DecodedObjects {
    /// The values of an object's identifying attributes. Mostly there is one, which needs no array.
    struct Identity {
        let first: GraphValue
        var others: [GraphValue] = []
        var hash: UInt64

        var values: [GraphValue] { [first] + others }
    }

    /// An identifying attribute. A class, so that a loop copies a reference and no texts.
    private final class Part {
        let number: Int
        let property: GraphSchema.Property

        init(_ number: Int, _ entity: GraphSchema.Entity) {
            self.number = number
            property = entity.properties[number]
        }
    }

    let model: NSManagedObjectModel
    let compiled: CompiledModel
    unowned let context: NSManagedObjectContext
    let known: ContextObjects
    /// What becomes what the store keeps of it.
    private(set) var rounding: Rounding = []
    /// By entity: the identifying attributes.
    private let identities: [[Part]]
    /// By identity space.
    var objects: [HashIndex<NSManagedObject>]
    private var listOwners = ListOwners()
    private let hasOneSidedLists: Bool
    /// Finds members without identity; made when it is first needed.
    private var made: ObjectMatcher?
    private var deletions: ImportDeletions?
    /// The objects whose place others have taken. They are among those to be deleted.
    private var replaced: Set<ObjectIdentifier> = []
    /// What the context's pending changes and this process's saves were when decoding last ended.
    private var state: State?

    /// Whether an unsaved object may have an identity that it isn't found by.
    var isUncertain = false

    private struct State: Equatable {
        var saves: Int
        var changes: PendingChangeMark
    }

    // MARK: Beginning

    /// - Throws: ``GraftError`` for a model that can't be followed.
    init(_ context: NSManagedObjectContext, _ model: NSManagedObjectModel) throws {
        self.context = context
        self.model = model
        compiled = try CompiledModel.of(model)
        known = try ContextObjects(context, compiled.schema, model)
        identities = compiled.schema.entities.map { entity in entity.identity.map { Part($0, entity) } }
        objects = identities.map { _ in HashIndex() }
        hasOneSidedLists = compiled.schema.entities.contains { entity in
            entity.properties.contains { $0.isToMany && $0.inverse == nil }
        }
    }

    /// Looks whether what is known still holds.
    func begin() {
        let current = State(saves: SaveCounter.shared.count, changes: context.pendingChangeMark)
        if state == current { return }
        if let state, state.saves == current.saves, state.changes.objects == current.changes.objects {
            isUncertain = true
            return
        }
        forget()
        enterPendingObjects()
    }

    /// Takes it that others may have written to the store since the last decoding, where nobody would tell.
    func forgetUntold() {
        if NSManagedObjectContext.batchCount == nil { known.forgetEmpty() }
    }

    /// Takes the changes that were made since ``begin()`` for its own.
    func end() {
        guard !isForgotten else { return state = nil }
        state = State(saves: state?.saves ?? SaveCounter.shared.count, changes: context.pendingChangeMark)
    }

    private var isForgotten = false

    /// The objects whose relationships are being read, the innermost one last.
    private var open: [ObjectIdentifier] = []
    private var mentioned: Set<ObjectIdentifier> = []

    /// Reads the relationships of an object; returns whether the object was mentioned meanwhile.
    func whileOpen(_ object: NSManagedObject, _ read: () throws -> Void) rethrows -> Bool {
        open.append(ObjectIdentifier(object))
        defer { open.removeLast() }
        try read()
        return !mentioned.isEmpty && mentioned.remove(ObjectIdentifier(object)) != nil
    }

    /// Notes that data says something of an object that was there.
    func noteMention(of object: NSManagedObject) {
        if open.contains(ObjectIdentifier(object)) { mentioned.insert(ObjectIdentifier(object)) }
    }

    /// Forgets everything.
    func forget() {
        isForgotten = true
        mentioned.removeAll()
        for space in objects.indices where !objects[space].isEmpty { objects[space] = HashIndex() }
        listOwners.removeAll()
        known.forgetEmpty()
    }

    private func enterPendingObjects() {
        isForgotten = false
        isUncertain = false
        rounding = context.rounding
        state = State(saves: SaveCounter.shared.count, changes: context.pendingChangeMark)
        if hasOneSidedLists { listOwners.noteUnsaved(known) }
        for object in known.pendingObjects {
            guard let number = known.number(of: object) else { continue }
            let entity = compiled.schema.entities[number]
            // An identity that can't be read isn't one.
            let identity = Identity(entity.identity) { try? object.graphValue($0, entity.properties[$0]) }
            if let identity { enter(object, identity, number) }
            if entity.relatedIdentity.isEmpty { continue }
            let values = entity.identityAttributes.compactMap { try? object.graphValue($0, entity.properties[$0]) }
            if values.count == entity.identityAttributes.count { enter(object, withoutOwner: values, number) }
        }
    }

    // MARK: Objects

    /// Inserts a new object.
    func make(_ entity: Int) -> NSManagedObject { known.make(entity) }

    /// Remembers an object.
    func enter(_ object: NSManagedObject, _ identity: Identity, _ entity: Int) {
        objects[compiled.schema.entities[entity].identitySpace].insert(object, hash: identity.hash)
    }

    /// The object of an entity, or one related to it, that has an identity, with the number of its own entity; nil where
    /// there is none.
    func object(_ identity: Identity, _ entity: Int) throws -> (object: NSManagedObject, entity: Int)? {
        let space = compiled.schema.entities[entity].identitySpace
        // A copy: looking at an object may fire its fault, and what that calls may decode others.
        let index = objects[space]
        if let found = try index.first(identity.hash, where: { try matches($0, identity, entity) }) {
            return (found, try number(of: found, expected: entity))
        }
        if try !isUncertain && known.isEmpty(space) { return nil }
        guard let found = try fetch(identity, space).first(where: { try matches($0, identity, entity) }) else {
            return nil
        }
        enter(found, identity, entity)
        return (found, try number(of: found, expected: entity))
    }

    @inline(__always)
    func number(of object: NSManagedObject, expected: Int) throws -> Int {
        let entity = object.entity
        return entity === known.entities[expected] ? expected : try compiled.number(of: entity)
    }

    private func matches(_ object: NSManagedObject, _ identity: Identity, _ entity: Int) throws -> Bool {
        guard !object.isDeleted, object.managedObjectContext === context,
            replaced.isEmpty || !replaced.contains(ObjectIdentifier(object))
        else { return false }
        let number = try number(of: object, expected: entity)
        guard number == entity || compiled.canBeSame(number, entity) else { return false }
        let parts = identities[number]
        guard let first = parts.first, parts.count == identity.others.count + 1,
            try object.holds(identity.first, first.number, first.property)
        else { return false }
        for (index, value) in identity.others.enumerated() {
            if try !object.holds(value, parts[index + 1].number, parts[index + 1].property) { return false }
        }
        return true
    }

    private func fetch(_ identity: Identity, _ space: Int) throws -> [NSManagedObject] {
        let entity = compiled.schema.entities[space]
        let parts = zip(entity.identity, identity.values).map { part, value in
            NSPredicate(format: "%K == %@", argumentArray: [entity.properties[part].name, value.object as Any])
        }
        return try known.fetch(known.request(space, where: parts, includesUnsaved: isUncertain))
    }

    // MARK: Members

    /// Takes objects out of the lists of others, before a list without inverse gets them.
    func claim(
        _ members: [NSManagedObject], _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject,
        _ editor: ObjectEditor
    ) throws {
        guard let entity = known.number(of: object) else { return }
        try listOwners.read(members, number, entity, known)
        try listOwners.claim(members, number, property, of: object, known, editor)
    }

    /// What is known of a nested object without identity.
    struct MemberRow {
        /// What a to-one relationship leads to.
        enum Destination {
            case nothing
            case object(NSManagedObject)
            /// An object that isn't there yet.
            case new(entity: Int, Identity)
        }

        /// What a to-one relationship leads to, by its number.
        typealias End = (number: Int, destination: Destination)

        /// Its place among the members; beyond them where it stands elsewhere.
        var place = Int.max
        var entity: Int
        var values: [ManagedObjectDecoder.Value]
        var ends: [End]
        /// The numbers of those that lead to something that only its contents tell.
        var others: [Int] = []
    }

    /// The members of an object that rows without identity stand for, by the rule that imports have.
    ///
    /// - Returns: For each row its object; nil where it is new.
    func members(
        _ rows: [MemberRow], _ number: Int, _ property: GraphSchema.Property, of owner: NSManagedObject
    ) throws -> [NSManagedObject?] {
        if rows.isEmpty { return [] }
        let members = owner.relatedObjects(number, property)
        if members.isEmpty { return rows.map { _ in nil } }
        var snapshot = GraphSnapshot(compiled.schema)
        var ends: [(row: RowReference, object: NSManagedObject)] = []
        let placed = try rows.map { row in
            let reference = RowReference(entity: row.entity, row: snapshot.tables[row.entity].appendRow(offset: -1))
            for (number, value) in row.values {
                let column = compiled.schema.entities[row.entity].properties[number].column
                snapshot.tables[row.entity].setValue(value, column, row: reference.row)
                snapshot.tables[row.entity].markPresent(number, row: reference.row)
            }
            for (number, destination) in row.ends {
                var end = RowReference.none
                switch destination {
                case .nothing: break
                case .object(let object):
                    let entity = try compiled.number(of: object.entity)
                    end = RowReference(entity: entity, row: snapshot.tables[entity].appendRow(offset: -1))
                    ends.append((end, object))
                case .new(let entity, let identity):
                    end = RowReference(entity: entity, row: snapshot.tables[entity].appendRow(offset: -1))
                    for (part, value) in zip(compiled.schema.entities[entity].identityColumns, identity.values) {
                        snapshot.tables[entity].setValue(value, part, row: end.row)
                    }
                }
                let column = compiled.schema.entities[row.entity].properties[number].column
                snapshot.tables[row.entity].setToOne(end, column, row: reference.row)
                snapshot.tables[row.entity].markPresent(number, row: reference.row)
            }
            for number in row.others {
                let property = compiled.schema.entities[row.entity].properties[number]
                guard let entity = property.destination else { continue }
                let end = RowReference(entity: entity, row: snapshot.tables[entity].appendRow(offset: -1))
                snapshot.tables[row.entity].setToOne(end, property.column, row: reference.row)
                snapshot.tables[row.entity].markPresent(number, row: reference.row)
            }
            return ObjectMatcher.PlacedRow(row: reference, place: row.place)
        }
        let matcher = try matcher()
        matcher.begin(snapshot)
        for (row, object) in ends { matcher.objects[row.entity][row.row] = object }
        var taken: Set<ObjectIdentifier> = []
        _ = try matcher.match(placed, property, with: members, taken: &taken, snapshot)
        return placed.map { matcher.object($0.row) }
    }

    private func matcher() throws -> ObjectMatcher {
        if let made { return made }
        let matcher = try ObjectMatcher(
            compiled.unmapped(), context, model, .matchContents, keepsObjects: false)
        made = matcher
        return matcher
    }

    // MARK: What owners give up

    /// How many objects are to be deleted, if nobody owns them in the end. Lower it to forget the last ones.
    var givenUpCount: Int {
        get { deletions?.orphans.count ?? 0 }
        set {
            let left = max(0, givenUpCount - newValue)
            for gone in deletions?.orphans.suffix(left) ?? [] { replaced.remove(ObjectIdentifier(gone.object)) }
            deletions?.orphans.removeLast(left)
        }
    }

    /// Notes what an object owned and doesn't any more: without identity, nobody could find it again.
    func noteGivenUp(
        _ old: [NSManagedObject], but kept: [NSManagedObject], _ number: Int, of owner: NSManagedObject
    ) throws {
        let kept = Set(kept.map(ObjectIdentifier.init))
        let gone = old.filter { !kept.contains(ObjectIdentifier($0)) }
        if gone.isEmpty { return }
        try makeDeletions { try $0.noteGivenUp(gone, number, of: owner) }
    }

    /// Notes what the data has elsewhere than in its owner, so that it isn't deleted.
    func noteReferences(
        to ends: [NSManagedObject], _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject
    ) throws {
        guard compiled.schema.mayLeadToOwned(property) else { return }
        try makeDeletions { try $0.references.note(ends, number, property, of: object) }
    }

    /// Deletes what nobody owns any more: the last step.
    func deleteGivenUp(_ editor: ObjectEditor) throws {
        defer { forgetGivenUp() }
        guard givenUpCount > 0 else { return }
        var counts = compiled.schema.entities.map { _ in ImportReport.Counts() }
        let gone = try deletions?.decide([], isDryRun: false, &counts) ?? []
        try known.takeOut(gone, editor)
        try editor.delete(gone)
        replaced.removeAll()
    }

    /// Forgets what owners gave up and what else the data leads to, unless an object around is still being read.
    func forgetGivenUp() {
        if open.isEmpty { deletions?.forget() }
    }

    /// Lets a new object of a sub-entity take the place of a stub.
    ///
    /// - Returns: The new object; nil where the object has values, so that it stays what it is.
    func succeed(
        _ old: NSManagedObject, _ oldEntity: Int, by entity: Int, _ identity: Identity, _ editor: ObjectEditor
    ) throws -> NSManagedObject? {
        let succession = ObjectSuccession(known: known, editor: editor)
        guard oldEntity != entity, compiled.schema.isEntity(entity, kindOf: oldEntity), try succession.isStub(old)
        else {
            return nil
        }
        let replacement = try succession.replace(old, oldEntity, by: entity)
        listOwners.take([replacement])
        try succession.moveOneSidedLinks([replacement], &listOwners)
        try makeDeletions { $0.orphans.append(.init(object: old)) }
        replaced.insert(ObjectIdentifier(old))
        enter(replacement.new, identity, entity)
        return replacement.new
    }

    private func makeDeletions(_ note: (inout ImportDeletions) throws -> Void) throws {
        var noted = try deletions ?? ImportDeletions(matcher(), ceiling: nil)
        // Not copied.
        deletions = nil
        defer { deletions = noted }
        try note(&noted)
    }

    // MARK: Classes

    private var numbers: [ObjectIdentifier: Int] = [:]

    /// The number of the entity whose objects are of a class.
    ///
    /// - Throws: ``GraftError`` with `ambiguousEntity` where none is, or several are.
    func number(
        of type: NSManagedObject.Type, in model: NSManagedObjectModel, for decoder: any Decoder
    ) throws -> Int {
        if let known = numbers[ObjectIdentifier(type)] { return known }
        guard let entity = type.entity(in: model) else {
            let name = className(of: type)
            throw GraftError(
                .other(
                    finding: "not exactly one entity of the model has the class '\(name)'",
                    remedy: "Set the class of the entity in the model."),
                at: ManagedObjectDecoder.place(decoder.codingPath, nil))
        }
        let number = try compiled.number(of: entity)
        numbers[ObjectIdentifier(type)] = number
        return number
    }
}

extension DecodedObjects.Identity {
    /// Takes the values of some attributes; nil where one is missing or null, or there are no attributes.
    @inline(__always)
    init?(_ parts: [Int], _ value: (Int) -> GraphValue?) {
        guard let part = parts.first, let first = value(part), !first.isNull else { return nil }
        var hash = IdentityHash()
        hash.combine(first)
        var others: [GraphValue] = []
        for part in parts.dropFirst() {
            guard let value = value(part), !value.isNull else { return nil }
            hash.combine(value)
            others.append(value)
        }
        self.init(first: first, others: others, hash: hash.value)
    }
}
