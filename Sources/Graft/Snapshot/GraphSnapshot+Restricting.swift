// A part of a graph: the objects of some entities and what they own. What these refer to stays with its identity alone, as in a
// snapshot that is made of objects.

extension GraphSnapshot {
    /// The objects of some entities, with those of their sub-entities and what they own.
    func restricted(to entities: [Int], _ scope: DiffScope) -> GraphSnapshot {
        var result = self
        result.restrict(to: entities, scope)
        result.buildIndexes()
        result.settleRelatedRows()
        return result
    }

    /// Takes away the rows of all other objects. The index isn't touched. An object of these entities that was only referred to
    /// is one that has nothing else.
    mutating func restrict(to entities: [Int], _ scope: DiffScope) {
        func isWanted(_ row: RowReference) -> Bool { entities.contains { schema.isEntity(row.entity, kindOf: $0) } }
        let rows = allRows
        var open = rows.filter(isWanted)
        var whole = Set(open)
        var referred: [RowReference] = []
        while let row = open.popLast() {
            for (number, property) in schema.entities[row.entity].properties.enumerated() where !property.isAttribute {
                let isFollowed = scope.entities[row.entity].follows[number]
                for end in destinations(of: row, property) {
                    referred.append(end)
                    if isFollowed, whole.insert(end).inserted { open.append(end) }
                }
            }
        }
        let known = whole.union(identifying(referred.filter { !whole.contains($0) }))
        for row in rows where !whole.contains(row) { reduceToIdentity(row, isThere: known.contains(row)) }
        roots = roots.filter { isWanted(resolved($0)) }
        let isRoot = Set(roots.map(resolved))
        for row in whole {
            tables[row.entity].flags[row.row].insert(.whole)
            if !isRoot.contains(row) { tables[row.entity].flags[row.row].remove(.root) }
        }
    }

    /// Some rows and those that their identities hang on.
    private func identifying(_ rows: [RowReference]) -> Set<RowReference> {
        var open = rows
        var found = Set(rows)
        while let row = open.popLast() {
            for number in schema.entities[row.entity].identityRelationships {
                let property = schema.entities[row.entity].properties[number]
                for end in destinations(of: row, property) where found.insert(end).inserted { open.append(end) }
            }
        }
        return found
    }

    /// Lets a row say nothing of its object but which it is.
    ///
    /// - Parameter isThere: Whether it stays at all.
    mutating func reduceToIdentity(_ row: RowReference, isThere: Bool = true) {
        let entity = schema.entities[row.entity]
        let identity = Set(entity.identityParts)
        tables[row.entity].flags[row.row] = isThere ? [] : .dead
        for (number, property) in entity.properties.enumerated() {
            if isThere, identity.contains(number) { continue }
            tables[row.entity].markAbsent(number, row: row.row)
            tables[row.entity].clear(property, row: row.row)
            removals[Cell(row: row, property: number)] = nil
        }
    }
}
