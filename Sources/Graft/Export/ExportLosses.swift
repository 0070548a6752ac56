// What an import of a text makes something else of, although nothing is wrong with it: objects of sub-entities in a text that doesn't
// tell their type, objects without identity that stand in it more than once, and values in whose places others are written.

import CoreData

/// What a text doesn't tell of the objects that are written.
final class ExportLosses {
    private struct Change: Hashable {
        var entity: String
        var taken: String
    }

    private struct Hiding: Hashable {
        var entity: String
        var property: String
        var written: String
    }

    private let schema: GraphSchema
    /// Objects of sub-entities that a text doesn't tell from those of the entity under which they stand.
    private var changed: [Change: Set<ObjectIDKey>] = [:]
    /// How an object without identity was met first. There may be as many as objects.
    private var ways = ObjectMarks()
    /// The objects that led to those which several can lead to by the same relationship.
    private var owners: [ObjectIDKey: ObjectIDKey] = [:]
    /// By entity: the objects without identity that stand at several places.
    private var multiplied: [String: Set<ObjectIDKey>] = [:]
    /// Objects with values that aren't written.
    private var hidden: [Hiding: Set<ObjectIDKey>] = [:]

    init(_ schema: GraphSchema) { self.schema = schema }

    /// Notes an object that is written with its keys.
    ///
    /// - Parameters:
    ///   - entity: That of the request, or of the relationship that leads to the object.
    ///   - link: The relationship and the object that has it; nil at the top. Where an import finds that object again, it finds what
    ///     belongs to it.
    func note(
        _ id: NSManagedObjectID, _ plan: ExportPlan, isIdentified: Bool, as entity: Int,
        by link: (property: GraphSchema.Property, owner: NSManagedObjectID)?
    ) {
        let key = id.lookupKey
        if plan.number != entity, !plan.tellsEntity {
            changed[Change(entity: plan.name, taken: schema.entities[entity].name), default: []].insert(key)
        }
        if isIdentified { return }
        let way = Self.way(link?.property, schema)
        guard let first = ways[key] else {
            ways[key] = way
            if way == Self.sharedWay { owners[key] = link?.owner.lookupKey }
            return
        }
        if first != way || way == Self.sharedWay && owners[key] != link?.owner.lookupKey {
            multiplied[plan.name, default: []].insert(key)
        }
    }

    /// That of a relationship by which several objects can lead to one.
    private static let sharedWay: UInt8 = 2

    /// The number of a way to an object: 1 for the top. Where only one object can lead there by a relationship, that one needn't be kept.
    private static func way(_ property: GraphSchema.Property?, _ schema: GraphSchema) -> UInt8 {
        guard let property else { return 1 }
        guard schema.isExclusive(property), let inverse = property.inverse else { return sharedWay }
        return UInt8(clamping: 3 + inverse)
    }

    /// Notes the values of an object that aren't written, because others stand in their places.
    func noteHidden(of object: some ExportedObject, _ id: NSManagedObjectID, _ plan: ExportPlan) throws {
        for (number, other) in plan.hidden {
            let (property, written) = (plan.properties[number], plan.properties[other])
            let value = try object.graphValue(number, property)
            if try written.isAttribute ? value == object.graphValue(other, written) : value.isNull { continue }
            hidden[Hiding(entity: plan.name, property: property.name, written: written.name), default: []].insert(
                id.lookupKey)
        }
    }

    /// A sentence for each entity, in a defined order.
    var sentences: [String] {
        let remedy = "graft export without --entity does, and graft archive."
        let types = changed.sorted { ($0.key.entity, $0.key.taken) < ($1.key.entity, $1.key.taken) }.map {
            change, objects in
            let subject =
                objects.count == 1
                ? "1 object of '\(change.entity)' is one" : "\(objects.count) objects of '\(change.entity)' are some"
            return
                "\(subject) of '\(change.taken)' after an import of this JSON, which doesn't tell the two apart. \(remedy)"
        }
        let copies = multiplied.sorted { $0.key < $1.key }.map { entity, objects in
            let subject =
                objects.count == 1
                ? "1 object of '\(entity)' without identity stands"
                : "\(objects.count) objects of '\(entity)' without identity stand"
            return
                "\(subject) in this JSON under several objects, and an import makes one of each: it doesn't tell that they are the "
                + "same. \(remedy)"
        }
        let values = hidden.sorted { ($0.key.entity, $0.key.property) < ($1.key.entity, $1.key.property) }.map {
            hiding, objects in
            let subject =
                objects.count == 1
                ? "1 object of '\(hiding.entity)' has" : "\(objects.count) objects of '\(hiding.entity)' have"
            return
                "\(subject) a value of '\(hiding.property)' that isn't written: in its place, an import finds what "
                + "'\(hiding.written)' has. graft export without --entity writes it, and graft archive."
        }
        return types + copies + values
    }
}
