// The two sides of a relationship in a migration by objects. Each has a mapping of its own, and setting one side sets the other. Where the
// two carry over what were the two sides of one relationship, they say the same. Where they don't, each has links of its own, and what one
// says is added to what the other has said (LinkMigration.swift does the same where rows are moved).
//
//     version 1   Author.books, Book.author: neither is the other's inverse       version 2   Author.books <-> Book.author
//
// An expression that does anything else than carry over chooses what it leads to, on its side and on the other.

import Foundation

extension MigrationRun {
    /// Whether what a mapping gives for a relationship is added to what the mappings of its inverse have given.
    func addsLinks(
        _ relationship: NSRelationshipDescription, _ property: NSPropertyMapping, in mapping: NSEntityMapping
    ) -> Bool {
        if let known = linkAdditions[ObjectIdentifier(property)] { return known }
        let adds = isAdded(relationship, property, in: mapping)
        linkAdditions[ObjectIdentifier(property)] = adds
        return adds
    }

    private func isAdded(
        _ relationship: NSRelationshipDescription, _ property: NSPropertyMapping, in mapping: NSEntityMapping
    ) -> Bool {
        guard let inverse = relationship.inverseRelationship, let destination = relationship.destinationEntity,
            let old = carriedRelationship(property, mapping)
        else { return false }
        let others = (mappingModel.entityMappings ?? []).filter { other in
            other.sourceEntityName != nil
                && manager.destinationEntity(for: other)?.isKindOf(entity: destination) ?? false
        }
        var isToldTwice = true
        for other in others {
            let back = other.relationshipMappings?.first { $0.name == inverse.name }
            let carried = back.flatMap { carriedRelationship($0, other) }
            // It chooses.
            if back?.valueExpression != nil, carried == nil { return false }
            if carried == nil || carried !== old.inverseRelationship { isToldTwice = false }
        }
        return !isToldTwice
    }

    /// The relationship of the source whose objects a mapping carries over as they are; nil where it does something else.
    private func carriedRelationship(
        _ property: NSPropertyMapping, _ mapping: NSEntityMapping
    ) -> NSRelationshipDescription? {
        property.valueExpression?.carriedRelationship.flatMap {
            manager.sourceEntity(for: mapping)?.relationshipsByName[$0]
        }
    }
}
