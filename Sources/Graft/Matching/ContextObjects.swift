// A context seen through a schema: which entity an object is of, new objects, and what the store has of an entity. Whoever finds
// or makes objects by their entities' numbers asks here, and so asks the store the same thing once.

import CoreData
import Foundation

/// The objects of a context by their entities' numbers. Use it on the context's queue.
final class ContextObjects {
    // Decoding keeps this with the context, which mustn't own itself.
    private unowned let context: NSManagedObjectContext
    let schema: GraphSchema
    /// By number.
    let entities: [NSEntityDescription]
    /// The classes of objects that were made: looked up once.
    private var classes: [NSManagedObject.Type?]
    private let numbers: EntityNumbers
    /// Whether the store had no object of an entity, sub-entities included, when that was first asked.
    private var wasEmpty: [Bool?]
    /// What the properties of new objects have, by entity, as far as somebody has asked.
    private var initialValues: [Int: [GraphValue]] = [:]
    private var identityDefaults: [Int: [(number: Int, value: GraphValue)]] = [:]
    /// How many fetches there have been.
    var fetchCount = 0

    /// - Throws: ``GraftError`` with `unknownEntity` where the model lacks one of the schema.
    init(_ context: NSManagedObjectContext, _ schema: GraphSchema, _ model: NSManagedObjectModel) throws {
        self.context = context
        self.schema = schema
        let byName = model.entitiesByName
        entities = try schema.entities.map { entity in
            if let description = byName[entity.name] { return description }
            throw GraftError(.unknownEntity(entity.name, closest: nil))
        }
        classes = entities.map { _ in nil }
        numbers = EntityNumbers(model, schema)
        wasEmpty = schema.entities.map { _ in nil }
    }

    /// Inserts a new object.
    func make(_ entity: Int) -> NSManagedObject {
        if let known = classes[entity] { return known.init(entity: entities[entity], insertInto: context) }
        let first = NSEntityDescription.insertNewObject(forEntityName: schema.entities[entity].name, into: context)
        classes[entity] = type(of: first)
        return first
    }

    /// What the properties of a new object of an entity have; null for relationships.
    func initialValues(_ entity: Int) -> [GraphValue] {
        if let known = initialValues[entity] { return known }
        let attributes = entities[entity].attributePartsByName
        let values = schema.entities[entity].properties.map { property in
            property.attributeKind.flatMap {
                GraphValue(object: attributes[property.name]?.defaultValue, kind: $0)
            } ?? .null
        }
        initialValues[entity] = values
        return values
    }

    /// The attributes that identify objects of an entity, alone or with an owner, and that new ones have a value of, with that value.
    func identityDefaults(_ entity: Int) -> [(number: Int, value: GraphValue)] {
        if let known = identityDefaults[entity] { return known }
        let initial = initialValues(entity)
        let attributes = schema.entities[entity].identityAttributes
        let defaults = attributes.filter { !initial[$0].isNull }.map { ($0, initial[$0]) }
        identityDefaults[entity] = defaults
        return defaults
    }

    /// The number of an object's entity; nil for one of another model.
    @inline(__always)
    func number(of object: NSManagedObject) -> Int? { number(of: object.entity) }

    @inline(__always)
    func number(of entity: NSEntityDescription) -> Int? { numbers[entity] }

    @inline(__always)
    func number(of id: NSManagedObjectID) -> Int? { numbers[id] }

    /// The unsaved objects. A set has no order; where two have the same identity, the first one is to be taken.
    var pendingObjects: [NSManagedObject] {
        context.insertedObjects.union(context.updatedObjects)
            .map { (uri: $0.objectID.uriRepresentation().absoluteString, object: $0) }
            .sorted { $0.uri < $1.uri }.map(\.object)
    }

    // MARK: What the store has

    /// A request for the objects of an entity that a store has, all parts of a condition given.
    func request(
        _ entity: Int, where parts: [NSPredicate] = [], includesUnsaved: Bool = false
    ) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: schema.entities[entity].name)
        request.includesPendingChanges = includesUnsaved
        if !parts.isEmpty {
            request.predicate = parts.count == 1 ? parts[0] : NSCompoundPredicate(andPredicateWithSubpredicates: parts)
        }
        return request
    }

    /// Fetches objects; deleted ones are left out.
    func fetch(_ request: NSFetchRequest<NSManagedObject>) throws -> [NSManagedObject] {
        fetchCount += 1
        return try context.fetch(request).filter { !$0.isDeleted }
    }

    /// Fetches the objects with some IDs.
    func fetch(
        _ ids: some Sequence<NSManagedObjectID>, of entity: Int, includesUnsaved: Bool = false
    ) throws -> [NSManagedObject] {
        let isOne = NSPredicate(format: "self IN %@", argumentArray: [NSArray(array: Array(ids))])
        return try fetch(request(entity, where: [isOne], includesUnsaved: includesUnsaved))
    }

    /// Whether the store had no objects of an entity when that was first asked.
    func isEmpty(_ entity: Int, includesUnsaved: Bool = false) throws -> Bool {
        if let known = wasEmpty[entity] { return known }
        let request = request(entity, includesUnsaved: includesUnsaved)
        request.fetchLimit = 1
        let isEmpty = try context.count(for: request) == 0
        wasEmpty[entity] = isEmpty
        return isEmpty
    }

    /// Those of some objects that have an owner by a relationship without inverse, which they don't know of themselves.
    func owned(among objects: [NSManagedObject]) throws -> Set<ObjectIdentifier> {
        var owned: Set<ObjectIdentifier> = []
        if objects.isEmpty { return owned }
        for way in relationshipsWithoutInverse where way.property.isOwning {
            let ends = ends(of: way.property, among: objects)
            owned.formUnion(try referrers(of: ends, way.entity, way.number).map { ObjectIdentifier($0.end) })
        }
        return owned
    }

    /// Who leads to some objects by a relationship without inverse, with whom.
    func referrers(
        of objects: [NSManagedObject], _ entity: Int, _ number: Int
    ) throws -> [(referrer: NSManagedObject, end: NSManagedObject)] {
        let property = schema.entities[entity].properties[number]
        var found: [(referrer: NSManagedObject, end: NSManagedObject)] = []
        for ends in objects.batches(of: 10_000) {
            let wanted = Set(ends.map(ObjectIdentifier.init))
            let isOne = NSPredicate.isOne(property.name, of: Array(ends), isAny: property.isToMany)
            for referrer in try fetch(request(entity, where: [isOne], includesUnsaved: true)) {
                found += referrer.relatedObjects(number, property)
                    .filter { wanted.contains(ObjectIdentifier($0)) }.map { (referrer, $0) }
            }
        }
        return found
    }

    /// Whether an object has nothing of what identifies those of its entity.
    func hasNoIdentity(_ object: NSManagedObject) throws -> Bool {
        guard let entity = number(of: object).map({ schema.entities[$0] }) else { return false }
        return try entity.identity.allSatisfy { try object.holds(.null, $0, entity.properties[$0]) }
    }

    /// The stored relationships that nothing leads back along, each where it is declared.
    private var relationshipsWithoutInverse: [(entity: Int, number: Int, property: GraphSchema.Property)] {
        schema.entities.indices.flatMap { entity in
            schema.entities[entity].properties.enumerated().filter {
                !$1.isAttribute && !$1.isTransient && $1.inverse == nil
                    && schema.declaringEntity(of: $0, entity) == entity
            }.map { (entity: entity, number: $0.offset, property: $0.element) }
        }
    }

    /// The objects that a relationship can lead to.
    private func ends(of property: GraphSchema.Property, among objects: [NSManagedObject]) -> [NSManagedObject] {
        objects.filter { object in
            guard let kind = number(of: object), let destination = property.destination else { return false }
            return schema.isEntity(kind, kindOf: destination)
        }
    }

    /// Takes objects that are about to be deleted, and what they own, out of relationships to one object without inverse: no delete rule
    /// follows those, and they would lead to rows that aren't there.
    ///
    /// - Throws: ``GraftError`` where such a relationship is mandatory, or a delete rule denies it; nothing is deleted yet.
    func takeOut(_ objects: [NSManagedObject], _ editor: ObjectEditor) throws {
        if objects.isEmpty { return }
        try requireUndenied(objects)
        let ways = relationshipsWithoutInverse.filter { !$0.property.isToMany }
        if ways.isEmpty { return }
        let deleted = withOwned(objects)
        let ids = Set(deleted.map(ObjectIdentifier.init))
        for (entity, number, property) in ways {
            for ends in ends(of: property, among: deleted).batches(of: 10_000) {
                let request = request(entity, where: [.isOne(property.name, of: ends)], includesUnsaved: true)
                for owner in try fetch(request) where !ids.contains(ObjectIdentifier(owner)) {
                    if !property.isOptional {
                        throw GraftError(
                            .other(
                                finding: "\(try name(of: owner)) must have one, and what it has is to be deleted",
                                remedy: "Delete the object, too, or give it another one first."),
                            at: .init(entity: owner.entity.name, property: property.name))
                    }
                    try editor.connect(number, property, of: owner, to: nil)
                }
            }
        }
    }

    /// Refuses what the delete rule deny would refuse at the save.
    private func requireUndenied(_ objects: [NSManagedObject]) throws {
        let denying = entities.map { entity in
            Set(entity.relationshipsByName.filter { $1.deleteRule == .denyDeleteRule }.keys)
        }
        if denying.allSatisfy(\.isEmpty) { return }
        let deleted = withOwned(objects)
        let ids = Set(deleted.map(ObjectIdentifier.init))
        for object in deleted {
            guard let entity = number(of: object), !denying[entity].isEmpty else { continue }
            for (part, property) in schema.entities[entity].properties.enumerated()
            where denying[entity].contains(property.name) {
                let others = object.relatedObjects(part, property)
                guard let left = others.first(where: { !$0.isDeleted && !ids.contains(ObjectIdentifier($0)) }) else {
                    continue
                }
                let names = (try name(of: object), try name(of: left))
                throw GraftError(
                    .other(
                        finding: "\(names.0) is to be deleted and has \(names.1), and the delete rule is deny",
                        remedy: "Delete that, too, or unlink it first."),
                    at: .init(entity: object.entity.name, property: property.name))
            }
        }
    }

    /// What errors call an object: its entity with its identity, or with its row.
    private func name(of object: NSManagedObject) throws -> String {
        let entity = number(of: object).map { schema.entities[$0] }
        if let entity, !entity.identity.isEmpty, try object.isIdentified(by: entity) {
            let identity = try entity.identity.map { try object.graphValue($0, entity.properties[$0]) }
            return ObjectKey(entity.name, identity).description
        }
        return object.objectID.uriRepresentation().absoluteString
    }

    /// Objects with what they own, at any depth.
    func withOwned(_ objects: [NSManagedObject]) -> [NSManagedObject] {
        var seen: Set<ObjectIdentifier> = []
        var pending = objects
        var found: [NSManagedObject] = []
        while let object = pending.popLast() {
            guard let entity = number(of: object), seen.insert(ObjectIdentifier(object)).inserted else { continue }
            found.append(object)
            for (number, property) in schema.entities[entity].properties.enumerated() where property.isOwning {
                pending += object.relatedObjects(number, property)
            }
        }
        return found
    }

    /// Forgets what the store didn't have: somebody else may have written since.
    func forgetEmpty() {
        for entity in wasEmpty.indices where wasEmpty[entity] == true { wasEmpty[entity] = nil }
    }
}

extension NSPredicate {
    /// Whether a property has one of some values; a to-many relationship, at least one.
    static func isOne(_ name: String, of values: [Any], orNil: Bool = false, isAny: Bool = false) -> NSPredicate {
        // An array of Foundation's is taken as it is; one of Swift's would be converted several times over.
        let format = isAny ? "ANY %K IN %@" : "%K IN %@"
        let isIn = NSPredicate(format: format, argumentArray: [name, NSArray(array: values)])
        if !orNil { return isIn }
        let isNil = NSPredicate(format: "%K == nil", argumentArray: [name])
        return values.isEmpty ? isNil : NSCompoundPredicate(orPredicateWithSubpredicates: [isIn, isNil])
    }
}

extension NSManagedObject {
    /// Whether the object has all the attributes that identify one of an entity; not where there are none.
    func isIdentified(by entity: GraphSchema.Entity) throws -> Bool { try hasAll(entity.identity, of: entity) }

    /// Whether the object has all that identifies one of an entity whose owner is a part of it; not where the owner takes no part.
    func isIdentifiedWithOwner(by entity: GraphSchema.Entity) throws -> Bool {
        try hasAll(entity.relatedIdentity, of: entity)
    }

    private func hasAll(_ parts: [Int], of entity: GraphSchema.Entity) throws -> Bool {
        try entity.properties.identify(by: parts) { part, property in
            property.isAttribute ? try holds(.null, part, property) : destinationID(part, property) == nil
        }
    }
}
