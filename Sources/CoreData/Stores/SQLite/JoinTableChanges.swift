// The rows of one join table that a save adds and removes, whichever side reports them.

import Foundation
import GRDB

/// Collects the changes of one join table.
final class JoinTableChanges {
    /// A pair, seen from the master relationship. A side that has said nothing of it has no order key; 0 stands for the end of its order.
    private struct Pair {
        var owner: Int64
        var member: Int64
        /// Orders the members of the owner.
        var memberKey: Int64?
        /// Orders the owners of the member.
        var ownerKey: Int64?
    }

    /// The new order of one object's members.
    private struct Reordering {
        let owner: Int64
        let order: [Int64]
        let added: Set<Int64>
        let join: SQLJoin
    }

    private let table: String
    private let ownerColumn: String
    private let memberColumn: String
    private let memberKeyColumn: String?
    private let ownerKeyColumn: String?
    private let isReflexive: Bool
    private var added: [Pair] = []
    private var removed: [Pair] = []
    private var reorderings: [Reordering] = []

    init(_ join: SQLJoin) {
        table = join.table
        isReflexive = join.isReflexive
        ownerColumn = join.isMaster ? join.ownerColumn : join.memberColumn
        memberColumn = join.isMaster ? join.memberColumn : join.ownerColumn
        memberKeyColumn = join.isMaster ? join.orderColumn : join.inverseOrderColumn
        ownerKeyColumn = join.isMaster ? join.inverseOrderColumn : join.orderColumn
    }

    // MARK: Collecting

    /// - Parameter order: The member's order key; 0 for the end, or where the relationship isn't ordered.
    func insert(_ owner: Int64, _ member: Int64, via join: SQLJoin, order: Int64) {
        var pair = pair(owner, member, join)
        if join.isMaster { pair.memberKey = order } else { pair.ownerKey = order }
        added.append(pair)
    }

    func change(owner: Int64, added: [Int64], removed: [Int64], order: [Int64]?, via join: SQLJoin) {
        for member in removed { self.removed.append(pair(owner, member, join)) }
        for member in added { insert(owner, member, via: join, order: 0) }
        if let order, join.orderColumn != nil {
            reorderings.append(Reordering(owner: owner, order: order, added: Set(added), join: join))
        }
    }

    private func pair(_ owner: Int64, _ member: Int64, _ join: SQLJoin) -> Pair {
        // A reflexive pair may stand in the table either way round; ours has the smaller key first.
        if isReflexive { return Pair(owner: min(owner, member), member: max(owner, member)) }
        return join.isMaster ? Pair(owner: owner, member: member) : Pair(owner: member, member: owner)
    }

    // MARK: Writing

    func write(_ db: Database) throws {
        try writeRemovals(db)
        for reordering in reorderings { try write(reordering, db) }
        try writeAdditions(db)
    }

    private func writeRemovals(_ db: Database) throws {
        guard !removed.isEmpty else { return }
        let sql = "DELETE FROM \(table) WHERE \(ownerColumn) = ? AND \(memberColumn) = ?"
        let statement = try RowStatement(db, sql)
        for pair in Self.sorted(removed) {
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

    /// Works out the order keys of one object's members: those that stay are rewritten where they change, those that
    /// come take theirs along when they are inserted.
    private func write(_ reordering: Reordering, _ db: Database) throws {
        guard let column = reordering.join.orderColumn else { return }
        let (owners, members) = (reordering.join.ownerColumn, reordering.join.memberColumn)
        var present: [Int64: Int64] = [:]
        let read = try RowStatement(db, "SELECT \(members), \(column) FROM \(table) WHERE \(owners) = ?")
        try read.bind(reordering.owner, at: 1)
        while try read.step() {
            if read.storage(at: 1) == .null { continue }
            let member = try read.integer(at: 0, of: "\(table).\(members) of \(owners) \(reordering.owner)")
            present[member] = try read.integer(
                at: 1, of: "\(table).\(column) of \(owners) \(reordering.owner), \(members) \(member)")
        }
        let keys = SparseOrder.keys(for: reordering.order.map { present[$0] })
        let update = try RowStatement(
            db, "UPDATE \(table) SET \(column) = ? WHERE \(owners) = ? AND \(members) = ?")
        for (member, key) in zip(reordering.order, keys) where present[member] != key {
            if present[member] == nil || reordering.added.contains(member) {
                insert(reordering.owner, member, via: reordering.join, order: key)
                continue
            }
            try update.bind(key, at: 1)
            try update.bind(reordering.owner, at: 2)
            try update.bind(member, at: 3)
            try update.run()
        }
    }

    private func writeAdditions(_ db: Database) throws {
        guard !added.isEmpty else { return }
        let pairs = Self.sorted(added)
        let orders = [memberKeyColumn, ownerKeyColumn].compactMap { $0 }
        if orders.isEmpty { return try insert(pairs, db) }
        let statement = try RowStatement(db, insertion(orders))
        var index = 0
        while index < pairs.count {
            var pair = pairs[index]
            index += 1
            // Both sides report a pair; each knows the key of its own order.
            while index < pairs.count, pairs[index].owner == pair.owner, pairs[index].member == pair.member {
                if pair.memberKey ?? 0 == 0 { pair.memberKey = pairs[index].memberKey ?? pair.memberKey }
                if pair.ownerKey ?? 0 == 0 { pair.ownerKey = pairs[index].ownerKey ?? pair.ownerKey }
                index += 1
            }
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
        // Both sides report a pair.
        var distinct: [Pair] = []
        distinct.reserveCapacity(pairs.count)
        for pair in pairs where distinct.last.map({ $0.owner != pair.owner || $0.member != pair.member }) ?? true {
            distinct.append(pair)
        }
        var rest = distinct[...]
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

    /// Ascending, so that SQLite's tree is filled in order and a pair's two reports meet.
    private static func sorted(_ pairs: [Pair]) -> [Pair] {
        pairs.sorted { $0.owner != $1.owner ? $0.owner < $1.owner : $0.member < $1.member }
    }
}
