// Uniqueness constraints that both sides respect and their combination breaks. Only what a side changed or inserted is looked
// at, against all objects of the merged graph.

extension Merger {
    /// Settles the constraints that are broken in a merged graph; the values are in `overrides`.
    mutating func settleUniqueness(_ merged: GraphSnapshot) throws {
        for (entity, description) in scope.schema.entities.enumerated() {
            for constraint in description.uniqueness where constraint != description.identity {
                // A constraint is checked where it is declared, for all sub-entities together.
                if let parent = description.parent, scope.schema.entities[parent].uniqueness.contains(constraint) {
                    continue
                }
                for pair in brokenPairs(constraint, entity, merged) { settle(pair, constraint, entity, merged) }
            }
        }
    }

    private struct Pair {
        var ours: (key: ObjectKey, row: RowReference)
        var theirs: (key: ObjectKey, row: RowReference)
    }

    private func brokenPairs(_ constraint: [Int], _ entity: Int, _ merged: GraphSnapshot) -> [Pair] {
        let names = constraint.map { scope.schema.entities[entity].properties[$0].name }
        guard touches(names, entity, ours), touches(names, entity, theirs) else { return [] }
        let columns = constraint.map { scope.schema.entities[entity].properties[$0].column }
        var rows: [[ExactValue]: [RowReference]] = [:]
        for number in entity..<scope.schema.entities[entity].end {
            for row in merged.liveRows(of: number) {
                let values = columns.map { merged.tables[number].value($0, row: row) }
                if values.contains(where: \.isNull) { continue }
                rows[values.map(ExactValue.init), default: []].append(RowReference(entity: number, row: row))
            }
        }
        var pairs: [Pair] = []
        for group in rows.values where group.count > 1 {
            let named = group.map { (key: key(of: $0, merged), row: $0) }.sorted { $0.key < $1.key }
            for (index, one) in named.enumerated() {
                for other in named[(index + 1)...] {
                    if let pair = pair(of: one, and: other, names, merged) { pairs.append(pair) }
                }
            }
        }
        return pairs.sorted { ($0.ours.key, $0.theirs.key) < ($1.ours.key, $1.theirs.key) }
    }

    /// The pair, where the first object owes its values to our side and the second one to the other.
    private func pair(
        _ one: (key: ObjectKey, row: RowReference), _ other: (key: ObjectKey, row: RowReference), _ names: [String]
    ) -> Pair? {
        touches(names, one.key, ours) && touches(names, other.key, theirs) ? Pair(ours: one, theirs: other) : nil
    }

    /// The pair of two objects that owe their values to different sides.
    ///
    /// Where both sides touched both, their versions say whose the values are: the result is the same with the sides swapped.
    private func pair(
        of one: (key: ObjectKey, row: RowReference), and other: (key: ObjectKey, row: RowReference), _ names: [String],
        _ merged: GraphSnapshot
    ) -> Pair? {
        guard let pair = pair(one, other, names) else { return self.pair(other, one, names) }
        guard let swapped = self.pair(other, one, names) else { return pair }
        func has(_ side: Side, _ name: String, _ object: (key: ObjectKey, row: RowReference)) -> Int {
            version(End(key: object.key, name: name), side) == version(name, of: object.row, merged) ? 1 : 0
        }
        for name in names {
            let ourPart = has(ours, name, one) - has(theirs, name, one)
            let theirPart = has(ours, name, other) - has(theirs, name, other)
            if ourPart != theirPart { return ourPart > theirPart ? pair : swapped }
        }
        return pair
    }

    /// The version of an attribute in the merged graph.
    private func version(_ name: String, of row: RowReference, _ merged: GraphSnapshot) -> GraphMerge.Conflict.Version {
        guard let property = scope.schema.entities[row.entity].property(name) else { return .noObject }
        return .value(.attribute(merged.tables[row.entity].value(property.column, row: row.row)))
    }

    private func touches(_ names: [String], _ key: ObjectKey, _ side: Side) -> Bool {
        side.inserted[key] != nil || names.contains { side.changed[key]?[$0] != nil } || isKept(key, by: side)
    }

    /// Whether an object is still there because of a side: the other one deleted it.
    private func isKept(_ key: ObjectKey, by side: Side) -> Bool {
        kept.contains(key) && !side.deletedAtFirst.contains(key)
    }

    private func touches(_ names: [String], _ entity: Int, _ side: Side) -> Bool {
        func isKind(_ key: ObjectKey) -> Bool {
            scope.schema.number(ofEntity: key.entity).map { scope.schema.isEntity($0, kindOf: entity) } ?? false
        }
        return side.inserted.keys.contains(where: isKind) || kept.contains { isKind($0) && isKept($0, by: side) }
            || side.changed.contains { key, _ in isKind(key) && touches(names, key, side) }
    }

    private mutating func settle(_ pair: Pair, _ constraint: [Int], _ entity: Int, _ merged: GraphSnapshot) {
        let property = scope.schema.entities[entity].properties[constraint[0]]
        let (row, otherRow) = (pair.ours.row, pair.theirs.row)
        func version(_ row: RowReference) -> GraphMerge.Conflict.Version {
            .value(.attribute(merged.tables[row.entity].value(property.column, row: row.row)))
        }
        // The conflict is the same as the other side sees it.
        let baseVersion = baseRow(of: min(pair.ours.key, pair.theirs.key)).map { row in
            GraphMerge.Conflict.Version.value(.attribute(base.tables[row.entity].value(property.column, row: row.row)))
        }
        let conflict = GraphMerge.Conflict(
            .uniqueness, pair.ours.key, property.name, other: pair.theirs.key, base: baseVersion ?? .noObject,
            ours: version(row), theirs: version(otherRow))
        let known = overrides
        let (choice, isAsked) = settleOnce(conflict)
        switch choice {
        case .ours: takeBack(constraint, of: pair.theirs.key, otherRow)
        case .theirs: takeBack(constraint, of: pair.ours.key, row)
        case .value(let value) where !isAsked:
            overrides[End(key: pair.ours.key, name: property.name)] = value
        case .value, .base, nil:
            takeBack(constraint, of: pair.ours.key, row)
            takeBack(constraint, of: pair.theirs.key, otherRow)
        }
        // What was chosen is done, and the two are still alike, or alike again.
        if case .value? = choice, isAsked { return leave(conflict) }
        if choice != nil, isAsked, overrides == known { leave(conflict) }
    }

    /// Gives an object the values that it had before; one that is new has none.
    private mutating func takeBack(_ constraint: [Int], of key: ObjectKey, _ row: RowReference) {
        let before = baseRow(of: key)
        for number in constraint {
            let property = scope.schema.entities[row.entity].properties[number]
            if scope.schema.entities[row.entity].identityAttributes.contains(number) { continue }
            let value = before.map { base.tables[$0.entity].value(property.column, row: $0.row) } ?? .null
            overrides[End(key: key, name: property.name)] = value
        }
    }
}
