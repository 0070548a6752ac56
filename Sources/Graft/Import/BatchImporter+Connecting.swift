// Relationships: what is linked, unlinked and given up, by the policy that the relationship has.

import CoreData
import Foundation

extension BatchImporter {
    /// Sets a to-one relationship; returns whether that changes it.
    func connect(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject, to destination: NSManagedObject?,
        isNew: Bool
    ) throws -> Bool {
        guard let old = try editor.connect(number, property, of: object, to: destination, isNew: isNew) else {
            return false
        }
        try deletions.noteGivenUp(old, number, of: object)
        return true
    }

    /// Replaces the members of a to-many relationship; returns whether that changes them.
    func connect(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject, to members: [NSManagedObject],
        isNew: Bool
    ) throws -> Bool {
        let old = try editor.connect(number, property, of: object, to: members, isNew: isNew)
        if property.inverse == nil { try claim(members, number, property, of: object) }
        guard let old else { return false }
        if !old.isEmpty, property.isOwning || deletions.needsMentions {
            let kept = Set(members.map(ObjectIdentifier.init))
            try deletions.noteGivenUp(old.filter { !kept.contains(ObjectIdentifier($0)) }, number, of: object)
        }
        return true
    }

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
