// What the reader needs of an entity, laid out for its inner loop.

/// The mapping of one entity as the reader uses it.
final class JSONEntityPlan: Sendable {
    let number: Int
    let name: String
    let keys: KeyTree
    /// By number of the property.
    let columns: [Int]
    let destinations: [Int]
    let converters: [AttributeConverter]
    /// By number of the property; nil for those that take no part.
    let mappings: [PropertyMapping?]
    /// Nil where no property has one.
    let transformers: [NamedTransformer?]?
    let names: [String]
    /// What is done to the entity's JSON objects as a whole.
    let entityTransformers: EntityTransformers?
    /// The numbers and the columns of the identifying attributes.
    let identity: [Int]
    let identityColumns: [Int]
    let identitySpace: Int
    /// What isn't needed for the usual objects; nil for entities whose objects are simply what their keys say.
    let specials: Specials?
    /// Whether there is nothing special, neither here nor in the surroundings of other entities' objects.
    let isPlain: Bool
    /// The attribute that takes the key of an object in a keyed collection, unless others read it: the one that identifies.
    let keyAttribute: Int?
    /// The keys that objects nested in this one read of it, whichever entity they are of.
    let surroundingKeys: Set<String>

    /// What the reader needs of entities whose objects take more than looking at each key once.
    struct Specials: Sendable {
        /// Whether properties have several places, so that their ranks have to be remembered.
        var hasAlternatives = false
        /// The properties of which absence means something.
        var missing: [Int] = []
        /// The places outside the object, in the order in which they are tried.
        var surroundings: [(property: Int, rank: UInt8, source: SourcePath)] = []
        /// Which sub-entities objects may be of.
        var discriminator: EntityMapping.Discriminator?
        /// How objects say that they are gone.
        var tombstone: EntityMapping.Tombstone?
    }

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
        // A document has objects as they are.
        entityTransformers = mapping.isDocument ? nil : EntityTransformers(mapping.entities[number])
        identity = entity.identity
        identityColumns = entity.identityColumns
        identitySpace = entity.identitySpace
        mappings = properties
        specials = mapping.isDocument ? nil : Self.specials(mapping.entities[number])
        isPlain = specials == nil && (mapping.isDocument || !mapping.usesAncestors)
        let readsKey = specials?.surroundings.contains { $0.source.origin == .key } ?? false
        surroundingKeys = Set(mapping.parentPaths.union(mapping.rootPaths).compactMap(\.first))
        // Of an identity with the owner in it, the rest is what the owner knows its members by.
        let attributes = entity.identityAttributes
        keyAttribute = !readsKey && attributes.count == 1 ? attributes[0] : nil
    }

    private static func specials(_ mapping: EntityMapping) -> Specials? {
        var specials = Specials()
        for (number, property) in mapping.properties.enumerated() {
            guard let property, property.direction.isImported else { continue }
            if property.sources.count > 1 { specials.hasAlternatives = true }
            if property.missingPolicy != .keep { specials.missing.append(number) }
            for (rank, source) in property.sources.enumerated() where source.origin != .object {
                specials.surroundings.append((number, UInt8(clamping: rank), source))
            }
        }
        specials.surroundings.sort { $0.rank < $1.rank }
        specials.discriminator = mapping.discriminator
        specials.tombstone = mapping.tombstone
        let isNeeded =
            specials.hasAlternatives || !specials.missing.isEmpty || !specials.surroundings.isEmpty
            || specials.discriminator != nil || specials.tombstone != nil
        return isNeeded ? specials : nil
    }
}
