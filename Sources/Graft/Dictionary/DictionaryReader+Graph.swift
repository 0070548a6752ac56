// What was read as one graph whose relationships are known from both sides: a dictionary leaves out the object that led to another
// one.

import CoreData

extension DictionaryReader {
    /// The rows that dictionaries stand for, in their order, each once.
    var distinctRows: [RowReference] { MembersComparison.unique(rows.map(snapshot.resolved)) }

    /// The objects with all their links.
    ///
    /// - Throws: ``GraftError`` with `unresolvedReference` for a number that no object has.
    func graph() throws -> GraphSnapshot {
        var graph = snapshot
        for row in distinctRows { graph.tables[row.entity].flags[row.row].insert(.whole) }
        var members: [GraphSnapshot.Cell: [RowReference]] = [:]
        var backs: [(cell: GraphSnapshot.Cell, member: RowReference)] = []
        func add(_ member: Member, _ owner: Int, _ property: Int) throws {
            let (row, member) = (snapshot.resolved(rows[owner]), try self.row(of: member, owner, property))
            members[.init(row: row, property: property), default: []].append(member)
            guard let inverse = schema.entities[row.entity].properties[property].inverse else { return }
            backs.append((.init(row: member, property: inverse), row))
        }
        for toOne in toOnes { if let member = toOne.member { try add(member, toOne.owner, toOne.property) } }
        for link in links { for member in link.members { try add(member, link.owner, link.property) } }
        for (cell, member) in backs { members[cell, default: []].append(member) }
        for (cell, members) in members.sorted(by: { $0.key < $1.key }) {
            let property = schema.entities[cell.row.entity].properties[cell.property]
            try graph.set(MembersComparison.unique(members), property, cell.property, of: cell.row)
        }
        return try graph.identified(schema.withoutOwners)
    }
}

extension GraphSchema {
    /// The same model without identities that include relationships: dictionaries don't find objects by them.
    fileprivate var withoutOwners: GraphSchema {
        guard hasRelatedIdentities else { return self }
        return GraphSchema(
            entities: entities.map { entity in
                var entity = entity
                entity.relatedIdentity = []
                return entity
            })
    }
}
