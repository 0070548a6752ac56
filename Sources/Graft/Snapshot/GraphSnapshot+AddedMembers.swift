// Members without identity in lists that are added to each other. A later list's member stands for one of an earlier list, where it
// would be found had that been imported before. The rule is that of Matching/ObjectMatcher+Members.swift:
//
//     {"text": "a", "rank": 1}, then {"text": "a"}      the same
//     {"text": "a"}, then {"text": "a", "rank": 1}      another one, unless 1 is the model's default

extension GraphSnapshot {
    /// What an attribute of an entity has in a new object.
    typealias InitialValue = (_ entity: Int, _ property: Int) -> GraphValue

    /// Lets members without identity stand for those that earlier lists have, each of those once a list.
    mutating func mergeAddedMembers(_ initialValue: InitialValue) {
        if earlier.isEmpty { return }
        let related = Set(relatedRows.map(\.reference))
        var count: Int
        // Members that have become one may have lists of their own.
        repeat {
            count = forwards.count
            for (cell, lists) in Self.inOrder(listsAddedBefore()) {
                var known = AddedMembers(
                    owner: cell.row, relationship: schema.entities[cell.row.entity].properties[cell.property])
                for list in lists + [statement(of: cell)] {
                    let rows = list.members.indices.map { resolved(members[$0]) }
                        .filter { !related.contains($0) && isKnownByContents($0) }
                    merge(rows, &known, initialValue)
                }
            }
        } while forwards.count > count
    }

    private mutating func merge(_ rows: [RowReference], _ known: inout AddedMembers, _ initialValue: InitialValue) {
        var taken = known.rows.intersection(rows)
        var left = rows.filter { !taken.contains($0) }
        for extent in [AddedMembers.Extent.whole, .named] {
            left = left.filter { row in
                guard let member = known.first(row, extent, but: taken, self, initialValue) else { return true }
                taken.insert(member)
                moveValues(of: row, to: member, replacing: true)
                forward(row, to: member)
                return false
            }
        }
        for row in left { known.enter(row, self, initialValue) }
    }

    /// Whether nothing but its contents tells what a row stands for.
    func isKnownByContents(_ row: RowReference) -> Bool {
        tables[row.entity].flags[row.row].isEmpty && tables[row.entity].rowName(row.row).isNull && lacksIdentity(row)
    }

    /// Whether a row has no identity of its own values.
    func lacksIdentity(_ row: RowReference) -> Bool {
        identityHash(entity: row.entity, row: row.row, columns: schema.entities[row.entity].identityColumns) == nil
    }
}

/// The members without identity that the lists of a relationship have had so far.
private struct AddedMembers {
    /// How much of a member a row has to say to stand for it.
    enum Extent {
        /// What it doesn't say, the member doesn't have.
        case whole
        case named
    }

    /// The attributes that a row names.
    private struct Shape: Hashable {
        var entity: Int
        var attributes: [Int]
    }

    let owner: RowReference
    let relationship: GraphSchema.Property
    private(set) var rows: Set<RowReference> = []
    private var ordered: [RowReference] = []
    /// By the shapes of rows that were looked for.
    private var tables: [Shape: [[ExactValue]: [RowReference]]] = [:]

    init(owner: RowReference, relationship: GraphSchema.Property) {
        (self.owner, self.relationship) = (owner, relationship)
    }

    mutating func enter(_ row: RowReference, _ snapshot: GraphSnapshot, _ initialValue: GraphSnapshot.InitialValue) {
        guard rows.insert(row).inserted else { return }
        ordered.append(row)
        for shape in tables.keys where shape.entity == row.entity {
            let key = key(of: row, shape, snapshot, initialValue)
            tables[shape]?[key, default: []].append(row)
        }
    }

    /// The first member that a row stands for.
    mutating func first(
        _ row: RowReference, _ extent: Extent, but taken: Set<RowReference>, _ snapshot: GraphSnapshot,
        _ initialValue: GraphSnapshot.InitialValue
    ) -> RowReference? {
        let properties = snapshot.schema.entities[row.entity].properties
        let named = properties.indices.filter {
            properties[$0].isAttribute && snapshot.tables[row.entity].hasValue($0, row: row.row)
        }
        let saysSomething = named.contains {
            !snapshot.tables[row.entity].value(properties[$0].column, row: row.row).isNull
        }
        if extent == .named, !saysSomething { return nil }
        let shape = Shape(entity: row.entity, attributes: named)
        if tables[shape] == nil {
            let members = ordered.filter { $0.entity == row.entity }
            tables[shape] = Dictionary(grouping: members) { key(of: $0, shape, snapshot, initialValue) }
        }
        return tables[shape]?[key(of: row, shape, snapshot, initialValue)]?.first { member in
            !taken.contains(member)
                && properties.indices.allSatisfy {
                    fits($0, properties[$0], member, row, extent, snapshot, initialValue)
                }
        }
    }

    private func key(
        of row: RowReference, _ shape: Shape, _ snapshot: GraphSnapshot, _ initialValue: GraphSnapshot.InitialValue
    ) -> [ExactValue] {
        shape.attributes.map { ExactValue(value($0, of: row, snapshot, initialValue)) }
    }

    private func value(
        _ number: Int, of row: RowReference, _ snapshot: GraphSnapshot, _ initialValue: GraphSnapshot.InitialValue
    ) -> GraphValue {
        guard snapshot.tables[row.entity].hasValue(number, row: row.row) else {
            return initialValue(row.entity, number)
        }
        return snapshot.tables[row.entity].value(
            snapshot.schema.entities[row.entity].properties[number].column, row: row.row)
    }

    /// Whether a member has what a row says of a property. Named attributes are known to be equal.
    private func fits(
        _ number: Int, _ property: GraphSchema.Property, _ member: RowReference, _ row: RowReference, _ extent: Extent,
        _ snapshot: GraphSnapshot, _ initialValue: GraphSnapshot.InitialValue
    ) -> Bool {
        let isNamed = snapshot.tables[row.entity].hasValue(number, row: row.row)
        switch property.kind {
        case .attribute:
            return isNamed || extent == .named || property.isTransient || property.isDerived
                || value(number, of: member, snapshot, initialValue).isNull
        case .toOne:
            let isBack = number == relationship.inverse
            if !isNamed { return isBack || extent == .named || end(number, property, of: member, snapshot).isNone }
            return end(number, property, of: row, snapshot) == end(number, property, of: member, snapshot)
        case .toMany: return true
        }
    }

    private func end(
        _ number: Int, _ property: GraphSchema.Property, of row: RowReference, _ snapshot: GraphSnapshot
    ) -> RowReference {
        if number == relationship.inverse, !snapshot.tables[row.entity].hasValue(number, row: row.row) { return owner }
        let end = snapshot.tables[row.entity].toOne(property.column, row: row.row)
        return end.isNone ? end : snapshot.resolved(end)
    }
}
