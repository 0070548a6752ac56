// Objects that JSON says are gone (`JSONDeletedKey`, `JSONDeletedListKeyPath`). An import deletes them; for a comparison, they aren't there:
//
//     {"id": 1, "tasks": [{"id": 4}, {"id": 5, "gone": true}]}      compared as      {"id": 1, "tasks": [{"id": 4}]}

extension GraphSnapshot {
    /// The rows of objects that the data says are gone.
    var goneRows: [RowReference] {
        // As a rule there are none, and nothing is made of all the others.
        guard tables.contains(where: { $0.flags.contains { $0.contains(.gone) } }) else { return [] }
        return allRows.filter { tables[$0.entity].flags[$0.row].contains(.gone) }
    }

    /// The snapshot without the objects that its data says are gone, and without what these alone lead to.
    ///
    /// - Throws: ``GraftError`` with `tooLarge`.
    func leavingOutGone() throws -> GraphSnapshot {
        var gone = Set(goneRows)
        if gone.isEmpty { return self }
        // What is identified by its owner goes with it; owners come first.
        for row in rowsIdentifiedByOwners() where !gone.contains(row) {
            let entity = schema.entities[row.entity]
            let owners = entity.identityRelationships.flatMap { destinations(of: row, entity.properties[$0]) }
            if owners.contains(where: gone.contains) { gone.insert(row) }
        }
        var result = self
        try result.takeOut(gone)
        result.dropUnreached()
        return result
    }

    /// Takes rows out, and out of all relationships.
    ///
    /// - Throws: ``GraftError`` with `tooLarge`.
    mutating func takeOut(_ rows: Set<RowReference>) throws {
        if rows.isEmpty { return }
        for (entity, description) in schema.entities.enumerated() {
            for (number, property) in description.properties.enumerated() where !property.isAttribute {
                for row in liveRows(of: entity) where tables[entity].hasValue(number, row: row) {
                    let reference = RowReference(entity: entity, row: row)
                    let ends = destinations(of: reference, property)
                    if ends.contains(where: rows.contains) {
                        try set(ends.filter { !rows.contains($0) }, property, number, of: reference)
                    }
                }
            }
        }
        for row in rows { remove(row) }
        roots = roots.filter { !rows.contains(resolved($0)) }
    }

    /// Lets go of the rows without identity to which nothing leads any more.
    mutating func dropUnreached() {
        dropUnreachedRows { snapshot, row in
            snapshot.schema.entities[row.entity].properties.filter { !$0.isAttribute }
                .flatMap { snapshot.destinations(of: row, $0) }
        }
    }
}
