// What the model demands, each side respects and the combination breaks: the last member of a mandatory relationship, each side
// having removed another one; the place in a one-to-one relationship that both gave away. Who settles such a conflict for a side
// gets that side's value, made on top of the merged graph. Where that side doesn't have the object, the other one's insertion of it is
// taken back, and the graph is merged anew without it.

extension Merger {
    /// Settles what the model doesn't allow in a merged graph, and returns the graph with what was chosen.
    ///
    /// - Throws: ``GraftError`` for diffs of another model.
    mutating func settleRules(_ merged: SnapshotPatcher) throws -> GraphSnapshot {
        var patcher = merged
        var seen: Set<End> = []
        while true {
            let broken = patcher.violations(since: base).filter { !isOwnedUp($0, patcher.snapshot) }
            let changes = broken.compactMap { violation -> ObjectChange? in
                let end = end(violation, patcher.snapshot)
                if withdrawn.contains(end.key) { return nil }
                // What is left to settle already says so.
                if leftEnds.contains(end) { return nil }
                guard seen.insert(end).inserted else {
                    // The version that was chosen isn't there any more.
                    leave(conflict(at: end))
                    return nil
                }
                guard let version = settledVersion(conflict(at: end)) else { return nil }
                if version == .noObject, ours.inserted[end.key] != nil || theirs.inserted[end.key] != nil {
                    withdrawn.insert(end.key)
                    return nil
                }
                guard let change = change(of: violation, to: version, patcher.snapshot), !change.kind.isEmpty else {
                    leave(conflict(at: end))
                    return nil
                }
                return ObjectChange(end.key, [change])
            }
            if changes.isEmpty { return patcher.snapshot }
            // Several properties of one object are one change.
            let changed = Dictionary(grouping: changes, by: \.key).map { ObjectChange($0, $1.flatMap(\.properties)) }
            patcher = try applied(GraphDiff(changed: changed), to: patcher.snapshot)
        }
    }

    private func conflict(at end: End) -> GraphMerge.Conflict {
        GraphMerge.Conflict(
            .rule, end.key, end.name, base: version(end, nil), ours: version(end, ours), theirs: version(end, theirs))
    }

    /// The version of a property that is chosen; nil where the conflict is left.
    private mutating func settledVersion(_ conflict: GraphMerge.Conflict) -> GraphMerge.Conflict.Version? {
        switch settle(conflict) {
        case .ours: conflict.ours
        case .theirs: conflict.theirs
        case .base: conflict.base
        case .value(let value): .value(.attribute(value))
        case nil: nil
        }
    }

    private func end(_ violation: RuleViolation, _ snapshot: GraphSnapshot) -> End {
        let entity = scope.schema.entities[violation.row.entity]
        return End(key: key(of: violation.row, snapshot), name: entity.properties[violation.number].name)
    }

    /// Whether one side has the property just so: then it isn't the combination that breaks the rule.
    private func isOwnedUp(_ violation: RuleViolation, _ snapshot: GraphSnapshot) -> Bool {
        let end = end(violation, snapshot)
        let found = GraphMerge.Conflict.Version.value(value(violation.number, of: violation.row, snapshot))
        return version(end, ours) == found || version(end, theirs) == found
    }

    /// What a side, or without one the base, has of a property.
    func version(_ end: End, _ side: Side?) -> GraphMerge.Conflict.Version {
        guard let entity = scope.schema.number(ofEntity: end.key.entity),
            let number = scope.schema.entities[entity].number(ofProperty: end.name)
        else { return .noObject }
        let property = scope.schema.entities[entity].properties[number]
        if let contents = side?.inserted[end.key] { return .value(contents[end.name] ?? .nothing(property)) }
        guard let row = baseRow(of: end.key), side?.deletedAtFirst.contains(end.key) != true else { return .noObject }
        switch side?.changed[end.key]?[end.name] {
        case .attribute(_, let new)?: return .value(.attribute(new))
        case .toOne(_, let new)?: return .value(.toOne(new))
        case .toMany(let change)?:
            let members = change.applied(to: baseMembers(of: end.key, end.name), isOrdered: property.isOrdered)
            return .value(.links(members, property))
        case nil: return .value(value(number, of: row, base))
        }
    }

    private func value(_ number: Int, of row: RowReference, _ snapshot: GraphSnapshot) -> PropertyValue {
        let property = scope.schema.entities[row.entity].properties[number]
        if property.isAttribute { return .attribute(snapshot.tables[row.entity].value(property.column, row: row.row)) }
        return .links(snapshot.uniqueDestinations(of: row, property).map { key(of: $0, snapshot) }, property)
    }

    /// The key of an object of a merged graph; one without identity has the key that its side's diff gives it.
    func key(of row: RowReference, _ snapshot: GraphSnapshot) -> ObjectKey {
        snapshot.identityKey(of: row) ?? insertedKeys[row] ?? baseKey(of: row)
    }

    /// What makes the chosen version of a property out of what it is; nil where nothing does.
    private func change(
        of violation: RuleViolation, to wanted: GraphMerge.Conflict.Version, _ snapshot: GraphSnapshot
    ) -> PropertyChange? {
        let name = scope.schema.entities[violation.row.entity].properties[violation.number].name
        guard case .value(let new) = wanted else { return nil }
        let old = value(violation.number, of: violation.row, snapshot)
        return PropertyChange.Kind(from: old, to: new.leading { !gone.contains($0) }).map { PropertyChange(name, $0) }
    }
}
