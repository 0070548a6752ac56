// References to objects that aren't there, for relationships whose policy isn't to make stubs. They are linked as soon as a batch
// brings their object, before anything that the batch itself says, so that it makes no difference which batch that is; and those that
// wait are tried again at the end of the import, when all texts have been read. PendingReference.swift keeps them.

import CoreData
import Foundation

extension BatchImporter {
    /// By entity and row: whether a reference leads there that makes a stub.
    func wantedRows(_ snapshot: borrowing GraphSnapshot) -> [[Bool]] {
        var wanted = snapshot.tables.map { [Bool](repeating: false, count: $0.count) }
        for (entity, plan) in plans.enumerated() {
            for number in plan.relationships where plan.referencePolicies[number] == .stub {
                let property = plan.properties[number]
                for row in 0..<snapshot.tables[entity].count where snapshot.tables[entity].hasValue(number, row: row) {
                    // An object that is left alone refers to nobody.
                    if states[entity][row].contains(.outdated) || snapshot.tables[entity].flags[row].contains(.dead) {
                        continue
                    }
                    for end in snapshot.destinations(of: RowReference(entity: entity, row: row), property) {
                        wanted[end.entity][end.row] = true
                    }
                }
            }
        }
        // What was said before counts as well: it had been made then.
        for statement in snapshot.earlier {
            let (row, number) = (statement.cell.row, statement.cell.property)
            guard plans[row.entity].referencePolicies[number] == .stub else { continue }
            let owner = snapshot.resolved(row)
            if states[owner.entity][owner.row].contains(.outdated) { continue }
            for end in snapshot.ends(of: statement) {
                let target = snapshot.resolved(end)
                wanted[target.entity][target.row] = true
            }
        }
        // Nobody can make them.
        for plan in plans where plan.isAbstract {
            wanted[plan.number] = [Bool](repeating: false, count: wanted[plan.number].count)
        }
        return wanted
    }

    /// Notes that the object of a reference isn't there; returns whether the relationship waits for it.
    func waits(
        _ number: Int, of owner: NSManagedObject, _ row: Int, _ plan: ImportPlan, for end: RowReference,
        at position: Int?, following present: Int = 0, _ snapshot: borrowing GraphSnapshot
    ) -> Bool {
        let end = snapshot.resolved(end)
        let policy = plan.referencePolicy(number, to: plans[end.entity])
        let identity = snapshot.identity(of: end)
        pending.append(
            PendingReference(
                owner: owner, ownerID: owner.objectID, entity: plan.number, relationship: number,
                destination: ImportReport.UnresolvedReference.Object(
                    entity: plans[end.entity].name, identity: identity), position: position, present: present,
                policy: policy, source: sourceNumber, offset: snapshot.tables[plan.number].knownOffset(row)),
            space: plans[end.entity].space)
        return policy != .link
    }

    /// The entity that a row's object is made of: the sub-entity that references name which wait for it, as if they were in the same
    /// batch.
    func awaitedEntity(_ row: Int, _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot) -> Int {
        guard schema.entities[plan.number].end > plan.number + 1,
            let hash = snapshot.identityHash(entity: plan.number, row: row, columns: plan.identityColumns)
        else { return plan.number }
        let identity = snapshot.identity(of: RowReference(entity: plan.number, row: row))
        var entity = plan.number
        for index in pending.indices(waitingFor: hash, plan.space) {
            let destination = pending[index].destination
            guard let number = schema.number(ofEntity: destination.entity), schema.isEntity(number, kindOf: entity),
                !plans[number].isAbstract,
                zip(destination.identity, identity).allSatisfy({ $0.isSameIdentity(as: $1) })
            else { continue }
            entity = number
        }
        return entity
    }

    /// Links what waited for the objects that this batch has made: what the batch itself says comes after it.
    func connectArrived(_ snapshot: borrowing GraphSnapshot) throws {
        if !pending.isWaiting { return }
        var arrived: [(index: Int, object: NSManagedObject)] = []
        for (entity, plan) in plans.enumerated() where !plan.identity.isEmpty {
            for row in 0..<snapshot.tables[entity].count where states[entity][row].contains(.new) {
                guard
                    let object = matcher.objects[entity][row],
                    let hash = snapshot.identityHash(entity: entity, row: row, columns: plan.identityColumns)
                else { continue }
                let identity = snapshot.identity(of: RowReference(entity: entity, row: row))
                for index in pending.indices(waitingFor: hash, plan.space)
                where isSame(pending[index].destination, entity, identity) {
                    arrived.append((index, object))
                }
            }
        }
        try connect(arrived.sorted { $0.index < $1.index })
    }

    private func isSame(
        _ destination: ImportReport.UnresolvedReference.Object, _ entity: Int, _ identity: [GraphValue]
    ) -> Bool {
        guard let wanted = schema.number(ofEntity: destination.entity), matcher.mapping.canBeSame(entity, wanted) else {
            return false
        }
        return zip(destination.identity, identity).allSatisfy { $0.isSameIdentity(as: $1) }
    }

    /// Lets the references of earlier imports wait, before anything else is said: what this one says of the same relationships counts.
    func takeEarlier(_ references: [ImportReport.UnresolvedReference]) throws {
        ownerless = try enter(references, isLate: false)
    }

    /// Lets references wait whose owner is there; returns the other ones.
    ///
    /// - Parameter isLate: Whether their owner has come since: then what has been said of it counts.
    private func enter(
        _ references: [ImportReport.UnresolvedReference], isLate: Bool
    ) throws -> [ImportReport.UnresolvedReference] {
        var left: [ImportReport.UnresolvedReference] = []
        var entered: [PendingReference] = []
        for (reference, found) in zip(references, try matcher.find(references.map(\.owner))) {
            guard let owner = try found ?? owner(at: reference.ownerURI), let entity = number(of: owner),
                let number = schema.entities[entity].number(ofProperty: reference.relationship),
                !schema.entities[entity].properties[number].isAttribute
            else {
                // Its owner may come later, too.
                left.append(reference)
                continue
            }
            if isLate,
                pending.isKnown(number, of: owner)
                    || !owner.relatedObjects(number, plans[entity].properties[number]).isEmpty
            {
                continue
            }
            entered.append(
                PendingReference(
                    owner: owner, ownerID: owner.objectID, entity: entity, relationship: number,
                    destination: reference.destination, position: reference.position, policy: .defer, source: 0))
        }
        for reference in entered {
            let destination = schema.number(ofEntity: reference.destination.entity)
            pending.append(reference, space: destination.map { plans[$0].space })
        }
        return left
    }

    /// Tries all references that wait, and those of earlier imports, once more.
    ///
    /// - Returns: Those that wait for an object still, each once.
    /// - Throws: ``GraftError`` with `unresolvedReference` for the first one that must not fail and does, unless all are noted.
    func resolvePending() throws -> [ImportReport.UnresolvedReference] {
        let unresolved = try enter(ownerless, isLate: true)
        let tried = pending.all.indices.filter { pending[$0].policy != .link && !pending[$0].isResolved }
        let found = zip(tried, try matcher.find(tried.map { pending[$0].destination }))
            .compactMap { index, object in object.map { (index: index, object: $0) } }
        try readListOwners(of: found)
        try connect(found)
        let left = try pending.all.compactMap { reference in
            try reference.isResolved ? nil : owner(of: reference).map { (reference: reference, owner: $0) }
        }
        for (failed, _) in left where failed.policy == .fail {
            let destination = failed.destination
            let error = GraftError(
                .unresolvedReference(entity: destination.entity, identity: destination.identity.words),
                at: .init(
                    byteOffset: failed.offset, entity: plans[failed.entity].name,
                    property: plans[failed.entity].properties[failed.relationship].name))
            try refuse(error, source: failed.source)
        }
        var seen: Set<ImportReport.UnresolvedReference> = []
        return try (unresolved + left.map { try described($0, of: $1) }).filter { seen.insert($0).inserted }
    }

    /// Reads who has objects in lists without inverse that are about to be put into another one.
    private func readListOwners(of found: [(index: Int, object: NSManagedObject)]) throws {
        var objects: [GraphSnapshot.Column: [NSManagedObject]] = [:]
        for (index, object) in found {
            let reference = pending[index]
            guard plans[reference.entity].oneSidedLists.contains(reference.relationship) else { continue }
            objects[.init(entity: reference.entity, property: reference.relationship), default: []].append(object)
        }
        for (column, objects) in objects { try readOwners(of: objects, column.property, column.entity) }
    }

    /// Links references to their objects, which are there now: those of one relationship at once that the data has one after the other. Of two
    /// owners the last one counts.
    private func connect(_ arrived: [(index: Int, object: NSManagedObject)]) throws {
        var rest = arrived[...]
        while let first = rest.first {
            let cell = pending.cell(of: first.index)
            let run = rest.prefix { pending.cell(of: $0.index) == cell }
            rest = rest[run.endIndex...]
            try connect(Array(run), cell)
        }
    }

    private func connect(
        _ arrived: [(index: Int, object: NSManagedObject)], _ cell: PendingReferences.Cell
    ) throws {
        var positions = pending.arrivedPositions(in: cell)
        // Objects of two entities may be meant by one: the first one is.
        var taken: Set<Int> = []
        let arrived = arrived.filter { !pending[$0.index].isResolved && taken.insert($0.index).inserted }
        for (index, _) in arrived { (pending[index].isResolved, pending[index].isConnected) = (true, true) }
        guard let first = arrived.first.map({ pending[$0.index] }), let owner = try owner(of: first),
            let entity = number(of: owner)
        else { return }
        let property = plans[entity].properties[first.relationship]
        var members = property.isToMany ? owner.members(first.relationship, property) : []
        var known = Set(members.map(ObjectIdentifier.init))
        for (index, object) in arrived where property.isToMany {
            // Behind those of the list that were there, and behind those that have arrived since and are named before it.
            let position = pending[index].position
            let before = positions.count(below: position ?? .max)
            positions.insert(position ?? .max, at: before)
            guard known.insert(ObjectIdentifier(object)).inserted else { continue }
            let place = position.map { position in pending[index].present.map { $0 + before } ?? position }
            members.insert(object, at: min(place ?? members.count, members.count))
        }
        let isChanged: Bool
        do {
            isChanged =
                try property.isToMany
                ? connect(first.relationship, property, of: owner, to: members, isNew: false)
                : connect(first.relationship, property, of: owner, to: arrived.last?.object, isNew: false)
        } catch var error as GraftError {
            error.place.byteOffset = error.place.byteOffset ?? first.offset
            return try refuse(error, source: first.source)
        }
        guard isChanged else { return }
        tally.touched.append(.init(object: owner, isStub: false, source: first.source, offset: first.offset ?? -1))
        tally.countKnown(owner.objectID.lookupKey, entity, isChanged: true)
    }

    private func described(
        _ reference: PendingReference, of owner: NSManagedObject
    ) throws -> ImportReport.UnresolvedReference {
        let plan = plans[reference.entity]
        let identity = try plan.identity.map { try owner.graphValue($0, plan.properties[$0]) }
        let id = owner.objectID
        return ImportReport.UnresolvedReference(
            owner: ImportReport.UnresolvedReference.Object(entity: plan.name, identity: identity),
            ownerURI: id.isTemporaryID ? nil : id.uriRepresentation(),
            relationship: plan.properties[reference.relationship].name, destination: reference.destination,
            position: reference.position)
    }

    /// The object that a reference is one of; nil where it is gone, or the data says that it goes: it has no references any more.
    private func owner(of reference: PendingReference) throws -> NSManagedObject? {
        guard let owner = try reference.owner ?? existing(reference.ownerID) else { return nil }
        return matcher.isThere(owner) && deletions.ends[ObjectIdentifier(owner)] == nil ? owner : nil
    }

    /// The object with an ID; nil for one that isn't there any more.
    private func existing(_ id: NSManagedObjectID) throws -> NSManagedObject? {
        if id.isTemporaryID { return context.registeredObject(for: id) }
        do {
            return try context.existingObject(with: id)
        } catch let error as NSError
            where error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectReferentialIntegrityError
        {
            return nil
        }
    }

    /// The object at a URI; nil for one that isn't there any more.
    private func owner(at uri: URL?) throws -> NSManagedObject? {
        guard let uri, let id = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri) else {
            return nil
        }
        return try existing(id)
    }
}

extension [Int] {
    /// How many numbers of an ascending list are less than one.
    fileprivate func count(below limit: Int) -> Int {
        var range = startIndex..<endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = self[middle] < limit ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
