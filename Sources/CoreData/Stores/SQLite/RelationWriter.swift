// What a save writes for to-many relationships. A one-to-many's members are written by their own rows; here come the
// order keys of ordered ones, the columns of those without inverse, and the join rows of many-to-many ones. Both
// sides of a many-to-many report the same change, so join rows are collected first and each pair is written once.

import Foundation
import GRDB

/// Collects the changes of to-many relationships, then writes them.
final class RelationWriter {
    private let db: Database
    private let store: SQLiteStoreBackend
    private var joins: [String: JoinTableChanges] = [:]
    private var keyChanges: [ForeignKeyChange] = []

    /// One owner's part in a relationship whose members' rows point at it.
    private struct ForeignKeyChange {
        let key: SQLForeignKey
        let owner: Int64
        var added: [Int64]
        var removed: [Int64]
        var order: [Int64]?
        /// A new owner has no order keys in the store yet.
        let isNew: Bool
    }

    init(save: SQLiteSave) {
        db = save.db
        store = save.store
    }

    // MARK: Collecting

    func collect(inserted changes: [RowChange], _ plan: EntityPlan) throws {
        for (slot, relationship) in plan.toMany {
            let space = store.space(of: relationship.destination)
            switch relationship.storage {
            case .foreignKey(let key):
                guard !key.hasInverse || key.orderColumn != nil else { continue }
                for change in changes {
                    guard case .objects(let members) = change.values[slot], !members.isEmpty else { continue }
                    let keys = try members.objects.map { try key64($0.objectID, space, plan, slot, change) }
                    keyChanges.append(
                        ForeignKeyChange(
                            key: key, owner: change.objectID.number, added: keys, removed: [],
                            order: relationship.isOrdered ? keys : nil, isNew: true))
                }
            case .joinTable(let join):
                let table = joinChanges(join)
                // Two new objects would both report their pair; where no side has an order, the master's report is enough.
                let isReportedTwice =
                    !join.isMaster && !join.isReflexive && join.orderColumn == nil && join.inverseOrderColumn == nil
                for change in changes {
                    guard case .objects(let members) = change.values[slot], !members.isEmpty else { continue }
                    let owner = change.objectID.number
                    for (position, member) in members.objects.enumerated() {
                        if isReportedTwice, member.isInserted { continue }
                        let member = try key64(member.objectID, space, plan, slot, change)
                        table.insert(
                            owner, member, via: join,
                            order: join.orderColumn == nil ? 0 : SparseOrder.key(at: position))
                    }
                }
            }
        }
    }

    func collect(updated changes: [RowChange], _ plan: EntityPlan) throws {
        for change in changes {
            for relation in change.relations {
                guard let relationship = plan.toMany.first(where: { $0.slot == relation.slot })?.relationship else {
                    continue
                }
                let space = store.space(of: relationship.destination)
                func keys(_ ids: [NSManagedObjectID]) throws -> [Int64] {
                    try ids.map { try key64($0, space, plan, relation.slot, change) }
                }
                let (added, removed) = (try keys(relation.added), try keys(relation.removed))
                let order = try relation.order.map(keys)
                switch relationship.storage {
                case .foreignKey(let key):
                    keyChanges.append(
                        ForeignKeyChange(
                            key: key, owner: change.objectID.number, added: added, removed: removed, order: order,
                            isNew: false))
                case .joinTable(let join):
                    joinChanges(join).change(
                        owner: change.objectID.number, added: added, removed: removed, order: order, via: join)
                }
            }
        }
    }

    private func joinChanges(_ join: SQLJoin) -> JoinTableChanges {
        if let known = joins[join.table] { return known }
        let made = JoinTableChanges(join)
        joins[join.table] = made
        return made
    }

    private func key64(
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

    // MARK: Writing

    func write() throws {
        for change in keyChanges {
            if !change.key.hasInverse { try writeInverseless(change) }
            if let column = change.key.orderColumn { try writeOrder(change, column) }
        }
        for name in joins.keys.sorted() { try joins[name]?.write(db) }
    }

    private func writeInverseless(_ change: ForeignKeyChange) throws {
        let (table, column) = (change.key.table, change.key.column)
        let remove = try RowStatement(db, "UPDATE \(table) SET \(column) = NULL WHERE Z_PK = ? AND \(column) = ?")
        for member in change.removed {
            try remove.bind(member, at: 1)
            try remove.bind(change.owner, at: 2)
            try remove.run()
        }
        let add = try RowStatement(db, "UPDATE \(table) SET \(column) = ? WHERE Z_PK = ?")
        for member in change.added {
            try add.bind(change.owner, at: 1)
            try add.bind(member, at: 2)
            try add.run()
        }
    }

    private func writeOrder(_ change: ForeignKeyChange, _ column: String) throws {
        guard let order = change.order else { return }
        let table = change.key.table
        var present: [Int64: Int64] = [:]
        if !change.isNew {
            let read = try RowStatement(
                db, "SELECT Z_PK, \(column) FROM \(table) WHERE \(change.key.column) = ? AND \(column) NOT NULL")
            try read.bind(change.owner, at: 1)
            while try read.step() {
                let key = read.integer(at: 0)
                present[key] = try read.integer(at: 1, of: "\(table).\(column) of row \(key)")
            }
            // What came from another owner brought that one's key along.
            for member in change.added { present[member] = nil }
        }
        let keys = SparseOrder.keys(for: order.map { present[$0] })
        let update = try RowStatement(db, "UPDATE \(table) SET \(column) = ? WHERE Z_PK = ?")
        for (member, key) in zip(order, keys) where present[member] != key {
            try update.bind(key, at: 1)
            try update.bind(member, at: 2)
            try update.run()
        }
    }
}
