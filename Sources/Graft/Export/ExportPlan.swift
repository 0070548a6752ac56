// What an export writes of an entity's objects, key by key, prepared once: an inner loop then goes through a list.

/// The keys of one entity's objects in JSON.
final class ExportPlan {
    /// What stands under a key.
    enum Content {
        case attribute(Int, AttributeConverter)
        case transformed(Int, NamedTransformer)
        case toOne(Int, ExportOptions.RelationshipForm)
        case toMany(Int, ExportOptions.RelationshipForm)
        /// The same text for all objects of the entity: its name for the type of an object.
        case constant(String)
        /// What names an object without identity.
        case stableIdentifier
        /// An object on the way to further keys.
        case step([Item])
    }

    /// A class, because a loop over structs with several references would count all of them each time.
    final class Item {
        let key: JSONKey
        let content: Content
        /// Whether null, or an empty array, is written where there is no value.
        let writesNull: Bool

        init(key: JSONKey, content: Content, writesNull: Bool) {
            self.key = key
            self.content = content
            self.writesNull = writesNull
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
    /// Whether an owner in an object's identity may hang on that object itself.
    let ownersMayLeadRound: Bool
    /// The numbers of the properties that are written.
    let written: [Int]
    /// The attributes in whose places other properties are written.
    let hidden: [(number: Int, by: Int)]
    /// Whether the type of an object is written.
    let tellsEntity: Bool
    /// Whether relationships lead on from an object that is written in full.
    let isExpanding: Bool

    /// Whether there are values among what is written that no store has.
    var writesTransientValues: Bool { written.contains { properties[$0].isTransient } }

    /// - Parameters:
    ///   - options: Where they are given, they decide about nulls and the names of objects without identity, and the type of
    ///     objects is written. Not for archives.
    ///   - sortsKeys: Whether all keys are in order, and not only those of one rank.
    init(
        _ number: Int, in mapping: GraphMapping, _ options: ExportOptions? = nil, sortsKeys: Bool,
        form: (Int, PropertyMapping) -> ExportOptions.RelationshipForm
    ) throws {
        let entity = mapping.schema.entities[number]
        self.number = number
        name = entity.name
        properties = entity.properties
        identity = entity.relatedIdentity.isEmpty ? entity.identity : entity.relatedIdentity
        ownersMayLeadRound = mapping.schema.ownersMayLeadRound(from: number)
        var builder = ItemBuilder(entity: entity.name, sortsKeys: sortsKeys)
        var identifying: [ItemBuilder.Entry] = []
        for (property, description) in entity.properties.enumerated() {
            guard let mapping = mapping.entities[number].properties[property], mapping.direction.isExported,
                let content = Self.content(property, description, mapping, form)
            else { continue }
            let rank = identity.firstIndex(of: property) ?? (description.isAttribute ? 1000 : 1001)
            var entry = ItemBuilder.Entry(path: mapping.path, rank: rank, content: content)
            // To-many relationships have no null; only their annotation leaves an empty one out. Where the model has a default, an
            // import of what is left out would give a new object that.
            let isNeeded = description.isToMany || !mapping.defaultValue.isNull
            entry.writesNull = mapping.exportsNull ?? (isNeeded || options?.includesNulls ?? true)
            if !content.isLeftOut { builder.entries.append(entry) }
            if rank < 1000 {
                entry.content = content.asIdentifier
                identifying.append(entry)
            }
        }
        written = builder.entries.compactMap(\.content.property).sorted()
        isExpanding = builder.entries.contains { $0.content.isNesting }
        identityItems = identifying.count == identity.count ? try builder.items(of: identifying) : []
        let own = mapping.entities[number]
        tellsEntity = options != nil && own.entityKeyPath != nil
        if let options {
            if let path = own.entityKeyPath { builder.add(.constant(own.entityValue), at: path, rank: 999) }
            if let key = options.stableIdentifierKey { builder.add(.stableIdentifier, at: [key], rank: -1) }
        }
        items = try builder.items(of: builder.entries)
        hidden = builder.hidden
    }

    /// What stands for a property; nil for nothing.
    private static func content(
        _ number: Int, _ property: GraphSchema.Property, _ mapping: PropertyMapping,
        _ form: (Int, PropertyMapping) -> ExportOptions.RelationshipForm
    ) -> Content? {
        switch property.kind {
        case .attribute(let kind):
            guard let transformer = mapping.transformer else {
                return .attribute(number, mapping.converter ?? AttributeConverter(kind))
            }
            return transformer.isReversible ? .transformed(number, transformer) : nil
        case .toOne: return .toOne(number, form(number, mapping))
        case .toMany: return .toMany(number, form(number, mapping))
        }
    }
}

/// Puts what stands at key paths together into objects.
private struct ItemBuilder {
    struct Entry {
        var path: [String]
        var rank: Int
        var content: ExportPlan.Content
        var writesNull = true
    }

    let entity: String
    let sortsKeys: Bool
    var entries: [Entry] = []
    /// The attributes of the latest items that aren't written, and what is in their places.
    private(set) var hidden: [(number: Int, by: Int)] = []

    init(entity: String, sortsKeys: Bool) {
        self.entity = entity
        self.sortsKeys = sortsKeys
    }

    /// Adds what belongs to no property, unless a property is written there.
    mutating func add(_ content: ExportPlan.Content, at path: [String], rank: Int) {
        if entries.contains(where: { $0.path == path }) { return }
        entries.append(Entry(path: path, rank: rank, content: content))
    }

    mutating func items(of entries: [Entry]) throws -> [ExportPlan.Item] {
        hidden = []
        return try items(entries, at: [])
    }

    /// Arranges what stands below a path.
    private mutating func items(_ entries: [Entry], at path: [String]) throws -> [ExportPlan.Item] {
        var groups: [JSONKeyBytes: [Entry]] = [:]
        for entry in entries { groups[JSONKeyBytes(entry.path[path.count]), default: []].append(entry) }
        let ordered = groups.map { (key: $0.key.text, entries: $0.value, rank: $0.value.map(\.rank).min() ?? 0) }.sorted
        {
            sortsKeys || $0.rank == $1.rank
                ? $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) : $0.rank < $1.rank
        }
        return try ordered.map { key, entries, _ in
            let leaves = entries.filter { $0.path.count == path.count + 1 }.sorted { $0.rank < $1.rank }
            // Several properties may be read from one key; the first one, an attribute if there is one, writes it.
            guard let leaf = leaves.first else {
                let step = ExportPlan.Content.step(try items(entries, at: path + [key]))
                return ExportPlan.Item(key: JSONKey(key), content: step, writesNull: true)
            }
            if leaf.content.isAttribute, leaves.count < entries.count {
                throw GraftError(
                    .invalidMapping(
                        reason:
                            "the key path '\((path + [key]).joined(separator: "."))' is an attribute's and begins others",
                        remedy: "Give the attribute another key path, or leave one of them out of the mapping."),
                    at: .init(entity: entity))
            }
            noteHidden(entries, by: leaf)
            return ExportPlan.Item(key: JSONKey(key), content: leaf.content, writesNull: leaf.writesNull)
        }
    }

    /// Of one key, several attributes may be made that aren't the same, by transformers or because they are of several types.
    private mutating func noteHidden(_ entries: [Entry], by leaf: Entry) {
        guard entries.count > 1, let written = leaf.content.property else { return }
        for entry in entries {
            switch (entry.content, leaf.content) {
            case (.attribute(let number, let one), .attribute(_, let other)) where number != written && one == other:
                hidden.append((number, by: written))
            case (.attribute(let number, _), .toOne), (.attribute(let number, _), .toMany):
                hidden.append((number, by: written))
            default: continue
            }
        }
    }
}

extension ExportPlan.Content {
    var isAttribute: Bool {
        switch self {
        case .attribute, .transformed: true
        case .toOne, .toMany, .step, .constant, .stableIdentifier: false
        }
    }

    /// The same as part of an identifier: of related objects, only theirs.
    var asIdentifier: ExportPlan.Content {
        switch self {
        case .toOne(let number, _): .toOne(number, .identifier)
        default: self
        }
    }

    /// The number of the property that it is of.
    var property: Int? {
        switch self {
        case .attribute(let number, _), .transformed(let number, _), .toOne(let number, _), .toMany(let number, _):
            number
        case .constant, .stableIdentifier, .step: nil
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
