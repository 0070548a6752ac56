// Rows that say what the store has already: an import that is repeated has hardly any other ones. They are compared with the rows of
// the store, and no object is made for them. Whatever has to be looked at more closely gets its object, as if this weren't here:
//
//     a row isn't settled    where it says something else, or what only objects can tell; where the context has its object already;
//                            where it leads to a row without identity or to a new one
//     nor is another one     where it speaks of the other side of links that rows which aren't settled may change: who speaks last counts

import CoreData

/// The relationships of a model by their two sides, and those of which unsaved objects have said something.
struct RelationshipSides {
    /// By entity and property; -1 for attributes and for relationships without inverse.
    private let numbers: [[Int]]
    private var isReached: [Bool]
    /// By side: those on which a change of it may change something.
    private var effects: [[Int]]

    init(_ schema: GraphSchema) {
        var known: [GraphSnapshot.Column: Int] = [:]
        numbers = schema.entities.enumerated().map { entity, described in
            described.properties.enumerated().map { number, property in
                if property.inverse == nil { return -1 }
                let declaring = schema.declaringEntity(of: number, entity)
                return known.number(of: GraphSnapshot.Column(entity: declaring, property: number))
            }
        }
        isReached = Array(repeating: false, count: known.count)
        effects = Array(repeating: [], count: known.count)
        for (entity, described) in schema.entities.enumerated() {
            for (number, property) in described.properties.enumerated() {
                guard let inverse = property.inverse, let destination = property.destination else { continue }
                let side = numbers[entity][number]
                // Whom only one object can have leaves another one.
                effects[side] = [numbers[destination][inverse]] + (schema.isExclusive(property) ? [side] : [])
            }
        }
    }

    /// Notes that an object may change what a relationship of it leads to.
    @inline(__always)
    mutating func noteChange(_ entity: Int, _ property: Int) {
        let side = numbers[entity][property]
        if side >= 0 { for effect in effects[side] { isReached[effect] = true } }
    }

    /// Whether what one object has in a relationship may be changed by what another one says.
    @inline(__always)
    func isReached(_ entity: Int, _ property: Int) -> Bool {
        let side = numbers[entity][property]
        return side >= 0 && isReached[side]
    }

    /// Forgets what has been noted: it is in the store now.
    mutating func forget() { for side in isReached.indices { isReached[side] = false } }
}

extension Dictionary where Value == Int {
    /// The number of a key, a new one where it has none yet.
    fileprivate mutating func number(of key: Key) -> Int {
        if let known = self[key] { return known }
        self[key] = count
        return count - 1
    }
}

extension BatchImporter {
    /// Whether rows can be settled at all: not where objects have to be seen for what their policies say.
    static func canSettle(_ plans: [ImportPlan]) -> Bool {
        StoredRow.isWithoutObject
            && !plans.contains {
                $0.hasReferencePolicies || $0.deletes || !$0.oneSidedLists.isEmpty || !$0.relatedIdentity.isEmpty
            }
    }

    /// Gives the rows of a batch that are stored their objects, but for those that are settled.
    func makeStoredObjects(_ snapshot: borrowing GraphSnapshot) throws {
        guard settles else { return try matcher.makeObjects(of: stored) { _ in true } }
        if !needsRoots, given == nil, pending.isEmpty, deletions.ends.isEmpty, snapshot.relatedRows.isEmpty,
            matcher.memory.successors.isEmpty
        {
            try settleRows(snapshot)
        }
        noteChangingSides(snapshot)
        unsettleReached(snapshot)
        let needed = endsBesideSettled(snapshot)
        try matcher.makeObjects(of: stored) { !isSettled($0) || needed.contains($0) }
    }

    /// Whether nothing has to be done about a row.
    @inline(__always)
    func isSettled(_ row: RowReference) -> Bool { states[row.entity][row.row].contains(.settled) }

    // MARK: Which

    private func settleRows(_ snapshot: borrowing GraphSnapshot) throws {
        let references = stored.references
        if references.contains(where: { snapshot.tables[$0.entity].flags[$0.row].contains(.gone) }) { return }
        for reference in references where try saysNothingNew(reference, snapshot) {
            states[reference.entity][reference.row] = .settled
        }
        for statement in snapshot.earlier {
            let row = snapshot.resolved(statement.cell.row)
            states[row.entity][row.row] = []
        }
        try unsettleChangedLists(snapshot)
    }

    /// Whether the store has what a row says, its lists aside.
    private func saysNothingNew(_ reference: RowReference, _ snapshot: borrowing GraphSnapshot) throws -> Bool {
        let (plan, entity) = (plans[reference.entity], reference.entity)
        guard plan.isComparable, let row = stored[reference], object(reference) == nil,
            matcher.known.number(of: row.objectID) == entity
        else { return false }
        let words = snapshot.tables[entity].wordCount
        for word in 0..<words {
            var bits = snapshot.tables[entity].presence[reference.row &* words &+ word]
            while bits != 0 {
                let number = word &* 64 &+ bits.trailingZeroBitCount
                bits &= bits &- 1
                let property = plan.properties[number]
                switch property.kind {
                case .attribute:
                    if property.isTransient || property.isDerived { return false }
                    let value = snapshot.tables[entity].value(property.column, row: reference.row)
                    if try !row.holds(value, number, property) { return false }
                case .toOne:
                    let end = snapshot.tables[entity].toOne(property.column, row: reference.row)
                    let key = end.isNone ? nil : storedKey(snapshot.resolved(end))
                    if row.destinationKey(number, property) != key || key == nil && !end.isNone { return false }
                case .toMany: break
                }
            }
        }
        return true
    }

    /// What links to a row's object are known by; nil where the store has none.
    @inline(__always)
    private func storedKey(_ row: RowReference) -> ObjectIDKey? {
        stored.key(of: row) ?? object(row)?.objectID.lookupKey
    }

    /// Leaves out the rows whose lists aren't those of the store.
    private func unsettleChangedLists(_ snapshot: borrowing GraphSnapshot) throws {
        for (entity, plan) in plans.enumerated() where plan.isComparable {
            for (number, property) in plan.properties.enumerated() where property.isToMany {
                let rows = states[entity].indices.filter {
                    states[entity][$0].contains(.settled) && snapshot.tables[entity].hasValue(number, row: $0)
                }
                let owners = rows.map { RowReference(entity: entity, row: $0) }
                let lists = try context.storedMembers(number, property, of: owners.compactMap { stored[$0] })
                for (owner, list) in zip(owners, lists)
                where !hasMembers(list, property, .init(row: owner, property: number), snapshot) {
                    states[entity][owner.row] = []
                }
            }
        }
    }

    /// Whether what a row says of a list leaves the members that there are.
    private func hasMembers(
        _ members: [NSManagedObjectID], _ property: GraphSchema.Property, _ cell: GraphSnapshot.Cell,
        _ snapshot: borrowing GraphSnapshot
    ) -> Bool {
        let statement = snapshot.statement(of: cell)
        guard statement.removals == nil, plans[cell.row.entity].membersPolicies[cell.property] == .replace else {
            return false
        }
        var wanted: [ObjectIDKey] = []
        wanted.reserveCapacity(Int(statement.members.count))
        for index in statement.members.indices {
            guard let key = storedKey(snapshot.resolved(snapshot.members[index])) else { return false }
            wanted.append(key)
        }
        let stored = members.map(\.lookupKey)
        if wanted == stored { return true }
        // Of an ordered list, only the first place of a member counts.
        return property.isOrdered
            ? MembersComparison.unique(wanted) == stored : MembersComparison.haveSame(wanted, stored)
    }

    /// Notes the relationships that rows which aren't settled speak of.
    private func noteChangingSides(_ snapshot: borrowing GraphSnapshot) {
        for (entity, plan) in plans.enumerated() where !plan.relationships.isEmpty {
            for row in states[entity].indices where !states[entity][row].contains(.settled) {
                for number in plan.relationships where snapshot.tables[entity].hasValue(number, row: row) {
                    sides.noteChange(entity, number)
                }
            }
        }
    }

    /// Leaves out the rows that speak of links which others may change.
    private func unsettleReached(_ snapshot: borrowing GraphSnapshot) {
        for (entity, plan) in plans.enumerated() {
            for number in plan.relationships where sides.isReached(entity, number) {
                for row in states[entity].indices where snapshot.tables[entity].hasValue(number, row: row) {
                    states[entity][row].remove(.settled)
                }
            }
        }
    }

    // MARK: Who needs them

    /// The settled rows that other ones lead to.
    private func endsBesideSettled(_ snapshot: borrowing GraphSnapshot) -> Set<RowReference> {
        var needed: Set<RowReference> = []
        if !states.contains(where: { $0.contains(.settled) }) { return needed }
        func note(_ ends: some Sequence<RowReference>, _ snapshot: borrowing GraphSnapshot) {
            for end in ends where !end.isNone && isSettled(snapshot.resolved(end)) {
                needed.insert(snapshot.resolved(end))
            }
        }
        for (entity, plan) in plans.enumerated() where !plan.relationships.isEmpty {
            for row in states[entity].indices where !states[entity][row].contains(.settled) {
                note(ends(of: RowReference(entity: entity, row: row), snapshot), snapshot)
            }
        }
        for range in snapshot.removals.values { note(snapshot.members[range.indices], snapshot) }
        for statement in snapshot.earlier {
            note([statement.end], snapshot)
            note(snapshot.members[statement.members.indices], snapshot)
            note(snapshot.members[(statement.removals ?? .empty).indices], snapshot)
        }
        return needed
    }
}
