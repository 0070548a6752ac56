// The relationships of an object that is decoded, after its attributes.

import CoreData
import Foundation

extension ManagedObjectDecoder {
    /// What was read of a relationship.
    private struct Link {
        var relationship: CodingPlan.Relationship
        var ends: [NSManagedObject]
    }

    /// Reads the relationships of an object. What has been said of it within itself is said before it ends: then all is set again.
    ///
    /// - Parameter knownCount: How many properties an object has that was there; nil for a new one.
    func readRelationships(
        _ plan: CodingPlan, in container: Container, of object: NSManagedObject, knownCount: Int?, nesting: Int
    ) throws {
        var links: [Link] = []
        let isMentioned = try known.whileOpen(object) {
            try readRelationships(
                plan.top, in: container, of: object, knownCount: knownCount, nesting: nesting, &links)
        }
        guard isMentioned else { return }
        var values: [Value] = []
        try readAttributes(plan.top, in: container, plan, into: &values)
        try update(object, plan, values, knownCount ?? plan.entity.properties.count, container)
        for link in links { try connect(link.relationship, of: object, to: link.ends, isNew: false) }
    }

    private func readRelationships(
        _ level: CodingPlan.Level, in container: Container, of object: NSManagedObject, knownCount: Int?, nesting: Int,
        _ links: inout [Link]
    ) throws {
        for relationship in level.relationships where container.contains(relationship.key) {
            if relationship.ignoresNull, try container.decodeNil(forKey: relationship.key) { continue }
            let isNew = isNew(relationship, of: object, knownCount: knownCount)
            if let knownCount, relationship.number >= knownCount {
                if try container.decodeNil(forKey: relationship.key) { continue }
                throw Self.leftOut(relationship.property, of: object, container)
            }
            let ends = try ends(relationship, in: container, of: object, isNew: isNew, nesting)
            try connect(relationship, of: object, to: ends, isNew: isNew)
            links.append(Link(relationship: relationship, ends: ends))
        }
        for (key, level) in level.steps where level.hasRelationships && container.contains(key) {
            if try container.decodeNil(forKey: key) {
                try clearRelationships(level, of: object, knownCount: knownCount, &links)
                continue
            }
            let below = try container.nestedContainer(keyedBy: CodingPlan.Key.self, forKey: key)
            try readRelationships(level, in: below, of: object, knownCount: knownCount, nesting: nesting, &links)
        }
    }

    /// Null on the way to relationships is null for them.
    private func clearRelationships(
        _ level: CodingPlan.Level, of object: NSManagedObject, knownCount: Int?, _ links: inout [Link]
    ) throws {
        for relationship in level.relationships
        where relationship.number < knownCount ?? .max && !relationship.ignoresNull {
            try connect(
                relationship, of: object, to: [], isNew: isNew(relationship, of: object, knownCount: knownCount))
            links.append(Link(relationship: relationship, ends: []))
        }
        for (_, level) in level.steps { try clearRelationships(level, of: object, knownCount: knownCount, &links) }
    }

    /// Whether a relationship has nothing to lose. A new object that is mentioned within itself has got members there.
    private func isNew(
        _ relationship: CodingPlan.Relationship, of object: NSManagedObject, knownCount: Int?
    ) -> Bool {
        knownCount == nil && object.relatedObjects(relationship.number, relationship.property).isEmpty
    }

    private func connect(
        _ relationship: CodingPlan.Relationship, of object: NSManagedObject, to ends: [NSManagedObject], isNew: Bool
    ) throws {
        let (number, property) = (relationship.number, relationship.property)
        // First, while only their owners have them.
        if relationship.isToMany, property.inverse == nil {
            try known.claim(ends, number, property, of: object, editor)
        }
        let old =
            relationship.isToMany
            ? try editor.connect(number, property, of: object, to: ends, isNew: isNew)
            : try editor.connect(number, property, of: object, to: ends.first, isNew: isNew)
        try known.noteReferences(to: ends, number, property, of: object)
        if !isNew, property.isOwning, let old { try known.noteGivenUp(old, but: ends, number, of: object) }
    }

    /// What a relationship leads to: one object at most, where it is a to-one relationship.
    ///
    /// - Parameter isNew: Whether the object that has it has nothing there yet.
    private func ends(
        _ relationship: CodingPlan.Relationship, in container: Container, of owner: NSManagedObject, isNew: Bool,
        _ nesting: Int
    ) throws -> [NSManagedObject] {
        if try container.decodeNil(forKey: relationship.key) { return [] }
        let back = back(relationship, to: owner)
        func object(in nested: Container) throws -> NSManagedObject {
            try self.object(in: nested, expected: relationship.destination, back, nesting: nesting + 1)
        }
        if !relationship.isToMany {
            let nested = try container.nestedContainer(keyedBy: CodingPlan.Key.self, forKey: relationship.key)
            return isNew ? [try object(in: nested)] : try members(relationship, [nested], of: owner, nesting + 1)
        }
        var list = try container.nestedUnkeyedContainer(forKey: relationship.key)
        var ends: [NSManagedObject] = []
        var containers: [Container] = []
        while !list.isAtEnd {
            let nested = try list.nestedContainer(keyedBy: CodingPlan.Key.self)
            if isNew { ends.append(try object(in: nested)) } else { containers.append(nested) }
        }
        return isNew ? ends : try members(relationship, containers, of: owner, nesting + 1)
    }
}
