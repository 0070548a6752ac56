// The rows of a join table, written in SQLite.

import Foundation
import GRDB

extension JoinChanges {
    /// Writes everything in SQLite.
    func write(_ db: Database) throws {
        try writeRemovals(db)
        for reordering in reorderings { try write(reordering, db) }
        try writeAdditions(db)
    }

    private func writeRemovals(_ db: Database) throws {
        let removals = removals
        guard !removals.isEmpty else { return }
        let sql = "DELETE FROM \(table) WHERE \(ownerColumn) = ? AND \(memberColumn) = ?"
        let statement = try RowStatement(db, sql)
        for pair in removals {
            try statement.bind(pair.owner, at: 1)
            try statement.bind(pair.member, at: 2)
            try statement.run()
            if isReflexive, pair.owner != pair.member {
                try statement.bind(pair.member, at: 1)
                try statement.bind(pair.owner, at: 2)
                try statement.run()
            }
        }
    }

    private func write(_ reordering: Reordering, _ db: Database) throws {
        guard let column = reordering.join.orderColumn else { return }
        let (owners, members) = (reordering.join.ownerColumn, reordering.join.memberColumn)
        let update = try RowStatement(
            db, "UPDATE \(table) SET \(column) = ? WHERE \(owners) = ? AND \(members) = ?")
        let moves = try moves(reordering) { asked, _ in
            try db.orderKeys(asked, of: reordering.owner, table, key: members, owner: owners, column)
        }
        for move in moves {
            try update.bind(move.key, at: 1)
            try update.bind(reordering.owner, at: 2)
            try update.bind(move.member, at: 3)
            try update.run()
        }
    }

    private func writeAdditions(_ db: Database) throws {
        let pairs = additions()
        guard !pairs.isEmpty else { return }
        let orders = [memberKeyColumn, ownerKeyColumn].compactMap { $0 }
        if orders.isEmpty { return try insert(pairs, db) }
        let statement = try RowStatement(db, insertion(orders))
        for pair in pairs {
            try statement.bind(pair.owner, at: 1)
            try statement.bind(pair.member, at: 2)
            var parameter: Int32 = 3
            for (column, key, of, row) in [
                (memberKeyColumn, pair.memberKey, ownerColumn, pair.owner),
                (ownerKeyColumn, pair.ownerKey, memberColumn, pair.member),
            ] {
                guard let column else { continue }
                let place = key ?? 0
                try statement.bind(place != 0 ? place : next(column, of, row, db), at: parameter)
                try statement.bind(Int64(key == nil ? 0 : 1), at: parameter + 1)
                parameter += 2
            }
            try statement.run()
        }
    }

    /// Inserts pairs without an order, several by one statement as long as there are so many: that takes a third less time.
    private func insert(_ pairs: [Pair], _ db: Database) throws {
        var rest = pairs[...]
        for count in [8, 1] {
            let marks = repeatElement("(?, ?)", count: count).joined(separator: ", ")
            // A pair that is there already stays.
            let statement = try RowStatement(
                db, "INSERT OR IGNORE INTO \(table) (\(ownerColumn), \(memberColumn)) VALUES \(marks)")
            while rest.count >= count {
                var parameter: Int32 = 1
                for pair in rest.prefix(count) {
                    try statement.bind(pair.owner, at: parameter)
                    try statement.bind(pair.member, at: parameter + 1)
                    parameter += 2
                }
                try statement.run()
                rest = rest.dropFirst(count)
            }
        }
    }

    /// A pair that is there already stays, with the order key of a side that has said nothing of it.
    private func insertion(_ orders: [String]) -> String {
        let columns = [ownerColumn, memberColumn] + orders
        // Behind each order key comes whether it was reported.
        let places = [1, 2] + orders.indices.map { 3 + 2 * $0 }
        let marks = places.map { "?\($0)" }.joined(separator: ", ")
        let assignments = orders.enumerated().map { index, column in
            "\(column) = CASE WHEN ?\(4 + 2 * index) THEN excluded.\(column) ELSE ifnull(\(column), excluded.\(column)) END"
        }.joined(separator: ", ")
        return "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks)) "
            + "ON CONFLICT (\(ownerColumn), \(memberColumn)) DO UPDATE SET \(assignments)"
    }

    /// The order key behind an object's last member, for a side that has reported no order.
    private func next(_ column: String, _ keyColumn: String, _ key: Int64, _ db: Database) throws -> Int64 {
        let statement = try RowStatement(
            db, "SELECT IFNULL(MAX(\(column)), \(SparseOrder.step)) FROM \(table) WHERE \(keyColumn) = ?")
        try statement.bind(key, at: 1)
        defer { statement.reset() }
        guard try statement.step() else { return SparseOrder.first }
        let place = "the largest \(table).\(column) of \(keyColumn) \(key)"
        let (next, overflow) = try statement.integer(at: 0, of: place).addingReportingOverflow(SparseOrder.step)
        if overflow {
            throw RowError(
                place: place, found: statement.shown(at: 0), expected: "an order key with others behind it",
                owner: "Core Data has")
        }
        return next
    }
}
