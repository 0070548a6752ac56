// The mappings of all entities of a model, and which of them an import may begin with.

/// The mapping of a model.
///
/// There are two forms: the ordinary one, and that of documents of a whole graph, which leaves nothing out (``isDocument``).
package final class GraphMapping: Sendable {
    let schema: GraphSchema
    /// Parallel to the schema's entities.
    let entities: [EntityMapping]
    /// Whether each stored property has a place, also those that the annotations leave out: under `$` and its name. Value
    /// transformers take no part then, and objects without identity have numbers (``DictionaryKey``).
    let isDocument: Bool
    /// How many keys all trees have.
    let keyCount: Int
    /// The key paths of objects that objects nested in them read, and those of whole records.
    let parentPaths: Set<[String]>
    let rootPaths: Set<[String]>

    init(schema: GraphSchema, entities: [EntityMapping], isDocument: Bool, keyCount: Int) {
        self.schema = schema
        self.entities = entities
        self.isDocument = isDocument
        self.keyCount = keyCount
        let sources = entities.flatMap { $0.properties.compactMap { $0 } }
            .filter(\.direction.isImported).flatMap(\.sources)
        parentPaths = Set(sources.filter { $0.origin == .parent }.map(\.keys))
        rootPaths = Set(sources.filter { $0.origin == .root }.map(\.keys))
    }

    /// Whether an object of one entity may be the one that data of the other is about: one inherits from the other, or both
    /// are kinds of an entity whose objects a key tells apart, and one has turned into the other.
    func canBeSame(_ entity: Int, _ other: Int) -> Bool {
        schema.areOne(entity, other) { entities[$0].discriminator != nil }
    }

    /// Whether objects read anything of those that they are nested in.
    var usesAncestors: Bool { !parentPaths.isEmpty || !rootPaths.isEmpty }

    /// The number of the entity to import into.
    ///
    /// - Parameter name: The name; nil where the model has one entity that is nobody's destination.
    /// - Throws: ``GraftError`` with `unknownEntity` or `ambiguousEntity`.
    func entity(named name: String?) throws -> Int {
        if let name { return try schema.requiredNumber(ofEntity: name) }
        if schema.entities.count == 1 { return 0 }
        let roots = schema.rootEntityNames
        if roots.count == 1 { return try schema.requiredNumber(ofEntity: roots[0]) }
        throw GraftError(.ambiguousEntity(candidates: roots.isEmpty ? schema.entities.map(\.name) : roots))
    }
}

extension GraphSchema {
    /// The entities that an import can begin with when nobody names one: those to which no relationship leads.
    var rootEntityNames: [String] {
        let destinations = Set(entities.flatMap { $0.properties.compactMap(\.destination) })
        // A hierarchy counts as one: a relationship to a sub-entity leads to its super-entity's objects as well.
        let roots = entities.indices.filter { number in
            entities[number].parent == nil && !destinations.contains { isEntity($0, kindOf: number) }
        }
        return roots.map { entities[$0].name }
    }
}
