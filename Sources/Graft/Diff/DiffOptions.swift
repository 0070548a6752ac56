// What takes part in diffs: the model's word, and what the caller says over it.

/// What belongs to a diff beyond what the model says.
///
/// A relationship with the delete rule cascade owns its objects: they belong to the graph of an object. Others are written
/// as references, unless the model has `diff = include` in their user info. `diff = exclude` leaves a property out, and
/// transient and derived properties are never in. What is said here counts more than the model.
public struct DiffOptions: Hashable, Sendable, Codable {
    /// A property of an entity and its sub-entities.
    public struct Property: Hashable, Sendable, Codable {
        /// The entity's name.
        public var entity: String
        /// The property's name.
        public var name: String

        /// Creates a property's name.
        public init(_ entity: String, _ name: String) {
            self.entity = entity
            self.name = name
        }
    }

    /// The relationships whose objects belong to an object's graph although it doesn't own them.
    public var included: Set<Property>

    /// The properties that have no place in diffs.
    public var excluded: Set<Property>

    /// Whether objects that the snapshots are about, and that have no identity, are matched by their place among them: the
    /// first one with the first one.
    package var matchesRootsByPosition = false

    /// What tells the objects of an entity and its sub-entities apart, whatever the model says: the names of attributes and
    /// to-one relationships. None at all means that nothing is guessed.
    public var keys: [String: [String]]

    /// Whether an attribute called `id`, `uuid`, `identifier`, `guid` or `<entity>ID` tells the objects of an entity apart for
    /// which the model declares nothing, where the data are unique in it. By default what reads takes such a guess, and what
    /// writes into a store doesn't.
    public var guessesKeys: Bool?

    /// Whose rows both sides have taken over, where they are copies of one store: rows beyond those are different objects.
    public var base: GraphSnapshot.Lineage?

    /// Creates options.
    public init(
        included: Set<Property> = [], excluded: Set<Property> = [], keys: [String: [String]] = [:],
        guessesKeys: Bool? = nil,
        base: GraphSnapshot.Lineage? = nil
    ) {
        self.included = included
        self.excluded = excluded
        self.keys = keys
        self.guessesKeys = guessesKeys
        self.base = base
    }

    /// Decodes options; those of before have no keys.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        included = try container.decode(Set<Property>.self, forKey: .included)
        excluded = try container.decode(Set<Property>.self, forKey: .excluded)
        matchesRootsByPosition = try container.decode(Bool.self, forKey: .matchesRootsByPosition)
        keys = try container.decodeIfPresent([String: [String]].self, forKey: .keys) ?? [:]
        guessesKeys = try container.decodeIfPresent(Bool.self, forKey: .guessesKeys)
        base = try container.decodeIfPresent(GraphSnapshot.Lineage.self, forKey: .base)
    }
}

/// The properties that take part in diffs, by number, for each entity.
final class DiffScope: Sendable {
    struct Entity: Sendable {
        /// The numbers and columns of the attributes; the same for to-one and to-many relationships.
        var attributes: [Member] = []
        var toOnes: [Member] = []
        var toManys: [Member] = []
        /// A bit for each of them, as in a snapshot's presence.
        var presence: [UInt64]
        /// A bit for each identifying attribute.
        var identityPresence: [UInt64]
        /// A bit for each identifying relationship: a reference may say something of it or not.
        var ownerPresence: [UInt64]
        var identityColumns: [Int]
        /// By number of the property.
        var contains: [Bool]
        var follows: [Bool]
    }

    struct Member: Sendable {
        var number: Int
        var column: Int
        var isOrdered: Bool
    }

    let schema: GraphSchema
    let entities: [Entity]

    /// - Throws: ``GraftError`` with `unknownEntity` or `unknownProperty` for an option that names what isn't there.
    init(_ schema: GraphSchema, _ options: DiffOptions = DiffOptions()) throws {
        self.schema = schema
        let included = try Self.numbers(options.included, schema)
        let excluded = try Self.numbers(options.excluded, schema)
        entities = schema.entities.enumerated().map { number, entity in
            func isNamed(_ property: Int, in named: [(entity: Int, property: Int)]) -> Bool {
                named.contains { $0.property == property && schema.isEntity(number, kindOf: $0.entity) }
            }
            var scope = Entity(entity)
            for (index, property) in entity.properties.enumerated() {
                let isExcluded = isNamed(index, in: excluded) || property.diffRole == .exclude
                let isIncluded = isNamed(index, in: included)
                if property.isTransient || property.isDerived { continue }
                // What identifies an object can't be left out.
                let isIdentifying = !property.isAttribute && entity.relatedIdentity.contains(index)
                if isExcluded, !isIncluded, !isIdentifying { continue }
                scope.add(index, property)
                scope.follows[index] =
                    !property.isAttribute && (property.isOwning || property.diffRole == .include || isIncluded)
            }
            return scope
        }
    }

    /// The properties that someone else chooses, by entity and number. Nothing is followed.
    init(_ schema: GraphSchema, contains: (_ entity: Int, _ property: Int) -> Bool) {
        self.schema = schema
        entities = schema.entities.enumerated().map { number, entity in
            var scope = Entity(entity)
            for (index, property) in entity.properties.enumerated() where contains(number, index) {
                scope.add(index, property)
            }
            return scope
        }
    }

    private static func numbers(
        _ properties: Set<DiffOptions.Property>, _ schema: GraphSchema
    ) throws -> [(entity: Int, property: Int)] {
        try properties.map { property in
            let entity = try schema.requiredNumber(ofEntity: property.entity)
            return (entity, try schema.requiredNumber(ofProperty: property.name, in: entity))
        }
    }
}

extension DiffScope.Entity {
    init(_ entity: GraphSchema.Entity) {
        let count = entity.properties.count
        presence = [UInt64](repeating: 0, count: (count + 63) / 64)
        identityPresence = presence
        ownerPresence = presence
        for number in entity.identityAttributes { identityPresence[number / 64] |= 1 << UInt64(number % 64) }
        for number in entity.identityRelationships { ownerPresence[number / 64] |= 1 << UInt64(number % 64) }
        identityColumns = entity.identityColumns
        contains = [Bool](repeating: false, count: count)
        follows = contains
    }

    fileprivate mutating func add(_ number: Int, _ property: GraphSchema.Property) {
        let member = DiffScope.Member(number: number, column: property.column, isOrdered: property.isOrdered)
        switch property.kind {
        case .attribute: attributes.append(member)
        case .toOne: toOnes.append(member)
        case .toMany: toManys.append(member)
        }
        presence[number / 64] |= 1 << UInt64(number % 64)
        contains[number] = true
    }
}

extension GraphSchema {
    /// The number of a property.
    ///
    /// - Throws: ``GraftError`` with `unknownProperty`.
    func requiredNumber(ofProperty name: String, in entity: Int) throws -> Int {
        if let number = entities[entity].number(ofProperty: name) { return number }
        throw GraftError.unknownProperty(
            name, among: entities[entity].properties.map(\.name), at: .init(entity: entities[entity].name))
    }
}

extension GraphSchema {
    /// The number of a property that somebody wants objects to be told apart by.
    ///
    /// - Throws: ``GraftError`` with `unknownProperty`, and with `invalidMapping` for a list.
    func requiredNumber(ofKey name: String, in entity: Int) throws -> Int {
        let number = try requiredNumber(ofProperty: name, in: entity)
        let property = entities[entity].properties[number]
        if property.isAttribute || !property.isToMany { return number }
        throw GraftError(
            .invalidMapping(
                reason: "'\(name)' is a list, by which no objects can be told apart",
                remedy: "Name attributes or to-one relationships."),
            at: .init(entity: entities[entity].name, property: name))
    }

    /// What is said of an entity in a table by entities: its own entry, or that of the nearest super-entity that has one.
    func nearest<Value>(_ entity: Int, in table: [String: Value]) -> Value? {
        var next: Int? = entity
        while let number = next {
            if let value = table[entities[number].name] { return value }
            next = entities[number].parent
        }
        return nil
    }
}

extension GraphSnapshot {
    /// Whether a row says nothing of its object but which it is.
    @inline(__always)
    func isReference(_ entity: Int, _ row: Int, _ scope: DiffScope) -> Bool {
        let flags = tables[entity].flags[row]
        if flags.contains(.root) || flags.contains(.whole) { return false }
        let words = tables[entity].wordCount
        for word in 0..<words {
            let presence = tables[entity].presence[row &* words &+ word] & ~scope.entities[entity].ownerPresence[word]
            if presence != scope.entities[entity].identityPresence[word] { return false }
        }
        return true
    }
}
