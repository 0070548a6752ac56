// Identities with an owner that only its contents tell, and that the data has nowhere but below what hangs on it:
//
//     {"line": 1, "order": {"text": "a"}}
//
// Neither can be found before the other, so both are found together: an object that has the row's own part of the identity, and hangs on one
// that has what the data says of the owner. What an owner has to have is what members have to (ObjectMatcher+Members.swift).

import CoreData

extension ObjectMatcher {
    /// Gives rows their objects as ``resolveRelatedIdentities(_:_:)`` does and, where that finds nothing more, by what their owners have;
    /// returns those that have got one, owners included.
    ///
    /// - Parameter members: The rows that others lead to, besides those of the snapshot's own relationships.
    func resolveHanging(
        _ rows: inout [GraphSnapshot.RelatedRow], _ snapshot: borrowing GraphSnapshot,
        besides members: @autoclosure () throws -> Set<RowReference> = []
    ) throws -> [RowReference] {
        var found = try resolveRelatedIdentities(&rows, snapshot)
        if !found.isEmpty || rows.isEmpty || unidentifiedObjects == .insert { return found }
        let owners = ownersBelow(rows, snapshot)
        if owners.isEmpty { return found }
        found = try matchWithOwners(rows.map(\.reference), owners.subtracting(members()), snapshot)
        rows.removeAll { object($0.reference) != nil }
        return found
    }

    /// Whether a row hangs on one that has no identity.
    func hangsOnContents(_ row: RowReference, _ snapshot: borrowing GraphSnapshot) -> Bool {
        ownerRows(of: row, snapshot).contains { !$0.isNone && !isIdentified($0.entity, $0.row, snapshot) }
    }

    /// The owners that have neither an object nor an identity, and to which nothing leads but what hangs on them: they are nobody's members.
    private func ownersBelow(
        _ rows: [GraphSnapshot.RelatedRow], _ snapshot: borrowing GraphSnapshot
    ) -> Set<RowReference> {
        var owners: Set<RowReference> = []
        for row in rows {
            for owner in ownerRows(of: row.reference, snapshot) where !owner.isNone && object(owner) == nil {
                let flags = snapshot.tables[owner.entity].flags[owner.row]
                if flags.isDisjoint(with: [.root, .dead, .gone]), !isIdentified(owner.entity, owner.row, snapshot) {
                    owners.insert(owner)
                }
            }
        }
        if owners.isEmpty { return owners }
        for (entity, plan) in plans.enumerated() {
            for number in plan.relationships where !plan.relatedIdentity.contains(number) {
                for row in snapshot.liveRows(of: entity) where snapshot.tables[entity].hasValue(number, row: row) {
                    let reference = RowReference(entity: entity, row: row)
                    owners.subtract(snapshot.destinations(of: reference, plan.properties[number]))
                }
            }
        }
        for statement in snapshot.earlier
        where !plans[statement.cell.row.entity].relatedIdentity.contains(statement.cell.property) {
            for end in snapshot.ends(of: statement) where !end.isNone { owners.remove(snapshot.resolved(end)) }
        }
        return owners
    }

    private func matchWithOwners(
        _ rows: [RowReference], _ owners: Set<RowReference>, _ snapshot: borrowing GraphSnapshot
    ) throws -> [RowReference] {
        let hanging = rows.filter { row in
            let ends = ownerRows(of: row, snapshot)
            return ends.contains { owners.contains($0) }
                && ends.allSatisfy { $0.isNone || object($0) != nil || owners.contains($0) }
        }
        if hanging.isEmpty { return [] }
        var taken = Set(objects.joined().compactMap { $0.map(ObjectIdentifier.init) })
        var found: [RowReference] = []
        let spaces = Dictionary(grouping: hanging) { plans[$0.entity].space }
        for (space, rows) in spaces.sorted(by: { $0.key < $1.key }) {
            for batch in rows.batches(of: Self.relatedFetchLimit) {
                let candidates = try candidates(for: batch, space, snapshot)
                for extent in [Extent.whole, .named] {
                    let left = batch.filter { object($0) == nil }
                    found += try match(left, owners, extent, among: candidates, taken: &taken, snapshot)
                }
            }
        }
        return found
    }

    /// By what an object is looked up together with its owner.
    private struct Shape: Hashable {
        /// The relationship that leads to the owner.
        var part: Int
        /// The owner's entity, and the attributes that the data says of it.
        var entity: Int
        var attributes: [Int]
    }

    /// Matches rows, and the owners below them, with objects that hang on each other. Owners of which the same attributes are named are
    /// looked up in one table.
    private func match(
        _ rows: [RowReference], _ owners: Set<RowReference>, _ extent: Extent,
        among candidates: [[ExactValue]: [NSManagedObject]], taken: inout Set<ObjectIdentifier>,
        _ snapshot: borrowing GraphSnapshot
    ) throws -> [RowReference] {
        var tables: [Shape: [[ExactValue]: [NSManagedObject]]] = [:]
        var matched: [RowReference] = []
        for row in rows {
            let parts = schema.entities[row.entity].identityRelationships
            let ends = ownerRows(of: row, snapshot)
            // Once its owner is known, a row is found by its key.
            guard let place = ends.firstIndex(where: { owners.contains($0) && self.object($0) == nil }),
                case let owner = ends[place], extent == .whole || saysSomething(owner, snapshot)
            else { continue }
            let shape = Shape(
                part: parts[place], entity: owner.entity, attributes: attributes(of: owner, extent, snapshot))
            if tables[shape] == nil { tables[shape] = try table(of: candidates, shape, plans[row.entity]) }
            let values = shape.attributes.map { number in
                let column = plans[owner.entity].properties[number].column
                return Self.key(snapshot.tables[owner.entity].value(column, row: owner.row))
            }
            let key = ownValues(of: row, snapshot) + values
            // Taken out of the table, so that it isn't copied.
            var alike = tables[shape]?.removeValue(forKey: key) ?? []
            defer { tables[shape]?[key] = alike }
            guard let index = try choose(among: alike, for: row, owners, extent, taken, snapshot) else { continue }
            let object = alike.remove(at: index)
            taken.insert(ObjectIdentifier(object))
            memory.taken.insert(object.objectID.lookupKey)
            objects[row.entity][row.row] = object
            matched.append(row)
            for (part, end) in zip(parts, ends) where owners.contains(end) && self.object(end) == nil {
                objects[end.entity][end.row] = object.destination(part, plans[row.entity].properties[part])
                matched.append(end)
            }
        }
        return matched
    }

    /// Objects by their own values and their owners', the first ones last.
    private func table(
        of candidates: [[ExactValue]: [NSManagedObject]], _ shape: Shape, _ plan: ImportPlan
    ) throws -> [[ExactValue]: [NSManagedObject]] {
        var table: [[ExactValue]: [NSManagedObject]] = [:]
        let properties = plans[shape.entity].properties
        for (values, candidates) in candidates {
            for candidate in candidates.reversed() {
                guard let owner = candidate.destination(shape.part, plan.properties[shape.part]),
                    number(of: owner) == shape.entity
                else { continue }
                let named = try shape.attributes.map { Self.key(try owner.graphValue($0, properties[$0])) }
                table[values + named, default: []].append(candidate)
            }
        }
        return table
    }

    /// The place of the object that a row stands for, the last ones first: one that has all that is said of it, or else any that hangs on
    /// such objects as the row does. Of many that do, no more than some are looked at.
    private func choose(
        among candidates: [NSManagedObject], for row: RowReference, _ owners: Set<RowReference>, _ extent: Extent,
        _ taken: Set<ObjectIdentifier>, _ snapshot: borrowing GraphSnapshot
    ) throws -> Int? {
        try lastPlace(among: candidates) {
            try !taken.contains(ObjectIdentifier($0)) && hangsAlike($0, row, owners, extent, snapshot)
        } preferring: {
            try isEqual($0, row, snapshot)
        }
    }

    /// Whether an object hangs on what a row hangs on: on the object that an owner is already, or on one that it can be.
    private func hangsAlike(
        _ object: NSManagedObject, _ row: RowReference, _ owners: Set<RowReference>, _ extent: Extent,
        _ snapshot: borrowing GraphSnapshot
    ) throws -> Bool {
        guard isThere(object), let entity = number(of: object), mapping.canBeSame(entity, row.entity) else {
            return false
        }
        let parts = schema.entities[row.entity].identityRelationships
        for (part, end) in zip(parts, ownerRows(of: row, snapshot)) {
            let property = plans[row.entity].properties[part]
            let owner = object.destination(part, property)
            let known = end.isNone ? nil : self.object(end)
            if known != nil || !owners.contains(end) {
                guard owner === known else { return false }
                continue
            }
            guard let owner, owner !== object, isThere(owner), number(of: owner) == end.entity, try !hasKey(owner),
                try fits(owner, end, extent, snapshot),
                extent == .named || !hasOtherLinks(owner, end, property, snapshot)
            else { return false }
        }
        return true
    }
}
