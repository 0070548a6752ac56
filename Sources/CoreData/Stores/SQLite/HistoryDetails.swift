// Which properties an update has changed, and the values that outlive a deleted row. Core Data keeps them in `ZCOLUMNS` and
// `ZTOMBSTONE…` of its table ACHANGE, in a form that isn't known: those stay empty, and what another program has written there
// isn't told. A store that is opened here with a history keeps them in a table of its own, by name:
//
//     GRAFT_CHANGEDETAIL   one row a property: the change's Z_PK, the name, the kept value as its column had it
//
// A trigger lets them go with their change, whoever deletes it.

import Foundation
import GRDB

/// What the history says of a changed row beside its kind: a property, and, of a deleted row, the value that is kept.
struct HistoryDetail {
    let property: String
    var value = SQLValue.null
}

enum HistoryDetails {
    private static let table = "GRAFT_CHANGEDETAIL"

    static func exist(_ db: Database) throws -> Bool { try db.hasTable(table) }

    /// Makes the table and its trigger, unless they are there. The history's own tables are.
    static func create(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(table) (ZCHANGE INTEGER NOT NULL, ZPROPERTY VARCHAR NOT NULL, ZVALUE BLOB,
                PRIMARY KEY (ZCHANGE, ZPROPERTY)) WITHOUT ROWID
                """)
        try db.execute(
            sql: """
                CREATE TRIGGER IF NOT EXISTS \(table)_DELETED AFTER DELETE ON ACHANGE
                BEGIN DELETE FROM \(table) WHERE ZCHANGE = OLD.Z_PK; END
                """)
    }

    // MARK: Writing

    /// The values to be kept of rows that are going to be deleted, parallel to their keys; none where the entity has no
    /// attributes of that kind.
    static func tombstones(of plan: EntityPlan, keys: [Int64], _ db: Database) throws -> [[HistoryDetail]] {
        let fields = Tombstone.fields(of: plan)
        guard !fields.isEmpty else { return [] }
        let columns = fields.map(\.column).joined(separator: ", ")
        var details: [Int64: [HistoryDetail]] = [:]
        for chunk in KeyChunks(keys) {
            let statement = try RowStatement(
                db, "SELECT Z_PK, \(columns) FROM \(plan.entity.table) WHERE Z_PK \(chunk.test)")
            try chunk.bind(to: statement)
            while try statement.step() {
                details[statement.integer(at: 0)] = fields.indices.compactMap { index in
                    let value = statement.value(at: Int32(index + 1))
                    return value == .null ? nil : HistoryDetail(property: fields[index].name, value: value)
                }
            }
        }
        return keys.map { details[$0] ?? [] }
    }

    /// Deletes what there is from a change on: somebody who has deleted changes without the trigger, and uses their numbers anew.
    static func deleteLeftovers(from change: Int64, _ db: Database) throws {
        let statement = try RowStatement(db, "DELETE FROM \(table) WHERE ZCHANGE >= ?")
        try statement.bind(change, at: 1)
        try statement.run()
    }

    /// Renames the properties of changes of one entity, and drops those that have no new name.
    ///
    /// - Parameter names: The new names by the old ones.
    static func rename(_ names: [String: String], ofEntity number: Int, _ db: Database) throws {
        guard try exist(db) else { return }
        let changes = "ZCHANGE IN (SELECT Z_PK FROM ACHANGE WHERE ZENTITY = \(number))"
        let old = names.keys.sorted()
        let marks = old.map { _ in "?" }.joined(separator: ", ")
        try db.execute(
            sql: "DELETE FROM \(table) WHERE \(changes) AND ZPROPERTY NOT IN (\(marks))",
            arguments: StatementArguments(old))
        let renamed = old.filter { names[$0] != $0 }
        if renamed.isEmpty { return }
        // In two steps, because names can be swapped: no property's name begins with a dollar sign.
        let cases = renamed.map { _ in " WHEN ? THEN '$' || ?" }.joined()
        try db.execute(
            sql: "UPDATE \(table) SET ZPROPERTY = CASE ZPROPERTY\(cases) ELSE ZPROPERTY END WHERE \(changes)",
            arguments: StatementArguments(renamed.flatMap { [$0, names[$0] ?? $0] }))
        try db.execute(sql: "UPDATE \(table) SET ZPROPERTY = substr(ZPROPERTY, 2) WHERE ZPROPERTY LIKE '$%'")
    }

    /// The statement that ``write(_:of:_:)`` runs.
    static func insertion(_ db: Database) throws -> RowStatement {
        try RowStatement(db, "INSERT INTO \(table) (ZCHANGE, ZPROPERTY, ZVALUE) VALUES (?, ?, ?)")
    }

    static func write(_ details: [HistoryDetail], of change: Int64, _ insertion: RowStatement) throws {
        for detail in details {
            try insertion.bind(change, at: 1)
            try insertion.bind(detail.property, at: 2)
            try insertion.bind(detail.value, at: 3)
            try insertion.run()
        }
    }

    // MARK: Reading

    /// Adds to changes what is kept of them. A property that the model doesn't have any more is left out, and so is a value that
    /// doesn't fit its attribute any more.
    static func add(to changes: inout [StoreHistoryChange], _ store: SQLiteStoreBackend, _ db: Database) throws {
        guard try exist(db) else { return }
        let places = Dictionary(changes.enumerated().map { ($1.number, $0) }) { first, _ in first }
        for chunk in KeyChunks(changes.filter { $0.kind != .insert }.map(\.number)) {
            let statement = try RowStatement(
                db, "SELECT ZCHANGE, ZPROPERTY, ZVALUE FROM \(table) WHERE ZCHANGE \(chunk.test)")
            try chunk.bind(to: statement)
            while try statement.step() {
                guard let place = places[statement.integer(at: 0)] else { continue }
                try add(statement.text(at: 1), statement, to: &changes[place], store)
            }
        }
    }

    private static func add(
        _ name: String, _ statement: RowStatement, to change: inout StoreHistoryChange, _ store: SQLiteStoreBackend
    ) throws {
        let entity = change.objectID.entity
        let path = name.split(separator: ".").map(String.init)
        guard let property = path.first.flatMap({ entity.propertiesByName[$0] }) else { return }
        guard change.kind == .delete else {
            change.updatedProperties = (change.updatedProperties ?? []).union([property])
            return
        }
        guard let field = try store.plan(of: entity).fields.first(where: { $0.name == name }) else { return }
        // Where the attribute has become one of another type, nothing can be told in it of the object that is gone.
        let value = try? RowDecoder.value(
            of: field, in: statement, at: 2, entityColumn: -1, external: nil, place: { name })
        if let boxed = value?.boxedAttribute {
            change.tombstone = Tombstone.keeping(boxed, at: path[...], in: change.tombstone as? [String: Any] ?? [:])
        }
    }
}
