// Making what is new, and setting what differs.

import CoreData
import Foundation

extension BatchImporter {
    /// Makes an object for each row that has none yet: what the payload is about in its order, then what has a name in an
    /// archive in the order of the names, then the rest in the order in which it appears. The store numbers new objects
    /// in the same order, and an export of them depends on it.
    func makeObjects(_ snapshot: borrowing GraphSnapshot) throws {
        for index in snapshot.roots.indices { try makeIfNeeded(snapshot.resolved(snapshot.roots[index]), snapshot) }
        for index in snapshot.namedRows.indices {
            try makeIfNeeded(snapshot.resolved(snapshot.namedRows[index]), snapshot)
        }
        for (entity, plan) in plans.enumerated() {
            for row in 0..<snapshot.tables[entity].count where objects[entity][row] == nil {
                if snapshot.tables[entity].flags[row].contains(.dead) { continue }
                try make(row, plan, snapshot)
            }
        }
    }

    @inline(__always)
    private func makeIfNeeded(_ reference: RowReference, _ snapshot: borrowing GraphSnapshot) throws {
        if object(reference) == nil { try make(reference.row, plans[reference.entity], snapshot) }
    }

    @inline(__always)
    private func make(_ row: Int, _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot) throws {
        if plan.isAbstract { throw abstractEntity(plan, row, snapshot) }
        let object = makers[plan.number].make()
        objects[plan.number][row] = object
        states[plan.number][row] = .new
        undo.didMake(object)
    }

    private func abstractEntity(
        _ plan: ImportPlan, _ row: Int, _ snapshot: borrowing GraphSnapshot
    ) -> GraftError {
        let place = GraftError.Place(byteOffset: snapshot.tables[plan.number].knownOffset(row), entity: plan.name)
        if isReference(plan, row, snapshot) {
            let identity = plan.identityColumns.map { snapshot.tables[plan.number].value($0, row: row).description }
            return GraftError(
                .unresolvedReference(entity: plan.name, identity: identity.joined(separator: ", ")), at: place)
        }
        let subentities = schema.entities.indices.filter {
            $0 != plan.number && schema.isEntity($0, kindOf: plan.number)
        }
        let names = subentities.filter { !plans[$0].isAbstract }.map { "'\(plans[$0].name)'" }
        return GraftError(
            .other(
                finding: "the entity is abstract, so there can't be a new object of it",
                remedy: "Import into one of its sub-entities (\(names.joined(separator: ", "))), or make it concrete."),
            at: place)
    }

    /// Sets the values of all rows.
    func fillObjects(_ snapshot: borrowing GraphSnapshot) throws {
        for (entity, plan) in plans.enumerated() {
            for row in 0..<snapshot.tables[entity].count {
                guard let object = objects[entity][row], !snapshot.tables[entity].flags[row].contains(.dead) else {
                    continue
                }
                let isNew = states[entity][row].contains(.new)
                if !isNew, isReference(plan, row, snapshot) { continue }
                if try fill(object, row, plan, isNew: isNew, snapshot) { states[entity][row].insert(.changed) }
                if isNew, keepsObjects { enter(object, plan) }
            }
        }
    }

    /// Sets what a row says and an object doesn't have; returns whether there was anything.
    private func fill(
        _ object: NSManagedObject, _ row: Int, _ plan: ImportPlan, isNew: Bool, _ snapshot: borrowing GraphSnapshot
    ) throws -> Bool {
        // An object that was found as one of a super-entity keeps its entity and has only that one's properties.
        let limit = isNew ? plan.properties.count : propertyCount(of: object, plan)
        var isChanged = false
        let words = snapshot.tables[plan.number].wordCount
        for word in 0..<words {
            var bits = snapshot.tables[plan.number].presence[row &* words &+ word]
            while bits != 0 {
                let number = word &* 64 &+ bits.trailingZeroBitCount
                bits &= bits &- 1
                if number >= limit { return isChanged }
                if try set(number, of: object, row, plan, isNew: isNew, snapshot) { isChanged = true }
            }
        }
        return isChanged
    }

    private func propertyCount(of object: NSManagedObject, _ plan: ImportPlan) -> Int {
        guard let entity = number(of: object), entity != plan.number else { return plan.properties.count }
        return min(plans[entity].properties.count, plan.properties.count)
    }

    @inline(__always)
    private func set(
        _ number: Int, of object: NSManagedObject, _ row: Int, _ plan: ImportPlan, isNew: Bool,
        _ snapshot: borrowing GraphSnapshot
    ) throws -> Bool {
        let column = plan.properties[number].column
        switch plan.properties[number].kind {
        case .attribute:
            let value = snapshot.tables[plan.number].value(column, row: row)
            if !isNew {
                if try object.holds(value, number, plan.properties[number]) { return false }
                try undo.willSet(number, plan.properties[number], of: object)
            }
            try object.assign(value, number, plan.properties[number])
            return true
        case .toOne:
            let end = snapshot.tables[plan.number].toOne(column, row: row)
            let destination = end.isNone ? nil : self.object(snapshot.resolved(end))
            return connect(number, plan.properties[number], of: object, to: destination, isNew: isNew)
        case .toMany:
            let range = snapshot.tables[plan.number].toMany(column, row: row)
            var members: [NSManagedObject] = []
            members.reserveCapacity(Int(range.count))
            for index in range.indices {
                if let member = self.object(snapshot.resolved(snapshot.members[index])) { members.append(member) }
            }
            return connect(number, plan.properties[number], of: object, to: members, isNew: isNew)
        }
    }

    private func connect(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject, to destination: NSManagedObject?,
        isNew: Bool
    ) -> Bool {
        let old = object.destination(number, property)
        if old === destination { return false }
        undo.willConnect(number, property, of: object, to: destination.map { [$0] } ?? [], schema)
        object.assign(destination, number, property)
        if let old, property.isOwning { noteOrphans([old]) }
        return true
    }

    private func connect(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject, to members: [NSManagedObject],
        isNew: Bool
    ) -> Bool {
        if isNew, !undo.isRecording {
            // Nothing is lost: at most, objects made a moment ago have put themselves there.
            object.assign(members, number, property)
            return true
        }
        let old = object.members(number, property)
        if hasSameMembers(old, members, isOrdered: property.isOrdered) { return false }
        undo.willConnect(number, property, of: object, to: members, schema)
        object.assign(members, number, property)
        if property.isOwning {
            let kept = Set(members.map(ObjectIdentifier.init))
            noteOrphans(old.filter { !kept.contains(ObjectIdentifier($0)) })
        }
        return true
    }

    private func hasSameMembers(_ old: [NSManagedObject], _ new: [NSManagedObject], isOrdered: Bool) -> Bool {
        if old.count == new.count, zip(old, new).allSatisfy({ $0 === $1 }) { return true }
        if isOrdered { return unique(new).elementsEqual(old) { $0 === $1 } }
        let wanted = Set(new.map(ObjectIdentifier.init))
        return wanted.count == old.count && old.allSatisfy { wanted.contains(ObjectIdentifier($0)) }
    }

    /// The objects without repetitions, each in its first place.
    private func unique(_ objects: [NSManagedObject]) -> [NSManagedObject] {
        var seen: Set<ObjectIdentifier> = []
        return objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// Remembers objects that an owner gave up, if nobody could find them again.
    private func noteOrphans(_ objects: [NSManagedObject]) {
        orphans += objects.filter { object in
            guard let number = number(of: object) else { return false }
            // Without an identity there is no way back to the object.
            return plans[number].identity.allSatisfy { part in
                (try? object.holds(.null, part, plans[number].properties[part])) ?? false
            }
        }
    }

    // MARK: Counting

    /// Counts what became of the rows.
    func count(_ snapshot: borrowing GraphSnapshot) {
        for (entity, plan) in plans.enumerated() {
            for row in 0..<snapshot.tables[entity].count {
                guard let object = objects[entity][row], !snapshot.tables[entity].flags[row].contains(.dead) else {
                    continue
                }
                let isReference = isReference(plan, row, snapshot)
                let state = states[entity][row]
                if !state.isEmpty {
                    touched.append(
                        TouchedObject(
                            object: object, isStub: isReference, source: sourceNumber,
                            offset: snapshot.tables[entity].offsets[row]))
                }
                // An object counts under the entity that it is of.
                let entity = state.contains(.new) ? entity : number(of: object) ?? entity
                if state.contains(.new) {
                    if isReference { noteStub(object, entity) } else { counts[entity].inserted += 1 }
                } else if !isReference {
                    countKnown(object, entity, isChanged: state.contains(.changed))
                }
            }
        }
    }

    private func noteStub(_ object: NSManagedObject, _ entity: Int) {
        counts[entity].stubs += 1
        if keepsObjects, stubs.count < 1_000_000 { stubs.insert(object.objectID) }
    }

    private func countKnown(_ object: NSManagedObject, _ entity: Int, isChanged: Bool) {
        if !stubs.isEmpty, stubs.remove(object.objectID) != nil {
            // This import made it and has filled it now: altogether it is new.
            counts[entity].stubs -= 1
            counts[entity].inserted += 1
        } else if isChanged {
            counts[entity].updated += 1
        } else {
            counts[entity].unchanged += 1
        }
    }
}

extension SnapshotTable {
    /// Where a row begins in its source; nil where that isn't known.
    func knownOffset(_ row: Int) -> Int? { offsets[row] >= 0 ? offsets[row] : nil }
}
