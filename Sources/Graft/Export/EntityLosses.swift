// Which objects an import of a text takes for objects of a super-entity: those of sub-entities, in a text that doesn't tell their type.

import CoreData

/// The objects of sub-entities that a text doesn't tell from those of the entity under which they stand.
final class EntityLosses {
    private struct Change: Hashable {
        var entity: String
        var taken: String
    }

    private let schema: GraphSchema
    private var objects: [Change: Set<ObjectIDKey>] = [:]

    init(_ schema: GraphSchema) { self.schema = schema }

    /// Notes an object that is written with its keys.
    ///
    /// - Parameter entity: That of the request, or of the relationship that leads to the object.
    func note(_ id: NSManagedObjectID, _ plan: ExportPlan, as entity: Int) {
        if plan.number == entity || plan.tellsEntity { return }
        objects[Change(entity: plan.name, taken: schema.entities[entity].name), default: []].insert(id.lookupKey)
    }

    /// A sentence for each entity, in a defined order.
    var sentences: [String] {
        objects.sorted { ($0.key.entity, $0.key.taken) < ($1.key.entity, $1.key.taken) }.map { change, objects in
            let subject =
                objects.count == 1
                ? "1 object of '\(change.entity)' is one" : "\(objects.count) objects of '\(change.entity)' are some"
            return "\(subject) of '\(change.taken)' after an import of this JSON, which doesn't tell the two apart. "
                + "graft export without --entity does, and graft archive."
        }
    }
}
