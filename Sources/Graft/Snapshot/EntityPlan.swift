// What the reader needs of an entity, laid out for its inner loop.

/// The mapping of one entity as the reader uses it.
final class EntityPlan: Sendable {
    let number: Int
    let name: String
    let keys: KeyTree
    /// By number of the property.
    let columns: [Int]
    let destinations: [Int]
    let converters: [AttributeConverter]
    /// Nil where no property has one.
    let transformers: [NamedTransformer?]?
    let names: [String]
    /// What is done to the entity's JSON objects as a whole.
    let entityTransformers: EntityTransformers?
    /// The numbers and the columns of the identifying attributes.
    let identity: [Int]
    let identityColumns: [Int]
    let identitySpace: Int

    init(_ number: Int, in mapping: GraphMapping) {
        let entity = mapping.schema.entities[number]
        let properties = mapping.entities[number].properties
        self.number = number
        name = entity.name
        keys = mapping.entities[number].keys
        columns = entity.properties.map(\.column)
        destinations = entity.properties.map { $0.destination ?? 0 }
        converters = properties.map { $0?.converter ?? AttributeConverter(.transformable) }
        let transformers = properties.map { $0?.transformer }
        self.transformers = transformers.contains { $0 != nil } ? transformers : nil
        names = entity.properties.map(\.name)
        // An archive has objects as they are.
        entityTransformers = mapping.isArchive ? nil : EntityTransformers(mapping.entities[number])
        identity = entity.identity
        identityColumns = entity.identityColumns
        identitySpace = entity.identitySpace
    }
}
