// Finding the objects of rows with an identity: among the unsaved ones, then with one fetch per identity space.

import CoreData
import Foundation

extension ObjectMatcher {
    /// The largest number of values that one fetch compares with.
    private static let fetchLimit = 20_000

    /// Gives each row with an identity its object, as far as there is one.
    func resolveIdentities(_ snapshot: borrowing GraphSnapshot) throws {
        var stored = StoredMatches(snapshot)
        try findStored(&stored, snapshot)
        try makeObjects(of: stored) { _ in true }
    }

    /// Gives each row with an identity its object, as far as the context has it, or else what the store has of it.
    func findStored(_ found: inout StoredMatches, _ snapshot: borrowing GraphSnapshot) throws {
        for plan in plans where plan.space == plan.number && !plan.identity.isEmpty {
            let members = (plan.number..<schema.entities[plan.number].end).filter { plans[$0].space == plan.number }
            guard members.contains(where: { snapshot.tables[$0].count > 0 }) else { continue }
            let wasEmpty = try known.isEmpty(plan.number)
            var wanted: [RowReference] = []
            for entity in members { try collect(&wanted, plans[entity], snapshot, wasEmpty: wasEmpty) }
            for batch in wanted.batches(of: Self.fetchLimit) {
                try assign(try storedRows(batch, plan, snapshot), to: &found, plan, snapshot)
            }
        }
    }

    /// Makes the objects of what the store has, in the order of the entities and rows.
    ///
    /// - Throws: `CocoaError` for a row that a damaged link has made another object of.
    func makeObjects(of found: StoredMatches, where isWanted: (RowReference) -> Bool) throws {
        let wanted = found.references.filter { object($0) == nil && isWanted($0) }
        for (reference, object) in zip(wanted, try context.objects(of: wanted.compactMap { found[$0] })) {
            objects[reference.entity][reference.row] = object
        }
    }

    /// Collects the rows that have to be looked up in the store.
    ///
    /// - Parameter wasEmpty: Whether the store had no such objects when the import began. Then all that it has are this
    ///   import's own: unsaved, or those whose hashes were kept when they were made.
    private func collect(
        _ wanted: inout [RowReference], _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot, wasEmpty: Bool
    ) throws {
        if memory.made[plan.space]?.count ?? 0 >= keptIdentities { memory.made[plan.space] = nil }
        let knowsAll = wasEmpty && (keepsObjects || memory.made[plan.space] != nil)
        for row in 0..<snapshot.tables[plan.number].count where !snapshot.tables[plan.number].flags[row].contains(.dead)
        {
            guard
                let hash = snapshot.identityHash(entity: plan.number, row: row, columns: plan.identityColumns)
            else { continue }
            let reference = RowReference(entity: plan.number, row: row)
            if objects[plan.number][row] != nil { continue }
            if let object = try unsavedObject(reference, plan, hash, snapshot) {
                objects[plan.number][row] = object
            } else if !knowsAll || !keepsObjects && memory.made[plan.space]?.insert(hash).inserted == false {
                wanted.append(reference)
            }
        }
    }

    private func unsavedObject(
        _ reference: RowReference, _ plan: ImportPlan, _ hash: UInt64, _ snapshot: borrowing GraphSnapshot
    ) throws -> NSManagedObject? {
        if unsaved[plan.space].isEmpty { return nil }
        var values: [GraphValue] = []
        for column in plan.identityColumns {
            values.append(snapshot.tables[reference.entity].value(column, row: reference.row))
        }
        return try unsaved[plan.space].first(hash) { object in
            guard isThere(object), !ended.contains(ObjectIdentifier(object)), let entity = number(of: object),
                mapping.canBeSame(entity, plan.number)
            else { return false }
            for (number, value) in zip(plan.identity, values) {
                if try !object.holds(value, number, plan.properties[number]) { return false }
            }
            return true
        }
    }

    /// What the store has of some rows by their identities, and perhaps some more.
    private func storedRows(
        _ wanted: [RowReference], _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot
    ) throws -> [StoredRow] {
        if try readStoredIdentities(plan) { return try fetchStored(wanted, plan, snapshot) }
        var parts: [NSPredicate] = []
        for (number, column) in zip(plan.identity, plan.identityColumns) {
            var values: [Any] = []
            var distinct: Set<ExactValue> = []
            for reference in wanted {
                let value = snapshot.tables[reference.entity].value(column, row: reference.row)
                // A single identity is distinct already; the parts of a composite one repeat.
                if plan.identity.count > 1, !distinct.insert(ExactValue(value)).inserted { continue }
                if let object = value.object { values.append(object) }
            }
            parts.append(.isOne(plan.properties[number].name, of: values))
        }
        known.fetchCount += 1
        return try context.storedRows(known.request(plan.number, where: parts))
    }

    /// Gives what the store has to its rows. Of several with the same identity, the first one gets it.
    private func assign(
        _ rows: [StoredRow], to found: inout StoredMatches, _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot
    ) throws {
        // The context's own objects may have another identity by now, or be deleted.
        let isHere = rows.map(context.hasObject)
        var objects = try context.objects(of: zip(rows, isHere).compactMap { $1 ? $0 : nil }).makeIterator()
        var values: [GraphValue] = []
        for (row, isHere) in zip(rows, isHere) {
            let object = isHere ? objects.next() : nil
            guard object?.isDeleted != true, let entity = known.number(of: object?.objectID ?? row.objectID) else {
                continue
            }
            var hash = IdentityHash()
            values.removeAll(keepingCapacity: true)
            for number in plan.identity {
                let property = plan.properties[number]
                let value = try object?.graphValue(number, property) ?? row.graphValue(number, property)
                hash.combine(value)
                values.append(value)
            }
            if values.contains(where: \.isNull) { continue }
            snapshot.forEachRow(
                withIdentity: values, hash: hash.value, columns: plan.identityColumns, plan.number
            ) { reference in
                guard mapping.canBeSame(entity, reference.entity) else { return }
                if let other = self.object(reference)?.objectID ?? found[reference]?.objectID {
                    notePassedOver(object?.objectID ?? row.objectID, entity, other)
                } else if let object {
                    self.objects[reference.entity][reference.row] = object
                } else {
                    found.enter(row, for: reference)
                }
            }
        }
    }

    // MARK: By name

    /// The objects with names; nil for those that are neither in the store nor unsaved.
    func find(_ names: [ImportReport.UnresolvedReference.Object]) throws -> [NSManagedObject?] {
        if names.isEmpty { return [] }
        var snapshot = GraphSnapshot(schema)
        let rows = names.map { name -> RowReference? in
            guard let entity = schema.number(ofEntity: name.entity) else { return nil }
            let described = schema.entities[entity]
            guard !described.identity.isEmpty, described.identity.count == name.identity.count,
                !name.identity.contains(where: \.isNull)
            else { return nil }
            let row = snapshot.tables[entity].appendRow(offset: -1)
            for (part, value) in zip(described.identity, name.identity) {
                snapshot.tables[entity].setValue(value, described.properties[part].column, row: row)
                snapshot.tables[entity].markPresent(part, row: row)
            }
            return snapshot.settle(
                RowReference(entity: entity, row: row), identity: described.identityColumns,
                space: described.identitySpace)
        }
        let batch = objects
        defer { objects = batch }
        begin(snapshot)
        try resolveIdentities(snapshot)
        return rows.map { row in
            guard let object = row.flatMap({ object(snapshot.resolved($0)) }) else { return nil }
            return memory.successors[ObjectIdentifier(object)] ?? object
        }
    }
}

extension GraphSnapshot {
    /// Calls the closure with the rows that have an identity: one, or several where entities that aren't related share it.
    func forEachRow(
        withIdentity values: [GraphValue], hash: UInt64, columns: [Int], _ space: Int, _ body: (RowReference) -> Void
    ) {
        _ = indexes[space].first(hash) { candidate in
            let isMatch = zip(columns, values).allSatisfy { column, value in
                tables[candidate.entity].value(column, row: candidate.row).isSameIdentity(as: value)
            }
            if isMatch { body(candidate) }
            return false
        }
    }

    /// The rows with an identity.
    func rows(withIdentity values: [GraphValue], hash: UInt64, columns: [Int], _ space: Int) -> [RowReference] {
        var found: [RowReference] = []
        forEachRow(withIdentity: values, hash: hash, columns: columns, space) { found.append($0) }
        return found
    }
}
