// A snapshot in another schema: of the same model with its properties in another order, or of a later version of the model.

extension GraphSnapshot {
    /// The same objects in another schema of their model.
    ///
    /// - Throws: ``GraftError`` with `modelMismatch` and the reason where the models differ.
    func inOrder(of schema: GraphSchema, orFailAs reason: String) throws -> GraphSnapshot {
        if self.schema == schema { return self }
        guard let match = SchemaMatch(sameModel: self.schema, schema) else {
            throw GraftError(.modelMismatch(reason: reason))
        }
        return try carried(match)
    }

    /// The objects as the other side of a match has them. What has no place there is left out.
    ///
    /// - Parameter defaults: By entity and property of the new schema, what objects have that had nothing to be kept.
    /// - Throws: ``GraftError`` with `duplicateIdentity` where the new schema's identities don't tell them apart; with `tooLarge`.
    func carried(
        _ match: SchemaMatch, defaults: (_ entity: Int, _ property: Int) -> GraphValue = { _, _ in .null }
    ) throws -> GraphSnapshot {
        var result = GraphSnapshot(match.new)
        (result.absence, result.rounding) = (absence, rounding)
        result.lineage = lineage.map { lineage in lineage.renamed { match.newName(ofEntity: $0) } }
        // Rows keep their numbers.
        for (number, entity) in match.entities.enumerated() {
            guard let entity else { continue }
            for row in 0..<tables[entity].count {
                _ = result.tables[number].appendRow(offset: tables[entity].offsets[row])
                result.tables[number].flags[row] = tables[entity].flags[row]
                let name = tables[entity].rowName(row)
                if !name.isNull { result.tables[number].setRowName(name, row: row) }
            }
        }
        for (number, entity) in match.entities.enumerated() {
            guard let entity else { continue }
            for (property, old) in match.properties[number].enumerated() {
                let column = old.map { Column(entity: entity, property: $0) }
                let standard = defaults(number, property)
                for row in 0..<result.tables[number].count {
                    let cell = Cell(row: RowReference(entity: number, row: row), property: property)
                    try result.fill(cell, from: column, of: self, match, standard)
                }
            }
        }
        result.roots = roots.compactMap(match.moved)
        result.forwards = Dictionary(
            forwards.compactMap { row, end in match.moved(row).flatMap { row in match.moved(end).map { (row, $0) } } }
        ) { first, _ in first }
        for (cell, removed) in removals.sorted(by: { $0.key < $1.key }) {
            guard let row = match.moved(cell.row),
                let number = match.properties[row.entity].firstIndex(of: cell.property)
            else { continue }
            result.removals[Cell(row: row, property: number)] = try result.appendMembers(
                removed.indices.compactMap { match.moved(resolved(members[$0])) })
        }
        for row in result.allRows where !result.tables[row.entity].flags[row.row].contains(.gone) {
            try result.enterDistinctIdentity(of: row)
        }
        try result.settleDistinctRelatedRows()
        return result
    }

    /// - Parameter column: What the property was; nil where it is new.
    private mutating func fill(
        _ cell: Cell, from column: Column?, of source: GraphSnapshot, _ match: SchemaMatch, _ standard: GraphValue
    ) throws {
        let (entity, row) = (cell.row.entity, cell.row.row)
        let property = schema.entities[entity].properties[cell.property]
        let old = column.map { source.schema.entities[$0.entity].properties[$0.property] }
        if let column, source.tables[column.entity].hasValue(column.property, row: row) {
            tables[entity].markPresent(cell.property, row: row)
        }
        let reference = column.map { RowReference(entity: $0.entity, row: row) } ?? .none
        if property.isAttribute {
            var value = old.map { source.value($0, of: reference) } ?? .null
            let isFilled = old == nil || !property.isOptional
            if value.isNull, isFilled, !tables[entity].flags[row].isDisjoint(with: [.root, .whole]) {
                value = standard
                if !value.isNull { tables[entity].markPresent(cell.property, row: row) }
            }
            return tables[entity].setValue(value, property.column, row: row)
        }
        guard let old, let destination = property.destination else { return }
        let ends = source.destinations(of: reference, old).compactMap(match.moved)
            .filter { schema.isEntity($0.entity, kindOf: destination) }
        if property.isToMany {
            tables[entity].setToMany(try appendMembers(ends), property.column, row: row)
        } else {
            tables[entity].setToOne(ends.first ?? .none, property.column, row: row)
        }
    }

    private mutating func appendMembers(_ ends: [RowReference]) throws -> MemberRange {
        let start = members.count
        members += ends
        return try range(from: start)
    }
}

extension GraphSnapshot.Lineage {
    /// The lineage with other names of the topmost entities; those that have none any more are left out.
    fileprivate func renamed(_ name: (String) -> String?) -> Self {
        func renamed(_ rows: [String: Int64]) -> [String: Int64] {
            Dictionary(rows.compactMap { entity, number in name(entity).map { ($0, number) } }) { max($0, $1) }
        }
        let partings = partings.map { Parting(branch: $0.branch, rows: renamed($0.rows)) }
        return Self(store: store, rows: renamed(rows), partings: partings)
    }
}
