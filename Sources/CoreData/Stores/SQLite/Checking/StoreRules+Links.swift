// What has to hold for the links between rows.

import Foundation

/// The rules for the store of a schema.
struct StoreRules {
    let schema: SQLSchema
    /// The declared identity of entities: names of attributes and to-one relationships.
    let identities: [String: [String]]
    /// The entities in which one identity is one object, whatever sub-entity it is of, by their own and their sub-entities' names.
    var families: [String: String] = [:]
    /// The tables with rows whose key is no number: what leads nowhere may lead to one of them.
    var tablesWithoutKeys: Set<String> = []

    /// All rules, in an order in which what one of them mends is sound for those behind it.
    func all() throws -> [StoreRule] {
        let entities = schema.entities
        let own = entities.flatMap { entity in entity.ownProperties.map { (entity, $0.name, $0.property) } }
        let structure = StructureRules(schema)
        var rules = structure.triggers() + schema.tables.flatMap { structure.types(of: $0) + structure.keys(of: $0) }
        rules += entities.filter(\.isRoot).flatMap { [missingVersion($0), keyCounter($0), spentKeyCounter($0)] }
        for case (let entity, let name, .toOne(let toOne)) in own { rules += references(entity, name, toOne) }
        for case (let entity, let name, .toMany(let toMany)) in own { rules += owners(entity, name, toMany) }
        for join in schema.joinTables { rules += PairRules(join, self)?.all() ?? [] }
        for case (let entity, let name, .toOne(let toOne)) in own { rules += otherEnds(entity, name, toOne) }
        for case (let entity, let name, .toMany(let toMany)) in own { rules += order(entity, name, toMany) }
        for entity in entities { rules += try uniqueness(entity) }
        for table in schema.tables { rules += try structure.indexes(of: table) }
        return rules
    }

    /// Those that find links which aren't among any object's values, or needn't be met: who writes a link from one object to one
    /// at one of its ends doesn't read the other.
    var linksOfNoObject: [StoreRule] {
        let owned = schema.entities.flatMap { entity in
            entity.ownProperties.flatMap { name, property -> [StoreRule] in
                switch property {
                case .attribute: []
                case .toOne(let toOne): isOneToOneInPart(toOne) ? [wrongDestination(entity, name, toOne)] : []
                case .toMany(let toMany): owners(entity, name, toMany)
                }
            }
        }
        return owned + schema.joinTables.flatMap { PairRules($0, self)?.withoutRow ?? [] }
    }

    // MARK: To-one relationships

    /// Whether one object leads to one that leads back, in a table that has others, too.
    private func isOneToOneInPart(_ toOne: SQLToOne) -> Bool {
        toOne.description.inverseRelationship?.isToMany == false
            && toOne.destination.rowCondition(includingSubentities: true) != nil
    }

    /// The rows of an entity that lead somewhere.
    private func linked(_ entity: SQLEntity, _ toOne: SQLToOne) -> String {
        "FROM \(entity.table) AS a WHERE typeof(a.\(toOne.column)) = 'integer' AND \(entity.rowCondition(of: "a"))"
    }

    private func references(_ entity: SQLEntity, _ name: String, _ toOne: SQLToOne) -> [StoreRule] {
        let (table, column) = (entity.table, toOne.column)
        let destination = toOne.destination
        let dangling =
            "\(linked(entity, toOne)) AND NOT EXISTS (SELECT 1 FROM \(destination.table) AS b WHERE b.Z_PK = a.\(column))"
        let columns = [column, toOne.entityColumn, toOne.orderColumn].compactMap(\.self)
        let nulls = columns.map { "\($0) = NULL" }.joined(separator: ", ")
        var rules = [
            StoreRule(
                kind: .danglingReference, entity: entity.name, property: name,
                select: "SELECT a.Z_PK, a.Z_ENT, a.\(column) \(dangling)",
                words: { "leads to row \($0.integer(at: 2)) of '\(destination.name)', which isn't there" },
                mend: unsure([destination.table])
                    ?? (toOne.description.isOptional
                        ? .statements(
                            [
                                "UPDATE \(table) SET \(nulls), \(RowVersion.countingUp) "
                                    + "WHERE Z_PK IN (SELECT a.Z_PK \(dangling))"
                            ], "sets it to null")
                        : .impossible(
                            "The model says that '\(name)' is mandatory: delete the row, or give it another '\(name)'."))
            ),
            wrongDestination(entity, name, toOne),
        ]
        if let number = toOne.entityColumn { rules.append(entityNumber(entity, name, toOne, number)) }
        return rules
    }

    private func wrongDestination(_ entity: SQLEntity, _ name: String, _ toOne: SQLToOne) -> StoreRule {
        let destination = toOne.destination
        return StoreRule(
            kind: .wrongDestination, entity: entity.name, property: name,
            select: "SELECT a.Z_PK, a.Z_ENT, a.\(toOne.column), (SELECT b.Z_ENT FROM \(destination.table) AS b "
                + "WHERE b.Z_PK = a.\(toOne.column)) \(linked(entity, toOne)) AND EXISTS (SELECT 1 FROM \(destination.table) AS b "
                + "WHERE b.Z_PK = a.\(toOne.column) AND NOT \(destination.rowCondition(of: "b")))",
            words: { statement in
                "leads to row \(statement.integer(at: 2)), \(what(statement, 3)), where '\(destination.name)' is expected"
            },
            mend: .impossible("Which of the two is wrong can't be told: correct the link or the row that it leads to."))
    }

    /// The column beside the link says what the row it leads to is.
    private func entityNumber(
        _ entity: SQLEntity, _ name: String, _ toOne: SQLToOne, _ number: String
    ) -> StoreRule {
        let found =
            "FROM \(entity.table) AS a JOIN \(toOne.destination.table) AS b ON b.Z_PK = a.\(toOne.column) "
            + "WHERE \(entity.rowCondition(of: "a")) AND \(toOne.destination.rowCondition(of: "b")) "
            + "AND a.\(number) IS NOT b.Z_ENT"
        return StoreRule(
            kind: .wrongEntityNumber, entity: entity.name, property: name,
            select: "SELECT a.Z_PK, a.Z_ENT, a.\(number), b.Z_ENT, b.Z_PK \(found)",
            words: { statement in
                "\(number) is \(statement.shown(at: 2)), and row \(statement.integer(at: 4)), which it leads to, has the "
                    + "entity number \(statement.integer(at: 3))"
            },
            mend: .statements(
                [
                    "UPDATE \(entity.table) AS t SET \(number) = (SELECT b.Z_ENT FROM \(toOne.destination.table) AS b "
                        + "WHERE b.Z_PK = t.\(toOne.column)), \(RowVersion.countingUp) "
                        + "WHERE Z_PK IN (SELECT a.Z_PK \(found))"
                ], "writes the number of the row that it leads to"))
    }

    // MARK: One-to-one relationships

    /// Of a pair of rows each has to lead to the other.
    private func otherEnds(_ entity: SQLEntity, _ name: String, _ toOne: SQLToOne) -> [StoreRule] {
        guard let inverse = toOne.description.inverseRelationship, !inverse.isToMany,
            let other = schema.entity(for: inverse.entity),
            case .toOne(let back)? = other.property(named: inverse.name)
        else { return [] }
        let (table, column) = (entity.table, toOne.column)
        let found =
            "FROM \(table) AS a JOIN \(other.table) AS b ON b.Z_PK = a.\(column) WHERE \(entity.rowCondition(of: "a")) "
            + "AND \(other.rowCondition(of: "b")) AND b.\(back.column) IS NOT a.Z_PK"
        let isFree =
            "(b.\(back.column) IS NULL AND (SELECT COUNT(*) FROM \(table) AS c WHERE c.\(column) = b.Z_PK "
            + "AND \(entity.rowCondition(of: "c"))) = 1)"
        let links = "(SELECT a.Z_PK FROM \(table) AS a WHERE a.\(column) = t.Z_PK AND \(entity.rowCondition(of: "a")))"
        let numbers =
            "(SELECT a.Z_ENT FROM \(table) AS a WHERE a.\(column) = t.Z_PK AND \(entity.rowCondition(of: "a")))"
        let entityNumber = back.entityColumn.map { ", \($0) = \(numbers)" } ?? ""
        func rule(_ condition: String, _ words: @escaping (RowStatement) -> String, _ mend: StoreRule.Mend) -> StoreRule
        {
            StoreRule(
                kind: .oneSidedLink, entity: entity.name, property: name,
                select: "SELECT a.Z_PK, a.Z_ENT, b.Z_PK, b.\(back.column) \(found) AND \(condition)", words: words,
                mend: mend)
        }
        func start(_ statement: RowStatement) -> String {
            "leads to row \(statement.integer(at: 2)) of '\(other.name)', whose '\(inverse.name)'"
        }
        return [
            rule(
                isFree, { "\(start($0)) leads nowhere" },
                .statements(
                    [
                        "UPDATE \(other.table) AS t SET \(back.column) = \(links)\(entityNumber), "
                            + "\(RowVersion.countingUp) WHERE Z_PK IN (SELECT b.Z_PK \(found) AND \(isFree))"
                    ], "sets the other end")),
            rule(
                "NOT \(isFree)",
                { statement in
                    let end =
                        statement.storage(at: 3) == .null
                        ? "leads nowhere, and other rows lead to it as well"
                        : "leads to row \(statement.integer(at: 3))"
                    return "\(start(statement)) \(end)"
                },
                .impossible("Which of the links holds can't be told: set one of them, and the other to null.")),
        ]
    }

    // MARK: To-many relationships

    /// Of a to-many relationship without inverse the members have the owner's key; otherwise the inverse is looked at.
    private func owners(_ entity: SQLEntity, _ name: String, _ toMany: SQLToMany) -> [StoreRule] {
        guard case .foreignKey(let key) = toMany.storage else { return [] }
        let member = toMany.destination
        var rules = [wrongMembers(entity, name, toMany, key)]
        if key.hasInverse { return rules }
        let rows = "FROM \(key.table) AS a WHERE typeof(a.\(key.column)) = 'integer'"
        let owner = "(SELECT b.Z_ENT FROM \(entity.table) AS b WHERE b.Z_PK = a.\(key.column))"
        let dangling = "\(rows) AND NOT EXISTS (SELECT 1 FROM \(entity.table) AS b WHERE b.Z_PK = a.\(key.column))"
        let columns = [key.column, key.orderColumn].compactMap(\.self)
        let nulls = columns.map { "\($0) = NULL" }.joined(separator: ", ")
        func rule(
            _ kind: StoreFinding.Kind, _ found: String, _ words: @escaping (RowStatement) -> String,
            _ mend: StoreRule.Mend
        ) -> StoreRule {
            StoreRule(
                kind: kind, entity: member.name, property: nil,
                select: "SELECT a.Z_PK, a.Z_ENT, a.\(key.column), \(owner) \(found)", words: words, mend: mend)
        }
        rules.append(
            rule(
                .danglingReference, dangling,
                { "is a member of '\(name)' of row \($0.integer(at: 2)) of '\(entity.name)', which isn't there" },
                unsure([entity.table])
                    ?? .statements(
                        [
                            "UPDATE \(key.table) SET \(nulls), \(RowVersion.countingUp) "
                                + "WHERE Z_PK IN (SELECT a.Z_PK \(dangling))"
                        ], "takes it out")))
        rules.append(
            rule(
                .wrongDestination,
                "\(rows) AND NOT \(entity.rowCondition(of: "IFNULL(\(owner), \(entity.number))", isNumber: true))",
                {
                    "is a member of '\(name)' of row \($0.integer(at: 2)), \(what($0, 3)), where '\(entity.name)' is expected"
                },
                .impossible("Which of the two is wrong can't be told: correct the link or the row that it leads to.")))
        rules.append(
            rule(
                .unreadableValue, "FROM \(key.table) AS a WHERE typeof(a.\(key.column)) NOT IN ('integer', 'null')",
                {
                    "found \($0.shown(at: 2)) where the key of its owner in '\(name)' is expected (\(key.table).\(key.column))"
                },
                .impossible("Correct the value, or restore the row from a copy.")))
        return rules
    }

    /// Rows in a column that their entity doesn't have.
    private func wrongMembers(
        _ entity: SQLEntity, _ name: String, _ toMany: SQLToMany, _ key: SQLForeignKey
    ) -> StoreRule {
        let all = schema.entities.filter { $0.table == key.table && !$0.description.isAbstract }.map {
            Int64($0.number)
        }
        let wrong = Set(all).subtracting(toMany.memberNumbers(schema)).sorted().map(String.init)
        return StoreRule(
            kind: .wrongDestination, entity: toMany.destination.name, property: nil,
            select: "SELECT a.Z_PK, a.Z_ENT, a.\(key.column) FROM \(key.table) AS a "
                + "WHERE a.\(key.column) IS NOT NULL AND a.Z_ENT IN (\(wrong.joined(separator: ", ")))",
            words: { statement in
                "is a member of '\(name)' of row \(statement.integer(at: 2)) of '\(entity.name)' "
                    + "(\(key.table).\(key.column)), where '\(toMany.destination.name)' is expected"
            },
            mend: .impossible("Which of the two is wrong can't be told: correct the link or the row's Z_ENT."))
    }

    // MARK: Words

    /// What an entity number in a column says of a row.
    func what(_ statement: RowStatement, _ column: Int32) -> String {
        let found = Int(exactly: statement.integer(at: column)).flatMap { schema.entity(numbered: $0)?.name }
        return found.map { "a '\($0)'" } ?? "a row with entity number \(statement.shown(at: column))"
    }

    /// Why a link isn't cut, where there are rows whose key nobody knows; nil where there are none.
    func unsure(_ tables: [String]) -> StoreRule.Mend? {
        guard let table = tables.first(where: tablesWithoutKeys.contains) else { return nil }
        return .impossible("It may lead to a row of \(table) whose key is no number: correct that key first.")
    }
}
