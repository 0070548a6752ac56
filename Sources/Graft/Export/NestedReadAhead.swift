// Reading what a nested export is about to come to. The writer goes deep, from one object to the next, and would ask the store for
// each; this goes wide, from all that are known to be written soon to those that they lead to, with one question a level.

import CoreData

/// The objects that have been read for a nested export and not been written yet.
final class NestedReadAhead {
    /// How many objects are read at once, about.
    static let limit = 512
    /// How many may wait to be written. A walk that meets others nevertheless gets only what is near.
    static let capacity = 8 * limit
    private static let nearLimit = 32

    /// An object that is going to be nested.
    private struct Entry {
        let object: NSManagedObject
        /// How many levels of nested objects may follow.
        let remaining: Int
        /// The relationship that leads back to where it is met, which isn't written.
        let inverse: Int?
    }

    private struct Leaf {
        let key: ObjectIDKey
        let remaining: Int
        let inverse: Int?
    }

    private let plans: [ExportPlan]
    private let numbers: EntityNumbers
    /// By entity: the nested relationships whose objects can be met again.
    private let relationships: [[Int]]
    /// Kept alive until they are written.
    private var objects: [ObjectIDKey: NSManagedObject] = [:]
    /// Those whose relationships haven't been read; some may have been written since.
    private var leaves: [Leaf] = []

    init(_ plans: [ExportPlan], _ numbers: EntityNumbers, relationships: [[Int]]) {
        self.plans = plans
        self.numbers = numbers
        self.relationships = relationships
    }

    /// Whether an object has been read and not been written.
    func contains(_ key: ObjectIDKey) -> Bool { objects[key] != nil }

    /// Notes that an object is being written.
    func remove(_ key: ObjectIDKey) { objects[key] = nil }

    func removeAll() {
        objects.removeAll(keepingCapacity: true)
        leaves.removeAll()
    }

    /// Reads what an object and those that were read before lead to, until there is enough.
    ///
    /// - Parameters:
    ///   - remaining: How many levels of nested objects may follow the object; its members are read in any case.
    ///   - isWritten: Whether an object has been written in full, so that its identifier is enough.
    func read(
        from object: NSManagedObject, remaining: Int, cameFrom inverse: Int?,
        isWritten: (ObjectIDKey) -> Bool
    ) throws {
        guard let context = object.managedObjectContext else { return }
        let limit = objects.count < Self.capacity ? Self.limit : Self.nearLimit
        var frontier = [Entry(object: object, remaining: remaining, inverse: inverse)]
        // Those that were found last are written first.
        while frontier.count < limit, let leaf = leaves.popLast() {
            guard let found = objects[leaf.key], found !== object else { continue }
            frontier.append(Entry(object: found, remaining: leaf.remaining, inverse: leaf.inverse))
        }
        var count = 0
        while !frontier.isEmpty, count < limit {
            frontier = try level(after: frontier, in: context, isWritten)
            count += frontier.count
        }
        leaves += frontier.map {
            Leaf(key: $0.object.objectID.lookupKey, remaining: $0.remaining, inverse: $0.inverse)
        }
    }

    /// Reads the objects that some lead to, with their attributes.
    private func level(
        after frontier: [Entry], in context: NSManagedObjectContext, _ isWritten: (ObjectIDKey) -> Bool
    ) throws -> [Entry] {
        var found: [(id: NSManagedObjectID, remaining: Int, inverse: Int?)] = []
        var seen: Set<ObjectIDKey> = []
        let groups = Dictionary(grouping: frontier) { numbers[$0.object.entity] ?? -1 }
        for (plan, entries) in groups.sorted(by: { $0.key < $1.key }) where plan >= 0 {
            for number in relationships[plan] {
                let property = plans[plan].properties[number]
                let owners = entries.filter { $0.inverse != number && $0.remaining >= 0 }
                if property.isToMany { try context.readMemberIDs(number, property, of: owners.map(\.object)) }
                for owner in owners {
                    for id in owner.object.relatedIDs(number, property) {
                        let key = id.lookupKey
                        if isWritten(key) || objects[key] != nil || !seen.insert(key).inserted { continue }
                        found.append((id, owner.remaining - 1, property.inverse))
                    }
                }
            }
        }
        let read = try context.read(found.map(\.id))
        return zip(found, read).map { found, object in
            objects[found.id.lookupKey] = object
            return Entry(object: object, remaining: found.remaining, inverse: found.inverse)
        }
    }
}

extension NSManagedObject {
    /// The objects at the other end of a relationship.
    func relatedObjects(_ number: Int, _ property: GraphSchema.Property) -> [NSManagedObject] {
        property.isToMany ? members(number, property) : destination(number, property).map { [$0] } ?? []
    }
}
