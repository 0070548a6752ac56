// Finding the objects of rows without an identity: an equal member of the object that they are nested in, or an equal
// stored object. What is equal again is left alone, so importing the same data twice changes nothing.

import CoreData
import Foundation

extension ObjectMatcher {
    // MARK: Nested objects

    /// The rows with relationships that have found their objects.
    func knownRows(_ snapshot: borrowing GraphSnapshot) -> [RowReference] {
        var rows: [RowReference] = []
        for (entity, plan) in plans.enumerated() where !plan.relationships.isEmpty {
            for row in 0..<snapshot.tables[entity].count where objects[entity][row] != nil {
                rows.append(RowReference(entity: entity, row: row))
            }
        }
        return rows
    }

    /// Gives nested rows without identity to members that their owners have already.
    func matchNestedObjects(of owners: [RowReference], _ snapshot: borrowing GraphSnapshot) throws {
        var pending = owners
        let before = snapshot.listsAddedBefore()
        while let reference = pending.popLast() {
            guard let object = object(reference) else { continue }
            let plan = plans[reference.entity]
            for number in plan.relationships where snapshot.tables[plan.number].hasValue(number, row: reference.row) {
                let cell = GraphSnapshot.Cell(row: reference, property: number)
                for statement in (before[cell] ?? []) + [snapshot.statement(of: cell)] {
                    pending += try match(membersOf: statement, object, plan.properties[number], snapshot)
                }
            }
        }
    }

    private func match(
        membersOf statement: LinkStatement, _ owner: NSManagedObject, _ property: GraphSchema.Property,
        _ snapshot: borrowing GraphSnapshot
    ) throws -> [RowReference] {
        let rows = unmatchedRows(of: statement, snapshot)
        // An object that is stored as one of another entity may not have the relationship.
        if rows.isEmpty || statement.cell.property >= propertyCount(of: owner, plans[statement.cell.row.entity]) {
            return []
        }
        // Lists that add to each other may each mean the same member.
        let found = snapshot.ends(of: statement).compactMap { object(snapshot.resolved($0)) }
        var taken = Set(found.map(ObjectIdentifier.init))
        return try match(
            rows, property, with: owner.relatedObjects(statement.cell.property, property),
            keepsPlaces: !snapshot.isAdding(statement), taken: &taken, snapshot)
    }

    /// The rows of a relationship that have neither an object nor an identity, nor stand for themselves, with their places.
    private func unmatchedRows(
        of statement: LinkStatement, _ snapshot: borrowing GraphSnapshot
    ) -> [PlacedRow] {
        var rows: [PlacedRow] = []
        let indices = statement.end.isNone ? statement.members.indices : 0..<1
        for index in indices {
            let row = snapshot.resolved(statement.end.isNone ? snapshot.members[index] : statement.end)
            if object(row) != nil || isIdentified(row.entity, row.row, snapshot) { continue }
            if snapshot.tables[row.entity].flags[row.row].contains(.root) { continue }
            rows.append(PlacedRow(row: row, place: index - indices.lowerBound))
        }
        return rows
    }

    /// Whether an object has all that a row says of it, as far as attributes and to-one relationships to known objects go.
    func isEqual(
        _ object: NSManagedObject, _ reference: RowReference, _ snapshot: borrowing GraphSnapshot
    ) throws -> Bool {
        let plan = plans[reference.entity]
        let (table, row) = (reference.entity, reference.row)
        for (number, property) in plan.properties.enumerated() where snapshot.tables[table].hasValue(number, row: row) {
            switch property.kind {
            case .attribute:
                let value = snapshot.tables[table].value(property.column, row: row)
                if try !object.holds(value, number, property), try !object.holdsEqual(value, number, property) {
                    return false
                }
            case .toOne:
                let end = snapshot.tables[table].toOne(property.column, row: row)
                let wanted = end.isNone ? nil : self.object(snapshot.resolved(end))
                if !end.isNone, wanted == nil {
                    if try hangs(snapshot.resolved(end), on: reference, object, number, snapshot) { continue }
                    // Nothing leads to an object that is yet to be made.
                    if willBeMade(end, plan.referencePolicies[number], snapshot) { return false }
                    continue
                }
                if object.destination(number, property) !== wanted { return false }
            case .toMany:
                continue
            }
        }
        return true
    }

    /// Whether a row that hangs on another one by its identity is what an object has there that may stand for the other one: what hangs on
    /// it is found only when it has been found itself.
    private func hangs(
        _ end: RowReference, on owner: RowReference, _ object: NSManagedObject, _ number: Int,
        _ snapshot: borrowing GraphSnapshot
    ) throws -> Bool {
        let (property, plan) = (plans[owner.entity].properties[number], plans[end.entity])
        guard let inverse = property.inverse, plan.relatedIdentity.contains(inverse),
            let there = object.destination(number, property), self.number(of: there) == end.entity
        else { return false }
        let back = snapshot.tables[end.entity].toOne(plan.properties[inverse].column, row: end.row)
        guard !back.isNone, snapshot.resolved(back) == owner else { return false }
        return try plan.relatedIdentity.allSatisfy { part in
            let property = plan.properties[part]
            guard property.isAttribute else { return true }
            return try there.holds(snapshot.tables[end.entity].value(property.column, row: end.row), part, property)
        }
    }

    /// Whether a reference to an object that isn't there makes one.
    private func willBeMade(
        _ end: RowReference, _ policy: MappingOptions.ReferencePolicy, _ snapshot: borrowing GraphSnapshot
    ) -> Bool {
        let end = snapshot.resolved(end)
        return policy == .stub && isIdentified(end.entity, end.row, snapshot)
            && !snapshot.tables[end.entity].flags[end.row].contains(.gone)
    }

    // MARK: Objects that stand for themselves

    /// Gives rows without identity to equal stored objects; returns those that got one.
    func matchContents(_ snapshot: borrowing GraphSnapshot) throws -> [RowReference] {
        guard unidentifiedObjects == .matchContents else { return [] }
        var matched: [RowReference] = []
        for (entity, plan) in plans.enumerated() where !plan.isAbstract {
            var rows: [Int] = []
            for row in 0..<snapshot.tables[entity].count where objects[entity][row] == nil {
                let flags = snapshot.tables[entity].flags[row]
                if flags.contains(.root), !flags.contains(.dead), !isIdentified(entity, row, snapshot) {
                    rows.append(row)
                }
            }
            if rows.isEmpty { continue }
            let hasStored = try !known.isEmpty(entity)
            if !hasStored, unsavedContents[entity].isEmpty { continue }
            try matchContents(of: rows, plan, hasStored: hasStored, snapshot)
            let isDoubtful = !schema.entities[entity].hasIdentity || !known.identityDefaults(entity).isEmpty
            if hasStored, isDoubtful, rows.contains(where: { objects[entity][$0] == nil }) {
                memory.doubtful.insert(entity)
            }
            for row in rows where objects[entity][row] != nil { matched.append(RowReference(entity: entity, row: row)) }
        }
        return matched
    }

    private func matchContents(
        of rows: [Int], _ plan: ImportPlan, hasStored: Bool, _ snapshot: borrowing GraphSnapshot
    ) throws {
        let key = bestKey(of: rows, plan, snapshot)
        var candidates: [ExactValue: [NSManagedObject]] = [:]
        let stored = hasStored ? try fetchCandidates(rows, key, plan, snapshot) : []
        for object in stored { candidates[try value(of: object, key, plan), default: []].append(object) }
        try readLists(of: candidates.values.filter { $0.count > 1 }.flatMap(\.self), rows, plan, snapshot)
        let unsaved = try unsavedObjects(of: plan, by: key)
        // The first one is the last in its list, so that many equal ones are taken out without moving the others.
        var left: [ExactValue: [NSManagedObject]] = [:]
        for row in rows {
            let value = ExactValue(
                key.map { snapshot.tables[plan.number].value(plan.properties[$0].column, row: row) } ?? .null)
            var equals =
                left.removeValue(forKey: value)
                ?? (candidates[value, default: []] + unsaved[value, default: []]).reversed().filter {
                    !memory.taken.contains($0.objectID.lookupKey) && !$0.isDeleted
                }
            let reference = RowReference(entity: plan.number, row: row)
            if let place = try place(of: reference, among: equals, snapshot) {
                let object = equals.remove(at: place)
                memory.taken.insert(object.objectID.lookupKey)
                objects[plan.number][row] = object
            }
            left[value] = equals
        }
    }

    /// The place of the object that a row stands for, the last ones first: one that has the members that the row says, or else any that
    /// fits.
    private func place(
        of row: RowReference, among objects: [NSManagedObject], _ snapshot: borrowing GraphSnapshot
    ) throws -> Int? {
        try lastPlace(among: objects) {
            try fits($0, row, snapshot)
        } preferring: {
            objects.count == 1 || hasLists($0, of: row, snapshot)
        }
    }

    /// The place of the object that a row takes, the last ones first: of those that fit one that is preferred, or else any.
    func lastPlace(
        among objects: [NSManagedObject], where fits: (NSManagedObject) throws -> Bool,
        preferring isPreferred: (NSManagedObject) throws -> Bool
    ) rethrows -> Int? {
        var first: Int?
        var count = 0
        for index in objects.indices.reversed() {
            if count == Self.searchLimit { break }
            let object = objects[index]
            guard !memory.taken.contains(object.objectID.lookupKey), try fits(object) else { continue }
            if try isPreferred(object) { return index }
            first = first ?? index
            count += 1
        }
        return first
    }

    /// How many objects that fit are looked at more closely, so that many equal ones take no time in proportion to their square.
    private static let searchLimit = 100

    /// Whether an object has as many members as a row says, and those of them that have been found.
    private func hasLists(
        _ object: NSManagedObject, of row: RowReference, _ snapshot: borrowing GraphSnapshot
    ) -> Bool {
        let plan = plans[row.entity]
        for number in plan.relationships where saysList(number, row, snapshot) {
            let ends = snapshot.uniqueDestinations(of: row, plan.properties[number])
            let members = object.members(number, plan.properties[number])
            if members.count != ends.count { return false }
            let there = Set(members.map(ObjectIdentifier.init))
            for end in ends {
                if let member = self.object(end), !there.contains(ObjectIdentifier(member)) { return false }
            }
        }
        return true
    }

    /// Whether a row says all members of a to-many relationship.
    private func saysList(_ number: Int, _ row: RowReference, _ snapshot: borrowing GraphSnapshot) -> Bool {
        plans[row.entity].properties[number].isToMany && snapshot.tables[row.entity].hasValue(number, row: row.row)
            && !snapshot.isAdding(snapshot.statement(of: GraphSnapshot.Cell(row: row, property: number)))
    }

    /// Reads the members that objects have in the lists that rows say.
    private func readLists(
        of objects: [NSManagedObject], _ rows: [Int], _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot
    ) throws {
        if objects.isEmpty { return }
        for number in plan.relationships {
            let isSaid = rows.contains { saysList(number, RowReference(entity: plan.number, row: $0), snapshot) }
            if isSaid { try context.readMemberIDs(number, plan.properties[number], of: objects) }
        }
    }

    private func value(of object: NSManagedObject, _ key: Int?, _ plan: ImportPlan) throws -> ExactValue {
        ExactValue(try key.map { try object.graphValue($0, plan.properties[$0]) } ?? .null)
    }

    /// The objects that were unsaved before the first batch, by the value that an attribute had when this was first asked.
    private func unsavedObjects(of plan: ImportPlan, by key: Int?) throws -> [ExactValue: [NSManagedObject]] {
        let objects = unsavedContents[plan.number]
        if objects.isEmpty { return [:] }
        let column = Column(entity: plan.number, property: key)
        if let known = unsavedByValue[column] { return known }
        var found: [ExactValue: [NSManagedObject]] = [:]
        for object in objects where try !hasKey(object) {
            found[try value(of: object, key, plan), default: []].append(object)
        }
        unsavedByValue[column] = found
        return found
    }

    /// The attribute that tells most rows apart; all rows have to say something of it.
    private func bestKey(of rows: [Int], _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot) -> Int? {
        var best: (number: Int, count: Int)?
        for (number, property) in plan.properties.enumerated() {
            guard let kind = property.attributeKind, kind.isComparable, !property.isTransient else { continue }
            var distinct: Set<ExactValue> = []
            var isPresent = true
            for row in rows.prefix(1000) {
                isPresent = isPresent && snapshot.tables[plan.number].hasValue(number, row: row)
                distinct.insert(ExactValue(snapshot.tables[plan.number].value(property.column, row: row)))
            }
            guard isPresent, rows.allSatisfy({ snapshot.tables[plan.number].hasValue(number, row: $0) }) else {
                continue
            }
            if distinct.count > best?.count ?? 0 { best = (number, distinct.count) }
        }
        return best?.number
    }

    /// The stored objects that no attributes identify, alone or with an owner, and that may equal one of the rows.
    private func fetchCandidates(
        _ rows: [Int], _ key: Int?, _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot
    ) throws -> [NSManagedObject] {
        var parts: [NSPredicate] = []
        let attributes = schema.entities[plan.number].identityAttributes
        if !attributes.isEmpty {
            let defaults = Dictionary(uniqueKeysWithValues: known.identityDefaults(plan.number))
            let missing = attributes.map { part in
                let value = defaults[part]?.object
                return NSPredicate.isOne(plan.properties[part].name, of: value.map { [$0] } ?? [], orNil: true)
            }
            parts.append(NSCompoundPredicate(orPredicateWithSubpredicates: missing))
        }
        if let key {
            let property = plan.properties[key]
            var distinct: Set<ExactValue> = []
            var values: [Any] = []
            for row in rows {
                let value = snapshot.tables[plan.number].value(property.column, row: row)
                if distinct.insert(ExactValue(value)).inserted, let object = value.object { values.append(object) }
            }
            parts.append(.isOne(property.name, of: values, orNil: distinct.contains(ExactValue(.null))))
        }
        let request = known.request(plan.number, where: parts)
        request.includesSubentities = false
        return try known.fetch(request)
    }
}

extension AttributeKind {
    /// Whether stores compare values of this kind exactly.
    fileprivate var isComparable: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .string, .uuid, .date: true
        case .boolean, .double, .float, .decimal, .uri, .binary, .transformable: false
        }
    }
}
