// Which entity and which property of a model is which of another one: of the same model, whose properties stand in another order where
// one was made in code and the other was read, or of an older version of it.

import CoreData

/// Where a schema has what another one has.
struct SchemaMatch {
    let old: GraphSchema
    let new: GraphSchema
    /// By entity of the new schema, the old one's; nil where that has none.
    private(set) var entities: [Int?]
    /// The same by property.
    private(set) var properties: [[Int?]]
    /// By entity of the old schema, the new one's.
    private let newNumbers: [Int?]

    /// Matches a schema with another one of the same model; nil where more than the order of properties differs.
    init?(sameModel old: GraphSchema, _ new: GraphSchema) {
        guard old.entities.map(\.name) == new.entities.map(\.name) else { return nil }
        (self.old, self.new) = (old, new)
        entities = new.entities.indices.map(\.self)
        newNumbers = entities
        properties = zip(new.entities, old.entities).map { entity, old in
            let numbers = Dictionary(old.properties.enumerated().map { ($1.name, $0) }) { first, _ in first }
            return entity.properties.map { numbers[$0.name] }
        }
        guard reordered == new.entities else { return nil }
    }

    /// The old entities with their properties in the new order; nil where some are missing.
    private var reordered: [GraphSchema.Entity]? {
        // By entity and old number.
        let numbers = properties.map { olds in
            Dictionary(olds.enumerated().compactMap { new, old in old.map { ($0, new) } }) { first, _ in first }
        }
        var entities = old.entities
        for entity in entities.indices {
            let (described, olds) = (old.entities[entity], properties[entity].compactMap(\.self))
            guard olds.count == described.properties.count, Set(olds).count == olds.count else { return nil }
            func moved(_ list: [Int]) -> [Int] { list.compactMap { numbers[entity][$0] } }
            entities[entity].properties = zip(olds, new.entities[entity].properties).map { old, new in
                var property = described.properties[old]
                property.column = new.column
                property.inverse = property.inverse.flatMap { inverse in
                    property.destination.flatMap { numbers[$0][inverse] }
                }
                return property
            }
            entities[entity].identity = moved(described.identity)
            entities[entity].relatedIdentity = moved(described.relatedIdentity)
            entities[entity].uniqueness = described.uniqueness.map(moved)
        }
        return entities
    }

    // MARK: Versions

    /// Matches a schema with that of a later version of its model, as a migration does: by renaming identifiers and names.
    ///
    /// - Parameter identifiers: Those of the older version.
    init(_ old: GraphSchema, _ identifiers: RenamingIdentifiers, to new: GraphSchema, of model: NSManagedObjectModel) {
        (self.old, self.new) = (old, new)
        let newIdentifiers = RenamingIdentifiers(model)
        let numbers = Self.numbers(
            old.entities.map { Name(text: $0.name, identifier: identifiers[$0.name]) },
            new.entities.map { Name(text: $0.name, identifier: newIdentifiers[$0.name]) })
        entities = numbers
        newNumbers = old.entities.indices.map { numbers.firstIndex(of: $0) }
        properties = new.entities.enumerated().map { number, entity in
            let before = numbers[number].map { old.entities[$0] }
            return Self.numbers(
                before?.properties.map { Name($0, identifiers[before?.name, $0.name]) } ?? [],
                entity.properties.map { Name($0, newIdentifiers[entity.name, $0.name]) })
        }
    }

    /// What an entity or a property is called. A migration matches attributes and relationships apart, and nothing transient.
    private struct Name: Hashable {
        var text: String
        var identifier: String
        var isAttribute = false
        var isTransient = false

        init(text: String, identifier: String) { (self.text, self.identifier) = (text, identifier) }

        init(_ property: GraphSchema.Property, _ identifier: String) {
            self.init(text: property.name, identifier: identifier)
            (isAttribute, isTransient) = (property.isAttribute, property.isTransient)
        }
    }

    /// By number of the new name, the number of the old one. What was left alone comes first, then what has the same identifier; an
    /// identifier may have been the name of before, or have been dropped. The runtime's `RenamingMatch` has the same rules, for models.
    private static func numbers(_ old: [Name], _ new: [Name]) -> [Int?] {
        var found = [Int?](repeating: nil, count: new.count)
        var taken: Set<Int> = []
        func match(_ oldKey: (Name) -> Name, _ newKey: (Name) -> Name) {
            let free = old.indices.filter { !taken.contains($0) }
            let numbers = Dictionary(free.map { (oldKey(old[$0]), $0) }) { first, _ in first }
            for number in new.indices where found[number] == nil {
                guard let match = numbers[newKey(new[number])], taken.insert(match).inserted else { continue }
                found[number] = match
            }
        }
        func called(_ text: String, _ name: Name) -> Name {
            var name = name
            (name.text, name.identifier) = (text, "")
            return name
        }
        func text(_ name: Name) -> Name { called(name.text, name) }
        func identifier(_ name: Name) -> Name { called(name.identifier, name) }
        match(\.self, \.self)
        match(identifier, identifier)
        match(text, identifier)
        match(text, text)
        return found
    }

    /// What an entity is called now; nil where there is none any more.
    func newName(ofEntity name: String) -> String? {
        old.number(ofEntity: name).flatMap { newNumbers[$0] }.map { new.entities[$0].name }
    }

    /// What a property of an old entity is called now; nil where there is none any more.
    func newName(ofProperty name: String, in entity: String) -> String? {
        guard let number = old.number(ofEntity: entity), let new = newNumbers[number],
            let property = old.entities[number].number(ofProperty: name)
        else { return nil }
        return properties[new].firstIndex(of: property).map { self.new.entities[new].properties[$0].name }
    }

    /// A row of the old schema, which keeps its number; nil where its entity is gone.
    func moved(_ row: RowReference) -> RowReference? {
        row.isNone ? nil : newNumbers[row.entity].map { RowReference(entity: $0, row: row.row) }
    }

    /// What of the old schema's values can't become what the new one has, one phrase for each.
    var obstacles: [String] {
        if newNumbers.allSatisfy({ $0 == nil }) { return ["there is none of its entities"] }
        var obstacles: [String] = []
        for (number, entity) in new.entities.enumerated() {
            guard let before = entities[number].map({ old.entities[$0] }) else { continue }
            for (property, match) in zip(entity.properties, properties[number])
            where !property.isTransient && !property.isDerived {
                guard let was = match.map({ before.properties[$0] }), !was.becomes(property) else { continue }
                obstacles.append("'\(entity.name).\(property.name)' is of another type")
            }
        }
        return obstacles
    }
}

extension GraphSchema.Property {
    /// Whether each value is one of another property, too.
    fileprivate func becomes(_ other: GraphSchema.Property) -> Bool {
        switch (kind, other.kind) {
        case (.attribute(let kind), .attribute(let other)): kind == other || kind.isNarrower(than: other)
        case (.toMany, .toOne), (.attribute, _), (_, .attribute): false
        case (.toOne, _), (.toMany, .toMany): true
        }
    }
}

/// By what a migration finds entities and properties in another version of the model: those that have another identifier than their name.
struct RenamingIdentifiers: Codable, Sendable {
    private var identifiers: [String: String] = [:]

    /// No entity and no property has one.
    init() {}

    init(_ model: NSManagedObjectModel) {
        for (name, entity) in model.entitiesByName {
            note(entity.renamingIdentifier, name)
            for (path, part) in entity.partsByName {
                let way = [part.whole] + part.elements
                note(way.map { $0.renamingIdentifier ?? $0.name }.joined(separator: "."), path, "\(name).\(path)")
            }
        }
    }

    private mutating func note(_ identifier: String?, _ name: String, _ key: String? = nil) {
        if let identifier, identifier != name { identifiers[key ?? name] = identifier }
    }

    subscript(_ entity: String) -> String { identifiers[entity] ?? entity }

    subscript(_ entity: String?, _ property: String) -> String {
        identifiers["\(entity ?? "").\(property)"] ?? property
    }

    // MARK: Coding

    init(from decoder: any Decoder) throws {
        identifiers = try decoder.singleValueContainer().decode([String: String].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(identifiers)
    }
}
