// What the importer needs of an entity, laid out for its inner loops.

import CoreData

/// The properties of one entity as the importer uses them.
final class ImportPlan {
    let number: Int
    let name: String
    let isAbstract: Bool
    let properties: [GraphSchema.Property]
    /// The number of the entity at the top of the identity space.
    let space: Int
    /// The numbers and the columns of the identifying attributes.
    let identity: [Int]
    let identityColumns: [Int]
    /// The numbers of the properties that identify, where relationships are among them.
    let relatedIdentity: [Int]
    /// Whether an owner in an object's identity may hang on that object itself.
    let ownersMayLeadRound: Bool
    /// One bit for each identifying attribute, in as many words as a row has.
    let identityPresence: [UInt64]
    /// The numbers of the relationships.
    let relationships: [Int]
    /// The numbers of the to-many relationships without inverse.
    let oneSidedLists: [Int]
    /// Whether objects may be nested in this entity's that have no identity of their own.
    let hasUnidentifiedMembers: Bool
    /// By number of the property.
    let referencePolicies: [MappingOptions.ReferencePolicy]
    let membersPolicies: [MappingOptions.MembersPolicy]
    /// The number of the attribute that tells an object's version.
    let version: Int?
    /// Whether objects may be found that aren't of this entity: only those of related ones are.
    let mayFindOthers: Bool
    /// Whether a row of the store tells all that counts: there are no versions, and only objects of this entity are found.
    let isComparable: Bool
    let entityChangePolicy: MappingOptions.EntityChangePolicy
    let orphans: EntityMapping.Orphans?
    let deletionLimit: MappingOptions.DeletionLimit?
    /// Whether references from here don't always make objects.
    let hasReferencePolicies: Bool

    init(_ number: Int, in mapping: GraphMapping) {
        let entity = mapping.schema.entities[number]
        let mapped = mapping.entities[number]
        self.number = number
        name = entity.name
        isAbstract = entity.isAbstract
        properties = entity.properties
        space = entity.identitySpace
        identity = entity.identity
        identityColumns = entity.identityColumns
        relatedIdentity = entity.relatedIdentity
        ownersMayLeadRound = mapping.schema.ownersMayLeadRound(from: number)
        var presence = [UInt64](repeating: 0, count: (entity.properties.count + 63) / 64)
        for property in entity.identity { presence[property / 64] |= 1 << UInt64(property % 64) }
        identityPresence = presence
        relationships = entity.properties.indices.filter { !entity.properties[$0].isAttribute }
        oneSidedLists = entity.properties.indices.filter {
            entity.properties[$0].isToMany && entity.properties[$0].inverse == nil
        }
        hasUnidentifiedMembers = !relationships.isEmpty
        let policies = mapped.properties.map { $0?.referencePolicy ?? .stub }
        referencePolicies = policies
        hasReferencePolicies =
            policies.contains { $0 != .stub }
            || entity.properties.contains { property in
                property.destination.map { mapping.schema.entities[$0].isAbstract } ?? false
            }
        membersPolicies = mapped.properties.map { $0?.membersPolicy ?? .replace }
        version = mapped.version
        entityChangePolicy = mapped.entityChangePolicy
        mayFindOthers = entity.parent != nil || mapped.entityChangePolicy != .keep
        isComparable = version == nil && !mayFindOthers && entity.end == number + 1
        orphans = mapped.orphans
        deletionLimit = mapped.deletionLimit
    }

    /// Whether a row says nothing of its object but which it is.
    func isReference(_ row: Int, _ snapshot: borrowing GraphSnapshot) -> Bool {
        !snapshot.tables[number].flags[row].contains(.root) && hasIdentityAlone(row, snapshot)
    }

    /// Whether a row is only the identifiers of records, which don't say what else its object has.
    func isBare(_ row: Int, _ snapshot: borrowing GraphSnapshot) -> Bool {
        snapshot.tables[number].flags[row].contains(.bare) && hasIdentityAlone(row, snapshot)
    }

    private func hasIdentityAlone(_ row: Int, _ snapshot: borrowing GraphSnapshot) -> Bool {
        if identity.isEmpty { return false }
        let words = snapshot.tables[number].wordCount
        for word in 0..<words
        where snapshot.tables[number].presence[row * words + word] != identityPresence[word] { return false }
        return true
    }

    /// What becomes of a reference from here, by a relationship's number: no stub can be made of an abstract entity, so that its
    /// object has to come.
    func referencePolicy(_ number: Int, to end: ImportPlan) -> MappingOptions.ReferencePolicy {
        let policy = referencePolicies[number]
        return policy == .stub && end.isAbstract ? .fail : policy
    }

    /// Whether objects may be deleted because the data doesn't mention them.
    var deletes: Bool { orphans != nil || membersPolicies.contains(.replaceAndDelete) }
}
