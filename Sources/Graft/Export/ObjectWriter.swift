// An object as JSON, with what it leads to. Safe on any graph: within one top-level object, the relationships of an object
// are followed once. Where it is met again, it is written as its identifier or, without one, with its attributes alone.
// So what is written is linear in the number of objects and links that are reached.

import CoreData

/// Writes objects by the ordinary mapping.
struct ObjectWriter {
    private let plans: [ExportPlan]
    private let numbers: [ObjectIdentifier: Int]
    private let options: ExportOptions
    /// The objects whose relationships have been followed since the last top-level object began.
    private var expanded: Set<ObjectIdentifier> = []
    private var nesting = 0

    init(_ model: NSManagedObjectModel, _ options: ExportOptions) throws {
        let mapping = try GraphMapping(model, options.mapping)
        self.options = options
        plans = try mapping.schema.entities.indices.map { number in
            let entity = mapping.schema.entities[number]
            return try ExportPlan(number, in: mapping) { property, mapping in
                if let form = mapping.exportForm ?? options.relationshipForm { return form }
                return mapping.isDeclared || entity.properties[property].isOwning ? .nested : .identifier
            }
        }
        let entities = model.entitiesByName
        numbers = Dictionary(
            plans.compactMap { plan in entities[plan.name].map { (ObjectIdentifier($0), plan.number) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The names of the relationships that the objects of an entity are written with: worth fetching with them.
    func relationshipNames(of entity: String) -> [String] {
        guard let plan = plans.first(where: { $0.name == entity }) else { return [] }
        return Self.relationships(in: plan.items).map { plan.properties[$0].name }
    }

    private static func relationships(in items: [ExportPlan.Item]) -> [Int] {
        items.flatMap { item -> [Int] in
            switch item.content {
            case .attribute, .transformed: []
            case .toOne(let number, _), .toMany(let number, _): [number]
            case .step(let items): relationships(in: items)
            }
        }
    }

    /// Writes a top-level object.
    mutating func write(_ object: NSManagedObject, to writer: inout JSONWriter) throws {
        expanded.removeAll(keepingCapacity: true)
        try writeNested(object, cameFrom: nil, to: &writer)
    }

    private func plan(of object: NSManagedObject) throws -> ExportPlan {
        if let number = numbers[ObjectIdentifier(object.entity)] { return plans[number] }
        throw GraftError(.unknownEntity(object.entity.name ?? "", closest: nil))
    }

    /// Writes an object with all its keys.
    ///
    /// - Parameter inverse: The relationship that leads back to where the object was met, which is left out.
    private mutating func writeNested(
        _ object: NSManagedObject, cameFrom inverse: Int?, to writer: inout JSONWriter
    ) throws {
        let plan = try plan(of: object)
        var followsRelationships = true
        if plan.isExpanding {
            followsRelationships = nesting < options.maximumNesting && !expanded.contains(ObjectIdentifier(object))
            if !followsRelationships, try writeIdentifier(of: object, plan, to: &writer) { return }
            if followsRelationships { expanded.insert(ObjectIdentifier(object)) }
        }
        nesting += 1
        try writer.beginObject()
        try write(plan.items, of: object, plan, leavingOut: inverse, followsRelationships, to: &writer)
        try writer.endObject()
        nesting -= 1
    }

    private mutating func write(
        _ items: [ExportPlan.Item], of object: NSManagedObject, _ plan: ExportPlan, leavingOut inverse: Int?,
        _ followsRelationships: Bool, to writer: inout JSONWriter
    ) throws {
        for item in items {
            switch item.content {
            case .attribute(let number, let converter):
                let value = try object.graphValue(number, plan.properties[number])
                if value.isNull, !options.includesNulls { continue }
                try writer.key(item.key)
                if options.writesNullForWhatHasNoForm, !value.hasJSONForm {
                    try writer.null()
                } else {
                    try plan.write(value, number, converter, to: &writer)
                }
            case .transformed(let number, let transformer):
                // A transformer that has no JSON value for this one takes the key away, as in Groot.
                guard let json = try json(number, of: object, plan, by: transformer) else { continue }
                if json.isNull, !options.includesNulls { continue }
                try writer.key(item.key)
                try writer.value(json)
            case .toOne(let number, let form):
                guard followsRelationships, number != inverse else { continue }
                let destination = object.destination(number, plan.properties[number])
                if destination == nil, !options.includesNulls { continue }
                try writer.key(item.key)
                guard let destination else {
                    try writer.null()
                    continue
                }
                try writeRelated(destination, form, cameFrom: plan.properties[number].inverse, to: &writer)
            case .toMany(let number, let form):
                guard followsRelationships, number != inverse else { continue }
                try writer.key(item.key)
                try writer.beginArray()
                for member in object.members(number, plan.properties[number]) {
                    try writeRelated(member, form, cameFrom: plan.properties[number].inverse, to: &writer)
                }
                try writer.endArray()
            case .step(let items):
                try writer.key(item.key)
                try writer.beginObject()
                try write(items, of: object, plan, leavingOut: inverse, followsRelationships, to: &writer)
                try writer.endObject()
            }
        }
    }

    private func json(
        _ number: Int, of object: NSManagedObject, _ plan: ExportPlan, by transformer: NamedTransformer
    ) throws -> JSONValue? {
        do {
            return try plan.json(number, of: object, by: transformer)
        } catch let error as GraftError {
            guard options.writesNullForWhatHasNoForm, case .notRepresentable = error.problem else { throw error }
            return .null
        }
    }

    private mutating func writeRelated(
        _ object: NSManagedObject, _ form: ExportOptions.RelationshipForm, cameFrom inverse: Int?,
        to writer: inout JSONWriter
    ) throws {
        if form == .nested { return try writeNested(object, cameFrom: inverse, to: &writer) }
        let plan = try plan(of: object)
        if try writeIdentifier(of: object, plan, to: &writer) { return }
        try writer.beginObject()
        try write(plan.items, of: object, plan, leavingOut: nil, false, to: &writer)
        try writer.endObject()
    }

    /// Writes the identifier of an object: one value, or an object with several. Returns false where it has none.
    private mutating func writeIdentifier(
        of object: NSManagedObject, _ plan: ExportPlan, to writer: inout JSONWriter
    ) throws -> Bool {
        guard try plan.isIdentified(object) else { return false }
        if try plan.writeBareIdentifier(of: object, to: &writer) { return true }
        try writer.beginObject()
        try write(plan.identityItems, of: object, plan, leavingOut: nil, false, to: &writer)
        try writer.endObject()
        return true
    }
}
