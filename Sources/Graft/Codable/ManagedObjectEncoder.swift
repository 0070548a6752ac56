// From objects to an encoder's containers. Within one encoded object, each object that it leads to is written in full once;
// where it is met again, it is its identity or, without one, its attributes. On the way to itself, an object without identity
// is left out. The inverse of the relationship that led to an object is left out always.

import CoreData
import Foundation

/// Encodes one object with what it leads to.
final class ManagedObjectEncoder {
    private typealias Container = KeyedEncodingContainer<CodingPlan.Key>

    private enum State {
        case onTheWay
        case written
    }

    /// How much of an object is written.
    private enum Extent {
        case full
        case attributes
        case identity
    }

    private let compiled: CompiledModel
    private let plans: [CodingPlan]
    private let options: ManagedCodingOptions
    private var states: [ObjectIdentifier: State] = [:]
    private let presence = PresenceCheck()

    /// Encodes an object.
    ///
    /// - Parameter type: The class that decoding will start from: it says which entity is expected.
    static func encode(_ object: NSManagedObject, as type: NSManagedObject.Type, to encoder: any Encoder) throws {
        let model = try CompiledModel.model(of: object)
        let compiled = try CompiledModel.of(model)
        let options =
            encoder.userInfo[.managedCodingOptions] as? ManagedCodingOptions ?? ManagedCodingOptions()
        let run = ManagedObjectEncoder(compiled, try compiled.codingPlans(options.keys, model), options)
        try options.relationships.checkNames(in: compiled.schema)
        let expected = type.entity(in: model) ?? object.entity
        var container = encoder.container(keyedBy: CodingPlan.Key.self)
        try run.write(
            object, to: &container, expected: try compiled.number(of: expected), leavingOut: nil, nesting: 0)
    }

    private init(_ compiled: CompiledModel, _ plans: [CodingPlan], _ options: ManagedCodingOptions) {
        self.compiled = compiled
        self.plans = plans
        self.options = options
    }

    // MARK: Objects

    /// - Parameter isReference: Whether only the identity is written, although the object has not been met yet.
    private func write(
        _ object: NSManagedObject, to container: inout Container, expected: Int, leavingOut inverse: Int?, nesting: Int,
        isReference: Bool = false
    ) throws {
        let plan = plans[try compiled.number(of: object.entity)]
        guard nesting < options.maximumNesting else {
            let place = ManagedObjectDecoder.place(container.codingPath, plan.entity.name)
            throw GraftError(.tooDeep(limit: options.maximumNesting), at: place)
        }
        if plan.number != expected { try container.encode(plan.entity.name, forKey: .entity) }
        do {
            try presence.require(object)
        } catch let error as GraftError {
            throw error.located(in: ManagedObjectDecoder.place(container.codingPath, nil))
        }
        let key = ObjectIdentifier(object)
        var extent = isReference ? Extent.identity : .full
        if states[key] != nil, !isReference { extent = try isNamed(object) ? .identity : .attributes }
        if extent == .full { states[key] = .onTheWay }
        try write(plan.written, of: object, plan, extent, to: &container, leavingOut: inverse, nesting: nesting)
        if extent == .full { states[key] = .written }
    }

    private func write(
        _ level: CodingPlan.Level, of object: NSManagedObject, _ plan: CodingPlan, _ extent: Extent,
        to container: inout Container, leavingOut inverse: Int?, nesting: Int
    ) throws {
        for attribute in level.attributes {
            if extent == .identity, !plan.entity.identityAttributes.contains(attribute.number) { continue }
            try write(attribute, of: object, plan, to: &container)
        }
        for relationship in level.relationships where relationship.number != inverse {
            guard options.relationships.follow(relationship.property, of: plan.number, in: compiled.schema) else {
                continue
            }
            switch extent {
            case .full: try write(relationship, of: object, to: &container, nesting: nesting)
            case .identity where plan.entity.relatedIdentity.contains(relationship.number):
                try writeOwner(relationship, of: object, to: &container, nesting: nesting)
            case .identity, .attributes: continue
            }
        }
        for (key, level) in level.steps where try says(level, of: object, plan, extent) {
            var below = container.nestedContainer(keyedBy: CodingPlan.Key.self, forKey: key)
            try write(level, of: object, plan, extent, to: &below, leavingOut: inverse, nesting: nesting)
        }
    }

    /// Whether it is written that an attribute has no value: where a new object had one otherwise, that has to be said.
    private func saysNull(_ attribute: CodingPlan.Attribute, _ plan: CodingPlan) -> Bool {
        options.includesNulls || compiled.defaulted[plan.number].contains(attribute.number)
    }

    /// Whether anything is written below a key.
    private func says(
        _ level: CodingPlan.Level, of object: NSManagedObject, _ plan: CodingPlan, _ extent: Extent
    ) throws -> Bool {
        if extent == .full, options.includesNulls || !level.relationships.isEmpty { return true }
        let owners = plan.entity.identityRelationships
        if extent == .identity, level.relationships.contains(where: { owners.contains($0.number) }) { return true }
        let isSaid = try level.attributes.contains { attribute in
            if extent == .identity, !plan.entity.identityAttributes.contains(attribute.number) { return false }
            return try saysNull(attribute, plan) || !object.graphValue(attribute.number, attribute.property).isNull
        }
        return try isSaid || level.steps.contains { try says($0.level, of: object, plan, extent) }
    }

    // MARK: Relationships

    private func write(
        _ relationship: CodingPlan.Relationship, of object: NSManagedObject, to container: inout Container, nesting: Int
    ) throws {
        let (number, property) = (relationship.number, relationship.property)
        guard property.isToMany else {
            guard let end = presence.remaining(object.relatedObjects(number, property)).first else {
                if options.includesNulls { try container.encodeNil(forKey: relationship.key) }
                return
            }
            if try isLeftOut(end) { return }
            var nested = container.nestedContainer(keyedBy: CodingPlan.Key.self, forKey: relationship.key)
            return try write(
                end, to: &nested, expected: relationship.destination, leavingOut: property.inverse,
                nesting: nesting + 1)
        }
        let members = presence.remaining(object.members(number, property))
        let written = try members.filter { try !isLeftOut($0) }
        // An empty list says that there are no members.
        if written.isEmpty, !members.isEmpty { return }
        var list = container.nestedUnkeyedContainer(forKey: relationship.key)
        for member in written {
            var nested = list.nestedContainer(keyedBy: CodingPlan.Key.self)
            try write(
                member, to: &nested, expected: relationship.destination, leavingOut: property.inverse,
                nesting: nesting + 1)
        }
    }

    /// Writes the identity of an object that another one's identity includes.
    private func writeOwner(
        _ relationship: CodingPlan.Relationship, of object: NSManagedObject, to container: inout Container, nesting: Int
    ) throws {
        guard let owner = owner(of: object, relationship.number, relationship.property) else {
            return try container.encodeNil(forKey: relationship.key)
        }
        var nested = container.nestedContainer(keyedBy: CodingPlan.Key.self, forKey: relationship.key)
        try write(
            owner, to: &nested, expected: relationship.destination, leavingOut: relationship.property.inverse,
            nesting: nesting + 1, isReference: true)
    }

    private func owner(of object: NSManagedObject, _ number: Int, _ property: GraphSchema.Property) -> NSManagedObject?
    {
        presence.remaining(object.relatedObjects(number, property)).first
    }

    /// Whether an object can be found by its identity, and so can the objects that are a part of it.
    private func isNamed(_ object: NSManagedObject, depth: Int = 0) throws -> Bool {
        let plan = plans[try compiled.number(of: object.entity)]
        if plan.entity.relatedIdentity.isEmpty { return try object.isIdentified(by: plan.entity) }
        guard depth < options.maximumNesting, try object.isIdentifiedWithOwner(by: plan.entity) else { return false }
        return try plan.entity.identityRelationships.allSatisfy { part in
            let property = plan.entity.properties[part]
            guard plan.written.has(relationship: part),
                options.relationships.follow(property, of: plan.number, in: compiled.schema)
            else { return false }
            return try owner(of: object, part, property).map { try isNamed($0, depth: depth + 1) } ?? true
        }
    }

    /// Whether an object can't be written here: it is on the way to itself and has nothing to be found by.
    private func isLeftOut(_ object: NSManagedObject) throws -> Bool {
        guard states[ObjectIdentifier(object)] == .onTheWay else { return false }
        return try !isNamed(object)
    }

    // MARK: Attributes

    private func write(
        _ attribute: CodingPlan.Attribute, of object: NSManagedObject, _ plan: CodingPlan,
        to container: inout Container
    ) throws {
        let key = attribute.key
        let value = try object.graphValue(attribute.number, attribute.property)
        if let transformer = attribute.transformer {
            return try write(value, by: transformer, attribute, plan, to: &container)
        }
        switch value {
        case .null: if saysNull(attribute, plan) { try container.encodeNil(forKey: key) }
        case .boolean(let value): try container.encode(value, forKey: key)
        case .integer(let value): try container.encode(value, forKey: key)
        case .double(let value) where attribute.kind == .float: try container.encode(Float(value), forKey: key)
        case .double(let value): try container.encode(value, forKey: key)
        case .decimal(let value): try container.encode(value, forKey: key)
        case .string(let value): try container.encode(value, forKey: key)
        case .date(let value): try container.encode(Date(timeIntervalSinceReferenceDate: value), forKey: key)
        case .data(let value): try container.encode(value, forKey: key)
        case .uuid(let value): try container.encode(value, forKey: key)
        case .uri(let value): try container.encode(value, forKey: key)
        case .json(let tree):
            let value: JSONValue =
                AttributeConverter.needsWrapper(tree)
                ? .object(JSONValue.Object([(AttributeConverter.treeKey, tree)])) : tree
            try container.encode(value, forKey: key)
        case .encoded(let bytes):
            let text = JSONValue.string(bytes.base64EncodedString())
            try container.encode(JSONValue.object(JSONValue.Object([(AttributeConverter.bytesKey, text)])), forKey: key)
        }
    }

    /// Writes what a transformer makes of a value; a transformer that only goes the other way takes the key away.
    private func write(
        _ value: GraphValue, by transformer: NamedTransformer, _ attribute: CodingPlan.Attribute, _ plan: CodingPlan,
        to container: inout Container
    ) throws {
        guard transformer.isReversible else { return }
        guard let object = value.object else {
            if saysNull(attribute, plan) { try container.encodeNil(forKey: attribute.key) }
            return
        }
        guard let made = transformer.json(for: object) else { return }
        do {
            try container.encode(JSONValue(convertingObject: made), forKey: attribute.key)
        } catch let error as GraftError {
            let place = ManagedObjectDecoder.place(container.codingPath + [attribute.key], plan.entity.name)
            throw error.located(in: place)
        }
    }
}
