// JSON that says what changes in a list: which members are added, and which are removed. Compared with a graph that has the list,
// it stands for what becomes of it.
//
//     graph   powers: 4, 9          JSON   powers: {"add": [77], "remove": [4]}          compared as   powers: 9, 77

extension GraphSnapshot {
    /// Lets lists that are said whole otherwise, and whose mapping adds to them, be changes that remove nothing.
    mutating func noteAddedMembers() {
        for list in addingLists {
            for row in liveRows(of: list.entity) where tables[list.entity].hasValue(list.property, row: row) {
                removals[Cell(row: RowReference(entity: list.entity, row: row), property: list.property)] = .empty
            }
        }
    }

    /// The snapshot with the lists of which it says what changes, as they become of those of another one.
    ///
    /// - Throws: ``GraftError`` for members that nothing identifies, and with `tooLarge`.
    func completingLists(from other: GraphSnapshot) throws -> GraphSnapshot {
        // What is known to be whole has whole lists.
        if removals.isEmpty || absence != .unknown { return self }
        var completed = self
        let gone = Set(goneRows.compactMap(identityKey))
        var (index, otherIndex) = (RelatedIndex(self), RelatedIndex(other))
        for (cell, range) in removals.sorted(by: { $0.key < $1.key }) {
            let row = resolved(cell.row)
            let property = schema.entities[row.entity].properties[cell.property]
            guard let key = identityKey(of: row), let counterpart = otherIndex.row(of: key, in: other),
                other.tables[counterpart.entity].hasValue(cell.property, row: counterpart.row),
                other.removals[Cell(row: counterpart, property: cell.property)] == nil
            else { continue }
            let removed = Set(range.indices.map { resolved(members[$0]) })
            let named = destinations(of: row, property)
            var ends: [RowReference] = []
            for member in other.destinations(of: counterpart, property) {
                guard let key = other.identityKey(of: member) else {
                    throw GraftError.unidentifiedObjects(of: schema.entities[member.entity].name)
                }
                if gone.contains(key) { continue }
                let end = completed.reference(to: key, member.entity, &index)
                if !removed.contains(end) { ends.append(end) }
            }
            try completed.set(
                MembersComparison.unique(ends + named), property, cell.property, of: row)
        }
        return completed
    }

    /// The row of an object; one that isn't there yet gets a row with its identity alone.
    private mutating func reference(to key: ObjectKey, _ entity: Int, _ index: inout RelatedIndex) -> RowReference {
        if let row = index.row(of: key, in: self) { return row }
        let entities = schema.entities
        let owners = key.owners.map { owner in
            owner.flatMap { owner in
                schema.number(ofEntity: owner.entity).map { reference(to: owner, $0, &index) }
            }
        }
        let row = appendReference(to: key, entity, owners: owners)
        if !entities[entity].relatedIdentity.isEmpty { index.insert(row, self) }
        return row
    }

    /// Appends a row that has nothing but its identity.
    ///
    /// - Parameter owners: What its identifying relationships lead to.
    mutating func appendReference(to key: ObjectKey, _ entity: Int, owners: [RowReference?]) -> RowReference {
        let reference = RowReference(entity: entity, row: tables[entity].appendRow(offset: -1))
        let description = schema.entities[entity]
        for (number, value) in zip(description.identityAttributes, key.identity) {
            tables[entity].setValue(value, description.properties[number].column, row: reference.row)
            tables[entity].markPresent(number, row: reference.row)
        }
        for (number, owner) in zip(description.identityRelationships, owners) {
            guard let owner else { continue }
            tables[entity].setToOne(owner, description.properties[number].column, row: reference.row)
        }
        if key.isRow, let name = key.identity.first { tables[entity].setRowName(name, row: reference.row) }
        _ = enterIdentity(of: reference)
        return reference
    }
}
