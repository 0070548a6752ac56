// The difference between two stores, whatever their size.

public import CoreData
public import Foundation

extension GraphDiff {
    /// Makes the difference between all objects of two stores, or of some entities. Both are read in the order of
    /// identities, some objects at a time; of two SQLite files, on Linux, only the objects that may differ.
    ///
    /// Objects are told apart by their identity, by a guess that holds in both stores, or by their rows where the stores are of
    /// one lineage. Memory grows with the number of differences, not with the stores; the exception are models with an entity
    /// of which nothing of that holds, or whose identity includes a relationship, objects that differ and lack an identity that others
    /// of their entity have, entities that own objects of others which aren't named, and models whose properties stand in another
    /// order, as one made in code and its copy that was read: they are compared in memory, as
    /// ``init(from:to:entities:options:)-(NSManagedObjectContext,_,_,_)`` does.
    ///
    /// - Parameters:
    ///   - old: The store before.
    ///   - new: The store after, with an equal model.
    ///   - entities: The names of the entities, which stand for their sub-entities, too; nil for all. What their objects own is
    ///     compared with them.
    ///   - options: What takes part.
    ///   - progress: Is told how many objects of both stores have been read; cancelling it ends the work.
    /// - Throws: ``GraftError``: `modelMismatch` where the models differ, `duplicateIdentity` for objects that can't be told
    ///   apart, `cancelled`.
    /// - Complexity: O(*n*) objects read for *n* objects in both stores, and the sorting of their identities by the
    ///   stores. Two SQLite files compare their rows themselves, and only what differs is read.
    public init(
        from old: NSPersistentContainer, to new: NSPersistentContainer, entities: [String]? = nil,
        options: DiffOptions = DiffOptions(), progress: Progress? = nil
    ) throws {
        try self.init(from: old, to: new, entities: entities, options: options, progress: progress, readingAll: false)
    }

    /// - Parameter readsAll: Whether all objects are read, although the stores may know which of them differ.
    init(
        from old: NSPersistentContainer, to new: NSPersistentContainer, entities: [String]? = nil,
        options: DiffOptions = DiffOptions(), progress: Progress? = nil, readingAll readsAll: Bool
    ) throws {
        let contexts = (old.newBackgroundContext(), new.newBackgroundContext())
        let schema = try GraphSchema(old.managedObjectModel)
        let newSchema = try GraphSchema(new.managedObjectModel)
        guard schema == newSchema || SchemaMatch(sameModel: newSchema, schema) != nil else {
            throw GraftError(.modelMismatch(reason: "the two stores have different models"))
        }
        let chosen = try entities?.map(schema.requiredNumber)
        let compared = schema.entities.indices.filter { number in
            !schema.entities[number].isAbstract && chosen?.contains { schema.isEntity(number, kindOf: $0) } ?? true
        }
        let result: GraphDiff? = try contexts.0.performAndWait {
            try contexts.1.performAndWait {
                try contexts.0.readOneState()
                try contexts.1.readOneState()
                // Objects side by side have one number for a property.
                guard schema == newSchema else { return nil }
                let differences = readsAll ? nil : try StoreDifferences(contexts.0, contexts.1)
                let sides = (try StoreEvidence(contexts.0, schema), try StoreEvidence(contexts.1, schema))
                let identification = try IdentityDecision(schema, options, [sides.0, sides.1]).identification
                let identified = try schema.identified(by: identification)
                let scope = try DiffScope(identified, options)
                guard let told = try Self.readable(sides, compared, scope) else { return nil }
                var comparison = try StoreComparison(
                    StoreSide(contexts.0, identified, identification),
                    StoreSide(contexts.1, identified, identification), scope,
                    entities: compared, differences)
                do {
                    var diff = try comparison.diff(
                        ObjectProgress(progress) { try contexts.0.count(of: compared, schema) },
                        hasBase: options.base != nil)
                    diff.identification.restrict(to: told, schema)
                    return diff
                } catch let error as GraftError {
                    // What has no identity is known by its place or its contents, for which all has to be in memory.
                    guard case .missingIdentity = error.problem else { throw error }
                    return nil
                }
            }
        }
        if let result {
            self = result
        } else {
            let inMemory = try ObjectProgress(progress) {
                try contexts.0.performAndWait { try contexts.0.count(of: compared, schema) }
                    + contexts.1.performAndWait { try contexts.1.count(of: compared, schema) }
            }
            try self.init(from: contexts.0, to: contexts.1, entities: entities, options: options, telling: inMemory)
        }
    }

    /// The entities that have a part where the objects of some can be compared one after the other: each is told apart without its
    /// place, those that they refer to as well, and what they own is among them. Otherwise nil.
    private static func readable(
        _ sides: (StoreEvidence, StoreEvidence), _ compared: [Int], _ scope: DiffScope
    ) throws -> Set<Int>? {
        let schema = scope.schema
        var told = Set(compared)
        for entity in compared {
            for (number, property) in schema.entities[entity].properties.enumerated()
            where scope.entities[entity].contains[number] {
                guard let destination = property.destination else { continue }
                let ends = schema.entities.indices.filter {
                    !schema.entities[$0].isAbstract && schema.isEntity($0, kindOf: destination)
                }
                if scope.entities[entity].follows[number], !ends.allSatisfy(compared.contains) { return nil }
                told.formUnion(ends)
            }
        }
        let areToldApart = try told.allSatisfy { number in
            let entity = schema.entities[number]
            // Of what has no objects, none need to be told apart.
            return try !entity.identity.isEmpty || entity.isByRow == true
                || entity.relatedIdentity.isEmpty && sides.0.count(of: number) + sides.1.count(of: number) == 0
        }
        return areToldApart ? told : nil
    }
}

/// What a store says of its objects, by counting and by looking for duplicates.
final class StoreEvidence: IdentityEvidence {
    private let context: NSManagedObjectContext
    private let schema: GraphSchema
    let lineage: GraphSnapshot.Lineage?
    /// By entity, as far as somebody has asked.
    private var counts: [Int: Int] = [:]

    init(_ context: NSManagedObjectContext, _ schema: GraphSchema) throws {
        self.context = context
        self.schema = schema
        lineage = try context.lineage()
    }

    func count(of entity: Int) throws -> Int {
        if let count = counts[entity] { return count }
        let count = schema.entities[entity].isAbstract ? 0 : try context.count(of: [entity], schema)
        counts[entity] = count
        return count
    }

    func hasRows(_ entity: Int, orIsUnsaved: Bool) -> Bool { lineage != nil }

    func isUnique(_ attribute: Int, of entity: Int) throws -> Bool {
        let name = schema.entities[entity].properties[attribute].name
        let nulls = NSFetchRequest<NSManagedObject>(entityName: schema.entities[entity].name)
        nulls.predicate = NSPredicate(format: "%K == nil", argumentArray: [name])
        guard try context.count(for: nulls) == 0 else { return false }
        return try context.sharedValues(of: [name], schema.entities[entity].name) == nil
    }
}

extension NSManagedObjectContext {
    /// The first values of some attributes that several stored objects of an entity share; nulls are none.
    func sharedValues(of names: [String], _ entity: String) throws -> NSDictionary? {
        let copies = NSExpressionDescription()
        copies.name = "copies"
        copies.expression = NSExpression(
            forFunction: "count:", arguments: [NSExpression(forKeyPath: names[0])])
        copies.expressionResultType = .integer64AttributeType
        let duplicates = NSFetchRequest<NSDictionary>(entityName: entity)
        duplicates.resultType = .dictionaryResultType
        duplicates.predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: names.map { NSPredicate(format: "%K != nil", argumentArray: [$0]) })
        duplicates.propertiesToFetch = names + [copies]
        duplicates.propertiesToGroupBy = names
        duplicates.havingPredicate = NSPredicate(
            format: "%@ > 1", argumentArray: [NSExpression(forVariable: copies.name)])
        duplicates.fetchLimit = 1
        return try fetch(duplicates).first
    }

    /// The number of objects of some entities.
    fileprivate func count(of entities: [Int], _ schema: GraphSchema) throws -> Int {
        try entities.reduce(0) { total, number in
            let request = NSFetchRequest<NSManagedObject>(entityName: schema.entities[number].name)
            request.includesSubentities = false
            return try total + count(for: request)
        }
    }
}
