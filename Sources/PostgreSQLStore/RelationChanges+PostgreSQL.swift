// The changes of to-many relationships, written in PostgreSQL: a statement or two for each relationship, with lists of keys.

#if PostgreSQL

    import CoreData
    import Foundation

    extension RelationChanges {
        /// Writes everything in PostgreSQL.
        func write(_ connection: PostgreSQLConnection) throws {
            for (key, changes) in changesByKey() {
                if !key.hasInverse { try writeInverseless(key, changes, connection) }
                if let column = key.orderColumn { try writeOrder(key, column, changes, connection) }
            }
            for name in joins.keys.sorted() { try joins[name]?.write(connection) }
        }

        private func changesByKey() -> [(SQLForeignKey, [ForeignKeyChange])] {
            let groups = Dictionary(grouping: keyChanges) { "\($0.key.table) \($0.key.column)" }
            return groups.sorted { $0.key < $1.key }.map { ($0.value[0].key, $0.value) }
        }

        private func writeInverseless(
            _ key: SQLForeignKey, _ changes: [ForeignKeyChange], _ connection: PostgreSQLConnection
        ) throws {
            let removed = changes.flatMap { change in change.removed.map { (member: $0, owner: change.owner) } }
            if !removed.isEmpty {
                try connection.execute(
                    "UPDATE \(key.table) AS t SET \(key.column) = NULL FROM unnest($1, $2) AS v(member, owner) "
                        + "WHERE t._id = v.member AND t.\(key.column) = v.owner",
                    [.integers(removed.map(\.member)), .integers(removed.map(\.owner))])
            }
            // The last owner that takes a member has it.
            var added: [Int64: Int64] = [:]
            for change in changes { for member in change.added { added[member] = change.owner } }
            try setColumn(key.column, of: key.table, to: added, connection)
        }

        private func writeOrder(
            _ key: SQLForeignKey, _ column: String, _ changes: [ForeignKeyChange], _ connection: PostgreSQLConnection
        ) throws {
            let ordered = changes.compactMap { change in change.order.map { (owner: change.owner, order: $0) } }
            let near = try orderKeys(
                ordered.flatMap { try $0.order.neighbourhood() }, of: ordered.map(\.owner), key, column, connection)
            var written: [Int64: Int64] = [:]
            for (owner, order) in ordered {
                let moves = try order.moves { members, isWhole in
                    let keys = isWhole ? try orderKeys(members, of: [owner], key, column, connection) : near
                    return keys[owner] ?? [:]
                }
                for move in moves { written[move.member] = move.key }
            }
            try setColumn(column, of: key.table, to: written, connection)
        }

        /// The order keys that members of owners have, by owner.
        private func orderKeys(
            _ members: [Int64], of owners: [Int64], _ key: SQLForeignKey, _ column: String,
            _ connection: PostgreSQLConnection
        ) throws -> [Int64: [Int64: Int64]] {
            if members.isEmpty { return [:] }
            let result = try connection.execute(
                "SELECT \(key.column), _id, \(column) FROM \(key.table) "
                    + "WHERE \(key.column) = ANY ($1) AND _id = ANY ($2) AND \(column) IS NOT NULL",
                [.integers(owners), .integers(members)])
            var keys: [Int64: [Int64: Int64]] = [:]
            for row in 0..<result.rowCount {
                guard let owner = try result.integer(row, 0), let member = try result.integer(row, 1) else { continue }
                keys[owner, default: [:]][member] = try result.integer(row, 2)
            }
            return keys
        }

        private func setColumn(
            _ column: String, of table: String, to values: [Int64: Int64], _ connection: PostgreSQLConnection
        ) throws {
            guard !values.isEmpty else { return }
            let rows = values.sorted { $0.key < $1.key }
            try connection.execute(
                "UPDATE \(table) AS t SET \(column) = v.value FROM unnest($1, $2) AS v(id, value) WHERE t._id = v.id",
                [.integers(rows.map(\.key)), .integers(rows.map(\.value))])
        }
    }

    extension JoinChanges {
        /// Writes everything in PostgreSQL.
        func write(_ connection: PostgreSQLConnection) throws {
            let removals = removals
            if !removals.isEmpty {
                let backwards = isReflexive ? removals : []
                try connection.execute(
                    "DELETE FROM \(table) AS j USING unnest($1, $2) AS v(owner, member) "
                        + "WHERE j.\(ownerColumn) = v.owner AND j.\(memberColumn) = v.member",
                    [
                        .integers(removals.map(\.owner) + backwards.map(\.member)),
                        .integers(removals.map(\.member) + backwards.map(\.owner)),
                    ])
            }
            for reordering in reorderings { try write(reordering, connection) }
            try writeAdditions(connection)
        }

        private func write(_ reordering: Reordering, _ connection: PostgreSQLConnection) throws {
            guard let column = reordering.join.orderColumn else { return }
            let (owners, members) = (reordering.join.ownerColumn, reordering.join.memberColumn)
            let moves = try moves(reordering) { asked, _ in
                let result = try connection.execute(
                    "SELECT \(members), \(column) FROM \(table) "
                        + "WHERE \(owners) = $1 AND \(members) = ANY ($2) AND \(column) IS NOT NULL",
                    [.integer(reordering.owner), .integers(asked)])
                var present: [Int64: Int64] = [:]
                for row in 0..<result.rowCount {
                    guard let member = try result.integer(row, 0) else { continue }
                    present[member] = try result.integer(row, 1)
                }
                return present
            }
            guard !moves.isEmpty else { return }
            try connection.execute(
                "UPDATE \(table) AS j SET \(column) = v.place FROM unnest($2, $3) AS v(member, place) "
                    + "WHERE j.\(owners) = $1 AND j.\(members) = v.member",
                [.integer(reordering.owner), .integers(moves.map(\.member)), .integers(moves.map(\.key))])
        }

        private func writeAdditions(_ connection: PostgreSQLConnection) throws {
            let pairs = additions()
            guard !pairs.isEmpty else { return }
            var orders: [(column: String, places: [Int64], isReported: (Pair) -> Bool)] = []
            if let column = memberKeyColumn {
                let known = pairs.map { (of: $0.owner, key: $0.memberKey) }
                orders.append((column, try places(known, column, ownerColumn, connection), { $0.memberKey != nil }))
            }
            if let column = ownerKeyColumn {
                let known = pairs.map { (of: $0.member, key: $0.ownerKey) }
                orders.append((column, try places(known, column, memberColumn, connection), { $0.ownerKey != nil }))
            }
            let columns = ([ownerColumn, memberColumn] + orders.map(\.column)).joined(separator: ", ")
            let marks = (1...2 + orders.count).map { "$\($0)" }.joined(separator: ", ")
            let groups = Dictionary(grouping: pairs.indices) { index in orders.map { $0.isReported(pairs[index]) } }
            for (reported, indices) in groups {
                // A pair that is there already stays, with the order key of a side that has said nothing of it.
                let assignments = zip(orders, reported).map { order, isReported in
                    let value = "excluded.\(order.column)"
                    return "\(order.column) = \(isReported ? value : "coalesce(j.\(order.column), \(value))")"
                }
                let action = assignments.isEmpty ? "NOTHING" : "UPDATE SET \(assignments.joined(separator: ", "))"
                try connection.execute(
                    "INSERT INTO \(table) AS j (\(columns)) SELECT * FROM unnest(\(marks)) "
                        + "ON CONFLICT (\(ownerColumn), \(memberColumn)) DO \(action)",
                    [.integers(indices.map { pairs[$0].owner }), .integers(indices.map { pairs[$0].member })]
                        + orders.map { order in .integers(indices.map { order.places[$0] }) })
            }
        }

        /// The order keys of new pairs: those that are known, the others behind the last of the same object.
        private func places(
            _ pairs: [(of: Int64, key: Int64?)], _ column: String, _ keyColumn: String,
            _ connection: PostgreSQLConnection
        ) throws -> [Int64] {
            let open = Set(pairs.filter { $0.key ?? 0 == 0 }.map(\.of))
            if open.isEmpty { return pairs.map { $0.key ?? 0 } }
            var last: [Int64: Int64] = [:]
            for pair in pairs { last[pair.of] = max(last[pair.of] ?? SparseOrder.step, pair.key ?? 0) }
            let result = try connection.execute(
                "SELECT \(keyColumn), max(\(column)) FROM \(table) WHERE \(keyColumn) = ANY ($1) GROUP BY 1",
                [.integers(open.sorted())])
            for row in 0..<result.rowCount {
                guard let key = try result.integer(row, 0), let place = try result.integer(row, 1) else { continue }
                last[key] = max(last[key] ?? 0, place)
            }
            return try pairs.map { pair in
                if let key = pair.key, key != 0 { return key }
                let (next, overflow) = (last[pair.of] ?? 0).addingReportingOverflow(SparseOrder.step)
                if overflow {
                    throw PostgreSQLFailure(
                        "\(table).\(column) of \(keyColumn) \(pair.of) has no room behind \(last[pair.of] ?? 0)")
                }
                last[pair.of] = next
                return next
            }
        }
    }

#endif
