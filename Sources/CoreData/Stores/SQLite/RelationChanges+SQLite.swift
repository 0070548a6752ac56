// The changes of to-many relationships, written in SQLite: one statement for each row that changes.

import Foundation
import GRDB

extension RelationChanges {
    /// Writes everything in SQLite.
    func write(_ db: Database) throws {
        for change in keyChanges {
            if !change.key.hasInverse { try writeInverseless(change, db) }
            if let column = change.key.orderColumn { try writeOrder(change, column, db) }
        }
        for name in joins.keys.sorted() { try joins[name]?.write(db) }
    }

    private func writeInverseless(_ change: ForeignKeyChange, _ db: Database) throws {
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

    private func writeOrder(_ change: ForeignKeyChange, _ column: String, _ db: Database) throws {
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
