// Objects whose identity includes an owner, and that have none: the roots of trees. Like others, they are kept by their attributes once they
// have been met, and count as found as long as nothing owns them.

import CoreData

extension DecodedObjects {
    /// Remembers an object by the attributes of an identity that includes owners. It is found as long as it has none.
    func enter(_ object: NSManagedObject, withoutOwner values: [GraphValue], _ entity: Int) {
        guard let identity = Identity(Array(values.indices), { values[$0] }) else { return }
        enter(object, identity, entity)
    }

    /// The object of an entity, or one related to it, that has the attributes of an identity that includes owners, and has none of these.
    func object(withoutOwner values: [GraphValue], _ entity: Int) throws -> NSManagedObject? {
        let space = compiled.schema.entities[entity].identitySpace
        guard let identity = Identity(Array(values.indices), { values[$0] }) else { return nil }
        let index = objects[space]
        if let found = try index.first(identity.hash, where: { try isAlone($0, values, entity) }) { return found }
        if try !isUncertain && known.isEmpty(space) { return nil }
        let description = compiled.schema.entities[space]
        var parts = zip(description.identityAttributes, values).map { part, value in
            NSPredicate(format: "%K == %@", argumentArray: [description.properties[part].name, value.object as Any])
        }
        parts += description.identityRelationships.map {
            NSPredicate(format: "%K == nil", description.properties[$0].name)
        }
        let request = known.request(space, where: parts, includesUnsaved: true)
        guard let found = try known.fetch(request).first(where: { try isAlone($0, values, entity) }) else { return nil }
        enter(found, identity, entity)
        return found
    }

    private func isAlone(_ object: NSManagedObject, _ values: [GraphValue], _ entity: Int) throws -> Bool {
        guard !object.isDeleted, object.managedObjectContext === context else { return false }
        let number = try number(of: object, expected: entity)
        // Of another entity, it might not have what the data says.
        guard compiled.schema.isEntity(number, kindOf: entity) else { return false }
        let description = compiled.schema.entities[number]
        return try zip(description.identityAttributes, values).allSatisfy {
            try object.holds($1, $0, description.properties[$0])
        }
            && description.identityRelationships.allSatisfy {
                object.destination($0, description.properties[$0]) == nil
            }
    }
}
