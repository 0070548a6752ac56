// Relationships: what is linked, unlinked and given up, by the policy that the relationship has.

import CoreData
import Foundation

extension BatchImporter {
    /// Sets a to-one relationship; returns whether that changes it.
    func connect(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject, to destination: NSManagedObject?,
        isNew: Bool
    ) throws -> Bool {
        if let destination {
            noteLoss(of: destination, number, property, to: object)
            try deletions.references.note([destination], number, property, of: object)
        }
        guard let old = try editor.connect(number, property, of: object, to: destination, isNew: isNew) else {
            return false
        }
        if let inverse = property.inverse, !isMade(object) {
            tally.losses.noteSet(end(number, of: object), to: destination.map { end(inverse, of: $0) })
        }
        try deletions.noteGivenUp(old, number, of: object)
        return true
    }

    /// Replaces the members of a to-many relationship; returns whether that changes them.
    func connect(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject, to members: [NSManagedObject],
        isNew: Bool
    ) throws -> Bool {
        for member in members { noteLoss(of: member, number, property, to: object) }
        try deletions.references.note(members, number, property, of: object)
        let old = try editor.connect(number, property, of: object, to: members, isNew: isNew)
        if property.inverse == nil { try claim(members, number, property, of: object) }
        guard let old else { return false }
        if !old.isEmpty, property.isOwning || deletions.needsMentions {
            let kept = Set(members.map(ObjectIdentifier.init))
            try deletions.noteGivenUp(old.filter { !kept.contains(ObjectIdentifier($0)) }, number, of: object)
        }
        return true
    }

    /// Notes from whom an object is taken that only one can have, before another one gets it.
    @inline(__always)
    private func noteLoss(
        of member: NSManagedObject, _ number: Int, _ property: GraphSchema.Property, to object: NSManagedObject
    ) {
        guard let inverse = property.inverse, let back = schema.inverse(of: property), !member.isInserted else {
            return
        }
        if back.isToMany || !editor.canLead(property, to: member) { return }
        let owner = member.destination(inverse, back)
        if owner === object || isMade(member) { return }
        var losing: (end: LinkLosses.End, entity: Int)?
        if let owner, !isMade(owner), let entity = self.number(of: owner) { losing = (end(number, of: owner), entity) }
        tally.losses.noteMove(of: end(inverse, of: member), from: losing, to: end(number, of: object))
    }

    private func end(_ number: Int, of object: NSManagedObject) -> LinkLosses.End {
        LinkLosses.End(object: object.objectID.lookupKey, property: number)
    }

    /// Whether an object wasn't stored before this import.
    private func isMade(_ object: NSManagedObject) -> Bool { object.isInserted || tally.hasMade(object) }

    /// Changes the members of a to-many relationship as a policy says; returns whether that changes them.
    ///
    /// - Parameter removed: The members to take away; nil where the data says what the members are.
    func connect(
        _ number: Int, _ plan: ImportPlan, of object: NSManagedObject, to members: [NSManagedObject],
        _ policy: MappingOptions.MembersPolicy, _ removed: [NSManagedObject]?
    ) throws -> Bool {
        var wanted = members
        if policy == .add || removed != nil {
            let gone = Set((removed ?? []).map(ObjectIdentifier.init))
            let old = object.members(number, plan.properties[number]).filter { !gone.contains(ObjectIdentifier($0)) }
            wanted = (old + members).distinctObjects
        }
        // Never as a new object's: what has put itself there counts.
        return try connect(number, plan.properties[number], of: object, to: wanted, isNew: false)
    }

    /// The objects that a list takes away: without an identity, the members of which all is true that the data says.
    func removedMembers(
        _ rows: [RowReference], among members: [NSManagedObject], _ snapshot: borrowing GraphSnapshot
    ) throws -> [NSManagedObject] {
        var removed: [NSManagedObject] = []
        for row in rows {
            if let object = self.object(row) {
                removed.append(object)
            } else if !matcher.isIdentified(row.entity, row.row, snapshot) {
                removed += try members.filter { member in
                    guard let number = number(of: member), schema.isEntity(number, kindOf: row.entity) else {
                        return false
                    }
                    return try matcher.fits(member, row, snapshot)
                }
            }
        }
        return removed
    }
}
