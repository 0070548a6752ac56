// Identities that include a relationship: rows find their objects by their own key and by their owner's object, level by
// level, because the owner may be found the same way.

import CoreData
import Foundation

/// The identity of an object by its own values and the objects that it hangs on.
typealias RelatedObjectKey = OwnedIdentity<ObjectIdentifier?>

extension RelatedObjectKey {
    /// Whether nothing of it is there.
    var isEmpty: Bool { values.isEmpty && owners.allSatisfy { $0 == nil } }
}

extension ObjectMatcher {
    /// How many objects one fetch asks for.
    static let relatedFetchLimit = 20_000

    /// Gives rows their objects, as far as there are any; returns those that have got one.
    ///
    /// - Parameter rows: Those whose owner has no object yet are left: it may be found by its contents.
    @discardableResult
    func resolveRelatedIdentities(
        _ rows: inout [GraphSnapshot.RelatedRow], _ snapshot: borrowing GraphSnapshot
    ) throws -> [RowReference] {
        var levels: [[GraphSnapshot.RelatedRow]] = []
        for row in rows where object(row.reference) == nil {
            while levels.count <= row.level { levels.append([]) }
            levels[row.level].append(row)
        }
        rows.removeAll()
        for level in levels {
            var wanted: [Int: [RowReference]] = [:]
            for row in level {
                let reference = row.reference
                guard let key = key(of: reference, snapshot) else {
                    rows.append(row)
                    continue
                }
                if let object = memory.relatedObjects[key], isThere(object) {
                    objects[reference.entity][reference.row] = object
                } else if hasStoredOwners(reference, snapshot) {
                    wanted[plans[reference.entity].space, default: []].append(reference)
                }
            }
            for (space, rows) in wanted.sorted(by: { $0.key < $1.key }) {
                for batch in rows.batches(of: Self.relatedFetchLimit) { try fetch(batch, space, snapshot) }
            }
        }
        try resolveCircles(rows, snapshot)
        rows.removeAll { object($0.reference) != nil }
        return levels.joined().map(\.reference).filter { object($0) != nil }
    }

    /// Whether a row has all attributes of an identity that includes relationships, or an owner where there are none.
    func hasRelatedIdentity(_ plan: ImportPlan, _ row: Int, _ snapshot: borrowing GraphSnapshot) -> Bool {
        plan.properties.identify(by: plan.relatedIdentity) { _, property in
            property.isAttribute
                ? snapshot.tables[plan.number].value(property.column, row: row).isNull
                : snapshot.tables[plan.number].toOne(property.column, row: row).isNone
        }
    }

    /// What identifies a row; nil where an owner of it has no object yet, so that nothing can hang on it.
    private func key(of reference: RowReference, _ snapshot: borrowing GraphSnapshot) -> RelatedObjectKey? {
        let plan = plans[reference.entity]
        var key = RelatedObjectKey(space: plan.space)
        for part in plan.relatedIdentity {
            let column = plan.properties[part].column
            if plan.properties[part].isAttribute {
                key.values.append(ExactValue(snapshot.tables[reference.entity].value(column, row: reference.row)))
            } else {
                let owner = snapshot.tables[reference.entity].toOne(column, row: reference.row)
                if owner.isNone {
                    key.owners.append(nil)
                } else if let object = object(snapshot.resolved(owner)) {
                    key.owners.append(ObjectIdentifier(object))
                } else {
                    return nil
                }
            }
        }
        return key.isEmpty ? nil : key
    }

    /// The rows that a row's identity hangs on, with none for each owner that it lacks.
    func ownerRows(of reference: RowReference, _ snapshot: borrowing GraphSnapshot) -> [RowReference] {
        let plan = plans[reference.entity]
        var owners: [RowReference] = []
        for part in plan.relatedIdentity where !plan.properties[part].isAttribute {
            let owner = snapshot.tables[reference.entity].toOne(plan.properties[part].column, row: reference.row)
            owners.append(owner.isNone ? owner : snapshot.resolved(owner))
        }
        return owners
    }

    private func owners(of reference: RowReference, _ snapshot: borrowing GraphSnapshot) -> [NSManagedObject?] {
        ownerRows(of: reference, snapshot).map { $0.isNone ? nil : object($0) }
    }

    /// Whether the store knows the objects that a row hangs on; otherwise it can't have the row's.
    private func hasStoredOwners(_ reference: RowReference, _ snapshot: borrowing GraphSnapshot) -> Bool {
        owners(of: reference, snapshot).allSatisfy { $0.map { !$0.objectID.isTemporaryID } ?? true }
    }

    private func fetch(_ rows: [RowReference], _ space: Int, _ snapshot: borrowing GraphSnapshot) throws {
        let plan = plans[space]
        var byKey: [RelatedObjectKey: [RowReference]] = [:]
        var values: [[ExactValue]] = []
        var owners: [[NSManagedObject?]] = []
        for reference in rows {
            guard let key = key(of: reference, snapshot) else { continue }
            byKey[key, default: []].append(reference)
            values.append(key.values)
            owners.append(self.owners(of: reference, snapshot))
        }
        var parts: [NSPredicate] = []
        var (attribute, relationship) = (0, 0)
        for part in plan.relatedIdentity {
            let name = plan.properties[part].name
            if plan.properties[part].isAttribute {
                parts.append(.isOne(name, of: Set(values.map { $0[attribute] }).compactMap(\.value.object)))
                attribute += 1
            } else {
                let column = owners.map { $0[relationship] }
                let distinct = Dictionary(column.compactMap { $0 }.map { ($0.objectID, $0) }) { first, _ in first }
                parts.append(.isOne(name, of: Array(distinct.values), orNil: column.contains { $0 == nil }))
                relationship += 1
            }
        }
        for object in try known.fetch(known.request(space, where: parts)) {
            guard let key = try key(of: object, plan), let entity = number(of: object) else { continue }
            for reference in byKey[key] ?? [] where mapping.canBeSame(entity, reference.entity) {
                if let other = self.object(reference) {
                    notePassedOver(object.objectID, entity, other.objectID)
                } else {
                    objects[reference.entity][reference.row] = object
                }
            }
        }
    }

    /// What identifies an object; nil where a part is missing.
    func key(of object: NSManagedObject, _ plan: ImportPlan) throws -> RelatedObjectKey? {
        var key = RelatedObjectKey(space: plan.space)
        for part in plan.relatedIdentity {
            if plan.properties[part].isAttribute {
                let value = try object.graphValue(part, plan.properties[part])
                if value.isNull { return nil }
                key.values.append(ExactValue(value))
            } else {
                key.owners.append(object.destination(part, plan.properties[part]).map(ObjectIdentifier.init))
            }
        }
        return key.isEmpty ? nil : key
    }

    /// Enters the new object of a row, after all of the batch has been connected.
    func enterRelated(_ reference: RowReference, _ snapshot: borrowing GraphSnapshot) {
        guard let object = object(reference), let key = key(of: reference, snapshot) else { return }
        memory.relatedObjects[key] = object
        // It isn't what another row means that says the same.
        if hangsOnContents(reference, snapshot) { memory.taken.insert(object.objectID.lookupKey) }
    }

    /// Enters an object that was unsaved before the import began.
    func enterRelated(_ object: NSManagedObject, _ plan: ImportPlan) {
        // An identity that can't be read isn't one.
        guard let key = try? key(of: object, plan) else { return }
        memory.relatedObjects[key] = object
    }
}
