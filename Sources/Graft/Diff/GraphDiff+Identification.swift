// How a diff tells which object is which, where the model doesn't say it: what the caller says, what the data suggest, the rows of
// one lineage, and in the end contents. IdentityDecision.swift decides; whoever reads or applies the diff finds the decision in it.

extension GraphDiff {
    /// What tells the objects of entities apart, of which the model declares no identity.
    public struct Identification: Hashable, Sendable {
        /// What tells the objects of one entity apart.
        public enum Rule: Hashable, Sendable {
            /// The properties that the caller has named.
            case said([String])
            /// An attribute of the right name, in which the data are unique.
            case guessed([String])
            /// The row in stores of one lineage, up to the largest that all of them have taken over. Where several have rows
            /// beyond it, these are told apart by their contents.
            case row(upTo: Int64, isMarked: Bool)
            /// The place in a relationship of a known object, or else the contents.
            case contents
        }

        /// By the entity's name. Those with a declared identity aren't in it.
        public var rules: [String: Rule] = [:]
        /// The UUID of the stores whose rows are compared.
        public var store: String?

        /// Creates an identification by what the model declares.
        public init() {}

        /// Whether the model says it all.
        public var isEmpty: Bool { rules.isEmpty }
    }
}

extension GraphDiff.Identification {
    /// Takes over the rules of another part.
    mutating func merge(_ other: Self) {
        rules.merge(other.rules) { first, second in first == .contents ? second : first }
        store = store ?? other.store
    }

    /// Keeps the rules of some entities and of those that they inherit from.
    mutating func restrict(to entities: Set<Int>, _ schema: GraphSchema) {
        rules = rules.filter { name, _ in
            guard let number = schema.number(ofEntity: name) else { return false }
            return (number..<schema.entities[number].end).contains(where: entities.contains)
        }
        if !rules.values.contains(where: { if case .row = $0 { true } else { false } }) { store = nil }
    }

    /// One sentence for each rule, with the entities that it is of, by the first of them.
    public var sentences: [String] {
        let groups = Dictionary(grouping: rules, by: \.value).mapValues { entries in
            entries.map(\.key).sorted { $0.precedesInBytes($1) }
        }
        return groups.sorted { ($0.value.first ?? "").precedesInBytes($1.value.first ?? "") }.map { rule, entities in
            "\(entities.joined(separator: ", ")): told apart by \(rule.words(entities.first ?? ""))"
        }
    }
}

extension GraphDiff.Identification.Rule {
    fileprivate func words(_ entity: String) -> String {
        switch self {
        case .said(let names): names.joined(separator: ", ")
        case .guessed(let names):
            "\(names.joined(separator: ", ")), a guess by the name and the data (--key \(entity)= turns it off)"
        case .row(let limit, isMarked: false): "the row, up to \(limit)"
        case .row(let limit, isMarked: true): "the row, up to \(limit); several sides have others beyond it"
        case .contents:
            "place or contents, so a changed object is another one (--key \(entity)=ATTRIBUTE names what stays)"
        }
    }
}

extension GraphDiff.Identification {
    /// Refuses a diff by row where the rows are those of another store.
    ///
    /// - Throws: ``GraftError`` that names both stores.
    func requireLineage(_ lineage: GraphSnapshot.Lineage?) throws {
        guard let store, lineage?.store != store else { return }
        throw GraftError(
            .other(
                finding: "the diff names rows of the store \(store)",
                remedy:
                    "This is no copy of it\(lineage.map { ", but the store \($0.store)" } ?? ""). Make the diff with "
                    + "--key ENTITY=ATTRIBUTE, which holds in any store."),
            at: .init(entity: rules.filter { if case .row = $0.value { true } else { false } }.keys.sorted().first))
    }

    /// Refuses two diffs of which one tells objects apart otherwise than the other.
    ///
    /// - Throws: ``GraftError`` with `invalidMapping`.
    func requireSame(as other: Self) throws {
        for (entity, rule) in rules.sorted(by: { $0.key.precedesInBytes($1.key) }) {
            guard let second = other.rules[entity], second != rule, second != .contents, rule != .contents else {
                continue
            }
            throw GraftError(
                .invalidMapping(
                    reason:
                        "the two diffs tell its objects apart by \(rule.words(entity)), and by \(second.words(entity))",
                    remedy: "Make both with the same --key, or merge the stores or snapshots themselves."),
                at: .init(entity: entity))
        }
    }

    /// Refuses a guess where a store is to be changed by it, unless the caller agrees.
    ///
    /// - Throws: ``GraftError`` with `invalidMapping`.
    func requireAgreement(_ options: DiffOptions, _ schema: GraphSchema) throws {
        if options.guessesKeys == true { return }
        // Super-entities come first, and their keys hold for all beneath.
        for (number, entity) in schema.entities.map(\.name).enumerated() {
            guard case .guessed(let names)? = rules[entity], schema.nearest(number, in: options.keys) != names
            else { continue }
            throw GraftError(
                .invalidMapping(
                    reason: "the diff tells its objects apart by \(names.joined(separator: ", ")), which was guessed",
                    remedy:
                        "Agree with --key \(entity)=\(names.joined(separator: ",")) or --key auto, or make the diff with "
                        + "another --key."),
                at: .init(entity: entity))
        }
    }
}

// MARK: - Schema and snapshots

extension GraphSchema {
    /// The number of the topmost super-entity.
    func root(of entity: Int) -> Int {
        var entity = entity
        while let parent = entities[entity].parent { entity = parent }
        return entity
    }

    /// The same model with other identities.
    func identified(by identification: GraphDiff.Identification) throws -> GraphSchema {
        guard identification.rules.values.contains(where: { $0 != .contents }) else { return self }
        var entities = self.entities
        for number in entities.indices {
            switch identification.rules[entities[number].name] {
            case .said(let names)?, .guessed(let names)?:
                let parts = try names.map { try requiredNumber(ofKey: $0, in: number) }
                let isRelated = parts.contains { !entities[number].properties[$0].isAttribute }
                entities[number].identity = isRelated ? [] : parts
                entities[number].relatedIdentity = isRelated ? parts : []
            case .row?:
                entities[number].identity = []
                entities[number].relatedIdentity = []
                entities[number].isByRow = true
            case .contents?, nil: break
            }
            entities[number].identitySpace = number
            if let parent = entities[number].parent, entities[number].hasIdentity,
                entities[parent].identity == entities[number].identity,
                entities[parent].relatedIdentity == entities[number].relatedIdentity,
                entities[parent].isByRow == entities[number].isByRow
            {
                entities[number].identitySpace = entities[parent].identitySpace
            }
        }
        return GraphSchema(entities: entities)
    }
}

extension GraphSnapshot {
    /// The same objects, told apart by other properties or by their rows.
    ///
    /// - Throws: ``GraftError`` with `duplicateIdentity` where that doesn't tell them apart.
    func identified(by identification: GraphDiff.Identification) throws -> GraphSnapshot {
        try identified(schema.identified(by: identification), identification)
    }

    /// The same objects with the identities of another schema of the model.
    func identified(
        _ schema: GraphSchema, _ identification: GraphDiff.Identification = .init()
    ) throws -> GraphSnapshot {
        if schema === self.schema || schema == self.schema, !identification.hasMarks { return self }
        var result = GraphSnapshot(schema)
        result.tables = tables
        result.members = members
        result.roots = roots
        result.forwards = forwards
        result.removals = removals
        result.skippedCounts = skippedCounts
        result.mergeCount = mergeCount
        result.lineage = lineage
        result.unsavedRows = unsavedRows
        result.absence = absence
        result.rounding = rounding
        for (number, entity) in schema.entities.enumerated() {
            if case .row(let limit, isMarked: true)? = identification.rules[entity.name] {
                result.markRows(beyond: limit, number)
            }
            // What comes after an object's end may have its identity.
            for row in result.liveRows(of: number) where !result.tables[number].flags[row].contains(.gone) {
                try result.enterDistinctIdentity(of: RowReference(entity: number, row: row))
            }
        }
        try result.settleDistinctRelatedRows()
        return result
    }

    /// Lets the names of rows say what they hold, where their numbers don't tell them apart.
    private mutating func markRows(beyond limit: Int64, _ entity: Int) {
        for row in liveRows(of: entity) {
            guard case .integer(let number) = tables[entity].rowName(row), number > limit else { continue }
            let mark = mark(of: RowReference(entity: entity, row: row))
            tables[entity].setRowName(RowName.name(number, mark: mark), row: row)
        }
    }

    /// The mark of a row by its attributes.
    func mark(of row: RowReference) -> String {
        let entity = schema.entities[row.entity]
        return entity.mark { value(entity.properties[$0], of: row) }
    }
}

extension GraphDiff.Identification {
    fileprivate var hasMarks: Bool {
        rules.values.contains { if case .row(_, isMarked: true) = $0 { true } else { false } }
    }

    /// Whether the rows of an entity beyond a limit are told apart by their contents, and the limit.
    func markedLimit(of entity: String) -> Int64? {
        if case .row(let limit, isMarked: true)? = rules[entity] { limit } else { nil }
    }
}

// MARK: - Coding

extension GraphDiff.Identification: Codable {
    private enum CodingKeys: String, CodingKey { case store, entities }

    private struct Coded: Codable {
        var said: [String]?
        var guessed: [String]?
        var row: Int64?
        var marked: Bool?
    }

    /// Encodes the rules by entity: `{"store": UUID, "entities": {"Note": {"row": 12}, "Tag": {"guessed": ["id"]}}}`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(store, forKey: .store)
        let coded = rules.mapValues { rule in
            switch rule {
            case .said(let names): Coded(said: names)
            case .guessed(let names): Coded(guessed: names)
            case .row(let limit, let isMarked): Coded(row: limit, marked: isMarked ? true : nil)
            case .contents: Coded()
            }
        }
        try container.encode(coded, forKey: .entities)
    }

    /// Decodes the rules.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        store = try container.decodeIfPresent(String.self, forKey: .store)
        rules = try container.decode([String: Coded].self, forKey: .entities).mapValues { coded in
            if let names = coded.said { return .said(names) }
            if let names = coded.guessed { return .guessed(names) }
            if let row = coded.row { return .row(upTo: row, isMarked: coded.marked ?? false) }
            return .contents
        }
    }
}
