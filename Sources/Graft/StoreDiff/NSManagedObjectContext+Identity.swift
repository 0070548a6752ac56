// What a context's objects are called in diffs, for those who look them up.

package import CoreData

extension NSManagedObjectContext {
    /// The names of the attributes that identify an entity's objects; nil where the model has no such entity.
    package func identityAttributes(of entity: String) throws -> [String]? {
        guard let model = graftModel else { return nil }
        let schema = try GraphSchema(model)
        return schema.number(ofEntity: entity).map { number in
            schema.entities[number].identity.map { schema.entities[number].properties[$0].name }
        }
    }

    /// What objects are called in a diff.
    ///
    /// - Throws: ``GraftError`` with `missingIdentity`.
    package func objectKeys(of objects: [NSManagedObject]) throws -> [ObjectKey] {
        guard let model = graftModel else {
            throw GraftError(.missingModel(reason: "the context has no persistent store coordinator"))
        }
        let side = try StoreSide(self, GraphSchema(model))
        return try objects.map(side.key)
    }
}
