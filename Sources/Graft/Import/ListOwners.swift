// Relationships to many objects that have no inverse. A SQLite store keeps one column for such a list in the table of its members, so
// that an object is in the list of one owner; a context, and a store in memory, would keep it in several. What an import says is the
// same for all of them: the last list that names an object has it, and the owner that had it before has it no more.

import CoreData

/// Which owners' lists objects are in, as far as that is known.
struct ListOwners {
    /// An object in the lists of a relationship.
    struct Place: Hashable {
        var member: ObjectIDKey
        /// The topmost entity that has the relationship, and its number there.
        var entity: Int
        var relationship: Int

        init(_ member: NSManagedObject, _ entity: Int, _ relationship: Int) {
            self.member = member.objectID.lookupKey
            self.entity = entity
            self.relationship = relationship
        }
    }

    private var owners: [Place: NSManagedObject] = [:]
    /// The most objects that one fetch asks the owners of.
    private static let portion = 20_000

    /// Notes whose list objects are in.
    mutating func note(_ owner: NSManagedObject, of members: [NSManagedObject], _ number: Int, _ entity: Int) {
        for member in members { owners[Place(member, entity, number)] = owner }
    }

    /// Lets objects be where those were, or have what those had, whose place they have taken.
    mutating func take(_ replaced: [Replacement]) {
        if owners.isEmpty { return }
        let members = Dictionary(
            replaced.map { ($0.old.objectID.lookupKey, $0.new.objectID.lookupKey) }
        ) { first, _ in first }
        let successors = replaced.successors
        for (place, owner) in owners {
            let (member, successor) = (members[place.member], successors[ObjectIdentifier(owner)])
            if member == nil, successor == nil { continue }
            var place = place
            owners[place] = nil
            if let member { place.member = member }
            owners[place] = successor ?? owner
        }
    }

    /// Forgets what belongs to a saved batch.
    mutating func removeAll() { owners.removeAll() }
}

extension ListOwners {
    /// Notes what unsaved objects have: no fetch finds the owners of unsaved members.
    mutating func noteUnsaved(_ known: ContextObjects) {
        for owner in known.pendingObjects where !owner.isDeleted {
            guard let entity = known.number(of: owner) else { continue }
            for (number, property) in known.schema.entities[entity].properties.enumerated()
            where property.isToMany && property.inverse == nil {
                note(
                    owner, of: owner.members(number, property), number,
                    known.schema.declaringEntity(of: number, entity))
            }
        }
    }

    /// Reads who has stored objects in the lists of a relationship.
    mutating func read(_ members: [NSManagedObject], _ number: Int, _ entity: Int, _ known: ContextObjects) throws {
        let entity = known.schema.declaringEntity(of: number, entity)
        let property = known.schema.entities[entity].properties[number]
        let wanted = members.distinctObjects.filter { member in
            !member.objectID.isTemporaryID && owners[Place(member, entity, number)] == nil
        }
        for part in wanted.batches(of: Self.portion) {
            let hasOne = NSPredicate(
                format: "ANY %K IN %@", argumentArray: [property.name, NSArray(array: Array(part))])
            for owner in try known.fetch(known.request(entity, where: [hasOne], includesUnsaved: true)) {
                note(owner, of: owner.members(number, property), number, entity)
            }
        }
    }

    /// Takes the members of an object out of the lists of others.
    mutating func claim(
        _ members: [NSManagedObject], _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject,
        _ known: ContextObjects, _ editor: ObjectEditor
    ) throws {
        guard property.inverse == nil, let entity = known.number(of: object) else { return }
        let declaring = known.schema.declaringEntity(of: number, entity)
        var losers: [NSManagedObject] = []
        for member in members {
            let place = Place(member, declaring, number)
            if let other = owners[place], other !== object, !other.isDeleted { losers.append(other) }
            owners[place] = object
        }
        let claimed = Set(members.map(ObjectIdentifier.init))
        for loser in losers.distinctObjects {
            let left = loser.members(number, property).filter { !claimed.contains(ObjectIdentifier($0)) }
            try editor.connect(number, property, of: loser, to: left)
        }
    }
}

extension BatchImporter {
    /// Reads who has the objects that a batch puts into lists.
    func readListOwners(_ snapshot: borrowing GraphSnapshot) throws {
        var members: [GraphSnapshot.Column: [NSManagedObject]] = [:]
        func add(_ range: MemberRange, _ column: GraphSnapshot.Column, _ snapshot: borrowing GraphSnapshot) {
            members[column, default: []] += range.indices.compactMap { object(snapshot.resolved(snapshot.members[$0])) }
        }
        for (entity, plan) in plans.enumerated() {
            for number in plan.oneSidedLists {
                let declaring = schema.declaringEntity(of: number, entity)
                let column = GraphSnapshot.Column(entity: declaring, property: number)
                for row in 0..<snapshot.tables[entity].count where snapshot.tables[entity].hasValue(number, row: row) {
                    add(snapshot.tables[entity].toMany(plan.properties[number].column, row: row), column, snapshot)
                }
            }
        }
        for statement in snapshot.earlier {
            let (entity, number) = (statement.cell.row.entity, statement.cell.property)
            guard plans[entity].oneSidedLists.contains(number) else { continue }
            add(
                statement.members, .init(entity: schema.declaringEntity(of: number, entity), property: number), snapshot
            )
        }
        for (column, members) in members { try readOwners(of: members, column.property, column.entity) }
    }

    /// Reads who has objects in the lists of a relationship.
    func readOwners(of members: [NSManagedObject], _ number: Int, _ entity: Int) throws {
        try listOwners.read(members, number, entity, matcher.known)
    }

    /// Takes the members of an object out of the lists of others.
    func claim(
        _ members: [NSManagedObject], _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject
    ) throws {
        try listOwners.claim(members, number, property, of: object, matcher.known, editor)
    }
}
