// Objects whose identity includes their owner. Who is nested in the owner needn't name it; anywhere else, the data names it by its
// identity. Either way it is the object that the owner has, or one that the same data has made a moment ago.

import CoreData

extension ManagedObjectDecoder {
    typealias End = DecodedObjects.MemberRow.End

    /// Where the inverse of a relationship leads from the objects that are nested in an object.
    func back(_ relationship: CodingPlan.Relationship, to owner: NSManagedObject) -> End? {
        relationship.property.inverse.map { ($0, .object(owner)) }
    }

    /// Returns the object that has the identity of a member, or a new one, and sets the values.
    ///
    /// - Parameters:
    ///   - back: Where the inverse of the relationship leads that the member is nested in.
    ///   - found: The object, where it is known already.
    /// - Returns: As ``findOrMake(_:_:_:)``.
    func findOrMake(
        _ member: Member, _ back: End?, found: NSManagedObject? = nil, _ nesting: Int
    ) throws -> (object: NSManagedObject, knownCount: Int?) {
        guard options.existingObjects != .insert else { return try update(nil, with: member) }
        let named = try knownEnds(of: member, nesting)
        var ends = named
        if let back, !named.contains(where: { $0.number == back.number }) { ends.append(back) }
        let object = try found ?? decoded(member, ends) ?? memberOfOwner(member, named)
        let made = try update(object, with: member)
        // Where nothing is said of an owner, a new object has none.
        if let key = Self.key(of: member, ends, takesAbsentAsNone: made.knownCount == nil) {
            related[key] = made.object
        }
        return made
    }

    /// Whether a member has its whole identity, with an owner that the data names, and not by the relationship that it is nested in.
    static func namesOwner(_ member: Member, _ ends: [End], beside inverse: Int?) -> Bool {
        let entity = member.plan.entity
        guard !entity.relatedIdentity.isEmpty, inverse.map({ !entity.relatedIdentity.contains($0) }) ?? true else {
            return false
        }
        return entity.identityRelationships.allSatisfy { part in ends.contains { $0.number == part } }
            && values(of: member).allSatisfy { !$0.isNull }
    }

    /// The object that the same data has made or found.
    private func decoded(_ member: Member, _ ends: [End]) -> NSManagedObject? {
        guard let key = Self.key(of: member, ends, takesAbsentAsNone: false), let object = related[key],
            !object.isDeleted
        else { return nil }
        return object
    }

    /// The object that an owner has whom the data names, and who is there.
    private func memberOfOwner(_ member: Member, _ ends: [End]) throws -> NSManagedObject? {
        for case (let number, .object(let owner)) in ends where member.plan.entity.relatedIdentity.contains(number) {
            guard let inverse = member.plan.entity.properties[number].inverse,
                let entity = schema.number(ofEntity: owner.entity.name ?? "")
            else { continue }
            let row = DecodedObjects.MemberRow(entity: member.plan.number, values: member.values, ends: ends)
            return try known.members([row], inverse, schema.entities[entity].properties[inverse], of: owner)[0]
        }
        return nil
    }

    /// The identifying attributes of a member; null for those that the data doesn't have.
    private static func values(of member: Member) -> [GraphValue] {
        member.plan.entity.identityAttributes.map { part in
            member.values.last { $0.number == part }?.value ?? .null
        }
    }

    /// What identifies a member; nil where a part is missing, or an owner isn't there yet.
    private static func key(of member: Member, _ ends: [End], takesAbsentAsNone: Bool) -> RelatedObjectKey? {
        let values = values(of: member)
        if values.contains(where: \.isNull) { return nil }
        var key = RelatedObjectKey(space: member.plan.number, values: values.map { ExactValue($0) })
        for part in member.plan.entity.identityRelationships {
            switch ends.first(where: { $0.number == part })?.destination {
            case .object(let owner): key.owners.append(ObjectIdentifier(owner))
            case .nothing: key.owners.append(nil)
            case nil where takesAbsentAsNone: key.owners.append(nil)
            case .new, nil: return nil
            }
        }
        return key.isEmpty ? nil : key
    }
}
