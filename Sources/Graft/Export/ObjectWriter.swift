// An object as JSON, with what it leads to. Safe on any graph: an object that nested ones can lead back to is nested in full
// once. Where it is met again, it is written as its identifier or, without one, with its attributes alone. So what is written
// is linear in the number of objects and links that are reached.

import CoreData

/// Writes objects by the ordinary mapping.
final class ObjectWriter: ItemWriter {
    typealias Object = NSManagedObject

    let form: ExportForm
    let numbers: EntityNumbers
    let options: ExportOptions
    /// The objects, of those that can be met again, that have been nested in full, with their identifiers where these are
    /// single values: so they needn't be read again. By ID, because objects may be let go meanwhile.
    var expanded: [ObjectIDKey: GraphValue?] = [:]
    var nesting = 0
    var readAhead: NestedReadAhead
    /// Nil where everything is written.
    let changes: ExportChanges?
    let presence = PresenceCheck()
    var plans: [ExportPlan] { form.plans }
    var isCyclic: [Bool] { form.isCyclic }
    /// Nil where what can't be read isn't looked for.
    let damage: GraphDamage?
    /// Nil where nobody wants to know them.
    let losses: ExportLosses?
    private let nestedChanges: NestedChanges?

    init(_ model: NSManagedObjectModel, _ options: ExportOptions, _ damage: GraphDamage? = nil) throws {
        self.damage = damage
        let mapping = try GraphMapping(model, options.mapping)
        self.options = options
        let form = try ExportForm(mapping, options)
        let (plans, nested, isCyclic) = (form.plans, form.nested, form.isCyclic)
        let numbers = EntityNumbers(model, form.schema)
        readAhead = NestedReadAhead(
            plans, numbers,
            relationships: zip(plans, nested).map { plan, nested in
                nested.filter { plan.properties[$0].destination.map { isCyclic[$0] } ?? false }
            })
        changes = try ExportChanges(options.scope, model, mapping.schema, plans)
        nestedChanges = changes.map { NestedChanges($0, plans, numbers, nested: nested, options) }
        self.form = form
        self.numbers = numbers
        losses = options.onLoss.map { _ in ExportLosses(mapping.schema) }
    }

    /// The names of the relationships that the objects of an entity are written with: worth fetching with them. Without
    /// those whose objects mostly have been written already.
    func relationshipNames(of entity: String) -> [String] {
        guard let plan = plans.first(where: { $0.name == entity }) else { return [] }
        let nested = form.nested[plan.number].filter { number in
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

    func note(
        _ object: NSManagedObject, as entity: Int?, by link: (property: GraphSchema.Property, owner: NSManagedObject)?
    ) throws {
        try note(object, as: entity, by: link, in: losses)
    }

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
        if options.leavesOutWhatIsGone, presence.isGone(object) {
            try writer.beginObject()
            return try writer.endObject()
        }
        try presence.require(object)
        try prepare([object])
        try writeNested(object, cameFrom: nil, to: &writer)
    }

    func plan(of object: NSManagedObject) throws -> ExportPlan {
        plans[try numbers.number(of: object.entity)]
    }

    func writeNested(_ object: NSManagedObject, cameFrom inverse: Int?, to writer: inout JSONWriter) throws {
        let plan = try plan(of: object)
        // Before anything is kept by its ID.
        if options.stableIdentifierKey != nil, try !isIdentified(object, plan) { try makeIdentifierStable(of: object) }
        var followsRelationships = try options.nests(at: nesting, isIdentified: isIdentified(object, plan))
        if followsRelationships, plan.isExpanding, isCyclic[plan.number] {
            if nesting > 0, let identifier = expanded[object.objectID.lookupKey] {
                if let identifier { return try write(known: identifier, plan, to: &writer) }
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
            if try nesting > 0 && !isIdentified(object, plan) { change = .all }
            if nesting > 0, change?.isEmpty ?? false, try !hasChanges(object, cameFrom: inverse),
                try writeIdentifier(of: object, plan, to: &writer)
            {
                return
            }
        }
        nesting += 1
        try writeObject(
            plan.items,
            ExportPass(
                object: object, plan: plan, inverse: inverse, change: change,
                followsRelationships: followsRelationships), to: &writer)
        nesting -= 1
    }

    func requireNull(_ number: Int, _ pass: ExportPass<Object>) throws {
        try damage?.requireFile(of: pass.object, pass.plan.properties[number].name)
    }

    func leavesOut(formless value: String, of property: String, from object: NSManagedObject) throws -> Bool {
        try damage?.noteFormless(value, of: property, from: object)
        return damage != nil
    }

    // MARK: Names

    /// The URI of an object's ID.
    func name(of object: NSManagedObject, ifNested: Bool) throws -> String? {
        if ifNested, expanded[object.objectID.lookupKey] == nil { return nil }
        try makeIdentifierStable(of: object)
        return object.objectID.uriRepresentation().absoluteString
    }

    /// Gives an object its permanent ID.
    private func makeIdentifierStable(of object: NSManagedObject) throws {
        guard object.objectID.isTemporaryID else { return }
        try object.managedObjectContext?.obtainPermanentIDs(for: [object])
    }

    // MARK: Changes

    func isWritten(_ item: ExportPlan.Item, _ pass: ExportPass<Object>) throws -> Bool {
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

    private func hasChangedMember(_ number: Int, of pass: ExportPass<Object>) throws -> Bool {
        let property = pass.plan.properties[number]
        return try pass.object.relatedObjects(number, property).contains {
            try hasChanges($0, cameFrom: property.inverse)
        }
    }

    /// Whether an object, or anything that would be nested in it here, has changed.
    private func hasChanges(_ object: NSManagedObject, cameFrom inverse: Int?) throws -> Bool {
        guard let nestedChanges else { return true }
        return try nestedChanges.reach(of: object, cameFrom: inverse).map { $0 >= nesting } ?? false
    }
}
