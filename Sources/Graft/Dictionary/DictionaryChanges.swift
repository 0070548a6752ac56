// What changed in the graph of an object since an earlier dictionary of it. Both become rows of a snapshot, where one object
// is one row, and the result is flat: the object's own changes, and a list of the others that changed or are new, each found
// by its identity. What it refers to and didn't change is its identity alone.
//
//     { "class": "Person", "guid": "p1", "age": 31,
//       "$added": { "addresses": [{ "class": "Address", "guid": "a3" }] },
//       "$removed": { "addresses": [{ "class": "Address", "guid": "a1" }] },
//       "$objects": [{ "class": "Address", "guid": "a3", "city": "Sometown" }] }
//
// Objects without identity stand where they are nested, as a whole. Where they are members, or members have an order, all
// members of a changed relationship are listed, under $members. An object that was owned and has no successor is under
// $null, one that has another one is replaced under $members: both are deleted at the other end.
//
// What differs is found by RowComparison, as in a GraphDiff; DictionaryWriter puts the dictionaries together. A change of an object
// without identity is one of everything without identity that leads to it.

import CoreData
import Foundation

/// Makes the dictionary of what differs between two states of a graph.
struct DictionaryChanges: DictionarySource {
    /// A row of the new state.
    struct Node {
        var row: RowReference
        /// The row of the old state that it takes the place of, whose values have to be cleared where it has none.
        var before: RowReference?
    }

    /// A relationship of a row.
    private typealias Cell = GraphSnapshot.Cell

    private let options: DictionaryOptions
    private let plans: [DictionaryPlan]
    /// By entity, the attributes that new objects have a value of.
    private let defaulted: [Set<Int>]
    private let comparison: RowComparison
    /// The row of the object that the dictionary is about.
    private let root: RowReference
    /// By row that has an old one: the properties that differ, and those that lead to something without identity that does.
    private var changed: [RowReference: Set<Int>] = [:]
    /// How many rows and links were looked at.
    private var stepCount = 0

    private var old: GraphSnapshot { comparison.old }
    private var new: GraphSnapshot { comparison.new }

    /// Makes the dictionary of what differs; empty where nothing does.
    ///
    /// - Parameters:
    ///   - old: The reader of the earlier dictionary.
    ///   - new: The reader of the current one.
    /// - Returns: The dictionary, and how many rows, links and dictionaries were looked at for it.
    static func dictionary(
        _ old: DictionaryReader, _ new: DictionaryReader, _ options: DictionaryOptions
    ) throws -> (dictionary: [String: Any], stepCount: Int) {
        let changes = try DictionaryChanges(old, new, options)
        var options = options
        options.repeatedObjects = .referenced
        options.maximumDepth = nil
        var writer = DictionaryWriter(changes, options)
        let others = new.distinctRows.filter { $0 != changes.root && changes.new.isIdentified($0) }
        let nodes = [Node(row: changes.root)] + others.filter(changes.isChanged).map { Node(row: $0) }
        var dictionaries = try writer.dictionaries(of: nodes)
        var objects: [Any] = []
        for index in dictionaries.indices {
            // What is nested too deep in any of them is listed with them.
            let detached = dictionaries[index].removeValue(forKey: DictionaryKey.objects) as? [Any] ?? []
            objects += (index == 0 ? [] : [dictionaries[index]]) + detached
        }
        let count = changes.stepCount + writer.stepCount
        if objects.isEmpty, !changes.isChanged(changes.root) { return ([:], count) }
        if !objects.isEmpty { dictionaries[0][DictionaryKey.objects] = objects }
        return (dictionaries[0], count)
    }

    private init(_ oldReader: DictionaryReader, _ newReader: DictionaryReader, _ options: DictionaryOptions) throws {
        let (old, new) = (try oldReader.graph(), try newReader.graph())
        defaulted = newReader.defaulted
        self.options = options
        try options.checkNames(in: new.schema)
        let plans = try new.schema.entities.indices.map { try DictionaryPlan($0, in: new.schema, options) }
        self.plans = plans
        // One dictionary makes one object at the top.
        root = new.rootReferences[0]
        let scope = DiffScope(new.schema) { entity, number in
            plans[entity].attributes.contains(number)
                || plans[entity].relationships.contains { $0.number == number }
        }
        let matching = RowMatching(
            old, new, scope, matchesRootsByPosition: false, pairing: (old.rootReferences[0], root))
        comparison = RowComparison(old, new, scope, matching, takesAbsentAsNull: true)
        findChanges(newReader.distinctRows)
        stepCount += matching.oldKeys.stepCount + matching.newKeys.stepCount
    }

    private mutating func findChanges(_ rows: [RowReference]) {
        var leading: [RowReference: [Cell]] = [:]
        var stale: [RowReference] = []
        for row in rows {
            stepCount += 1
            changed[row] = before(row).map { Set(comparison.changedProperties($0, row)) }
            if changed[row]?.isEmpty == false, !isAnchored(row) { stale.append(row) }
            for relationship in plans[row.entity].relationships {
                for member in new.destinations(of: row, relationship.property) {
                    stepCount += 1
                    if isAnchored(member) { continue }
                    leading[member, default: []].append(Cell(row: row, property: relationship.number))
                }
            }
        }
        while let row = stale.popLast() {
            for cell in leading[row] ?? [] where changed[cell.row]?.insert(cell.property).inserted ?? false {
                stepCount += 1
                if !isAnchored(cell.row) { stale.append(cell.row) }
            }
        }
    }

    /// The old row of a new one; nil where there is none.
    private func before(_ row: RowReference) -> RowReference? {
        let before = comparison.matching.toOld[row.entity][row.row]
        return before.isNone || before.entity != row.entity ? nil : before
    }

    /// Whether a row is found again without its owner.
    private func isAnchored(_ row: RowReference) -> Bool { row == root || new.isIdentified(row) }

    /// Whether a row is new or has changed.
    private func isChanged(_ row: RowReference) -> Bool { changed[row]?.isEmpty != true }

    // MARK: What is written

    func key(of node: Node) -> RowReference { node.row }

    func standIn(for node: Node) throws -> [String: Any]? {
        new.isIdentified(node.row) ? try stub(of: node.row, new) : nil
    }

    func content(of node: Node, isRoot: Bool) throws -> DictionaryContent {
        let row = node.row
        let plan = plans[row.entity]
        let known = isRoot ? before(row) : node.before
        var entry = try stub(of: row, new)
        var nulls: [String] = []
        for number in plan.attributes {
            let property = plan.properties[number]
            let value = new.value(property, of: row)
            if value.isNull {
                let isNews = known.map { !old.value(property, of: $0).isNull } ?? defaulted[row.entity].contains(number)
                if isNews { nulls.append(property.name) }
            } else if !isRoot || known == nil || changed[row]?.contains(number) ?? true {
                if let value = try object(for: value, row, property) { entry.set(value, at: property.name) }
            }
        }
        var relationships: [DictionaryPlan.Relationship] = []
        var gone: [String] = []
        for relationship in plan.relationships {
            if isRoot, known != nil, changed[row]?.contains(relationship.number) == false { continue }
            try add(relationship, row, known, to: &entry, &relationships, &nulls, &gone)
        }
        if options.valueForm == .propertyList {
            gone = nulls + gone
        } else {
            for name in nulls { entry[name] = NSNull() }
        }
        if !gone.isEmpty { entry[DictionaryKey.nulls] = gone }
        return DictionaryContent(entityName: plan.writtenName, dictionary: entry, relationships: relationships)
    }

    func members(of node: Node, _ relationship: DictionaryPlan.Relationship) throws -> [Node] {
        let known = isAnchored(node.row) ? before(node.row) : node.before
        return new.destinations(of: node.row, relationship.property).map { member in
            Node(row: member, before: known.flatMap { replaced(by: member, $0, relationship) })
        }
    }

    /// Adds a relationship: to those that are written, or what is said of it without its objects.
    private func add(
        _ relationship: DictionaryPlan.Relationship, _ row: RowReference, _ known: RowReference?,
        to entry: inout [String: Any], _ relationships: inout [DictionaryPlan.Relationship], _ nulls: inout [String],
        _ gone: inout [String]
    ) throws {
        let property = relationship.property
        let members = new.destinations(of: row, property)
        let before = known.map { old.destinations(of: $0, property) } ?? []
        var written = relationship
        if !property.isToMany {
            guard let member = members.first else {
                if before.isEmpty { return }
                return property.isOwning ? gone.append(property.name) : nulls.append(property.name)
            }
            let stays = known.flatMap { replaced(by: member, $0, relationship) } != nil
            if property.isOwning, !before.isEmpty, !stays { written.group = DictionaryKey.members }
            return relationships.append(written)
        }
        guard known != nil else {
            if !members.isEmpty { relationships.append(written) }
            return
        }
        let areIdentified = members.allSatisfy(new.isIdentified) && before.allSatisfy(old.isIdentified)
        guard !property.isOrdered, areIdentified else {
            written.group = DictionaryKey.members
            if !members.isEmpty || !before.isEmpty { relationships.append(written) }
            return
        }
        let matching = comparison.matching
        let (stays, stayed) = (Set(members), Set(before))
        let added = try members.filter { !stayed.contains(matching.toOld[$0.entity][$0.row]) }
            .map { try stub(of: $0, new) }
        let removed = try before.filter { !stays.contains(matching.toNew[$0.entity][$0.row]) }
            .map { try stub(of: $0, old) }
        if !added.isEmpty { entry.enter(added, property.name, in: DictionaryKey.added) }
        if !removed.isEmpty { entry.enter(removed, property.name, in: DictionaryKey.removed) }
    }

    /// The former object of a to-one relationship that the present one is filled into: both belong to the same owner alone, and
    /// neither has an identity.
    private func replaced(
        by member: RowReference, _ known: RowReference, _ relationship: DictionaryPlan.Relationship
    ) -> RowReference? {
        guard relationship.property.isOwning, !relationship.property.isToMany, !new.isIdentified(member),
            let before = old.destinations(of: known, relationship.property).first, !old.isIdentified(before),
            before.entity == member.entity
        else { return nil }
        return before
    }

    /// The name of the entity and the identity of a row.
    private func stub(of row: RowReference, _ rows: GraphSnapshot) throws -> [String: Any] {
        let plan = plans[row.entity]
        var stub: [String: Any] = [options.entityKey ?? DictionaryKey.entity: plan.writtenName]
        for property in rows.schema.entities[row.entity].identity.map({ plan.properties[$0] }) {
            if let value = try object(for: rows.value(property, of: row), row, property) {
                stub.set(value, at: property.name)
            }
        }
        return stub
    }

    private func object(for value: GraphValue, _ row: RowReference, _ property: GraphSchema.Property) throws -> Any? {
        do {
            return try DictionaryValue.object(for: value, form: options.valueForm)
        } catch let error as GraftError {
            throw error.located(in: .init(entity: plans[row.entity].name, property: property.name))
        }
    }
}
