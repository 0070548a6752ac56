// What a store has to have besides its tables and columns: what keeps keys, pairs and values unique, the triggers of derived
// attributes, and indexes. Without tables or columns no store is opened; without these it is, and goes wrong later. They are told
// by what they do and not by their names, as other systems may have named them otherwise; only triggers are told by theirs.

import Foundation

/// The rules for the structure of a store's file.
struct StructureRules {
    private let schema: SQLSchema

    init(_ schema: SQLSchema) { self.schema = schema }

    // MARK: Triggers

    /// These come before all that changes rows, so that derived attributes follow it.
    func triggers() -> [StoreRule] {
        let derived = SQLDerivedAttributes(schema: schema)
        return schema.entities.flatMap { entity in
            derived.attributes(of: entity).compactMap { attribute in
                // What can't be kept is an error when a store is made.
                guard case .triggers(let kept?)? = try? derived.kind(of: attribute, of: entity) else { return nil }
                return triggers(kept)
            }
        }
    }

    private func triggers(_ kept: SQLKeptAttribute) -> StoreRule {
        let table = kept.entity.table
        let names = kept.triggers.map { "(\($0.name.sqlLiteral))" }.joined(separator: ", ")
        return StoreRule(
            kind: .missingTrigger, entity: kept.entity.name, property: kept.name,
            select: """
                SELECT NULL, NULL, missing FROM (
                    SELECT group_concat(column1, ', ') AS missing FROM (VALUES \(names)) WHERE NOT EXISTS (
                        SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = column1 COLLATE NOCASE))
                WHERE missing IS NOT NULL
                """,
            words: { "the file lacks triggers that keep it: \($0.text(at: 2))" },
            mend: .statements(
                kept.triggers.flatMap { ["DROP TRIGGER IF EXISTS \($0.name)", $0.sql] } + [
                    "UPDATE \(table) AS t SET \(kept.column) = \(kept.value), \(RowVersion.countingUp) "
                        + "WHERE \(kept.entity.rowCondition(of: "t")) AND \(kept.column) IS NOT \(kept.value)"
                ], "makes them, and computes the values again"))
    }

    // MARK: Types of columns

    /// SQLite converts what is written by the type that a column is declared with: the text `007` is 7 in a column of numbers.
    func types(of table: SQLTable) -> [StoreRule] {
        if table.columns.isEmpty { return [] }
        let root = schema.entity(numbered: table.rootNumber)?.name ?? table.name
        let expected = table.columns.map { column in
            "(\(column.name.sqlLiteral), '\(column.type.rawValue)', \(column.type.harm))"
        }
        let rule = StoreRule(
            kind: .wrongColumnType, entity: root, property: nil,
            select: """
                SELECT NULL, NULL, c.name, c.type, e.column2 FROM pragma_table_xinfo(\(table.name.sqlLiteral)) AS c
                JOIN (VALUES \(expected.joined(separator: ", "))) AS e ON e.column1 = c.name COLLATE NOCASE
                WHERE instr(e.column3, \(Self.affinity)) > 0 ORDER BY c.cid
                """,
            words: { statement in
                "the column \(table.name).\(statement.text(at: 2)) is declared as \(statement.text(at: 3)), and a new store "
                    + "has \(statement.text(at: 4)): SQLite changes values that are written to it"
            },
            mend: .impossible(
                "What it has changed can't be told: import the store into a new one, and look at the values there."))
        return [rule]
    }

    /// The letter of what SQLite makes of the declared type of a column `c`: its rules, in their order.
    private static let affinity = """
        CASE WHEN upper(c.type) LIKE '%INT%' THEN 'i'
        WHEN upper(c.type) LIKE '%CHAR%' OR upper(c.type) LIKE '%CLOB%' OR upper(c.type) LIKE '%TEXT%' THEN 't'
        WHEN c.type = '' OR upper(c.type) LIKE '%BLOB%' THEN 'b'
        WHEN upper(c.type) LIKE '%REAL%' OR upper(c.type) LIKE '%FLOA%' OR upper(c.type) LIKE '%DOUB%' THEN 'r'
        ELSE 'n' END
        """

    // MARK: Keys and unique values

    /// The keys of a table of objects.
    func keys(of table: SQLTable) -> [StoreRule] {
        guard let root = schema.entity(numbered: table.rootNumber) else { return [] }
        let isKey =
            "(SELECT SUM(pk) = 1 AND SUM(pk AND name = 'Z_PK' COLLATE NOCASE) "
            + "FROM pragma_table_info(\(table.name.sqlLiteral)))"
        return [
            unique(["Z_PK"], of: table.name, root, nil, "the keys of \(table.name) (Z_PK)", isNeeded: "NOT \(isKey)")
        ]
    }

    /// The pairs of a join table.
    func pairs(of join: SQLJoinTable, _ owner: SQLEntity) -> StoreRule {
        unique(
            [join.ownerColumn, join.memberColumn], of: join.name, owner, join.master.name, "the pairs of \(join.name)")
    }

    private func unique(
        _ columns: [String], of table: String, _ entity: SQLEntity, _ property: String?, _ what: String,
        isNeeded: String = "1"
    ) -> StoreRule {
        let index = "\(table)_UNIQUE"
        return missing(
            .missingConstraint, entity, property, table, isNeeded: isNeeded, Self.isUnique(columns),
            "no primary key and no unique index keeps \(what) unique", name: index,
            "CREATE UNIQUE INDEX \(index) ON \(table) (\(columns.joined(separator: ", ")))")
    }

    // MARK: Indexes

    /// Those of a table and its join tables: of constraints, and for searches.
    func indexes(of table: SQLTable) throws -> [StoreRule] {
        var asked: Set<String> = []
        // One that can't be made is in no store of ours, and somebody else's may have it.
        return try schema.indexes(of: table, leavingOut: { _ in }).compactMap { index in
            guard !index.columns.isEmpty, let statement = index.statements.first else { return nil }
            let shown = "\(index.table) (\(index.columns.joined(separator: ", ")))"
            if let properties = index.uniqueProperties {
                return missing(
                    .missingConstraint, index.entity, properties.joined(separator: ", "), index.table,
                    Self.isUnique(index.columns), "no unique index keeps what the model says is unique: \(shown)",
                    name: index.name, statement)
            }
            return missing(
                .missingIndex, index.entity, nil, index.table,
                Self.begins(with: index.columns) + (index.isPartial ? "" : " AND NOT l.partial"),
                "the file lacks the index \(index.name) on \(shown), so that searches take longer", name: index.name,
                statement)
        }
        // One serves all that a model has on the same columns.
        .filter { asked.insert($0.select).inserted }
    }

    // MARK: The questions

    private func missing(
        _ kind: StoreFinding.Kind, _ entity: SQLEntity, _ property: String?, _ table: String, isNeeded: String = "1",
        _ condition: String, _ words: String, name: String, _ statement: String
    ) -> StoreRule {
        StoreRule(
            kind: kind, entity: entity.name, property: property,
            select: """
                SELECT NULL, NULL WHERE \(isNeeded) AND NOT EXISTS (
                    SELECT 1 FROM pragma_index_list(\(table.sqlLiteral)) AS l WHERE \(condition))
                """,
            words: { _ in words },
            mend: .statements(
                ["DROP INDEX IF EXISTS \(SQLNaming.identifier(name))", statement], "makes the index \(name)"))
    }

    /// The condition that an index `l` lets no two rows have the same in some columns.
    private static func isUnique(_ columns: [String]) -> String {
        let names = columns.map(\.sqlLiteral).joined(separator: ", ")
        // One on fewer of them keeps all of them unique as well.
        return "l.\"unique\" AND NOT l.partial AND (SELECT COUNT(*) > 0 "
            + "AND SUM(IFNULL(c.name COLLATE NOCASE IN (\(names)), 0)) = COUNT(*) FROM pragma_index_info(l.name) AS c)"
    }

    /// The condition that an index `l` finds rows by some columns.
    private static func begins(with columns: [String]) -> String {
        columns.enumerated().map {
            "EXISTS (SELECT 1 FROM pragma_index_info(l.name) AS c "
                + "WHERE c.seqno = \($0) AND c.name = \($1.sqlLiteral) COLLATE NOCASE)"
        }.joined(separator: " AND ")
    }
}

extension SQLType {
    /// The letters of those affinities, as a literal, under which values of the type become others.
    fileprivate var harm: String {
        switch self {
        case .varchar: "'irn'"
        case .integer: "'tr'"
        case .float, .timestamp, .decimal: "'t'"
        // Bytes stay as they are.
        case .blob: "''"
        }
    }
}
