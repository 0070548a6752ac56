// A batch insertion: keys are taken in portions, and a row that a uniqueness constraint has no room for is written into the
// one that is there, or not at all, as the merge policy says.

import Foundation
import GRDB

struct SQLiteBatchInsert {
    private static let portion = 1000

    private let insertion: StoreBatchInsertion
    private let batch: SQLiteBatch

    init(_ insertion: StoreBatchInsertion, batch: SQLiteBatch) {
        self.insertion = insertion
        self.batch = batch
    }

    func run() throws -> SQLiteBatch.Done {
        let plan = try batch.store.plan(of: insertion.entity)
        let constraints = try batch.store.uniquenessConstraints(of: plan)
        var inserted: [Int64] = []
        var updated: [NSManagedObjectID: Set<String>] = [:]
        var done = SQLiteBatch.Done()
        while true {
            var rows: [StoreBatchInsertion.Row] = []
            while rows.count < Self.portion, let row = try insertion.next() { rows.append(row) }
            if rows.isEmpty { break }
            let first = try PrimaryKeys.reserve(
                rows.count, rootNumber: plan.entity.rootNumber, table: plan.entity.table, batch.db)
            for (offset, row) in rows.enumerated() {
                let id = NSManagedObjectID(plan.kind, number: first + Int64(offset))
                if let (constraint, other) = try rival(of: row, id, plan, constraints) {
                    guard let names = try write(row, into: other, constraint, id) else { continue }
                    updated[other, default: []].formUnion(names)
                    done.ids.append(other)
                } else {
                    try insert(row, id, plan)
                    inserted.append(id.number)
                    done.ids.append(id)
                }
            }
            if rows.count < Self.portion { break }
        }
        let insertions = HistoryWriter.Change(
            kind: .insertion, entityNumber: plan.entity.number, keys: inserted)
        done.history = [insertions] + batch.updates(updated)
        return done
    }

    private func insert(_ row: StoreBatchInsertion.Row, _ id: NSManagedObjectID, _ plan: EntityPlan) throws {
        let fields = plan.fields.filter { !$0.isDerived }
        let columns = fields.flatMap { [$0.column, $0.entityColumn].compactMap { $0 } }
        let statement = try RowStatement(
            batch.db,
            "INSERT INTO \(plan.entity.table) (Z_PK, Z_ENT, Z_OPT\(columns.map { ", \($0)" }.joined())) "
                + "VALUES (?, \(plan.entity.number), 1\(String(repeating: ", ?", count: columns.count)))")
        try statement.bind(id.number, at: 1)
        let binder = ValueBinder(store: batch.store, files: batch.files)
        var index: Int32 = 2
        for field in fields {
            try binder.bind(row.values[field.slot], of: field, to: statement, at: &index, row: id)
        }
        try statement.run()
    }

    // MARK: Uniqueness

    /// The row that has the same values under a constraint, and the constraint.
    private func rival(
        of row: StoreBatchInsertion.Row, _ id: NSManagedObjectID, _ plan: EntityPlan,
        _ constraints: [SQLUniquenessConstraint]
    ) throws -> (SQLUniquenessConstraint, NSManagedObjectID)? {
        for constraint in constraints {
            let fields = constraint.properties.compactMap { name in plan.fields.first { $0.name == name } }
            // As in SQLite, a nil in one of the properties makes values different.
            if fields.contains(where: { row.values[$0.slot].isNull }) { continue }
            let conditions = fields.map { "\($0.column) = ?" }.joined(separator: " AND ")
            let statement = try RowStatement(
                batch.db, "SELECT Z_PK, Z_ENT FROM \(plan.entity.table) WHERE \(conditions) LIMIT 1")
            let binder = ValueBinder(store: batch.store, files: batch.files)
            for (index, field) in fields.enumerated() {
                try binder.bindValue(row.values[field.slot], of: field, to: statement, at: Int32(index + 1), row: id)
            }
            guard try statement.step() else { continue }
            let entity = batch.store.schema.entity(numbered: Int(statement.integer(at: 1))) ?? plan.entity
            let other = NSManagedObjectID(
                entity: entity.description, space: plan.space, number: statement.integer(at: 0))
            statement.reset()
            return (constraint, other)
        }
        return nil
    }

    /// Writes a row's values into the one that is there, if the policy says so, and returns the names of their properties.
    private func write(
        _ row: StoreBatchInsertion.Row, into other: NSManagedObjectID, _ constraint: SQLUniquenessConstraint,
        _ id: NSManagedObjectID
    ) throws -> [String]? {
        switch insertion.policy {
        case .errorMergePolicyType:
            throw StoreUniquenessConflict(
                entity: constraint.entity.description, constraint: constraint.properties, inserted: [], existing: other)
        case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: return nil
        case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType: break
        }
        // The row may be of a super-entity or a sibling, and has nothing but the properties that its entity has.
        let plan = try batch.store.plan(of: other.entity)
        let own = try batch.store.plan(of: insertion.entity)
        let writesAll = insertion.policy == .overwriteMergePolicyType
        let fields = own.fields.filter { field in
            guard plan.fields.contains(where: { $0.name == field.name && $0.column == field.column }) else {
                return false
            }
            if case .toOne = field.kind { return false }
            return !field.isDerived && (writesAll || row.given.contains(field.slot))
        }
        try batch.release(plan, fields, keys: [other.number])
        let assignments = fields.map { "\($0.column) = ?" } + [RowVersion.countingUp]
        let statement = try RowStatement(
            batch.db, "UPDATE \(plan.entity.table) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?")
        let binder = ValueBinder(store: batch.store, files: batch.files)
        var index: Int32 = 1
        for field in fields {
            try binder.bindValue(row.values[field.slot], of: field, to: statement, at: index, row: id)
            index += 1
        }
        try statement.bind(other.number, at: index)
        try statement.run()
        return fields.map { plan.description.layout.propertyName(of: $0.slot) }
    }
}
