// Nested objects without identity stand for those that their owner has, by the rule that imports have
// (Matching/ObjectMatcher+Members.swift): decoding the same data again changes nothing. That needs the values of all members at
// once, so they are read first. Those whose identity includes their owner are found by it: +Owners.

import CoreData

extension ManagedObjectDecoder {
    /// A nested object whose attributes were read.
    struct Member {
        let container: Container
        let plan: CodingPlan
        var values: [Value] = []
    }

    /// What a relationship of an object that was there leads to.
    func members(
        _ relationship: CodingPlan.Relationship, _ containers: [Container], of owner: NSManagedObject, _ nesting: Int
    ) throws -> [NSManagedObject] {
        var members: [Member] = []
        members.reserveCapacity(containers.count)
        for container in containers {
            let plan = try plan(for: container, expected: relationship.destination, nesting: nesting)
            var member = Member(container: container, plan: plan)
            try readAttributes(plan.top, in: container, plan, into: &member.values)
            members.append(member)
        }
        var found: [Int: NSManagedObject] = [:]
        if options.existingObjects != .insert {
            var unidentified: [Int] = []
            var rows: [DecodedObjects.MemberRow] = []
            for (index, member) in members.enumerated() {
                guard Self.identity(of: member.plan, in: member.values) == nil else { continue }
                let ends = try knownEnds(of: member, nesting)
                if Self.namesOwner(member, ends, beside: relationship.property.inverse) { continue }
                unidentified.append(index)
                let others = member.plan.top.relationships.filter { relationship in
                    !relationship.isToMany && member.container.contains(relationship.key)
                        && !ends.contains { $0.number == relationship.number }
                }
                rows.append(
                    .init(
                        place: index, entity: member.plan.number, values: member.values, ends: ends,
                        others: others.map(\.number)))
            }
            for (index, object) in zip(
                unidentified, try known.members(rows, relationship.number, relationship.property, of: owner))
            {
                found[index] = object
            }
        }
        let back = back(relationship, to: owner)
        return try members.enumerated().map { index, member in
            let (object, count) =
                member.plan.entity.relatedIdentity.isEmpty
                ? try update(found[index], with: member) : try findOrMake(member, back, found: found[index], nesting)
            if member.plan.top.hasRelationships {
                try readRelationships(
                    member.plan, in: member.container, of: object, knownCount: count, nesting: nesting)
            }
            return object
        }
    }

    /// What the to-one relationships of a member lead to, as far as an identity tells that.
    func knownEnds(of member: Member, _ nesting: Int) throws -> [DecodedObjects.MemberRow.End] {
        var ends: [DecodedObjects.MemberRow.End] = []
        for relationship in member.plan.top.relationships
        where !relationship.isToMany && member.container.contains(relationship.key) {
            if try member.container.decodeNil(forKey: relationship.key) {
                ends.append((relationship.number, .nothing))
                continue
            }
            let nested = try member.container.nestedContainer(
                keyedBy: CodingPlan.Key.self, forKey: relationship.key)
            let plan = try plan(for: nested, expected: relationship.destination, nesting: nesting + 1)
            var values: [Value] = []
            try readAttributes(plan.top, in: nested, plan, into: &values)
            guard let identity = Self.identity(of: plan, in: values) else {
                let member = Member(container: nested, plan: plan, values: values)
                if let object = try relatedObject(member, nesting + 1) {
                    ends.append((relationship.number, .object(object)))
                }
                continue
            }
            let known = try known.object(identity, plan.number)
            ends.append(
                (relationship.number, known.map { .object($0.object) } ?? .new(entity: plan.number, identity)))
        }
        return ends
    }

    /// Sets the values of a member that was found, or of the object that has its identity or is made for it.
    func update(
        _ found: NSManagedObject?, with member: Member
    ) throws -> (object: NSManagedObject, knownCount: Int?) {
        guard let found else { return try findOrMake(member.plan, member.values, member.container) }
        let count = member.plan.entity.properties.count
        try update(found, member.plan, member.values, count, member.container)
        return (found, count)
    }
}
