// A batch update: one UPDATE whose values come from a SELECT, so that expressions and predicates may follow to-one
// relationships and see the rows as they were.
//
//     UPDATE ZBOOK SET ZPRICE = v.c0, Z_OPT = Z_OPT % 9223372036854775807 + 1
//     FROM (SELECT t0.Z_PK AS k, t0.ZPRICE * ? AS c0 FROM ZBOOK AS t0 WHERE ...) AS v WHERE ZBOOK.Z_PK = v.k

import Foundation
import GRDB

extension SQLiteBatch {
    func update(_ query: StoreQuery, _ assignments: [StoreBatchAssignment]) throws -> Done {
        let ids = try ids(matching: query)
        if ids.isEmpty { return Done() }
        let plan = try store.plan(of: query.entity)
        let fields = try assignments.map { assignment in
            guard let slot = query.entity.layout.slot(named: assignment.name), let index = plan.fieldBySlot[slot] else {
                throw Self.notStored(assignment.attribute)
            }
            return plan.fields[index]
        }
        try requireRoom(query, assignments)
        try release(plan, fields, keys: ids.map(\.number))
        try run(try statement(query, assignments, fields, isForOneRow: ids.count == 1))
        if history == nil { return Done(ids: ids) }
        let names = Set(fields.map { query.entity.layout.propertyName(of: $0.slot) })
        return Done(ids: ids, history: updates(Dictionary(uniqueKeysWithValues: ids.map { ($0, names) })))
    }

    private func statement(
        _ query: StoreQuery, _ assignments: [StoreBatchAssignment], _ fields: [EntityPlan.Field], isForOneRow: Bool
    ) throws -> SQLFragment {
        var select = try store.select(query)
        var columns = SQLFragment(sql: "t0.Z_PK AS k")
        let table = select.entity.table
        var sets: [String] = []
        for (index, (assignment, field)) in zip(assignments, fields).enumerated() {
            let value: SQLFragment
            switch assignment.value {
            case .constant(let constant):
                value = SQLFragment(sql: "?", arguments: [try stored(constant, field, isForOneRow)])
            case .expression(let expression):
                value = try select.value(of: expression, for: assignment.attribute) { store.space(of: $0) }
            }
            columns.sql += ", "
            columns += value
            columns.sql += " AS c\(index)"
            sets.append("\(field.column) = v.c\(index)")
        }
        sets.append(RowVersion.countingUp)
        let rows = select.statement(columns: columns)
        return SQLFragment(
            sql: "UPDATE \(table) SET \(sets.joined(separator: ", ")) FROM (\(rows.sql)) AS v "
                + "WHERE \(table).Z_PK = v.k",
            arguments: rows.arguments)
    }

    /// Refuses values that expressions come to and no row can be read with.
    private func requireRoom(_ query: StoreQuery, _ assignments: [StoreBatchAssignment]) throws {
        for assignment in assignments {
            guard case .expression(let expression) = assignment.value else { continue }
            var select = try store.select(query)
            let room = try select.select(excessOf: expression, for: assignment.attribute) { store.space(of: $0) }
            guard let room else { continue }
            let statement = try SQLiteStoreBackend.statement(db, select.statement(columns: "t0.Z_PK"))
            guard try statement.step() else { continue }
            let row = try statement.integer(at: 0, of: "\(select.entity.table).Z_PK")
            throw assignment.noRoom(for: expression, room: room, row: row, of: select.entity.name)
        }
    }

    /// A constant as its column holds it. Several rows get the bytes themselves: a file belongs to one row, and goes with it.
    private func stored(_ value: ManagedValue, _ field: EntityPlan.Field, _ isForOneRow: Bool) throws -> SQLValue {
        try ValueBinder(store: store, files: isForOneRow ? files : ExternalFiles(folder: nil)).stored(value, of: field)
    }

    private func run(_ fragment: SQLFragment) throws {
        do {
            try SQLiteStoreBackend.statement(db, fragment).run()
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
            throw CoreDataError.make(
                .managedObjectConstraintMerge,
                "A batch update would make rows alike that the model wants to be unique (\(error.message ?? "")). Nothing "
                    + "has been changed. Leave out the constraint's attributes, or rows.")
        }
    }

    private static func notStored(_ attribute: NSAttributeDescription) -> CocoaError {
        CoreDataError.make(.coreData, "'\(attribute.name)' isn't stored and can't be updated.")
    }
}
