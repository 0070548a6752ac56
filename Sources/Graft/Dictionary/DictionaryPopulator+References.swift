// Dictionaries that only name objects: of those that aren't there, a relationship's policy for references decides, as in an import.

extension DictionaryPopulator {
    /// By entity and row: whether something leads to it that makes what isn't there. Empty where everything does.
    func wantedRows(_ reader: DictionaryReader, _ importer: BatchImporter) throws -> [[Bool]] {
        let policies = importer.plans.map(\.referencePolicies)
        guard reader.findsObjects, policies.contains(where: { $0.contains { $0 != .stub } }) else { return [] }
        let snapshot = reader.snapshot
        var wanted = snapshot.tables.map { [Bool](repeating: false, count: $0.count) }
        func note(_ member: DictionaryReader.Member, _ node: Int, _ number: Int) throws {
            let owner = snapshot.resolved(reader.rows[node])
            let property = importer.schema.entities[owner.entity].properties[number]
            let isCopy = reader.options.makesCopies && property.isOwning
            guard isCopy || policies[owner.entity][number] == .stub else { return }
            let end = try reader.row(of: member, node, number)
            wanted[end.entity][end.row] = true
        }
        for toOne in reader.replacedToOnes + reader.toOnes {
            if let member = toOne.member { try note(member, toOne.owner, toOne.property) }
        }
        for link in reader.replacedLinks + reader.links {
            for member in link.members { try note(member, link.owner, link.property) }
        }
        for (node, described) in reader.nodes.enumerated() where described.key == DictionaryKey.objects {
            let row = snapshot.resolved(reader.rows[node])
            wanted[row.entity][row.row] = true
        }
        return wanted
    }
}
