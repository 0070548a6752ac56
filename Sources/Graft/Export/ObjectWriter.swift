// An object as JSON, with what it leads to. Safe on any graph: an object that nested ones can lead back to is nested in full
// once. Where it is met again, it is written as its identifier or, without one, with its attributes alone. So what is written
// is linear in the number of objects and links that are reached.

import CoreData

/// Writes objects by the ordinary mapping.
final class ObjectWriter {
    let plans: [ExportPlan]
    let numbers: [ObjectIdentifier: Int]
    let options: ExportOptions
    /// By entity: the relationships that are nested, and whether nested objects can lead back to an object.
    private let nested: [[Int]]
    let isCyclic: [Bool]
    /// The objects, of those that can be met again, that have been nested in full, with their identifiers where these are
    /// single values: so they needn't be read again. By ID, because objects may be let go meanwhile.
    var expanded: [ObjectIDKey: GraphValue?] = [:]
    var nesting = 0
    var readAhead: NestedReadAhead
    /// Nil where everything is written.
    let changes: ExportChanges?
    let presence = PresenceCheck()
    /// Nil where what can't be read isn't looked for.
    let damage: GraphDamage?
    private let nestedChanges: NestedChanges?

    init(_ model: NSManagedObjectModel, _ options: ExportOptions, _ damage: GraphDamage? = nil) throws {
        self.damage = damage
        let mapping = try GraphMapping(model, options.mapping)
        self.options = options
        let form = try ExportForm(mapping, options)
        let (plans, nested, isCyclic) = (form.plans, form.nested, form.isCyclic)
        self.nested = nested
        let entities = model.entitiesByName
        let numbers = Dictionary(
            plans.compactMap { plan in entities[plan.name].map { (ObjectIdentifier($0), plan.number) } },
            uniquingKeysWith: { first, _ in first })
        readAhead = NestedReadAhead(
            plans, numbers,
            relationships: zip(plans, nested).map { plan, nested in
                nested.filter { plan.properties[$0].destination.map { isCyclic[$0] } ?? false }
            })
        self.isCyclic = isCyclic
        changes = try ExportChanges(options.scope, model, mapping.schema, plans)
        nestedChanges = changes.map { NestedChanges($0, plans, numbers, nested: nested) }
        self.plans = plans
        self.numbers = numbers
    }

    /// The names of the relationships that the objects of an entity are written with: worth fetching with them. Without
    /// those whose objects mostly have been written already.
    func relationshipNames(of entity: String) -> [String] {
        guard let plan = plans.first(where: { $0.name == entity }) else { return [] }
        let nested = nested[plan.number].filter { number in
            plan.properties[number].destination.map { isCyclic[$0] } ?? false
        }
        return Self.relationships(in: plan.items).filter { !nested.contains($0) }.map { plan.properties[$0].name }
    }

    private static func relationships(in items: [ExportPlan.Item]) -> [Int] {
        items.flatMap { item -> [Int] in
            switch item.content {
            case .toOne(let number, _), .toMany(let number, _): [number]
            case .step(let items): relationships(in: items)
            default: []
            }
        }
    }

    // MARK: Objects

    /// Looks for changes in objects that are going to be written, together: that is faster.
    func prepare(_ objects: [NSManagedObject]) throws { try nestedChanges?.explore(objects) }

    /// Writes an object at the top, unless only changes are written and it has none. Returns whether it was written.
    func write(_ object: NSManagedObject, to writer: inout JSONWriter) throws -> Bool {
        if changes != nil, try !hasChanges(object, cameFrom: nil) { return false }
        try writeAlways(object, to: &writer)
        return true
    }

    /// Writes an object at the top.
    func writeAlways(_ object: NSManagedObject, to writer: inout JSONWriter) throws {
        if options.repeatsObjects { expanded.removeAll(keepingCapacity: true) }
        defer { readAhead.removeAll() }
        if options.writesNullForWhatHasNoForm, presence.isGone(object) {
            try writer.beginObject()
            return try writer.endObject()
        }
        try presence.require(object)
        try prepare([object])
        try writeNested(object, cameFrom: nil, to: &writer)
    }

    func plan(of object: NSManagedObject) throws -> ExportPlan {
        if let number = numbers[ObjectIdentifier(object.entity)] { return plans[number] }
        throw GraftError(.unknownEntity(object.entity.name ?? "", closest: nil))
    }

    /// Writes an object with all its keys or, if it isn't to be nested here, as its identifier.
    ///
    /// - Parameter inverse: The relationship that leads back to where the object was met, which is left out.
    private func writeNested(
        _ object: NSManagedObject, cameFrom inverse: Int?, to writer: inout JSONWriter
    ) throws {
        let plan = try plan(of: object)
        // Before anything is kept by its ID.
        if options.stableIdentifierKey != nil { try makeIdentifierStable(of: object, plan) }
        var followsRelationships = nesting == 0 || nesting < options.maximumNesting
        if followsRelationships, plan.isExpanding, isCyclic[plan.number] {
            if nesting > 0, let identifier = expanded[object.objectID.lookupKey] {
                if let identifier { return try plan.write(bareIdentifier: identifier, to: &writer) }
                followsRelationships = false
            } else if expanded[object.objectID.lookupKey] == nil {
                expanded.updateValue(try plan.bareIdentifier(of: object), forKey: object.objectID.lookupKey)
                readAhead.remove(object.objectID.lookupKey)
            }
        }
        if !followsRelationships, try writeIdentifier(of: object, plan, to: &writer) { return }
        var change: ExportChanges.Change?
        if let changes {
            change = changes.change(of: object)
            // What can't be referred to is written whole.
            if try nesting > 0 && !plan.isIdentified(object) { change = .all }
            if nesting > 0, change?.isEmpty ?? false, try !hasChanges(object, cameFrom: inverse),
                try writeIdentifier(of: object, plan, to: &writer)
            {
                return
            }
        }
        nesting += 1
        try writer.beginObject()
        let pass = Pass(object: object, plan: plan, inverse: inverse, change: change, followsRelationships)
        try write(plan.items, pass, to: &writer)
        try writer.endObject()
        nesting -= 1
    }

    /// What holds for all keys of one object.
    struct Pass {
        let object: NSManagedObject
        let plan: ExportPlan
        /// The relationship that is left out, because it leads back.
        let inverse: Int?
        /// What has changed, if only that is written.
        let change: ExportChanges.Change?
        let followsRelationships: Bool

        init(
            object: NSManagedObject, plan: ExportPlan, inverse: Int?, change: ExportChanges.Change?,
            _ followsRelationships: Bool
        ) {
            self.object = object
            self.plan = plan
            self.inverse = inverse
            self.change = change
            self.followsRelationships = followsRelationships
        }
    }

    private func write(
        _ items: [ExportPlan.Item], _ pass: Pass, to writer: inout JSONWriter
    ) throws {
        let (object, plan) = (pass.object, pass.plan)
        for item in items {
            if pass.change != nil, try !isWritten(item, pass) { continue }
            switch item.content {
            case .attribute(let number, let converter):
                let value = try object.graphValue(number, plan.properties[number])
                if value.isNull {
                    try damage?.requireFile(of: object, plan.properties[number].name)
                    if !item.writesNull { continue }
                }
                try writer.key(item.key)
                if options.writesNullForWhatHasNoForm, !value.hasJSONForm {
                    try writer.null()
                } else {
                    try plan.write(value, number, converter, to: &writer)
                }
            case .transformed(let number, let transformer):
                // A transformer that has no JSON value for this one takes the key away, as in Groot.
                guard let json = try json(number, of: object, plan, by: transformer) else { continue }
                if json.isNull, !item.writesNull { continue }
                try writer.key(item.key)
                try writer.value(json)
            case .toOne(let number, let form):
                guard pass.followsRelationships, number != pass.inverse else { continue }
                let related = try related(number, form, pass)
                if related.isEmpty, !item.writesNull { continue }
                try writer.key(item.key)
                if related.isEmpty { try writer.null() }
                try write(related, form, cameFrom: plan.properties[number].inverse, to: &writer)
            case .toMany(let number, let form):
                guard pass.followsRelationships, number != pass.inverse else { continue }
                let related = try related(number, form, pass)
                // Among changes, an empty array says that the members have gone.
                if related.isEmpty, !item.writesNull, pass.change == nil { continue }
                try writer.key(item.key)
                try writer.beginArray()
                try write(related, form, cameFrom: plan.properties[number].inverse, to: &writer)
                try writer.endArray()
            case .constant(let text):
                try writer.key(item.key)
                try writer.string(text)
            case .stableIdentifier:
                if try plan.isIdentified(object) { continue }
                try writer.key(item.key)
                try writer.string(stableIdentifier(of: object))
            case .step(let items):
                try writer.key(item.key)
                try writer.beginObject()
                try write(items, pass, to: &writer)
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

    // MARK: Related objects

    private func write(
        _ related: Related, _ form: ExportOptions.RelationshipForm, cameFrom inverse: Int?, to writer: inout JSONWriter
    ) throws {
        switch related {
        case .known(let known):
            for object in known { try object.plan.write(bareIdentifier: object.identifier, to: &writer) }
        case .objects(let objects):
            for object in objects { try writeRelated(object, form, cameFrom: inverse, to: &writer) }
        }
    }

    private func writeRelated(
        _ object: NSManagedObject, _ form: ExportOptions.RelationshipForm, cameFrom inverse: Int?,
        to writer: inout JSONWriter
    ) throws {
        if form == .nested { return try writeNested(object, cameFrom: inverse, to: &writer) }
        let plan = try plan(of: object)
        if options.stableIdentifierKey != nil { try makeIdentifierStable(of: object, plan) }
        if try writeIdentifier(of: object, plan, to: &writer) { return }
        try writer.beginObject()
        try write(
            plan.items, Pass(object: object, plan: plan, inverse: nil, change: nil, false), to: &writer)
        try writer.endObject()
    }

    /// Writes the identifier of an object: one value, or an object with several, or with the name of an object that has no
    /// identity. Returns false where there is none of these.
    private func writeIdentifier(
        of object: NSManagedObject, _ plan: ExportPlan, to writer: inout JSONWriter
    ) throws -> Bool {
        guard try plan.isIdentified(object) else {
            // Where it is nested in full, its other keys follow.
            guard let key = options.stableIdentifierKey, expanded[object.objectID.lookupKey] != nil else {
                return false
            }
            try writer.beginObject()
            try writer.key(key)
            try writer.string(stableIdentifier(of: object))
            try writer.endObject()
            return true
        }
        if try plan.writeBareIdentifier(of: object, to: &writer) { return true }
        try writer.beginObject()
        try write(
            plan.identityItems, Pass(object: object, plan: plan, inverse: nil, change: nil, true), to: &writer)
        try writer.endObject()
        return true
    }

    /// The URI of an object's ID.
    private func stableIdentifier(of object: NSManagedObject) -> String {
        object.objectID.uriRepresentation().absoluteString
    }

    /// Gives an object without identity its permanent ID.
    private func makeIdentifierStable(of object: NSManagedObject, _ plan: ExportPlan) throws {
        guard object.objectID.isTemporaryID, try !plan.isIdentified(object) else { return }
        try object.managedObjectContext?.obtainPermanentIDs(for: [object])
    }

    // MARK: Changes

    /// Whether a key is written where only changes are.
    private func isWritten(_ item: ExportPlan.Item, _ pass: Pass) throws -> Bool {
        switch item.content {
        case .constant, .stableIdentifier: return true
        case .step(let items): return try items.contains { try isWritten($0, pass) }
        case .attribute(let number, _), .transformed(let number, _):
            return pass.change?.contains(number) ?? true || pass.plan.identity.contains(number)
        case .toOne(let number, let form), .toMany(let number, let form):
            if pass.change?.contains(number) ?? true || pass.plan.identity.contains(number) { return true }
            guard form == .nested, pass.followsRelationships, number != pass.inverse else { return false }
            return try hasChangedMember(number, of: pass)
        }
    }

    private func hasChangedMember(_ number: Int, of pass: Pass) throws -> Bool {
        let property = pass.plan.properties[number]
        return try pass.object.relatedObjects(number, property).contains {
            try hasChanges($0, cameFrom: property.inverse)
        }
    }

    /// Whether an object, or anything that would be nested in it here, has changed.
    private func hasChanges(_ object: NSManagedObject, cameFrom inverse: Int?) throws -> Bool {
        guard let nestedChanges else { return true }
        guard let distance = try nestedChanges.distance(from: object, cameFrom: inverse) else { return false }
        return distance == 0 || distance <= options.maximumNesting - nesting
    }
}
