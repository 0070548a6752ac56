// Which relationships differ between two states of a graph, in one pass over both. Rows with an identity are the same object
// where they have the same one. Rows without are taken in pairs, side by side from the root: what is at the same place of
// two objects that are the same is the same object. So each row and each link is looked at once, whatever the graph looks
// like, and a change of an object without identity is one of everything without identity that leads to it.

import CoreData

/// Compares the rows of two dictionaries.
struct DictionaryComparison {
    private let old: RelatedRows
    private let new: RelatedRows
    private let plans: [DictionaryPlan]
    private let root: RowReference
    /// The old row of each new one.
    private var known: [RowReference: RowReference] = [:]
    /// The old rows without identity that are somebody's already.
    private var taken: Set<RowReference> = []
    private var changed: Set<RelatedRows.End> = []
    /// The relationships that lead to rows without identity.
    private var dependents: [RowReference: [RelatedRows.End]] = [:]
    /// The rows without identity that have changed.
    private var stale: [RowReference] = []
    /// How many rows and links were looked at.
    private(set) var stepCount = 0

    init(
        _ old: RelatedRows, _ new: RelatedRows, _ plans: [DictionaryPlan], root: RowReference, oldRoot: RowReference
    ) {
        self.old = old
        self.new = new
        self.plans = plans
        self.root = root
        known[root] = oldRoot
        var pending = [root]
        for row in new.rows where row != root && new.isIdentified(row) {
            guard let twin = old.row(like: row, in: new) else { continue }
            known[row] = twin
            pending.append(row)
        }
        taken.insert(oldRoot)
        while let row = pending.popLast() { pending += compare(row) }
        while let row = stale.popLast() {
            for end in dependents[row] ?? [] where changed.insert(end).inserted {
                stepCount += 1
                if !isAnchored(end.row) { stale.append(end.row) }
            }
        }
    }

    /// The old row of a new one; nil where there is none.
    func known(_ row: RowReference) -> RowReference? { known[row] }

    /// Whether a relationship of a row that has an old one leads to other objects than before, or to changed ones without
    /// identity.
    func isChanged(_ relationship: DictionaryPlan.Relationship, of row: RowReference) -> Bool {
        changed.contains(RelatedRows.End(row: row, property: relationship.number))
    }

    /// Whether a row is found again without its owner.
    private func isAnchored(_ row: RowReference) -> Bool { row == root || new.isIdentified(row) }

    /// Compares a row with its old one; returns the rows without identity that have got theirs for it.
    private mutating func compare(_ row: RowReference) -> [RowReference] {
        guard let twin = known[row] else { return [] }
        stepCount += 1
        var found: [RowReference] = []
        var isChanged = plans[row.entity].attributes.contains {
            !new.value(row, $0).isUnchanged(from: old.value(twin, $0))
        }
        for relationship in plans[row.entity].relationships {
            let members = new.members(row, relationship.number)
            let before = old.members(twin, relationship.number)
            stepCount += members.count + before.count
            let end = RelatedRows.End(row: row, property: relationship.number)
            for member in members where !isAnchored(member) { dependents[member, default: []].append(end) }
            if match(members, before, isOrdered: relationship.property.isOrdered, &found) { continue }
            changed.insert(end)
            isChanged = true
        }
        if isChanged, !isAnchored(row) { stale.append(row) }
        return found
    }

    /// Whether two lists are of the same objects. Makes pairs of those without identity.
    private mutating func match(
        _ members: [RowReference], _ before: [RowReference], isOrdered: Bool, _ found: inout [RowReference]
    ) -> Bool {
        guard members.count == before.count else { return false }
        var isSame = true
        if isOrdered {
            for (member, other) in zip(members, before) { isSame = pair(member, other, &found) && isSame }
            return isSame
        }
        // What is known already, then those with the same contents in their order.
        var others = Set(before)
        var rest: [(name: String, index: Int, row: RowReference)] = []
        for (index, member) in members.enumerated() {
            if let twin = known[member] {
                isSame = others.remove(twin) != nil && isSame
            } else {
                rest.append((name(of: member, new), index, member))
            }
        }
        var remaining = before.enumerated().filter { others.contains($0.element) }.map {
            (name: name(of: $0.element, old), index: $0.offset, row: $0.element)
        }
        rest.sort { ($0.name, $0.index) < ($1.name, $1.index) }
        remaining.sort { ($0.name, $0.index) < ($1.name, $1.index) }
        for (member, other) in zip(rest, remaining) { isSame = pair(member.row, other.row, &found) && isSame }
        return isSame && rest.count == remaining.count
    }

    /// Whether two rows are the same object, or can be.
    private mutating func pair(_ member: RowReference, _ other: RowReference, _ found: inout [RowReference]) -> Bool {
        if let twin = known[member] { return twin == other }
        // What has an identity and isn't known is new.
        guard !new.isIdentified(member), !old.isIdentified(other), member.entity == other.entity,
            taken.insert(other).inserted
        else { return false }
        known[member] = other
        found.append(member)
        return true
    }

    /// The entity and the attributes of a row.
    private func name(of row: RowReference, _ rows: RelatedRows) -> String {
        let plan = plans[row.entity]
        return "\(plan.name) \(plan.attributes.map { rows.value(row, $0).description })"
    }
}

/// The rows that were read from a dictionary, with their relationships seen from both sides.
struct RelatedRows {
    struct End: Hashable {
        var row: RowReference
        var property: Int
    }

    private struct Link: Hashable {
        var end: End
        var member: RowReference
    }

    private let snapshot: GraphSnapshot
    private var ends: [End: [RowReference]] = [:]
    /// In the order of the dictionaries, each once.
    let rows: [RowReference]

    init(_ reader: DictionaryReader) throws {
        snapshot = reader.snapshot
        var seen: Set<RowReference> = []
        let snapshot = reader.snapshot
        rows = reader.rows.map(snapshot.resolved).filter { seen.insert($0).inserted }
        var links: [Link] = []
        for toOne in reader.toOnes {
            guard let member = toOne.member else { continue }
            let end = End(row: snapshot.resolved(reader.rows[toOne.owner]), property: toOne.property)
            links.append(Link(end: end, member: try reader.row(of: member, toOne.owner, toOne.property)))
        }
        for link in reader.links {
            let end = End(row: snapshot.resolved(reader.rows[link.owner]), property: link.property)
            for member in link.members {
                links.append(Link(end: end, member: try reader.row(of: member, link.owner, link.property)))
            }
        }
        var known: Set<Link> = []
        for link in links where known.insert(link).inserted { ends[link.end, default: []].append(link.member) }
        for link in links {
            let property = reader.schema.entities[link.end.row.entity].properties[link.end.property]
            guard let inverse = property.inverse else { continue }
            let back = Link(end: End(row: link.member, property: inverse), member: link.end.row)
            if known.insert(back).inserted { ends[back.end, default: []].append(back.member) }
        }
    }

    /// The value of an attribute; null where the row's entity doesn't have it.
    func value(_ row: RowReference, _ number: Int) -> GraphValue {
        let properties = snapshot.schema.entities[row.entity].properties
        guard number < properties.count, properties[number].isAttribute else { return .null }
        return snapshot.tables[row.entity].value(properties[number].column, row: row.row)
    }

    func members(_ row: RowReference, _ number: Int) -> [RowReference] { ends[End(row: row, property: number)] ?? [] }

    /// The numbers of the attributes that identify a row.
    func identity(of row: RowReference) -> [Int] { snapshot.schema.entities[row.entity].identity }

    /// Whether a row has a complete identity.
    func isIdentified(_ row: RowReference) -> Bool {
        let identity = snapshot.schema.entities[row.entity].identity
        return !identity.isEmpty && identity.allSatisfy { !value(row, $0).isNull }
    }

    /// What rows of the same object have in common, in both states.
    func name(of row: RowReference) -> String {
        let entity = snapshot.schema.entities[row.entity]
        return
            "\(snapshot.schema.entities[entity.identitySpace].name) \(entity.identity.map { value(row, $0).description })"
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
