// Identities that include a relationship: an own key and the owner's (lines of an order, pages of a book). Which owner is
// known only when everything around an object has been read, so these rows are settled at the end of a batch: owners
// first, because the identity of one may hang on its own owner.

extension GraphSnapshot {
    /// A row whose identity includes relationships, with the number of such rows above it.
    struct RelatedRow: Sendable {
        var reference: RowReference
        var level: Int
    }

    /// Gives nested rows their owners, and merges those of one identity.
    ///
    /// - Returns: A row that was merged with another one; nil where none was.
    @discardableResult
    mutating func settleRelatedRows() -> RowReference? {
        relatedRows.removeAll()
        var merged: RowReference?
        let entities = schema.entities.indices.filter {
            !schema.entities[$0].relatedIdentity.isEmpty && tables[$0].count > 0
        }
        if entities.isEmpty { return nil }
        takeOwnersFromNesting()
        var levels: [RowReference: Int] = [:]
        var known: [RelatedKey: [RowReference]] = [:]
        for entity in entities {
            for row in 0..<tables[entity].count where !tables[entity].flags[row].contains(.dead) {
                let last = settle(RowReference(entity: entity, row: row), &levels, &known)
                merged = merged ?? last
            }
        }
        if merged != nil {
            relatedRows.removeAll { tables[$0.reference.entity].flags[$0.reference.row].contains(.dead) }
        }
        return merged
    }

    /// Settles rows that stand for different objects.
    ///
    /// - Throws: ``GraftError`` with `duplicateIdentity` where two of them have the same identity.
    mutating func settleDistinctRelatedRows() throws {
        guard let row = settleRelatedRows() else { return }
        let identity = identityKey(of: row)?.description ?? identity(of: row).words
        throw GraftError(.duplicateIdentity(identity), at: .init(entity: schema.entities[row.entity].name))
    }

    /// Settles a row after those that its identity hangs on; returns one of them that was merged with another one.
    private mutating func settle(
        _ row: RowReference, _ levels: inout [RowReference: Int], _ known: inout [RelatedKey: [RowReference]]
    ) -> RowReference? {
        var merged: RowReference?
        var stack = [row]
        var isOpen: Set<RowReference> = []
        while let reference = stack.last {
            if levels[reference] != nil {
                stack.removeLast()
                continue
            }
            let owners = relatedOwners(of: reference)
            // A row that hangs on itself in the end is settled as if it had no owner.
            let waiting = owners.filter {
                levels[$0] == nil && !isOpen.contains($0) && isRelated($0) && $0 != reference
            }
            if isOpen.insert(reference).inserted, !waiting.isEmpty {
                stack += waiting
                continue
            }
            stack.removeLast()
            let level = (owners.compactMap { levels[$0] }.max() ?? -1) + 1
            levels[reference] = level
            guard let key = relatedKey(of: reference) else { continue }
            // What comes after an object's end is another object.
            let same = known[key]?.firstIndex {
                schema.isEntity($0.entity, relatedTo: reference.entity)
                    && !tables[$0.entity].flags[$0.row].contains(.gone)
            }
            guard let same, let first = known[key]?[same] else {
                known[key, default: []].append(reference)
                relatedRows.append(RelatedRow(reference: reference, level: level))
                continue
            }
            let isOutdated = isOutdated(reference, by: first)
            mergeCount &+= 1
            // The object is of the more special entity of the two.
            if schema.isEntity(first.entity, kindOf: reference.entity) {
                if !isOutdated { moveValues(of: reference, to: first, replacing: true) }
                forward(reference, to: first)
                merged = first
            } else {
                moveValues(of: first, to: reference, replacing: isOutdated)
                forward(first, to: reference)
                known[key]?[same] = reference
                relatedRows.append(RelatedRow(reference: reference, level: level))
                merged = reference
            }
        }
        return merged
    }

    private func isRelated(_ reference: RowReference) -> Bool {
        !schema.entities[reference.entity].relatedIdentity.isEmpty
    }

    /// The rows that a row's identity hangs on.
    private func relatedOwners(of reference: RowReference) -> [RowReference] {
        let entity = schema.entities[reference.entity]
        return entity.relatedIdentity.compactMap { part in
            guard case .toOne = entity.properties[part].kind else { return nil }
            let owner = tables[reference.entity].toOne(entity.properties[part].column, row: reference.row)
            return owner.isNone ? nil : resolved(owner)
        }
    }

    /// What identifies a row; nil where an attribute of it is missing, or there is nothing that it hangs on.
    func relatedKey(of reference: RowReference) -> RelatedKey? {
        let entity = schema.entities[reference.entity]
        var key = RelatedKey(space: entity.identitySpace)
        for part in entity.relatedIdentity {
            let column = entity.properties[part].column
            if entity.properties[part].isAttribute {
                let value = tables[reference.entity].value(column, row: reference.row)
                if value.isNull { return nil }
                key.values.append(ExactValue(value))
            } else {
                let owner = tables[reference.entity].toOne(column, row: reference.row)
                key.owners.append(owner.isNone ? owner : resolved(owner))
            }
        }
        return key.values.isEmpty && key.owners.allSatisfy(\.isNone) ? nil : key
    }

    /// Whether a row has an identity that includes relationships, and who it hangs on is said, be it by its place.
    func hasRelatedIdentity(_ row: RowReference) -> Bool {
        if schema.entities[row.entity].relatedIdentity.isEmpty || relatedKey(of: row) == nil { return false }
        return unsaidOwners(of: row).isEmpty
    }

    /// The relationships of a row's identity of which neither the row nor its place says anything.
    func unsaidOwners(of row: RowReference) -> [Int] {
        let entity = schema.entities[row.entity]
        return entity.relatedIdentity.filter { part in
            !entity.properties[part].isAttribute && !tables[row.entity].hasValue(part, row: row.row)
                && tables[row.entity].toOne(entity.properties[part].column, row: row.row).isNone
        }
    }

    /// What rows of one object have in common: the identity and the rows of its owners.
    typealias RelatedKey = OwnedIdentity<RowReference>

    /// Lets rows that are nested in their owner, and say nothing of it, hang on it.
    mutating func takeOwnersFromNesting() {
        for entity in schema.entities.indices where !schema.ownedRelationships[entity].isEmpty {
            for row in 0..<tables[entity].count where !tables[entity].flags[row].contains(.dead) {
                let owner = RowReference(entity: entity, row: row)
                claimMembers(of: owner, for: owner)
            }
        }
    }

    /// Lets the rows nested in a row hang on an owner. Only their identity knows of it: whether they are linked is up to the
    /// owner's relationship.
    mutating func claimMembers(of row: RowReference, for owner: RowReference) {
        for owned in schema.ownedRelationships[row.entity] where tables[row.entity].hasValue(owned.number, row: row.row)
        {
            let column = schema.entities[row.entity].properties[owned.number].column
            if schema.entities[row.entity].properties[owned.number].isToMany {
                for index in tables[row.entity].toMany(column, row: row.row).indices {
                    claim(resolved(members[index]), owned, for: owner)
                }
                // Those to remove are named as those to add are.
                let removed = removals[Cell(row: row, property: owned.number)] ?? .empty
                for index in removed.indices { claim(resolved(members[index]), owned, for: owner) }
            } else {
                let end = tables[row.entity].toOne(column, row: row.row)
                if !end.isNone { claim(resolved(end), owned, for: owner) }
            }
        }
    }

    /// Lets a member of a relationship hang on its owner, where its identity includes that.
    mutating func claim(_ member: RowReference, _ number: Int, for owner: RowReference) {
        for owned in schema.ownedRelationships[owner.entity] where owned.number == number {
            claim(member, owned, for: owner)
        }
    }

    private mutating func claim(_ member: RowReference, _ owned: GraphSchema.OwnedRelationship, for owner: RowReference)
    {
        guard schema.isEntity(member.entity, kindOf: owned.destination),
            !tables[member.entity].hasValue(owned.part, row: member.row)
        else { return }
        let column = schema.entities[member.entity].properties[owned.part].column
        tables[member.entity].setToOne(owner, column, row: member.row)
    }
}

/// An identity that includes owners.
struct OwnedIdentity<Owner: Hashable>: Hashable {
    /// The entity in whose objects it is unique.
    var space: Int
    var values: [ExactValue] = []
    var owners: [Owner] = []
}

extension OwnedIdentity: Sendable where Owner: Sendable {}
