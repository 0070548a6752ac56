// Members that dictionaries of changes take out of relationships, by their identities. All of one list go at once: looking through all
// members for each of them would take the time of the square.

import CoreData

extension DictionaryPopulator {
    /// Takes members out of relationships. What their owner gives up belongs to nobody.
    func disconnect(_ removals: [DictionaryReader.Removal], _ reader: DictionaryReader, _ importer: BatchImporter)
        throws
    {
        var rest = removals[...]
        while let first = rest.first {
            let list = rest.prefix { $0.owner == first.owner && $0.property == first.property }
            rest = rest[list.endIndex...]
            try disconnect(list, first, reader, importer)
        }
    }

    private func disconnect(
        _ removals: ArraySlice<DictionaryReader.Removal>, _ first: DictionaryReader.Removal, _ reader: DictionaryReader,
        _ importer: BatchImporter
    ) throws {
        let row = reader.snapshot.resolved(reader.rows[first.owner])
        guard let object = importer.matcher.object(row, having: first.property) else { return }
        let property = compiled.schema.entities[row.entity].properties[first.property]
        var index = HashIndex<DictionaryReader.Removal>()
        for removal in removals { index.insert(removal, hash: Self.hash(removal.identity.map(\.value))) }
        var kept: [NSManagedObject] = []
        var removed: [NSManagedObject] = []
        for member in object.members(first.property, property) {
            if try isMeant(member, by: index, importer) { removed.append(member) } else { kept.append(member) }
        }
        if removed.isEmpty { return }
        try importer.editor.connect(first.property, property, of: object, to: kept)
        importer.states[row.entity][row.row].insert(.changed)
        if property.isOwning { importer.deletions.orphans += removed.map { .init(object: $0) } }
    }

    /// Whether an object is one that is to leave. A sub-entity may have more that identifies its objects.
    private func isMeant(
        _ member: NSManagedObject, by removals: HashIndex<DictionaryReader.Removal>, _ importer: BatchImporter
    ) throws -> Bool {
        guard let number = importer.number(of: member) else { return false }
        let entity = compiled.schema.entities[number]
        let hash = Self.hash(try entity.identity.map { try member.graphValue($0, entity.properties[$0]) })
        return try removals.first(hash) { removal in
            try compiled.schema.isEntity(number, relatedTo: removal.entity)
                && entity.identity == removal.identity.map(\.number)
                && removal.identity.allSatisfy { try member.holds($0.value, $0.number, entity.properties[$0.number]) }
        } != nil
    }

    private static func hash(_ values: [GraphValue]) -> UInt64 {
        var hash = IdentityHash()
        for value in values {
            // A store may keep a real number as a Float.
            if case .double(let number) = value {
                hash.combine(.double(number.keptByFloat))
            } else {
                hash.combine(value)
            }
        }
        return hash.value
    }
}
