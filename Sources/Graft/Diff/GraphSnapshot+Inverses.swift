// An archive says each link once. Where a snapshot stands for all there is, the other side of it follows.

extension GraphSnapshot {
    /// The snapshot with the relationships of which it says nothing taken from their inverses.
    ///
    /// - Parameter scope: Where it is given, an object that the snapshot only refers to stays one.
    /// - Throws: ``GraftError`` with `tooLarge`.
    /// - Complexity: O(*n*) in the number of rows and links.
    func completingInverses(_ scope: DiffScope? = nil) throws -> GraphSnapshot {
        var ends: [RowReference: [Int: [RowReference]]] = [:]
        for entity in tables.indices {
            let properties = schema.entities[entity].properties
            for (number, property) in properties.enumerated() where !property.isAttribute {
                guard let inverse = property.inverse else { continue }
                for row in liveRows(of: entity) where tables[entity].hasValue(number, row: row) {
                    let reference = RowReference(entity: entity, row: row)
                    for end in destinations(of: reference, property)
                    where !tables[end.entity].hasValue(inverse, row: end.row) {
                        if let scope, isReference(end.entity, end.row, scope) { continue }
                        ends[end, default: [:]][inverse, default: []].append(reference)
                    }
                }
            }
        }
        if ends.isEmpty { return self }
        var completed = self
        for (row, relationships) in ends.sorted(by: { $0.key < $1.key }) {
            for (number, others) in relationships.sorted(by: { $0.key < $1.key }) {
                try completed.set(others, schema.entities[row.entity].properties[number], number, of: row)
            }
        }
        return completed
    }

    /// Sets what a relationship leads to.
    ///
    /// - Throws: ``GraftError`` with `tooLarge`.
    mutating func set(
        _ ends: [RowReference], _ property: GraphSchema.Property, _ number: Int, of reference: RowReference
    ) throws {
        tables[reference.entity].markPresent(number, row: reference.row)
        guard property.isToMany else {
            tables[reference.entity].setToOne(ends.first ?? .none, property.column, row: reference.row)
            return
        }
        let start = members.count
        members += ends
        tables[reference.entity].setToMany(try range(from: start), property.column, row: reference.row)
    }
}
