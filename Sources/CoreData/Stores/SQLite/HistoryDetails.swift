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

    static func exist(_ db: Database) throws -> Bool { try db.tableExists(table) }

    /// Makes the table, unless there is one. The history's own tables are there.
    static func create(_ db: Database) throws {
        if try exist(db) { return }
        try db.execute(
            sql: """
                CREATE TABLE \(table) (ZCHANGE INTEGER NOT NULL, ZPROPERTY VARCHAR NOT NULL, ZVALUE BLOB,
                PRIMARY KEY (ZCHANGE, ZPROPERTY)) WITHOUT ROWID
                """)
        try db.execute(
            sql: """
                CREATE TRIGGER \(table)_DELETED AFTER DELETE ON ACHANGE
                BEGIN DELETE FROM \(table) WHERE ZCHANGE = OLD.Z_PK; END
                """)
    }

    // MARK: Writing

    /// The values to be kept of rows that are going to be deleted, parallel to their keys; none where the entity has no
    /// attributes of that kind. Values in files of their own aren't kept, as in Core Data.
    static func tombstones(of plan: EntityPlan, keys: [Int64], _ db: Database) throws -> [[HistoryDetail]] {
        let attributes = plan.description.attributesByName
        let fields = plan.fields.filter { field in
            attributes[field.name]?.preservesValueInHistoryOnDeletion == true && !field.kind.isExternal
        }
        guard !fields.isEmpty else { return [] }
        let columns = fields.map(\.column).joined(separator: ", ")
        var details: [Int64: [HistoryDetail]] = [:]
        for chunk in KeyChunks(keys) {
            let statement = try RowStatement(
                db, "SELECT Z_PK, \(columns) FROM \(plan.entity.table) WHERE Z_PK IN (\(chunk.marks))")
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

    /// Adds to changes what is kept of them. A property that the model doesn't have any more is left out.
    ///
    /// - Throws: ``RowError`` for a value that doesn't fit its attribute.
    static func add(to changes: inout [StoreHistoryChange], _ store: SQLiteStoreBackend, _ db: Database) throws {
        guard try exist(db) else { return }
        let places = Dictionary(changes.enumerated().map { ($1.number, $0) }) { first, _ in first }
        for chunk in KeyChunks(changes.filter { $0.kind != .insert }.map(\.number)) {
            let statement = try RowStatement(
                db, "SELECT ZCHANGE, ZPROPERTY, ZVALUE FROM \(table) WHERE ZCHANGE IN (\(chunk.marks))")
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
        guard let property = entity.propertiesByName[name] else { return }
        guard change.kind == .delete else {
            change.updatedProperties = (change.updatedProperties ?? []).union([property])
            return
        }
        guard let field = try store.plan(of: entity).fields.first(where: { $0.name == name }) else { return }
        let value = try RowDecoder.value(
            of: field, in: statement, at: 2, entityColumn: -1, external: nil,
            place: { "\(entity.name ?? "").\(name) (\(table).ZVALUE of change \(change.number))" })
        if let boxed = value.boxedAttribute {
            change.tombstone = (change.tombstone ?? [:]).merging([name: boxed]) { $1 }
        }
    }
}
