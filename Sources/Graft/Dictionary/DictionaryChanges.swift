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
// Which relationships changed is found by DictionaryComparison; DictionaryWriter puts the dictionaries together.

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

    private let options: DictionaryOptions
    private let plans: [DictionaryPlan]
    private let old: RelatedRows
    private let new: RelatedRows
    private let comparison: DictionaryComparison
    private let root: RowReference

    /// Makes the dictionary of what differs; empty where nothing does.
    ///
    /// - Parameters:
    ///   - old: The reader of the earlier dictionary.
    ///   - new: The reader of the current one.
    /// - Returns: The dictionary, and how many rows, links and dictionaries were looked at for it.
    static func dictionary(
        _ old: DictionaryReader, _ new: DictionaryReader, _ options: DictionaryOptions
    ) throws -> (dictionary: [String: Any], stepCount: Int) {
        guard let root = new.snapshot.roots.first, let oldRoot = old.snapshot.roots.first else { return ([:], 0) }
        let changes = try DictionaryChanges(
            old, new, options, new.snapshot.resolved(root), old.snapshot.resolved(oldRoot))
        var options = options
        options.repeatedObjects = .referenced
        options.maximumDepth = nil
        var writer = DictionaryWriter(changes, options)
        var roots = [changes.root]
        roots += changes.new.rows.filter { $0 != changes.root && changes.new.isIdentified($0) }
        let nodes = try roots.filter { try $0 == changes.root || changes.isChanged($0) }.map { Node(row: $0) }
        var dictionaries = try writer.dictionaries(of: nodes)
        var objects: [Any] = []
        for index in dictionaries.indices {
            // What is nested too deep in any of them is listed with them.
            let detached = dictionaries[index].removeValue(forKey: DictionaryKey.objects) as? [Any] ?? []
            objects += (index == 0 ? [] : [dictionaries[index]]) + detached
        }
        let count = changes.comparison.stepCount + writer.stepCount
        if try objects.isEmpty && !changes.isChanged(changes.root) { return ([:], count) }
        if !objects.isEmpty { dictionaries[0][DictionaryKey.objects] = objects }
        return (dictionaries[0], count)
    }

    private init(
        _ old: DictionaryReader, _ new: DictionaryReader, _ options: DictionaryOptions, _ root: RowReference,
        _ oldRoot: RowReference
    ) throws {
        self.options = options
        try options.checkNames(in: new.schema)
        self.root = root
        plans = try new.schema.entities.indices.map { try DictionaryPlan($0, in: new.schema, options) }
        self.old = try RelatedRows(old)
        self.new = try RelatedRows(new)
        comparison = DictionaryComparison(self.old, self.new, plans, root: root, oldRoot: oldRoot)
    }

    /// Whether a row that is known by its identity is new or has changed.
    private func isChanged(_ row: RowReference) throws -> Bool {
        guard let known = comparison.known(row) else { return true }
        let plan = plans[row.entity]
        return plan.attributes.contains { !new.value(row, $0).isUnchanged(from: old.value(known, $0)) }
            || plan.relationships.contains { comparison.isChanged($0, of: row) }
    }

    // MARK: What is written

    func key(of node: Node) -> RowReference { node.row }

    func standIn(for node: Node) throws -> [String: Any]? {
        new.isIdentified(node.row) ? try stub(of: node.row, new) : nil
    }

    func content(of node: Node, isRoot: Bool) throws -> DictionaryContent {
        let row = node.row
        let plan = plans[row.entity]
        let known = isRoot ? comparison.known(row) : node.before
        var entry = try stub(of: row, new)
        var nulls: [String] = []
        for number in plan.attributes {
            let property = plan.properties[number]
            let (value, before) = (new.value(row, number), known.map { old.value($0, number) } ?? .null)
            if value.isNull {
                if !before.isNull { nulls.append(property.name) }
            } else if !isRoot || known == nil || !value.isUnchanged(from: before) {
                entry[property.name] = try object(for: value, row, property)
            }
        }
        var relationships: [DictionaryPlan.Relationship] = []
        var gone: [String] = []
        for relationship in plan.relationships {
            if isRoot, known != nil, !comparison.isChanged(relationship, of: row) { continue }
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
        let known = node.row == root || new.isIdentified(node.row) ? comparison.known(node.row) : node.before
        return new.members(node.row, relationship.number).map { member in
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
        let members = new.members(row, relationship.number)
        let before = known.map { old.members($0, relationship.number) } ?? []
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
        let (oldNames, newNames) = (Set(before.map(old.name)), Set(members.map(new.name)))
        let added = try members.filter { !oldNames.contains(new.name(of: $0)) }.map { try stub(of: $0, new) }
        let removed = try before.filter { !newNames.contains(old.name(of: $0)) }.map { try stub(of: $0, old) }
        if !added.isEmpty { entry.enter(added, property.name, in: DictionaryKey.added) }
        if !removed.isEmpty { entry.enter(removed, property.name, in: DictionaryKey.removed) }
    }

    /// The former object of a to-one relationship that the present one is filled into: both belong to the same owner alone, and
    /// neither has an identity.
    private func replaced(
        by member: RowReference, _ known: RowReference, _ relationship: DictionaryPlan.Relationship
    ) -> RowReference? {
        guard relationship.property.isOwning, !relationship.property.isToMany, !new.isIdentified(member),
            let before = old.members(known, relationship.number).first, !old.isIdentified(before),
            before.entity == member.entity
        else { return nil }
        return before
    }

    /// The name of the entity and the identity of a row.
    private func stub(of row: RowReference, _ rows: RelatedRows) throws -> [String: Any] {
        let plan = plans[row.entity]
        var stub: [String: Any] = [options.entityKey ?? DictionaryKey.entity: plan.writtenName]
        for number in rows.identity(of: row) {
            stub[plan.properties[number].name] = try object(for: rows.value(row, number), row, plan.properties[number])
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

extension GraphValue {
    /// Whether the value is the same as an earlier one. NaN is the same as NaN here: it hasn't changed.
    func isUnchanged(from earlier: GraphValue) -> Bool {
        if case .double(let one) = self, case .double(let other) = earlier, one.isNaN { return other.isNaN }
        return self == earlier
    }
}
