// Which properties of an entity stand under which keys, prepared once for each model: a decoder's inner loop goes through a
// list of keys that are ready.

import CoreData

/// The keys of one entity's objects.
final class CodingPlan: Sendable {
    /// A key of a property, or one on the way to it.
    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }

        /// Names an object's entity, where that isn't the one expected.
        static let entity = Key(stringValue: DictionaryKey.entity)
    }

    /// A class, as ``Relationship`` is: the loops over them then retain one object and not each of its texts.
    final class Attribute: Sendable {
        let key: Key
        let number: Int
        let kind: AttributeKind
        let property: GraphSchema.Property
        let transformer: NamedTransformer?
        /// The place of this key among those where the value may be; nil where there is one, and null clears.
        let rank: Int?
        /// What null means; nil where it leaves the attribute alone.
        let null: GraphValue?

        init(
            key: Key, number: Int, kind: AttributeKind, property: GraphSchema.Property, mapped: PropertyMapping?,
            rank: Int = 0
        ) {
            self.key = key
            self.number = number
            self.kind = kind
            self.property = property
            transformer = mapped?.transformer
            self.rank = mapped.map { $0.sources.count > 1 || $0.nullPolicy != .clear } ?? false ? rank : nil
            null =
                switch mapped?.nullPolicy ?? .clear {
                case .clear: .null
                case .ignore: nil
                case .default: mapped?.defaultValue
                }
        }
    }

    final class Relationship: Sendable {
        let key: Key
        let number: Int
        let property: GraphSchema.Property
        let isToMany: Bool
        /// The number of the destination entity.
        let destination: Int
        /// Whether null leaves it alone.
        let ignoresNull: Bool

        init(key: Key, number: Int, property: GraphSchema.Property, mapped: PropertyMapping?) {
            ignoresNull = mapped?.nullPolicy == .ignore
            self.key = key
            self.number = number
            self.property = property
            isToMany = property.isToMany
            destination = property.destination ?? 0
        }
    }

    /// What stands in one container.
    final class Level: Sendable {
        let attributes: [Attribute]
        let relationships: [Relationship]
        let steps: [(key: Key, level: Level)]
        let hasRelationships: Bool

        init(attributes: [Attribute], relationships: [Relationship], steps: [(key: Key, level: Level)]) {
            self.attributes = attributes
            self.relationships = relationships
            self.steps = steps
            hasRelationships = !relationships.isEmpty || steps.contains { $0.level.hasRelationships }
        }

        /// Whether a relationship stands in the container or below.
        func has(relationship number: Int) -> Bool {
            relationships.contains { $0.number == number } || steps.contains { $0.level.has(relationship: number) }
        }
    }

    let number: Int
    let entity: GraphSchema.Entity
    /// Whether objects may be of a sub-entity.
    let hasSubentities: Bool
    /// What is read.
    let top: Level
    /// What is written: the same, unless a mapping has several keys for a property, or one direction alone.
    let written: Level

    /// - Parameter mapping: The mapping whose key paths apply; nil for the names of the properties.
    init(_ number: Int, in schema: GraphSchema, mapping: EntityMapping?) {
        self.number = number
        entity = schema.entities[number]
        hasSubentities = entity.end > number + 1
        var read: [(path: [String], content: Content)] = []
        var written: [(path: [String], content: Content)] = []
        for (index, property) in entity.properties.enumerated() where !property.isTransient && !property.isDerived {
            func content(_ path: [String], _ mapped: PropertyMapping?, rank: Int = 0) -> [(
                path: [String], content: Content
            )] {
                guard let last = path.last else { return [] }
                let key = Key(stringValue: last)
                guard let kind = property.attributeKind else {
                    return [
                        (path, .relationship(Relationship(key: key, number: index, property: property, mapped: mapped)))
                    ]
                }
                let attribute = Attribute(
                    key: key, number: index, kind: kind, property: property, mapped: mapped, rank: rank)
                return [(path, .attribute(attribute))]
            }
            guard let mapping else {
                // The path to an element of a composite attribute.
                read += content(property.name.split(separator: ".").map(String.init), nil)
                continue
            }
            guard let mapped = mapping.properties[index] else { continue }
            if mapped.direction.isExported { written += content(mapped.path, mapped) }
            guard mapped.direction.isImported else { continue }
            let paths = mapped.sources.filter { $0.origin == .object }.map(\.keys)
            // Where a relationship is, one place says.
            for (rank, path) in paths.prefix(property.isAttribute ? .max : 1).enumerated() {
                read += content(path, mapped, rank: rank)
            }
        }
        top = Self.level(read, depth: 0)
        self.written = mapping == nil ? top : Self.level(Self.separate(written, identity: entity.identity), depth: 0)
    }

    private enum Content {
        case attribute(Attribute)
        case relationship(Relationship)
    }

    /// Of what stands at one place, or behind another, the first is written, as in an export: an attribute if there is one. A coder may
    /// stop the program for two.
    private static func separate(
        _ entries: [(path: [String], content: Content)], identity: [Int]
    ) -> [(path: [String], content: Content)] {
        func rank(_ content: Content) -> Int {
            switch content {
            case .attribute(let attribute): identity.contains(attribute.number) ? 0 : 1
            case .relationship: 2
            }
        }
        let ordered = entries.enumerated().sorted { one, other in
            (one.element.path.count, rank(one.element.content), one.offset)
                < (other.element.path.count, rank(other.element.content), other.offset)
        }
        return ordered.map(\.element).reduce(into: []) { kept, entry in
            if !kept.contains(where: { entry.path.starts(with: $0.path) }) { kept.append(entry) }
        }
    }

    private static func level(_ entries: [(path: [String], content: Content)], depth: Int) -> Level {
        var attributes: [Attribute] = []
        var relationships: [Relationship] = []
        var names: [String] = []
        var below: [String: [(path: [String], content: Content)]] = [:]
        for entry in entries {
            guard entry.path.count == depth + 1 else {
                let name = entry.path[depth]
                if below[name] == nil { names.append(name) }
                below[name, default: []].append(entry)
                continue
            }
            switch entry.content {
            case .attribute(let attribute): attributes.append(attribute)
            case .relationship(let relationship): relationships.append(relationship)
            }
        }
        let steps = names.map { (Key(stringValue: $0), level(below[$0] ?? [], depth: depth + 1)) }
        return Level(attributes: attributes, relationships: relationships, steps: steps)
    }
}

extension CompiledModel {
    /// The plans of all entities.
    ///
    /// - Parameter model: The model that this was compiled from.
    func codingPlans(_ keys: ManagedCodingOptions.Keys, _ model: NSManagedObjectModel) throws -> [CodingPlan] {
        if let known = knownCodingPlans(keys) { return known }
        let mapping = keys == .mapping ? try mapping(of: model) : nil
        let plans = schema.entities.indices.map { CodingPlan($0, in: schema, mapping: mapping?.entities[$0]) }
        keep(plans, for: keys)
        return plans
    }
}
