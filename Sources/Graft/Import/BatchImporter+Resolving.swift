// Finding the objects of rows with an identity: among the unsaved ones, then with one fetch per identity space.

import CoreData
import Foundation

extension BatchImporter {
    /// The largest number of values that one fetch compares with.
    private static let fetchLimit = 20_000

    /// The largest number of hashes that are kept of one identity space; about 40 MB.
    private static let madeLimit = 1 << 20

    /// Gives each row with an identity its object, as far as there is one.
    func resolveIdentities(_ snapshot: borrowing GraphSnapshot) throws {
        for plan in plans where plan.space == plan.number && !plan.identity.isEmpty {
            let members = (plan.number..<schema.entities[plan.number].end).filter { plans[$0].space == plan.number }
            guard members.contains(where: { snapshot.tables[$0].count > 0 }) else { continue }
            let wasEmpty = try isEmpty(plan)
            var wanted: [RowReference] = []
            for entity in members { try collect(&wanted, plans[entity], snapshot, wasEmpty: wasEmpty) }
            for start in stride(from: 0, to: wanted.count, by: Self.fetchLimit) {
                try fetch(wanted[start..<min(start + Self.fetchLimit, wanted.count)], plan, snapshot)
            }
        }
    }

    /// Collects the rows that have to be looked up in the store.
    ///
    /// - Parameter wasEmpty: Whether the store had no such objects when the import began. Then all that it has are this
    ///   import's own: unsaved, or those whose hashes were kept when they were made.
    private func collect(
        _ wanted: inout [RowReference], _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot, wasEmpty: Bool
    ) throws {
        let knowsAll = wasEmpty && (keepsObjects || made[plan.space].count < Self.madeLimit)
        for row in 0..<snapshot.tables[plan.number].count where !snapshot.tables[plan.number].flags[row].contains(.dead)
        {
            guard
                let hash = snapshot.identityHash(entity: plan.number, row: row, columns: plan.identityColumns)
            else { continue }
            let reference = RowReference(entity: plan.number, row: row)
            if objects[plan.number][row] != nil { continue }
            if let object = try unsavedObject(reference, plan, hash, snapshot) {
                objects[plan.number][row] = object
            } else if !knowsAll || !keepsObjects && !made[plan.space].insert(hash).inserted {
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
            guard !object.isDeleted, let entity = number(of: object), mapping.canBeSame(entity, plan.number)
            else { return false }
            for (number, value) in zip(plan.identity, values) {
                if try !object.holds(value, number, plan.properties[number]) { return false }
            }
            return true
        }
    }

    /// Fetches the objects of rows by their identities.
    private func fetch(
        _ wanted: ArraySlice<RowReference>, _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot
    ) throws {
        if try readStoredIdentities(plan) { return try fetchStored(wanted, plan, snapshot) }
        let request = NSFetchRequest<NSManagedObject>(entityName: plan.name)
        request.includesPendingChanges = false
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
            // An array of Foundation's is taken as it is; one of Swift's would be converted several times over.
            let list = NSArray(array: values)
            parts.append(NSPredicate(format: "%K IN %@", argumentArray: [plan.properties[number].name, list]))
        }
        request.predicate = parts.count == 1 ? parts[0] : NSCompoundPredicate(andPredicateWithSubpredicates: parts)
        for object in try fetch(request) where !object.isDeleted { try assign(object, plan, snapshot) }
    }

    /// Gives a fetched object to its row. Of several objects with the same identity, the first one fetched gets it.
    func assign(
        _ object: NSManagedObject, _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot
    ) throws {
        guard let entity = number(of: object) else { return }
        var hash = IdentityHash()
        var values: [GraphValue] = []
        for number in plan.identity {
            let value = try object.graphValue(number, plan.properties[number])
            if value.isNull { return }
            hash.combine(value)
            values.append(value)
        }
        for reference in snapshot.rows(
            withIdentity: values, hash: hash.value, columns: plan.identityColumns, plan.number)
        {
            guard mapping.canBeSame(entity, reference.entity), self.object(reference) == nil else { continue }
            objects[reference.entity][reference.row] = object
        }
    }

    // MARK: What was there before

    /// Enters the objects that were unsaved before the import began.
    func indexUnsavedObjects() {
        let pending = context.insertedObjects.union(context.updatedObjects)
        // A set has no order; where two objects have the same identity, the first one is taken.
        let ordered = pending.map { (uri: $0.objectID.uriRepresentation().absoluteString, object: $0) }
            .sorted { $0.uri < $1.uri }
        for (_, object) in ordered {
            guard let number = number(of: object) else { continue }
            enter(object, plans[number])
            if !plans[number].relatedIdentity.isEmpty { enterRelated(object, plans[number]) }
        }
    }

    /// Enters an unsaved object under its identity.
    func enter(_ object: NSManagedObject, _ plan: ImportPlan) {
        guard !plan.identity.isEmpty else { return }
        var hash = IdentityHash()
        for number in plan.identity {
            // An identity that can't be read isn't one.
            guard let value = try? object.graphValue(number, plan.properties[number]), !value.isNull else { return }
            hash.combine(value)
        }
        unsaved[plan.space].insert(object, hash: hash.value)
    }

    /// Forgets what the store didn't have: somebody else has written since.
    func storeHasChanged() {
        wasEmpty = wasEmpty.map { $0 == true ? nil : $0 }
        stored = stored.map { _ in nil }
        identityFetches = identityFetches.map { _ in 0 }
    }

    /// Whether the store had no objects of an entity when the import first asked.
    func isEmpty(_ plan: ImportPlan) throws -> Bool {
        if let known = wasEmpty[plan.number] { return known }
        let request = NSFetchRequest<NSManagedObject>(entityName: plan.name)
        request.includesPendingChanges = false
        request.fetchLimit = 1
        let isEmpty = try context.count(for: request) == 0
        wasEmpty[plan.number] = isEmpty
        return isEmpty
    }
}

extension GraphSnapshot {
    /// The rows with an identity: one, or several where entities that aren't related share it.
    func rows(withIdentity values: [GraphValue], hash: UInt64, columns: [Int], _ space: Int) -> [RowReference] {
        var found: [RowReference] = []
        _ = indexes[space].first(hash) { candidate in
            let isMatch = zip(columns, values).allSatisfy { column, value in
                tables[candidate.entity].value(column, row: candidate.row).isSameIdentity(as: value)
            }
            if isMatch { found.append(candidate) }
            return false
        }
        return found
    }
}
