// Which members of an object rows without identity stand for. The one rule for import and dictionaries:
//
//     an owned to-one relationship    the object that is there, whatever it has: it belongs to the owner alone
//     any other                       the object that is there, if it has the same contents
//     a to-many relationship          the member with the same contents, each once: first at the same place, then one that
//                                     has all that the row has and no more, then one that has all that the row has;
//                                     at last, where the relationship is ordered, the members are the owner's alone and the
//                                     list isn't added to them, the one at the same place, whatever it has
//
// Members with an identity, their own or with their owner, are left out; one by the model's default isn't. A row that names no value
// stands only for a member that has none. Where the identity includes the owner, a row that has the rest of it stands for the member
// that has the same, and for no other.

import CoreData

extension ObjectMatcher {
    /// A row with its place in the data's list.
    struct PlacedRow {
        var row: RowReference
        var place: Int
    }

    /// How much of an object a row has to say to stand for it.
    enum Extent {
        /// All that identifies it beside the owner.
        case key
        /// What it doesn't say, the object doesn't have.
        case whole
        case named
    }

    /// Matches rows with what is at the end of a relationship of an object that was found; returns those that got an object.
    ///
    /// - Parameters:
    ///   - keepsPlaces: Whether a row's place among the others is its place in the relationship; not where they are added.
    ///   - taken: The objects that other rows stand for already.
    /// - Complexity: O(*n*) in rows and members, times the number of ways in which rows leave attributes out.
    func match(
        _ rows: [PlacedRow], _ property: GraphSchema.Property, with members: [NSManagedObject],
        keepsPlaces: Bool = true, taken: inout Set<ObjectIdentifier>, _ snapshot: borrowing GraphSnapshot
    ) throws -> [RowReference] {
        let isThere = members.map { !taken.contains(ObjectIdentifier($0)) && !$0.isDeleted }
        guard property.isToMany else {
            guard let row = rows.first?.row, let member = members.first, isThere[0], number(of: member) == row.entity,
                try plans[row.entity].identity.isEmpty || !hasKey(member),
                try property.isOwning || fits(member, row, snapshot)
            else { return [] }
            take(member, for: row, &taken)
            return [row]
        }
        let keyed = rows.map(\.row).filter { keyAttributes(of: $0, property, snapshot) != nil }
        var matched = try match(
            keyed, property, .key, among: zip(members, isThere).filter(\.1).map(\.0), taken: &taken, snapshot)
        let rows = rows.filter { keyAttributes(of: $0.row, property, snapshot) == nil }
        let free = try zip(members, isThere).map { try $1 && !hasKey($0) }
        for placed in rows where placed.place < members.count && free[placed.place] {
            let (row, member) = (placed.row, members[placed.place])
            guard !taken.contains(ObjectIdentifier(member)), number(of: member) == row.entity,
                try fits(member, row, .whole, snapshot), !hasOtherLinks(member, row, property, snapshot)
            else { continue }
            take(member, for: row, &taken)
            matched.append(row)
        }
        for extent in [Extent.whole, .named] {
            let remaining = rows.map(\.row).filter {
                object($0) == nil && (extent == .whole || saysSomething($0, snapshot))
            }
            if remaining.isEmpty { break }
            let candidates = members.indices.filter { free[$0] }.map { members[$0] }
            matched += try match(remaining, property, extent, among: candidates, taken: &taken, snapshot)
        }
        return !keepsPlaces ? matched : matched + matchPlaces(rows, property, members, free, &taken)
    }

    /// Matches rows with the members at their places, where a place means something and nobody else has the member.
    private func matchPlaces(
        _ rows: [PlacedRow], _ property: GraphSchema.Property, _ members: [NSManagedObject], _ free: [Bool],
        _ taken: inout Set<ObjectIdentifier>
    ) -> [RowReference] {
        guard property.isOrdered, schema.isExclusive(property) else { return [] }
        var matched: [RowReference] = []
        for placed in rows where object(placed.row) == nil && placed.place < members.count && free[placed.place] {
            let member = members[placed.place]
            guard !taken.contains(ObjectIdentifier(member)), number(of: member) == placed.row.entity else { continue }
            take(member, for: placed.row, &taken)
            matched.append(placed.row)
        }
        return matched
    }

    private func take(_ member: NSManagedObject, for row: RowReference, _ taken: inout Set<ObjectIdentifier>) {
        taken.insert(ObjectIdentifier(member))
        objects[row.entity][row.row] = member
    }

    /// Matches rows with members by their contents. Rows that name the same attributes are looked up in one table.
    private func match(
        _ rows: [RowReference], _ property: GraphSchema.Property, _ extent: Extent, among members: [NSManagedObject],
        taken: inout Set<ObjectIdentifier>, _ snapshot: borrowing GraphSnapshot
    ) throws -> [RowReference] {
        struct Shape: Hashable {
            var entity: Int
            var attributes: [Int]
        }
        var shapes: [Shape] = []
        var groups: [Shape: [RowReference]] = [:]
        for row in rows {
            let attributes =
                extent == .key
                ? keyAttributes(of: row, property, snapshot) ?? [] : attributes(of: row, extent, snapshot)
            let shape = Shape(entity: row.entity, attributes: attributes)
            if groups[shape] == nil { shapes.append(shape) }
            groups[shape, default: []].append(row)
        }
        var matched: [RowReference] = []
        for shape in shapes {
            let properties = plans[shape.entity].properties
            var table: [[ExactValue]: [NSManagedObject]] = [:]
            for member in members.reversed()
            where number(of: member) == shape.entity && !taken.contains(ObjectIdentifier(member)) {
                let values = try shape.attributes.map { Self.key(try member.graphValue($0, properties[$0])) }
                table[values, default: []].append(member)
            }
            for row in groups[shape] ?? [] {
                let values = shape.attributes.map {
                    Self.key(snapshot.tables[row.entity].value(properties[$0].column, row: row.row))
                }
                guard let candidates = table[values],
                    let index = try candidates.lastIndex(where: {
                        try extent == .key
                            || fits($0, row, extent, snapshot)
                                && (extent == .named || !hasOtherLinks($0, row, property, snapshot))
                    })
                else { continue }
                table[values]?.remove(at: index)
                take(candidates[index], for: row, &taken)
                matched.append(row)
            }
        }
        return matched
    }

    /// The attributes that identify a row together with the owner that it is nested in; nil where nothing does.
    private func keyAttributes(
        of row: RowReference, _ property: GraphSchema.Property, _ snapshot: borrowing GraphSnapshot
    ) -> [Int]? {
        let plan = plans[row.entity]
        guard let inverse = property.inverse, plan.relatedIdentity.contains(inverse) else { return nil }
        let attributes = plan.relatedIdentity.filter { plan.properties[$0].isAttribute }
        let isComplete = attributes.allSatisfy {
            !snapshot.tables[row.entity].value(plan.properties[$0].column, row: row.row).isNull
        }
        return isComplete && attributes.count == plan.relatedIdentity.count - 1 && !attributes.isEmpty
            ? attributes : nil
    }

    /// The attributes that a member is looked up by: those whose values a table can hold.
    func attributes(of row: RowReference, _ extent: Extent, _ snapshot: borrowing GraphSnapshot) -> [Int] {
        let properties = plans[row.entity].properties
        let initial = extent == .whole ? known.initialValues(row.entity) : []
        return properties.indices.filter { number in
            guard let kind = properties[number].attributeKind, kind != .transformable else { return false }
            // Where a row says nothing, an object may have the model's default or null: that isn't looked up.
            if extent == .whole, !initial[number].isNull, !snapshot.tables[row.entity].hasValue(number, row: row.row) {
                return false
            }
            return isNamed(number, row, extent, snapshot)
        }
    }

    private func isNamed(
        _ number: Int, _ row: RowReference, _ extent: Extent, _ snapshot: borrowing GraphSnapshot
    ) -> Bool {
        if snapshot.tables[row.entity].hasValue(number, row: row.row) { return true }
        let property = plans[row.entity].properties[number]
        return extent == .whole && !property.isTransient && !property.isDerived
    }

    /// NaN is the same as NaN here.
    static func key(_ value: GraphValue) -> ExactValue {
        if case .double(let number) = value, number.isNaN { return ExactValue(.string("NaN")) }
        return ExactValue(value)
    }

    /// Whether a row names a value: otherwise it says nothing that an object could be known by.
    func saysSomething(_ row: RowReference, _ snapshot: borrowing GraphSnapshot) -> Bool {
        for property in plans[row.entity].properties where property.isAttribute {
            if !snapshot.tables[row.entity].value(property.column, row: row.row).isNull { return true }
        }
        return false
    }

    /// Whether a member has to-one relationships of which a row says nothing, besides the one to its owner.
    func hasOtherLinks(
        _ member: NSManagedObject, _ row: RowReference, _ property: GraphSchema.Property,
        _ snapshot: borrowing GraphSnapshot
    ) -> Bool {
        for (number, other) in plans[row.entity].properties.enumerated() where number != property.inverse {
            guard case .toOne = other.kind, !snapshot.tables[row.entity].hasValue(number, row: row.row) else {
                continue
            }
            if member.destination(number, other) != nil { return true }
        }
        return false
    }

    /// Whether an object has what a row says of it; one that has nothing but defaults, where the row says nothing.
    func fits(_ object: NSManagedObject, _ row: RowReference, _ snapshot: borrowing GraphSnapshot) throws -> Bool {
        try fits(object, row, saysSomething(row, snapshot) ? .named : .whole, snapshot)
    }

    /// Whether an object has what a row says of it.
    func fits(
        _ object: NSManagedObject, _ row: RowReference, _ extent: Extent, _ snapshot: borrowing GraphSnapshot
    ) throws -> Bool {
        let plan = plans[row.entity]
        if extent == .whole {
            let initial = known.initialValues(row.entity)
            for (number, property) in plan.properties.enumerated()
            where property.isAttribute && isNamed(number, row, .whole, snapshot)
                && !snapshot.tables[row.entity].hasValue(number, row: row.row)
            {
                if try object.holds(.null, number, property) { continue }
                if try !object.holds(initial[number], number, property) { return false }
            }
        }
        return try isEqual(object, row, snapshot)
    }
}
