// Finding an entity's properties and relatives.

import Foundation

/// Bounds on what is walked in models that may be broken.
enum ModelLimits {
    /// The longest chain of super-entities that is followed. Real ones are below ten.
    static let inheritanceDepth = 256
    /// How deep composite attributes may be within each other.
    static let compositeDepth = 32
    /// How many elements all composite attributes of a model in XML may have together: types that are used by others several times each
    /// double with each level. No table has room for more than some 2,000 columns.
    static let mostCompositeElements = 10_000
}

/// An entity's properties by name, inherited ones included.
struct PropertyLookup {
    var properties: [String: NSPropertyDescription] = [:]
    var attributes: [String: NSAttributeDescription] = [:]
    var relationships: [String: NSRelationshipDescription] = [:]

    mutating func add(_ property: NSPropertyDescription) {
        properties[property.name] = property
        if let attribute = property as? NSAttributeDescription { attributes[property.name] = attribute }
        if let relationship = property as? NSRelationshipDescription { relationships[property.name] = relationship }
    }
}

extension NSEntityDescription {
    /// The properties by name, inherited ones included.
    public var propertiesByName: [String: NSPropertyDescription] { propertyLookup.properties }

    /// The attributes by name, inherited ones included.
    public var attributesByName: [String: NSAttributeDescription] { propertyLookup.attributes }

    /// The relationships by name, inherited ones included.
    public var relationshipsByName: [String: NSRelationshipDescription] { propertyLookup.relationships }

    /// The direct sub-entities by name.
    public var subentitiesByName: [String: NSEntityDescription] {
        Dictionary(subentities.map { ($0.name ?? "", $0) }) { first, _ in first }
    }

    /// Returns the relationships, inherited ones included and sorted by name, that lead to an entity.
    public func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
        relationshipsByName.values.filter { $0.destinationEntity === entity }.sorted { $0.name < $1.name }
    }

    /// Returns whether the entity is the given one or inherits from it.
    public func isKindOf(entity: NSEntityDescription) -> Bool {
        lineage.contains { $0 === entity }
    }

    /// The entity, its super-entity, and so on up to the root; cut off where it would repeat itself.
    package var lineage: [NSEntityDescription] {
        var lineage = [self]
        while let next = lineage.last?.superentity, lineage.count < ModelLimits.inheritanceDepth {
            if lineage.contains(where: { $0 === next }) { break }
            lineage.append(next)
        }
        return lineage
    }

    /// The entity at the top of the inheritance, whose table the objects share.
    package var rootEntity: NSEntityDescription { lineage.last ?? self }

    /// The uniqueness constraints as names.
    ///
    /// A constraint of no properties constrains nothing and is left out.
    package var uniquenessConstraintNames: [[String]] {
        uniquenessConstraints.filter { !$0.isEmpty }.map { $0.map(Self.propertyName) }
    }

    /// The entity whose objects a uniqueness constraint is about. A store has an index for it on the table that an entity shares with those it
    /// inherits from, so that it is the one furthest up that has all of the properties.
    package func scope(ofConstraint names: [String]) -> NSEntityDescription {
        let roots = names.map { String($0.prefix { $0 != "." }) }
        return lineage.last { entity in roots.allSatisfy { entity.propertiesByName[$0] != nil } } ?? self
    }

    /// The entities whose uniqueness constraints may be about the entity's objects: itself, those that it inherits from, and then the others
    /// of the table, which may constrain what they inherit.
    package var constrainingEntities: [NSEntityDescription] {
        let own = lineage
        var others: [NSEntityDescription] = []
        var seen: Set<ObjectIdentifier> = []
        var pending = [rootEntity]
        while let entity = pending.popLast() {
            guard seen.insert(ObjectIdentifier(entity)).inserted else { continue }
            if !own.contains(where: { $0 === entity }) { others.append(entity) }
            pending += entity.subentities
        }
        return own + others
    }

    static func propertyName(_ element: Any) -> String {
        switch element {
        case let property as NSPropertyDescription: property.name
        case let name as String: name
        default: "\(element)"
        }
    }

    var propertyLookup: PropertyLookup {
        if let lookup { return lookup }
        var made = PropertyLookup()
        for entity in lineage.reversed() {
            for property in entity.ownProperties { made.add(property) }
        }
        lookup = made
        noteStructure()
        return made
    }
}
