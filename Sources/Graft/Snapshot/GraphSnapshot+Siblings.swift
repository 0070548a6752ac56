// Rows of sub-entities that a key tells apart (`JSONEntityKey`), with one identity: one object, of which the data says that it is a
// cat, and somewhere else that it is a dog. What it is decides the importer, which knows the stored ones; so each sub-entity has its
// row. What both can have was said last by the row that was read last:
//
//     {"type": "Dog", "id": 1, "name": "a"}, {"type": "Cat", "id": 1, "name": "b"}      both rows have the name b
//
// Where another type replaces the object, the row that was read last is all that is left. What becomes of the stored object in between
// no row tells: a record that does this to one of an earlier record begins another batch.

extension GraphSnapshot {
    /// What the mapping says of the sub-entities of an entity.
    struct Kinds: Sendable {
        /// Whether a key tells them apart.
        var areTold: Bool
        /// What becomes of an object that is of another one.
        var change: MappingOptions.EntityChangePolicy
    }

    /// Whether objects of two entities are kinds of an entity whose kinds a key tells, and neither is a kind of the other.
    func areSiblings(_ entity: Int, _ other: Int) -> Bool {
        !kinds.isEmpty && !schema.isEntity(entity, relatedTo: other)
            && schema.areOne(entity, other) { kinds[$0].areTold }
    }

    /// The rows of a row's siblings that stand for the same object.
    func siblings(of row: RowReference) -> [RowReference] {
        if kinds.isEmpty { return [] }
        let entity = schema.entities[row.entity]
        let columns = entity.identityColumns
        guard let hash = identityHash(entity: row.entity, row: row.row, columns: columns) else { return [] }
        let values = columns.map { tables[row.entity].value($0, row: row.row) }
        return rows(withIdentity: values, hash: hash, columns: columns, entity.identitySpace).filter {
            areSiblings($0.entity, row.entity) && tables[$0.entity].flags[$0.row].isDisjoint(with: [.dead, .gone])
        }
    }

    /// Lets the siblings of a row say what it says; returns the row that stands for the object from now on.
    ///
    /// - Parameter saysMore: Whether the row is more than a reference, though it has no more than its identity.
    mutating func settleSiblings(of row: RowReference, hash: UInt64, space: Int, saysMore: Bool) -> RowReference {
        if tables[row.entity].flags[row.row].contains(.gone) { return row }
        var row = row
        for sibling in siblings(of: row) {
            hasSiblings = true
            guard kinds[row.entity].change == .replace else {
                share(row, with: sibling)
                continue
            }
            let isReplaced =
                saysMore || tables[row.entity].flags[row.row].contains(.root) || saysMoreThanIdentity(row)
            if isReplaced { replacedSiblingCount += 1 }
            let (old, new) = isReplaced ? (sibling, row) : (row, sibling)
            moveValues(of: old, to: new, replacing: !isReplaced)
            indexes[space].remove(old, hash: hash)
            forward(old, to: new)
            row = new
        }
        return row
    }

    private mutating func share(_ row: RowReference, with sibling: RowReference) {
        let common = schema.commonPropertyCount(row.entity, sibling.entity)
        tables[sibling.entity].stamps[sibling.row] &+= 1
        for (number, property) in schema.entities[row.entity].properties.prefix(common).enumerated()
        where tables[row.entity].hasValue(number, row: row.row)
            && tables[sibling.entity].hasValue(number, row: sibling.row)
        {
            if property.isAttribute {
                let value = tables[row.entity].value(property.column, row: row.row)
                tables[sibling.entity].setValue(value, property.column, row: sibling.row)
            } else {
                moveLink(number, property, of: sibling, to: row, replacing: false)
                tables[sibling.entity].markAbsent(number, row: sibling.row)
            }
        }
    }
}
