// From a decoder's containers to objects of a context. The attributes of an object come first, then it is found by its
// identity or made, then its relationships follow: so an object that leads back to itself finds itself.
//
// Values are in +Values, relationships in +Relationships, nested objects without identity in +Members, those whose identity
// includes their owner in +Owners, finding objects in DecodedObjects.swift.

import CoreData
import Foundation

/// Decodes one object with what is nested in it.
final class ManagedObjectDecoder {
    typealias Container = KeyedDecodingContainer<CodingPlan.Key>
    /// The value of an attribute.
    typealias Value = (number: Int, value: GraphValue)

    let options: ManagedCodingOptions
    let known: DecodedObjects
    let plans: [CodingPlan]
    let schema: GraphSchema
    let editor: ObjectEditor
    /// Of the values of the current object, the places that they come from, where there are several.
    private var ranks: [Int: Int] = [:]
    /// The objects whose identity includes their owner, as far as the data has named them.
    var related: [OwnedIdentity<Owner>: NSManagedObject] = [:]
    /// Room for the attributes of one object.
    private var buffer: [Value] = []

    // MARK: Beginning

    /// Decodes an object of a class.
    static func decode<Class: NSManagedObject>(_ type: Class.Type, from decoder: any Decoder) throws -> Class {
        let userInfo = decoder.userInfo
        guard let context = userInfo[.managedObjectContext] as? NSManagedObjectContext else {
            throw GraftError(
                .other(
                    finding: "the decoder has no managed object context",
                    remedy: "Set decoder.managedObjectContext, or decoder.userInfo[.managedObjectContext]."),
                at: place(decoder.codingPath, nil))
        }
        let model = try context.requiredModel()
        let options = userInfo[.managedCodingOptions] as? ManagedCodingOptions ?? ManagedCodingOptions()
        let session = DecodingSession.of(context)
        let run = try session.begin(model, options)
        let entity = try run.known.number(of: type, in: model, for: decoder)
        let object: Class = try run.decode(entity, decoder, session.log)
        session.end(run)
        return object
    }

    init(
        _ options: ManagedCodingOptions, _ plans: [CodingPlan], _ known: DecodedObjects,
        _ context: NSManagedObjectContext
    ) {
        self.options = options
        self.plans = plans
        self.known = known
        schema = known.compiled.schema
        editor = ObjectEditor(context, schema, takesStock: false)
    }

    private func decode<Class: NSManagedObject>(
        _ entity: Int, _ decoder: any Decoder, _ log: ObjectEditor?
    ) throws -> Class {
        let container = try decoder.container(keyedBy: CodingPlan.Key.self)
        known.begin()
        if log == nil { known.forgetUntold() }
        defer {
            known.end()
            related.removeAll()
        }
        let givenUpCount = known.givenUpCount
        do {
            let decoded = try editor.atomically {
                let object = try object(in: container, expected: entity, nesting: 0)
                guard let decoded = object as? Class else {
                    throw GraftError(
                        .wrongType(found: "an object of the class \(type(of: object))", expected: "a \(Class.self)"),
                        at: Self.place(decoder.codingPath, object.entity.name))
                }
                // Whoever began decides for those that an object decodes when it is made.
                if log == nil, givenUpCount == 0 { try known.deleteGivenUp(editor) }
                return decoded
            }
            editor.end(log)
            return decoded
        } catch {
            known.forget()
            known.givenUpCount = givenUpCount
            if log == nil { known.forgetGivenUp() }
            throw error
        }
    }

    // MARK: Objects

    /// - Parameter back: Where the inverse of the relationship leads that the object is nested in.
    func object(in container: Container, expected: Int, _ back: End? = nil, nesting: Int) throws -> NSManagedObject {
        let plan = try plan(for: container, expected: expected, nesting: nesting)
        var values: [Value] = []
        swap(&values, &buffer)
        try readAttributes(plan.top, in: container, plan, into: &values)
        let (object, count) =
            plan.entity.relatedIdentity.isEmpty
            ? try findOrMake(plan, values, container)
            : try findOrMake(Member(container: container, plan: plan, values: values), back, nesting)
        values.removeAll(keepingCapacity: true)
        swap(&values, &buffer)
        if plan.top.hasRelationships {
            try readRelationships(plan, in: container, of: object, knownCount: count, nesting: nesting)
        }
        return object
    }

    /// The plan of a container's object.
    func plan(for container: Container, expected: Int, nesting: Int) throws -> CodingPlan {
        guard nesting < options.maximumNesting else {
            throw GraftError(.tooDeep(limit: options.maximumNesting), at: Self.place(container.codingPath, nil))
        }
        return plans[try entity(in: container, expected: expected)]
    }

    /// The entity of a container's object.
    private func entity(in container: Container, expected: Int) throws -> Int {
        guard let name = try container.decodeIfPresent(String.self, forKey: .entity) else { return expected }
        let place = Self.place(container.codingPath + [CodingPlan.Key.entity], nil)
        guard let number = schema.number(ofEntity: name) else {
            throw GraftError.unknownEntity(name, among: schema.entities.map(\.name), at: place)
        }
        if schema.isEntity(number, kindOf: expected) { return number }
        throw GraftError(
            .wrongType(found: "an object of \(name)", expected: "one of \(schema.entities[expected].name)"),
            at: Self.place(container.codingPath + [CodingPlan.Key.entity], name))
    }

    /// Reads the attributes of an object.
    func readAttributes(
        _ level: CodingPlan.Level, in container: Container, _ plan: CodingPlan, into values: inout [Value]
    ) throws {
        for attribute in level.attributes {
            guard let value = try value(of: attribute, in: container, plan) else { continue }
            enter(value, of: attribute, into: &values)
        }
        for (key, level) in level.steps where container.contains(key) {
            if try container.decodeNil(forKey: key) {
                clear(level, in: &values)
                continue
            }
            let below = try container.nestedContainer(keyedBy: CodingPlan.Key.self, forKey: key)
            try readAttributes(level, in: below, plan, into: &values)
        }
    }

    /// Null on the way to attributes is null for them.
    private func clear(_ level: CodingPlan.Level, in values: inout [Value]) {
        for attribute in level.attributes { enter(.null, of: attribute, into: &values) }
        for (_, level) in level.steps { clear(level, in: &values) }
    }

    /// Takes the value of an attribute. It may stand in several places, of which the first one counts, and null may not be nil.
    @inline(__always)
    private func enter(_ value: GraphValue, of attribute: CodingPlan.Attribute, into values: inout [Value]) {
        guard let rank = attribute.rank else { return values.append((attribute.number, value)) }
        guard let value = value.isNull ? attribute.null : value else { return }
        if let known = values.firstIndex(where: { $0.number == attribute.number }) {
            if ranks[attribute.number] ?? 0 < rank { return }
            values.remove(at: known)
        }
        ranks[attribute.number] = rank
        values.append((attribute.number, value))
    }

    /// Returns the object with the identity among some values, or a new one, and sets the values.
    ///
    /// - Returns: With the object, how many of the plan's properties one that was there has; nil for a new one.
    func findOrMake(
        _ plan: CodingPlan, _ values: [Value], _ container: Container
    ) throws -> (object: NSManagedObject, knownCount: Int?) {
        let properties = plan.entity.properties
        let identity = options.existingObjects == .insert ? nil : Self.identity(of: plan, in: values)
        if let identity, let (object, entity) = try known.object(identity, plan.number) {
            if !plan.entity.isAbstract,
                let new = try known.succeed(object, entity, by: plan.number, identity, editor)
            {
                try update(new, plan, values, properties.count, container)
                try requireValues(plan.top, of: new, plan, container)
                return (new, properties.count)
            }
            try requireKind(object, entity, plan, values, container)
            // An object that was found as one of another entity has only what both have.
            let count = schema.commonPropertyCount(entity, plan.number)
            try update(object, plan, values, count, container)
            return (object, count)
        }
        if options.existingObjects == .update || plan.entity.isAbstract {
            throw refusalOfNew(plan, identity, container)
        }
        let object = known.make(plan.number)
        editor.made(object)
        for (number, value) in values { try object.assign(value, number, properties[number]) }
        try requireValues(plan.top, of: object, plan, container)
        // Objects that aren't looked up are found nevertheless, when other options look for them.
        if let identity = identity ?? Self.identity(of: plan, in: values) { known.enter(object, identity, plan.number) }
        return (object, nil)
    }

    /// Sets values that an object doesn't have.
    ///
    /// - Parameter count: How many of the plan's properties the object has.
    func update(
        _ object: NSManagedObject, _ plan: CodingPlan, _ values: [Value], _ count: Int, _ container: Container
    ) throws {
        known.noteMention(of: object)
        for (number, value) in values {
            let property = plan.entity.properties[number]
            if number >= count {
                if value.isNull { continue }
                throw Self.leftOut(property, of: object, container)
            }
            if value.isNull, !property.isOptional { throw Self.null(property, plan, container) }
            _ = try editor.set(value, number, property, of: object)
        }
    }

    /// Refuses data about an object of another entity where the model says that this is an error, or that another object takes its place.
    private func requireKind(
        _ object: NSManagedObject, _ entity: Int, _ plan: CodingPlan, _ values: [Value], _ container: Container
    ) throws {
        if schema.isEntity(entity, kindOf: plan.number) || known.compiled.kinds[plan.number].change == .keep
            || values.allSatisfy({ plan.entity.identity.contains($0.number) })
        {
            return
        }
        throw GraftError(
            .other(
                finding: "the object is stored as a \(object.entity.name ?? ""), and the data says "
                    + "that it is a \(plan.entity.name)",
                remedy: "Import the data, which can replace it, or delete the stored object."),
            at: Self.place(container.codingPath, plan.entity.name))
    }

    /// Why an object that was found as one of another entity can't take a value. An import leaves it out with a line in its report.
    static func leftOut(
        _ property: GraphSchema.Property, of object: NSManagedObject, _ container: Container
    ) -> GraftError {
        var place = place(container.codingPath, object.entity.name)
        place.property = property.name
        return GraftError(
            .other(
                finding: "the object is stored as \(object.entity.name ?? ""), which has no '\(property.name)'",
                remedy: "Import the data, which can make it what they say, or delete the stored object."),
            at: place)
    }

    private static func null(
        _ property: GraphSchema.Property, _ plan: CodingPlan, _ container: Container
    ) -> DecodingError {
        .valueNotFound(
            Any.self,
            .init(
                codingPath: container.codingPath,
                debugDescription: "\(plan.entity.name).\(property.name) is mandatory, and the data has null for it."))
    }

    /// Refuses a new object without a value that the model demands and has no default for, as a struct's decoder does.
    ///
    /// - Throws: `DecodingError` with `keyNotFound` or `valueNotFound`.
    private func requireValues(
        _ level: CodingPlan.Level, of object: NSManagedObject, _ plan: CodingPlan, _ container: Container?
    ) throws {
        for attribute in level.attributes where !attribute.property.isOptional {
            guard try object.holds(.null, attribute.number, attribute.property) else { continue }
            let name = "\(plan.entity.name).\(attribute.property.name)"
            let isThere = container?.contains(attribute.key) ?? false
            let context = DecodingError.Context(
                codingPath: (container?.codingPath ?? []) + (isThere ? [attribute.key] : []),
                debugDescription: "\(name) is mandatory, and the data has \(isThere ? "null" : "nothing") for it.")
            if isThere { throw DecodingError.valueNotFound(Any.self, context) }
            throw DecodingError.keyNotFound(attribute.key, context)
        }
        for (key, level) in level.steps {
            let isThere = try container.map { try $0.contains(key) && !$0.decodeNil(forKey: key) } ?? false
            let below = isThere ? try container?.nestedContainer(keyedBy: CodingPlan.Key.self, forKey: key) : nil
            try requireValues(level, of: object, plan, below)
        }
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
            return GraftError(
                .unresolvedReference(entity: plan.entity.name, identity: identity.values.words), at: place)
        }
        return .abstractEntity(
            remedy: "Name one of its sub-entities under '\(CodingPlan.Key.entity.stringValue)'.", at: place)
    }

    /// The identity among some values; nil where it isn't complete.
    static func identity(of plan: CodingPlan, in values: [Value]) -> DecodedObjects.Identity? {
        DecodedObjects.Identity(plan.entity.identity) { part in
            for (number, value) in values where number == part { return value }
            return nil
        }
    }

    /// Where a coding path leads.
    static func place(_ path: [any CodingKey], _ entity: String?) -> GraftError.Place {
        GraftError.Place(path: path.map { $0.intValue.map { .index($0) } ?? .key($0.stringValue) }, entity: entity)
    }
}
