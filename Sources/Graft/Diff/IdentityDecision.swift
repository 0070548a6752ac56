// Which object is which, decided in one place for diffs, merges, what is applied, the tracker and previews. The first of these that
// holds for an entity:
//
//     said      what the caller names (`--key`)
//     declared  the model's identity
//     guessed   an attribute called id, uuid, identifier, guid or <entity>ID, unique and never null on all sides
//     row       where all sides are of one lineage; what isn't saved on the new one of two sides is new
//     contents  place below a known object, else contents
//
// Snapshots and stores answer alike (IdentityEvidence), so that both come to the same decision.

import CoreData
import Foundation

/// What one side of a comparison knows of its objects.
protocol IdentityEvidence {
    /// Whose rows they are.
    var lineage: GraphSnapshot.Lineage? { get }

    /// The number of an entity's objects, sub-entities not included.
    func count(of entity: Int) throws -> Int

    /// Whether each object of an entity has a row of its own.
    ///
    /// - Parameter orIsUnsaved: Whether one that isn't saved needs none, as long as others have one.
    func hasRows(_ entity: Int, orIsUnsaved: Bool) throws -> Bool

    /// Whether an attribute is never null and never the same in the objects of an entity and its sub-entities.
    func isUnique(_ attribute: Int, of entity: Int) throws -> Bool
}

/// Decides by which rule each entity's objects are told apart.
struct IdentityDecision {
    private let schema: GraphSchema
    private let options: DiffOptions
    private let sides: [any IdentityEvidence]
    /// Up to which rows all sides are the same, by the name of the topmost entity; nil for different lineages.
    private let common: [String: Int64]?
    private(set) var identification = GraphDiff.Identification()

    /// - Throws: ``GraftError`` with `unknownEntity` or `unknownProperty` for a key that the model doesn't have.
    init(_ schema: GraphSchema, _ options: DiffOptions, _ sides: [any IdentityEvidence]) throws {
        self.schema = schema
        self.options = options
        self.sides = sides
        for (name, properties) in options.keys.sorted(by: { $0.key < $1.key }) {
            let number = try schema.requiredNumber(ofEntity: name)
            for property in properties { _ = try schema.requiredNumber(ofKey: property, in: number) }
        }
        // Objects that are given in pairs are paired as they are given.
        common =
            options.matchesRootsByPosition
            ? nil : GraphSnapshot.Lineage.common(sides.map(\.lineage) + (options.base.map { [$0] } ?? []))
        for number in schema.entities.indices { try decide(number) }
        if identification.rules.values.contains(where: { if case .row = $0 { true } else { false } }) {
            identification.store = sides.first?.lineage?.store
        }
    }

    private mutating func decide(_ number: Int) throws {
        let entity = schema.entities[number]
        let inherited = entity.parent.flatMap { identification.rules[schema.entities[$0].name] }
        if let names = said(of: number), !names.isEmpty {
            identification.rules[entity.name] = .said(names)
        } else if entity.hasIdentity {
            return
        } else if case .guessed? = inherited {
            identification.rules[entity.name] = inherited
        } else if let guess = try guess(number) {
            identification.rules[entity.name] = .guessed([guess])
        } else if let limit = common?[schema.entities[schema.root(of: number)].name], try hasRows(number) {
            let root = schema.entities[schema.root(of: number)].name
            let beyond = sides.count { ($0.lineage?.rows[root] ?? 0) > limit }
            identification.rules[entity.name] = .row(upTo: limit, isMarked: beyond > 1)
        }
    }

    /// What the caller says of an entity or the nearest super-entity of which something is said.
    private func said(of entity: Int) -> [String]? { schema.nearest(entity, in: options.keys) }

    private func hasRows(_ number: Int) throws -> Bool {
        guard try hasObjects(number) else { return false }
        return try sides.indices.allSatisfy { index in
            try sides[index].hasRows(number, orIsUnsaved: sides.count == 2 && index == 1)
        }
    }

    private func hasObjects(_ number: Int) throws -> Bool {
        try (number..<schema.entities[number].end).contains { kind in
            try sides.contains { try $0.count(of: kind) > 0 }
        }
    }

    /// The attribute that seems to identify an entity's objects, and does.
    private func guess(_ number: Int) throws -> String? {
        guard options.guessesKeys ?? true, !options.matchesRootsByPosition, said(of: number) == nil else { return nil }
        for index in Self.candidates(of: schema.entities[number]) {
            if try hasObjects(number), try sides.allSatisfy({ try $0.isUnique(index, of: number) }) {
                return schema.entities[number].properties[index].name
            }
        }
        return nil
    }

    /// The numbers of the attributes whose names say that they identify an entity's objects, the surest first.
    static func candidates(of entity: GraphSchema.Entity) -> [Int] {
        names(for: entity.name).flatMap { name in
            entity.properties.indices.filter {
                entity.properties[$0].name.lowercased() == name && entity.properties[$0].canIdentify
            }
        }
    }

    /// The names of attributes that identify, in lower case, the surest first.
    static func names(for entity: String) -> [String] {
        ["id", "uuid", "identifier", "guid", entity.lowercased() + "id"]
    }
}

extension GraphSchema.Property {
    /// Whether an attribute has values of a type that identifies objects.
    fileprivate var canIdentify: Bool {
        if isTransient || isDerived { return false }
        return switch attributeKind {
        case .integer16?, .integer32?, .integer64?, .string?, .uuid?, .uri?: true
        default: false
        }
    }
}

// MARK: - Snapshots

extension GraphSnapshot: IdentityEvidence {
    func count(of entity: Int) -> Int { tables[entity].flags.count { !$0.contains(.dead) } }

    func hasRows(_ entity: Int, orIsUnsaved: Bool) -> Bool {
        let rows = liveRows(of: entity)
        let unnamed = rows.filter { tables[entity].rowName($0).isNull }
        if unnamed.isEmpty { return true }
        return orIsUnsaved && unnamed.count < rows.count
            && unnamed.allSatisfy { unsavedRows.contains(RowReference(entity: entity, row: $0)) }
    }

    func isUnique(_ attribute: Int, of entity: Int) -> Bool {
        var seen: Set<ExactValue> = []
        for number in entity..<schema.entities[entity].end {
            let column = schema.entities[number].properties[attribute].column
            for row in liveRows(of: number) {
                let value = tables[number].value(column, row: row)
                if value.isNull || !seen.insert(ExactValue(value)).inserted { return false }
            }
        }
        return true
    }
}

// MARK: - Refusing

/// How much of the rows with the same number is the same: two apps' stores that have grown from one seed have the UUID and the
/// numbers in common, and nothing else.
struct RowEvidence {
    private struct Count {
        var values = 0
        var differences = 0
        var rows = 0
    }

    /// By the number of the topmost entity.
    private var counts: [Int: Count] = [:]

    /// Notes a pair of rows.
    ///
    /// - Parameters:
    ///   - values: The number of attributes that either has a value of.
    ///   - differences: How many of them differ.
    mutating func note(_ root: Int, values: Int, differences: Int) {
        counts[root, default: Count()].values += values
        counts[root]?.differences += differences
        if differences * 2 > values { counts[root]?.rows += 1 }
    }

    /// - Throws: ``GraftError`` for an entity in whose rows most attributes differ.
    func check(_ schema: GraphSchema, hasBase: Bool) throws {
        // Who names the base knows which rows are the same.
        if hasBase { return }
        for (root, count) in counts.sorted(by: { $0.key < $1.key })
        where count.rows >= Self.fewest && count.differences * 2 > count.values {
            let name = schema.entities[root].name
            throw GraftError(
                .other(
                    finding: "the stores have one UUID, but most values of \(count.rows) common rows differ",
                    remedy:
                        "Name the attributes that tell them apart (--key \(name)=ATTRIBUTE), or the store that both "
                        + "come from (--base)."),
                at: .init(entity: name))
        }
    }

    /// Fewer rows than these prove nothing.
    private static let fewest = 3
}
