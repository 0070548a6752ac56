// What is written of an entity's objects, prepared once for each call.

import CoreData

/// The keys of one entity's objects in a dictionary.
final class DictionaryPlan {
    struct Relationship {
        var number: Int
        var property: GraphSchema.Property
        /// The key below which it stands; nil where it stands under its own name.
        var group: String?
    }

    let name: String
    /// What stands under the entity key.
    let writtenName: String
    let properties: [GraphSchema.Property]
    /// The numbers of the attributes.
    let attributes: [Int]
    let relationships: [Relationship]

    /// - Throws: ``GraftError`` with `invalidMapping` where a property has the name of the entity key.
    init(_ number: Int, in schema: GraphSchema, _ options: DictionaryOptions) throws {
        let entity = schema.entities[number]
        name = entity.name
        writtenName = options.entityNames[entity.name] ?? entity.name
        properties = entity.properties
        attributes = properties.indices.filter { index in
            let property = entity.properties[index]
            return property.isAttribute && !property.isDerived
                && (!property.isTransient || options.includesTransientAttributes)
        }
        relationships = properties.indices.compactMap { index in
            let property = entity.properties[index]
            guard !property.isAttribute, !property.isTransient else { return nil }
            let isFollowed = options.relationships.follow(property, of: number, in: schema)
            return isFollowed ? Relationship(number: index, property: property) : nil
        }
        try Self.check(entityKey: options.entityKey, entity)
    }

    static func check(entityKey: String?, _ entity: GraphSchema.Entity) throws {
        guard let entityKey, entity.number(ofProperty: entityKey) != nil else { return }
        throw GraftError(
            .invalidMapping(
                reason: "'\(entityKey)' is the key of the entity's name and a property",
                remedy: "Choose another entityKey in the options."),
            at: .init(entity: entity.name, property: entityKey))
    }
}

extension DictionaryOptions {
    /// Refuses names of entities and relationships that the model doesn't have.
    ///
    /// - Throws: ``GraftError`` with `unknownEntity` or `unknownProperty`.
    func checkNames(in schema: GraphSchema) throws {
        try Self.check(entityNames, in: schema)
        try relationships.checkNames(in: schema)
    }

    /// Refuses names for entities that the model doesn't have.
    static func check(_ entityNames: [String: String], in schema: GraphSchema) throws {
        for name in entityNames.keys.sorted() { _ = try schema.requiredNumber(ofEntity: name) }
    }
}

extension DictionaryOptions.Relationships {
    /// Refuses names of relationships that the model doesn't have.
    ///
    /// - Throws: ``GraftError`` with `unknownEntity` or `unknownProperty`.
    func checkNames(in schema: GraphSchema) throws {
        guard case .only(let names) = self else { return }
        for name in names.sorted() {
            var entities = Array(schema.entities)
            var bare = name
            if let dot = name.firstIndex(of: ".") {
                let number = try schema.requiredNumber(ofEntity: String(name[..<dot]))
                entities = [schema.entities[number]]
                bare = String(name[name.index(after: dot)...])
            }
            // An attribute's name is none to follow, but no slip either.
            let known = Set(entities.flatMap { $0.properties.map(\.name) })
            if known.contains(bare) { continue }
            throw GraftError.unknownProperty(
                bare, among: known.sorted(),
                at: .init(entity: entities.count == 1 ? entities[0].name : nil, property: bare))
        }
    }

    /// Whether a relationship of an entity is followed.
    func follow(_ property: GraphSchema.Property, of entity: Int, in schema: GraphSchema) -> Bool {
        switch self {
        case .all: true
        case .owned: property.isOwning
        case .only(let names): Self.isNamed(property.name, entity, in: schema, names)
        }
    }

    /// Whether a relationship of an entity is among some names, bare or with the entity or one of its super-entities.
    private static func isNamed(_ name: String, _ number: Int, in schema: GraphSchema, _ names: Set<String>) -> Bool {
        if names.contains(name) { return true }
        var entity: Int? = number
        while let current = entity {
            if names.contains("\(schema.entities[current].name).\(name)") { return true }
            entity = schema.entities[current].parent
        }
        return false
    }
}
