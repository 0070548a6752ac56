// What an export writes of an entity's objects, key by key, prepared once: an inner loop then goes through a list.

/// The keys of one entity's objects in JSON.
final class ExportPlan {
    /// What stands under a key.
    enum Content {
        case attribute(Int, AttributeConverter)
        case transformed(Int, NamedTransformer)
        case toOne(Int, ExportOptions.RelationshipForm)
        case toMany(Int, ExportOptions.RelationshipForm)
        /// An object on the way to further keys.
        case step([Item])
    }

    /// A class, because a loop over structs with several references would count all of them each time.
    final class Item {
        let key: JSONKey
        let content: Content

        init(key: JSONKey, content: Content) {
            self.key = key
            self.content = content
        }
    }

    let number: Int
    let name: String
    let properties: [GraphSchema.Property]
    /// Identity first, then attributes, then relationships; each by key, so that the order of the model doesn't matter.
    let items: [Item]
    /// The identifying attributes alone; empty where one of them isn't mapped.
    let identityItems: [Item]
    let identity: [Int]
    /// Whether relationships lead on from an object that is written in full.
    let isExpanding: Bool

    init(
        _ number: Int, in mapping: GraphMapping, form: (Int, PropertyMapping) -> ExportOptions.RelationshipForm
    ) throws {
        let entity = mapping.schema.entities[number]
        self.number = number
        name = entity.name
        properties = entity.properties
        identity = entity.identity
        let mapped = mapping.entities[number].properties
        var entries: [Entry] = []
        for (property, description) in entity.properties.enumerated() {
            guard let mapping = mapped[property], mapping.direction.isExported else { continue }
            let content: Content
            switch description.kind {
            case .attribute(let kind):
                if let transformer = mapping.transformer {
                    if !transformer.isReversible { continue }
                    content = .transformed(property, transformer)
                } else {
                    content = .attribute(property, mapping.converter ?? AttributeConverter(kind))
                }
            case .toOne:
                content = .toOne(property, form(property, mapping))
            case .toMany:
                content = .toMany(property, form(property, mapping))
            }
            if content.isLeftOut { continue }
            let rank = entity.identity.firstIndex(of: property) ?? (description.isAttribute ? 1000 : 1001)
            entries.append(Entry(path: mapping.path, rank: rank, content: content))
        }
        items = try Self.items(entries, at: [], entity: entity.name)
        let identifying = entries.filter { $0.rank < 1000 }
        identityItems =
            identifying.count == entity.identity.count ? try Self.items(identifying, at: [], entity: entity.name) : []
        isExpanding = entries.contains { $0.content.isNesting }
    }

    // MARK: Order

    private struct Entry {
        var path: [String]
        var rank: Int
        var content: Content
    }

    /// Arranges what stands below a path.
    private static func items(_ entries: [Entry], at path: [String], entity: String) throws -> [Item] {
        var groups: [String: [Entry]] = [:]
        for entry in entries { groups[entry.path[path.count], default: []].append(entry) }
        let ordered = groups.map { (key: $0.key, entries: $0.value, rank: $0.value.map(\.rank).min() ?? 0) }.sorted {
            $0.rank == $1.rank ? $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) : $0.rank < $1.rank
        }
        return try ordered.map { key, entries, _ in
            let leaves = entries.filter { $0.path.count == path.count + 1 }.sorted { $0.rank < $1.rank }
            // Several properties may be read from one key; the first one, an attribute if there is one, writes it.
            guard let leaf = leaves.first else {
                return Item(key: JSONKey(key), content: .step(try items(entries, at: path + [key], entity: entity)))
            }
            if leaf.content.isAttribute, leaves.count < entries.count {
                throw GraftError(
                    .invalidMapping(
                        reason:
                            "the key path '\((path + [key]).joined(separator: "."))' is an attribute's and begins others",
                        remedy: "Give the attribute another key path, or leave one of them out of the mapping."),
                    at: .init(entity: entity))
            }
            return Item(key: JSONKey(key), content: leaf.content)
        }
    }
}

extension ExportPlan.Content {
    var isAttribute: Bool {
        switch self {
        case .attribute, .transformed: true
        case .toOne, .toMany, .step: false
        }
    }

    var isLeftOut: Bool {
        switch self {
        case .toOne(_, .none), .toMany(_, .none): true
        default: false
        }
    }

    var isNesting: Bool {
        switch self {
        case .toOne(_, .nested), .toMany(_, .nested): true
        default: false
        }
    }
}
