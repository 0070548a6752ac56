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
// members of a changed relationship are listed, under $members.

import CoreData
import Foundation

/// Makes the dictionary of what differs between two states of a graph.
struct DictionaryChanges {
    private let schema: GraphSchema
    private let options: DictionaryOptions
    private let plans: [DictionaryPlan]
    private let old: RelatedRows
    private let new: RelatedRows

    /// How deep objects without identity may be nested.
    private static let maximumNesting = 200

    /// - Parameters:
    ///   - old: The reader of the earlier dictionary.
    ///   - new: The reader of the current one.
    init(_ old: DictionaryReader, _ new: DictionaryReader, _ options: DictionaryOptions) throws {
        schema = new.schema
        self.options = options
        try options.checkNames(in: new.schema)
        plans = try new.schema.entities.indices.map { try DictionaryPlan($0, in: new.schema, options) }
        self.old = try RelatedRows(old)
        self.new = try RelatedRows(new)
    }

    /// The changes; empty where there are none.
    func dictionary() throws -> [String: Any] {
        guard let root = new.roots.first, let oldRoot = old.roots.first else { return [:] }
        var changes = try self.changes(of: root, since: oldRoot)
        var objects: [[String: Any]] = []
        for row in new.rows where row != root && new.isIdentified(row) {
            let known = old.row(like: row, in: new)
            let entry = try self.changes(of: row, since: known)
            if known != nil, entry.isEmpty { continue }
            objects.append(entry.merging(try stub(of: row, new)) { entry, _ in entry })
        }
        if changes.isEmpty, objects.isEmpty { return [:] }
        if !objects.isEmpty { changes[DictionaryKey.objects] = objects }
        return changes.merging(try stub(of: root, new)) { change, _ in change }
    }

    // MARK: One object

    /// What a row has that its old form hasn't; everything where there is none.
    private func changes(of row: RowReference, since known: RowReference?) throws -> [String: Any] {
        var entry: [String: Any] = [:]
        var nulls: [String] = []
        let plan = plans[row.entity]
        for number in plan.attributes {
            let property = plan.properties[number]
            let value = new.value(row, number)
            if let known, Self.isSame(value, old.value(known, number)) { continue }
            if value.isNull {
                if known != nil { nulls.append(property.name) }
            } else {
                entry[property.name] = try object(for: value, row, property)
            }
        }
        for relationship in plan.relationships {
            try addChanges(of: relationship, row, known, to: &entry, &nulls)
        }
        if options.valueForm == .propertyList {
            if !nulls.isEmpty { entry[DictionaryKey.nulls] = nulls }
        } else {
            for name in nulls { entry[name] = NSNull() }
        }
        return entry
    }

    private func addChanges(
        of relationship: DictionaryPlan.Relationship, _ row: RowReference, _ known: RowReference?,
        to entry: inout [String: Any], _ nulls: inout [String]
    ) throws {
        let (name, property) = (relationship.property.name, relationship.property)
        let members = new.members(row, relationship.number)
        let before = known.map { old.members($0, relationship.number) } ?? []
        let tokens = try members.map { try token(of: $0, new, []) }
        let oldTokens = try before.map { try token(of: $0, old, []) }
        if known != nil, property.isOrdered ? tokens == oldTokens : tokens.sorted() == oldTokens.sorted() { return }
        guard property.isToMany else {
            if let end = members.first {
                entry[name] = try nested(end, replacing: property.isOwning ? before.first : nil, [])
            } else if known != nil {
                nulls.append(name)
            }
            return
        }
        if known == nil {
            if !members.isEmpty { entry[name] = try members.map { try nested($0, replacing: nil, []) } }
            return
        }
        let areIdentified = members.allSatisfy(new.isIdentified) && before.allSatisfy(old.isIdentified)
        guard !property.isOrdered, areIdentified else {
            entry.add(try members.map { try nested($0, replacing: nil, []) }, DictionaryKey.members, name)
            return
        }
        let (oldSet, newSet) = (Set(oldTokens), Set(tokens))
        let added = try zip(members, tokens).filter { !oldSet.contains($1) }.map { try stub(of: $0.0, new) }
        let removed = try zip(before, oldTokens).filter { !newSet.contains($1) }.map { try stub(of: $0.0, old) }
        if !added.isEmpty { entry.add(added, DictionaryKey.added, name) }
        if !removed.isEmpty { entry.add(removed, DictionaryKey.removed, name) }
    }

    // MARK: What stands for an object

    /// The name of the entity and the identity of a row.
    private func stub(of row: RowReference, _ rows: RelatedRows) throws -> [String: Any] {
        let plan = plans[row.entity]
        var stub: [String: Any] = [options.entityKey ?? DictionaryKey.entity: plan.writtenName]
        for number in schema.entities[row.entity].identity {
            stub[plan.properties[number].name] = try object(for: rows.value(row, number), row, plan.properties[number])
        }
        return stub
    }

    /// What stands for a row in a relationship: its identity, or all of it.
    ///
    /// - Parameter before: The row that it is an update of, whose values have to be cleared where it has none.
    private func nested(
        _ row: RowReference, replacing before: RowReference?, _ path: [RowReference]
    ) throws -> [String: Any] {
        var dictionary = try stub(of: row, new)
        if new.isIdentified(row) { return dictionary }
        let path = try extended(path, row)
        let plan = plans[row.entity]
        var nulls: [String] = []
        for number in plan.attributes {
            let property = plan.properties[number]
            let value = new.value(row, number)
            if !value.isNull {
                dictionary[property.name] = try object(for: value, row, property)
            } else if let before, before.entity == row.entity, !old.value(before, number).isNull {
                nulls.append(property.name)
            }
        }
        if options.valueForm != .propertyList {
            for name in nulls { dictionary[name] = NSNull() }
        } else if !nulls.isEmpty {
            dictionary[DictionaryKey.nulls] = nulls
        }
        for relationship in plan.relationships {
            let members = new.members(row, relationship.number).filter { !path.contains($0) }
            if members.isEmpty { continue }
            let written = try members.map { try nested($0, replacing: nil, path) }
            if !relationship.property.isToMany {
                dictionary[relationship.property.name] = written[0]
            } else {
                dictionary.add(written, DictionaryKey.members, relationship.property.name)
            }
        }
        return dictionary
    }

    /// A text that two rows share if they are the same object, or for objects without identity if they have the same
    /// contents.
    private func token(of row: RowReference, _ rows: RelatedRows, _ path: [RowReference]) throws -> String {
        let plan = plans[row.entity]
        let entity = schema.entities[row.entity]
        if rows.isIdentified(row) {
            let identity = entity.identity.map { rows.value(row, $0).description }
            return "\(schema.entities[entity.identitySpace].name) \(identity)"
        }
        let path = try extended(path, row)
        var parts = [entity.name] + plan.attributes.map { rows.value(row, $0).description }
        for relationship in plan.relationships {
            let members = rows.members(row, relationship.number).filter { !path.contains($0) }
            let tokens = try members.map { try token(of: $0, rows, path) }
            parts.append("\(relationship.property.isOrdered ? tokens : tokens.sorted())")
        }
        return "\(parts)"
    }

    private func extended(_ path: [RowReference], _ row: RowReference) throws -> [RowReference] {
        guard path.count < Self.maximumNesting else {
            throw GraftError(.tooDeep(limit: Self.maximumNesting), at: .init(entity: plans[row.entity].name))
        }
        return path + [row]
    }

    private func object(for value: GraphValue, _ row: RowReference, _ property: GraphSchema.Property) throws -> Any? {
        do {
            return try DictionaryValue.object(for: value, form: options.valueForm)
        } catch let error as GraftError {
            throw error.located(in: .init(entity: plans[row.entity].name, property: property.name))
        }
    }

    /// NaN is the same as NaN here: it hasn't changed.
    private static func isSame(_ one: GraphValue, _ other: GraphValue) -> Bool {
        if case .double(let one) = one, case .double(let other) = other, one.isNaN { return other.isNaN }
        return one == other
    }
}

extension [String: Any] {
    /// Enters a list of objects under the name of a relationship, below a key.
    fileprivate mutating func add(_ list: [[String: Any]], _ key: String, _ name: String) {
        var lists = self[key] as? [String: Any] ?? [:]
        lists[name] = list
        self[key] = lists
    }
}

/// The rows that were read from a dictionary, with their relationships seen from both sides.
private struct RelatedRows {
    private struct End: Hashable {
        var row: RowReference
        var property: Int
    }

    private let snapshot: GraphSnapshot
    private var ends: [End: [RowReference]] = [:]
    /// In the order of the dictionaries, each once.
    let rows: [RowReference]

    var roots: [RowReference] { snapshot.roots.map(snapshot.resolved) }

    init(_ reader: DictionaryReader) throws {
        snapshot = reader.snapshot
        var seen: Set<RowReference> = []
        let snapshot = reader.snapshot
        rows = reader.rows.map(snapshot.resolved).filter { seen.insert($0).inserted }
        var known: Set<[RowReference]> = []
        var pairs: [(End, RowReference)] = []
        for (owner, property, member) in reader.toOnes {
            guard let member else { continue }
            let end = End(row: snapshot.resolved(reader.rows[owner]), property: property)
            pairs.append((end, try reader.row(of: member, owner, property)))
        }
        for link in reader.links {
            let end = End(row: snapshot.resolved(reader.rows[link.owner]), property: link.property)
            for member in link.members { pairs.append((end, try reader.row(of: member, link.owner, link.property))) }
        }
        func key(_ end: End, _ member: RowReference) -> [RowReference] {
            [end.row, RowReference(entity: 0, row: end.property), member]
        }
        for (end, member) in pairs where known.insert(key(end, member)).inserted {
            ends[end, default: []].append(member)
        }
        for (end, member) in pairs {
            let property = reader.schema.entities[end.row.entity].properties[end.property]
            guard let inverse = property.inverse else { continue }
            let back = End(row: member, property: inverse)
            if known.insert(key(back, end.row)).inserted { ends[back, default: []].append(end.row) }
        }
    }

    func value(_ row: RowReference, _ number: Int) -> GraphValue {
        let properties = snapshot.schema.entities[row.entity].properties
        return snapshot.tables[row.entity].value(properties[number].column, row: row.row)
    }

    func members(_ row: RowReference, _ number: Int) -> [RowReference] { ends[End(row: row, property: number)] ?? [] }

    /// Whether a row has a complete identity.
    func isIdentified(_ row: RowReference) -> Bool {
        let identity = snapshot.schema.entities[row.entity].identity
        return !identity.isEmpty && identity.allSatisfy { !value(row, $0).isNull }
    }

    /// The row with the identity of another one.
    func row(like other: RowReference, in rows: RelatedRows) -> RowReference? {
        let entity = snapshot.schema.entities[other.entity]
        let values = entity.identity.map { rows.value(other, $0) }
        var hash = IdentityHash()
        for value in values { hash.combine(value) }
        let found = snapshot.rows(
            withIdentity: values, hash: hash.value, columns: entity.identityColumns, entity.identitySpace)
        return found.map(snapshot.resolved).first { snapshot.schema.isEntity($0.entity, relatedTo: other.entity) }
    }
}
