// What stands where in an archive, decided by the model alone: which side of each pair of relationships is written, and
// which objects are nested in their owners.
//
// An object is nested where it belongs to another one (cascade, with a to-one inverse), has no identity, and no chain of
// such relationships leads from it back to where it came from; so nesting is never deeper than the model has entities.
// Everything else stands under its entity and is referred to.

/// The form of a model's objects in an archive.
struct ArchiveLayout {
    /// A relationship where it is declared.
    private struct Relationship: Hashable {
        var entity: Int
        var property: Int
    }

    private let schema: GraphSchema
    private var nested: Set<Relationship> = []
    /// By entity: the to-one relationships to the owners in which its objects may be nested, in property order.
    private(set) var homes: [[Int]] = []
    /// By entity: whether something may refer to its objects where they have no identity.
    private(set) var isNamed: [Bool] = []

    init(_ schema: GraphSchema) {
        self.schema = schema
        nested = Self.nestedRelationships(schema)
        homes = schema.entities.indices.map { entity in
            schema.entities[entity].properties.indices.filter { property in
                inverse(of: Relationship(entity: entity, property: property)).map { nested.contains($0) } ?? false
            }
        }
        isNamed = schema.entities.map { _ in false }
        for (entity, description) in schema.entities.enumerated() {
            for (property, relationship) in description.properties.enumerated() {
                guard let destination = relationship.destination, isWritten(property, of: entity) else { continue }
                for end in destination..<schema.entities[destination].end
                where !isNested(property, of: entity) || homes[end].count > 1 { isNamed[end] = true }
            }
        }
    }

    /// Whether the members of a relationship are nested in its object.
    func isNested(_ property: Int, of entity: Int) -> Bool {
        nested.contains(declared(Relationship(entity: entity, property: property)))
    }

    /// Whether a relationship is written at all: of a pair, one side tells all, unless both have an order.
    func isWritten(_ property: Int, of entity: Int) -> Bool {
        let relationship = declared(Relationship(entity: entity, property: property))
        let this = description(relationship)
        if this.isTransient { return false }
        guard let inverse = inverse(of: relationship), inverse != relationship else { return true }
        if nested.contains(relationship) { return true }
        if nested.contains(inverse) { return false }
        let other = description(inverse)
        switch (this.isToMany, other.isToMany) {
        case (true, false): return this.isOrdered
        case (false, true): return !other.isOrdered
        case (true, true) where this.isOrdered || other.isOrdered: return this.isOrdered
        default: return isBefore(relationship, inverse)
        }
    }

    /// An order that doesn't depend on that of the model's entities and properties.
    private func isBefore(_ one: Relationship, _ other: Relationship) -> Bool {
        (schema.entities[one.entity].name, description(one).name)
            < (schema.entities[other.entity].name, description(other).name)
    }

    private func description(_ relationship: Relationship) -> GraphSchema.Property {
        schema.entities[relationship.entity].properties[relationship.property]
    }

    private func declared(_ relationship: Relationship) -> Relationship {
        Self.declared(relationship, schema)
    }

    private func inverse(of relationship: Relationship) -> Relationship? { Self.inverse(of: relationship, schema) }

    // MARK: Finding what is nested

    private static func declared(_ relationship: Relationship, _ schema: GraphSchema) -> Relationship {
        var declared = relationship
        while let parent = schema.entities[declared.entity].parent,
            declared.property < schema.entities[parent].properties.count
        {
            declared.entity = parent
        }
        return declared
    }

    private static func inverse(of relationship: Relationship, _ schema: GraphSchema) -> Relationship? {
        let description = schema.entities[relationship.entity].properties[relationship.property]
        guard let destination = description.destination, let inverse = description.inverse else { return nil }
        return declared(Relationship(entity: destination, property: inverse), schema)
    }

    private static func nestedRelationships(_ schema: GraphSchema) -> Set<Relationship> {
        var candidates: [Relationship] = []
        for (entity, description) in schema.entities.enumerated() {
            for property in description.properties.indices {
                let relationship = Relationship(entity: entity, property: property)
                if declared(relationship, schema) == relationship, mayNest(relationship, schema) {
                    candidates.append(relationship)
                }
            }
        }
        return Set(candidates.filter { !leadsBack($0, candidates, schema) })
    }

    private static func mayNest(_ relationship: Relationship, _ schema: GraphSchema) -> Bool {
        let description = schema.entities[relationship.entity].properties[relationship.property]
        guard description.isOwning, !description.isTransient, let destination = description.destination,
            let inverse = inverse(of: relationship, schema), inverse != relationship,
            !schema.entities[inverse.entity].properties[inverse.property].isToMany
        else { return false }
        return schema.entities[destination..<schema.entities[destination].end].allSatisfy { $0.identity.isEmpty }
    }

    /// Whether owned objects can own, directly or not, objects of their owner's kind.
    private static func leadsBack(
        _ relationship: Relationship, _ candidates: [Relationship], _ schema: GraphSchema
    ) -> Bool {
        func isRelated(_ one: Int, _ other: Int) -> Bool { schema.isEntity(one, relatedTo: other) }
        var reached: Set<Relationship> = [relationship]
        var pending = [relationship]
        while let next = pending.popLast() {
            guard let end = schema.entities[next.entity].properties[next.property].destination else { continue }
            if isRelated(end, relationship.entity) { return true }
            for candidate in candidates where isRelated(end, candidate.entity) {
                if reached.insert(candidate).inserted { pending.append(candidate) }
            }
        }
        return false
    }
}
