// An answer that isn't whole: JSON that says something of some objects. It means what it would mean to an import.

extension GraphSnapshot {
    /// The state with what an answer says of some objects, and without those that it says are gone, or whose owner has them no more.
    ///
    /// - Throws: ``GraftError``, for instance with `invalidMapping` for objects that nothing tells apart.
    func adding(_ answer: GraphSnapshot, _ options: DiffOptions) throws -> GraphSnapshot {
        var answer = answer
        answer.leaveOutOutdated(by: self, try DiffScope(schema, options))
        var diff = try GraphDiff(from: self, to: answer, options: options)
        let gone = try keysOfGone(in: answer, diff.identification).union(diff.keysOfGivenUp(schema))
        diff.deleted.removeAll { !gone.contains($0.key) }
        return try applyingUnchecked(diff, options: GraphDiff.ApplyingOptions(conflicts: .force, diff: options))
    }

    /// The keys of the objects that an answer says are gone. They may be of a sub-entity of what it calls them.
    private func keysOfGone(
        in answer: GraphSnapshot, _ identification: GraphDiff.Identification
    ) throws -> Set<ObjectKey> {
        let (known, answer) = try (identified(by: identification), answer.identified(by: identification))
        let index = RelatedIndex(known)
        let rows = answer.goneRows.compactMap { answer.identityKey(of: $0) }.compactMap { index.row(of: $0, in: known) }
        return Set(rows.compactMap { known.identityKey(of: $0) })
    }

    /// Lets the records whose version another state has already, or a later one, say nothing of their objects.
    private mutating func leaveOutOutdated(by known: GraphSnapshot, _ scope: DiffScope) {
        if versions.isEmpty { return }
        let counterparts = RowMatching(identitiesOf: self, in: known, scope).toNew
        var outdated: [RowReference] = []
        for (entity, version) in versions.enumerated() {
            guard let version else { continue }
            let column = schema.entities[entity].properties[version].column
            for row in liveRows(of: entity) where !tables[entity].flags[row].contains(.gone) {
                let other = counterparts[entity][row]
                if other.isNone || version >= schema.commonPropertyCount(entity, other.entity) { continue }
                let stored = known.tables[other.entity].value(column, row: other.row)
                if tables[entity].value(column, row: row).isOutdated(by: stored) {
                    outdated.append(RowReference(entity: entity, row: row))
                }
            }
        }
        if outdated.isEmpty { return }
        for row in outdated { reduceToIdentity(row) }
        dropUnreached()
    }
}

extension GraphDiff {
    /// The objects without identity that their owners have no more.
    fileprivate func keysOfGivenUp(_ schema: GraphSchema) -> [ObjectKey] {
        changed.flatMap { change in
            change.properties.flatMap { property -> [ObjectKey] in
                guard schema.property(property.name, of: change.key)?.isOwning ?? false else { return [] }
                return switch property.kind {
                case .attribute: []
                case .toOne(let old, _): old.map { [$0] } ?? []
                case .toMany(let members): members.removed.map(\.key)
                }
            }
        }.filter { $0.position != nil }
    }
}
