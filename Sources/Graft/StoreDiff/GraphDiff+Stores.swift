// The difference between two stores, whatever their size.

public import CoreData
public import Foundation

extension GraphDiff {
    /// Makes the difference between all objects of two stores, or of some entities. Both are read in the order of
    /// identities, some objects at a time.
    ///
    /// Memory grows with the number of differences, not with the stores; the exception are models with an entity that
    /// has no identity, or one that includes a relationship: they are compared in memory, as
    /// ``init(from:to:entities:options:)-(NSManagedObjectContext,_,_,_)`` does.
    ///
    /// - Parameters:
    ///   - old: The store before.
    ///   - new: The store after, with an equal model.
    ///   - entities: The names of the entities, which stand for their sub-entities, too; nil for all.
    ///   - options: What takes part.
    ///   - progress: Is told how many objects of both stores have been read; cancelling it ends the work.
    /// - Throws: ``GraftError``: `modelMismatch` where the models differ, `missingIdentity` and `duplicateIdentity` for
    ///   objects that can't be told apart, `cancelled`.
    /// - Complexity: O(*n*) objects read for *n* objects in both stores, and the sorting of their identities by the
    ///   stores.
    public init(
        from old: NSPersistentContainer, to new: NSPersistentContainer, entities: [String]? = nil,
        options: DiffOptions = DiffOptions(), progress: Progress? = nil
    ) throws {
        let contexts = (old.newBackgroundContext(), new.newBackgroundContext())
        let schema = try GraphSchema(old.managedObjectModel)
        guard try GraphSchema(new.managedObjectModel) == schema else {
            throw GraftError(.modelMismatch(reason: "the two stores have different models"))
        }
        let chosen = try entities?.map(schema.requiredNumber)
        let compared = schema.entities.indices.filter { number in
            !schema.entities[number].isAbstract && chosen?.contains { schema.isEntity(number, kindOf: $0) } ?? true
        }
        guard compared.allSatisfy({ !schema.entities[$0].identity.isEmpty }) else {
            try self.init(from: contexts.0, to: contexts.1, entities: entities, options: options)
            return
        }
        var options = options
        // A store's object says something of every property.
        options.takesAbsentAsNull = true
        let scope = try DiffScope(schema, options)
        self = try contexts.0.performAndWait {
            try contexts.1.performAndWait {
                try contexts.0.readOneState()
                try contexts.1.readOneState()
                var comparison = try StoreComparison(
                    StoreSide(contexts.0, schema), StoreSide(contexts.1, schema), scope, entities: compared)
                return try comparison.diff(ExportProgress(progress) { try contexts.0.count(of: compared, schema) })
            }
        }
    }
}

extension NSManagedObjectContext {
    /// The number of objects of some entities.
    fileprivate func count(of entities: [Int], _ schema: GraphSchema) throws -> Int {
        try entities.reduce(0) { total, number in
            let request = NSFetchRequest<NSManagedObject>(entityName: schema.entities[number].name)
            request.includesSubentities = false
            return try total + count(for: request)
        }
    }
}
