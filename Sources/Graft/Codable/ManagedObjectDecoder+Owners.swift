// Objects whose identity includes their owner. Who is nested in the owner needn't name it; anywhere else, the data names it by its
// identity. Either way it is the object that the owner has, or one that the same data has made a moment ago. That there is no owner is a
// part of the identity, too: of the root of a tree, for instance.

import CoreData

extension ManagedObjectDecoder {
    typealias End = DecodedObjects.MemberRow.End

    /// Who an object hangs on.
    enum Owner: Hashable {
        case nothing
        case object(ObjectIdentifier)
        /// One with an identity of its own: what it owns may be read before it is made.
        case identified(space: Int, [ExactValue])
    }

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
        let object = try found ?? relatedObject(member, ends, named)
        let made = try update(object, with: member)
        // Where nothing is said of an owner, a new object has none.
        if let key = key(of: member, ends, takesAbsentAsNone: made.knownCount == nil) {
            related[key] = made.object
            if made.knownCount == nil, !key.owners.contains(where: { $0 != .nothing }) {
                known.enter(made.object, withoutOwner: Self.values(of: member), member.plan.number)
            }
        }
        return made
    }

    /// The object that has the identity of a member.
    ///
    /// - Parameter named: The ends that the data names, and not the nesting.
    private func relatedObject(_ member: Member, _ ends: [End], _ named: [End]) throws -> NSManagedObject? {
        try decoded(member, ends) ?? memberOfOwner(member, named) ?? objectWithoutOwner(member, ends)
    }

    /// The object that stands in a relationship of a member, where its identity includes an owner that the data names.
    func relatedObject(_ member: Member, _ nesting: Int) throws -> NSManagedObject? {
        if member.plan.entity.relatedIdentity.isEmpty { return nil }
        let ends = try knownEnds(of: member, nesting)
        return try relatedObject(member, ends, ends)
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
        guard let key = key(of: member, ends, takesAbsentAsNone: true), let object = related[key], !object.isDeleted
        else { return nil }
        return object
    }

    /// The object that hangs on nothing, where the data says so.
    private func objectWithoutOwner(_ member: Member, _ ends: [End]) throws -> NSManagedObject? {
        guard let key = key(of: member, ends, takesAbsentAsNone: true), key.owners.allSatisfy({ $0 == .nothing })
        else { return nil }
        return try known.object(withoutOwner: Self.values(of: member), member.plan.number)
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

    /// What identifies a member; nil where a part is missing, or an owner can't be told yet.
    private func key(of member: Member, _ ends: [End], takesAbsentAsNone: Bool) -> OwnedIdentity<Owner>? {
        let values = Self.values(of: member)
        if values.contains(where: \.isNull) { return nil }
        var key = OwnedIdentity<Owner>(space: member.plan.number, values: values.map { ExactValue($0) })
        for part in member.plan.entity.identityRelationships {
            switch ends.first(where: { $0.number == part })?.destination {
            case .object(let object): key.owners.append(owner(object))
            case .new(let entity, let identity):
                key.owners.append(.identified(space: schema.entities[entity].identitySpace, identity.exactValues))
            case .nothing: key.owners.append(.nothing)
            case nil where takesAbsentAsNone && !member.names(part): key.owners.append(.nothing)
            case nil: return nil
            }
        }
        return key.values.isEmpty && key.owners.allSatisfy { $0 == .nothing } ? nil : key
    }

    private func owner(_ object: NSManagedObject) -> Owner {
        guard let entity = schema.number(ofEntity: object.entity.name ?? "").map({ schema.entities[$0] }),
            // An identity that can't be read isn't one.
            let identity = DecodedObjects.Identity(
                entity.identity, { try? object.graphValue($0, entity.properties[$0]) })
        else { return .object(ObjectIdentifier(object)) }
        return .identified(space: entity.identitySpace, identity.exactValues)
    }
}

extension ManagedObjectDecoder.Member {
    /// Whether the data says something of a relationship.
    fileprivate func names(_ number: Int) -> Bool {
        plan.top.relationships.contains { $0.number == number && container.contains($0.key) }
    }
}

extension DecodedObjects.Identity {
    fileprivate var exactValues: [ExactValue] { values.map { ExactValue($0) } }
}
