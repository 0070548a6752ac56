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
                    version: ", \(RowVersion.countingUp)",
                    // Others don't have the relationship.
                    members: " AND Z_ENT IN (\(toMany.memberNumbers(schema).map(String.init).joined(separator: ", ")))")
            ]
        case .joinTable(let join):
            guard let order = join.orderColumn, !join.isReflexive else { return [] }
            return [
                self.order(
                    entity, name, table: join.table, owner: join.ownerColumn, order: order, member: join.memberColumn,
                    version: "", members: "")
            ]
        }
    }

    private func order(
        _ entity: SQLEntity, _ name: String, table: String, owner: String, order: String, member: String,
        version: String, members: String
    ) -> StoreRule {
        let rows = "FROM \(table) WHERE typeof(\(owner)) = 'integer'\(members)"
        let groups =
            "\(rows) GROUP BY \(owner), \(order) HAVING COUNT(DISTINCT \(member)) > 1 OR typeof(\(order)) <> 'integer'"
        return StoreRule(
            kind: .brokenOrder, entity: entity.name, property: name,
            select: "SELECT \(owner), NULL, \(order), COUNT(DISTINCT \(member)) \(groups)",
            words: { statement in
                let count = statement.integer(at: 3)
                let members = count == 1 ? "one member has" : "\(count) members have"
                switch statement.storage(at: 2) {
                case .null: return "\(members) no place (\(table).\(order))"
                case .integer:
                    return "\(members) the same place (\(table).\(order) = \(statement.integer(at: 2)))"
                default:
                    return
                        "\(members) \(statement.shown(at: 2)) as a place (\(table).\(order)), where an integer is expected"
                }
            },
            mend: .statements(
                [
                    // The order in which they are read now.
                    """
                    UPDATE \(table) AS t SET \(order) = n.place\(version) FROM (
                        SELECT \(owner) AS owner, \(member) AS member,
                            \(SparseOrder.first - SparseOrder.step) + \(SparseOrder.step) * ROW_NUMBER() OVER (
                                PARTITION BY \(owner) ORDER BY \(order), \(member)) AS place
                        \(rows) AND \(owner) IN (SELECT \(owner) \(groups))
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
        guard let identity = identities[entity.name],
            !constraints.contains(where: { Set($0.properties) == Set(identity) })
        else { return rules }
        let columns = identity.compactMap(entity.column(named:))
        // An identity may be of what isn't stored; the rule of a family's entity is about all of it.
        guard columns.count == identity.count, families[entity.name] ?? entity.name == entity.name else { return rules }
        let line = line(of: entity, identity)
        let family = schema.entities.filter { $0.name == entity.name || families[$0.name] == entity.name }
        rules.append(
            duplicates(
                .duplicateIdentity, line.last ?? entity, identity, columns, "which identifies its objects", of: family,
                in: family + line.dropFirst()))
        return rules
    }

    /// An entity and its super-entities that have its identity. Outside of families, what can't be the same object may share one: of two entities that
    /// only have a super-entity in common, there may be objects with the same identity, as imports make them.
    private func line(of entity: SQLEntity, _ identity: [String]) -> [SQLEntity] {
        var line = [entity]
        while let name = line.last?.description.superentity?.name, identities[name] == identity,
            let parent = schema.entities.first(where: { $0.name == name })
        {
            line.append(parent)
        }
        return line
    }

    /// - Parameters:
    ///   - own: Of which entities a row has to be among those that are alike; none for any.
    ///   - line: The entities whose rows are compared, without sub-entities; empty for the entity and all of those.
    private func duplicates(
        _ kind: StoreFinding.Kind, _ entity: SQLEntity, _ names: [String], _ columns: [String], _ reason: String,
        of own: [SQLEntity] = [], in line: [SQLEntity] = []
    ) -> StoreRule {
        func numbers(_ entities: [SQLEntity]) -> String { entities.map { String($0.number) }.joined(separator: ", ") }
        let isCompared = line.isEmpty ? entity.rowCondition(of: entity.table) : "Z_ENT IN (\(numbers(line)))"
        let hasOwn = own.isEmpty ? "" : " AND SUM(Z_ENT IN (\(numbers(own)))) > 0"
        // Where nobody owns them, what is the owner's in an identity is null, and counts.
        let owners = kind == .duplicateIdentity ? entity.description.relationshipsByName : [:]
        let mandatory = zip(names, columns).filter { owners[$0.0] == nil }.map(\.1)
        func areFilled(_ columns: [String], _ conjunction: String) -> String {
            "(" + columns.map { "\($0) IS NOT NULL" }.joined(separator: conjunction) + ")"
        }
        let filled = mandatory.isEmpty ? areFilled(columns, " OR ") : areFilled(mandatory, " AND ")
        return StoreRule(
            kind: kind, entity: entity.name, property: names.joined(separator: ", "),
            select: "SELECT MIN(Z_PK), MIN(Z_ENT), MAX(Z_PK), COUNT(*), \(columns.joined(separator: ", ")) "
                + "FROM \(entity.table) WHERE \(filled) AND \(isCompared) "
                + "GROUP BY \(columns.joined(separator: ", ")) HAVING COUNT(*) > 1\(hasOwn)",
            words: { statement in
                let values = columns.indices.map { statement.shown(at: Int32($0 + 4)) }.joined(separator: ", ")
                let (last, count) = (statement.integer(at: 2), statement.integer(at: 3))
                let others = count == 2 ? "row \(last)" : "\(count - 1) others, the last one row \(last),"
                return "has \(values), \(reason), as \(others) has"
            },
            mend: .impossible("Which of them is the right one can't be told: delete or change the others."))
    }

    // MARK: Counters and versions

    /// The next key comes after the counter of the root.
    func keyCounter(_ root: SQLEntity) -> StoreRule {
        let largest = PrimaryKeys.largestKey(of: root.table)
        let condition = "Z_ENT = \(root.number) AND (typeof(Z_MAX) <> 'integer' OR Z_MAX < \(largest))"
        return StoreRule(
            kind: .lowKeyCounter, entity: root.name, property: nil,
            select: "SELECT NULLIF(\(largest), 0), NULL, Z_MAX FROM Z_PRIMARYKEY WHERE \(condition)",
            words: { statement in
                let rest =
                    statement.storage(at: 0) == .null ? ", and there are no rows" : ", and the row has a larger key"
                return "the counter of keys (Z_PRIMARYKEY.Z_MAX) is \(statement.shown(at: 2))\(rest)"
            },
            mend: .statements(
                ["UPDATE Z_PRIMARYKEY SET Z_MAX = \(largest) WHERE \(condition)"], "sets it to the largest key"))
    }

    /// A counter at its end lets nobody insert a row.
    func spentKeyCounter(_ root: SQLEntity) -> StoreRule {
        let largest = PrimaryKeys.largestKey(of: root.table)
        return StoreRule(
            kind: .spentKeyCounter, entity: root.name, property: nil,
            select: "SELECT NULL, NULL, Z_MAX, \(largest) FROM Z_PRIMARYKEY WHERE Z_ENT = \(root.number) "
                + "AND typeof(Z_MAX) = 'integer' AND Z_MAX >= \(Int64.max - 1)",
            words: { statement in
                "the counter of keys (Z_PRIMARYKEY.Z_MAX) is \(statement.integer(at: 2)), so that no row can be added; the "
                    + "largest key is \(statement.integer(at: 3))"
            },
            mend: .impossible(
                "Which keys deleted rows have had can't be told: set it to the largest key if nobody keeps theirs."))
    }

    /// Core Data gives each row a version, and compares it before it writes.
    func missingVersion(_ root: SQLEntity) -> StoreRule {
        let rows = "FROM \(root.table) AS a WHERE a.Z_OPT IS NULL AND \(root.rowCondition(of: "a"))"
        return StoreRule(
            kind: .missingVersion, entity: root.name, property: nil, select: "SELECT a.Z_PK, a.Z_ENT \(rows)",
            words: { _ in "has no version (Z_OPT)" },
            mend: .statements(
                ["UPDATE \(root.table) SET Z_OPT = 1 WHERE Z_PK IN (SELECT a.Z_PK \(rows))"],
                "sets it to the first version"))
    }
}
