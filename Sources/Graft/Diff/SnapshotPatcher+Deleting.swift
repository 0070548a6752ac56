// What deleted objects leave behind. The links that the diff knows of are gone by now; those that it doesn't know obey the
// delete rules.

extension SnapshotPatcher {
    /// Changes links. Objects whose deletion a delete rule denies stay, with all that they lead to; each is a conflict.
    mutating func changeAllowedLinks() throws {
        let isDenying = scope.schema.entities.contains { $0.properties.contains(where: \.isDenying) }
        guard isDenying, !deletions.isEmpty else { return try changeLinks() }
        while true {
            // What the diff's other changes leave decides.
            var attempt = self
            try attempt.changeLinks()
            let denials = attempt.denials()
            if denials.isEmpty {
                self = attempt
                return
            }
            for denial in denials {
                staying.insert(denial.row)
                report.conflicts.append(denial.conflict)
            }
            deletions.removeAll { staying.contains($0.row) }
            leaveLinksOfStaying()
        }
    }

    /// What other objects' changes say of the links of objects that stay went with the deletion.
    private mutating func leaveLinksOfStaying() {
        for index in edits.indices.reversed() {
            switch edits[index].kind {
            case .toOne(let old?, nil):
                if let end = row(of: old), staying.contains(end) { edits.remove(at: index) }
            case .toMany(var change):
                change.removed.removeAll { row(of: $0.key).map(staying.contains) ?? false }
                edits[index].kind = .toMany(change)
            case .attribute, .toOne: continue
            }
        }
    }

    /// The objects that are to go, and that a relationship with the delete rule deny keeps: one of its members isn't to go.
    private mutating func denials() -> [(row: RowReference, conflict: GraphDiff.Conflict)] {
        var rows = deletions.map(\.row)
        var gone = Set(rows)
        var next = 0
        while next < rows.count {
            rows += ownedRows(of: rows[next]).filter { gone.insert($0).inserted }
            next += 1
        }
        return rows.compactMap { row in
            for (number, property) in relationships(of: row) where property.isDenying {
                let members = ends(row, number).filter { !gone.contains($0) }
                if members.isEmpty { continue }
                let keys = members.map { key(of: $0) }.sorted()
                let conflict = GraphDiff.Conflict(
                    key(of: row), property.name, expected: .value(.nothing(property)),
                    found: .value(.links(keys, property)))
                return (row, conflict)
            }
            return nil
        }
    }

    /// What goes with an object.
    private func ownedRows(of row: RowReference) -> [RowReference] {
        relationships(of: row).filter { $0.property.isOwning }.flatMap { ends(row, $0.number) }.filter {
            !snapshot.isReference($0.entity, $0.row, scope) && !staying.contains($0)
        }
    }

    /// Follows the delete rules of all deleted objects, and of what that deletes.
    mutating func followDeleteRules() throws {
        let named = Set(deletions.map(\.row))
        var gone = named
        var pending = deletions.map(\.row)
        var next = 0
        while next < pending.count {
            let row = pending[next]
            next += 1
            deletedRows.append(row)
            if !named.contains(row) { report.cascaded.append(key(of: row)) }
            pending += ownedRows(of: row).filter { gone.insert($0).inserted }
            for (number, _) in relationships(of: row) {
                for end in ends(row, number) { unlink(row, number, end) }
            }
        }
        report.cascaded.sort()
        unlinkWithoutInverse(Set(deletedRows))
    }

    private func relationships(of row: RowReference) -> [(number: Int, property: GraphSchema.Property)] {
        scope.schema.entities[row.entity].properties.enumerated().filter {
            !$1.isAttribute && snapshot.tables[row.entity].hasValue($0, row: row.row)
        }.map { ($0, $1) }
    }

    /// Takes deleted objects out of the relationships of others that they don't know of themselves.
    private mutating func unlinkWithoutInverse(_ deleted: Set<RowReference>) {
        if deleted.isEmpty { return }
        for (entity, description) in scope.schema.entities.enumerated() {
            for (number, property) in description.properties.enumerated() {
                guard let destination = property.destination else { continue }
                let isUnknown = deleted.contains { row in
                    guard scope.schema.isEntity(row.entity, kindOf: destination) else { return false }
                    guard let inverse = property.inverse else { return true }
                    return !snapshot.tables[row.entity].hasValue(inverse, row: row.row)
                }
                if isUnknown { unlink(deleted, from: entity, number) }
            }
        }
    }

    private mutating func unlink(_ deleted: Set<RowReference>, from entity: Int, _ number: Int) {
        for row in snapshot.liveRows(of: entity) where snapshot.tables[entity].hasValue(number, row: row) {
            let reference = RowReference(entity: entity, row: row)
            for end in ends(reference, number) where deleted.contains(end) { unlink(reference, number, end) }
        }
    }

    // MARK: Limits

    /// The limits that the deletions exceed. Deleted objects count as those of their own entity, and of all that it inherits from.
    ///
    /// - Parameter total: How many objects of an entity there were, with those of its sub-entities.
    func exceededLimits(
        _ options: GraphDiff.ApplyingOptions, total: (Int) throws -> Int
    ) rethrows -> [ExceededDeletionLimit] {
        let limits = [options.deletionLimit, options.deletionCeiling].compactMap(\.self)
        if limits.isEmpty || deletedRows.isEmpty { return [] }
        return try scope.schema.entities.enumerated().compactMap { number, entity in
            let deleted = deletedRows.count { scope.schema.isEntity($0.entity, kindOf: number) }
            if deleted == 0 { return nil }
            let count = try total(number)
            let allowed = limits.allowed(of: count)
            if deleted <= allowed { return nil }
            return ExceededDeletionLimit(entity: entity.name, deleted: deleted, total: count, allowed: allowed)
        }
    }

    /// Takes the rows of deleted objects out of the snapshot.
    mutating func removeDeleted() {
        if deletedRows.isEmpty { return }
        let deleted = Set(deletedRows)
        for row in deletedRows { snapshot.remove(row) }
        snapshot.roots = snapshot.roots.filter { !deleted.contains(snapshot.resolved($0)) }
    }
}
