// Which relationships are read of every object, and which ones are known from their inverses.

/// From which side each pair of relationships is looked at.
struct RelationshipReading {
    /// By entity and property: a to-many relationship whose changes follow from those of its inverse.
    private(set) var isDerived: [[Bool]]
    /// By entity: the relationships from which a derived one follows, with its name.
    private(set) var telling: [[(number: Int, inverse: String)]]
    private let scope: DiffScope

    /// - Parameters:
    ///   - entities: Those that are compared.
    ///   - counts: By entity, how many objects there are: of two unordered relationships, that of the more numerous
    ///     objects
    ///     is read, because it has fewer members for each.
    init(_ scope: DiffScope, entities: Set<Int>, counts: [Int]) {
        self.scope = scope
        let schema = scope.schema
        isDerived = schema.entities.map { $0.properties.map { _ in false } }
        telling = schema.entities.map { _ in [] }
        for (number, entity) in schema.entities.enumerated() {
            for index in entity.properties.indices where Self.isDerived(index, of: number, scope, entities, counts) {
                isDerived[number][index] = true
            }
        }
        for (number, entity) in schema.entities.enumerated() {
            for (index, property) in entity.properties.enumerated() {
                guard scope.entities[number].contains[index], let destination = property.destination,
                    let inverse = property.inverse, isDerived[destination][inverse]
                else { continue }
                telling[number].append((index, schema.entities[destination].properties[inverse].name))
            }
        }
    }

    /// The relationships that are read with the objects of an entity.
    func names(of entity: Int) -> [String] {
        let properties = scope.schema.entities[entity].properties
        return properties.indices.filter { number in
            !properties[number].isAttribute && scope.entities[entity].contains[number] && !isDerived[entity][number]
        }.map { properties[$0].name }
    }

    private static func isDerived(
        _ number: Int, of entity: Int, _ scope: DiffScope, _ entities: Set<Int>, _ counts: [Int]
    ) -> Bool {
        let schema = scope.schema
        let property = schema.entities[entity].properties[number]
        guard property.isToMany, !property.isOrdered, let destination = property.destination,
            let inverse = property.inverse, scope.entities[entity].contains[number]
        else { return false }
        // The members are told by themselves, so all of them have to be compared.
        let members = destination..<schema.entities[destination].end
        guard members.allSatisfy({ entities.contains($0) || schema.entities[$0].isAbstract }),
            members.allSatisfy({ scope.entities[$0].contains[inverse] })
        else { return false }
        let other = schema.entities[destination].properties[inverse]
        guard other.isToMany, !other.isOrdered else { return true }
        let owner = schema.declaringEntity(of: number, entity)
        let otherOwner = schema.declaringEntity(of: inverse, destination)
        return (counts[owner], otherOwner, inverse) < (counts[otherOwner], owner, number)
    }
}
