// What has to hold for the pairs of a join table.

import Foundation

/// The rules for one join table.
struct PairRules {
    private let join: SQLJoinTable
    private let rules: StoreRules
    private let owner: SQLEntity
    private let member: SQLEntity
    private let inverse: NSRelationshipDescription

    /// - Returns: Nil for a table whose entities the schema doesn't have.
    init?(_ join: SQLJoinTable, _ rules: StoreRules) {
        guard let owner = rules.schema.entity(for: join.master.entity),
            let member = join.master.destinationEntity.flatMap(rules.schema.entity(for:))
        else { return nil }
        self.join = join
        self.rules = rules
        self.owner = owner
        self.member = member
        inverse = join.master.inverseRelationship ?? join.master
    }

    func all() -> [StoreRule] {
        [noKeys, duplicates, StructureRules(rules.schema).pairs(of: join, owner)]
            + [true, false].flatMap { [dangling(fromOwner: $0), wrongDestination(fromOwner: $0)] }
    }

    private var areKeys: String {
        "typeof(j.\(join.ownerColumn)) = 'integer' AND typeof(j.\(join.memberColumn)) = 'integer'"
    }

    /// Those that find pairs of which a row is missing.
    var withoutRow: [StoreRule] { [noKeys, dangling(fromOwner: true), dangling(fromOwner: false)] }

    private func number(_ entity: SQLEntity, _ column: String) -> String {
        "(SELECT b.Z_ENT FROM \(entity.table) AS b WHERE b.Z_PK = j.\(column))"
    }

    private func isThere(_ entity: SQLEntity, _ column: String) -> String {
        "EXISTS (SELECT 1 FROM \(entity.table) AS b WHERE b.Z_PK = j.\(column))"
    }

    /// The condition that no row has a key. Both sides are read once in the order of the keys, as their indexes have them; looking
    /// each pair's row up takes several times as long.
    private func isMissing(_ entity: SQLEntity, _ column: String) -> String {
        "j.\(column) IN (SELECT \(column) FROM \(join.name) EXCEPT SELECT Z_PK FROM \(entity.table) ORDER BY 1)"
    }

    // MARK: Rules

    private var noKeys: StoreRule {
        StoreRule(
            kind: .unreadableValue, entity: owner.name, property: join.master.name,
            select: "SELECT CASE typeof(j.\(join.ownerColumn)) WHEN 'integer' THEN j.\(join.ownerColumn) END, "
                + "\(number(owner, join.ownerColumn)), j.\(join.ownerColumn), j.\(join.memberColumn) FROM \(join.name) AS j "
                + "WHERE NOT (\(areKeys))",
            words: { [join] statement in
                "a pair of \(join.name) has \(statement.shown(at: 2)) and \(statement.shown(at: 3)) where the keys of two rows "
                    + "are expected"
            },
            mend: .impossible("Which rows it was of can't be told: correct it, or delete the pair."))
    }

    private var duplicates: StoreRule {
        let (one, other) = (join.ownerColumn, join.memberColumn)
        return StoreRule(
            kind: .duplicateLink, entity: owner.name, property: join.master.name,
            select: "SELECT j.\(one), \(number(owner, one)), j.\(other), COUNT(*) FROM \(join.name) AS j "
                + "WHERE \(areKeys) GROUP BY j.\(one), j.\(other) HAVING COUNT(*) > 1",
            words: { [join, member] statement in
                "leads to row \(statement.integer(at: 2)) of '\(member.name)' \(statement.integer(at: 3)) times (\(join.name))"
            },
            mend: .statements(
                [
                    "DELETE FROM \(join.name) AS j WHERE \(areKeys) AND j.rowid NOT IN "
                        + "(SELECT MIN(rowid) FROM \(join.name) AS j WHERE \(areKeys) GROUP BY j.\(one), j.\(other))"
                ], "keeps the first of the pairs"))
    }

    /// The relationship from either side: its name, the entity that has it and its column, and the same of the other end.
    private func side(
        fromOwner: Bool
    ) -> (name: String, from: SQLEntity, column: String, to: SQLEntity, otherColumn: String) {
        fromOwner
            ? (join.master.name, owner, join.ownerColumn, member, join.memberColumn)
            : (inverse.name, member, join.memberColumn, owner, join.ownerColumn)
    }

    private func dangling(fromOwner: Bool) -> StoreRule {
        let (name, from, column, to, otherColumn) = side(fromOwner: fromOwner)
        // A pair of two rows that aren't there is one finding.
        let both = fromOwner ? "" : " AND \(isThere(from, column))"
        let condition = "\(areKeys) AND \(isMissing(to, otherColumn))\(both)"
        return StoreRule(
            kind: .danglingReference, entity: from.name, property: name,
            select:
                "SELECT j.\(column), \(number(from, column)), j.\(otherColumn) FROM \(join.name) AS j WHERE \(condition)",
            words: { [join] statement in
                let what = "leads to row \(statement.integer(at: 2)) of '\(to.name)' (\(join.name)), which isn't there"
                return statement.storage(at: 1) == .null ? "\(what), and neither is the row itself" : what
            },
            mend: rules.unsure([from.table, to.table])
                ?? .statements(["DELETE FROM \(join.name) AS j WHERE \(condition)"], "removes the pair"))
    }

    private func wrongDestination(fromOwner: Bool) -> StoreRule {
        let (name, from, column, to, otherColumn) = side(fromOwner: fromOwner)
        let found = number(to, otherColumn)
        return StoreRule(
            kind: .wrongDestination, entity: from.name, property: name,
            select: "SELECT j.\(column), \(number(from, column)), j.\(otherColumn), \(found) FROM \(join.name) AS j "
                + "WHERE \(areKeys) AND NOT \(to.rowCondition(of: "IFNULL(\(found), \(to.number))", isNumber: true))",
            words: { [join, rules] statement in
                "leads to row \(statement.integer(at: 2)) (\(join.name)), \(rules.what(statement, 3)), where '\(to.name)' is "
                    + "expected"
            },
            mend: .impossible("Which of the two is wrong can't be told: correct the pair or the row that it leads to."))
    }
}
