// What a save changes in to-many relationships. A one-to-many's members are written by their own rows; here come the order keys
// of ordered ones, the columns of those without inverse, and the join rows of many-to-many ones. Both sides of a many-to-many
// report the same change, so join rows are collected first and each pair is written once.

import Foundation

/// Collects the changes of to-many relationships; a store writes them.
package final class RelationChanges {
    package private(set) var joins: [String: JoinChanges] = [:]
    package private(set) var keyChanges: [ForeignKeyChange] = []
    private let space: (SQLEntity) -> RowSpace

    /// One owner's part in a relationship whose members' rows point at it.
    package struct ForeignKeyChange {
        package let key: SQLForeignKey
        package let owner: Int64
        package var added: [Int64]
        package var removed: [Int64]
        package var order: MemberOrder?
    }

    package init(space: @escaping (SQLEntity) -> RowSpace) { self.space = space }

    // MARK: Collecting

    package func collect(inserted changes: [RowChange], _ plan: EntityPlan) throws {
        for (slot, relationship) in plan.toMany {
            let space = self.space(relationship.destination)
            switch relationship.storage {
            case .foreignKey(let key):
                guard !key.hasInverse || key.orderColumn != nil else { continue }
                for change in changes {
                    let members = Self.members(change.values[slot])
                    if members.isEmpty { continue }
                    let keys = try members.map { try Self.key64($0, space, plan, slot, change) }
                    // A new owner has no order keys in the store yet.
                    let order = MemberOrder(members: members, moved: members.indices, added: Set(keys), key: \.number)
                    keyChanges.append(
                        ForeignKeyChange(
                            key: key, owner: change.objectID.number, added: keys, removed: [],
                            order: relationship.isOrdered ? order : nil))
                }
            case .joinTable(let join):
                let table = joinChanges(join)
                // Two new objects would both report their pair; where no side has an order, the master's report is enough.
                let isReportedTwice =
                    !join.isMaster && !join.isReflexive && join.orderColumn == nil && join.inverseOrderColumn == nil
                for change in changes {
                    let members = Self.members(change.values[slot], besidesNew: isReportedTwice)
                    for (position, member) in members.enumerated() {
                        table.insert(
                            change.objectID.number, try Self.key64(member, space, plan, slot, change), via: join,
                            order: join.orderColumn == nil ? 0 : SparseOrder.key(at: position))
                    }
                }
            }
        }
    }

    /// The members that a new row has: those of an object, or of a row that never was one, whose relationships are said once.
    private static func members(_ value: ManagedValue, besidesNew: Bool = false) -> [NSManagedObjectID] {
        switch value {
        case .objects(let members):
            members.objects.compactMap { besidesNew && $0.isInserted ? nil : $0.objectID }
        case .memberIDs(let ids): ids
        default: []
        }
    }

    package func collect(updated changes: [RowChange], _ plan: EntityPlan) throws {
        for change in changes {
            for relation in change.relations {
                guard let relationship = plan.toMany.first(where: { $0.slot == relation.slot })?.relationship else {
                    continue
                }
                let space = self.space(relationship.destination)
                func key(_ id: NSManagedObjectID) throws -> Int64 {
                    try Self.key64(id, space, plan, relation.slot, change)
                }
                let (added, removed) = (try relation.added.map(key), try relation.removed.map(key))
                let order = relation.order.map {
                    MemberOrder(members: $0, moved: relation.moved, added: Set(added), key: key)
                }
                switch relationship.storage {
                case .foreignKey(let key):
                    keyChanges.append(
                        ForeignKeyChange(
                            key: key, owner: change.objectID.number, added: added, removed: removed, order: order))
                case .joinTable(let join):
                    joinChanges(join).change(
                        owner: change.objectID.number, added: added, removed: removed, order: order, via: join)
                }
            }
        }
    }

    private func joinChanges(_ join: SQLJoin) -> JoinChanges {
        if let known = joins[join.table] { return known }
        let made = JoinChanges(join)
        joins[join.table] = made
        return made
    }

    /// The number of a member. An order keeps it, which mustn't keep what collects the changes.
    private static func key64(
        _ id: NSManagedObjectID, _ space: RowSpace, _ plan: EntityPlan, _ slot: Int, _ change: RowChange
    ) throws -> Int64 {
        guard id.space === space else {
            throw CoreDataError.make(
                .managedObjectExternalRelationship,
                "'\(plan.description.layout.slots[slot].name)' of \(change.objectID) refers to \(id), which isn't a "
                    + "saved object of the same store. Insert that object into the same store, or take it out.")
        }
        return id.number
    }
}
