// Relationships: set where the other end is there, kept as numbers where it isn't yet.

import CoreData
import Foundation

/// An object that may have lost its partner in a one-to-one relationship.
struct FormerPartner {
    var object: NSManagedObjectID
    /// The relationship's number in the schema.
    var property: Int
}

/// Relationships that wait for objects which come later in the archive.
struct PendingLinks {
    struct Link {
        var owner: Int32
        /// The relationship's number in the schema.
        var property: Int32
        /// Where its members are among `members`.
        var start: Int
        var count: Int32
    }

    var links: [Link] = []
    /// Those without which an object can't be saved.
    var mandatory: [Link] = []
    var members: [Int32] = []

    mutating func append(_ owner: Int, _ property: Int, _ ends: [Int], isMandatory: Bool = false) {
        let link = Link(
            owner: Int32(owner), property: Int32(property), start: members.count, count: Int32(ends.count))
        members += ends.map { Int32($0) }
        if isMandatory { mandatory.append(link) } else { links.append(link) }
    }

    func members(of link: Link) -> [Int] {
        members[link.start..<(link.start + Int(link.count))].map { Int($0) }
    }
}

extension GraftError {
    /// A reference to an object that isn't in the archive.
    static var missingReference: GraftError {
        GraftError(.damagedArchive(found: "a reference to an object that isn't in the archive", expected: "one"))
    }

    /// A reference to an object of an entity that a relationship can't lead to.
    static func misledReference(
        to end: NSEntityDescription, _ property: GraphSchema.Property, _ schema: GraphSchema,
        from entity: NSEntityDescription
    ) -> GraftError {
        GraftError(
            .damagedArchive(
                found: "a reference to an object of '\(end.name ?? "")'",
                expected: "one of '\(property.destination.map { schema.entities[$0].name } ?? "")'"),
            at: .init(entity: entity.name, property: property.name))
    }
}

extension ArchiveRestorer {
    // MARK: Setting

    /// Sets the relationships of a record, or keeps them for later.
    func link(_ record: ArchiveRecord) throws {
        guard let entity = match.entities[record.entity] else { return }
        for (column, destination) in record.destinations.enumerated() {
            guard let number = entity.toOnes[column] else { continue }
            let members = destination == ArchiveRecord.none ? [] : [destination]
            try link(record.number, entity.number, number, members)
        }
        for (column, members) in record.members.enumerated() {
            guard let number = entity.toManys[column] else { continue }
            try link(record.number, entity.number, number, members)
        }
    }

    private func link(_ owner: Int, _ entity: Int, _ number: Int, _ members: [Int]) throws {
        let property = schema.entities[entity].properties[number]
        if members.isEmpty, !matched.contains(owner) { return }
        guard let objects = objects(members) else {
            return pending.append(owner, number, members, isMandatory: savesBatches && !property.isOptional)
        }
        guard let object = live[owner] else { return }
        try set(number, property, of: object, owner, to: objects)
    }

    /// The objects with these numbers, without those that were dropped; nil while one isn't there.
    private func objects(_ numbers: [Int]) -> [NSManagedObject]? {
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(numbers.count)
        for number in numbers {
            if let object = live[number] {
                objects.append(object)
            } else if !dropped.contains(number) {
                return nil
            }
        }
        return objects
    }

    private func set(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject, _ owner: Int,
        to objects: [NSManagedObject]
    ) throws {
        if let destination = objects.first(where: { !editor.canLead(property, to: $0) }) {
            throw GraftError.misledReference(to: destination.entity, property, schema, from: object.entity)
        }
        let saysBothEnds = match.saysBothEnds(of: property)
        if saysBothEnds { noteDisplaced(number, property, of: object, by: objects.first) }
        let old =
            property.isToMany
            ? try editor.connect(number, property, of: object, to: objects)
            : try editor.connect(number, property, of: object, to: objects.first, setsBothEnds: !saysBothEnds)
        if old != nil { changed.insert(owner) }
    }

    // MARK: Former partners

    /// Notes who loses its partner where one end of a link is set alone: the archive may say nothing of it.
    private func noteDisplaced(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject, by destination: NSManagedObject?
    ) {
        guard let inverse = property.inverse, let back = schema.inverse(of: property) else { return }
        let old = object.destination(number, property)
        if old === destination { return }
        if let old { displaced.append(.init(object: old.objectID, property: inverse)) }
        if let other = destination?.destination(inverse, back), other !== object {
            displaced.append(.init(object: other.objectID, property: number))
        }
    }

    /// Frees those of the noted objects that the archive doesn't have, and that lead to what doesn't lead back any more.
    func freeDisplaced() throws {
        if displaced.isEmpty { return }
        let archived = taken.union(ids.present).union(live.present.map(\.objectID))
        for end in displaced where !archived.contains(end.object) {
            // Where batches are saved, what had no row was the archive's, and has another ID now.
            if savesBatches, end.object.isTemporaryID { continue }
            let object = try context.existingObject(with: end.object)
            guard let entity = known.number(of: object) else { continue }
            let property = schema.entities[entity].properties[end.property]
            guard let partner = object.destination(end.property, property), let inverse = property.inverse,
                let back = schema.inverse(of: property), partner.destination(inverse, back) !== object
            else { continue }
            try editor.connect(end.property, property, of: object, to: nil, setsBothEnds: false)
        }
        displaced.removeAll()
    }

    // MARK: Later

    /// Sets what saving waits for, as far as the objects are there now. Nothing has been saved since it began to wait.
    func linkMandatory() throws {
        if pending.mandatory.isEmpty { return }
        let waiting = pending.mandatory
        pending.mandatory.removeAll()
        for link in waiting {
            if try !set(link) { pending.mandatory.append(link) }
        }
    }

    private func set(_ link: PendingLinks.Link) throws -> Bool {
        guard let object = live[Int(link.owner)], let objects = objects(pending.members(of: link)),
            let entity = known.number(of: object)
        else { return false }
        let number = Int(link.property)
        try set(number, schema.entities[entity].properties[number], of: object, Int(link.owner), to: objects)
        return true
    }

    /// Sets everything that is still waiting: all objects have come.
    ///
    /// - Parameter didLink: Is called after each batch.
    func linkRest(_ didLink: () throws -> Void) throws {
        matched = Set(pending.links.map { Int($0.owner) })
        var start = 0
        while start < pending.links.count {
            let end = min(start + max(1, options.batchSize), pending.links.count)
            let links = pending.links[start..<end]
            try load(Set(links.flatMap { [Int($0.owner)] + pending.members(of: $0) }))
            for link in links {
                if dropped.contains(Int(link.owner)) { continue }
                guard try set(link) else { throw GraftError.missingReference }
            }
            try didLink()
            start = end
        }
        pending = PendingLinks()
    }

    // MARK: Saved objects

    /// Fetches the saved objects that a batch refers to.
    func loadDestinations(of records: [ArchiveRecord]) throws {
        guard savesBatches else { return }
        var wanted: Set<Int> = []
        for record in records {
            for number in record.destinations where number != ArchiveRecord.none && live[number] == nil {
                wanted.insert(number)
            }
            for members in record.members { for number in members where live[number] == nil { wanted.insert(number) } }
        }
        try load(wanted)
    }

    /// Fetches saved objects; those that aren't saved yet are left out.
    private func load(_ numbers: Set<Int>) throws {
        guard savesBatches else { return }
        var wanted: [Int: [(number: Int, id: NSManagedObjectID)]] = [:]
        for number in numbers.sorted() where live[number] == nil {
            guard let id = ids[number], var entity = schema.number(ofEntity: id.entity.name ?? "") else { continue }
            while let parent = schema.entities[entity].parent { entity = parent }
            wanted[entity, default: []].append((number, id))
        }
        for (entity, objects) in wanted.sorted(by: { $0.key < $1.key }) {
            let fetched = try known.fetch(objects.map(\.id), of: entity)
            try withExtendedLifetime(fetched) {
                for (number, id) in objects {
                    guard let object = context.registeredObject(for: id) else {
                        throw GraftError(.conflict(reason: "an object that was just restored has been deleted"))
                    }
                    enter(object, number)
                }
            }
        }
    }
}
