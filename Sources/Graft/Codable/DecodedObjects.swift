// Finding objects by identity while a decoder asks for one after the other. A fetch for each would cost several times the
// decoding, so what is known is kept with the context:
//
//     objects       those that decoding has made or found, and the unsaved ones, by identity
//     wasEmpty      whether the store had no object of an entity at all: then what isn't among the objects is new
//
// Both hold until somebody else could have changed them. Any save in this process ends them (another context's rows may be in
// the store, our own have other IDs), and so does a change of the context that isn't decoding's own, told by the numbers of
// its pending changes. A row that another process adds between the first look and the save is not seen: no find-or-create
// sees it, and the entity's uniqueness constraint is there for it.

import CoreData
import Foundation
import Synchronization

/// The objects of a context by identity, as far as decoding knows them.
final class DecodedObjects {
    /// The values of an object's identifying attributes.
    struct Identity {
        var values: [GraphValue]
        var hash: UInt64
    }

    let compiled: CompiledModel
    private unowned let context: NSManagedObjectContext
    private var makers: [ObjectMaker]
    /// By identity space.
    private var objects: [ObjectIndex]
    private var wasEmpty: [Bool?]
    /// What the context's pending changes and this process's saves were when decoding last ended.
    private var state: State?

    private struct State: Equatable {
        var saves: Int
        var changes: PendingChangeCounts
    }

    // MARK: With the context

    private static var key: NSString { "org.graft.decodedObjects" }

    /// What is known of a context. Call it on the context's queue.
    static func of(_ context: NSManagedObjectContext, _ model: NSManagedObjectModel) throws -> DecodedObjects {
        let compiled = try CompiledModel.of(model)
        if let known = context.userInfo[key] as? DecodedObjects, known.compiled === compiled { return known }
        let made = try DecodedObjects(context, model, compiled)
        context.userInfo[key] = made
        return made
    }

    private init(
        _ context: NSManagedObjectContext, _ model: NSManagedObjectModel, _ compiled: CompiledModel
    ) throws {
        self.context = context
        self.compiled = compiled
        let entities = model.entitiesByName
        makers = try compiled.schema.entities.map { entity in
            guard let description = entities[entity.name] else {
                throw GraftError(.unknownEntity(entity.name, closest: nil))
            }
            return ObjectMaker(description, in: context)
        }
        objects = compiled.schema.entities.map { _ in ObjectIndex() }
        wasEmpty = compiled.schema.entities.map { _ in nil }
    }

    /// Looks whether what is known still holds.
    func begin() {
        let current = State(saves: SaveCounter.shared.count, changes: context.pendingChangeCounts)
        if state == current { return }
        forget()
        enterPendingObjects()
    }

    /// Takes the changes that were made since ``begin()`` for its own.
    func end() {
        guard !isForgotten else { return state = nil }
        state = State(saves: state?.saves ?? SaveCounter.shared.count, changes: context.pendingChangeCounts)
    }

    private var isForgotten = false

    /// Forgets everything.
    func forget() {
        isForgotten = true
        for space in objects.indices where !objects[space].isEmpty { objects[space] = ObjectIndex() }
        for entity in wasEmpty.indices { wasEmpty[entity] = nil }
    }

    private func enterPendingObjects() {
        isForgotten = false
        state = State(saves: SaveCounter.shared.count, changes: context.pendingChangeCounts)
        let pending = context.insertedObjects.union(context.updatedObjects)
        // A set has no order; where two objects have the same identity, the first one is taken.
        let ordered = pending.map { (uri: $0.objectID.uriRepresentation().absoluteString, object: $0) }
            .sorted { $0.uri < $1.uri }
        for (_, object) in ordered {
            guard let number = try? compiled.number(of: object.entity), let identity = identity(of: object, number)
            else { continue }
            enter(object, identity, number)
        }
    }

    /// The identity that an object has; nil where it isn't complete.
    private func identity(of object: NSManagedObject, _ number: Int) -> Identity? {
        let entity = compiled.schema.entities[number]
        if entity.identity.isEmpty { return nil }
        var identity = Identity(values: [], hash: 0)
        var hash = IdentityHash()
        for part in entity.identity {
            // An identity that can't be read isn't one.
            guard let value = try? object.graphValue(part, entity.properties[part]), !value.isNull else { return nil }
            identity.values.append(value)
            hash.combine(value)
        }
        identity.hash = hash.value
        return identity
    }

    // MARK: Objects

    /// Inserts a new object.
    func make(_ entity: Int) -> NSManagedObject { makers[entity].make() }

    /// Remembers an object.
    func enter(_ object: NSManagedObject, _ identity: Identity, _ entity: Int) {
        objects[compiled.schema.entities[entity].identitySpace].insert(object, hash: identity.hash)
    }

    /// The object of an entity, or one related to it, that has an identity; nil where there is none.
    func object(_ identity: Identity, _ entity: Int) throws -> NSManagedObject? {
        let space = compiled.schema.entities[entity].identitySpace
        if let found = try objects[space].first(identity.hash, where: { try matches($0, identity, entity) }) {
            return found
        }
        if try isEmpty(space) { return nil }
        guard let found = try fetch(identity, space).first(where: { try matches($0, identity, entity) }) else {
            return nil
        }
        enter(found, identity, entity)
        return found
    }

    private func matches(_ object: NSManagedObject, _ identity: Identity, _ entity: Int) throws -> Bool {
        guard !object.isDeleted, object.managedObjectContext === context else { return false }
        let number = try compiled.number(of: object.entity)
        guard compiled.schema.isEntity(number, relatedTo: entity) else { return false }
        let description = compiled.schema.entities[number]
        for (part, value) in zip(description.identity, identity.values) {
            if try !object.holds(value, part, description.properties[part]) { return false }
        }
        return true
    }

    private func isEmpty(_ space: Int) throws -> Bool {
        if let known = wasEmpty[space] { return known }
        let request = NSFetchRequest<NSManagedObject>(entityName: compiled.schema.entities[space].name)
        request.includesPendingChanges = false
        request.fetchLimit = 1
        let isEmpty = try context.count(for: request) == 0
        wasEmpty[space] = isEmpty
        return isEmpty
    }

    private func fetch(_ identity: Identity, _ space: Int) throws -> [NSManagedObject] {
        let entity = compiled.schema.entities[space]
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
        request.includesPendingChanges = false
        request.predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: zip(entity.identity, identity.values).map { part, value in
                NSPredicate(format: "%K == %@", argumentArray: [entity.properties[part].name, value.object as Any])
            })
        return try context.fetch(request)
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
            let name = NSStringFromClass(type)
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

/// Counts the saves of all contexts in this process.
private final class SaveCounter: Sendable {
    static let shared = SaveCounter()
    private let saves = Atomic<Int>(0)

    var count: Int { saves.load(ordering: .acquiring) }

    private init() {
        // As long as the process runs, so the token needn't be kept.
        _ = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
        ) { _ in SaveCounter.shared.saves.add(1, ordering: .acquiringAndReleasing) }
    }
}
