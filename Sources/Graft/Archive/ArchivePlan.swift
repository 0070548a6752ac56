// What is archived of a model, and in which order, decided by the model alone.
//
// Each link is said once where one side says it all: by the to-one side; of two to-one sides by the mandatory one; of two
// to-many sides by the first one by name. Ordered relationships are always said; both of two to-one sides are said in a store in
// which they don't agree. Entities come after those that their
// objects refer to, as far as the model has no cycles, so that a reader seldom has to wait for an object.

import CoreData

/// The entities of an archive, in its order.
struct ArchivePlan {
    struct Entity {
        /// The number in the schema.
        var number: Int
        var archived: ArchiveEntity
        /// Parallel to the archived items: numbers in the schema.
        var properties: [Int]
    }

    let schema: GraphSchema
    private(set) var entities: [Entity] = []
    /// The one-to-one relationships that are written although their inverses are, too.
    private let told: Set<OneToOne>
    /// Whether the number of each object's row is written, too.
    let hasRows: Bool

    /// - Parameters:
    ///   - told: The one-to-one relationships to be written although their inverses are, too.
    ///   - hasRows: Whether the number of each object's row is written, too.
    init(_ schema: GraphSchema, also told: [OneToOne] = [], hasRows: Bool = false) {
        self.schema = schema
        self.told = Set(told)
        self.hasRows = hasRows
        for number in order() {
            var entity = Entity(
                number: number, archived: ArchiveEntity(name: schema.entities[number].name), properties: [])
            let properties = schema.entities[number].properties
            let written =
                schema.entities[number].isAbstract
                ? []
                : properties.indices.filter {
                    isWritten($0, of: number)
                        || self.told.contains(OneToOne(entity: schema.declaringEntity(of: $0, number), property: $0))
                }
            for property in written.sorted(by: { Self.precedes(properties[$0].name, properties[$1].name) }) {
                entity.archived.append(
                    properties[property].name, Self.form(properties[property]),
                    destination: properties[property].destination.map { schema.entities[$0].name })
                entity.properties.append(property)
            }
            // Behind the properties, so that these are counted as they are without it.
            if hasRows, !schema.entities[number].isAbstract {
                entity.archived.append(ArchiveEntity.rowKey, .attribute(.integer64), destination: nil)
            }
            entities.append(entity)
        }
    }

    private static func form(_ property: GraphSchema.Property) -> ArchiveEntity.Form {
        switch property.kind {
        case .attribute(let kind): .attribute(kind)
        case .toOne: .toOne
        case .toMany(_, let isOrdered): .toMany(isOrdered: isOrdered)
        }
    }

    private static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    // MARK: Which properties

    /// Whether a property is archived: everything that a store keeps, but of a pair of relationships only what the other
    /// side doesn't tell.
    private func isWritten(_ number: Int, of entity: Int) -> Bool {
        let property = schema.entities[entity].properties[number]
        if property.isTransient || property.isDerived { return false }
        guard let destination = property.destination, let inverse = property.inverse else { return true }
        let back = schema.entities[destination].properties[inverse]
        // No store has the other side.
        if back.isTransient { return true }
        switch (property.isToMany, back.isToMany) {
        case (false, true): return true
        case (true, false): return property.isOrdered
        case (false, false):
            if property.isOptional != back.isOptional { return !property.isOptional }
            // Who is told by an owner says whose it is.
            let identifies = schema.entities[entity].relatedIdentity.contains(number)
            if identifies != schema.entities[destination].relatedIdentity.contains(inverse) { return identifies }
            return isFirst(number, of: entity, before: inverse, of: destination)
        case (true, true):
            if property.isOrdered || back.isOrdered { return property.isOrdered }
            return isFirst(number, of: entity, before: inverse, of: destination)
        }
    }

    /// Whether a relationship is the first one of a pair by name; its own inverse is, too.
    private func isFirst(_ one: Int, of entity: Int, before other: Int, of destination: Int) -> Bool {
        let names = [(one, entity), (other, destination)].map { property, entity in
            (
                schema.entities[schema.declaringEntity(of: property, entity)].name,
                schema.entities[entity].properties[property].name
            )
        }
        return names[0] <= names[1]
    }

    // MARK: One to one

    /// A to-one relationship whose inverse is one, too, where it is declared. A store has a column for each of the two.
    struct OneToOne: Hashable {
        var entity: Int
        var property: Int
    }

    /// Whether a one-to-one relationship is written, and its inverse, too.
    func saysBothEnds(_ number: Int, of entity: Int) -> Bool {
        if told.isEmpty { return false }
        let property = schema.entities[entity].properties[number]
        guard let destination = property.destination, let inverse = property.inverse else { return false }
        return told.contains(OneToOne(entity: schema.declaringEntity(of: number, entity), property: number))
            || told.contains(OneToOne(entity: schema.declaringEntity(of: inverse, destination), property: inverse))
    }

    /// The pairs of relationships that are one to one: the one that is archived, and the other one.
    var oneToOnes: [(written: OneToOne, other: OneToOne)] {
        schema.entities.indices.flatMap { entity in
            schema.entities[entity].properties.enumerated().compactMap { number, property in
                guard schema.declaringEntity(of: number, entity) == entity, isWritten(number, of: entity),
                    schema.isOneToOne(property), let destination = property.destination, let inverse = property.inverse,
                    !schema.entities[destination].properties[inverse].isTransient
                else { return nil }
                return (
                    OneToOne(entity: entity, property: number),
                    OneToOne(entity: schema.declaringEntity(of: inverse, destination), property: inverse)
                )
            }
        }
    }

    // MARK: In which order

    /// All entities: each one behind those that its objects refer to; where that leads in a circle, at least behind those
    /// that they must refer to; otherwise by name.
    private func order() -> [Int] {
        let all = schema.entities.indices.map { references(of: $0, isMandatory: false) }
        let mandatory = schema.entities.indices.map { references(of: $0, isMandatory: true) }
        var rest = schema.entities.indices.sorted { Self.precedes(schema.entities[$0].name, schema.entities[$1].name) }
        var order: [Int] = []
        while !rest.isEmpty {
            let waiting = Set(rest)
            func isFree(_ entity: Int, _ references: [Set<Int>]) -> Bool {
                references[entity].isDisjoint(with: waiting)
            }
            let next =
                rest.firstIndex { isFree($0, all) } ?? rest.firstIndex { isFree($0, mandatory) } ?? rest.startIndex
            order.append(rest.remove(at: next))
        }
        return order
    }

    /// The other entities that archived relationships lead to, sub-entities included.
    private func references(of entity: Int, isMandatory: Bool) -> Set<Int> {
        var found: Set<Int> = []
        for (number, property) in schema.entities[entity].properties.enumerated() {
            guard let destination = property.destination, isWritten(number, of: entity) else { continue }
            if isMandatory, property.isOptional || property.isToMany { continue }
            // The members of an ordered relationship say themselves where they belong.
            if property.isToMany, schema.isExclusive(property) { continue }
            found.formUnion(destination..<schema.entities[destination].end)
        }
        found.remove(entity)
        return found
    }
}
