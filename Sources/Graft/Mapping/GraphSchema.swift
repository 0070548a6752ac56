// The structure of a model as a value: entities, properties and identities by number, without Core Data's classes. A
// snapshot's rows, the mapping and the importer all count entities and properties as this does.
//
//     Character            0, sub-entities up to 2    properties 0 id, 1 name, 2 publisher
//         Hero             1, sub-entities up to 2    the same and 3 powers
//     Power                2
//
// Entities are numbered parents first, so that "is a kind of" is a comparison; the properties of a super-entity come
// first, so that a property's number holds for all sub-entities. On Linux it is the slot number of `EntityLayout`.

import Foundation

/// The entities of a model, with the parts that moving data needs.
final class GraphSchema: Sendable {
    /// What a property is.
    enum Kind: Hashable, Sendable, Codable {
        case attribute(AttributeKind)
        /// The number of the destination entity.
        case toOne(Int)
        case toMany(Int, isOrdered: Bool)
    }

    /// What `diff` in the user info of a property says.
    enum DiffRole: String, Hashable, Sendable, Codable, CaseIterable {
        /// The objects of a relationship belong to diffs, although the object doesn't own them.
        case include
        /// The property has no place in diffs.
        case exclude
    }

    struct Property: Hashable, Sendable, Codable {
        var name: String
        var kind: Kind
        /// The number among the properties of its kind: attributes, to-one and to-many relationships count apart.
        var column: Int
        var isOptional: Bool
        var isTransient: Bool
        /// Whether the store computes the value.
        var isDerived = false
        /// A relationship with the delete rule cascade: its members belong to the object.
        var isOwning = false
        /// A relationship with the delete rule deny: an object with members can't be deleted.
        var isDenying = false
        /// Whether diffs follow the property or leave it out, where the model says it.
        var diffRole: DiffRole?
        /// How few members a to-many relationship may have, and how many, where the model says it.
        var minimumCount: Int?
        var maximumCount: Int?
        /// The number of the inverse relationship among the destination's properties.
        var inverse: Int?
    }

    struct Entity: Hashable, Sendable, Codable {
        var name: String
        /// The number of the super-entity.
        var parent: Int?
        /// One more than the number of the last sub-entity.
        var end: Int
        var isAbstract: Bool
        var properties: [Property]
        /// The numbers of the attributes that identify an object; empty where nothing does.
        var identity: [Int]
        /// The numbers of the properties that identify an object, where to-one relationships are among them: an own key and
        /// the owner's. ``identity`` is empty then.
        var relatedIdentity: [Int]
        /// Whether the row in the store tells objects apart; nil where it doesn't. ``identity`` is empty then.
        var isByRow: Bool?
        /// The topmost entity with the same identity: objects of its sub-entities are told apart by it.
        var identitySpace: Int
        /// The numbers of the attributes of each uniqueness constraint, those of super-entities included. Constraints of
        /// relationships are left out.
        var uniqueness: [[Int]] = []
    }

    /// A relationship that leads to objects whose identity includes the way back.
    struct OwnedRelationship: Sendable {
        var number: Int
        var destination: Int
        /// The number of the inverse among the destination's properties.
        var part: Int
    }

    let entities: [Entity]
    /// By entity.
    let ownedRelationships: [[OwnedRelationship]]
    /// Whether any identity includes a relationship.
    let hasRelatedIdentities: Bool
    /// By entity: whether a relationship owns its objects, or some of them.
    let isOwned: [Bool]
    private let numbers: [String: Int]

    init(entities: [Entity]) {
        self.entities = entities
        hasRelatedIdentities = entities.contains { !$0.relatedIdentity.isEmpty }
        ownedRelationships = entities.map { entity in
            entity.properties.enumerated().compactMap { number, property in
                guard let destination = property.destination, let part = property.inverse,
                    entities[destination].relatedIdentity.contains(part)
                else { return nil }
                return OwnedRelationship(number: number, destination: destination, part: part)
            }
        }
        let owned = Set(entities.flatMap(\.properties).filter(\.isOwning).compactMap(\.destination))
        isOwned = entities.indices.map { entity in
            owned.contains { entity >= $0 && entity < entities[$0].end || $0 >= entity && $0 < entities[entity].end }
        }
        numbers = Dictionary(entities.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    /// The number of the entity with a name.
    func number(ofEntity name: String) -> Int? { numbers[name] }

    /// The number of the entity with a name.
    ///
    /// - Throws: ``GraftError`` with `unknownEntity`.
    func requiredNumber(ofEntity name: String) throws -> Int {
        if let number = numbers[name] { return number }
        throw GraftError.unknownEntity(name, among: entities.map(\.name), at: .init(entity: name))
    }

    /// Whether every object of one entity is one of the other.
    @inline(__always)
    func isEntity(_ entity: Int, kindOf other: Int) -> Bool {
        entity >= other && entity < entities[other].end
    }

    /// How many properties two entities share: those of the nearest entity that both inherit from, or are.
    func commonPropertyCount(_ entity: Int, _ other: Int) -> Int {
        commonAncestor(entity, other).map { entities[$0].properties.count } ?? 0
    }

    /// The most special entity that both entities are kinds of: one of them, where the other one is a kind of it.
    func commonAncestor(_ entity: Int, _ other: Int) -> Int? {
        var ancestor: Int? = entity
        while let next = ancestor, !isEntity(other, kindOf: next) { ancestor = entities[next].parent }
        return ancestor
    }

    /// Whether objects of two entities may be one object: one inherits from the other, or both are kinds of an entity whose kinds
    /// are told apart.
    func areOne(_ entity: Int, _ other: Int, areTold: (Int) -> Bool) -> Bool {
        isEntity(entity, relatedTo: other) || commonAncestor(entity, other).map(areTold) ?? false
    }

    /// The topmost entity that has a property of an entity.
    func declaringEntity(of property: Int, _ entity: Int) -> Int {
        var declaring = entity
        while let parent = entities[declaring].parent, property < entities[parent].properties.count {
            declaring = parent
        }
        return declaring
    }

    /// Whether a relationship that owns nothing may lead to what another one owns.
    @inline(__always)
    func mayLeadToOwned(_ property: Property) -> Bool {
        !property.isOwning && property.destination.map { isOwned[$0] } ?? false
    }

    /// Whether both ends of a relationship lead to one object.
    func isOneToOne(_ property: Property) -> Bool { !property.isToMany && isExclusive(property) }

    /// Whether who is at the other end of a relationship can be there for one object alone.
    @inline(__always)
    func isExclusive(_ property: Property) -> Bool {
        guard let destination = property.destination, let inverse = property.inverse else { return false }
        return !entities[destination].properties[inverse].isToMany
    }

    /// The relationship that leads back.
    @inline(__always)
    func inverse(of property: Property) -> Property? {
        guard let destination = property.destination, let inverse = property.inverse else { return nil }
        return entities[destination].properties[inverse]
    }

    /// A property of an object, by its name.
    func property(_ name: String, of key: ObjectKey) -> Property? {
        number(ofEntity: key.entity).flatMap { entities[$0].property(name) }
    }

    /// Whether one of two entities inherits from the other, or both are the same.
    @inline(__always)
    func isEntity(_ entity: Int, relatedTo other: Int) -> Bool {
        isEntity(entity, kindOf: other) || isEntity(other, kindOf: entity)
    }
}

extension GraphSchema: Equatable {
    static func == (one: GraphSchema, other: GraphSchema) -> Bool { one === other || one.entities == other.entities }
}

extension GraphSchema: Codable {
    convenience init(from decoder: any Decoder) throws {
        let entities = try decoder.singleValueContainer().decode([Entity].self)
        try Self.check(entities, decoder)
        self.init(entities: entities)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(entities)
    }

    /// Foreign data: every number has to lead to something.
    private static func check(_ entities: [Entity], _ decoder: any Decoder) throws {
        func require(_ condition: Bool, _ entity: Entity) throws {
            guard !condition else { return }
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "The entity '\(entity.name)' is damaged."))
        }
        for (number, entity) in entities.enumerated() {
            try require(entity.end > number && entity.end <= entities.count, entity)
            try require(entity.parent.map { $0 >= 0 && $0 < number } ?? true, entity)
            try require(entities.indices.contains(entity.identitySpace) && entity.identitySpace <= number, entity)
            for property in entity.identity + entity.uniqueness.joined() {
                try require(entity.properties.indices.contains(property), entity)
                try require(entity.properties[property].isAttribute, entity)
            }
            for property in entity.relatedIdentity {
                try require(entity.properties.indices.contains(property), entity)
                try require(!entity.properties[property].isToMany, entity)
            }
            var columns = [0, 0, 0]
            for property in entity.properties {
                try require(property.column == columns[property.columnKind], entity)
                columns[property.columnKind] += 1
                guard let destination = property.destination else { continue }
                try require(entities.indices.contains(destination), entity)
                if let inverse = property.inverse {
                    try require(entities[destination].properties.indices.contains(inverse), entity)
                }
            }
        }
    }
}

extension GraphSchema.Property {
    var isAttribute: Bool {
        if case .attribute = kind { true } else { false }
    }

    var isToMany: Bool {
        if case .toMany = kind { true } else { false }
    }

    var isOrdered: Bool {
        if case .toMany(_, isOrdered: true) = kind { true } else { false }
    }

    /// The number of the destination entity of a relationship.
    var destination: Int? {
        switch kind {
        case .attribute: nil
        case .toOne(let entity), .toMany(let entity, _): entity
        }
    }

    var attributeKind: AttributeKind? {
        if case .attribute(let kind) = kind { kind } else { nil }
    }

    /// 0 for attributes, 1 for to-one, 2 for to-many relationships.
    var columnKind: Int {
        switch kind {
        case .attribute: 0
        case .toOne: 1
        case .toMany: 2
        }
    }
}

extension GraphSchema.Entity {
    func number(ofProperty name: String) -> Int? { properties.firstIndex { $0.name == name } }

    /// The property with a name.
    func property(_ name: String) -> GraphSchema.Property? { properties.first { $0.name == name } }

    /// How many attributes, to-one and to-many relationships there are.
    func count(ofColumnKind kind: Int) -> Int { properties.count { $0.columnKind == kind } }
}
