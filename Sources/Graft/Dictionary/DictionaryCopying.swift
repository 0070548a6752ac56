// Copies: what is at the top and what it owns is new, whatever there is. The rest is found by its identity, and stays with
// those who have it.

import CoreData

/// Sees to it that dictionaries make copies.
struct DictionaryCopying {
    private let schema: GraphSchema
    private let options: PopulateOptions

    init(_ schema: GraphSchema, _ options: PopulateOptions) {
        self.schema = schema
        self.options = options
    }

    /// Lets nothing that is there stand for the copies, when identities have found their objects.
    ///
    /// - Throws: ``GraftError`` with `duplicateIdentity` for a copy whose identity another object has.
    func prepare(_ reader: inout DictionaryReader, _ importer: BatchImporter) throws {
        // In the order of the dictionaries, so that an error is about the first.
        let copies = try copies(reader)
        var seen: Set<RowReference> = []
        for row in reader.rows.map(reader.snapshot.resolved) where copies.contains(row) && seen.insert(row).inserted {
            let entity = schema.entities[row.entity]
            let isRelated = !entity.relatedIdentity.isEmpty
            let parts = isRelated ? entity.identityAttributes : entity.identity
            if isRelated && hangsOn(copies, row, reader.snapshot) {
                // The copy of its owner tells it from the original.
            } else if !options.copiesIdentities {
                for part in parts { reader.leaveOut(part, of: row) }
            } else if importer.object(row) != nil {
                let table = reader.snapshot.tables[row.entity]
                let identity = parts.map { table.value(entity.properties[$0].column, row: row.row) }
                var place = reader.place(of: table.offsets[row.row])
                place.property = parts.first.map { entity.properties[$0].name }
                throw GraftError(.duplicateIdentity(identity.words), at: place)
            }
            importer.matcher.objects[row.entity][row.row] = nil
        }
    }

    /// Whether one of those whom the identity of a row's object includes is among some rows.
    private func hangsOn(_ rows: Set<RowReference>, _ row: RowReference, _ snapshot: borrowing GraphSnapshot) -> Bool {
        let entity = schema.entities[row.entity]
        return entity.identityRelationships.contains { part in
            let owner = snapshot.tables[row.entity].toOne(entity.properties[part].column, row: row.row)
            return !owner.isNone && rows.contains(snapshot.resolved(owner))
        }
    }

    /// The rows at the top, with what they own.
    private func copies(_ reader: DictionaryReader) throws -> Set<RowReference> {
        var owned: [RowReference: [RowReference]] = [:]
        func note(_ member: DictionaryReader.Member, _ node: Int, _ number: Int) throws {
            let owner = reader.snapshot.resolved(reader.rows[node])
            guard schema.entities[owner.entity].properties[number].isOwning else { return }
            owned[owner, default: []].append(try reader.row(of: member, node, number))
        }
        for toOne in reader.toOnes { if let member = toOne.member { try note(member, toOne.owner, toOne.property) } }
        for link in reader.links { for member in link.members { try note(member, link.owner, link.property) } }
        var pending = reader.snapshot.roots.map(reader.snapshot.resolved)
        var copies = Set(pending)
        while let row = pending.popLast() {
            for member in owned[row] ?? [] where copies.insert(member).inserted { pending.append(member) }
        }
        return copies
    }

    /// Takes out the links that would take an object from another one, when all objects are there.
    func keepLinks(_ reader: inout DictionaryReader, _ importer: BatchImporter) throws {
        (reader.replacedToOnes, reader.replacedLinks) = ([], [])
        let toOnes = reader.toOnes
        reader.toOnes = try toOnes.filter { toOne in
            guard let member = toOne.member, try isKept(member, toOne.owner, toOne.property, reader, importer)
            else { return true }
            note(toOne.owner, toOne.property, &reader)
            reader.leaveOut(toOne.property, of: reader.snapshot.resolved(reader.rows[toOne.owner]))
            return false
        }
        for index in reader.links.indices {
            let link = reader.links[index]
            reader.links[index].members = try link.members.filter { member in
                guard try isKept(member, link.owner, link.property, reader, importer) else { return true }
                note(link.owner, link.property, &reader)
                return false
            }
        }
    }

    /// Whether a link would lead one of its two ends, which was there before, to a copy instead of where it leads now.
    private func isKept(
        _ member: DictionaryReader.Member, _ node: Int, _ number: Int, _ reader: DictionaryReader,
        _ importer: BatchImporter
    ) throws -> Bool {
        let row = reader.snapshot.resolved(reader.rows[node])
        let end = try reader.row(of: member, node, number)
        guard let object = importer.object(row), let other = importer.object(end) else { return false }
        let (isNew, isOtherNew) = (
            importer.states[row.entity][row.row].contains(.new), importer.states[end.entity][end.row].contains(.new)
        )
        if isNew == isOtherNew { return false }
        let property = schema.entities[row.entity].properties[number]
        if isOtherNew { return !property.isToMany && object.destination(number, property) != nil }
        guard let inverse = property.inverse, let back = schema.inverse(of: property) else { return false }
        return !back.isToMany && other.destination(inverse, back) != nil
    }

    private func note(_ node: Int, _ number: Int, _ reader: inout DictionaryReader) {
        reader.report.keptLinks.append(
            ImportReport.Failure(
                GraftError(
                    .other(
                        finding: "the object that the dictionary links here belongs to another one, and stays there",
                        remedy: "Link it yourself where it is to move."),
                    at: reader.place(of: node, number)), record: nil))
    }
}
