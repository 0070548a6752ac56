// What has to hold for order keys, unique values and the counters of keys.

import Foundation

extension StoreRules {
    // MARK: Order

    /// The members of one owner have order keys, each another one.
    func order(_ entity: SQLEntity, _ name: String, _ toMany: SQLToMany) -> [StoreRule] {
        switch toMany.storage {
        case .foreignKey(let key):
            guard let order = key.orderColumn else { return [] }
            return [
                self.order(
                    entity, name, table: key.table, owner: key.column, order: order, member: "Z_PK",
                    version: ", \(RowVersion.countingUp)")
            ]
        case .joinTable(let join):
            guard let order = join.orderColumn, !join.isReflexive else { return [] }
            return [
                self.order(
                    entity, name, table: join.table, owner: join.ownerColumn, order: order, member: join.memberColumn,
                    version: "")
            ]
        }
    }

    private func order(
        _ entity: SQLEntity, _ name: String, table: String, owner: String, order: String, member: String,
        version: String
    ) -> StoreRule {
        let groups =
            "FROM \(table) WHERE \(owner) IS NOT NULL GROUP BY \(owner), \(order) "
            + "HAVING COUNT(*) > 1 OR \(order) IS NULL"
        return StoreRule(
            kind: .brokenOrder, entity: entity.name, property: name,
            select: "SELECT \(owner), NULL, \(order), COUNT(*) \(groups)",
            words: { statement in
                let count = statement.integer(at: 3)
                let members = count == 1 ? "one member has" : "\(count) members have"
                return statement.storage(at: 2) == .null
                    ? "\(members) no place (\(table).\(order))"
                    : "\(members) the same place (\(table).\(order) = \(statement.text(at: 2)))"
            },
            mend: .statements(
                [
                    // The order in which they are read now.
                    """
                    UPDATE \(table) AS t SET \(order) = n.place\(version) FROM (
                        SELECT \(owner) AS owner, \(member) AS member,
                            \(SparseOrder.first - SparseOrder.step) + \(SparseOrder.step) * ROW_NUMBER() OVER (
                                PARTITION BY \(owner) ORDER BY \(order), \(member)) AS place
                        FROM \(table) WHERE \(owner) IN (SELECT \(owner) \(groups))
                    ) AS n WHERE n.owner = t.\(owner) AND n.member = t.\(member) AND t.\(order) IS NOT n.place
                    """
                ], "numbers the members in the order in which they are read"))
    }

    // MARK: Uniqueness

    /// Constraints, and the identity where it is no constraint.
    func uniqueness(_ entity: SQLEntity) throws -> [StoreRule] {
        let constraints = try entity.uniquenessConstraints()
        var rules = constraints.map {
            duplicates(.brokenUniqueness, entity, $0.properties, $0.columns, "which the model says is unique")
        }
        let inherited = entity.description.superentity?.name.flatMap { identities[$0] }
        guard let identity = identities[entity.name], identity != inherited,
            !constraints.contains(where: { Set($0.properties) == Set(identity) })
        else { return rules }
        let columns = identity.compactMap(entity.column(named:))
        // An identity may be of what isn't stored.
        if columns.count == identity.count {
            rules.append(
                duplicates(.duplicateIdentity, entity, identity, columns, "which identifies its objects"))
        }
        return rules
    }

    private func duplicates(
        _ kind: StoreFinding.Kind, _ entity: SQLEntity, _ names: [String], _ columns: [String], _ reason: String
    ) -> StoreRule {
        let filled = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        return StoreRule(
            kind: kind, entity: entity.name, property: names.joined(separator: ", "),
            select: "SELECT MIN(Z_PK), MIN(Z_ENT), MAX(Z_PK), COUNT(*), \(columns.joined(separator: ", ")) "
                + "FROM \(entity.table) WHERE \(filled) AND \(entity.rowCondition(of: entity.table)) "
                + "GROUP BY \(columns.joined(separator: ", ")) HAVING COUNT(*) > 1",
            words: { statement in
                let values = columns.indices.map { statement.shown(at: Int32($0 + 4)) }.joined(separator: ", ")
                let (last, count) = (statement.integer(at: 2), statement.integer(at: 3))
                let others = count == 2 ? "row \(last)" : "\(count - 1) others, the last one row \(last),"
                return "has \(values), \(reason), as \(others) has"
            },
            mend: .impossible("Which of them is the right one can't be told: delete or change the others."))
    }

    // MARK: Counters

    /// The next key comes after the counter of the root.
    func keyCounter(_ root: SQLEntity) -> StoreRule {
        let largest = "(SELECT IFNULL(MAX(Z_PK), 0) FROM \(root.table))"
        let condition = "Z_ENT = \(root.number) AND (typeof(Z_MAX) <> 'integer' OR Z_MAX < \(largest))"
        return StoreRule(
            kind: .lowKeyCounter, entity: root.name, property: nil,
            select: "SELECT \(largest), NULL, Z_MAX FROM Z_PRIMARYKEY WHERE \(condition)",
            words: { "the counter of keys (Z_PRIMARYKEY.Z_MAX) is \($0.shown(at: 2)), and the row has a larger key" },
            mend: .statements(
                ["UPDATE Z_PRIMARYKEY SET Z_MAX = \(largest) WHERE \(condition)"], "sets it to the largest key"))
    }
}
