// From nested dictionaries to rows of a snapshot, breadth first with a list of its own, so that depth takes no stack. One
// object is one row there: equal identities and references by number are settled here, once.
//
//     nodes     one for each dictionary, in the order in which they were found; a node knows who led to it
//     rows      parallel to the nodes
//     toOnes, links
//               the relationships, entered when all rows are there: a reference may come before its object
//
// Values of attributes are in +Values.

import CoreData
import Foundation

/// Reads dictionaries into a snapshot.
struct DictionaryReader {
    /// A dictionary that stands for an object.
    struct Node {
        /// Taken away once it has been read.
        var dictionary: [String: Any]
        /// The entity that the object has to be of.
        var entity: Int
        /// The node that led here; -1 for those at the top.
        var parent = -1
        /// The key and the index by which it did.
        var key: String?
        var index: Int?
        /// The number of the relationship back.
        var inverse: Int?
    }

    /// What stands in a relationship.
    enum Member {
        case node(Int)
        /// The number of an object by which dictionaries refer to it.
        case reference(Int)
        case row(RowReference)
    }

    /// Members of a to-many relationship.
    struct Link {
        enum Mode {
            /// What the options say.
            case standard
            /// The others stay.
            case add
            /// These are all. What an owner gives up is deleted.
            case exact
            /// There are none.
            case clear
        }

        var owner: Int
        var property: Int
        var members: [Member]
        var mode = Mode.standard
    }

    /// A member that is to leave a to-many relationship, by its identity. It gets no row, because it needn't exist.
    struct Removal {
        var owner: Int
        var property: Int
        var identity: [(number: Int, value: GraphValue)]
    }

    let schema: GraphSchema
    let options: PopulateOptions
    let converters: [[AttributeConverter]]
    /// The names of the transformers of transformable attributes, by entity and property.
    private let transformerNames: [[String?]]
    private let entityNumbers: [String: Int]

    private(set) var snapshot: GraphSnapshot
    private(set) var nodes: [Node] = []
    private(set) var rows: [RowReference] = []
    private(set) var toOnes: [(owner: Int, property: Int, member: Member?)] = []
    private(set) var links: [Link] = []
    private(set) var removals: [Removal] = []
    private var numbered: [Int: Int] = [:]
    private(set) var report = PopulateReport()

    init(_ compiled: CompiledModel, _ model: NSManagedObjectModel, _ options: PopulateOptions) throws {
        schema = compiled.schema
        self.options = options
        snapshot = GraphSnapshot(compiled.schema)
        converters = compiled.schema.entities.map { entity in
            entity.properties.map { AttributeConverter($0.attributeKind ?? .transformable) }
        }
        let entities = model.entitiesByName
        transformerNames = compiled.schema.entities.map { entity in
            let attributes = entities[entity.name]?.attributesByName ?? [:]
            return entity.properties.map { attributes[$0.name]?.valueTransformerName }
        }
        try DictionaryOptions.check(options.entityNames, in: compiled.schema)
        let names = compiled.schema.entities.enumerated().map { (options.entityNames[$1.name] ?? $1.name, $0) }
        entityNumbers = Dictionary(names) { first, _ in first }
        for entity in compiled.schema.entities { try DictionaryPlan.check(entityKey: options.entityKey, entity) }
    }

    /// Reads dictionaries with all that is nested in them.
    ///
    /// - Parameter entity: The entity of the objects at the top; nil where their dictionaries have to say it.
    /// - Throws: ``GraftError`` with the path of what can't be read.
    mutating func read(_ dictionaries: [[String: Any]], entity: Int?, isArray: Bool) throws {
        for (index, dictionary) in dictionaries.enumerated() {
            let node = nodes.count
            nodes.append(Node(dictionary: dictionary, entity: -1, index: isArray ? index : nil))
            nodes[node].entity = try entity ?? rootEntity(of: dictionary, node)
        }
        let rootCount = nodes.count
        var next = 0
        while next < nodes.count {
            try readNode(next)
            if next < rootCount {
                snapshot.tables[rows[next].entity].flags[rows[next].row].insert(.root)
                snapshot.roots.append(rows[next])
            }
            next += 1
        }
        try connectToOnes()
    }

    private func rootEntity(of dictionary: [String: Any], _ node: Int) throws -> Int {
        if entityName(in: dictionary) != nil { return -1 }
        throw GraftError(.ambiguousEntity(candidates: schema.entities.map(\.name)), at: place(of: node))
    }

    // MARK: Objects

    private mutating func readNode(_ number: Int) throws {
        let dictionary = nodes[number].dictionary
        nodes[number].dictionary = [:]
        let entity = try entity(of: dictionary, number)
        nodes[number].entity = entity
        var row = takeRow(of: entity, number, id: Self.number(dictionary[DictionaryKey.number]))
        var knownCount = 0
        for (property, description) in schema.entities[entity].properties.enumerated() {
            guard let value = dictionary[description.name] else { continue }
            knownCount += 1
            if description.isAttribute {
                if !description.isDerived { try readAttribute(value, property, of: row, number) }
            } else {
                try readRelationship(value, property, description, number)
            }
        }
        try readReserved(dictionary, row, number, knownCount)
        if options.matchesIdentities {
            let plan = schema.entities[entity]
            row = snapshot.settle(row, identity: plan.identityColumns, space: plan.identitySpace)
        }
        rows.append(row)
    }

    /// The row for a node: a new one, unless a dictionary with the same number had one.
    private mutating func takeRow(of entity: Int, _ node: Int, id: Int?) -> RowReference {
        if let id {
            if let known = numbered[id] {
                let row = snapshot.resolved(rows[known])
                if row.entity == entity { return row }
            } else {
                numbered[id] = node
            }
        }
        return RowReference(entity: entity, row: snapshot.tables[entity].appendRow(offset: node))
    }

    /// The entity of a dictionary's object.
    private func entity(of dictionary: [String: Any], _ node: Int) throws -> Int {
        let expected = nodes[node].entity
        guard let (key, value) = entityName(in: dictionary) else { return expected }
        guard let name = value as? String else {
            throw GraftError(
                .wrongType(found: DictionaryValue.words(for: value), expected: "the name of an entity"),
                at: place(of: node, key: key))
        }
        guard let number = entityNumbers[name] else {
            let closest = NameSuggestion.closest(to: name, among: entityNumbers.keys.sorted())
            throw GraftError(.unknownEntity(name, closest: closest), at: place(of: node, key: key))
        }
        if expected < 0 || schema.isEntity(number, kindOf: expected) { return number }
        // An object is of its own entity, whatever the dictionary of a super-entity calls it.
        if nodes[node].parent < 0, schema.isEntity(expected, kindOf: number) { return expected }
        throw GraftError(
            .wrongType(
                found: "an object of \(schema.entities[number].name)",
                expected: "one of \(schema.entities[expected].name)"),
            at: place(of: node, key: key))
    }

    /// The name of a dictionary's entity, with its key.
    private func entityName(in dictionary: [String: Any]) -> (key: String, value: Any)? {
        for key in [options.entityKey, DictionaryKey.entity] {
            if let key, let value = dictionary[key] { return (key, value) }
        }
        return nil
    }

    /// Reads the keys that are no properties.
    private mutating func readReserved(
        _ dictionary: [String: Any], _ row: RowReference, _ node: Int, _ knownCount: Int
    ) throws {
        guard dictionary.count > knownCount else { return }
        let properties = schema.entities[nodes[node].entity]
        for key in dictionary.keys.sorted() where properties.number(ofProperty: key) == nil {
            switch key {
            case options.entityKey, DictionaryKey.entity, DictionaryKey.number: break
            case DictionaryKey.objects where nodes[node].parent < 0: try readDetached(dictionary[key], node)
            case DictionaryKey.nulls, DictionaryKey.added, DictionaryKey.removed, DictionaryKey.members:
                try readChanges(key, dictionary[key], row, node)
            default:
                let names = properties.properties.map(\.name).sorted()
                let closest = NameSuggestion.closest(to: key, among: names)
                let error = GraftError(.unknownProperty(key, closest: closest), at: place(of: node, key: key))
                if options.unknownKeys == .fail { throw error }
                report.unknownKeys.append(error)
            }
        }
    }

    private mutating func readDetached(_ value: Any?, _ node: Int) throws {
        guard let value, let list = DictionaryValue.elements(value) else { return }
        for (index, element) in list.enumerated() {
            guard let dictionary = element as? [String: Any] else {
                throw GraftError(
                    .wrongType(found: DictionaryValue.words(for: element), expected: "an object's dictionary"),
                    at: place(of: node, key: DictionaryKey.objects, index: index))
            }
            let made = nodes.count
            nodes.append(
                Node(dictionary: dictionary, entity: -1, parent: node, key: DictionaryKey.objects, index: index))
            nodes[made].entity = try rootEntity(of: dictionary, made)
        }
    }

    // MARK: Attributes

    mutating func readAttribute(_ value: Any, _ property: Int, of row: RowReference, _ node: Int) throws {
        let column = schema.entities[row.entity].properties[property].column
        do {
            let value = try DictionaryValue.value(
                of: value, converters[row.entity][property],
                transformerName: transformerNames[row.entity][property])
            snapshot.tables[row.entity].setValue(value, column, row: row.row)
            snapshot.tables[row.entity].markPresent(property, row: row.row)
        } catch let error as GraftError {
            let located = error.located(in: place(of: node, property))
            if options.unconvertibleValues == .fail { throw located }
            report.unconvertedValues.append(located)
        }
    }

    // MARK: Relationships

    mutating func readRelationship(
        _ value: Any, _ number: Int, _ property: GraphSchema.Property, _ node: Int
    ) throws {
        if !property.isToMany {
            let isNull = DictionaryValue.isNull(value)
            toOnes.append((node, number, isNull ? nil : try readMember(value, number, property, node, index: nil)))
            return
        }
        try readLink(value, number, property, node, .standard)
    }

    /// Reads members of a to-many relationship.
    mutating func readLink(
        _ value: Any, _ number: Int, _ property: GraphSchema.Property, _ node: Int, _ mode: Link.Mode
    ) throws {
        var link = Link(owner: node, property: number, members: [], mode: mode)
        if let elements = DictionaryValue.elements(value) {
            for (index, element) in elements.enumerated() where !DictionaryValue.isNull(element) {
                link.members.append(try readMember(element, number, property, node, index: index))
            }
        } else if DictionaryValue.isNull(value) {
            link.mode = .clear
        } else {
            throw misfit(value, "a collection of objects", number, property, node, index: nil)
        }
        // Who led here by the inverse is a member, although the dictionary leaves it out.
        if mode == .standard, nodes[node].inverse == number { link.members.append(.node(nodes[node].parent)) }
        links.append(link)
    }

    /// Remembers a member that is to leave a to-many relationship.
    mutating func remove(_ property: Int, _ identity: [(number: Int, value: GraphValue)], _ node: Int) {
        removals.append(Removal(owner: node, property: property, identity: identity))
    }

    private mutating func readMember(
        _ value: Any, _ number: Int, _ property: GraphSchema.Property, _ node: Int, index: Int?
    ) throws -> Member {
        let destination = property.destination ?? 0
        guard let dictionary = value as? [String: Any] else {
            if let row = try readIdentifier(value, of: destination, number, node, index) { return .row(row) }
            throw misfit(value, "an object", number, property, node, index: index)
        }
        if let reference = Self.number(dictionary[DictionaryKey.reference]) { return .reference(reference) }
        nodes.append(
            Node(
                dictionary: dictionary, entity: destination, parent: node, key: property.name, index: index,
                inverse: property.inverse))
        return .node(nodes.count - 1)
    }

    /// The row of an object that is named by its identity; nil where that can't be.
    private mutating func readIdentifier(
        _ value: Any, of entity: Int, _ property: Int, _ node: Int, _ index: Int?
    ) throws -> RowReference? {
        let plan = schema.entities[entity]
        guard options.matchesIdentities, plan.identity.count == 1, DictionaryValue.elements(value) == nil else {
            return nil
        }
        do {
            let identity = try DictionaryValue.value(of: value, converters[entity][plan.identity[0]])
            return snapshot.row(
                withIdentity: identity, property: plan.identity[0], column: plan.identityColumns[0], entity: entity,
                space: plan.identitySpace, offset: node)
        } catch let error as GraftError {
            throw error.located(in: place(of: node, property, index: index))
        }
    }

    private func misfit(
        _ value: Any, _ expected: String, _ number: Int, _ property: GraphSchema.Property, _ node: Int, index: Int?
    ) -> GraftError {
        let destination = schema.entities[property.destination ?? 0].name
        return GraftError(
            .wrongType(
                found: DictionaryValue.words(for: value),
                expected: "\(expected) for the relationship to \(destination)"),
            at: place(of: node, number, index: index))
    }

    private mutating func connectToOnes() throws {
        for (owner, property, member) in toOnes {
            let row = snapshot.resolved(rows[owner])
            let end = try member.map { try self.row(of: $0, owner, property) } ?? .none
            let column = schema.entities[row.entity].properties[property].column
            snapshot.tables[row.entity].setToOne(end, column, row: row.row)
            snapshot.tables[row.entity].markPresent(property, row: row.row)
        }
    }

    /// The row that a member of a relationship stands for.
    ///
    /// - Throws: ``GraftError`` with `unresolvedReference` for a number that no object has.
    func row(of member: Member, _ owner: Int, _ property: Int) throws -> RowReference {
        switch member {
        case .node(let number): return snapshot.resolved(rows[number])
        case .row(let row): return snapshot.resolved(row)
        case .reference(let number):
            let destination = schema.entities[nodes[owner].entity].properties[property].destination ?? 0
            let name = schema.entities[destination].name
            guard let node = numbered[number] else {
                throw GraftError(
                    .unresolvedReference(entity: name, identity: "\(DictionaryKey.reference) \(number)"),
                    at: place(of: owner, property))
            }
            let row = snapshot.resolved(rows[node])
            if schema.isEntity(row.entity, kindOf: destination) { return row }
            throw GraftError(
                .wrongType(found: "an object of \(schema.entities[row.entity].name)", expected: "one of \(name)"),
                at: place(of: owner, property))
        }
    }
}

// MARK: - Helpers

extension DictionaryReader {
    /// Where a property of a node is.
    func place(of node: Int, _ property: Int, index: Int? = nil) -> GraftError.Place {
        var place = place(of: node, key: schema.entities[nodes[node].entity].properties[property].name, index: index)
        place.property = schema.entities[nodes[node].entity].properties[property].name
        return place
    }

    /// Where a node is, or a key of it.
    func place(of node: Int, key: String? = nil, index: Int? = nil) -> GraftError.Place {
        var path: [GraftError.Place.PathComponent] = []
        if let index { path.append(.index(index)) }
        if let key { path.append(.key(key)) }
        var current = node
        while current >= 0 {
            if let index = nodes[current].index { path.append(.index(index)) }
            if let key = nodes[current].key { path.append(.key(key)) }
            current = nodes[current].parent
        }
        let entity = nodes[node].entity
        return GraftError.Place(path: path.reversed(), entity: entity < 0 ? nil : schema.entities[entity].name)
    }

    /// The number of an object; nil for what isn't one.
    private static func number(_ value: Any?) -> Int? {
        switch value {
        case let number as Int: number
        case let number as NSNumber: Int(exactly: number.doubleValue)
        default: nil
        }
    }
}
