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
            wanted += batch.readingAlong(with: object.id, .row) { id in
                guard let other = registry.object(for: id.key) else { return nil }
                return other.isFault && !other.state.contains(.hasRow) ? id : nil
            }
        }
        let rows = readOrStop("the object \(object.id.uriRepresentation().absoluteString)") {
            try requiredSource.rows(withIDs: wanted, for: self)
        }
        for row in rows {
            guard let target = registeredObject(for: row.objectID), !target.state.contains(.hasRow) else { continue }
            target.take(row)
        }
        if !object.state.contains(.hasRow) { inaccessible(object) }
    }

    private func inaccessible(_ object: NSManagedObject) {
        guard shouldDeleteInaccessibleFaults else {
            fatalError("The row of \(object.id) is gone and shouldDeleteInaccessibleFaults is off.")
        }
        object.values = object.layout.slots.map { $0.isToMany ? .objects(ToManyMembers()) : .null }
        object.committed = object.values
        object.state.insert(.deleted)
    }

    /// The object at the other end of a to-one relationship. Other objects of the batch get theirs too, as faults that will be
    /// filled together.
    func resolveDestinations(of object: NSManagedObject, slot: Int, id: NSManagedObjectID) -> NSManagedObject {
        let destination = self.object(with: id)
        object.fillIn(slot, .object(destination))
        guard let batch = object.batch, destination.isFault, destination.batch == nil else { return destination }
        var ids = [id]
        var faults = [destination]
        var seen: Set<ObjectKey> = [id.key]
        let siblings = batch.readingAlong(with: object.id, .relationship(slot: slot)) { siblingID in
            guard let sibling = registry.object(for: siblingID.key), sibling !== object,
                slot < sibling.values.count, sibling.layout.slots[slot].property === object.layout.slots[slot].property,
                case .objectID(let other) = sibling.values[slot]
            else { return nil as (NSManagedObject, NSManagedObjectID)? }
            return (sibling, other)
        }
        for (sibling, other) in siblings {
            let target = self.object(with: other)
            sibling.fillIn(slot, .object(target))
            if target.isFault, target.batch == nil, seen.insert(other.key).inserted {
                ids.append(other)
                faults.append(target)
            }
        }
        let shared = FetchBatch(ids: ids, distance: batch.distance + 1)
        for fault in faults { fault.batch = shared }
        return destination
    }

    /// Reads the members of a to-many relationship of an object, and of others in its batch that haven't got theirs.
    func readMembers(of object: NSManagedObject, slot: Int) {
        object.realize()
        guard case .unread = object.values[slot], let relationship = object.layout.slots[slot].relationship else {
            return
        }
        var owners = [object]
        if let batch = object.batch {
            owners += batch.readingAlong(with: object.id, .relationship(slot: slot)) { id in
                guard let other = registry.object(for: id.key), other !== object, slot < other.values.count,
                    other.layout.slots[slot].property === object.layout.slots[slot].property,
                    case .unread = other.values[slot], !other.isFault || other.state.contains(.hasRow)
                else { return nil }
                return other
            }
        }
        readOrStop("the relationship '\(relationship.name)'") {
            try readMembers(of: owners, slot: slot, relationship: relationship)
        }
    }

    /// Reads the members of a to-many relationship of objects that haven't got theirs.
    func readMembers(of owners: [NSManagedObject], slot: Int, relationship: NSRelationshipDescription) throws {
        let lists = try requiredSource.members(of: relationship, owners: owners.map(\.id), for: self)
        let distance = (owners.first?.batch?.distance ?? 0) + 1
        var unread: [NSManagedObjectID] = []
        var objects: [[NSManagedObject]] = []
        for list in lists {
            objects.append(
                list.map { id in
                    let object = self.object(with: id)
                    if object.isFault, object.batch == nil { unread.append(id) }
                    return object
                })
        }
        for start in stride(from: 0, to: unread.count, by: FetchBatch.limit) {
            let shared = FetchBatch(
                ids: Array(unread[start..<min(start + FetchBatch.limit, unread.count)]), distance: distance)
            for id in shared.ids { registry.object(for: id.key)?.batch = shared }
        }
        for (owner, members) in zip(owners, objects) { fill(owner, slot: slot, with: members) }
    }

    /// Enters members as read, and reapplies what was changed before they were.
    private func fill(_ owner: NSManagedObject, slot: Int, with stored: [NSManagedObject]) {
        guard case .unread(let delta) = owner.values[slot] else { return }
        let members = ToManyMembers(unique: stored)
        guard let delta, !delta.isEmpty else { return owner.fillIn(slot, .objects(members)) }
        owner.committed[slot] = .objects(members)
        var current = members
        let isOrdered = owner.layout.slots[slot].kind == .toMany(ordered: true)
        for object in delta.removed.objects { current.remove(object, keepingOrder: isOrdered) }
        for object in delta.added.objects { current.append(object) }
        owner.values[slot] = .objects(current)
    }

    /// Reading a fault has no way to throw in Core Data's API, which raises; a store that fails to read stops the process
    /// with its error. Whoever wants to handle it fetches instead.
    private func readOrStop<T>(_ what: String, _ read: () throws -> T) -> T {
        do {
            return try read()
        } catch {
            fatalError("Core Data could not fulfill a fault: \(what) can't be read. \(error)")
        }
    }
}
