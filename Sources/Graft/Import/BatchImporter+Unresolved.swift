// References to objects that aren't there, for relationships whose policy isn't to make stubs: left out, or tried again at the
// end of the import, when all texts have been read.

import CoreData
import Foundation

/// A reference that waits for its object.
struct PendingReference {
    /// The object that refers; nil after it has been saved and let go.
    var owner: NSManagedObject?
    /// Its ID, which is permanent as soon as it has been saved.
    var ownerID: NSManagedObjectID
    var entity: Int
    var relationship: Int
    var destination: ImportReport.UnresolvedReference.Object
    var position: Int?
    var policy: MappingOptions.ReferencePolicy
    /// Where the owner stands in its text.
    var source: Int
    var offset: Int?
    var isResolved = false

    mutating func letGoOfOwner() {
        if let owner { ownerID = owner.objectID }
        owner = nil
    }
}

extension BatchImporter {
    /// By entity and row: whether a reference leads there that makes a stub.
    func wantedRows(_ snapshot: borrowing GraphSnapshot) -> [[Bool]] {
        var wanted = snapshot.tables.map { [Bool](repeating: false, count: $0.count) }
        for (entity, plan) in plans.enumerated() {
            for number in plan.relationships where plan.referencePolicies[number] == .stub {
                let column = plan.properties[number].column
                for row in 0..<snapshot.tables[entity].count where snapshot.tables[entity].hasValue(number, row: row) {
                    if plan.properties[number].isToMany {
                        for index in snapshot.tables[entity].toMany(column, row: row).indices {
                            let end = snapshot.resolved(snapshot.members[index])
                            wanted[end.entity][end.row] = true
                        }
                    } else {
                        let end = snapshot.tables[entity].toOne(column, row: row)
                        if end.isNone { continue }
                        let target = snapshot.resolved(end)
                        wanted[target.entity][target.row] = true
                    }
                }
            }
        }
        return wanted
    }

    /// Notes that the object of a reference isn't there; returns whether the relationship waits for it.
    func waits(
        _ number: Int, of owner: NSManagedObject, _ row: Int, _ plan: ImportPlan, for end: RowReference,
        at position: Int?, _ snapshot: borrowing GraphSnapshot
    ) -> Bool {
        let end = snapshot.resolved(end)
        let policy = plan.referencePolicies[number]
        let identity = snapshot.identity(of: end)
        pending.append(
            PendingReference(
                owner: owner, ownerID: owner.objectID, entity: plan.number, relationship: number,
                destination: ImportReport.UnresolvedReference.Object(
                    entity: plans[end.entity].name, identity: identity), position: position,
                policy: policy, source: sourceNumber, offset: snapshot.tables[plan.number].knownOffset(row)))
        return policy != .link
    }

    /// Tries all references that wait, and those of earlier imports, once more.
    ///
    /// - Throws: ``GraftError`` with `unresolvedReference` for the first one that must not fail and does.
    func resolvePending(_ earlier: [ImportReport.UnresolvedReference]) throws -> [ImportReport.UnresolvedReference] {
        var unresolved: [ImportReport.UnresolvedReference] = []
        let owners = try matcher.find(earlier.map(\.owner))
        for (reference, found) in zip(earlier, owners) {
            guard let owner = try found ?? owner(at: reference.ownerURI), let entity = number(of: owner),
                let number = schema.entities[entity].number(ofProperty: reference.relationship),
                !schema.entities[entity].properties[number].isAttribute
            else {
                // Its owner may come later, too.
                unresolved.append(reference)
                continue
            }
            pending.append(
                PendingReference(
                    owner: owner, ownerID: owner.objectID, entity: entity, relationship: number,
                    destination: reference.destination, position: reference.position, policy: .defer, source: 0))
        }
        let tried = pending.indices.filter { pending[$0].policy != .link }
        for (index, object) in zip(tried, try matcher.find(tried.map { pending[$0].destination })) {
            guard let object else { continue }
            try connect(pending[index], to: object)
            pending[index].isResolved = true
        }
        if let failed = pending.first(where: { !$0.isResolved && $0.policy == .fail }) {
            let identity = failed.destination.identity.map(\.description).joined(separator: ", ")
            sourceNumber = failed.source
            throw GraftError(
                .unresolvedReference(entity: failed.destination.entity, identity: identity),
                at: .init(
                    byteOffset: failed.offset, entity: plans[failed.entity].name,
                    property: plans[failed.entity].properties[failed.relationship].name))
        }
        return try unresolved + pending.filter { !$0.isResolved }.map(described)
    }

    private func connect(_ reference: PendingReference, to object: NSManagedObject) throws {
        guard let owner = try reference.owner ?? existing(reference.ownerID), let entity = number(of: owner) else {
            return
        }
        let plan = plans[entity]
        let property = plan.properties[reference.relationship]
        var isChanged = false
        if property.isToMany {
            var members = owner.members(reference.relationship, property)
            if members.contains(where: { $0 === object }) { return }
            members.insert(object, at: min(reference.position ?? members.count, members.count))
            isChanged = try connect(reference.relationship, property, of: owner, to: members, isNew: false)
        } else {
            isChanged = try connect(reference.relationship, property, of: owner, to: object, isNew: false)
        }
        guard isChanged else { return }
        if !tally.touched.contains(where: { $0.object === owner }) {
            tally.touched.append(
                .init(object: owner, isStub: false, source: reference.source, offset: reference.offset ?? -1))
        }
        tally.countKnown(owner, entity, isChanged: true)
    }

    private func described(_ reference: PendingReference) throws -> ImportReport.UnresolvedReference {
        let plan = plans[reference.entity]
        var identity: [GraphValue] = []
        let owner = try reference.owner ?? existing(reference.ownerID)
        if let owner { identity = try plan.identity.map { try owner.graphValue($0, plan.properties[$0]) } }
        let id = owner?.objectID ?? reference.ownerID
        return ImportReport.UnresolvedReference(
            owner: ImportReport.UnresolvedReference.Object(entity: plan.name, identity: identity),
            ownerURI: id.isTemporaryID ? nil : id.uriRepresentation(),
            relationship: plan.properties[reference.relationship].name, destination: reference.destination,
            position: reference.position)
    }

    private func existing(_ id: NSManagedObjectID) throws -> NSManagedObject? {
        id.isTemporaryID ? context.registeredObject(for: id) : try context.existingObject(with: id)
    }

    /// The object at a URI; nil for one that isn't there any more.
    private func owner(at uri: URL?) throws -> NSManagedObject? {
        guard let uri, let id = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri) else {
            return nil
        }
        // A deleted object has no references any more.
        return try? context.existingObject(with: id)
    }
}
