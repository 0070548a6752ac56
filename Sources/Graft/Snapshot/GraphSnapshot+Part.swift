// A part of a graph that is imported: of what its objects refer to, there is the identity alone. Where that is nothing, a link would
// lead to an empty object that nobody has ever had.

extension GraphSnapshot {
    /// Leaves out the links from a part that an import can't take: those to objects outside of it that nothing identifies, and those
    /// that only the other end says, which isn't in it. A list of which one member is left out says nothing, so that nobody is taken
    /// out of it.
    ///
    /// - Returns: How many links, by the relationship.
    /// - Throws: ``GraftError`` where such a link is a part of an identity.
    mutating func leaveOutLinksFromPart() throws -> [Column: Int] {
        var leftOut: [Column: Int] = [:]
        for entity in ArchivePlan(schema).entities {
            let said = Set(entity.properties)
            for (number, property) in schema.entities[entity.number].properties.enumerated() where !property.isAttribute
            {
                for row in 0..<tables[entity.number].count {
                    let reference = RowReference(entity: entity.number, row: row)
                    guard isInPart(reference) else { continue }
                    let ends = destinations(of: reference, property)
                    let outside = ends.filter { !isInPart($0) }
                    // The one end of a one-to-one relationship is said by the other, in or outside.
                    let isSaid = said.contains(number) || schema.isOneToOne(property)
                    if outside.isEmpty || isSaid && outside.allSatisfy(isIdentified) { continue }
                    if schema.entities[entity.number].relatedIdentity.contains(number) {
                        throw unidentified(number, of: entity.number)
                    }
                    leftOut[Column(entity: entity.number, property: number), default: 0] +=
                        isSaid ? ends.count : outside.count
                    tables[entity.number].markAbsent(number, row: row)
                    tables[entity.number].clear(property, row: row)
                }
            }
        }
        for row in allRows where !isInPart(row) && !isIdentified(row) { tables[row.entity].flags[row.row] = .dead }
        return leftOut
    }

    private func isInPart(_ row: RowReference) -> Bool { tables[row.entity].flags[row.row].contains(.whole) }

    private func unidentified(_ number: Int, of entity: Int) -> GraftError {
        let (owner, property) = (schema.entities[entity], schema.entities[entity].properties[number])
        return GraftError(
            .other(
                finding:
                    "the relationship is a part of the identity, and leads to objects without one, which don't come along",
                remedy: "Import all of the source, without naming an entity."),
            at: .init(entity: owner.name, property: property.name))
    }
}
