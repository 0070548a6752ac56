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
        let moves = try order.moves { members, _ in
            try db.orderKeys(members, of: change.owner, table, key: "Z_PK", owner: change.key.column, column)
        }
        let update = try RowStatement(db, "UPDATE \(table) SET \(column) = ? WHERE Z_PK = ?")
        for move in moves {
            try update.bind(move.key, at: 1)
            try update.bind(move.member, at: 2)
            try update.run()
        }
    }
}

extension Database {
    /// The order keys that members of an owner have.
    func orderKeys(
        _ members: [Int64], of owner: Int64, _ table: String, key: String, owner ownerColumn: String, _ column: String
    ) throws -> [Int64: Int64] {
        let read = try RowStatement(
            self, "SELECT \(column) FROM \(table) WHERE \(key) = ? AND \(ownerColumn) = ? AND \(column) NOT NULL")
        var keys: [Int64: Int64] = [:]
        for member in members {
            try read.bind(member, at: 1)
            try read.bind(owner, at: 2)
            if try read.step() {
                keys[member] = try read.integer(
                    at: 0, of: "\(table).\(column) of \(ownerColumn) \(owner), \(key) \(member)")
            }
            read.reset()
        }
        return keys
    }
}
