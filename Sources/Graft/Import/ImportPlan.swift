// What the importer needs of an entity, laid out for its inner loops.

import CoreData

/// The properties of one entity as the importer uses them.
final class ImportPlan {
    let number: Int
    let name: String
    let isAbstract: Bool
    let properties: [GraphSchema.Property]
    /// The number of the entity at the top of the identity space.
    let space: Int
    /// The numbers and the columns of the identifying attributes.
    let identity: [Int]
    let identityColumns: [Int]
    /// One bit for each identifying attribute, in as many words as a row has.
    let identityPresence: [UInt64]
    /// The numbers of the relationships.
    let relationships: [Int]
    /// Whether objects may be nested in this entity's that have no identity of their own.
    let hasUnidentifiedMembers: Bool

    init(_ number: Int, in schema: GraphSchema) {
        let entity = schema.entities[number]
        self.number = number
        name = entity.name
        isAbstract = entity.isAbstract
        properties = entity.properties
        space = entity.identitySpace
        identity = entity.identity
        identityColumns = entity.identityColumns
        var presence = [UInt64](repeating: 0, count: (entity.properties.count + 63) / 64)
        for property in entity.identity { presence[property / 64] |= 1 << UInt64(property % 64) }
        identityPresence = presence
        relationships = entity.properties.indices.filter { !entity.properties[$0].isAttribute }
        hasUnidentifiedMembers = !relationships.isEmpty
    }
}
