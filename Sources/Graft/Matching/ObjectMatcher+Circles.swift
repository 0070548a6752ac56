// Identities that lead round: the folder a of b, and b of a. None of such rows can be found before the others, so they are found together,
// as objects that hang on each other in the same way. Each object is found once, and the first choice is one that has all that is said of
// it, as with objects without identity.

import CoreData

extension ObjectMatcher {
    /// Gives rows whose owners lead round, and those that hang on them, their objects, as far as there are any.
    ///
    /// - Parameter rows: Those whose owners have no objects, in the order of their levels.
    func resolveCircles(_ rows: [GraphSnapshot.RelatedRow], _ snapshot: borrowing GraphSnapshot) throws {
        let hanging = rowsInCircles(rows, snapshot)
        if hanging.isEmpty { return }
        var taken: Set<ObjectIdentifier> = []
        let spaces = Dictionary(grouping: hanging) { plans[$0.entity].space }
        for (space, rows) in spaces.sorted(by: { $0.key < $1.key }) {
            for batch in rows.batches(of: Self.relatedFetchLimit) {
                let candidates = try candidates(for: batch, space, snapshot)
                for row in batch where object(row) == nil {
                    let alike = candidates[ownValues(of: row, snapshot)] ?? []
                    taken.formUnion(try choose(among: alike, for: row, taken, snapshot).map(ObjectIdentifier.init))
                }
            }
        }
    }

    /// The rows of which no owner, nor an owner's owner, is an object that is yet to be made.
    private func rowsInCircles(
        _ rows: [GraphSnapshot.RelatedRow], _ snapshot: borrowing GraphSnapshot
    ) -> [RowReference] {
        var left = rows.map(\.reference).filter { plans[$0.entity].ownersMayLeadRound }
        var members = Set(left)
        var isShrinking = !left.isEmpty
        while isShrinking {
            let count = left.count
            left.removeAll { row in
                let hangsOnNew = ownerRows(of: row, snapshot).contains {
                    !$0.isNone && object($0) == nil && !members.contains($0)
                }
                if hangsOnNew { members.remove(row) }
                return hangsOnNew
            }
            isShrinking = left.count < count
        }
        return left
    }

    /// Gives a row one of some objects, and the rows that it hangs on those that the object hangs on; returns them.
    private func choose(
        among candidates: [NSManagedObject], for row: RowReference, _ taken: Set<ObjectIdentifier>,
        _ snapshot: borrowing GraphSnapshot
    ) throws -> [NSManagedObject] {
        var chosen: [RowReference: NSManagedObject] = [:]
        for candidate in candidates {
            guard let found = try circle(from: row, candidate, taken, snapshot) else { continue }
            for (row, object) in found { objects[row.entity][row.row] = object }
            if try found.allSatisfy({ try isEqual($0.value, $0.key, snapshot) }) { return Array(found.values) }
            for row in found.keys { objects[row.entity][row.row] = nil }
            if chosen.isEmpty { chosen = found }
        }
        for (row, object) in chosen { objects[row.entity][row.row] = object }
        return Array(chosen.values)
    }

    /// The values of a row's own part of its identity.
    func ownValues(of row: RowReference, _ snapshot: borrowing GraphSnapshot) -> [ExactValue] {
        let properties = plans[row.entity].properties
        return schema.entities[row.entity].identityAttributes.map {
            ExactValue(snapshot.tables[row.entity].value(properties[$0].column, row: row.row))
        }
    }

    /// The unsaved and the stored objects with the values of some rows, by these.
    func candidates(
        for rows: [RowReference], _ space: Int, _ snapshot: borrowing GraphSnapshot
    ) throws -> [[ExactValue]: [NSManagedObject]] {
        let plan = plans[space]
        var candidates: [[ExactValue]: [NSManagedObject]] = [:]
        let unsaved = memory.relatedObjects.filter { $0.key.space == space && isThere($0.value) }
            .map {
                (uri: $0.value.objectID.uriRepresentation().absoluteString, values: $0.key.values, object: $0.value)
            }
        for (_, values, object) in unsaved.sorted(by: { $0.uri < $1.uri }) {
            candidates[values, default: []].append(object)
        }
        let values = rows.map { ownValues(of: $0, snapshot) }
        let identity = schema.entities[space]
        let parts = identity.identityAttributes.enumerated().map { index, part in
            NSPredicate.isOne(
                plan.properties[part].name, of: Set(values.map { $0[index] }).compactMap(\.value.object))
        }
        let request = known.request(space, where: parts)
        request.relationshipKeyPathsForPrefetching = identity.identityRelationships.map { plan.properties[$0].name }
        for object in try known.fetch(request) {
            guard let key = try key(of: object, plan) else { continue }
            candidates[key.values, default: []].append(object)
        }
        return candidates
    }

    /// The objects of a row and of the rows that it hangs on, if an object is the row's; nil where they don't hang on each other as the
    /// rows do, or stand for other rows.
    private func circle(
        from row: RowReference, _ object: NSManagedObject, _ taken: Set<ObjectIdentifier>,
        _ snapshot: borrowing GraphSnapshot
    ) throws -> [RowReference: NSManagedObject]? {
        var found = [row: object]
        var used: Set<ObjectIdentifier> = []
        var pending = [row]
        while let row = pending.popLast() {
            guard let object = found[row], !taken.contains(ObjectIdentifier(object)),
                used.insert(ObjectIdentifier(object)).inserted, isThere(object), let entity = number(of: object),
                mapping.canBeSame(entity, row.entity)
            else { return nil }
            let plan = plans[row.entity]
            let identity = schema.entities[row.entity]
            for part in identity.identityAttributes {
                let value = snapshot.tables[row.entity].value(plan.properties[part].column, row: row.row)
                guard try object.holds(value, part, plan.properties[part]) else { return nil }
            }
            for (part, end) in zip(identity.identityRelationships, ownerRows(of: row, snapshot)) {
                guard let owner = object.destination(part, plan.properties[part]) else {
                    if end.isNone { continue }
                    return nil
                }
                if end.isNone { return nil }
                if let known = self.object(end) ?? found[end] {
                    guard known === owner else { return nil }
                } else {
                    found[end] = owner
                    pending.append(end)
                }
            }
        }
        return found
    }
}
