// How each relationship of the destination gets its objects: column by column where both versions keep it alike, else
// through a table of links (LinkMigration.swift).

import Foundation

/// What the relationships of a destination are made from.
struct RelationshipPlan {
    /// A relationship whose links are gathered first and then written.
    struct Job {
        /// The side from which it is told: the master of a join table, the to-many side of a column, else the to-one.
        let relationship: NSRelationshipDescription
        /// The entity that declares it.
        let owner: SQLEntity
        let inverse: NSRelationshipDescription?
        let isLinkTable: Bool

        var isOwnInverse: Bool { relationship === inverse }
    }

    private(set) var jobs: [Job] = []
    private let matching: ModelMatching
    private var direct: Set<ObjectIdentifier> = []

    init(matching: ModelMatching, destination: SQLSchema) {
        self.matching = matching
        for entity in destination.entities {
            let own = entity.description.ownProperties.compactMap { $0 as? NSRelationshipDescription }
                .filter { !$0.isTransient && entity.property(named: $0.name) != nil }
                .sorted { SQLNaming.precedes($0.name, $1.name) }
            for relationship in own { add(relationship, of: entity) }
        }
    }

    /// Whether a to-one relationship's column can be copied as it is.
    func isDirect(_ relationship: NSRelationshipDescription) -> Bool { direct.contains(ObjectIdentifier(relationship)) }

    private mutating func add(_ relationship: NSRelationshipDescription, of entity: SQLEntity) {
        let inverse = relationship.inverseRelationship.flatMap { $0.isTransient ? nil : $0 }
        switch entity.property(named: relationship.name) {
        case .toMany(let toMany):
            if case .joinTable(let join) = toMany.storage {
                if join.isMaster { addJob(relationship, entity, inverse, isLinkTable: true) }
            } else if inverse == nil {
                addJob(relationship, entity, nil)
            } else if let inverse, !isCopyable(inverse) {
                addJob(relationship, entity, inverse)
            }
        case .toOne:
            let isOneToOne = inverse.map { !$0.isToMany } ?? false
            if isCopyable(relationship), !isOneToOne || inverse.map(isCopyable) ?? true {
                direct.insert(ObjectIdentifier(relationship))
            } else if inverse == nil {
                addJob(relationship, entity, nil)
            } else if let inverse, isOneToOne, isFirst(relationship, inverse) {
                addJob(relationship, entity, inverse)
            }
        case .attribute, nil: break
        }
    }

    private mutating func addJob(
        _ relationship: NSRelationshipDescription, _ owner: SQLEntity, _ inverse: NSRelationshipDescription?,
        isLinkTable: Bool = false
    ) {
        jobs.append(Job(relationship: relationship, owner: owner, inverse: inverse, isLinkTable: isLinkTable))
    }

    /// Of two to-one sides one tells for both: the one that existed before.
    private func isFirst(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) -> Bool {
        let (mine, theirs) = (sources(of: one).isEmpty, sources(of: other).isEmpty)
        if mine != theirs { return !mine }
        let names = [one, other].map { "\($0.owner?.name ?? "").\($0.name)" }
        return one === other || SQLNaming.precedes(names[0], names[1])
    }

    /// What a relationship was in each entity that has it and existed before.
    func sources(of relationship: NSRelationshipDescription) -> [(match: EntityMatch, old: NSRelationshipDescription)] {
        guard let owner = relationship.owner else { return [] }
        return matching.matches(under: owner).compactMap { match in
            match.relationships[relationship.name].map { (match, $0) }
        }
    }

    /// Whether a to-one relationship was one before, with the same kind of inverse.
    private func isCopyable(_ relationship: NSRelationshipDescription) -> Bool {
        let sources = sources(of: relationship)
        guard let inverse = relationship.inverseRelationship else { return sources.allSatisfy { !$0.old.isToMany } }
        let others = self.sources(of: inverse)
        // The other side may have links that this one's column doesn't tell.
        let areTold = others.allSatisfy { other in sources.contains { $0.old.inverseRelationship === other.old } }
        if sources.isEmpty || !areTold { return sources.isEmpty && others.isEmpty }
        return sources.allSatisfy { source in
            if source.old.isToMany { return false }
            if inverse.isToMany { return !inverse.isOrdered || source.old.inverseRelationship?.isOrdered ?? false }
            guard let oldInverse = source.old.inverseRelationship, !oldInverse.isToMany else { return false }
            return others.contains { $0.old === oldInverse }
        }
    }
}
