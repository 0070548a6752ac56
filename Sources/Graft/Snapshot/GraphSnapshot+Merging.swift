// One object, one row: what becomes of a row whose identity another row has already. What was read later wins.

extension GraphSnapshot {
    /// Gives a complete row its place: the first row with an identity stays, and a later one is merged into it.
    ///
    /// - Parameters:
    ///   - reference: The row, fully read.
    ///   - columns: The columns of its identity.
    ///   - isLinked: Whether something may lead to the row already.
    ///   - saysMore: Whether it is more than a reference, whatever it says yet.
    /// - Returns: The row that stands for the object from now on.
    @inline(__always)
    mutating func settle(
        _ reference: RowReference, identity columns: [Int], space: Int, isLinked: Bool = false, saysMore: Bool = false
    ) -> RowReference {
        guard !keepsRepeatedRows,
            let hash = identityHash(entity: reference.entity, row: reference.row, columns: columns)
        else { return reference }
        var settled = reference
        if let known = row(sharing: reference, hash: hash, columns: columns, space: space) {
            settled = merge(reference, into: known, hash: hash, space: space, isLinked: isLinked)
        } else {
            indexes[space].insert(reference, hash: hash)
        }
        return kinds.isEmpty ? settled : settleSiblings(of: settled, hash: hash, space: space, saysMore: saysMore)
    }

    /// Merges rows that were kept apart (`keepsRepeatedRows`), in the order of the text, each into the first one of its object.
    mutating func mergeRepeatedRows() {
        keepsRepeatedRows = false
        for space in indexes.indices { indexes[space].removeAll() }
        for row in allRows.sorted(by: { tables[$0.entity].ends[$0.row] < tables[$1.entity].ends[$1.row] }) {
            let entity = schema.entities[row.entity]
            _ = settle(row, identity: entity.identityColumns, space: entity.identitySpace, isLinked: true)
        }
        settleRelatedRows()
        (earlier, times) = ([], [:])
    }

    @inline(__always)
    private func row(sharing reference: RowReference, hash: UInt64, columns: [Int], space: Int) -> RowReference? {
        indexes[space].first(hash) { candidate in
            candidate != reference && hasSameIdentity(candidate, reference, columns: columns)
                && schema.isEntity(candidate.entity, relatedTo: reference.entity)
                // What comes after an object's end is another object.
                && !tables[candidate.entity].flags[candidate.row].contains(.gone)
        }
    }

    /// Merges two rows of one object. The object is of the more special entity of the two.
    mutating func merge(
        _ new: RowReference, into old: RowReference, hash: UInt64?, space: Int, isLinked: Bool = false
    ) -> RowReference {
        if isOutdated(new, by: old) {
            if isLinked { forward(new, to: old) } else { drop(new) }
            return old
        }
        if !claims.isEmpty { noteNaming(new, of: old) }
        if schema.hasRelatedIdentities {
            let stays = schema.isEntity(old.entity, kindOf: new.entity) ? old : new
            claimMembers(of: old, for: stays)
            claimMembers(of: new, for: stays)
        }
        if schema.isEntity(old.entity, kindOf: new.entity) {
            moveValues(of: new, to: old, replacing: true)
            tables[old.entity].stamps[old.row] &+= 1
            mergeCount &+= 1
            if isLinked { forward(new, to: old) } else { drop(new) }
            return old
        }
        moveValues(of: old, to: new, replacing: false)
        mergeCount &+= 1
        forward(old, to: new)
        if let hash { indexes[space].replace(old, by: new, hash: hash) }
        return new
    }

    /// Whether a row has its object's version, or a lower one than an earlier row: then it is left alone, as it is where that is stored.
    mutating func isOutdated(_ new: RowReference, by old: RowReference) -> Bool {
        guard !versions.isEmpty, let number = versions[new.entity], versions[old.entity] == number else { return false }
        let column = schema.entities[new.entity].properties[number].column
        let version = tables[new.entity].value(column, row: new.row)
        let before = tables[old.entity].value(column, row: old.row)
        if version.isNull != before.isNull, saysMoreThanIdentity(version.isNull ? new : old) { versionMixCount += 1 }
        guard version.isOutdated(by: before) else {
            // What the new one doesn't replace counts only where the store's version is lower than the old one's.
            if version.isLater(than: before), saysMore(old, than: new) { versionMixCount += 1 }
            return false
        }
        hasOutdatedRows = true
        return true
    }

    /// Whether a row says something, besides its identity, that another row of the same object says nothing of.
    private func saysMore(_ row: RowReference, than other: RowReference) -> Bool {
        let entity = schema.entities[row.entity]
        let common = schema.commonPropertyCount(row.entity, other.entity)
        return entity.properties.indices.contains {
            tables[row.entity].hasValue($0, row: row.row)
                && !($0 < common && tables[other.entity].hasValue($0, row: other.row))
                && !entity.identity.contains($0) && !entity.relatedIdentity.contains($0)
        }
    }

    func saysMoreThanIdentity(_ row: RowReference) -> Bool {
        let entity = schema.entities[row.entity]
        return entity.properties.indices.contains {
            tables[row.entity].hasValue($0, row: row.row) && !entity.identityParts.contains($0)
        }
    }

    /// The row of the object with an identity that consists of one attribute; a new one where there is none yet.
    mutating func row(
        withIdentity value: GraphValue, property: Int, column: Int, entity: Int, space: Int, offset: Int
    ) -> RowReference {
        var hash = IdentityHash()
        hash.combine(value)
        let known = row(hash.value, value, column, entity, space)
        if let known, schema.isEntity(known.entity, kindOf: entity) { return known }
        let reference = RowReference(entity: entity, row: tables[entity].appendRow(offset: offset))
        tables[entity].setValue(value, column, row: reference.row)
        tables[entity].markPresent(property, row: reference.row)
        if let known { return merge(reference, into: known, hash: hash.value, space: space) }
        indexes[space].insert(reference, hash: hash.value)
        return reference
    }

    /// The row with an identity. What comes after an object's end is another object.
    @inline(__always)
    private func row(
        _ hash: UInt64, _ value: GraphValue, _ column: Int, _ entity: Int, _ space: Int
    ) -> RowReference? {
        indexes[space].first(hash) { candidate in
            tables[candidate.entity].value(column, row: candidate.row).isSameIdentity(as: value)
                && schema.isEntity(candidate.entity, relatedTo: entity)
                && !tables[candidate.entity].flags[candidate.row].contains(.gone)
        }
    }

    /// Copies what is present in one row to another one of the same or a related entity, whose properties begin the same.
    mutating func moveValues(of source: RowReference, to target: RowReference, replacing: Bool) {
        let common = schema.commonPropertyCount(source.entity, target.entity)
        for (number, property) in schema.entities[source.entity].properties.prefix(common).enumerated() {
            guard tables[source.entity].hasValue(number, row: source.row) else { continue }
            let column = property.column
            if !property.isAttribute {
                moveLink(number, property, of: source, to: target, replacing: replacing)
                continue
            }
            if !replacing, tables[target.entity].hasValue(number, row: target.row) { continue }
            tables[target.entity].markPresent(number, row: target.row)
            let value = tables[source.entity].value(column, row: source.row)
            tables[target.entity].setValue(value, column, row: target.row)
        }
        let name = tables[source.entity].rowName(source.row)
        if !name.isNull { tables[target.entity].setRowName(name, row: target.row) }
        tables[target.entity].flags[target.row].formUnion(tables[source.entity].flags[source.row])
    }

    /// Lets go of nested rows without identity to which nothing leads any more, because their owner was read again with others, or what
    /// they have is the object's around.
    mutating func dropReplacedRows() {
        if earlier.isEmpty, !hasOutdatedRows, !hasOverruledRows { return }
        var ends: [RowReference: [RowReference]] = [:]
        for statement in earlierStatements() where !statement.isReplaced {
            ends[statement.cell.row, default: []] += statement.members.indices.map { resolved(members[$0]) }
        }
        dropUnreachedRows { snapshot, row in
            let relationships = snapshot.schema.entities[row.entity].properties.enumerated().filter {
                !$1.isAttribute && snapshot.tables[row.entity].hasValue($0, row: row.row)
            }
            return relationships.flatMap { snapshot.destinations(of: row, $1) } + (ends[row] ?? [])
        }
    }

    /// Lets go of rows without identity to which nothing leads.
    ///
    /// - Parameters:
    ///   - starts: Rows that stand for themselves, besides those at the top and those with an identity.
    ///   - ends: What a row leads to.
    mutating func dropUnreachedRows(
        from starts: [RowReference] = [], _ ends: (GraphSnapshot, RowReference) -> [RowReference]
    ) {
        let identified = allRows.filter { row in
            let columns = schema.entities[row.entity].identityColumns
            return !tables[row.entity].flags[row.row].isDisjoint(with: [.root, .gone])
                || !tables[row.entity].rowName(row.row).isNull
                || identityHash(entity: row.entity, row: row.row, columns: columns) != nil
                || hasRelatedIdentity(row)
        }
        for row in rows(unreachedFrom: starts + identified, ends) { remove(row) }
        relatedRows.removeAll { tables[$0.reference.entity].flags[$0.reference.row].contains(.dead) }
    }

    /// The rows to which nothing leads from some others.
    func rows(
        unreachedFrom starts: [RowReference], _ ends: (GraphSnapshot, RowReference) -> [RowReference]
    ) -> [RowReference] {
        var (pending, reached) = (starts, Set(starts))
        while let row = pending.popLast() {
            for end in ends(self, row) where !end.isNone && reached.insert(end).inserted { pending.append(end) }
        }
        return allRows.filter { !reached.contains($0) }
    }

    /// Takes away a row to which nothing refers.
    private mutating func drop(_ reference: RowReference) {
        // The next row may get its number.
        for number in schema.entities[reference.entity].properties.indices where !removals.isEmpty {
            removals[Cell(row: reference, property: number)] = nil
        }
        if reference.row == tables[reference.entity].count - 1 {
            tables[reference.entity].removeLastRow()
        } else {
            tables[reference.entity].flags[reference.row] = .dead
        }
    }

    /// Replaces a row by another one for everything that refers to it.
    mutating func forward(_ old: RowReference, to new: RowReference) {
        tables[old.entity].flags[old.row] = .dead
        // What was read as this row has to be merged when it comes again: the other one may have got something else meanwhile.
        tables[old.entity].stamps[old.row] &+= 1
        forwards[old] = new
    }
}
