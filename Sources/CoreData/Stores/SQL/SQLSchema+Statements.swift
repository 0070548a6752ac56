// The text of the CREATE statements of a new store, as Core Data writes it: names unquoted, a space inside the
// parentheses of tables, none inside those of indexes.
//
//     CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHOR INTEGER, ZTITLE VARCHAR )
//     CREATE INDEX ZBOOK_ZAUTHOR_INDEX ON ZBOOK (ZAUTHOR)

import Foundation

extension SQLSchema {
    /// All statements that make a store's tables, indexes and triggers, in the order in which they have to run.
    ///
    /// - Throws: ``SQLSchemaError`` for an index or a derived attribute that can't be expressed.
    func createStatements() throws -> [String] {
        var statements: [String] = []
        for table in tables {
            statements.append(Self.createStatement(for: table))
            statements += joinTables(ofHierarchy: table.rootNumber).map(Self.createStatement)
        }
        for table in tables { statements += try indexStatements(for: table) }
        for entity in entities { statements += try SQLDerivedAttributes(schema: self).triggers(of: entity) }
        return statements + Self.systemTables
    }

    static let systemTables = [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]

    private func joinTables(ofHierarchy rootNumber: Int) -> [SQLJoinTable] {
        joinTables.filter { entity(numbered: $0.masterNumber)?.rootNumber == rootNumber }
    }

    private static func createStatement(for table: SQLTable) -> String {
        let columns =
            ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
            + table.columns.map { "\($0.name) \($0.type.rawValue)" }
        return "CREATE TABLE \(table.name) ( \(columns.joined(separator: ", ")) )"
    }

    private static func createStatement(for table: SQLJoinTable) -> String {
        let columns = ([table.ownerColumn, table.memberColumn] + table.orderColumns).map { "\($0) INTEGER" }
        let key = "PRIMARY KEY (\(table.ownerColumn), \(table.memberColumn))"
        return "CREATE TABLE \(table.name) ( \((columns + [key]).joined(separator: ", ")) )"
    }

    // MARK: Indexes

    private func indexStatements(for table: SQLTable) throws -> [String] {
        var statements: [String] = []
        for index in try indexes(of: table) where !index.statements.allSatisfy(statements.contains) {
            // A model may have the same index twice.
            statements += index.statements
        }
        return statements
    }

    /// The indexes that a new store has for a table and its join tables.
    ///
    /// - Parameter leavingOut: Is told of an index that can't be expressed, and may throw.
    func indexes(of table: SQLTable, leavingOut: (any Error) throws -> Void = { throw $0 }) throws -> [SQLIndex] {
        let hierarchy = entities.filter { $0.rootNumber == table.rootNumber }
        guard let root = hierarchy.first else { return [] }
        var indexes = table.columns.filter(\.isIndexed).map { SQLIndex(of: [$0.name], on: table.name, root) }
        if root.hasSubentities, !Self.omitsEntityIndex(root.description) {
            indexes.append(SQLIndex(of: ["Z_ENT"], on: table.name, root))
        }
        for join in joinTables(ofHierarchy: table.rootNumber) {
            let master = entity(for: join.master.entity) ?? root
            indexes.append(SQLIndex(of: [join.memberColumn, join.ownerColumn], on: join.name, master))
        }
        for entity in hierarchy {
            for index in entity.description.indexes {
                do {
                    if let made = try SQLFetchIndex(index, of: entity).index() { indexes.append(made) }
                } catch {
                    try leavingOut(error)
                }
            }
            do {
                indexes += try entity.uniquenessConstraints().map(SQLIndex.init)
            } catch {
                try leavingOut(error)
            }
        }
        return indexes
    }

    private static func omitsEntityIndex(_ entity: NSEntityDescription) -> Bool {
        entity.userInfo?["_NSEntityOmitSubentityColumnIndex"] as? String == "YES"
    }
}

/// An index of a new store.
struct SQLIndex {
    let name: String
    let table: String
    let entity: SQLEntity
    /// Its columns in their order; none for an index of points, which is a table of its own.
    let columns: [String]
    /// What is unique, where something is.
    var uniqueProperties: [String]?
    /// Whether rows that don't match a predicate aren't in it.
    var isPartial = false
    let statements: [String]
}

extension SQLIndex {
    /// An index that Core Data makes for itself.
    fileprivate init(of columns: [String], on table: String, _ entity: SQLEntity) {
        let name = "\(table)_\(columns[0])_INDEX"
        self.init(
            name: name, table: table, entity: entity, columns: columns,
            statements: ["CREATE INDEX \(name) ON \(table) (\(columns.joined(separator: ", ")))"])
    }

    fileprivate init(_ constraint: SQLUniquenessConstraint) {
        let columns = constraint.columns.map { "\($0) COLLATE BINARY ASC" }.joined(separator: ", ")
        // The path to an element of a composite attribute has dots.
        let properties = constraint.properties.joined(separator: "_").replacing(".", with: "_")
        let (entity, table) = (constraint.entity, constraint.entity.table)
        let name = "Z_\(entity.name)_UNIQUE_\(properties)"
        self.init(
            name: name, table: table, entity: entity, columns: constraint.columns,
            uniqueProperties: constraint.properties,
            statements: ["CREATE UNIQUE INDEX \(name) ON \(table) (\(columns))"])
    }
}

extension SQLSchema {
    /// The constraints that an entity's rows come under, those of other entities of its table included.
    package func uniquenessConstraints(inForceOn entity: NSEntityDescription) throws -> [SQLUniquenessConstraint] {
        try entity.constrainingEntities.compactMap { self.entity(for: $0) }.flatMap { try $0.uniquenessConstraints() }
            .filter { entity.isKindOf(entity: $0.entity.description.scope(ofConstraint: $0.properties)) }
    }
}

/// A uniqueness constraint of an entity: its properties and their columns, in the declared order.
package struct SQLUniquenessConstraint {
    package let entity: SQLEntity
    package let properties: [String]
    package let columns: [String]
}

extension SQLEntity {
    /// The constraints that the entity declares itself.
    ///
    /// - Throws: ``SQLSchemaError`` where one names something that has no column.
    package func uniquenessConstraints() throws -> [SQLUniquenessConstraint] {
        try description.uniquenessConstraintNames.filter { !$0.isEmpty }.map { names in
            let columns = try names.map { name in
                guard let column = column(named: name) else {
                    throw SQLSchemaError(
                        .unsupported(
                            what:
                                "The uniqueness constraint (\(names.joined(separator: ", "))) of entity '\(self.name)'",
                            reason: "'\(name)' is no stored attribute or to-one relationship of the entity"))
                }
                return column
            }
            return SQLUniquenessConstraint(entity: self, properties: names, columns: columns)
        }
    }

    /// The column of an attribute or to-one relationship.
    package func column(named name: String) -> String? {
        switch property(named: name) {
        case .attribute(let attribute): attribute.column
        case .toOne(let toOne): toOne.column
        case .toMany, nil: nil
        }
    }
}
