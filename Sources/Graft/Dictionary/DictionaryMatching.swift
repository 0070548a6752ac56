// Which objects the dictionaries without identity are about: members of the objects that were found, by the rule that imports
// have (Matching/ObjectMatcher+Members.swift). From each object that was found to what it leads to.

import CoreData

/// Gives rows without identity to objects that are there.
struct DictionaryMatching {
    /// A relationship that a dictionary names.
    private struct Mention {
        var property: Int
        var members: [DictionaryReader.Member]
        /// The node that names it.
        var node: Int
        /// Whether the members are added to those that are there.
        var isAdding = false
    }

    private let reader: DictionaryReader
    private let matcher: ObjectMatcher
    private var mentions: [RowReference: [Mention]] = [:]
    /// By row: whether nothing of what is there is meant by it.
    private var isNew: Set<RowReference> = []

    init(_ reader: DictionaryReader, _ matcher: ObjectMatcher) {
        self.reader = reader
        self.matcher = matcher
        for toOne in reader.toOnes where !toOne.isExact {
            guard let member = toOne.member else { continue }
            add(Mention(property: toOne.property, members: [member], node: toOne.owner))
        }
        for link in reader.links where link.mode != .exact {
            add(
                Mention(
                    property: link.property, members: link.members, node: link.owner, isAdding: reader.adds(link)))
        }
        for (node, row) in zip(reader.nodes, reader.rows) where node.isNew {
            isNew.insert(reader.snapshot.resolved(row))
        }
    }

    private mutating func add(_ mention: Mention) {
        mentions[reader.snapshot.resolved(reader.rows[mention.node]), default: []].append(mention)
    }

    /// Gives all rows their objects, as far as there are any.
    func match() throws {
        var taken: Set<ObjectIdentifier> = []
        var pending: [RowReference] = []
        var seen: Set<RowReference> = []
        for row in reader.rows.map(reader.snapshot.resolved) where seen.insert(row).inserted {
            guard let object = matcher.object(row) else { continue }
            taken.insert(ObjectIdentifier(object))
            pending.append(row)
        }
        // In the order of the dictionaries, so that the nearest to the top has the first choice.
        var next = 0
        while next < pending.count {
            for mention in mentions[pending[next]] ?? [] {
                pending += try match(mention, of: pending[next], &taken)
            }
            next += 1
        }
    }

    private func match(
        _ mention: Mention, of owner: RowReference, _ taken: inout Set<ObjectIdentifier>
    ) throws -> [RowReference] {
        guard let object = matcher.object(owner, having: mention.property) else { return [] }
        let property = matcher.schema.entities[owner.entity].properties[mention.property]
        var rows = try mention.members.map { try reader.row(of: $0, mention.node, mention.property) }
        var members = object.relatedObjects(mention.property, property)
        let node = reader.nodes[mention.node]
        if node.inverse == mention.property, node.parent >= 0 {
            // Who led here needn't be listed, and has no place in the list then.
            let parent = reader.snapshot.resolved(reader.rows[node.parent])
            if let last = rows.last, last == parent { rows.removeLast() }
            if !rows.contains(parent), let parent = matcher.object(parent) { members.removeAll { $0 === parent } }
        }
        let unmatched = rows.enumerated().filter { _, row in
            matcher.object(row) == nil && !isNew.contains(row)
                && !matcher.isIdentified(row.entity, row.row, reader.snapshot)
                && reader.snapshot.tables[row.entity].flags[row.row].isDisjoint(with: [.root, .dead])
        }.map { ObjectMatcher.PlacedRow(row: $1, place: $0) }
        if unmatched.isEmpty { return [] }
        return try matcher.match(
            unmatched, property, with: members, keepsPlaces: !mention.isAdding, taken: &taken, reader.snapshot)
    }
}
