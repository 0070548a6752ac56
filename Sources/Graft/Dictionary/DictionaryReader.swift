// From nested dictionaries to rows of a snapshot, with a list of what is still to be read, so that depth takes no stack. One
// object is one row there: equal identities and references by number are settled here, once; of two values the later one
// counts, and that of a dictionary comes after those nested in it, as in an import.
//
//     nodes     one for each dictionary, in the order in which they were found; a node knows who led to it
//     rows      parallel to the nodes
//     numbered  the nodes with a number, for references. Each dictionary at the top may have numbers of its own, as where several
//               were made by themselves; one that it doesn't have is that of another dictionary at the top
//     toOnes, links
//               the relationships, entered when all rows are there: a reference may come before its object

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
        /// The node at the top.
        var root: Int
        /// Whether it stands in a list of all members that there are: nothing of what was there is meant.
        var isNew = false
        /// Whether it says something of relationships.
        var hasLinks = false
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

    /// The object of a to-one relationship.
    struct ToOne {
        var owner: Int
        var property: Int
        var member: Member?
        /// Whether what an owner gives up for it is deleted.
        var isExact = false
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

    /// What a dictionary says of one relationship.
    enum Statement {
        case end(ToOne)
        case list(Link)
        /// A list where a later dictionary says otherwise.
        case replacedList(Link)

        /// By what statements of one dictionary are in order: what leads to one object comes before the lists.
        var place: (owner: Int, isList: Int, property: Int) {
            switch self {
            case .end(let toOne): (toOne.owner, 0, toOne.property)
            case .list(let link), .replacedList(let link): (link.owner, 1, link.property)
            }
        }
    }

    /// A member that is to leave a to-many relationship, by its identity. It gets no row, because it needn't exist.
    struct Removal {
        var owner: Int
        var property: Int
        /// The entity that the dictionary says, else the relationship's.
        var entity: Int
        var identity: [(number: Int, value: GraphValue)]
    }

    let schema: GraphSchema
    let options: PopulateOptions
    private let rounding: Rounding
    private let converters: [[AttributeConverter]]
    /// The names of the transformers of transformable attributes, by entity and property.
    private let transformerNames: [[String?]]
    /// By entity, the attributes that new objects have a value of.
    let defaulted: [Set<Int>]
    /// The composite attributes with the names of their elements, by entity.
    private let composites: [[String: [String]]]
    private let entityNumbers: [String: Int]
    /// Whether the last object to speak decides, of one-to-one relationships or of an object that several sub-entities have rows of, so that
    /// objects are filled in that order.
    let needsOrder: Bool

    var snapshot: GraphSnapshot
    var nodes: [Node] = []
    var rows: [RowReference] = []
    /// The nodes in the order in which they were settled.
    var settled: [Int] = []
    /// The nodes with the number of an earlier one, which have its row.
    var repeated: [Int: Int] = [:]
    /// Those of them that are nested in the earlier one, whose values count.
    private var inner: Set<Int> = []
    /// The nodes with a number that aren't settled yet.
    var open: Set<Int> = []
    var toOnes: [ToOne] = []
    var links: [Link] = []
    /// What later dictionaries say otherwise of the same object: all that is left of it is what others have lost by it.
    var replacedToOnes: [ToOne] = []
    var replacedLinks: [Link] = []
    var removals: [Removal] = []
    /// By the node at the top and the number.
    var numbered: [Int: [Int: Int]] = [:]
    /// The nodes with a number, in all dictionaries at the top.
    var numberedAnywhere: [Int: [Int]] = [:]
    /// The dictionaries at the top that only refer to an object.
    private var rootReferences: [(node: Int, number: Int)] = []
    var report = ImportReport()
    /// Whether a dictionary says again which members without identity an object of another dictionary has.
    private(set) var restatesMembers = false
    /// Whether several dictionaries at the top stand for copies of one object.
    private(set) var repeatsCopies = false

    /// - Parameter rounding: What becomes what a store keeps of it.
    init(
        _ compiled: CompiledModel, _ model: NSManagedObjectModel, _ options: PopulateOptions, rounding: Rounding
    ) throws {
        self.rounding = rounding
        schema = compiled.schema
        self.options = options
        snapshot = GraphSnapshot(compiled.schema)
        if compiled.kinds.contains(where: \.areTold) {
            snapshot.kinds = compiled.kinds
        }
        converters = compiled.converters
        let entities = model.entitiesByName
        transformerNames = compiled.schema.entities.map { entity in
            let attributes = entities[entity.name]?.attributePartsByName ?? [:]
            return entity.properties.map { attributes[$0.name]?.valueTransformerName }
        }
        composites = compiled.schema.entities.map(\.composites)
        defaulted = compiled.defaulted
        needsOrder =
            !snapshot.kinds.isEmpty
            || compiled.schema.entities.contains { $0.properties.contains(where: compiled.schema.isOneToOne) }
        try DictionaryOptions.check(options.entityNames, in: compiled.schema)
        let names = compiled.schema.entities.enumerated().map { (options.entityNames[$1.name] ?? $1.name, $0) }
        entityNumbers = Dictionary(names) { first, _ in first }
        for entity in compiled.schema.entities { try DictionaryPlan.check(entityKey: options.entityKey, entity) }
    }

    /// Reads dictionaries with all that is nested in them.
    ///
    /// - Parameters:
    ///   - entity: The entity of the objects at the top; nil where their dictionaries have to say it.
    ///   - start: The place of the first dictionary in an array; nil where it is in none.
    /// - Throws: ``GraftError`` with the path of what can't be read.
    mutating func read(_ dictionaries: some Sequence<[String: Any]>, entity: Int?, from start: Int?) throws {
        for (index, dictionary) in dictionaries.enumerated() {
            let node = nodes.count
            nodes.append(Node(dictionary: dictionary, entity: -1, root: node, index: start.map { $0 + index }))
            if let number = Self.number(dictionary[DictionaryKey.reference]) {
                rootReferences.append((node, number))
            } else {
                nodes[node].entity = try entity ?? rootEntity(of: dictionary, node)
            }
        }
        let rootCount = nodes.count
        try readNodes()
        if snapshot.hasSiblings { leaveOutForeignLinks() }
        for node in 0..<rootCount where !rows[node].isNone {
            let row = snapshot.resolved(rows[node])
            snapshot.tables[row.entity].flags[row.row].insert(.root)
        }
        for (node, number) in rootReferences {
            rows[node] = try row(numbered: number, node, entity: entity, place(of: node))
        }
        snapshot.roots = Array(rows[..<rootCount])
        if hasRepetitions { putInOrder() }
        leaveOutOtherOwners()
        try connectToOnes()
        if findsObjects {
            if schema.hasRelatedIdentities { try settleRelatedRows() }
            if hasRepetitions { restatesMembers = try isRestatingMembers() }
            if hasRepetitions, options.makesCopies, rootReferences.isEmpty { repeatsCopies = isRepeatingCopies() }
        }
        if findsObjects && hasRepetitions || snapshot.hasOverruledRows { try dropReplacedRows() }
    }

    /// Whether objects that are there may be meant.
    var findsObjects: Bool { options.existingObjects != .insert }

    /// Whether an object has several dictionaries.
    var hasRepetitions: Bool { snapshot.mergeCount > 0 || snapshot.hasSiblings || !repeated.isEmpty }

    /// Reads all nodes, each before those nested in it, and settles it after them.
    private mutating func readNodes() throws {
        var pending = nodes.indices.reversed().map { (node: $0, isRead: false) }
        let references = Set(rootReferences.map(\.node))
        rows = nodes.map { _ in .none }
        while let (node, isRead) = pending.popLast() {
            if references.contains(node) { continue }
            if isRead {
                settle(node)
                continue
            }
            let first = nodes.count
            rows[node] = try readNode(node)
            rows += repeatElement(.none, count: nodes.count - first)
            pending.append((node, true))
            for nested in (first..<nodes.count).reversed() { pending.append((nested, false)) }
        }
        for (node, first) in repeated { rows[node] = rows[first] }
    }

    private func rootEntity(of dictionary: [String: Any], _ node: Int) throws -> Int {
        if entityName(in: dictionary) != nil { return -1 }
        throw GraftError(.ambiguousEntity(candidates: schema.entities.map(\.name)), at: place(of: node))
    }

    // MARK: Objects

    private mutating func readNode(_ number: Int) throws -> RowReference {
        let dictionary = nodes[number].dictionary
        nodes[number].dictionary = [:]
        let entity = try entity(of: dictionary, number)
        nodes[number].entity = entity
        let row = try takeRow(of: entity, number, id: Self.number(dictionary[DictionaryKey.number]))
        var knownCount = 0
        for (property, description) in schema.entities[entity].properties.enumerated() {
            let own = dictionary[description.name]
            if own != nil { knownCount += 1 }
            guard let value = own ?? (composites[entity].isEmpty ? nil : dictionary.value(at: description.name))
            else { continue }
            if description.isAttribute {
                if !description.isDerived { try readAttribute(value, property, of: row, number) }
            } else {
                try readRelationship(value, property, description, number)
            }
        }
        try readReserved(dictionary, row, number, knownCount)
        return row
    }

    /// The row for a node: a new one, unless a dictionary with the same number had one.
    private mutating func takeRow(of entity: Int, _ node: Int, id: Int?) throws -> RowReference {
        if let id {
            if let known = numbered[nodes[node].root]?[id] {
                let row = snapshot.resolved(rows[known])
                if row.entity == entity {
                    repeated[node] = known
                    if open.contains(known) { inner.insert(node) }
                    return row
                }
                throw GraftError(
                    .wrongType(
                        found: "an object of \(schema.entities[entity].name) with the number \(id)",
                        expected: "the one of \(schema.entities[row.entity].name) that has this number"),
                    at: place(of: node, key: DictionaryKey.number))
            }
            numbered[nodes[node].root, default: [:]][id] = node
            open.insert(node)
            numberedAnywhere[id, default: []].append(node)
        }
        return RowReference(entity: entity, row: snapshot.tables[entity].appendRow(offset: node))
    }

    /// The entity of a dictionary's object.
    private func entity(of dictionary: [String: Any], _ node: Int) throws -> Int {
        try entity(of: dictionary, expected: nodes[node].entity, isRoot: nodes[node].parent < 0) {
            place(of: node, key: $0)
        }
    }

    /// The entity of a dictionary's object, where one of an entity is expected.
    func entity(
        of dictionary: [String: Any], expected: Int, isRoot: Bool = false, _ place: (String) -> GraftError.Place
    ) throws -> Int {
        guard let (key, value) = entityName(in: dictionary) else { return expected }
        guard let name = value as? String else { throw misfit(value, "the name of an entity", place(key)) }
        guard let number = entityNumbers[name] else {
            throw GraftError.unknownEntity(name, among: entityNumbers.keys.sorted(), at: place(key))
        }
        if expected < 0 || schema.isEntity(number, kindOf: expected) { return number }
        // An object is of its own entity, whatever the dictionary of a super-entity calls it.
        if isRoot, schema.isEntity(expected, kindOf: number) { return expected }
        throw GraftError(
            .wrongType(
                found: "an object of \(schema.entities[number].name)",
                expected: "one of \(schema.entities[expected].name)"),
            at: place(key))
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
        let composites = self.composites[nodes[node].entity]
        for key in dictionary.keys.sorted() where properties.number(ofProperty: key) == nil {
            if let known = composites[key] {
                try readComposite(key, dictionary[key], known, node)
                continue
            }
            switch key {
            case options.entityKey, DictionaryKey.entity, DictionaryKey.number: break
            case DictionaryKey.objects where nodes[node].parent < 0: try readDetached(dictionary[key], node)
            case DictionaryKey.nulls, DictionaryKey.added, DictionaryKey.removed, DictionaryKey.members:
                try readChanges(key, dictionary[key], row, node)
            case DictionaryKey.reference:
                throw misfit(dictionary[key] ?? NSNull(), "the number of an object", place(of: node, key: key))
            default:
                try note(unknownKey: key, of: node)
            }
        }
    }

    private mutating func readDetached(_ value: Any?, _ node: Int) throws {
        guard let list = value.flatMap(DictionaryValue.elements) else {
            throw misfit(
                value ?? NSNull(), "an array of objects' dictionaries", place(of: node, key: DictionaryKey.objects))
        }
        for (index, element) in list.enumerated() {
            guard let dictionary = element as? [String: Any] else {
                throw misfit(
                    element, "an object's dictionary", place(of: node, key: DictionaryKey.objects, index: index))
            }
            let made = nodes.count
            nodes.append(
                Node(
                    dictionary: dictionary, entity: -1, parent: node, root: nodes[node].root,
                    key: DictionaryKey.objects, index: index))
            nodes[made].entity = try rootEntity(of: dictionary, made)
        }
    }

    // MARK: Attributes

    /// The value of an attribute, as the store will keep it.
    func value(of object: Any, _ entity: Int, _ property: Int) throws -> GraphValue {
        try exactValue(of: object, entity, property).kept(rounding)
    }

    private func exactValue(of object: Any, _ entity: Int, _ property: Int) throws -> GraphValue {
        var converter = converters[entity][property]
        // What `dictionaryData` writes is ISO 8601.
        if let pattern = converter.datePattern, let text = object as? String, pattern.date(text) == nil,
            text.withUTF8Span({ Instant(iso8601: $0) }) != nil
        {
            converter.datePattern = nil
        }
        return try DictionaryValue.value(
            of: object, converter, transformerName: transformerNames[entity][property])
    }

    mutating func readAttribute(_ object: Any, _ property: Int, of row: RowReference, _ node: Int) throws {
        let column = schema.entities[row.entity].properties[property].column
        do {
            let exact = try exactValue(of: object, row.entity, property)
            let value = exact.kept(rounding)
            if DictionaryValue.isRounded(value, exact, from: object) {
                let entity = schema.entities[row.entity]
                report.addRounded(entity.properties[property].name, of: entity.name)
            }
            if inner.contains(node), snapshot.tables[row.entity].hasValue(property, row: row.row) { return }
            snapshot.tables[row.entity].setValue(value, column, row: row.row)
            snapshot.tables[row.entity].markPresent(property, row: row.row)
        } catch let error as GraftError {
            let located = error.located(in: place(of: node, property))
            if options.failurePolicy == .fail { throw located }
            report.failures.append(ImportReport.Failure(located, record: nil))
        }
    }
}
