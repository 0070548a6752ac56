// Filling faults: the row of an object, the destinations of a to-one relationship, the members of a to-many one. Each asks
// the store for some of the objects that were fetched together at once.

import Foundation

extension NSManagedObjectContext {
    /// Gets the row of a fault, and those of other faults of its batch.
    ///
    /// Where the row is gone the object becomes a deleted one with nil values (`shouldDeleteInaccessibleFaults`).
    func loadRow(of object: NSManagedObject) {
        var wanted = [object.id]
        if let batch = object.batch {
            wanted += batch.readingAlong(withPosition: object.batchPosition, .row) { id in
                guard let other = registry.object(for: id.key) else { return nil }
                return other.isFault && !other.state.contains(.hasRow) ? id : nil
            }
        }
        let rows = readOrStop("the object \(object.id.uriRepresentation().absoluteString)", of: object) {
            try Self.together(wanted) { try requiredSource.rows(withIDs: $0, for: self) }
        }
        guard let rows else { return object.becomeEmpty() }
        for row in rows {
            guard let target = registeredObject(for: row.objectID), !target.state.contains(.hasRow) else { continue }
            target.take(row)
        }
        if !object.state.contains(.hasRow) { noteMissingRow(of: object) }
    }

    /// Reads for an object and those that are read along with it; where that fails for it alone, so that what is damaged fails
    /// nothing beside it.
    private static func together<Item, T>(_ items: [Item], _ read: ([Item]) throws -> T) throws -> T {
        guard items.count > 1 else { return try read(items) }
        do { return try read(items) } catch { return try read([items[0]]) }
    }

    private func noteMissingRow(of object: NSManagedObject) {
        guard shouldHandleInaccessibleFault(object, for: object.id, triggeredByProperty: nil) else {
            let text = "The row of \(object.id) is gone and shouldDeleteInaccessibleFaults is off."
            guard let faultFailures else { fatalError(text) }
            faultFailures.note(CoreDataError.make(.managedObjectReferentialIntegrity, text), object)
            return object.becomeEmpty()
        }
        object.becomeEmpty()
        object.state.formUnion([.deleted, .rowless])
        // Whoever asks for the object may be in the middle of a list with it.
        inaccessible.append(object)
    }

    /// The object at the other end of a to-one relationship. Other objects of the batch get theirs too, as faults that will be
    /// filled together.
    func resolveDestinations(of object: NSManagedObject, slot: Int, id: NSManagedObjectID) -> NSManagedObject {
        let destination = self.object(with: id)
        object.fillIn(slot, .object(destination))
        guard let batch = object.batch, destination.isFault, destination.batch == nil else { return destination }
        var faults = FaultBatches(distance: batch.distance + 1)
        faults.add(destination)
        let siblings = siblings(of: object, slot, .relationship(slot: slot)) { sibling in
            if case .objectID = sibling.values[slot] { true } else { false }
        }
        for sibling in siblings {
            guard case .objectID(let other) = sibling.values[slot] else { continue }
            let target = self.object(with: other)
            sibling.fillIn(slot, .object(target))
            faults.add(target)
        }
        return destination
    }

    /// Reads the members of a to-many relationship of an object, and of others in its batch that haven't got theirs.
    func readMembers(of object: NSManagedObject, slot: Int) {
        object.realize()
        guard object.values[slot].isRelationshipFault,
            let relationship = object.layout.slots[slot].relationship
        else { return }
        if case .memberIDs = object.values[slot] { return makeMembers(of: object, slot: slot) }
        let read: Void? = readOrStop("the relationship '\(relationship.name)'", of: object, slot) {
            try Self.together(owners(with: object, slot)) {
                try readMembers(of: $0, slot: slot, relationship: relationship)
            }
        }
        if read == nil { object.fillIn(slot, .objects(ToManyMembers())) }
    }

    /// Reads which members a to-many relationship of an object has, and of others in its batch, without making objects for them.
    func readMemberIDs(of object: NSManagedObject, slot: Int) {
        guard case .unread = object.values[slot], let relationship = object.layout.slots[slot].relationship else {
            return
        }
        let read: Void? = readOrStop("the relationship '\(relationship.name)'", of: object, slot) {
            try Self.together(owners(with: object, slot)) { try readMemberIDs(of: $0, slot: slot) }
        }
        if read == nil { object.fillIn(slot, .memberIDs([])) }
    }

    /// Reads which members a to-many relationship of objects of one entity has, with one question, without making objects for
    /// them. Where they are known, or the relationship has been changed, nothing is read.
    package func readMemberIDs(of owners: [NSManagedObject], slot: Int) throws {
        let unread = owners.filter { owner in
            owner.realize()
            if case .unread(let delta) = owner.values[slot] { return delta?.isEmpty ?? true }
            return false
        }
        guard let relationship = unread.first?.layout.slots[slot].relationship else { return }
        let lists = try members(of: relationship, owners: unread.map(\.id))
        for (owner, ids) in zip(unread, lists) { owner.fillIn(slot, .memberIDs(ids)) }
    }

    /// An object and others of its batch whose members nobody knows yet.
    private func owners(with object: NSManagedObject, _ slot: Int) -> [NSManagedObject] {
        [object]
            + siblings(of: object, slot, .relationship(slot: slot)) { other in
                if case .unread = other.values[slot] { !other.isFault || other.state.contains(.hasRow) } else { false }
            }
    }

    /// The others of an object's batch, with the same property in a slot, that are read along with it.
    private func siblings(
        of object: NSManagedObject, _ slot: Int, _ part: FetchBatch.Part, where isWanted: (NSManagedObject) -> Bool
    ) -> [NSManagedObject] {
        guard let batch = object.batch else { return [] }
        let property = object.layout.slots[slot].property
        return batch.readingAlong(withPosition: object.batchPosition, part) { id in
            guard let other = registry.object(for: id.key), other !== object, slot < other.values.count,
                other.layout.slots[slot].property === property, isWanted(other)
            else { return nil }
            return other
        }
    }

    /// Makes the members of a to-many relationship whose IDs are known, and those of others in the batch.
    private func makeMembers(of object: NSManagedObject, slot: Int) {
        let owners =
            [object]
            + siblings(of: object, slot, .members(slot: slot)) { other in
                if case .memberIDs = other.values[slot] { true } else { false }
            }
        let lists = owners.map { owner -> [NSManagedObjectID] in
            if case .memberIDs(let ids) = owner.values[slot] { ids } else { [] }
        }
        enter(lists, of: owners, slot: slot)
    }

    /// Reads the members of a to-many relationship of objects that haven't got theirs.
    func readMembers(of owners: [NSManagedObject], slot: Int, relationship: NSRelationshipDescription) throws {
        enter(try members(of: relationship, owners: owners.map(\.id)), of: owners, slot: slot)
    }

    private func enter(_ lists: [[NSManagedObjectID]], of owners: [NSManagedObject], slot: Int) {
        var faults = FaultBatches(distance: (owners.first?.batch?.distance ?? 0) + 1)
        for (owner, ids) in zip(owners, lists) {
            let members = ids.map { id in
                let object = self.object(with: id)
                faults.add(object)
                return object
            }
            fill(owner, slot: slot, with: members)
        }
    }

    /// Enters members as read, and reapplies what was changed before they were, on either side.
    private func fill(_ owner: NSManagedObject, slot: Int, with stored: [NSManagedObject]) {
        enter(stored, in: owner, slot: slot)
        guard hasAnyChanges, !owner.isDeleted, let inverse = owner.layout.inverses[slot] else { return }
        for member in stored where member.deniesBeing(in: owner, inverse) { owner.takeOut(slot, member) }
    }

    private func enter(_ stored: [NSManagedObject], in owner: NSManagedObject, slot: Int) {
        let members = ToManyMembers(unique: stored)
        guard case .unread(let delta?) = owner.values[slot], !delta.isEmpty else {
            if owner.values[slot].isRelationshipFault { owner.fillIn(slot, .objects(members)) }
            return
        }
        owner.committed[slot] = .objects(members)
        let isOrdered = owner.layout.slots[slot].kind == .toMany(ordered: true)
        var current = ToManyMembers(
            unique: members.objects.filter {
                !delta.removed.contains($0) && !(isOrdered && delta.hasReturned($0))
            })
        let inverse = owner.layout.inverses[slot], isDecided = owner.layout.slots[slot].isDecidedByMembers
        if !isDecided, let inverse {
            // What is known now to be no change isn't one at the other end either.
            for object in delta.added.objects where members.contains(object) {
                object.settle(owner, inverse, isMember: true)
            }
            for object in delta.removed.objects where !members.contains(object) {
                object.settle(owner, inverse, isMember: false)
            }
        }
        for object in delta.added.objects {
            // What has left and come back is a member if it still was one.
            if isDecided, let inverse, delta.hasReturned(object), !members.contains(object),
                object.isFault || !object.leads(inverse, to: owner)
            {
                continue
            }
            current.append(object)
        }
        owner.values[slot] = .objects(current)
    }

    /// Reading a fault has no way to throw in Core Data's API, which raises; a store that fails to read stops the process
    /// with its error. Whoever wants to handle it fetches instead, or collects failures.
    ///
    /// - Parameters:
    ///   - object: Whose values, or members in a slot, are read; nil where others than its own are.
    /// - Returns: Nil where the failure has been noted.
    func readOrStop<T>(
        _ what: String, of object: NSManagedObject?, _ slot: Int? = nil, _ read: () throws -> T
    ) -> T? {
        do {
            return try read()
        } catch {
            if let faultFailures {
                faultFailures.note(error, object, slot)
                return nil
            }
            fatalError("Core Data could not fulfill a fault: \(what) can't be read. \(error)")
        }
    }

    /// Keeps a fault that somebody has had filled, without asking for a value, until the queue gets to its next block, as Objective-C's
    /// pools do: who fills faults for a merge to see them (`object(with: id).willAccessValue(forKey: nil)`) doesn't hold them.
    func keepForNow(_ object: NSManagedObject) {
        guard confinement.isCurrent else { return }
        if accessed.isEmpty { confinement.queue.async { [weak self] in self?.accessed.removeAll() } }
        accessed.append(object)
    }
}
