// One save's statements, in an order that uniqueness constraints can live with: rows go, then change, then come; order
// keys and join rows follow, because they name rows; the history comes last. Within each step the order is that of
// entity numbers and keys, so that the same save always runs the same SQL.

import Foundation
import GRDB

/// The writing of one save, inside its transaction.
final class SQLiteSave {
    let store: SQLiteStoreBackend
    let db: Database
    let binder: ValueBinder
    private let files: ExternalFiles
    private var updates: [UpdateKey: RowStatement] = [:]
    private var conflicts: [(id: NSManagedObjectID, version: Int64)] = []
    private let changes: StoreChanges

    private struct UpdateKey: Hashable {
        let entity: Int
        let slots: SlotSet
    }

    init(_ changes: StoreChanges, store: SQLiteStoreBackend, db: Database, files: ExternalFiles) {
        self.changes = changes
        self.store = store
        self.db = db
        self.files = files
        binder = ValueBinder(store: store, files: files)
    }

    /// - Returns: The number of the transaction in the history; nil without one.
    /// - Throws: ``StoreConflict``, ``StoreUniquenessConflict`` or the error of a statement. The caller rolls back.
    func write() throws -> Int64? {
        let deleted = try SaveGroup.groups(of: changes.deleted, plan: store.plan)
        let updated = try SaveGroup.groups(of: changes.updated, plan: store.plan)
        let inserted = try SaveGroup.groups(of: changes.inserted, plan: store.plan)
        let history = try HistoryWriter(db: db)
        var deletions: [HistoryWriter.Change] = []
        for group in deleted {
            let kept = try history?.tombstones(of: group.plan, keys: group.keys) ?? []
            try delete(group)
            deletions.append(group.historyChange(.deletion, kept))
        }
        try freeUniqueValues(updated)
        for group in updated { try update(group) }
        try checkLinked()
        try checkWatched()
        if !conflicts.isEmpty { throw try conflict() }
        for group in inserted { try insert(group) }
        let links = RelationChanges { self.store.space(of: $0) }
        for group in updated { try links.collect(updated: group.changes, group.plan) }
        for group in inserted { try links.collect(inserted: group.changes, group.plan) }
        try links.write(db)
        guard let history else { return nil }
        let insertions = inserted.map { $0.historyChange(.insertion) }
        let changed = updated.map {
            $0.historyChange(
                .update, history.keepsDetails ? $0.changedProperties.map { $0.map { HistoryDetail(property: $0) } } : []
            )
        }
        return try history.append(insertions + changed + deletions, origin: changes.origin)
    }

    // MARK: Inserting

    private func insert(_ group: SaveGroup) throws {
        let plan = group.plan
        var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
        var marks = ["?", "\(plan.entity.number)", "1"]
        let fields = plan.fields.filter { !$0.isDerived }
        for field in fields {
            columns.append(field.column)
            marks.append("?")
            if let second = field.entityColumn {
                columns.append(second)
                marks.append("?")
            }
        }
        let statement = try RowStatement(
            db,
            "INSERT INTO \(plan.entity.table) (\(columns.joined(separator: ", "))) "
                + "VALUES (\(marks.joined(separator: ", ")))")
        for change in group.changes {
            try statement.bind(change.objectID.number, at: 1)
            var index: Int32 = 2
            for field in fields {
                try binder.bind(change.values[field.slot], of: field, to: statement, at: &index, row: change.objectID)
            }
            do {
                try statement.run()
            } catch let error as DatabaseError {
                throw try uniquenessConflict(error, change, plan) ?? error
            }
        }
    }

    // MARK: Updating

    private func update(_ group: SaveGroup) throws {
        for change in group.changes {
            let fields = group.plan.fields(of: change.changed)
            let statement = try updateStatement(group.plan, fields, change.changed)
            for field in fields { try release(field, group.plan, change.objectID.number) }
            var index: Int32 = 1
            for field in fields {
                try binder.bind(change.values[field.slot], of: field, to: statement, at: &index, row: change.objectID)
            }
            try statement.bind(change.objectID.number, at: index)
            try statement.bind(change.version, at: index + 1)
            do {
                try statement.run()
            } catch let error as DatabaseError {
                throw try uniquenessConflict(error, change, group.plan) ?? error
            }
            if statement.changes == 0 { conflicts.append((change.objectID, change.version)) }
        }
    }

    private func updateStatement(
        _ plan: EntityPlan, _ fields: [EntityPlan.Field], _ slots: SlotSet
    ) throws -> RowStatement {
        let key = UpdateKey(entity: plan.entity.number, slots: slots)
        if let known = updates[key] { return known }
        let columns = fields.flatMap { field in [field.column, field.entityColumn].compactMap { $0 } }
        let assignments = columns.map { "\($0) = ?" } + [RowVersion.countingUp]
        let statement = try RowStatement(
            db,
            "UPDATE \(plan.entity.table) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ? AND \(RowVersion.known) = ?"
        )
        updates[key] = statement
        return statement
    }

    /// Empties a column of each uniqueness constraint in the rows that get other values for it, where several do: SQLite looks at
    /// one row after the other, and the first may get what the second has until then.
    private func freeUniqueValues(_ groups: [SaveGroup]) throws {
        var rows: [String: [(plan: EntityPlan, column: String, change: RowChange)]] = [:]
        var names: [String] = []
        for group in groups {
            for constraint in try constraints(of: group.plan) {
                let name = "\(constraint.entity.table) \(constraint.columns.joined(separator: " "))"
                if rows[name] == nil { names.append(name) }
                for change in group.changes {
                    let fields = group.plan.fields(of: change.changed)
                    guard let field = fields.first(where: { constraint.columns.contains($0.column) }) else { continue }
                    rows[name, default: []].append((group.plan, field.column, change))
                }
            }
        }
        for name in names {
            guard let rows = rows[name], rows.count > 1 else { continue }
            for (plan, column, change) in rows {
                let statement = try RowStatement(
                    db,
                    "UPDATE \(plan.entity.table) SET \(column) = NULL WHERE Z_PK = ? AND \(RowVersion.known) = ?")
                try statement.bind(change.objectID.number, at: 1)
                try statement.bind(change.version, at: 2)
                try statement.run()
            }
        }
    }

    // MARK: Deleting

    private func delete(_ group: SaveGroup) throws {
        let entity = group.plan.entity
        let statement = try RowStatement(db, "DELETE FROM \(entity.table) WHERE Z_PK = ? AND \(RowVersion.known) = ?")
        let detaching = try detachingStatements(group.plan)
        for change in group.changes {
            for field in group.plan.fields { try release(field, group.plan, change.objectID.number) }
            try statement.bind(change.objectID.number, at: 1)
            try statement.bind(change.version, at: 2)
            try statement.run()
            if statement.changes == 0 {
                conflicts.append((change.objectID, change.version))
                continue
            }
            for detach in detaching {
                try detach.bind(change.objectID.number, at: 1)
                try detach.run()
            }
        }
    }

    /// What points at a row without a column of a model's property: join rows, and the members of relationships without
    /// inverse.
    private func detachingStatements(_ plan: EntityPlan) throws -> [RowStatement] {
        var statements: [String] = []
        for (_, toMany) in plan.toMany {
            switch toMany.storage {
            case .joinTable(let join):
                statements.append("DELETE FROM \(join.table) WHERE \(join.ownerColumn) = ?")
                if join.isReflexive { statements.append("DELETE FROM \(join.table) WHERE \(join.memberColumn) = ?") }
            case .foreignKey(let key) where !key.hasInverse:
                statements.append("UPDATE \(key.table) SET \(key.column) = NULL WHERE \(key.column) = ?")
            case .foreignKey: break
            }
        }
        return try statements.map { try RowStatement(db, $0) }
    }

    // MARK: External values

    /// Notes the file of a value that is replaced or deleted.
    private func release(_ field: EntityPlan.Field, _ plan: EntityPlan, _ key: Int64) throws {
        guard files.folder != nil, field.kind.isExternal else { return }
        let statement = try RowStatement(
            db,
            "SELECT \(field.column) FROM \(plan.entity.table) "
                + "WHERE Z_PK = ? AND LENGTH(\(field.column)) = \(ExternalDataFolder.referenceLength)")
        try statement.bind(key, at: 1)
        while try statement.step() { files.release(statement.data(at: 0)) }
    }

    // MARK: Conflicts

    private func checkLinked() throws {
        guard !changes.linked.isEmpty else { return }
        let there = Set(try store.rows(withIDs: changes.linked, slots: [], db).map(\.objectID.key))
        conflicts += changes.linked.filter { !there.contains($0.key) }.map { ($0, 0) }
    }

    private func checkWatched() throws {
        guard !changes.watched.isEmpty else { return }
        var versions: [RowKey: Int64] = [:]
        for row in try store.rows(withIDs: changes.watched.map(\.objectID), slots: [], db) {
            versions[row.objectID.key] = row.version
        }
        conflicts += changes.watched.filter { versions[$0.objectID.key] != $0.version }.map {
            ($0.objectID, $0.version)
        }
    }

    private func conflict() throws -> StoreConflict {
        var found: [RowKey: StoreRow] = [:]
        for row in try store.rows(withIDs: conflicts.map(\.id), db) { found[row.objectID.key] = row }
        return StoreConflict(
            rows: conflicts.map {
                StoreConflict.Row(objectID: $0.id, expectedVersion: $0.version, found: found[$0.id.key])
            })
    }

    /// The conflict behind a failed statement; nil where it failed for another reason.
    private func uniquenessConflict(
        _ error: DatabaseError, _ change: RowChange, _ plan: EntityPlan
    ) throws -> StoreUniquenessConflict? {
        guard error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE, let message = error.message else { return nil }
        for constraint in try constraints(of: plan) where constraint.isNamed(in: message) {
            let fields = constraint.properties.compactMap { name in plan.fields.first { $0.name == name } }
            let conditions = fields.map { "\($0.column) = ?" }.joined(separator: " AND ")
            let statement = try RowStatement(
                db,
                "SELECT Z_PK, Z_ENT FROM \(plan.entity.table) WHERE \(conditions) AND Z_PK <> ? ORDER BY Z_PK LIMIT 1")
            var index: Int32 = 1
            for field in fields {
                try binder.bindValue(
                    change.values[field.slot], of: field, to: statement, at: index, row: change.objectID)
                index += 1
            }
            try statement.bind(change.objectID.number, at: index)
            var other: NSManagedObjectID?
            if try statement.step() {
                let entity = store.schema.entity(numbered: Int(statement.integer(at: 1))) ?? plan.entity
                other = NSManagedObjectID(
                    entity: entity.description, space: plan.space, number: statement.integer(at: 0))
            }
            statement.reset()
            return uniquenessConflict(constraint, change.objectID, other)
        }
        return nil
    }

    private func uniquenessConflict(
        _ constraint: SQLUniquenessConstraint, _ id: NSManagedObjectID, _ other: NSManagedObjectID?
    ) -> StoreUniquenessConflict {
        let isOfThisSave = (changes.inserted + changes.updated).contains { $0.objectID == other }
        return StoreUniquenessConflict(
            entity: constraint.entity.description, constraint: constraint.properties,
            inserted: isOfThisSave ? [other, id].compactMap { $0 } : [id], existing: isOfThisSave ? nil : other)
    }

    private func constraints(of plan: EntityPlan) throws -> [SQLUniquenessConstraint] {
        try store.uniquenessConstraints(of: plan)
    }
}

extension SQLiteStoreBackend {
    /// The constraints that an entity's rows come under.
    func uniquenessConstraints(of plan: EntityPlan) throws -> [SQLUniquenessConstraint] {
        try schema.uniquenessConstraints(inForceOn: plan.description)
    }
}

extension SQLUniquenessConstraint {
    /// Whether SQLite's message (`UNIQUE constraint failed: ZHERO.ZNAME, ZHERO.ZAGE`) names exactly these columns.
    func isNamed(in message: String) -> Bool {
        let named = message.split(separator: ":").last ?? ""
        let columns = named.split(separator: ",").map { $0.split(separator: ".").last.map(String.init) ?? "" }
        return Set(columns) == Set(self.columns)
    }
}
