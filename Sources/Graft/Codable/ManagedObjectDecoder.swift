// From a decoder's containers to objects of a context. The attributes of an object come first, then it is found by its
// identity or made, then its relationships follow: so an object that leads back to itself finds itself.
//
// Values are in +Values, finding objects in DecodedObjects.swift.

import CoreData
import Foundation

/// Decodes one object with what is nested in it.
final class ManagedObjectDecoder {
    typealias Container = KeyedDecodingContainer<CodingPlan.Key>

    let context: NSManagedObjectContext
    let options: ManagedCodingOptions
    private let plans: [CodingPlan]
    private let schema: GraphSchema
    private let known: DecodedObjects
    private let undo: DecodingUndo
    /// The attributes of the objects whose values are being read, the innermost last.
    private var values: [(number: Int, value: GraphValue)] = []

    // MARK: Beginning

    /// Decodes an object of a class.
    static func decode(_ type: NSManagedObject.Type, from decoder: any Decoder) throws -> NSManagedObject {
        let userInfo = decoder.userInfo
        guard let context = userInfo[.managedObjectContext] as? NSManagedObjectContext else {
            throw GraftError(
                .other(
                    finding: "the decoder has no managed object context",
                    remedy: "Set decoder.managedObjectContext, or decoder.userInfo[.managedObjectContext]."),
                at: place(decoder.codingPath, nil))
        }
        guard let model = context.graftModel else {
            throw GraftError(
                .missingModel(reason: "the context '\(context.name ?? "unnamed")' has no persistent store coordinator"))
        }
        let known = try DecodedObjects.of(context, model)
        let entity = try known.number(of: type, in: model, for: decoder)
        let options = userInfo[.managedCodingOptions] as? ManagedCodingOptions ?? ManagedCodingOptions()
        let run = ManagedObjectDecoder(
            context, options, try known.compiled.codingPlans(options.keys, model), known)
        return try run.decode(entity, decoder)
    }

    private init(
        _ context: NSManagedObjectContext, _ options: ManagedCodingOptions, _ plans: [CodingPlan],
        _ known: DecodedObjects
    ) {
        self.context = context
        self.options = options
        self.plans = plans
        self.known = known
        schema = known.compiled.schema
        undo = DecodingUndo(context)
    }

    private func decode(_ entity: Int, _ decoder: any Decoder) throws -> NSManagedObject {
        let container = try decoder.container(keyedBy: CodingPlan.Key.self)
        known.begin()
        defer { known.end() }
        do {
            let object = try object(in: container, expected: entity, nesting: 0)
            (context.userInfo[DecodingLog.key] as? DecodingLog)?.steps.append(undo)
            return object
        } catch {
            try undo.undo()
            known.forget()
            throw error
        }
    }

    // MARK: Objects

    private func object(in container: Container, expected: Int, nesting: Int) throws -> NSManagedObject {
        guard nesting < options.maximumNesting else {
            throw GraftError(.tooDeep(limit: options.maximumNesting), at: Self.place(container.codingPath, nil))
        }
        let plan = plans[try entity(in: container, expected: expected)]
        let start = values.count
        try readAttributes(plan.top, in: container, plan)
        let (object, isNew) = try findOrMake(plan, values[start...], container)
        values.removeLast(values.count - start)
        if plan.top.hasRelationships {
            try readRelationships(plan.top, in: container, of: object, isNew: isNew, nesting: nesting)
        }
        return object
    }

    /// The entity of a container's object.
    private func entity(in container: Container, expected: Int) throws -> Int {
        guard plans[expected].hasSubentities, let name = try container.decodeIfPresent(String.self, forKey: .entity)
        else { return expected }
        let number = try schema.requiredNumber(ofEntity: name)
        if schema.isEntity(number, kindOf: expected) { return number }
        throw GraftError(
            .wrongType(found: "an object of \(name)", expected: "one of \(schema.entities[expected].name)"),
            at: Self.place(container.codingPath + [CodingPlan.Key.entity], name))
    }

    /// Reads the attributes of an object into `values`.
    private func readAttributes(
        _ level: CodingPlan.Level, in container: Container, _ plan: CodingPlan
    ) throws {
        for attribute in level.attributes {
            if let value = try value(of: attribute, in: container, plan) { values.append((attribute.number, value)) }
        }
        for (key, level) in level.steps where container.contains(key) {
            if try container.decodeNil(forKey: key) { continue }
            let below = try container.nestedContainer(keyedBy: CodingPlan.Key.self, forKey: key)
            try readAttributes(level, in: below, plan)
        }
    }

    /// Returns the object with the identity among some values, or a new one, and sets the values.
    private func findOrMake(
        _ plan: CodingPlan, _ values: ArraySlice<(number: Int, value: GraphValue)>, _ container: Container
    ) throws -> (object: NSManagedObject, isNew: Bool) {
        let properties = plan.entity.properties
        let identity = options.existingObjects == .insert ? nil : Self.identity(of: plan, in: values)
        if let identity, let object = try known.object(identity, plan.number) {
            // An object that was found as one of a super-entity has only that one's properties.
            let count = try min(
                properties.count, plans[known.compiled.number(of: object.entity)].entity.properties.count)
            for (number, value) in values where number < count {
                if try object.holds(value, number, properties[number]) { continue }
                try undo.willSet(number, properties[number], of: object)
                try object.assign(value, number, properties[number])
            }
            return (object, false)
        }
        if options.existingObjects == .update || plan.entity.isAbstract {
            throw refusalOfNew(plan, identity, container)
        }
        let object = known.make(plan.number)
        undo.didMake(object)
        for (number, value) in values { try object.assign(value, number, properties[number]) }
        // Objects that aren't looked up are found nevertheless, when other options look for them.
        if let identity = identity ?? Self.identity(of: plan, in: values) { known.enter(object, identity, plan.number) }
        return (object, true)
    }

    /// Why an object that isn't there can't be made.
    private func refusalOfNew(
        _ plan: CodingPlan, _ identity: DecodedObjects.Identity?, _ container: Container
    ) -> GraftError {
        let place = Self.place(container.codingPath, plan.entity.name)
        if options.existingObjects == .update {
            guard let identity else {
                let names = plan.entity.identity.map { plan.entity.properties[$0].name }
                return GraftError(.missingIdentity(attributes: names), at: place)
            }
            let words = identity.values.map(\.description).joined(separator: ", ")
            return GraftError(.unresolvedReference(entity: plan.entity.name, identity: words), at: place)
        }
        return GraftError(
            .other(
                finding: "the entity is abstract, so there can't be a new object of it",
                remedy: "Name one of its sub-entities under '\(CodingPlan.Key.entity.stringValue)'."),
            at: place)
    }

    /// The identity among some values; nil where it isn't complete.
    private static func identity(
        of plan: CodingPlan, in values: ArraySlice<(number: Int, value: GraphValue)>
    ) -> DecodedObjects.Identity? {
        if plan.entity.identity.isEmpty { return nil }
        var parts: [GraphValue] = []
        var hash = IdentityHash()
        for number in plan.entity.identity {
            guard let value = values.first(where: { $0.number == number })?.value, !value.isNull else { return nil }
            hash.combine(value)
            parts.append(value)
        }
        return DecodedObjects.Identity(values: parts, hash: hash.value)
    }

    // MARK: Relationships

    private func readRelationships(
        _ level: CodingPlan.Level, in container: Container, of object: NSManagedObject, isNew: Bool, nesting: Int
    ) throws {
        for relationship in level.relationships where container.contains(relationship.key) {
            let isNull = try container.decodeNil(forKey: relationship.key)
            if relationship.property.isToMany {
                let members = isNull ? [] : try members(relationship, in: container, nesting)
                connect(object, isNew: isNew, to: members, relationship)
            } else {
                let end = isNull ? nil : try destination(relationship, in: container, nesting)
                connect(object, isNew: isNew, to: end, relationship)
            }
        }
        for (key, level) in level.steps where level.hasRelationships && container.contains(key) {
            if try container.decodeNil(forKey: key) { continue }
            let below = try container.nestedContainer(keyedBy: CodingPlan.Key.self, forKey: key)
            try readRelationships(level, in: below, of: object, isNew: isNew, nesting: nesting)
        }
    }

    private func destination(
        _ relationship: CodingPlan.Relationship, in container: Container, _ nesting: Int
    ) throws -> NSManagedObject {
        let nested = try container.nestedContainer(keyedBy: CodingPlan.Key.self, forKey: relationship.key)
        return try object(in: nested, expected: relationship.destination, nesting: nesting + 1)
    }

    private func members(
        _ relationship: CodingPlan.Relationship, in container: Container, _ nesting: Int
    ) throws -> [NSManagedObject] {
        var list = try container.nestedUnkeyedContainer(forKey: relationship.key)
        var members: [NSManagedObject] = []
        if let count = list.count { members.reserveCapacity(count) }
        while !list.isAtEnd {
            let nested = try list.nestedContainer(keyedBy: CodingPlan.Key.self)
            members.append(try object(in: nested, expected: relationship.destination, nesting: nesting + 1))
        }
        return members
    }

    private func connect(
        _ object: NSManagedObject, isNew: Bool, to end: NSManagedObject?, _ relationship: CodingPlan.Relationship
    ) {
        let (number, property) = (relationship.number, relationship.property)
        let old = object.destination(number, property)
        if old === end { return }
        if isNew, old == nil, let end {
            undo.willConnectNew(number, property, to: end, schema)
        } else {
            undo.willConnect(number, property, of: object, to: end.map { [$0] } ?? [], schema)
        }
        object.assign(end, number, property)
    }

    private func connect(
        _ object: NSManagedObject, isNew: Bool, to members: [NSManagedObject], _ relationship: CodingPlan.Relationship
    ) {
        let (number, property) = (relationship.number, relationship.property)
        let old = object.members(number, property)
        if old.isEmpty, members.isEmpty { return }
        if isNew, old.isEmpty {
            for member in members { undo.willConnectNew(number, property, to: member, schema) }
        } else {
            undo.willConnect(number, property, of: object, to: members, schema)
        }
        object.assign(members, number, property)
    }

    /// Where a coding path leads.
    static func place(_ path: [any CodingKey], _ entity: String?) -> GraftError.Place {
        GraftError.Place(path: path.map { $0.intValue.map { .index($0) } ?? .key($0.stringValue) }, entity: entity)
    }
}
