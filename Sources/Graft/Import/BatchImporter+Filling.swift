// Making what is new, and setting what differs.

import CoreData
import Foundation

extension BatchImporter {
    /// Makes an object for each row that has none yet: what the payload is about in its order, then the rest in the order in
    /// which it appears. The store numbers new objects in the same order, and an export of them depends on it.
    func makeObjects(_ snapshot: borrowing GraphSnapshot) throws {
        if snapshot.hasSiblings { try shareSiblings(snapshot) }
        for index in snapshot.roots.indices { try makeIfNeeded(snapshot.resolved(snapshot.roots[index]), snapshot) }
        let abandoned = rowsOfNobody(snapshot)
        for (entity, plan) in plans.enumerated() {
            for row in 0..<snapshot.tables[entity].count
            where matcher.objects[entity][row] == nil && !states[entity][row].contains(.settled) {
                if !snapshot.tables[entity].flags[row].isDisjoint(with: [.dead, .gone]) { continue }
                if !makesObject(row, plan, snapshot) { continue }
                if !abandoned.isEmpty, abandoned.contains(RowReference(entity: entity, row: row)) { continue }
                try make(row, plan, snapshot)
            }
        }
    }

    /// Whether a row that has no object makes one: references do so by their policies.
    func makesObject(_ row: Int, _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot) -> Bool {
        wanted.isEmpty || wanted[plan.number][row] || !plan.isReference(row, snapshot)
    }

    @inline(__always)
    private func makeIfNeeded(_ reference: RowReference, _ snapshot: borrowing GraphSnapshot) throws {
        let flags = snapshot.tables[reference.entity].flags[reference.row]
        if object(reference) == nil, !isSettled(reference), flags.isDisjoint(with: [.gone, .dead]) {
            try make(reference.row, plans[reference.entity], snapshot)
        }
    }

    @inline(__always)
    func make(_ row: Int, _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot) throws {
        let entity = pending.isWaiting ? awaitedEntity(row, plan, snapshot) : plan.number
        if plans[entity].isAbstract {
            try refuse(RowReference(entity: plan.number, row: row), abstractEntity(plan, row, snapshot))
            lacksObjects = true
            return
        }
        let object = matcher.known.make(entity)
        matcher.objects[plan.number][row] = object
        states[plan.number][row] = .new
        editor.made(object)
    }

    private func abstractEntity(
        _ plan: ImportPlan, _ row: Int, _ snapshot: borrowing GraphSnapshot
    ) -> GraftError {
        let place = GraftError.Place(byteOffset: snapshot.tables[plan.number].knownOffset(row), entity: plan.name)
        if plan.isReference(row, snapshot) {
            let identity = snapshot.identity(of: RowReference(entity: plan.number, row: row))
            return GraftError(
                .unresolvedReference(entity: plan.name, identity: identity.words), at: place)
        }
        let subentities = schema.entities.indices.filter {
            $0 != plan.number && schema.isEntity($0, kindOf: plan.number)
        }
        let names = subentities.filter { !plans[$0].isAbstract }.map { "'\(plans[$0].name)'" }
        let remedy =
            names.isEmpty
            ? "Make it concrete."
            : "Import into one of its sub-entities (\(names.joined(separator: ", "))), or make it concrete."
        return .abstractEntity(remedy: remedy, at: place)
    }

    /// Sets the values of all rows, and links them, in the order of the text: who is named by several owners has the last one.
    func fillObjects(_ snapshot: borrowing GraphSnapshot) throws {
        for plan in plans {
            try readMembers(plan, snapshot)
        }
        let restated = restatements(snapshot)
        if hasOneSidedLists { try readListOwners(snapshot) }
        try connectArrived(snapshot)
        for step in steps(snapshot, restated) {
            let (entity, row) = (step.row.entity, step.row.row)
            guard let object = object(step.row), states[entity][row].isDisjoint(with: [.outdated, .settled]) else {
                continue
            }
            let plan = plans[entity]
            let isNew = states[entity][row].contains(.new)
            if step.restatement >= 0 {
                // By then, even a new object may have something to lose.
                try link(restated[step.restatement], of: object, plan, isNew: false, snapshot)
                continue
            }
            if try fill(object, row, plan, isNew: isNew, snapshot) { states[entity][row].insert(.changed) }
            if isNew, matcher.keepsObjects { matcher.enter(object, plan) }
        }
        settleRelinked()
    }

    /// Decides which of the objects whose links were set are changed: what one record takes from an object, a later one may
    /// have given back.
    func settleRelinked() {
        for cell in relinked {
            let row = cell.row
            guard let object = object(row), states[row.entity][row.row].isDisjoint(with: [.new, .changed]) else {
                continue
            }
            if editor.isAsBefore(cell.property, plans[row.entity].properties[cell.property], of: object) {
                hasRestored = true
            } else {
                states[row.entity][row.row].insert(.changed)
            }
        }
        relinked.removeAll(keepingCapacity: true)
    }

    /// A row to fill, or a relationship of it that the text speaks of once more.
    private struct Step {
        var time: Int
        var row: RowReference
        /// Where among these it stands; -1 for the row itself.
        var restatement: Int
    }

    /// What is said of relationships elsewhere than where their row is read first.
    private func restatements(_ snapshot: borrowing GraphSnapshot) -> [LinkStatement] {
        if snapshot.earlier.isEmpty, snapshot.times.isEmpty { return [] }
        let now = snapshot.times.keys.sorted().map(snapshot.statement)
        return (snapshot.earlierStatements().reversed() + now).filter { statement in
            let row = statement.cell.row
            // Of several versions, the last one's values count, and so do its links alone.
            return !snapshot.tables[row.entity].flags[row.row].contains(.dead)
                && (plans[row.entity].version == nil || snapshot.times[statement.cell] == statement.time)
        }
    }

    private func steps(_ snapshot: borrowing GraphSnapshot, _ restated: [LinkStatement]) -> [Step] {
        var steps: [Step] = []
        steps.reserveCapacity(snapshot.rowCount + restated.count)
        for (entity, plan) in plans.enumerated() {
            for row in 0..<snapshot.tables[entity].count {
                if matcher.objects[entity][row] == nil || states[entity][row].contains(.settled)
                    || snapshot.tables[entity].flags[row].contains(.dead)
                {
                    continue
                }
                if !states[entity][row].contains(.new), plan.isReference(row, snapshot) { continue }
                let reference = RowReference(entity: entity, row: row)
                steps.append(Step(time: snapshot.tables[entity].ends[row], row: reference, restatement: -1))
            }
        }
        for (number, statement) in restated.enumerated() {
            steps.append(Step(time: statement.time, row: statement.cell.row, restatement: number))
        }
        steps.sort { ($0.time, $0.row, $0.restatement) < ($1.time, $1.row, $1.restatement) }
        return steps
    }

    /// Notes the rows whose objects have their version already, or a later one.
    func noteOutdated(_ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot) throws {
        for (row, object) in matcher.objects[plan.number].enumerated() {
            guard let object, !states[plan.number][row].contains(.new) else { continue }
            guard try isOutdated(row, object, plan, snapshot) else { continue }
            states[plan.number][row].insert(.outdated)
            hasOutdated = true
        }
    }

    /// Reads which members the relationships have that rows speak of, of all objects that were found: a store that can't be read
    /// throws here, where a fault would stop the process.
    private func readMembers(_ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot) throws {
        for (number, property) in plan.properties.enumerated() where property.isToMany {
            var owners: [ObjectIdentifier: [NSManagedObject]] = [:]
            for row in 0..<snapshot.tables[plan.number].count {
                guard snapshot.tables[plan.number].hasValue(number, row: row),
                    let object = matcher.objects[plan.number][row],
                    states[plan.number][row].isDisjoint(with: [.new, .settled]),
                    number < matcher.propertyCount(of: object, plan)
                else { continue }
                owners[ObjectIdentifier(object.entity), default: []].append(object)
            }
            for owners in owners.values { try context.readMemberIDs(number, property, of: owners) }
        }
    }

    /// Sets what a row says and an object doesn't have; returns whether an attribute was changed.
    private func fill(
        _ object: NSManagedObject, _ row: Int, _ plan: ImportPlan, isNew: Bool, _ snapshot: borrowing GraphSnapshot
    ) throws -> Bool {
        // An object that was found as one of another entity keeps its entity, and has only what both have.
        let limit = isNew ? plan.properties.count : matcher.propertyCount(of: object, plan)
        var isChanged = false
        let words = snapshot.tables[plan.number].wordCount
        for word in 0..<words {
            var bits = snapshot.tables[plan.number].presence[row &* words &+ word]
            while bits != 0 {
                let number = word &* 64 &+ bits.trailingZeroBitCount
                bits &= bits &- 1
                if number >= limit {
                    noteLeftOut(number, of: object, row, plan, snapshot)
                    continue
                }
                if try set(number, of: object, row, plan, isNew: isNew, snapshot) { isChanged = true }
            }
        }
        return isChanged
    }

    /// Counts a value that an object can't have, because it is of another entity than its data.
    private func noteLeftOut(
        _ number: Int, of object: NSManagedObject, _ row: Int, _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot
    ) {
        guard !snapshot.tables[plan.number].isNothing(plan.properties[number], row: row),
            let entity = self.number(of: object)
        else { return }
        tally.leftOut[.init(entity: entity, dataEntity: plan.number, property: number), default: 0] += 1
    }

    /// Whether an object has the version of a row already, or a later one.
    func isOutdated(
        _ row: Int, _ object: NSManagedObject, _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot
    ) throws -> Bool {
        guard let version = plan.version, snapshot.tables[plan.number].hasValue(version, row: row),
            version < matcher.propertyCount(of: object, plan)
        else { return false }
        let property = plan.properties[version]
        let value = snapshot.tables[plan.number].value(property.column, row: row)
        let stored = try object.graphValue(version, property)
        // The version of a stub is the model's, and none of its own.
        guard value.isOutdated(by: stored), try !ObjectSuccession(known: matcher.known, editor: editor).isStub(object)
        else { return false }
        if stored.isLater(than: value) { states[plan.number][row].insert(.skipped) }
        return true
    }

    @inline(__always)
    private func set(
        _ number: Int, of object: NSManagedObject, _ row: Int, _ plan: ImportPlan, isNew: Bool,
        _ snapshot: borrowing GraphSnapshot
    ) throws -> Bool {
        guard case .attribute = plan.properties[number].kind else {
            let cell = GraphSnapshot.Cell(row: RowReference(entity: plan.number, row: row), property: number)
            // It has its own step.
            if snapshot.times.isEmpty || snapshot.times[cell] == nil {
                try link(snapshot.statement(of: cell), of: object, plan, isNew: isNew, snapshot)
            }
            return false
        }
        let value = snapshot.tables[plan.number].value(plan.properties[number].column, row: row)
        if !isNew { return try editor.set(value, number, plan.properties[number], of: object) }
        try object.assign(value, number, plan.properties[number])
        return true
    }

    /// Sets what a text says of a relationship, and notes whether that changes it.
    private func link(
        _ statement: LinkStatement, of object: NSManagedObject, _ plan: ImportPlan, isNew: Bool,
        _ snapshot: borrowing GraphSnapshot
    ) throws {
        guard statement.cell.property < matcher.propertyCount(of: object, plan) else { return }
        do {
            if try changeLink(statement, of: object, plan, isNew: isNew, snapshot), !isNew {
                relinked.append(statement.cell)
            }
        } catch var error as GraftError {
            let row = statement.cell.row
            error.place.byteOffset = error.place.byteOffset ?? snapshot.tables[row.entity].knownOffset(row.row)
            try refuse(error, source: sourceNumber)
        }
    }

    /// Sets what a text says of a relationship, by the policies that it has; returns whether that changes it.
    private func changeLink(
        _ statement: LinkStatement, of object: NSManagedObject, _ plan: ImportPlan, isNew: Bool,
        _ snapshot: borrowing GraphSnapshot
    ) throws -> Bool {
        let (number, row) = (statement.cell.property, statement.cell.row.row)
        let property = plan.properties[number]
        if !pending.isEmpty { dropPending(statement, of: object, plan, snapshot) }
        if !tally.losses.isEmpty { tally.losses.forget(.init(object: object.objectID.lookupKey, property: number)) }
        guard property.isToMany else {
            let end = statement.end
            let destination = end.isNone ? nil : self.object(snapshot.resolved(end))
            if destination == nil, !end.isNone, !statement.isReplaced, !isNobody(end, snapshot),
                waits(number, of: object, row, plan, for: end, at: nil, snapshot)
            {
                return false
            }
            if let destination { dropPending(back: [destination], property) }
            return try connect(number, property, of: object, to: destination, isNew: isNew)
        }
        let range = statement.members
        var members: [NSManagedObject] = []
        members.reserveCapacity(Int(range.count))
        for index in range.indices {
            if let member = self.object(snapshot.resolved(snapshot.members[index])) {
                members.append(member)
            } else if hasReferencePolicies, !statement.isReplaced, !isNobody(snapshot.members[index], snapshot) {
                let position = index - range.indices.lowerBound
                _ = waits(
                    number, of: object, row, plan, for: snapshot.members[index], at: position,
                    following: members.distinctObjects.count, snapshot)
            }
        }
        dropPending(back: members, property)
        let policy = plan.membersPolicies[number]
        if policy == .replace || snapshot.hasWholeLists && policy == .add {
            return try connect(number, property, of: object, to: members, isNew: isNew)
        }
        let removed = try statement.removals.map { range in
            try removedMembers(
                range.indices.map { snapshot.resolved(snapshot.members[$0]) },
                among: isNew ? [] : object.relatedObjects(number, property), snapshot)
        }
        return try connect(number, plan, of: object, to: members, policy, removed)
    }
}

extension BatchImporter {
    /// Forgets what a relationship waits for, as far as a later text says something else.
    private func dropPending(
        _ statement: LinkStatement, of object: NSManagedObject, _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot
    ) {
        let number = statement.cell.property
        if !plan.properties[number].isToMany || !snapshot.isAdding(statement) {
            return pending.drop(number, of: object)
        }
        guard let removals = statement.removals, removals.count > 0 else { return }
        let removed = removals.indices.map { index in
            let end = snapshot.resolved(snapshot.members[index])
            return snapshot.identity(of: end)
        }
        pending.drop(number, of: object) { destination in
            removed.contains { zip($0, destination.identity).allSatisfy { $0.isSameIdentity(as: $1) } }
        }
    }

    /// Forgets what objects wait for at their end of a relationship to one object, when the other end names them.
    private func dropPending(back ends: [NSManagedObject], _ property: GraphSchema.Property) {
        guard !pending.isEmpty, schema.isExclusive(property), let inverse = property.inverse else { return }
        for end in ends { pending.drop(inverse, of: end) }
    }

    /// Whether the data says of an object that it is deleted, or it can't be made: then nothing leads to it, and nobody waits for it.
    private func isNobody(_ end: RowReference, _ snapshot: borrowing GraphSnapshot) -> Bool {
        let end = snapshot.resolved(end)
        return snapshot.tables[end.entity].flags[end.row].contains(.gone) || isRefused(end)
    }
}

extension SnapshotTable {
    /// Where a row begins in its source; nil where that isn't known.
    func knownOffset(_ row: Int) -> Int? { offsets[row] >= 0 ? offsets[row] : nil }
}

extension GraphValue {
    /// Whether what has this version is left alone, because its object has it already, or a later one. Without a version, there is
    /// nothing to compare.
    func isOutdated(by known: GraphValue) -> Bool { !isNull && !known.isNull && !isLater(than: known) }

    /// Whether a version is higher than another one. Texts are compared by their bytes, as ISO 8601 needs it.
    func isLater(than other: GraphValue) -> Bool {
        switch (self, other) {
        case (.integer(let value), .integer(let other)): value > other
        case (.double(let value), .double(let other)), (.date(let value), .date(let other)): value > other
        case (.decimal(let value), .decimal(let other)): value > other
        case (.string(let value), .string(let other)): other.utf8.lexicographicallyPrecedes(value.utf8)
        default: false
        }
    }
}
